/* sha256_assembly.h: the common parts of the assembly kernels of SHA-256: the registers of the
 * rounds, the words of the state, and shuffles for the schedule. */
#ifndef CUPEL_SHA256_ASSEMBLY_H
#define CUPEL_SHA256_ASSEMBLY_H

#include "naked.h"
#include "sha256.h"

/* In addition to the state, two values pass from round to round: b ^ c, whose successor is a ^ b
 * (alternately in XY and YX), and Sigma0 of the previous round, not yet added to the value that is
 * now a. */
#define A               "%eax"
#define B               "%ebx"
#define C               "%ecx"
#define D               "%edx"
#define E               "%r8d"
#define F               "%r9d"
#define G               "%r10d"
#define H               "%r11d"
#define XY              "%esi"
#define YX              "%edi"
#define T               "%r13d"
#define S0              "%r14d"

/* Word i of the state, which is at %r13. */
#define LOAD_WORD(i, x) "movl 4*" #i "(%r13), " x "\n"
#define ADD_WORD(i, x)  "addl 4*" #i "(%r13), " x "\nmovl " x ", 4*" #i "(%r13)\n"

/* Shuffles that swap the bytes of words, and that move the even words of a sigma1 to the lower or
 * to the upper half of 16 bytes, with zeros next to them. */
static const _Alignas(16) struct {
    uint8_t swap[16], low[16], high[16];
} shuffles = {
    {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
    {0, 1, 2, 3, 8, 9, 10, 11, 255, 255, 255, 255, 255, 255, 255, 255},
    {255, 255, 255, 255, 255, 255, 255, 255, 0, 1, 2, 3, 8, 9, 10, 11},
};

#endif
