/* sha1_avx2.c: SHA-1 with AVX2, BMI1 and BMI2. The schedules of two blocks are computed side by
 * side in the halves of the vector registers, in the gaps between the first block's rounds; the
 * rounds of the second block only read them. Bounds and measurements:
 * kernels/NOTES.md.
 *
 * Assembly, because the rounds are fast only in one order: the chain from a to the next a is two
 * instructions long (rotate, add), so everything else in a round must be done earlier. A compiler
 * reassociates the sums, which lengthens the chain. */
#include "sha1_assembly.h"

#define X0 "%ymm0"
#define X1 "%ymm1"
#define X2 "%ymm2"
#define X3 "%ymm3"
#define X4 "%ymm4"
#define X5 "%ymm5"
#define X6 "%ymm6"
#define X7 "%ymm7"

/* One round with up to two pieces of vector work: e += W + K + F(b, c, d) + (a <<< 5), then
 * b <<<= 30. Ch and Maj are two terms that have no bit in common, so that each is added as soon as
 * it is known. */
#define CH(a, b, c, d, e, wk, v1, v2)                                                              \
    "addl " wk ", " e "\n"                                                                         \
    "andnl " d ", " b ", " V "\n"                                                                  \
    "movl " b ", " U "\n" v1 "rorxl $27, " a ", " T "\n"                                           \
    "andl " c ", " U "\n"                                                                          \
    "addl " V ", " e "\n"                                                                          \
    "rorxl $2, " b ", " b "\n"                                                                     \
    "addl " U ", " e "\n" v2 "addl " T ", " e "\n"
#define PARITY(a, b, c, d, e, wk, v1, v2)                                                          \
    "addl " wk ", " e "\n"                                                                         \
    "movl " d ", " U "\n"                                                                          \
    "xorl " c ", " U "\n" v1 "rorxl $27, " a ", " T "\n"                                           \
    "xorl " b ", " U "\n"                                                                          \
    "rorxl $2, " b ", " b "\n"                                                                     \
    "addl " U ", " e "\n" v2 "addl " T ", " e "\n"
#define MAJ(a, b, c, d, e, wk, v1, v2)                                                             \
    "addl " wk ", " e "\n"                                                                         \
    "movl " d ", " U "\n"                                                                          \
    "movl " d ", " V "\n"                                                                          \
    "xorl " c ", " U "\n" v1 "andl " c ", " V "\n"                                                 \
    "andl " b ", " U "\n"                                                                          \
    "addl " V ", " e "\n"                                                                          \
    "rorxl $27, " a ", " T "\n"                                                                    \
    "rorxl $2, " b ", " b "\n"                                                                     \
    "addl " U ", " e "\n" v2 "addl " T ", " e "\n"

/* Words plus constants are at %rsp: 4 words of the first block, the same 4 of the second, and so
 * on. */
#define WORD(group, i, second) "32*" #group "+4*" #i "+16*" #second "(%rsp)"
#define PUT(group, k, x)                                                                           \
    "vpaddd 32*" #k "(%r13), " x ", %ymm8\n"                                                       \
    "vmovdqa %ymm8, 32*" #group "(%rsp)\n"

#define FOUR_ROUNDS(...) FOUR_ROUNDS_(__VA_ARGS__)
#define FOUR_ROUNDS_(F, a, b, c, d, e, group, second, v1, v2, v3, v4, v5, v6, v7, v8)              \
    F(a, b, c, d, e, WORD(group, 0, second), v1, v2)                                               \
    F(e, a, b, c, d, WORD(group, 1, second), v3, v4)                                               \
    F(d, e, a, b, c, WORD(group, 2, second), v5, v6)                                               \
    F(c, d, e, a, b, WORD(group, 3, second), v7, v8)

/* Four words of the schedule for both blocks, from the words 4, 8, 12 and 16 earlier, in eight
 * pieces to be distributed over four rounds. The last of the four needs the first: its part is
 * omitted by a shift that brings in zeros, and added, rotated twice, when it is known. */
#define EARLY(x, x4, x8, x12, x16)                                                                 \
    "vpalignr $8, " x16 ", " x12 ", " x "\nvpsrldq $4, " x4 ", %ymm8\n",                           \
        "vpxor " x16 ", " x ", " x "\nvpxor " x8 ", %ymm8, %ymm8\n",                               \
        "vpxor %ymm8, " x ", " x "\n", "vpslldq $12, " x ", %ymm9\nvpaddd " x ", " x ", %ymm8\n",  \
        "vpsrld $31, " x ", " x "\n", "vpor " x ", %ymm8, %ymm8\nvpsrld $30, %ymm9, " x "\n",      \
        "vpslld $2, %ymm9, %ymm9\nvpxor %ymm8, " x ", " x "\n", "vpxor %ymm9, " x ", " x "\n"

