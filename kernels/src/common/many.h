/* many.h: hashing many messages side by side, one a lane of the vector registers: which message
 * goes to which lane. The same for SHA-1 and SHA-256. */
#ifndef CUPEL_MANY_H
#define CUPEL_MANY_H

#include <stddef.h>
#include <stdint.h>

enum { MANY_LANES = 16, MANY_WORDS = 8, MANY_ROUNDS = 80 }; /* the most there are */

/* A hash on lanes. The state is words rows of lanes words: word i of lane j is h[i * lanes + j]. */
typedef struct many_code {
    size_t lanes, words;
    const uint32_t *start;
    /* Takes every lane through count blocks, that of lane j at at[j]. */
    void (*blocks)(uint32_t *h, const uint8_t *const *at, size_t count);
    /* Takes every lane through one and the same block, given as the rounds' words plus constants.
     */
    void (*same_block)(uint32_t *h, const uint32_t *wk);
    /* Computes those words of a block. */
    void (*expand)(uint32_t *wk, const uint8_t *block);
    /* One message by itself: the kernel that dispatch takes. */
    void (*one)(uint32_t *h, const uint8_t *blocks, size_t count, const uint8_t *tail,
                size_t tail_count);
} many_code;

/* Digests of count messages, 4 * words bytes each, one behind the other. */
void cupel_many(const many_code *code, uint8_t *digests, const void *const *messages,
                const size_t *lengths, size_t count);

#endif
