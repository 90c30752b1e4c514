/* sha256_avx2.c: SHA-256 with AVX2, BMI1 and BMI2. The schedules of two blocks are computed side by
 * side in the halves of the vector registers, in the gaps between the first block's rounds; the
 * rounds of the second block only read them. Bounds and measurements:
 * kernels/NOTES.md.
 *
 * Assembly, because the rounds need all 15 general registers, and are fast only in one order: the
 * chain from e to the next e is five instructions long, and the CPU's four arithmetic units have 22
 * instructions to execute in that time, so that each must start as early as possible. A compiler
 * reassociates the sums, which lengthens the chain, and spills registers. */
#include "sha256_assembly.h"

/* A third value passes from round to round: a copy of f that may be overwritten. */
#define FE "%r12d"

/* One round, with up to four pieces of vector work. Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b. */
#define ROUND(a, b, c, d, e, f, g, h, ab, bc, wk, v1, v2, v3, v4)                                  \
    "rorxl $11, " e ", " ab "\n"                                                                   \
    "andl " e ", " FE "\n"                                                                         \
    "rorxl $25, " e ", " T "\n"                                                                    \
    "addl " wk ", " h "\n"                                                                         \
    "addl " FE ", " h "\n" v1 "addl " S0 ", " a "\n"                                               \
    "rorxl $6, " e ", " S0 "\n"                                                                    \
    "xorl " ab ", " T "\n"                                                                         \
    "movl " a ", " ab "\n"                                                                         \
    "andnl " g ", " e ", " FE "\n" v2 "xorl " S0 ", " T "\n"                                       \
    "addl " FE ", " h "\n"                                                                         \
    "rorxl $22, " a ", " FE "\n"                                                                   \
    "xorl " b ", " ab "\n"                                                                         \
    "addl " T ", " h "\n" v3 "rorxl $13, " a ", " S0 "\n"                                          \
    "rorxl $2, " a ", " T "\n"                                                                     \
    "andl " ab ", " bc "\n"                                                                        \
    "xorl " b ", " bc "\n"                                                                         \
    "addl " h ", " d "\n" v4 "xorl " FE ", " S0 "\n"                                               \
    "addl " bc ", " h "\n"                                                                         \
    "movl " e ", " FE "\n"                                                                         \
    "xorl " T ", " S0 "\n"

/* The address from which the rounds read words plus constants. %r15 points to the first of 16: 4
 * words of the first block, the same 4 of the second, and so on. */
#define WORD(group, i, second) "32*" #group "+4*" #i "+16*" #second "(%r15)"

/* Four words of the schedule after x3, for both blocks, from the 16 in x0 to x3; they replace x0.
 * In 16 pieces, to be distributed over four rounds. */
#define V1(x0, x1, x2, x3)                                                                         \
    "vpalignr $4, " x0 ", " x1 ", %ymm4\n" /* words t-15 */                                        \
    "vpalignr $4, " x2 ", " x3 ", %ymm5\n" /* words t-7 */
#define V2(x0)  "vpsrld $7, %ymm4, %ymm6\nvpaddd %ymm5, " x0 ", " x0 "\n"
#define V3      "vpsrld $3, %ymm4, %ymm7\nvpslld $14, %ymm4, %ymm5\n"
#define V4(x3)  "vpxor %ymm6, %ymm7, %ymm4\nvpshufd $0xfa, " x3 ", %ymm7\n"
/* sigma0's second rotation continues from the shifts of the first */
#define V5      "vpsrld $11, %ymm6, %ymm6\nvpxor %ymm5, %ymm4, %ymm4\n"
#define V6      "vpslld $11, %ymm5, %ymm5\nvpxor %ymm6, %ymm4, %ymm4\n"
#define V7      "vpsrld $10, %ymm7, %ymm6\nvpxor %ymm5, %ymm4, %ymm4\n"
/* sigma1, two words at a time, because the latter two need the former: ymm7 has each word twice,
 * side by side, so that a shift of 64 bits is a rotation */