/* From word 32 on, the rule is applied twice, so that the four words do not need each other:
 * W[t] = (W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32]) <<< 2. x has the words 32 earlier. (M. Locktyukhin,
 * "Improving the performance of the Secure Hash Algorithm (SHA-1)", 2010.) */
#define LATE(x, x4, x8, x16, x28)                                                                  \
    "vpalignr $8, " x8 ", " x4 ", %ymm8\n", "vpxor " x16 ", " x ", " x "\n",                       \
        "vpxor " x28 ", %ymm8, %ymm8\n", "vpxor %ymm8, " x ", " x "\n",                            \
        "vpsrld $30, " x ", %ymm8\n", "vpslld $2, " x ", " x "\n", "vpor %ymm8, " x ", " x "\n",

#define END_BLOCK ADD_WORD(0, A) ADD_WORD(1, B) ADD_WORD(2, C) ADD_WORD(3, D) ADD_WORD(4, E)
#define LOAD_BLOCKS(i, x)                                                                          \
    "vmovdqu 16*" #i "(%rsi), %xmm" #i "\n"                                                        \
    "vinserti128 $1, 16*" #i "(%rdi), " x ", " x "\n"                                              \
    "vpshufb 128(%r13), " x ", " x "\n" PUT(i, 0, x)

/* The rounds' constants and the byte order, for both halves of a register. */
#define EIGHT(x)                                                                                   \
    { x, x, x, x, x, x, x, x }
