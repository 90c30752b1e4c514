/* turns.h: what SHA-1 and SHA-256 of up to four messages with the SHA extensions have in common. */
#ifndef CUPEL_TURNS_H
#define CUPEL_TURNS_H

enum { MOST = 4 };

/* The kernel of many.h, from blocks_of, which the including file defines. */
#define TURNS_OF(hash)                                                                             \
    VARIANT void blocks_of_one(uint32_t *state, const uint8_t *const *at, size_t count) {          \
        blocks_of(state, at, count, 1);                                                            \
    }                                                                                              \
    VARIANT void blocks_of_two(uint32_t *state, const uint8_t *const *at, size_t count) {          \
        blocks_of(state, at, count, 2);                                                            \
    }                                                                                              \
    VARIANT void blocks_of_three(uint32_t *state, const uint8_t *const *at, size_t count) {        \
        blocks_of(state, at, count, 3);                                                            \
    }                                                                                              \
    VARIANT void blocks_of_four(uint32_t *state, const uint8_t *const *at, size_t count) {         \
        blocks_of(state, at, count, MOST);                                                         \
    }                                                                                              \
    void cupel_##hash##_lanes_shani(uint32_t *state, const uint8_t *const *at, size_t count,       \
                                    size_t rows) {                                                 \
        static void (*const variants[MOST])(uint32_t *, const uint8_t *const *, size_t) = {        \
            blocks_of_one, blocks_of_two, blocks_of_three, blocks_of_four};                        \
        variants[rows - 1](state, at, count);                                                      \
    }

#endif
