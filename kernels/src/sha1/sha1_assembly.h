/* sha1_assembly.h: the common parts of the assembly kernels of SHA-1: the registers of the rounds
 * and the words of the state. */
#ifndef CUPEL_SHA1_ASSEMBLY_H
#define CUPEL_SHA1_ASSEMBLY_H

#include "naked.h"
#include "sha1.h"

#define A               "%eax"
#define B               "%ebx"
#define C               "%ecx"
#define D               "%edx"
#define E               "%ebp"
#define T               "%r8d"
#define U               "%r9d"
#define V               "%r10d"

/* Word i of the state, which is at %r12. */
#define LOAD_WORD(i, x) "movl 4*" #i "(%r12), " x "\n"
#define ADD_WORD(i, x)  "addl 4*" #i "(%r12), " x "\nmovl " x ", 4*" #i "(%r12)\n"

/* Four rounds without vector work between them. */
#define NONE            , , , , , , ,

#endif