#define V8(x0)  "vpsrlq $17, %ymm7, %ymm7\nvpaddd %ymm4, " x0 ", " x0 "\n"
#define V9      "vpxor %ymm7, %ymm6, %ymm6\nvpsrlq $2, %ymm7, %ymm7\n"
#define V10     "vpxor %ymm7, %ymm6, %ymm6\n"
#define V11     "vpshufb %ymm9, %ymm6, %ymm6\n"
#define V12(x0) "vpaddd %ymm6, " x0 ", " x0 "\n"
#define V13(x0) "vpshufd $0x50, " x0 ", %ymm7\n"
#define V14     "vpsrld $10, %ymm7, %ymm6\nvpsrlq $17, %ymm7, %ymm7\n"
#define V15     "vpxor %ymm7, %ymm6, %ymm6\nvpsrlq $2, %ymm7, %ymm7\n"
#define V16     "vpxor %ymm7, %ymm6, %ymm6\nvpshufb %ymm10, %ymm6, %ymm6\n"

/* Stores four words of each block plus constants; group counts from %r15 and %rbp. */
#define PUT(group, x)                                                                              \
    "vbroadcasti128 16*" #group "(%rbp), %ymm8\n"                                                  \
    "vpaddd " x ", %ymm8, %ymm8\n"                                                                 \
    "vmovdqa %ymm8, 32*" #group "(%r15)\n"

#define FOUR_ROUNDS_AND_WORDS(a, b, c, d, e, f, g, h, group, ahead, x0, x1, x2, x3)                \
    ROUND(a, b, c, d, e, f, g, h, XY, YX, WORD(group, 0, 0), V1(x0, x1, x2, x3), V2(x0), V3,       \
          V4(x3))                                                                                  \
    ROUND(h, a, b, c, d, e, f, g, YX, XY, WORD(group, 1, 0), V5, V6, V7, V8(x0))                   \
    ROUND(g, h, a, b, c, d, e, f, XY, YX, WORD(group, 2, 0), V9, V10, V11, V12(x0))                \
    ROUND(f, g, h, a, b, c, d, e, YX, XY, WORD(group, 3, 0), V13(x0), V14, V15, V16)               \
    V12(x0) PUT(ahead, x0)

#define FOUR_ROUNDS(a, b, c, d, e, f, g, h, group, second)                                         \
    ROUND(a, b, c, d, e, f, g, h, XY, YX, WORD(group, 0, second), , , , )                          \
    ROUND(h, a, b, c, d, e, f, g, YX, XY, WORD(group, 1, second), , , , )                          \
    ROUND(g, h, a, b, c, d, e, f, XY, YX, WORD(group, 2, second), , , , )                          \
    ROUND(f, g, h, a, b, c, d, e, YX, XY, WORD(group, 3, second), , , , )

#define SIXTEEN_ROUNDS(second)                                                                     \
    FOUR_ROUNDS(A, B, C, D, E, F, G, H, 0, second)                                                 \
    FOUR_ROUNDS(E, F, G, H, A, B, C, D, 1, second)                                                 \
    FOUR_ROUNDS(A, B, C, D, E, F, G, H, 2, second)                                                 \
    FOUR_ROUNDS(E, F, G, H, A, B, C, D, 3, second)

/* Adds the state with which the block began, and prepares for the next block. */
#define END_BLOCK                                                                                  \
    "addl " S0 ", " A "\n"                                                                         \
    "movq 520(%rsp), %r13\n" ADD_WORD(0, A) ADD_WORD(1, B) ADD_WORD(2, C) ADD_WORD(3, D)           \
        ADD_WORD(4, E) ADD_WORD(5, F) ADD_WORD(6, G) ADD_WORD(7, H)

#define BEGIN_BLOCK                                                                                \
    "movl " B ", " YX "\n"                                                                         \
    "xorl " C ", " YX "\n"                                                                         \
    "movl " F ", " FE "\n"                                                                         \
    "xorl " S0 ", " S0 "\n"

#define LOAD_BLOCKS(i, x)                                                                          \
    "vmovdqu 16*" #i "(%rsi), %xmm" #x "\n"                                                        \
    "vinserti128 $1, 16*" #i "(%rdi), %ymm" #x ", %ymm" #x "\n"                                    \
    "vpshufb %ymm11, %ymm" #x ", %ymm" #x "\n"

/* Updates the state with count blocks: alternately one at first and one at second, both of which
 * then advance by 128 bytes. count is even, or 1: then second is read but not hashed.
 *
 * The frame, aligned to 64 bytes: 0 words plus constants, 512 the caller's stack pointer, 520
 * state, 528 first, 536 second, 544 count, 552 constants, 560 end of the first loop. */
