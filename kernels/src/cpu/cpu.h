/* cpu.h: the features in use, as dispatch asks for them: one relaxed load and a test. */
#ifndef CUPEL_CPU_H
#define CUPEL_CPU_H

#include "cupel.h"

#include <stdatomic.h>

/* Set once the features are known, so that no feature at all is told from not yet asked. */
#define CUPEL_CPU_KNOWN (1u << 31)

/* The features in use. Relaxed order is enough: the word stands for itself, and threads that find
 * it unset write the same value. */
extern atomic_uint cupel_cpu_word;

/* Finds the features, applies the environment's limit and fills the word. */
unsigned cupel_cpu_find(void);

static inline unsigned cupel_cpu(void) {
    unsigned word = atomic_load_explicit(&cupel_cpu_word, memory_order_relaxed);
    return word & CUPEL_CPU_KNOWN ? word : cupel_cpu_find();
}

#endif
