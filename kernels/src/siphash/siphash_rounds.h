/* siphash_rounds.h: how often a round is done, for one message and for lanes of them alike. The
 * file that includes it says what a ROUND is. */
#ifndef CUPEL_SIPHASH_ROUNDS_H
#define CUPEL_SIPHASH_ROUNDS_H

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

#endif
