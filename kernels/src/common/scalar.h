/* scalar.h: keeps a word in a general register. gcc 12 at -O2 would gather the eight sums at the
 * end of a block into vector registers and take them apart again, 40 cycles on the chain from block
 * to block. Costs no instruction. */
#ifndef CUPEL_SCALAR_H
#define CUPEL_SCALAR_H

#ifdef __GNUC__
#define SCALAR(x) __asm__("" : "+r"(x))
#else
#define SCALAR(x) ((void)0)
#endif

/* Adds a word of the state into a variable of the round's, and stores the sum. */
#define ADD_WORD(state, x)                                                                         \
    do {                                                                                           \
        (x) += (state);                                                                            \
        SCALAR(x);                                                                                 \
        (state) = (x);                                                                             \
    } while (0)

#endif
