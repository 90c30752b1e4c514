/* rows.h: the common code of SHA-1 and SHA-256 on lanes. A kernel hashes N messages side by side in
 * each of one or two rows of lanes. A round of a row waits for the one before it, so two rows are
 * computed in turns where there are messages for both; but that code is long, and for some CPUs
 * (SHORT_CODE) a row at a time in loops is faster. The including file first includes lanes_avx2.h
 * or its equivalent, and defines WORDS, the words of a state. The number of rows is a constant
 * wherever these functions are inlined. */
#ifndef CUPEL_ROWS_H
#define CUPEL_ROWS_H

enum { ROWS = 2 };

/* The rows' states: word i of row r is at state + N * (WORDS * r + i). */
INLINED void get_states(lanes s[ROWS][WORDS], const uint32_t *state, int rows) {
    UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int i = 0; i < WORDS; i++) s[r][i] =
        GET(state + N * (WORDS * r + i));
}

INLINED void add_to_states(lanes s[ROWS][WORDS], uint32_t *state, int rows) {
    UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int i = 0; i < WORDS; i++) {
        uint32_t *word = state + N * (WORDS * r + i);
        s[r][i] = ADD(s[r][i], GET(word));
        SET(word, s[r][i]);
    }
}

/* The 16 words of block b of every message. */
INLINED void load_words(lanes w[ROWS][16], const uint8_t *const *at, size_t b, int rows) {
    UNROLLED for (int r = 0; r < rows; r++) load(w[r], at + N * r, 64 * b);
}

/* The kernels of many.h, from blocks_of, blocks_in_loops and same_of, which the including file
 * defines. */
#define LANES_OF(hash)                                                                             \
    VARIANT void blocks_of_one(uint32_t *state, const uint8_t *const *at, size_t count) {          \
        blocks_of(state, at, count, 1);                                                            \
    }                                                                                              \
    VARIANT void blocks_of_two(uint32_t *state, const uint8_t *const *at, size_t count) {          \
        blocks_of(state, at, count, ROWS);                                                         \
    }                                                                                              \
    VARIANT void blocks_of_short(uint32_t *state, const uint8_t *const *at, size_t count) {        \
        blocks_in_loops(state, at, count);                                                         \
    }                                                                                              \
    VARIANT void same_of_one(uint32_t *state, const uint32_t *wk) {                                \
        same_of(state, wk, 1);                                                                     \
    }                                                                                              \
    VARIANT void same_of_two(uint32_t *state, const uint32_t *wk) {                                \
        same_of(state, wk, ROWS);                                                                  \
    }                                                                                              \
    void ISA(cupel_##hash##_lanes)(uint32_t * state, const uint8_t *const *at, size_t count,       \
                                   size_t rows) {                                                  \
        if (SHORT_CODE)                                                                            \
            for (size_t r = 0; r < rows; r++)                                                      \
                blocks_of_short(state + N * WORDS * r, at + N * r, count);                         \
        else                                                                                       \
            (rows == ROWS ? blocks_of_two : blocks_of_one)(state, at, count);                      \
    }                                                                                              \
    void ISA(cupel_##hash##_same)(uint32_t * state, const uint32_t *wk, size_t rows) {             \
        if (SHORT_CODE)                                                                            \
            for (size_t r = 0; r < rows; r++)                                                      \
                same_of_one(state + N * WORDS * r, wk);                                            \
        else                                                                                       \
            (rows == ROWS ? same_of_two : same_of_one)(state, wk);                                 \
    }

#endif
