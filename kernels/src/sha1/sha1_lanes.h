/* sha1_lanes.h: SHA-1 of many messages side by side, the same source for every instruction set. The
 * including file first includes lanes_avx2.h or its equivalent. Bounds and measurements:
 * kernels/NOTES.md. */
#include "sha1_many.h"

enum { WORDS = 5 };
#include "rows.h"

#define ROTL(x, n) ROTR(x, 32 - (n))

/* Round t. The words a to e move by one in each round, so their places do: a is S(0). t is a
 * constant, so the compiler chooses the function. The sum begins with the terms that have long been
 * known and ends with the slowest. */
INLINED void step(lanes s[WORDS], int t, lanes wk) {
#define S(i) s[(80 + (i)-t) % 5]
    lanes b = S(1), c = S(2), d = S(3);
    lanes e = ADD(S(4), wk);
    KEEP(e);
    e = ADD(e, t < 20 ? CH(b, c, d) : t >= 40 && t < 60 ? MAJ(b, c, d) : XOR3(b, c, d));
    KEEP(e);
    S(4) = ADD(e, ROTL(S(0), 5));
    S(1) = ROTL(b, 30);
#undef S
}

/* Word t of the schedule. From 16 on, it replaces the one 16 before it. Words are kept in memory,
 * so that the states have the registers: a round waits for them, and not for its word. With 32
 * registers, the latest words have some too, and a volatile read takes an older one from memory,
 * where gcc would otherwise keep it. */
INLINED lanes word(lanes w[16], int t) {
    lanes *now = &w[t % 16];
    if (t < 16)
        return *now;
    if (REGISTERS < 32) {
        lanes old = XOR3(w[(t + 8) % 16], w[(t + 2) % 16], *now);
        *now = ROTL(XOR(old, w[(t + 13) % 16]), 1);
        IN_MEMORY(*now);
    } else {
        const volatile lanes *read = w;
        lanes oldest = read[t % 16], older = read[(t + 2) % 16], old = read[(t + 8) % 16];
        old = XOR3(oldest, older, old);
        KEEP(old);
        *now = ROTL(XOR(old, w[(t + 13) % 16]), 1);
    }
    return *now;
}

INLINED void blocks_of(uint32_t *state, const uint8_t *const *at, size_t count, int rows) {
    lanes s[ROWS][WORDS];
    get_states(s, state, rows);
    for (size_t b = 0; b < count; b++) {
        lanes w[ROWS][16];
        load_words(w, at, b, rows);
        UNROLLED for (int t = 0; t < 80; t++) UNROLLED for (int r = 0; r < rows; r++)
            step(s[r], t, ADD(word(w[r], t), EACH(cupel_sha1_k[t / 20])));
        add_to_states(s, state, rows);
    }
}

/* For SHORT_CODE: five rounds of one row, and the words of the schedule 16 rounds after them, if
 * ahead. */
INLINED void five(lanes s[WORDS], int t, lanes *w, int ahead) {
    lanes k = EACH(cupel_sha1_k[t / 20]);
    UNROLLED for (int i = 0; i < 5; i++) {
        step(s, t + i, ADD(w[i], k));
        if (!ahead)
            continue;
        lanes old = XOR3(w[i], w[i + 2], w[i + 8]);
        KEEP(old);
        w[i + 16] = ROTL(XOR(old, w[i + 13]), 1);
        IN_MEMORY(w[i + 16]);
    }
}

/* A row at a time, five rounds in a loop. One word more than the 80 of the schedule is computed,
 * and not used. */
INLINED void blocks_in_loops(uint32_t *state, const uint8_t *const *at, size_t count) {
    lanes s[ROWS][WORDS];
    get_states(s, state, 1);
    for (size_t b = 0; b < count; b++) {
        lanes words[81], *w = words;
        load(w, at, 64 * b);
        UNROLLED for (int t = 0; t < 60; t += 20) for (const lanes *end = w + 20; w != end; w += 5)
            five(s[0], t, w, 1);
        five(s[0], 60, w, 1);
        for (w += 5; w != words + 80; w += 5)
            five(s[0], 60, w, 0);
        add_to_states(s, state, 1);
    }
}

INLINED void same_of(uint32_t *state, const uint32_t *wk, int rows) {
    lanes s[ROWS][WORDS];
    get_states(s, state, rows);
    UNROLLED for (int t = 0; t < 80; t++) UNROLLED for (int r = 0; r < rows; r++)
        step(s[r], t, EACH(wk[t]));
    add_to_states(s, state, rows);
}

LANES_OF(sha1)
