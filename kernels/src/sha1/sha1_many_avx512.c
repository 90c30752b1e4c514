/* sha1_many_avx512.c: SHA-1 of 16 messages side by side with AVX-512, word j of every register that
 * of lane j. Bounds and measurements: docs/kernels.md. */
#include "sha1_many.h"

#include <immintrin.h>

enum { N = 16 };
typedef __m512i lanes;
#define ADD(x, y)     _mm512_add_epi32(x, y)
#define EACH(x)       _mm512_set1_epi32((int)(x))
#define XOR(x, y)     _mm512_xor_si512(x, y)
#define XOR3(x, y, z) _mm512_ternarylogic_epi32(x, y, z, 0x96)
#define CH(x, y, z)   _mm512_ternarylogic_epi32(x, y, z, 0xca)
#define MAJ(x, y, z)  _mm512_ternarylogic_epi32(x, y, z, 0xe8)
#define ROTR(x, n)    _mm512_ror_epi32(x, n)
#define GET(p)        _mm512_load_si512(p)
#define SET(p, x)     _mm512_store_si512(p, x)
#define ROTL(x, n)    ROTR(x, 32 - (n))
#define PARITY        XOR3

/* Words 4 g to 4 g + 3 of every lane's block, one register a word. Quarter s of register j first
 * holds 16 bytes of lane 4 s + j, so that the transposition stays within the quarters. */
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

#define ROUND(F, a, b, c, d, e, wk)                                                                \
    do {                                                                                           \
        e = ADD(ADD(e, wk), ADD(F(b, c, d), ROTL(a, 5)));                                          \
        b = ROTL(b, 30);                                                                           \
    } while (0)

#define FIVE_ROUNDS(F, i, WK)                                                                      \
    do {                                                                                           \
        ROUND(F, a, b, c, d, e, WK((i) + 0));                                                      \
        ROUND(F, e, a, b, c, d, WK((i) + 1));                                                      \
        ROUND(F, d, e, a, b, c, WK((i) + 2));                                                      \
        ROUND(F, c, d, e, a, b, WK((i) + 3));                                                      \
        ROUND(F, b, c, d, e, a, WK((i) + 4));                                                      \
    } while (0)

#define TWENTY_ROUNDS(F, i, WK)                                                                    \
    do {                                                                                           \
        FIVE_ROUNDS(F, i, WK);                                                                     \
        FIVE_ROUNDS(F, (i) + 5, WK);                                                               \
        FIVE_ROUNDS(F, (i) + 10, WK);                                                              \
        FIVE_ROUNDS(F, (i) + 15, WK);                                                              \
    } while (0)

#define STATE(state)                                                                               \
    lanes a = GET(state), b = GET(state + N), c = GET(state + 2 * N), d = GET(state + 3 * N);      \
    lanes e = GET(state + 4 * N)
#define ADD_STATE(state)                                                                           \
    do {                                                                                           \
        SET(state, a = ADD(a, GET(state)));                                                        \
        SET(state + N, b = ADD(b, GET(state + N)));                                                \
        SET(state + 2 * N, c = ADD(c, GET(state + 2 * N)));                                        \
        SET(state + 3 * N, d = ADD(d, GET(state + 3 * N)));                                        \
        SET(state + 4 * N, e = ADD(e, GET(state + 4 * N)));                                        \
    } while (0)

/* Words 0 to 15 are the blocks'; from then on each takes the place of the one 16 before it. */
#define K(i)     EACH(cupel_sha1_k[(i) / 20])
#define FIRST(i) ADD(w[i], K(i))
#define NEXT(i)                                                                                    \
    ADD(w[(i) % 16] = ROTL(                                                                        \
            XOR3(w[((i) + 13) % 16], w[((i) + 8) % 16], XOR(w[((i) + 2) % 16], w[(i) % 16])), 1),  \
        K(i))

void cupel_sha1_lanes_avx512(uint32_t *state, const uint8_t *const *at, size_t count) {
    STATE(state);
    for (size_t i = 0; i < count; i++) {
        lanes w[16];
        load(w, at, 64 * i);
        load(w + 4, at, 64 * i + 16);
        load(w + 8, at, 64 * i + 32);
        load(w + 12, at, 64 * i + 48);
        FIVE_ROUNDS(CH, 0, FIRST);
        FIVE_ROUNDS(CH, 5, FIRST);
        FIVE_ROUNDS(CH, 10, FIRST);
        ROUND(CH, a, b, c, d, e, FIRST(15));
        ROUND(CH, e, a, b, c, d, NEXT(16));
        ROUND(CH, d, e, a, b, c, NEXT(17));
        ROUND(CH, c, d, e, a, b, NEXT(18));
        ROUND(CH, b, c, d, e, a, NEXT(19));
        TWENTY_ROUNDS(PARITY, 20, NEXT);
        TWENTY_ROUNDS(MAJ, 40, NEXT);
        TWENTY_ROUNDS(PARITY, 60, NEXT);
        ADD_STATE(state);
    }
}

#define GIVEN(i) EACH(wk[i])

void cupel_sha1_same_avx512(uint32_t *state, const uint32_t *wk) {
    STATE(state);
    TWENTY_ROUNDS(CH, 0, GIVEN);
    TWENTY_ROUNDS(PARITY, 20, GIVEN);
    TWENTY_ROUNDS(MAJ, 40, GIVEN);
    TWENTY_ROUNDS(PARITY, 60, GIVEN);
    ADD_STATE(state);
}
