/* siphash_many_avx512.c: SipHash of eight messages side by side with AVX-512, which rotates in one
 * instruction. */
#include <immintrin.h>
#include <stdint.h>

typedef __m512i lanes;
enum { LANES = 8 };
#define CODE       cupel_siphash_avx512
#define ADD(x, y)  _mm512_add_epi64(x, y)
#define XOR(x, y)  _mm512_xor_si512(x, y)
#define ROTL(x, n) _mm512_rol_epi64(x, n)
#define EACH(x)    _mm512_set1_epi64((long long)(x))
#define GET(p)     _mm512_load_si512(p)
#define SET(p, x)  _mm512_store_si512(p, x)
#define PUT(p, x)  _mm512_storeu_si512(p, x)

static inline lanes GATHER(const uint8_t *const *at, size_t offset) {
#define PAIR(i)                                                                                    \
    _mm_castpd_si128(                                                                              \
        _mm_loadh_pd(_mm_castsi128_pd(_mm_loadl_epi64((const __m128i *)(at[i] + offset))),         \
                     (const double *)(const void *)(at[(i) + 1] + offset)))
    __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(PAIR(0)), PAIR(2), 1);
    __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(PAIR(4)), PAIR(6), 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

#include "siphash_lanes.h"
