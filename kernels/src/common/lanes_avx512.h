/* lanes_avx512.h: sixteen lanes of 32 bits in an AVX-512 register; word j of every register belongs
 * to lane j. */
#ifndef CUPEL_LANES_AVX512_H
#define CUPEL_LANES_AVX512_H

#include "bytes.h"

#include <immintrin.h>

enum { N = 16, REGISTERS = 32 };
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
/* The value is computed here: sums stay in the order in which they are written, which is that in
 * which their terms are ready. gcc would otherwise reassociate them
 * (kernels/NOTES.md). */
#define KEEP(x)       __asm__("" : "+v"(x))
#define GET(p)        _mm512_load_si512(p)
#define SET(p, x)     _mm512_store_si512(p, x)
#define SHORT_CODE    0 /* not measured with AVX-512 */

/* Loads every lane's block, one register for each word. A whole block at a time: messages may lie
 * so that their blocks compete for one set of the cache, and then each is read just once. */
INLINED void load(__m512i w[16], const uint8_t *const *at, size_t offset) {
    const __m512i swap =
        _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
    __m512i u[4][4]; /* quarter s of u[q][i]: word 4 s + i of lanes 4 q to 4 q + 3 */
    UNROLLED for (int q = 0; q < 4; q++) {
        __m512i r[4];
        UNROLLED for (int j = 0; j < 4; j++) r[j] =
            _mm512_shuffle_epi8(_mm512_loadu_si512(at[4 * q + j] + offset), swap);
        __m512i t0 = _mm512_unpacklo_epi32(r[0], r[1]), t1 = _mm512_unpackhi_epi32(r[0], r[1]);
        __m512i t2 = _mm512_unpacklo_epi32(r[2], r[3]), t3 = _mm512_unpackhi_epi32(r[2], r[3]);
        u[q][0] = _mm512_unpacklo_epi64(t0, t2);
        u[q][1] = _mm512_unpackhi_epi64(t0, t2);
        u[q][2] = _mm512_unpacklo_epi64(t1, t3);
        u[q][3] = _mm512_unpackhi_epi64(t1, t3);
    }
    UNROLLED for (int i = 0; i < 4; i++) {
        __m512i even01 = _mm512_shuffle_i32x4(u[0][i], u[1][i], 0x88);
        __m512i odd01 = _mm512_shuffle_i32x4(u[0][i], u[1][i], 0xdd);
        __m512i even23 = _mm512_shuffle_i32x4(u[2][i], u[3][i], 0x88);
        __m512i odd23 = _mm512_shuffle_i32x4(u[2][i], u[3][i], 0xdd);
        w[i] = _mm512_shuffle_i32x4(even01, even23, 0x88);
        w[4 + i] = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
        w[8 + i] = _mm512_shuffle_i32x4(even01, even23, 0xdd);
        w[12 + i] = _mm512_shuffle_i32x4(odd01, odd23, 0xdd);
    }
}

#endif
