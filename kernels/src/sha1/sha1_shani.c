/* sha1_shani.c: SHA-1 with the SHA extensions. sha1rnds4 computes four rounds on abcd; sha1nexte
 * derives the next e from the previous a and adds it to the words; sha1msg1 and sha1msg2 compute
 * the schedule. */
#include "sha1.h"

#include <immintrin.h>

/* Four rounds with f and k number stage, on words w. Before, e holds the a of before the previous
 * rounds; afterwards, the a with which these rounds began. */
#define ROUNDS(stage, w)                                                                           \
    do {                                                                                           \
        __m128i e_and_words = _mm_sha1nexte_epu32(e, w);                                           \
        e = abcd;                                                                                  \
        abcd = _mm_sha1rnds4_epu32(abcd, e_and_words, stage);                                      \
    } while (0)

/* x0 becomes the four words after x3. */
#define NEXT(x0, x1, x2, x3)                                                                       \
    (x0 = _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(x0, x1), x2), x3))

static inline __m128i load(const uint8_t *block, int group) {
    const __m128i swap = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * group)), swap);
}

void cupel_sha1_shani(uint32_t h[5], const uint8_t *blocks, size_t count, const uint8_t *tail,
                      size_t tail_count) {
    __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)h), 0x1b);
    __m128i e = _mm_set_epi32((int)h[4], 0, 0, 0);

    for (size_t i = 0; i < count + tail_count; i++) {
        const uint8_t *block = i < count ? blocks + 64 * i : tail + 64 * (i - count);
        __m128i abcd_before = abcd, e_before = e;
        __m128i x0 = load(block, 0), x1 = load(block, 1), x2 = load(block, 2), x3 = load(block, 3);

        /* The first e is given and not derived from an a. */
        __m128i with_e = _mm_add_epi32(e, x0);
        e = abcd;
        abcd = _mm_sha1rnds4_epu32(abcd, with_e, 0);
        ROUNDS(0, x1);
        ROUNDS(0, x2);
        ROUNDS(0, x3);
        NEXT(x0, x1, x2, x3);
        ROUNDS(0, x0);
        NEXT(x1, x2, x3, x0);
        ROUNDS(1, x1);
        NEXT(x2, x3, x0, x1);
        ROUNDS(1, x2);
        NEXT(x3, x0, x1, x2);
        ROUNDS(1, x3);
        NEXT(x0, x1, x2, x3);
        ROUNDS(1, x0);
        NEXT(x1, x2, x3, x0);
        ROUNDS(1, x1);
        NEXT(x2, x3, x0, x1);
        ROUNDS(2, x2);
        NEXT(x3, x0, x1, x2);
        ROUNDS(2, x3);
        NEXT(x0, x1, x2, x3);
        ROUNDS(2, x0);
        NEXT(x1, x2, x3, x0);
        ROUNDS(2, x1);
        NEXT(x2, x3, x0, x1);
        ROUNDS(2, x2);
        NEXT(x3, x0, x1, x2);
        ROUNDS(3, x3);
        NEXT(x0, x1, x2, x3);
        ROUNDS(3, x0);
        NEXT(x1, x2, x3, x0);
        ROUNDS(3, x1);
        NEXT(x2, x3, x0, x1);
        ROUNDS(3, x2);
        NEXT(x3, x0, x1, x2);
        ROUNDS(3, x3);

        e = _mm_sha1nexte_epu32(e, e_before);
        abcd = _mm_add_epi32(abcd, abcd_before);
    }

    _mm_storeu_si128((__m128i *)h, _mm_shuffle_epi32(abcd, 0x1b));
    h[4] = (uint32_t)_mm_extract_epi32(e, 3);
}
