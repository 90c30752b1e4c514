/* siphash_rounds.h: repeats a round, for one message and for lanes alike. The including file
 * defines ROUND. */
#ifndef CUPEL_SIPHASH_ROUNDS_H
#define CUPEL_SIPHASH_ROUNDS_H

/* n rounds. For the common pairs of c and d, n is a constant and the rounds are written out: gcc at
 * -O2 would not unroll the loop. */
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
