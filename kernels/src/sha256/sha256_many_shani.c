/* sha256_many_shani.c: SHA-256 of up to four messages side by side with the SHA extensions. One
 * message waits for the latency of sha256rnds2, so the others fill that time. */
#include "sha256_many.h"
#include "turns.h"

#include <immintrin.h>

enum { WORDS = 8 };

INLINED __m128i load(const uint8_t *at) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)at), swap);
}

/* The next four words of a message's schedule replace those of 16 before. They are kept in memory:
 * a state that is not in a register would wait for it in every round. */
INLINED void next(__m128i x[4], int group) {
    __m128i x0 = x[group % 4], x1 = x[(group + 1) % 4], x2 = x[(group + 2) % 4];
    __m128i x3 = x[(group + 3) % 4];
    __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(x0, x1), _mm_alignr_epi8(x3, x2, 4));
    x[group % 4] = _mm_sha256msg2_epu32(sum, x3);
}

/* Four rounds. */
INLINED void rounds(__m128i *abef, __m128i *cdgh, __m128i wk) {
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, wk);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

INLINED void blocks_of(uint32_t *state, const uint8_t *const *at, size_t count, int rows) {
    __m128i abef[MOST], cdgh[MOST];
    /* From a b c d, e f g h to the instructions' order, in which the first word is the highest. */
    UNROLLED for (int r = 0; r < rows; r++) {
        const __m128i *h = (const __m128i *)(state + WORDS * r);
        __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128(h), 0xb1);
        __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(h + 1), 0x1b);
        abef[r] = _mm_alignr_epi8(abcd, efgh, 8);
        cdgh[r] = _mm_blend_epi16(efgh, abcd, 0xf0);
    }
    for (size_t b = 0; b < count; b++) {
        __m128i abef_before[MOST], cdgh_before[MOST], x[MOST][4];
        UNROLLED for (int r = 0; r < rows; r++) {
            abef_before[r] = abef[r];
            cdgh_before[r] = cdgh[r];
        }
        UNROLLED for (int group = 0; group < 16; group++) {
            const __m128i k = _mm_load_si128((const __m128i *)(cupel_sha256_k + 4 * group));
            UNROLLED for (int r = 0; r < rows; r++) {
                __m128i *words = &x[r][group % 4];
                if (group < 4)
                    *words = load(at[r] + 64 * b + 16 * (size_t)group);
                else
                    next(x[r], group);
                IN_MEMORY(*words);
                rounds(&abef[r], &cdgh[r], _mm_add_epi32(*words, k));
            }
        }
        UNROLLED for (int r = 0; r < rows; r++) {
            abef[r] = _mm_add_epi32(abef[r], abef_before[r]);
            cdgh[r] = _mm_add_epi32(cdgh[r], cdgh_before[r]);
        }
    }
    UNROLLED for (int r = 0; r < rows; r++) {
        __m128i *h = (__m128i *)(state + WORDS * r);
        __m128i feba = _mm_shuffle_epi32(abef[r], 0x1b);
        __m128i dchg = _mm_shuffle_epi32(cdgh[r], 0xb1);
        _mm_storeu_si128(h, _mm_blend_epi16(feba, dchg, 0xf0));
        _mm_storeu_si128(h + 1, _mm_alignr_epi8(dchg, feba, 8));
    }
}

TURNS_OF(sha256)
