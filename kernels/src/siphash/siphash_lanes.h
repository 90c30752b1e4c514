/* siphash_lanes.h: SipHash on lanes, the same source for every instruction set. The including file
 * defines a vector of LANES words of 64 bits: lanes, ADD, XOR, OR, ROTL, SHR (by a number known at
 * run time), EACH (one word in every lane), WHERE(x, n, y, z) (y in the lanes in which x is n,
 * otherwise z), GATHER(at, offset) (lane j's word at at[j] + offset), WORDS(w, at, offset) (TURN
 * such words, 2 or 4), GET, SET, PUT, and CODE, the name.
 *
 * One row of lanes is a chain of rounds that leaves the CPU idle for a quarter of the time. Two
 * rows side by side, a and b, fill each other's gaps. */
#include "siphash.h"
#include "siphash_rounds.h"

/* A round of one row. */
#define STEP(v)                                                                                    \
    do {                                                                                           \
        v[0] = ADD(v[0], v[1]);                                                                    \
        v[2] = ADD(v[2], v[3]);                                                                    \
        v[1] = XOR(ROTL(v[1], 13), v[0]);                                                          \
        v[3] = XOR(ROTL(v[3], 16), v[2]);                                                          \
        v[0] = ROTL(v[0], 32);                                                                     \
        v[2] = ADD(v[2], v[1]);                                                                    \
        v[0] = ADD(v[0], v[3]);                                                                    \
        v[1] = XOR(ROTL(v[1], 17), v[2]);                                                          \
        v[3] = XOR(ROTL(v[3], 21), v[0]);                                                          \
        v[2] = ROTL(v[2], 32);                                                                     \
    } while (0)

/* A round of one row or, if the constant two says so, of two. */
#define ROUND                                                                                      \
    do {                                                                                           \
        STEP(a);                                                                                   \
        if (two)                                                                                   \
            STEP(b);                                                                               \
    } while (0)

/* The four words of a state, written out: in a loop, gcc at -O2 keeps them in memory. */
#define FOUR(DO)                                                                                   \
    do {                                                                                           \
        DO(0);                                                                                     \
        DO(1);                                                                                     \
        DO(2);                                                                                     \
        DO(3);                                                                                     \
    } while (0)

#define ABSORB_LANES(of_a, of_b)                                                                   \
    do {                                                                                           \
        lanes to_a = (of_a), to_b = two ? (of_b) : to_a;                                           \
        a[3] = XOR(a[3], to_a);                                                                    \
        b[3] = XOR(b[3], to_b);                                                                    \
        ROUNDS(c);                                                                                 \
        a[0] = XOR(a[0], to_a);                                                                    \
        b[0] = XOR(b[0], to_b);                                                                    \
    } while (0)

/* Absorbs the words from first to end of each lane's message: lane j of a is at at[j], lane j of b
 * at at[LANES + j]. */
#define ABSORB_WORDS(at, first, end)                                                               \
    do {                                                                                           \
        size_t i = 8 * (size_t)(first), past = 8 * (size_t)(end);                                  \
        for (; i + 8 * TURN <= past; i += 8 * TURN) {                                              \
            lanes of_a[TURN], of_b[TURN];                                                          \
            WORDS(of_a, at, i);                                                                    \
            if (two)                                                                               \
                WORDS(of_b, at + LANES, i);                                                        \
            ABSORB_LANES(of_a[0], of_b[0]);                                                        \
            ABSORB_LANES(of_a[1], of_b[1]);                                                        \
            if (TURN == 4) {                                                                       \
                ABSORB_LANES(of_a[TURN - 2], of_b[TURN - 2]);                                      \
                ABSORB_LANES(of_a[TURN - 1], of_b[TURN - 1]);                                      \
            }                                                                                      \
        }                                                                                          \
        for (; i != past; i += 8)                                                                  \
            ABSORB_LANES(GATHER(at, i), GATHER(at + LANES, i));                                    \
    } while (0)

