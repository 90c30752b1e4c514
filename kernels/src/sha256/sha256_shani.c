/* sha256_shani.c: SHA-256 with the SHA extensions. sha256rnds2 computes two rounds on the state as
 * the pairs ABEF and CDGH; sha256msg1 and sha256msg2 compute sigma0 and sigma1 of four words. */
#include "sha256.h"

#include <immintrin.h>

INLINED __m128i constants(int group) {
    return _mm_load_si128((const __m128i *)(cupel_sha256_k + 4 * group));
}

/* Four rounds on words w of the schedule. */
INLINED void rounds(__m128i *abef, __m128i *cdgh, __m128i w, int group) {
    __m128i wk = _mm_add_epi32(w, constants(group));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, wk);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

/* The four words after x3, from the 16 in x0 to x3. */
INLINED __m128i next(__m128i x0, __m128i x1, __m128i x2, __m128i x3) {
    __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(x0, x1), _mm_alignr_epi8(x3, x2, 4));
    return _mm_sha256msg2_epu32(sum, x3);
}

/* Words of which the bytes are in the other order. */
INLINED __m128i swapped(__m128i words) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(words, swap);
}

INLINED __m128i load(const uint8_t *block, int group) {
    return swapped(_mm_loadu_si128((const __m128i *)(block + 16 * group)));
}

/* A state in the instructions' order, in which the first word is the highest. */
typedef struct state {
    __m128i abef, cdgh;
} state;

INLINED state get(const uint32_t h[8]) {
    __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)h), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(h + 4)), 0x1b);
    return (state){_mm_alignr_epi8(abcd, efgh, 8), _mm_blend_epi16(efgh, abcd, 0xf0)};
}

/* The words a b c d, if half is 0, or e f g h. */
INLINED __m128i words(state s, int half) {
    __m128i feba = _mm_shuffle_epi32(s.abef, 0x1b);
    __m128i dchg = _mm_shuffle_epi32(s.cdgh, 0xb1);
    return half ? _mm_alignr_epi8(dchg, feba, 8) : _mm_blend_epi16(feba, dchg, 0xf0);
}

INLINED state sum(state s, state before) {
    return (state){_mm_add_epi32(s.abef, before.abef), _mm_add_epi32(s.cdgh, before.cdgh)};
}

INLINED state compressed(state s, const uint8_t *block) {
    state before = s;
    __m128i x0 = load(block, 0), x1 = load(block, 1), x2 = load(block, 2), x3 = load(block, 3);
    rounds(&s.abef, &s.cdgh, x0, 0);
    rounds(&s.abef, &s.cdgh, x1, 1);
    rounds(&s.abef, &s.cdgh, x2, 2);
    rounds(&s.abef, &s.cdgh, x3, 3);
    for (int group = 4; group < 16; group += 4) {
        x0 = next(x0, x1, x2, x3);
        rounds(&s.abef, &s.cdgh, x0, group);
        x1 = next(x1, x2, x3, x0);
        rounds(&s.abef, &s.cdgh, x1, group + 1);
        x2 = next(x2, x3, x0, x1);
        rounds(&s.abef, &s.cdgh, x2, group + 2);
        x3 = next(x3, x0, x1, x2);
        rounds(&s.abef, &s.cdgh, x3, group + 3);
    }
    return sum(s, before);
}

void cupel_sha256_shani(uint32_t h[8], const uint8_t *blocks, size_t count, const uint8_t *tail,
                        size_t tail_count) {
    state s = get(h);
    for (size_t i = 0; i < count + tail_count; i++)
        s = compressed(s, i < count ? blocks + 64 * i : tail + 64 * (i - count));
    _mm_storeu_si128((__m128i *)h, words(s, 0));
    _mm_storeu_si128((__m128i *)(h + 4), words(s, 1));
}

void cupel_sha256_shani_block(uint8_t digest[CUPEL_SHA256_DIGEST],
                              const uint8_t message[SHA_BLOCK]) {
    state s = compressed(get(cupel_sha256_start), message), before = s;
    for (int group = 0; group < 16; group++) {
        /* Both halves come from memory, so that no shuffle delays a round. */
        const uint32_t *wk = cupel_sha256_padding + 4 * group;
        s.cdgh = _mm_sha256rnds2_epu32(s.cdgh, s.abef, _mm_load_si128((const __m128i *)wk));
        s.abef = _mm_sha256rnds2_epu32(s.abef, s.cdgh, _mm_loadl_epi64((const __m128i *)(wk + 2)));
    }
    s = sum(s, before);
    _mm_storeu_si128((__m128i *)digest, swapped(words(s, 0)));
    _mm_storeu_si128((__m128i *)(digest + 16), swapped(words(s, 1)));
}
