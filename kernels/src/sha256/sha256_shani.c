/* sha256_shani.c: SHA-256 with the SHA extensions. sha256rnds2 computes two rounds on the state as
 * the pairs ABEF and CDGH; sha256msg1 and sha256msg2 compute sigma0 and sigma1 of four words. */
#include "sha256.h"

#include <immintrin.h>

static inline __m128i constants(int group) {
    return _mm_load_si128((const __m128i *)(cupel_sha256_k + 4 * group));
}

/* Four rounds on words w of the schedule. */
static inline void rounds(__m128i *abef, __m128i *cdgh, __m128i w, int group) {
    __m128i wk = _mm_add_epi32(w, constants(group));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, wk);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

/* The four words after x3, from the 16 in x0 to x3. */
static inline __m128i next(__m128i x0, __m128i x1, __m128i x2, __m128i x3) {
    __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(x0, x1), _mm_alignr_epi8(x3, x2, 4));
    return _mm_sha256msg2_epu32(sum, x3);
}

static inline __m128i load(const uint8_t *block, int group) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * group)), swap);
}

void cupel_sha256_shani(uint32_t h[8], const uint8_t *blocks, size_t count, const uint8_t *tail,
                        size_t tail_count) {
    /* From a b c d, e f g h to the instructions' order, in which the first word is the highest. */
    __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)h), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(h + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);

    for (size_t i = 0; i < count + tail_count; i++) {
        const uint8_t *block = i < count ? blocks + 64 * i : tail + 64 * (i - count);
        __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i x0 = load(block, 0), x1 = load(block, 1), x2 = load(block, 2), x3 = load(block, 3);
        rounds(&abef, &cdgh, x0, 0);
        rounds(&abef, &cdgh, x1, 1);
        rounds(&abef, &cdgh, x2, 2);
        rounds(&abef, &cdgh, x3, 3);
        for (int group = 4; group < 16; group += 4) {
            x0 = next(x0, x1, x2, x3);
            rounds(&abef, &cdgh, x0, group);
            x1 = next(x1, x2, x3, x0);
            rounds(&abef, &cdgh, x1, group + 1);
            x2 = next(x2, x3, x0, x1);
            rounds(&abef, &cdgh, x2, group + 2);
            x3 = next(x3, x0, x1, x2);
            rounds(&abef, &cdgh, x3, group + 3);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }

    __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)h, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}
