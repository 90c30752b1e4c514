/* scalar.h: keeps a word in a general register. Otherwise gcc 12 at -O2 gathers the eight sums at
 * the end of a block into vector registers and extracts them again, which adds 40 cycles to the
 * chain from block to block. It costs no instruction. */
#ifndef CUPEL_SCALAR_H
#define CUPEL_SCALAR_H

#ifdef __GNUC__
#define SCALAR(x) __asm__("" : "+r"(x))
#else
#define SCALAR(x) ((void)0)
#endif

/* Adds a word of the state to a variable of the rounds, and stores the sum. */
#define ADD_WORD(state, x)                                                                         \
    do {                                                                                           \
        (x) += (state);                                                                            \
        SCALAR(x);                                                                                 \
        (state) = (x);                                                                             \
    } while (0)

#endif