NAKED static void pairs(uint32_t state[8], const uint8_t *first, const uint8_t *second,
                        size_t count, const uint32_t *k, const void *shuffle) {
    /* clang-format would write the rounds as a staircase. */
    /* clang-format off */
    __asm__(
        "pushq %rbp\n"
        "pushq %rbx\n"
        "pushq %r12\n"
        "pushq %r13\n"
        "pushq %r14\n"
        "pushq %r15\n"
        "movq %rsp, %rax\n"
        "subq $576, %rsp\n"
        "andq $-64, %rsp\n"
        "movq %rax, 512(%rsp)\n"
        "movq %rdi, 520(%rsp)\n"
        "movq %rsi, 528(%rsp)\n"
        "movq %rdx, 536(%rsp)\n"
        "movq %rcx, 544(%rsp)\n"
        "movq %r8, 552(%rsp)\n"
        "leaq 384(%rsp), %rax\n"
        "movq %rax, 560(%rsp)\n"
        "vbroadcasti128 0(%r9), %ymm11\n"
        "vbroadcasti128 16(%r9), %ymm9\n"
        "vbroadcasti128 32(%r9), %ymm10\n"
        "movq %rdi, %r13\n"
        "movq %rdx, %rdi\n"
        LOAD_WORD(0, A) LOAD_WORD(1, B) LOAD_WORD(2, C) LOAD_WORD(3, D) LOAD_WORD(4, E)
        LOAD_WORD(5, F) LOAD_WORD(6, G) LOAD_WORD(7, H)

        ".p2align 5\n"
        "1:\n"
        LOAD_BLOCKS(0, 0) LOAD_BLOCKS(1, 1) LOAD_BLOCKS(2, 2) LOAD_BLOCKS(3, 3)
        "subq $-128, 528(%rsp)\n"
        "subq $-128, 536(%rsp)\n"
        "movq %rsp, %r15\n"
        "movq 552(%rsp), %rbp\n"
        PUT(0, "%ymm0") PUT(1, "%ymm1") PUT(2, "%ymm2") PUT(3, "%ymm3")
        BEGIN_BLOCK

        ".p2align 5\n"
        "2:\n"
        FOUR_ROUNDS_AND_WORDS(A, B, C, D, E, F, G, H, 0, 4, "%ymm0", "%ymm1", "%ymm2", "%ymm3")
        FOUR_ROUNDS_AND_WORDS(E, F, G, H, A, B, C, D, 1, 5, "%ymm1", "%ymm2", "%ymm3", "%ymm0")
        FOUR_ROUNDS_AND_WORDS(A, B, C, D, E, F, G, H, 2, 6, "%ymm2", "%ymm3", "%ymm0", "%ymm1")
        FOUR_ROUNDS_AND_WORDS(E, F, G, H, A, B, C, D, 3, 7, "%ymm3", "%ymm0", "%ymm1", "%ymm2")
        "subq $-128, %r15\n"
        "addq $64, %rbp\n"
        "cmpq 560(%rsp), %r15\n"
        "jne 2b\n"
        SIXTEEN_ROUNDS(0)
        END_BLOCK
        "subq $2, 544(%rsp)\n"
        "jc 4f\n"

        BEGIN_BLOCK
        "movq %rsp, %r15\n"
        ".p2align 5\n"
        "3:\n"
        SIXTEEN_ROUNDS(1)
        "subq $-128, %r15\n"
        "cmpq 560(%rsp), %r15\n"
        "jbe 3b\n"
        END_BLOCK
        "movq 528(%rsp), %rsi\n"
        "movq 536(%rsp), %rdi\n"
        "cmpq $0, 544(%rsp)\n"
        "jne 1b\n"

        "4:\n"
        "vzeroupper\n"
        "movq 512(%rsp), %rsp\n"
        "popq %r15\n"
        "popq %r14\n"
        "popq %r13\n"
        "popq %r12\n"
        "popq %rbx\n"
        "popq %rbp\n"
        "ret\n");
    /* clang-format on */
}

#define PAIRS(h, first, second, count) pairs(h, first, second, count, cupel_sha256_k, &shuffles)
#include "pairs.h"

void cupel_sha256_avx2(uint32_t h[8], const uint8_t *blocks, size_t count, const uint8_t *tail,
                       size_t tail_count) {
    both_in_pairs(h, blocks, count, tail, tail_count);
}