static const _Alignas(32) struct {
    uint32_t k[4][8];
    uint8_t swap[32];
} constants = {
    {EIGHT(0x5a827999), EIGHT(0x6ed9eba1), EIGHT(0x8f1bbcdc), EIGHT(0xca62c1d6)},
    {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
     3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
};

/* Updates the state (%r12) with count blocks (%r11): alternately one at first (%rsi) and one at
 * second (%rdi), both of which then advance by 128 bytes. count is even, or 1: then second is read
 * but not hashed. %r14 keeps the caller's stack pointer. */
NAKED static void pairs(uint32_t state[5], const uint8_t *first, const uint8_t *second,
                        size_t count, const void *constant) {
    /* clang-format would write the rounds as a staircase. */
    /* clang-format off */
    __asm__(
        "pushq %rbp\n"
        "pushq %rbx\n"
        "pushq %r12\n"
        "pushq %r13\n"
        "pushq %r14\n"
        "movq %rsp, %r14\n"
        "subq $640, %rsp\n"
        "andq $-64, %rsp\n"
        "movq %rdi, %r12\n"
        "movq %rdx, %rdi\n"
        "movq %rcx, %r11\n"
        "movq %r8, %r13\n"
        LOAD_WORD(0, A) LOAD_WORD(1, B) LOAD_WORD(2, C) LOAD_WORD(3, D) LOAD_WORD(4, E)

        ".p2align 5\n"
        "1:\n"
        LOAD_BLOCKS(0, X0) LOAD_BLOCKS(1, X1) LOAD_BLOCKS(2, X2) LOAD_BLOCKS(3, X3)
        "subq $-128, %rsi\n"
        "subq $-128, %rdi\n"
        FOUR_ROUNDS(CH, A, B, C, D, E, 0, 0, EARLY(X4, X3, X2, X1, X0)) PUT(4, 0, X4)
        FOUR_ROUNDS(CH, B, C, D, E, A, 1, 0, EARLY(X5, X4, X3, X2, X1)) PUT(5, 1, X5)
        FOUR_ROUNDS(CH, C, D, E, A, B, 2, 0, EARLY(X6, X5, X4, X3, X2)) PUT(6, 1, X6)
        FOUR_ROUNDS(CH, D, E, A, B, C, 3, 0, EARLY(X7, X6, X5, X4, X3)) PUT(7, 1, X7)
        FOUR_ROUNDS(CH, E, A, B, C, D, 4, 0, LATE(X0, X7, X6, X4, X1)) PUT(8, 1, X0)
        FOUR_ROUNDS(PARITY, A, B, C, D, E, 5, 0, LATE(X1, X0, X7, X5, X2)) PUT(9, 1, X1)
        FOUR_ROUNDS(PARITY, B, C, D, E, A, 6, 0, LATE(X2, X1, X0, X6, X3)) PUT(10, 2, X2)
        FOUR_ROUNDS(PARITY, C, D, E, A, B, 7, 0, LATE(X3, X2, X1, X7, X4)) PUT(11, 2, X3)
        FOUR_ROUNDS(PARITY, D, E, A, B, C, 8, 0, LATE(X4, X3, X2, X0, X5)) PUT(12, 2, X4)
        FOUR_ROUNDS(PARITY, E, A, B, C, D, 9, 0, LATE(X5, X4, X3, X1, X6)) PUT(13, 2, X5)
        FOUR_ROUNDS(MAJ, A, B, C, D, E, 10, 0, LATE(X6, X5, X4, X2, X7)) PUT(14, 2, X6)
        FOUR_ROUNDS(MAJ, B, C, D, E, A, 11, 0, LATE(X7, X6, X5, X3, X0)) PUT(15, 3, X7)
        FOUR_ROUNDS(MAJ, C, D, E, A, B, 12, 0, LATE(X0, X7, X6, X4, X1)) PUT(16, 3, X0)
        FOUR_ROUNDS(MAJ, D, E, A, B, C, 13, 0, LATE(X1, X0, X7, X5, X2)) PUT(17, 3, X1)
        FOUR_ROUNDS(MAJ, E, A, B, C, D, 14, 0, LATE(X2, X1, X0, X6, X3)) PUT(18, 3, X2)
        FOUR_ROUNDS(PARITY, A, B, C, D, E, 15, 0, LATE(X3, X2, X1, X7, X4)) PUT(19, 3, X3)
        FOUR_ROUNDS(PARITY, B, C, D, E, A, 16, 0, NONE)
        FOUR_ROUNDS(PARITY, C, D, E, A, B, 17, 0, NONE)
        FOUR_ROUNDS(PARITY, D, E, A, B, C, 18, 0, NONE)
        FOUR_ROUNDS(PARITY, E, A, B, C, D, 19, 0, NONE)
        END_BLOCK
        "subq $2, %r11\n"
        "jc 2f\n"

        FOUR_ROUNDS(CH, A, B, C, D, E, 0, 1, NONE)
        FOUR_ROUNDS(CH, B, C, D, E, A, 1, 1, NONE)
        FOUR_ROUNDS(CH, C, D, E, A, B, 2, 1, NONE)
        FOUR_ROUNDS(CH, D, E, A, B, C, 3, 1, NONE)
        FOUR_ROUNDS(CH, E, A, B, C, D, 4, 1, NONE)
        FOUR_ROUNDS(PARITY, A, B, C, D, E, 5, 1, NONE)
        FOUR_ROUNDS(PARITY, B, C, D, E, A, 6, 1, NONE)
        FOUR_ROUNDS(PARITY, C, D, E, A, B, 7, 1, NONE)
        FOUR_ROUNDS(PARITY, D, E, A, B, C, 8, 1, NONE)
        FOUR_ROUNDS(PARITY, E, A, B, C, D, 9, 1, NONE)
        FOUR_ROUNDS(MAJ, A, B, C, D, E, 10, 1, NONE)
        FOUR_ROUNDS(MAJ, B, C, D, E, A, 11, 1, NONE)
        FOUR_ROUNDS(MAJ, C, D, E, A, B, 12, 1, NONE)
        FOUR_ROUNDS(MAJ, D, E, A, B, C, 13, 1, NONE)
        FOUR_ROUNDS(MAJ, E, A, B, C, D, 14, 1, NONE)
        FOUR_ROUNDS(PARITY, A, B, C, D, E, 15, 1, NONE)
        FOUR_ROUNDS(PARITY, B, C, D, E, A, 16, 1, NONE)
        FOUR_ROUNDS(PARITY, C, D, E, A, B, 17, 1, NONE)
        FOUR_ROUNDS(PARITY, D, E, A, B, C, 18, 1, NONE)
        FOUR_ROUNDS(PARITY, E, A, B, C, D, 19, 1, NONE)
        END_BLOCK
        "testq %r11, %r11\n"
        "jne 1b\n"

        "2:\n"
        "vzeroupper\n"
        "movq %r14, %rsp\n"
        "popq %r14\n"
        "popq %r13\n"
        "popq %r12\n"
        "popq %rbx\n"
        "popq %rbp\n"
        "ret\n");
    /* clang-format on */
}

#define PAIRS(h, first, second, count) pairs(h, first, second, count, &constants)
#include "pairs.h"

void cupel_sha1_avx2(uint32_t h[5], const uint8_t *blocks, size_t count, const uint8_t *tail,
                     size_t tail_count) {
    both_in_pairs(h, blocks, count, tail, tail_count);
}
