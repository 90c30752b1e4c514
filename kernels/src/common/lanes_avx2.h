/* lanes_avx2.h: eight lanes of 32 bits in an AVX2 register; word j of every register belongs to
 * lane j. Operations for which AVX-512 has one instruction are composed of several here. */
#ifndef CUPEL_LANES_AVX2_H
#define CUPEL_LANES_AVX2_H

#include "bytes.h"
#include "cpu.h"

#include <immintrin.h>

enum { N = 8, REGISTERS = 16 };
typedef __m256i lanes;
#define ISA(name)     name##_avx2
#define ADD(x, y)     _mm256_add_epi32(x, y)
#define EACH(x)       _mm256_set1_epi32((int)(x))
#define XOR(x, y)     _mm256_xor_si256(x, y)
#define XOR3(x, y, z) XOR(XOR(x, y), z)
#define CH(x, y, z)   XOR(_mm256_and_si256(XOR(y, z), x), z)
#define MAJ(x, y, z)  XOR(_mm256_and_si256(XOR(x, y), XOR(y, z)), y)
#define SHR(x, n)     _mm256_srli_epi32(x, n)
#define ROTR(x, n)    XOR(SHR(x, n), _mm256_slli_epi32(x, 32 - (n)))
/* The value is computed here: sums stay in the order in which they are written, which is that in
 * which their terms are ready. gcc would otherwise reassociate them
 * (kernels/NOTES.md). */
#define KEEP(x)       __asm__("" : "+x"(x))
#define GET(p)        _mm256_load_si256((const __m256i *)(p))
#define SET(p, x)     _mm256_store_si256((__m256i *)(p), x)
#define SHORT_CODE    (cupel_cpu() & CUPEL_CPU_SHORT_CODE)

/* Loads every lane's block, one register for each word. Half s of register j first holds 16 bytes
 * of lane 4 s + j, so that the transposition stays within the halves. */
INLINED void load(__m256i w[16], const uint8_t *const *at, size_t offset) {
    const __m256i swap =
        _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203));
    UNROLLED for (int g = 0; g < 16; g += 4) {
        __m256i r[4];
        UNROLLED for (int j = 0; j < 4; j++) {
#define PIECE(s) _mm_loadu_si128((const __m128i *)(at[4 * (s) + j] + offset + 4 * g))
            r[j] = _mm256_inserti128_si256(_mm256_castsi128_si256(PIECE(0)), PIECE(1), 1);
            r[j] = _mm256_shuffle_epi8(r[j], swap);
        }
        __m256i t0 = _mm256_unpacklo_epi32(r[0], r[1]), t1 = _mm256_unpackhi_epi32(r[0], r[1]);
        __m256i t2 = _mm256_unpacklo_epi32(r[2], r[3]), t3 = _mm256_unpackhi_epi32(r[2], r[3]);
        w[g] = _mm256_unpacklo_epi64(t0, t2);
        w[g + 1] = _mm256_unpackhi_epi64(t0, t2);
        w[g + 2] = _mm256_unpacklo_epi64(t1, t3);
        w[g + 3] = _mm256_unpackhi_epi64(t1, t3);
    }
}

#endif
