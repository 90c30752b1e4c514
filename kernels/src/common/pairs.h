/* pairs.h: blocks two at a time, for kernels that compute two schedules side by side. The file that
 * includes it defines PAIRS(h, first, second, count), which updates h with count blocks:
 * alternately one at first and one at second, both of which then advance by 128 bytes. count is
 * even, or 1: then second is read but not hashed. */
#ifndef CUPEL_PAIRS_H
#define CUPEL_PAIRS_H

#include "sha.h"

/* Adjacent blocks. An odd last one is paired with itself, because there is nothing after it to
 * read. */
static void in_pairs(uint32_t *h, const uint8_t *blocks, size_t count) {
    size_t even = count & ~(size_t)1;
    if (even != 0)
        PAIRS(h, blocks, blocks + SHA_BLOCK, even);
    if (even != count)
        PAIRS(h, blocks + SHA_BLOCK * even, blocks + SHA_BLOCK * even, 1);
}

/* Implements sha_kernel. */
static inline void both_in_pairs(uint32_t *h, const uint8_t *blocks, size_t count,
                                 const uint8_t *tail, size_t tail_count) {
    if (count % 2 == 0 || tail_count == 0) {
        in_pairs(h, blocks, count);
        in_pairs(h, tail, tail_count);
        return;
    }
    /* An odd last block is paired with the first of the tail. */
    in_pairs(h, blocks, count - 1);
    PAIRS(h, blocks + SHA_BLOCK * (count - 1), tail, 2);
    in_pairs(h, tail + SHA_BLOCK, tail_count - 1);
}

#endif
