/* siphash_many_avx512.c: SipHash of eight messages side by side with AVX-512, which rotates in one
 * instruction. */
#include <immintrin.h>
#include <stdint.h>

typedef __m512i lanes;
enum { LANES = 8, TURN = 4 };
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

/* Loads 32 bytes of two messages with a masked broadcast, because it needs no shuffle: the CPU has
 * as few shuffle units as rotation units. Fewer bytes at a time would load a cache line more often,
 * which costs time if the messages' lines evict each other, for example at a distance of a page. */
static inline __m512i halves(const uint8_t *low, const uint8_t *high) {
    return _mm512_mask_broadcast_i64x4(
        _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)low)), 0xf0,
        _mm256_loadu_si256((const __m256i *)high));
}

/* The pairs of lanes are chosen so that the interleaving puts all words in order. */
static inline void WORDS(lanes w[TURN], const uint8_t *const *at, size_t offset) {
    __m512i r02 = halves(at[0] + offset, at[2] + offset);
    __m512i r13 = halves(at[1] + offset, at[3] + offset);
    __m512i r46 = halves(at[4] + offset, at[6] + offset);
    __m512i r57 = halves(at[5] + offset, at[7] + offset);
    __m512i even0 = _mm512_unpacklo_epi64(r02, r13), even4 = _mm512_unpacklo_epi64(r46, r57);
    __m512i odd0 = _mm512_unpackhi_epi64(r02, r13), odd4 = _mm512_unpackhi_epi64(r46, r57);
    w[0] = _mm512_shuffle_i64x2(even0, even4, 0x88);
    w[1] = _mm512_shuffle_i64x2(odd0, odd4, 0x88);
    w[2] = _mm512_shuffle_i64x2(even0, even4, 0xdd);
    w[3] = _mm512_shuffle_i64x2(odd0, odd4, 0xdd);
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
