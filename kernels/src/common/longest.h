/* longest.h: the order in which the messages of a batch are started: the longest first, so that
 * little work is left at the end, where lanes are idle. Lengths are public, so addresses may depend
 * on their order. LONGEST_SORTED messages at a time are sorted by classes of length. */
#ifndef CUPEL_LONGEST_H
#define CUPEL_LONGEST_H

#include <stddef.h>
#include <stdint.h>

enum { LONGEST_SORTED = 256, LONGEST_CLASSES = 64 };

typedef struct longest {
    const size_t *lengths;
    size_t count;                  /* number of messages */
    size_t first, sorted, taken;   /* sorted now: message first and sorted - 1 after it */
    uint8_t order[LONGEST_SORTED]; /* indices, relative to first */
} longest;

static inline longest longest_of(const size_t *lengths, size_t count) {
    longest l;
    l.lengths = lengths;
    l.count = count;
    l.first = l.sorted = l.taken = 0;
    return l;
}

/* A counting sort. Lengths that differ by little, compared with the longest, are in one class. */
static inline void longest_sort(longest *l) {
    uint16_t place[LONGEST_CLASSES + 1] = {0};
    size_t all = 0;
    unsigned shift = 0;
    for (size_t i = 0; i < l->sorted; i++)
        all |= l->lengths[l->first + i];
    while (all >> shift >= LONGEST_CLASSES)
        shift++;
    /* class 0 is the longest; place[k + 1] counts class k, then place[k] is where it begins */
    for (size_t i = 0; i < l->sorted; i++)
        place[LONGEST_CLASSES - (l->lengths[l->first + i] >> shift)]++;
    for (size_t k = 1; k < LONGEST_CLASSES; k++)
        place[k] = (uint16_t)(place[k] + place[k - 1]);
    for (size_t i = 0; i < l->sorted; i++)
        l->order[place[LONGEST_CLASSES - 1 - (l->lengths[l->first + i] >> shift)]++] = (uint8_t)i;
}

/* Whether a message is left. */
static inline int longest_more(const longest *l) {
    return l->first + l->taken != l->count;
}

/* The next message. There must be one. */
static inline size_t longest_next(longest *l) {
    if (l->taken == l->sorted) {
        size_t left = l->count - l->first - l->taken;
        l->first += l->taken;
        l->sorted = left < LONGEST_SORTED ? left : LONGEST_SORTED;
        l->taken = 0;
        longest_sort(l);
    }
    return l->first + l->order[l->taken++];
}

#endif
