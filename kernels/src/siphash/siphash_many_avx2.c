/* siphash_many_avx2.c: SipHash of four messages side by side with AVX2. Rotations by 16 and 32 bits
 * take one shuffle, the others two shifts. */
#include <immintrin.h>
#include <stdint.h>

typedef __m256i lanes;
enum { LANES = 4, TURN = 2 };
#define CODE      cupel_siphash_avx2
#define ADD(x, y) _mm256_add_epi64(x, y)
#define XOR(x, y) _mm256_xor_si256(x, y)
#define OR(x, y)  _mm256_or_si256(x, y)
#define SHR(x, n) _mm256_srl_epi64(x, _mm_cvtsi32_si128((int)(n)))
#define EACH(x)   _mm256_set1_epi64x((long long)(x))
#define GET(p)    _mm256_load_si256((const __m256i *)(p))
#define SET(p, x) _mm256_store_si256((__m256i *)(p), x)
#define PUT(p, x) _mm256_storeu_si256((__m256i *)(p), x)

static inline lanes ROTL(lanes x, int n) {
    const __m256i by_16 =
        _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0d0c0b0a09080f0e, 0x0504030201000706));
    if (n == 32)
        return _mm256_shuffle_epi32(x, 0xb1);
    if (n == 16)
        return _mm256_shuffle_epi8(x, by_16);
    return _mm256_or_si256(_mm256_slli_epi64(x, n), _mm256_srli_epi64(x, 64 - n));
}

static inline lanes WHERE(lanes x, uint64_t n, lanes y, lanes z) {
    return _mm256_blendv_epi8(z, y, _mm256_cmpeq_epi64(x, EACH(n)));
}

static inline lanes GATHER(const uint8_t *const *at, size_t offset) {
#define PAIR(i)                                                                                    \
    _mm_castpd_si128(                                                                              \
        _mm_loadh_pd(_mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)(at[i] + offset))),         \
                     (const double *)(const void *)(at[(i) + 1] + offset)))
    return _mm256_inserti128_si256(_mm256_castsi128_si256(PAIR(0)), PAIR(2), 1);
}

/* Loads 16 bytes of each lane, even lanes into one register and odd lanes into the other, so that
 * one interleaving puts all words in order. */
static inline void WORDS(lanes w[TURN], const uint8_t *const *at, size_t offset) {
#define PIECE(j) _mm_loadu_si128((const __m128i *)(at[j] + offset))
    lanes even = _mm256_inserti128_si256(_mm256_castsi128_si256(PIECE(0)), PIECE(2), 1);
    lanes odd = _mm256_inserti128_si256(_mm256_castsi128_si256(PIECE(1)), PIECE(3), 1);
    w[0] = _mm256_unpacklo_epi64(even, odd);
    w[1] = _mm256_unpackhi_epi64(even, odd);
}

#include "siphash_lanes.h"