/* The last words of messages of one length. If they have at least a word, it is cut from the last 8
 * bytes, without a branch or a load of single bytes. */
static inline lanes last_words(const uint8_t *const *at, size_t length) {
    lanes top = EACH((uint64_t)length << 56);
    unsigned rest = (unsigned)length % 8;
    if (rest == 0)
        return top;
    if (length >= 8)
        return OR(SHR(GATHER(at, length - 8), 64 - 8 * rest), top);
    _Alignas(64) uint64_t last[LANES];
    for (size_t j = 0; j < LANES; j++)
        last[j] = sip_last_word(at[j], length);
    return GET(last);
}

static inline lanes fold(const lanes v[4]) {
    return XOR(XOR(v[0], v[1]), XOR(v[2], v[3]));
}

/* Computes the tags from the states after the last words: tags[0] from a and tags[1] from b; for
 * wide tags, the other halves in tags[2] and tags[3]. */
static inline __attribute__((always_inline)) void finish(lanes tags[4], lanes a[4], lanes b[4],
                                                         int two, int wide, unsigned d) {
    lanes mark = EACH(wide ? SIP_LONG_END : SIP_END);
    a[2] = XOR(a[2], mark);
    b[2] = XOR(b[2], mark);
    ROUNDS(d);
    tags[0] = fold(a);
    tags[1] = fold(b);
    if (wide) {
        a[1] = XOR(a[1], EACH(SIP_LONG_END2));
        b[1] = XOR(b[1], EACH(SIP_LONG_END2));
        ROUNDS(d);
        tags[2] = fold(a);
        tags[3] = fold(b);
    }
}

static void put_wide(uint8_t *tags, lanes first, lanes second) {
    _Alignas(64) uint64_t low[LANES], high[LANES];
    SET(low, first);
    SET(high, second);
    for (size_t j = 0; j < LANES; j++) {
        store_le64(tags + 16 * j, low[j]);
        store_le64(tags + 16 * j + 8, high[j]);
    }
}

/* Inlined once for each common pair of c and d, so that the loops are unrolled. */
static inline __attribute__((always_inline)) void any_row(uint8_t *tags, int two, int wide,
                                                          unsigned c, unsigned d,
                                                          const uint64_t start[4],
                                                          const uint8_t *const *at, size_t length) {
    lanes a[4] = {EACH(start[0]), EACH(start[1]), EACH(start[2]), EACH(start[3])};
    lanes b[4] = {a[0], a[1], a[2], a[3]};
    ABSORB_WORDS(at, 0, length / 8);
    ABSORB_LANES(last_words(at, length), last_words(at + LANES, length));
    lanes out[4];
    finish(out, a, b, two, wide, d);
    if (wide) {
        put_wide(tags, out[0], out[2]);
        if (two)
            put_wide(tags + 16 * LANES, out[1], out[3]);
    } else {
        PUT(tags, out[0]);
        if (two)
            PUT(tags + 8 * LANES, out[1]);
    }
}

static void lanes_row(uint8_t *tags, int two, int wide, unsigned c, unsigned d,
                      const uint64_t start[4], const uint8_t *const *at, size_t length) {
    if (c == 2 && d == 4 && !wide && two)
        any_row(tags, 1, 0, 2, 4, start, at, length);
    else if (c == 2 && d == 4 && !wide)
        any_row(tags, 0, 0, 2, 4, start, at, length);
    else if (c == 1 && d == 3 && !wide && two)
        any_row(tags, 1, 0, 1, 3, start, at, length);
    else if (two)
        any_row(tags, 1, wide, c, d, start, at, length);
    else
        any_row(tags, 0, wide, c, d, start, at, length);
}

#define KEEP(w)                                                                                    \
    do {                                                                                           \
        ended_a[w] = WHERE(counts_a, done, a[w], ended_a[w]);                                      \
        if (two)                                                                                   \
            ended_b[w] = WHERE(counts_b, done, b[w], ended_b[w]);                                  \
    } while (0)
