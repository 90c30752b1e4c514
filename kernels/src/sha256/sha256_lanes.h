/* sha256_lanes.h: SHA-256 of many messages side by side, the same source for every instruction set.
 * The including file first includes lanes_avx2.h or its equivalent. Bounds and measurements:
 * kernels/NOTES.md. */
#include "sha256_many.h"

enum { WORDS = 8 };
#include "rows.h"

/* Terms of a sum that are computed where they stand. gcc would otherwise compute them where they
 * are added, which in short code takes more registers than there are. */
INLINED lanes in_place(lanes x, lanes y, lanes z) {
    KEEP(x);
    KEEP(y);
    return XOR3(x, y, z);
}

#define SUM(kept, x, y, z) ((kept) ? in_place(x, y, z) : XOR3(x, y, z))
#define SIGMA0(kept, x)    SUM(kept, ROTR(x, 2), ROTR(x, 13), ROTR(x, 22))
#define SIGMA1(kept, x)    SUM(kept, ROTR(x, 6), ROTR(x, 11), ROTR(x, 25))
#define sigma0(kept, x)    SUM(kept, ROTR(x, 7), ROTR(x, 18), SHR(x, 3))
#define sigma1(kept, x)    SUM(kept, ROTR(x, 17), ROTR(x, 19), SHR(x, 10))

/* Round t. The words a to h move by one in each round, so their places do: a is S(0). The sum
 * begins with the terms that have long been known and ends with the slowest. */
INLINED void step(lanes s[WORDS], int t, lanes wk, int kept) {
#define S(i) s[((i)-t) & 7]
    lanes h = ADD(S(7), wk);
    KEEP(h);
    h = ADD(h, CH(S(4), S(5), S(6)));
    KEEP(h);
    h = ADD(h, SIGMA1(kept, S(4)));
    KEEP(h);
    S(3) = ADD(S(3), h);
    h = ADD(h, MAJ(S(0), S(1), S(2)));
    KEEP(h);
    S(7) = ADD(h, SIGMA0(kept, S(0)));
#undef S
}

/* The next word of the schedule; it replaces the one 16 before it. */
INLINED lanes next(lanes w[16], int t) {
    w[t] = ADD(ADD(ADD(w[t], sigma0(0, w[(t + 1) % 16])), w[(t + 9) % 16]),
               sigma1(0, w[(t + 14) % 16]));
    return w[t];
}

INLINED void blocks_of(uint32_t *state, const uint8_t *const *at, size_t count, int rows) {
    lanes s[ROWS][WORDS];
    get_states(s, state, rows);
    for (size_t b = 0; b < count; b++) {
        const uint32_t *k = cupel_sha256_k;
        lanes w[ROWS][16];
        load_words(w, at, b, rows);
        UNROLLED for (int t = 0; t < 16; t++) UNROLLED for (int r = 0; r < rows; r++)
            step(s[r], t, ADD(w[r][t], EACH(k[t])), 0);
        for (int turn = 0; turn < 3; turn++) {
            k += 16;
            UNROLLED for (int t = 0; t < 16; t++) UNROLLED for (int r = 0; r < rows; r++)
                step(s[r], t, ADD(next(w[r], t), EACH(k[t])), 0);
        }
        add_to_states(s, state, rows);
    }
}

/* For SHORT_CODE: a row at a time, eight rounds in a loop. The words of the schedule are computed
 * 16 rounds ahead, so that rounds and schedule wait for each other as little as possible. */
INLINED void blocks_in_loops(uint32_t *state, const uint8_t *const *at, size_t count) {
    lanes s[ROWS][WORDS], words[64];
    get_states(s, state, 1);
    for (size_t b = 0; b < count; b++) {
        const uint32_t *k = cupel_sha256_k;
        lanes *w = words;
        load(w, at, 64 * b);
        for (; w != words + 48; w += 8, k += 8)
            UNROLLED for (int t = 0; t < 8; t++) {
                step(s[0], t, ADD(w[t], EACH(k[t])), 1);
                lanes old = ADD(ADD(w[t], sigma0(1, w[t + 1])), w[t + 9]);
                w[t + 16] = ADD(old, sigma1(1, w[t + 14]));
                IN_MEMORY(w[t + 16]);
            }
        for (; w != words + 64; w += 8, k += 8)
            UNROLLED for (int t = 0; t < 8; t++) step(s[0], t, ADD(w[t], EACH(k[t])), 1);
        add_to_states(s, state, 1);
    }
}

INLINED void same_of(uint32_t *state, const uint32_t *wk, int rows) {
    lanes s[ROWS][WORDS];
    get_states(s, state, rows);
    for (int i = 0; i < 64; i += 8, wk += 8)
        UNROLLED for (int t = 0; t < 8; t++) UNROLLED for (int r = 0; r < rows; r++)
            step(s[r], t, EACH(wk[t]), 0);
    add_to_states(s, state, rows);
}

LANES_OF(sha256)
