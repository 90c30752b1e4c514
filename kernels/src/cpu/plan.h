/* plan.h: a plan as text, and the CPU that it is for. A plan says which code a batch takes, by the
 * number of its messages and by their size. */
#ifndef CUPEL_PLAN_H
#define CUPEL_PLAN_H

#include "cupel.h"

enum { PLAN_SHA1_MANY, PLAN_SHA256_MANY, PLAN_OPERATIONS };

/* A class is named by its lower bound; the last of each kind has no upper one. The size of a batch
 * is the size of its first message. From six on, a row of eight lanes may be faster than two turns
 * with the SHA extensions; from nine on, a row of sixteen is, and sixteen fill it. Messages too few
 * for a row take turns, whatever a plan names (many.h). */
enum { PLAN_COUNTS = 4, PLAN_SIZES = 3 };
static const unsigned cupel_plan_counts[PLAN_COUNTS] = {1, 6, 9, 16}; /* messages */
static const unsigned cupel_plan_sizes[PLAN_SIZES] = {0, 256, 4096};  /* bytes */

/* The meaning of the two bits of a class. */
enum { PLAN_DEFAULT, PLAN_AVX512, PLAN_SHANI, PLAN_AVX2 };

/* The position of a class's bits in the word. */
static inline unsigned cupel_plan_shift(unsigned count_class, unsigned size_class) {
    return 2 * (PLAN_SIZES * count_class + size_class);
}

/* Parses a plan for the CPU of this line. Returns 0, with the classes that it names in words, or an
 * error of cupel_plan_use, with anything in words. */
int cupel_plan_parse(const char *text, size_t length, const char *cpu,
                     unsigned words[PLAN_OPERATIONS]);

#endif
