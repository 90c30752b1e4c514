/* siphash_lanes.h: SipHash on lanes, the same text for every instruction set. The file that
 * includes it says what a vector of LANES words of 64 bits is: lanes, ADD, XOR, ROTL, EACH (one
 * word in every lane), GATHER(at, offset) (lane j's word at at[j] + offset), GET, SET, and CODE,
 * the name. */
#include "siphash.h"

#define ROUND                                                                                      \
    do {                                                                                           \
        v0 = ADD(v0, v1);                                                                          \
        v2 = ADD(v2, v3);                                                                          \
        v1 = XOR(ROTL(v1, 13), v0);                                                                \
        v3 = XOR(ROTL(v3, 16), v2);                                                                \
        v0 = ROTL(v0, 32);                                                                         \
        v2 = ADD(v2, v1);                                                                          \
        v0 = ADD(v0, v3);                                                                          \
        v1 = XOR(ROTL(v1, 17), v2);                                                                \
        v3 = XOR(ROTL(v3, 21), v0);                                                                \
        v2 = ROTL(v2, 32);                                                                         \
    } while (0)

/* n rounds. n is a constant for the common pairs of c and d: they become a straight line, which gcc
 * at -O2 would not make of the loop. */
#define ROUNDS(n)                                                                                  \
    do {                                                                                           \
        if ((n) == 1) {                                                                            \
            ROUND;                                                                                 \
        } else if ((n) == 2) {                                                                     \
            ROUND;                                                                                 \
            ROUND;                                                                                 \
        } else if ((n) == 3) {                                                                     \
            ROUND;                                                                                 \
            ROUND;                                                                                 \
            ROUND;                                                                                 \
        } else if ((n) == 4) {                                                                     \
            ROUND;                                                                                 \
            ROUND;                                                                                 \
            ROUND;                                                                                 \
            ROUND;                                                                                 \
        } else {                                                                                   \
            for (unsigned left = (n); left != 0; left--)                                           \
                ROUND;                                                                             \
        }                                                                                          \
    } while (0)

#define ABSORB(word)                                                                               \
    do {                                                                                           \
        lanes m = (word);                                                                          \
        v3 = XOR(v3, m);                                                                           \
        ROUNDS(c);                                                                                 \
        v0 = XOR(v0, m);                                                                           \
    } while (0)

/* Inlined once for each common pair of c and d, so that their loops become straight lines. */
static inline __attribute__((always_inline)) void any_row(uint8_t *tags, int wide, unsigned c,
                                                          unsigned d, const uint64_t start[4],
                                                          const uint8_t *const *at, size_t length) {
    lanes v0 = EACH(start[0]), v1 = EACH(start[1]), v2 = EACH(start[2]), v3 = EACH(start[3]);
    size_t whole = length & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8)
        ABSORB(GATHER(at, i));
    if (length == whole) {
        ABSORB(EACH((uint64_t)length << 56));
    } else {
        _Alignas(64) uint64_t last[LANES];
        for (size_t j = 0; j < LANES; j++)
            last[j] = sip_last_word(at[j] + whole, length);
        ABSORB(GET(last));
    }
    v2 = XOR(v2, EACH(wide ? SIP_LONG_END : SIP_END));
    ROUNDS(d);
    lanes tag = XOR(XOR(v0, v1), XOR(v2, v3));
    if (!wide) {
        PUT(tags, tag);
        return;
    }
    v1 = XOR(v1, EACH(SIP_LONG_END2));
    ROUNDS(d);
    _Alignas(64) uint64_t low[LANES], high[LANES];
    SET(low, tag);
    SET(high, XOR(XOR(v0, v1), XOR(v2, v3)));
    for (size_t j = 0; j < LANES; j++) {
        store_le64(tags + 16 * j, low[j]);
        store_le64(tags + 16 * j + 8, high[j]);
    }
}

static void row(uint8_t *tags, int wide, unsigned c, unsigned d, const uint64_t start[4],
                const uint8_t *const *at, size_t length) {
    if (c == 2 && d == 4 && !wide)
        any_row(tags, 0, 2, 4, start, at, length);
    else if (c == 1 && d == 3 && !wide)
        any_row(tags, 0, 1, 3, start, at, length);
    else
        any_row(tags, wide, c, d, start, at, length);
}

static void words(uint64_t *state, const uint8_t *const *at, size_t count, unsigned c) {
    lanes v0 = GET(state), v1 = GET(state + LANES);
    lanes v2 = GET(state + 2 * LANES), v3 = GET(state + 3 * LANES);
    for (size_t i = 0; i < 8 * count; i += 8)
        ABSORB(GATHER(at, i));
    SET(state, v0);
    SET(state + LANES, v1);
    SET(state + 2 * LANES, v2);
    SET(state + 3 * LANES, v3);
}

const siphash_many_code CODE = {.lanes = LANES, .row = row, .words = words};
