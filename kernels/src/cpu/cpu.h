/* cpu.h: the features in use. Dispatch reads them with one relaxed load and a test. */
#ifndef CUPEL_CPU_H
#define CUPEL_CPU_H

#include "cupel.h"

#include <stdatomic.h>

/* Set once the features are known, which distinguishes "no features" from "not determined yet". */
#define CUPEL_CPU_KNOWN       (1u << 31)

/* Set if shuffles share a port with the rounds of the SHA extensions. It is no feature: nobody
 * excludes it, and no interface shows it. */
#define CUPEL_CPU_SHARED_PORT (1u << 30)

/* The features in use, with the bits above. Relaxed order is enough: no other data depends on the
 * word, and threads that find it unset write the same value. */
extern atomic_uint cupel_cpu_word;

/* Determines the features, applies the environment's limit and sets the word. */
unsigned cupel_cpu_find(void);

static inline unsigned cupel_cpu(void) {
    unsigned word = atomic_load_explicit(&cupel_cpu_word, memory_order_relaxed);
    return word & CUPEL_CPU_KNOWN ? word : cupel_cpu_find();
}

#endif