#define PUT_ENDED(w)                                                                               \
    do {                                                                                           \
        SET(state + SIP_LANES * w, ended_a[w]);                                                    \
        if (two)                                                                                   \
            SET(state + SIP_LANES * w + LANES, ended_b[w]);                                        \
    } while (0)
#define PUT_UNDER_WAY(w) SET(under_way + LANES * w, a[w])

static inline __attribute__((always_inline)) size_t any_ragged(uint64_t *state, int two, unsigned c,
                                                               const uint64_t start[4],
                                                               const uint8_t **at,
                                                               const uint64_t *counts, size_t few) {
    lanes a[4] = {EACH(start[0]), EACH(start[1]), EACH(start[2]), EACH(start[3])};
    lanes b[4] = {a[0], a[1], a[2], a[3]};
    lanes ended_a[4] = {a[0], a[1], a[2], a[3]}, ended_b[4] = {a[0], a[1], a[2], a[3]};
    lanes counts_a = GET(counts), counts_b = two ? GET(counts + LANES) : counts_a;
    size_t done = 0, live = two ? 2 * LANES : LANES;
    for (;;) {
        /* the last lanes end here, and from now on repeat the work of the first */
        for (; live != 0 && counts[live - 1] == done; live--)
            at[live - 1] = at[0];
        FOUR(KEEP);
        if (live <= few)
            break;
        ABSORB_WORDS(at, done, counts[live - 1]);
        done = counts[live - 1];
    }
    FOUR(PUT_ENDED);
    if (live != 0) {
        _Alignas(64) uint64_t under_way[4 * LANES];
        FOUR(PUT_UNDER_WAY);
        for (size_t j = 0; j < live; j++)
            for (size_t w = 0; w < 4; w++)
                state[SIP_LANES * w + j] = under_way[LANES * w + j];
        cupel_wipe(under_way, sizeof under_way);
    }
    return done;
}

static size_t lanes_ragged(uint64_t *state, int two, unsigned c, const uint64_t start[4],
                           const uint8_t **at, const uint64_t *counts, size_t few) {
    if (c == 2 && two)
        return any_ragged(state, 1, 2, start, at, counts, few);
    if (c == 2)
        return any_ragged(state, 0, 2, start, at, counts, few);
    return two ? any_ragged(state, 1, c, start, at, counts, few)
               : any_ragged(state, 0, c, start, at, counts, few);
}

#define GET_STATE(w)                                                                               \
    do {                                                                                           \
        a[w] = GET(state + SIP_LANES * w);                                                         \
        b[w] = two ? GET(state + SIP_LANES * w + LANES) : a[w];                                    \
    } while (0)

static inline __attribute__((always_inline)) void any_end(uint64_t *tags, int two, int wide,
                                                          unsigned c, unsigned d,
                                                          const uint64_t *state,
                                                          const uint64_t *last) {
    lanes a[4], b[4], out[4];
    FOUR(GET_STATE);
    ABSORB_LANES(GET(last), GET(last + LANES));
    finish(out, a, b, two, wide, d);
    SET(tags, out[0]);
    if (two)
        SET(tags + LANES, out[1]);
    if (wide)
        SET(tags + SIP_LANES, out[2]);
    if (wide && two)
        SET(tags + SIP_LANES + LANES, out[3]);
}

static void lanes_end(uint64_t *tags, int two, int wide, unsigned c, unsigned d,
                      const uint64_t *state, const uint64_t *last) {
    if (c == 2 && d == 4 && !wide && two)
        any_end(tags, 1, 0, 2, 4, state, last);
    else if (two)
        any_end(tags, 1, wide, c, d, state, last);
    else
        any_end(tags, 0, wide, c, d, state, last);
}

const siphash_many_code CODE = {
    .lanes = LANES, .row = lanes_row, .ragged = lanes_ragged, .end = lanes_end};
