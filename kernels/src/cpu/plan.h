/* plan.h: which code a batch takes, by the number of its messages and by their size. What is in use
 * is one word for each hash, with two bits for each class; 0 is the order that the hash itself has.
 * Any value is valid, because every code computes the same digests: a reader needs no order and no
 * lock. */
#ifndef CUPEL_PLAN_H
#define CUPEL_PLAN_H

#include "cpu.h"

enum { PLAN_SHA1_MANY, PLAN_SHA256_MANY, PLAN_OPERATIONS };

/* A class is named by its lower bound; the last of each kind has no upper one. The size of a batch
 * is that of its first message. From six on, a row of eight lanes may be faster than two turns with
 * the SHA extensions; from nine on, a row of sixteen is, and sixteen fill it. What is too little
 * for a row takes turns whatever a plan names (many.h). */
enum { PLAN_COUNTS = 4, PLAN_SIZES = 3 };
static const unsigned cupel_plan_counts[PLAN_COUNTS] = {1, 6, 9, 16}; /* messages */
static const unsigned cupel_plan_sizes[PLAN_SIZES] = {0, 256, 4096};  /* bytes */

/* What the two bits mean. */
enum { PLAN_DEFAULT, PLAN_AVX512, PLAN_SHANI, PLAN_AVX2 };

/* Above the classes: where the word comes from, and that it was determined. */
#define PLAN_MEASURED (1u << 24) /* the table of plan_defaults.c has this CPU */
#define PLAN_GIVEN    (1u << 25) /* a plan */
#define PLAN_KNOWN    (1u << 31)

extern atomic_uint cupel_plan_words[PLAN_OPERATIONS];

/* Determines the words from the table and the environment, and returns that of an operation. */
unsigned cupel_plan_find(unsigned operation);

/* Parses a plan for the CPU of this line. Returns 0, with the classes that it names in words, or an
 * error of cupel_plan_use, with anything in words. */
int cupel_plan_parse(const char *text, size_t length, const char *cpu,
                     unsigned words[PLAN_OPERATIONS]);

/* The words without a plan: PLAN_MEASURED and what the table says of this CPU, or 0. */
void cupel_plan_defaults(unsigned words[PLAN_OPERATIONS]);

/* Reads a file and parses it, over the words that are given. Returns 0 or an error of
 * cupel_plan_load, with the words as they were. */
int cupel_plan_read(const char *path, unsigned words[PLAN_OPERATIONS]);

/* The plans that the library has: one for each kind of CPU that was measured. NULL ends them. */
typedef struct plan_text {
    const char *text;
    size_t length;
} plan_text;
extern const plan_text cupel_plan_table[];

/* The position of a class's bits in the word. */
static inline unsigned cupel_plan_shift(unsigned count_class, unsigned size_class) {
    return 2 * (PLAN_SIZES * count_class + size_class);
}

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
