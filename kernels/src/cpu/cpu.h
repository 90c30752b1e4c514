/* cpu.h: the features in use. Dispatch reads them with one relaxed load and a test. */
#ifndef CUPEL_CPU_H
#define CUPEL_CPU_H

#include "cupel.h"

#include <stdatomic.h>

/* Set once the features are known, which distinguishes "no features" from "not determined yet". */
#define CUPEL_CPU_KNOWN       (1u << 31)

/* Which of several variants of one code is the faster. These are not features: they cannot be
 * excluded, and no interface shows them. detect.h says which CPU has them.
 * SHARED_PORT: some shuffles have only the port of sha256rnds2, so a code with fewer of them is
 * faster although it has more instructions.
 * SHORT_CODE: loops are faster than long code without any. */
#define CUPEL_CPU_SHARED_PORT (1u << 30)
#define CUPEL_CPU_SHORT_CODE  (1u << 29)
#define CUPEL_CPU_KIND        (CUPEL_CPU_SHARED_PORT | CUPEL_CPU_SHORT_CODE)

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
