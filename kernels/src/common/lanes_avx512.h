/* lanes_avx512.h: sixteen lanes of 32 bits in an AVX-512 register; word j of every register belongs
 * to lane j. */
#ifndef CUPEL_LANES_AVX512_H
#define CUPEL_LANES_AVX512_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

enum { N = 16 };
typedef __m512i lanes;
#define ISA(name)     name##_avx512
#define ADD(x, y)     _mm512_add_epi32(x, y)
#define EACH(x)       _mm512_set1_epi32((int)(x))
#define XOR(x, y)     _mm512_xor_si512(x, y)
#define XOR3(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0x96)
#define CH(x, y, z)   _mm512_ternarylogic_epi32(x, y, z, 0xca)
#define MAJ(x, y, z)  _mm512_ternarylogic_epi32(x, y, z, 0xe8)
#define SHR(x, n)     _mm512_srli_epi32(x, n)
#define ROTR(x, n)    _mm512_ror_epi32(x, n)
#define GET(p)        _mm512_load_si512(p)
#define SET(p, x)     _mm512_store_si512(p, x)

/* Loads words 4 g to 4 g + 3 of every lane's block, one register for each word. Quarter s of
 * register j first holds 16 bytes of lane 4 s + j, so that the transposition stays within the
 * quarters. */
static inline void load(__m512i w[4], const uint8_t *const *at, size_t offset) {
    const __m512i swap =
        _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
    __m512i r[4];
    for (int j = 0; j < 4; j++) {
#define PIECE(s) _mm_loadu_si128((const __m128i *)(at[4 * (s) + j] + offset))
        r[j] = _mm512_castsi128_si512(PIECE(0));
        r[j] = _mm512_mask_broadcast_i32x4(r[j], 0x00f0, PIECE(1));
        r[j] = _mm512_mask_broadcast_i32x4(r[j], 0x0f00, PIECE(2));
        r[j] = _mm512_mask_broadcast_i32x4(r[j], 0xf000, PIECE(3));
        r[j] = _mm512_shuffle_epi8(r[j], swap);
    }
    __m512i t0 = _mm512_unpacklo_epi32(r[0], r[1]), t1 = _mm512_unpackhi_epi32(r[0], r[1]);
    __m512i t2 = _mm512_unpacklo_epi32(r[2], r[3]), t3 = _mm512_unpackhi_epi32(r[2], r[3]);
    w[0] = _mm512_unpacklo_epi64(t0, t2);
    w[1] = _mm512_unpackhi_epi64(t0, t2);
    w[2] = _mm512_unpacklo_epi64(t1, t3);
    w[3] = _mm512_unpackhi_epi64(t1, t3);
}

#endif
