/* sha256_lanes.h: SHA-256 of N messages side by side, the same source for every instruction set.
 * The including file first includes lanes_avx2.h or its equivalent. Bounds and measurements:
 * docs/kernels.md. */
#include "sha256_many.h"

#define SIGMA0(x) XOR3(ROTR(x, 2), ROTR(x, 13), ROTR(x, 22))
#define SIGMA1(x) XOR3(ROTR(x, 6), ROTR(x, 11), ROTR(x, 25))
#define sigma0(x) XOR3(ROTR(x, 7), ROTR(x, 18), SHR(x, 3))
#define sigma1(x) XOR3(ROTR(x, 17), ROTR(x, 19), SHR(x, 10))

#define ROUND(a, b, c, d, e, f, g, h, wk)                                                          \
    do {                                                                                           \
        h = ADD(ADD(h, wk), ADD(SIGMA1(e), CH(e, f, g)));                                          \
        d = ADD(d, h);                                                                             \
        h = ADD(h, ADD(SIGMA0(a), MAJ(a, b, c)));                                                  \
    } while (0)

#define EIGHT_ROUNDS(i, WK)                                                                        \
    do {                                                                                           \
        ROUND(a, b, c, d, e, f, g, h, WK((i) + 0));                                                \
        ROUND(h, a, b, c, d, e, f, g, WK((i) + 1));                                                \
        ROUND(g, h, a, b, c, d, e, f, WK((i) + 2));                                                \
        ROUND(f, g, h, a, b, c, d, e, WK((i) + 3));                                                \
        ROUND(e, f, g, h, a, b, c, d, WK((i) + 4));                                                \
        ROUND(d, e, f, g, h, a, b, c, WK((i) + 5));                                                \
        ROUND(c, d, e, f, g, h, a, b, WK((i) + 6));                                                \
        ROUND(b, c, d, e, f, g, h, a, WK((i) + 7));                                                \
    } while (0)

#define STATE(state)                                                                               \
    lanes a = GET(state), b = GET(state + N), c = GET(state + 2 * N), d = GET(state + 3 * N);      \
    lanes e = GET(state + 4 * N), f = GET(state + 5 * N), g = GET(state + 6 * N),                  \
          h = GET(state + 7 * N)
#define ADD_STATE(state)                                                                           \
    do {                                                                                           \
        SET(state, a = ADD(a, GET(state)));                                                        \
        SET(state + N, b = ADD(b, GET(state + N)));                                                \
        SET(state + 2 * N, c = ADD(c, GET(state + 2 * N)));                                        \
        SET(state + 3 * N, d = ADD(d, GET(state + 3 * N)));                                        \
        SET(state + 4 * N, e = ADD(e, GET(state + 4 * N)));                                        \
        SET(state + 5 * N, f = ADD(f, GET(state + 5 * N)));                                        \
        SET(state + 6 * N, g = ADD(g, GET(state + 6 * N)));                                        \
        SET(state + 7 * N, h = ADD(h, GET(state + 7 * N)));                                        \
    } while (0)

/* Words 0 to 15 are those of the blocks; each later word replaces the one 16 before it. */
#define FIRST(i) ADD(w[i], EACH(k[i]))
#define NEXT(i)                                                                                    \
    ADD(w[i] = ADD(ADD(w[i], sigma0(w[((i) + 1) % 16])),                                           \
                   ADD(w[((i) + 9) % 16], sigma1(w[((i) + 14) % 16]))),                            \
        EACH(k[i]))

void ISA(cupel_sha256_lanes)(uint32_t *state, const uint8_t *const *at, size_t count) {
    STATE(state);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *k = cupel_sha256_k;
        lanes w[16];
        load(w, at, 64 * i);
        load(w + 4, at, 64 * i + 16);
        load(w + 8, at, 64 * i + 32);
        load(w + 12, at, 64 * i + 48);
        EIGHT_ROUNDS(0, FIRST);
        EIGHT_ROUNDS(8, FIRST);
        for (int turn = 0; turn < 3; turn++) {
            k += 16;
            EIGHT_ROUNDS(0, NEXT);
            EIGHT_ROUNDS(8, NEXT);
        }
        ADD_STATE(state);
    }
}

#define GIVEN(i) EACH(wk[i])

void ISA(cupel_sha256_same)(uint32_t *state, const uint32_t *wk) {
    STATE(state);
    for (int i = 0; i < 64; i += 8, wk += 8)
        EIGHT_ROUNDS(0, GIVEN);
    ADD_STATE(state);
}
