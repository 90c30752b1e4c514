/* many.h: hashing many messages side by side, one a lane of the vector registers: which message
 * goes to which lane, and whose lanes. The same for SHA-1 and SHA-256. */
#ifndef CUPEL_MANY_H
#define CUPEL_MANY_H

#include "cpu.h"
#include "sha.h"

enum { MANY_LANES = 16, MANY_WORDS = 8, MANY_ROUNDS = 80 }; /* the most there are */

/* Takes every lane through count blocks, that of lane j at at[j]. The state is words rows of lanes
 * words: word i of lane j is h[i * lanes + j]. */
typedef void many_blocks(uint32_t *h, const uint8_t *const *at, size_t count);

/* Takes every lane through one and the same block, given as the rounds' words plus constants. */
typedef void many_same_block(uint32_t *h, const uint32_t *wk);

/* A hash on lanes, and where it is taken. */
typedef struct many_code {
    unsigned needs, unless; /* CUPEL_CPU_... that is there, and that is not */
    size_t lanes, words;
    const uint32_t *start;
    many_blocks *blocks;
    many_same_block *same_block;
    /* Computes those words of a block. */
    void (*expand)(uint32_t *wk, const uint8_t *block);
    /* One message by itself: the kernel that dispatch takes. */
    sha_kernel *one;
} many_code;

/* The codes of a hash, the fastest first, and an end without lanes. With the SHA instructions one
 * message after the other is faster than eight lanes of AVX2, and slower than sixteen of AVX-512
 * (docs/kernels.md). */
#ifdef CUPEL_X86
#define MANY_CODES(hash, n)                                                                        \
    MANY_CODE(hash, n, CUPEL_CPU_AVX512, 0, avx512, 16),                                           \
        MANY_CODE(hash, n, CUPEL_CPU_AVX2, CUPEL_CPU_SHANI, avx2, 8), MANY_END
#define MANY_CODE(hash, n, with, without, isa, of)                                                 \
    {                                                                                              \
        .needs = with, .unless = without, .lanes = of, .words = n, .start = cupel_##hash##_start,  \
        .blocks = cupel_##hash##_lanes_##isa, .same_block = cupel_##hash##_same_##isa,             \
        .expand = expand, .one = cupel_##hash##_blocks,                                            \
    }
#else
#define MANY_CODES(hash, n) MANY_END
#endif
#define MANY_END                                                                                   \
    { .lanes = 0 }

/* The first of them that this CPU has, or NULL: one message after the other. */
static inline const many_code *many_choose(const many_code *codes) {
    unsigned cpu = cupel_cpu();
    for (; codes->lanes != 0; codes++)
        if ((cpu & codes->needs) && !(cpu & codes->unless))
            return codes;
    return NULL;
}

/* Digests of count messages, 4 * words bytes each, one behind the other. */
void cupel_many(const many_code *code, uint8_t *digests, const void *const *messages,
                const size_t *lengths, size_t count);

#endif
