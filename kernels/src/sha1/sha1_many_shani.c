/* sha1_many_shani.c: SHA-1 of up to four messages side by side with the SHA extensions. One message
 * waits for the latency of sha1rnds4, so the others fill that time. */
#include "sha1_many.h"
#include "turns.h"

#include <immintrin.h>

enum { WORDS = 5 };

INLINED __m128i load(const uint8_t *at) {
    const __m128i swap = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)at), swap);
}

/* Four rounds with f and k number stage: that is part of the instruction. */
INLINED __m128i rounds4(__m128i abcd, __m128i e_and_words, int stage) {
    switch (stage) {
    case 0:
        return _mm_sha1rnds4_epu32(abcd, e_and_words, 0);
    case 1:
        return _mm_sha1rnds4_epu32(abcd, e_and_words, 1);
    case 2:
        return _mm_sha1rnds4_epu32(abcd, e_and_words, 2);
    default:
        return _mm_sha1rnds4_epu32(abcd, e_and_words, 3);
    }
}

/* Four rounds. Before, e holds the a of before the previous rounds, except at the start of a block,
 * where it is e itself; afterwards, the a with which these rounds began. */
INLINED void rounds(__m128i *abcd, __m128i *e, __m128i words, int group) {
    __m128i sum = group == 0 ? _mm_add_epi32(*e, words) : _mm_sha1nexte_epu32(*e, words);
    *e = *abcd;
    *abcd = rounds4(*abcd, sum, group / 5);
}

/* The next four words of a message's schedule replace the four that are 16 words older. They are
 * kept in memory: a state that is not in a register would wait for it in every round. */
INLINED void next(__m128i x[4], int group) {
    __m128i x0 = x[group % 4], x1 = x[(group + 1) % 4], x2 = x[(group + 2) % 4];
    __m128i x3 = x[(group + 3) % 4];
    x[group % 4] = _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(x0, x1), x2), x3);
}

INLINED void blocks_of(uint32_t *state, const uint8_t *const *at, size_t count, int rows) {
    __m128i abcd[MOST], e[MOST];
    UNROLLED for (int r = 0; r < rows; r++) {
        const uint32_t *h = state + WORDS * r;
        abcd[r] = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)h), 0x1b);
        e[r] = _mm_set_epi32((int)h[4], 0, 0, 0);
    }
    for (size_t b = 0; b < count; b++) {
        __m128i abcd_before[MOST], e_before[MOST], x[MOST][4];
        UNROLLED for (int r = 0; r < rows; r++) {
            abcd_before[r] = abcd[r];
            e_before[r] = e[r];
        }
        UNROLLED for (int group = 0; group < 20; group++) UNROLLED for (int r = 0; r < rows; r++) {
            __m128i *words = &x[r][group % 4];
            if (group < 4)
                *words = load(at[r] + 64 * b + 16 * (size_t)group);
            else
                next(x[r], group);
            IN_MEMORY(*words);
            rounds(&abcd[r], &e[r], *words, group);
        }
        UNROLLED for (int r = 0; r < rows; r++) {
            e[r] = _mm_sha1nexte_epu32(e[r], e_before[r]);
            abcd[r] = _mm_add_epi32(abcd[r], abcd_before[r]);
        }
    }
    UNROLLED for (int r = 0; r < rows; r++) {
        uint32_t *h = state + WORDS * r;
        _mm_storeu_si128((__m128i *)h, _mm_shuffle_epi32(abcd[r], 0x1b));
        h[4] = (uint32_t)_mm_extract_epi32(e[r], 3);
    }
}

TURNS(turns, blocks_of)

void cupel_sha1_lanes_shani(uint32_t *state, const uint8_t *const *at, size_t count, size_t rows) {
    turns[rows - 1](state, at, count);
}
