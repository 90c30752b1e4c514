/* many.h: hashing many messages side by side, one in each lane of the vector registers: assigns
 * messages to lanes, and selects the lanes' code. The same for SHA-1 and SHA-256. */
#ifndef CUPEL_MANY_H
#define CUPEL_MANY_H

#include "cpu.h"
#include "sha.h"

enum { MANY_LANES = 16, MANY_WORDS = 8, MANY_ROUNDS = 80 }; /* the maxima of all codes */

/* Hashes count blocks in every lane; those of lane j are at at[j]. The state is words rows of lanes
 * words: word i of lane j is h[i * lanes + j]. */
typedef void many_blocks(uint32_t *h, const uint8_t *const *at, size_t count);

/* Hashes the same block in every lane, given as the rounds' words plus constants. */
typedef void many_same_block(uint32_t *h, const uint32_t *wk);

/* A hash on lanes, and the CPUs on which it is used. */
typedef struct many_code {
    unsigned needs, unless; /* CUPEL_CPU_... that must be present, and that must not */
    size_t lanes, words;
    const uint32_t *start;
    many_blocks *blocks;
    many_same_block *same_block;
    /* Computes those words of a block. */
    void (*expand)(uint32_t *wk, const uint8_t *block);
    /* The kernel that dispatch selects for one message. */
    sha_kernel *one;
} many_code;

/* The codes of a hash, the fastest first; a code without lanes ends the list. With the SHA
 * instructions, one message after the other is faster than eight lanes of AVX2, and slower than
 * sixteen lanes of AVX-512 (docs/kernels.md). */
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

/* The first of them that this CPU supports, or NULL: one message after the other. */
static inline const many_code *many_choose(const many_code *codes) {
    unsigned cpu = cupel_cpu();
    for (; codes->lanes != 0; codes++)
        if ((cpu & codes->needs) && !(cpu & codes->unless))
            return codes;
    return NULL;
}

/* Writes the digests of count messages, 4 * words bytes each, one after the other. */
void cupel_many(const many_code *code, uint8_t *digests, const void *const *messages,
                const size_t *lengths, size_t count);

#endif
