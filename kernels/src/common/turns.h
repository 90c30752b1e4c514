/* turns.h: the common code of SHA-1 and SHA-256 of up to four messages with the SHA extensions. */
#ifndef CUPEL_TURNS_H
#define CUPEL_TURNS_H

enum { MOST = 4 };

/* A function that computes blocks of one to four messages. */
typedef void blocks_in_turns(uint32_t *state, const uint8_t *const *at, size_t count);

/* The table `turns` of such functions, from blocks, which the including file defines. */
#define TURNS(turns, blocks)                                                                       \
    VARIANT void turns##_of_one(uint32_t *state, const uint8_t *const *at, size_t count) {         \
        blocks(state, at, count, 1);                                                               \
    }                                                                                              \
    VARIANT void turns##_of_two(uint32_t *state, const uint8_t *const *at, size_t count) {         \
        blocks(state, at, count, 2);                                                               \
    }                                                                                              \
    VARIANT void turns##_of_three(uint32_t *state, const uint8_t *const *at, size_t count) {       \
        blocks(state, at, count, 3);                                                               \
    }                                                                                              \
    VARIANT void turns##_of_four(uint32_t *state, const uint8_t *const *at, size_t count) {        \
        blocks(state, at, count, MOST);                                                            \
    }                                                                                              \
    static blocks_in_turns *const turns[MOST] = {turns##_of_one, turns##_of_two, turns##_of_three, \
                                                 turns##_of_four};

#endif
