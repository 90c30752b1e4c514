/* plan_use.h: the plan in use: one word for each hash, with two bits for each class; 0 is the order
 * that the hash itself has. Any value is valid, because every code computes the same digests: a
 * reader needs no order and no lock. */
#ifndef CUPEL_PLAN_USE_H
#define CUPEL_PLAN_USE_H

#include "cpu.h"
#include "plan.h"

/* Above the classes: where the word comes from, and that it was determined. */
#define PLAN_MEASURED (1u << 24) /* the table of plan_defaults.c has this CPU */
#define PLAN_GIVEN    (1u << 25) /* a plan */
#define PLAN_KNOWN    (1u << 31)

extern atomic_uint cupel_plan_words[PLAN_OPERATIONS];

/* Determines the words from the table and the environment, and returns the word of an operation. */
unsigned cupel_plan_find(unsigned operation);

/* The words without a plan: PLAN_MEASURED and the table's choice for this CPU, or 0. */
void cupel_plan_defaults(unsigned words[PLAN_OPERATIONS]);

/* Reads a file and parses it, over the words that are given. Returns 0 or an error of
 * cupel_plan_load, with the words as they were. */
int cupel_plan_read(const char *path, unsigned words[PLAN_OPERATIONS]);

static inline unsigned cupel_plan_word(unsigned operation) {
    unsigned word = atomic_load_explicit(&cupel_plan_words[operation], memory_order_relaxed);
    return word & PLAN_KNOWN ? word : cupel_plan_find(operation);
}

/* The feature whose code a batch is to take, or 0: the hash decides. */
static inline unsigned cupel_plan_feature(unsigned operation, size_t count, size_t length) {
    static const unsigned features[] = {0, CUPEL_CPU_AVX512, CUPEL_CPU_SHANI, CUPEL_CPU_AVX2};
    unsigned word = cupel_plan_word(operation);
    unsigned c = 0, s = 0;
    while (c + 1 < PLAN_COUNTS && count >= cupel_plan_counts[c + 1])
        c++;
    while (s + 1 < PLAN_SIZES && length >= cupel_plan_sizes[s + 1])
        s++;
    return features[word >> cupel_plan_shift(c, s) & 3];
}

#endif
