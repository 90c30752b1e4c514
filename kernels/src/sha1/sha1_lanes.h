/* sha1_lanes.h: SHA-1 of N messages side by side, the same source for every instruction set. The
 * including file first includes lanes_avx2.h or its equivalent. Bounds and measurements:
 * docs/kernels.md. */
#include "sha1_many.h"

#define ROTL(x, n) ROTR(x, 32 - (n))
#define PARITY     XOR3

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

/* Words 0 to 15 are those of the blocks; each later word replaces the one 16 before it. */
#define K(i)     EACH(cupel_sha1_k[(i) / 20])
#define FIRST(i) ADD(w[i], K(i))
#define NEXT(i)                                                                                    \
    ADD(w[(i) % 16] = ROTL(                                                                        \
            XOR3(w[((i) + 13) % 16], w[((i) + 8) % 16], XOR(w[((i) + 2) % 16], w[(i) % 16])), 1),  \
        K(i))

void ISA(cupel_sha1_lanes)(uint32_t *state, const uint8_t *const *at, size_t count) {
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

void ISA(cupel_sha1_same)(uint32_t *state, const uint32_t *wk) {
    STATE(state);
    TWENTY_ROUNDS(CH, 0, GIVEN);
    TWENTY_ROUNDS(PARITY, 20, GIVEN);
    TWENTY_ROUNDS(MAJ, 40, GIVEN);
    TWENTY_ROUNDS(PARITY, 60, GIVEN);
    ADD_STATE(state);
}
