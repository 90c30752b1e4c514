/* siphash_many_avx512.c: SipHash of eight messages side by side with AVX-512, which rotates in one
 * instruction. */
#include <immintrin.h>
#include <stdint.h>

typedef __m512i lanes;
enum { LANES = 8 };
#define CODE       cupel_siphash_avx512
#define ADD(x, y)  _mm512_add_epi64(x, y)
#define XOR(x, y)  _mm512_xor_si512(x, y)
#define OR(x, y)   _mm512_or_si512(x, y)
#define ROTL(x, n) _mm512_rol_epi64(x, n)
#define SHR(x, n)  _mm512_srl_epi64(x, _mm_cvtsi32_si128((int)(n)))
#define EACH(x)    _mm512_set1_epi64((long long)(x))
#define GET(p)     _mm512_load_si512(p)
#define SET(p, x)  _mm512_store_si512(p, x)
#define PUT(p, x)  _mm512_storeu_si512(p, x)

/* 16 bytes of lane j; even lanes in one register and odd ones in the other, so that one
 * interleaving puts all in order. A masked broadcast from memory takes no shuffle, which are as
 * rare as rotations. */
static inline __m512i pieces(const uint8_t *const *at, size_t offset) {
#define PIECE(j) _mm_loadu_si128((const __m128i *)(at[j] + offset))
    __m512i r = _mm512_castsi128_si512(PIECE(0));
    r = _mm512_mask_broadcast_i32x4(r, 0x00f0, PIECE(2));
    r = _mm512_mask_broadcast_i32x4(r, 0x0f00, PIECE(4));
    return _mm512_mask_broadcast_i32x4(r, 0xf000, PIECE(6));
}

static inline void TWO_WORDS(lanes w[2], const uint8_t *const *at, size_t offset) {
    __m512i even = pieces(at, offset), odd = pieces(at + 1, offset);
    w[0] = _mm512_unpacklo_epi64(even, odd);
    w[1] = _mm512_unpackhi_epi64(even, odd);
}

static inline lanes WHERE(lanes x, uint64_t n, lanes y, lanes z) {
    return _mm512_mask_mov_epi64(z, _mm512_cmpeq_epi64_mask(x, EACH(n)), y);
}

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
