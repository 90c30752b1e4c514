/* sha1_ssse3.c: SHA-1 with SSSE3. The vector registers compute the schedule of the next 16 words in
 * the gaps between the rounds of the last 16. Assembly for the reasons given in sha1_avx2.c. */
#include "sha1_assembly.h"

#define X0 "%xmm0"
#define X1 "%xmm1"
#define X2 "%xmm2"
#define X3 "%xmm3"
#define X4 "%xmm4"
#define X5 "%xmm5"
#define X6 "%xmm6"
#define X7 "%xmm7"

/* One round with up to two pieces of vector work: e += W + K + F(b, c, d) + (a <<< 5), then
 * b <<<= 30. Maj is two terms that have no bit in common, so that each is added as soon as it is
 * known. */
#define CH(a, b, c, d, e, wk, v1, v2)                                                              \
    "movl " c ", " U "\n"                                                                          \
    "addl " wk ", " e "\n"                                                                         \
    "xorl " d ", " U "\n" v1 "movl " a ", " T "\n"                                                 \
    "andl " b ", " U "\n"                                                                          \
    "roll $5, " T "\n"                                                                             \
    "xorl " d ", " U "\n"                                                                          \
    "rorl $2, " b "\n"                                                                             \
    "addl " U ", " e "\n" v2 "addl " T ", " e "\n"
#define PARITY(a, b, c, d, e, wk, v1, v2)                                                          \
    "movl " d ", " U "\n"                                                                          \
    "addl " wk ", " e "\n"                                                                         \
    "xorl " c ", " U "\n" v1 "movl " a ", " T "\n"                                                 \
    "xorl " b ", " U "\n"                                                                          \
    "roll $5, " T "\n"                                                                             \
    "rorl $2, " b "\n"                                                                             \
    "addl " U ", " e "\n" v2 "addl " T ", " e "\n"
#define MAJ(a, b, c, d, e, wk, v1, v2)                                                             \
    "movl " d ", " U "\n"                                                                          \
    "addl " wk ", " e "\n"                                                                         \
    "movl " d ", " V "\n"                                                                          \
    "xorl " c ", " U "\n" v1 "andl " c ", " V "\n"                                                 \
    "movl " a ", " T "\n"                                                                          \
    "andl " b ", " U "\n"                                                                          \
    "addl " V ", " e "\n"                                                                          \
    "roll $5, " T "\n"                                                                             \
    "rorl $2, " b "\n"                                                                             \
    "addl " U ", " e "\n" v2 "addl " T ", " e "\n"

/* Words plus constants of 16 rounds are at %rsp; new ones replace the words of four rounds at a
 * time.
 */
#define WORD(group, i) "16*" #group "+4*" #i "(%rsp)"
#define PUT(group, k, x)                                                                           \
    "movdqa 16*" #k "(%r13), %xmm8\n"                                                              \
    "paddd " x ", %xmm8\n"                                                                         \
    "movdqa %xmm8, 16*" #group "(%rsp)\n"

#define FOUR_ROUNDS(...) FOUR_ROUNDS_(__VA_ARGS__)
#define FOUR_ROUNDS_(F, a, b, c, d, e, group, v1, v2, v3, v4, v5, v6, v7, v8)                      \
    F(a, b, c, d, e, WORD(group, 0), v1, v2)                                                       \
    F(e, a, b, c, d, WORD(group, 1), v3, v4)                                                       \
    F(d, e, a, b, c, WORD(group, 2), v5, v6)                                                       \
    F(c, d, e, a, b, WORD(group, 3), v7, v8)

/* Four words of the schedule, from the words 4, 8, 12 and 16 earlier, in eight pieces to be
 * distributed over four rounds. The last of the four needs the first: its part is omitted by a
 * shift that brings in zeros, and added, rotated twice, when it is known. */
#define EARLY(x, x4, x8, x12, x16)                                                                 \
    "movdqa " x12 ", " x "\npalignr $8, " x16 ", " x "\n",                                         \
        "movdqa " x4 ", %xmm8\npsrldq $4, %xmm8\n", "pxor " x16 ", " x "\npxor " x8 ", %xmm8\n",   \
        "pxor %xmm8, " x "\nmovdqa " x ", %xmm9\nmovdqa " x ", %xmm8\n",                           \
        "pslldq $12, %xmm9\npaddd %xmm8, %xmm8\npsrld $31, " x "\n",                               \
        "por %xmm8, " x "\nmovdqa %xmm9, %xmm8\n", "psrld $30, %xmm8\npslld $2, %xmm9\n",          \
        "pxor %xmm8, " x "\npxor %xmm9, " x "\n"

/* From word 32 on, the rule is applied twice, so that the four words do not need each other:
 * W[t] = (W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32]) <<< 2. x has the words 32 earlier. (M. Locktyukhin,
 * "Improving the performance of the Secure Hash Algorithm (SHA-1)", 2010.) */
#define LATE(x, x4, x8, x16, x28)                                                                  \
    "movdqa " x4 ", %xmm8\n", "palignr $8, " x8 ", %xmm8\n", "pxor " x16 ", " x "\n",              \
        "pxor " x28 ", %xmm8\n", "pxor %xmm8, " x "\n", "movdqa " x ", %xmm8\npsrld $30, %xmm8\n", \
        "pslld $2, " x "\n", "por %xmm8, " x "\n"

#define LOAD_WORDS(i, x)                                                                           \
    "movdqu 16*" #i "(%rsi), " x "\n"                                                              \
    "pshufb 64(%r13), " x "\n" PUT(i, 0, x)

/* The rounds' constants and the byte order. */
#define FOUR(x)                                                                                    \
    { x, x, x, x }
static const _Alignas(16) struct {
    uint32_t k[4][4];
    uint8_t swap[16];
} constants = {
    {FOUR(0x5a827999), FOUR(0x6ed9eba1), FOUR(0x8f1bbcdc), FOUR(0xca62c1d6)},
    {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
};

/* Updates the state (%r12) with count blocks (%r11) at %rsi, at least 1. %r14 keeps the caller's
 * stack pointer. */
NAKED static void run(uint32_t state[5], const uint8_t *blocks, size_t count,
                      const void *constant) {
    /* clang-format would write the rounds as a staircase. */
    /* clang-format off */
    __asm__(
        "pushq %rbp\n"
        "pushq %rbx\n"
        "pushq %r12\n"
        "pushq %r13\n"
        "pushq %r14\n"
        "movq %rsp, %r14\n"
        "subq $64, %rsp\n"
        "andq $-64, %rsp\n"
        "movq %rdi, %r12\n"
        "movq %rdx, %r11\n"
        "movq %rcx, %r13\n"
        LOAD_WORD(0, A) LOAD_WORD(1, B) LOAD_WORD(2, C) LOAD_WORD(3, D) LOAD_WORD(4, E)

        ".p2align 5\n"
        "1:\n"
        LOAD_WORDS(0, X0) LOAD_WORDS(1, X1) LOAD_WORDS(2, X2) LOAD_WORDS(3, X3)
        "addq $64, %rsi\n"
        FOUR_ROUNDS(CH, A, B, C, D, E, 0, EARLY(X4, X3, X2, X1, X0)) PUT(0, 0, X4)
        FOUR_ROUNDS(CH, B, C, D, E, A, 1, EARLY(X5, X4, X3, X2, X1)) PUT(1, 1, X5)
        FOUR_ROUNDS(CH, C, D, E, A, B, 2, EARLY(X6, X5, X4, X3, X2)) PUT(2, 1, X6)
        FOUR_ROUNDS(CH, D, E, A, B, C, 3, EARLY(X7, X6, X5, X4, X3)) PUT(3, 1, X7)
        FOUR_ROUNDS(CH, E, A, B, C, D, 0, LATE(X0, X7, X6, X4, X1)) PUT(0, 1, X0)
        FOUR_ROUNDS(PARITY, A, B, C, D, E, 1, LATE(X1, X0, X7, X5, X2)) PUT(1, 1, X1)
        FOUR_ROUNDS(PARITY, B, C, D, E, A, 2, LATE(X2, X1, X0, X6, X3)) PUT(2, 2, X2)
        FOUR_ROUNDS(PARITY, C, D, E, A, B, 3, LATE(X3, X2, X1, X7, X4)) PUT(3, 2, X3)
        FOUR_ROUNDS(PARITY, D, E, A, B, C, 0, LATE(X4, X3, X2, X0, X5)) PUT(0, 2, X4)
        FOUR_ROUNDS(PARITY, E, A, B, C, D, 1, LATE(X5, X4, X3, X1, X6)) PUT(1, 2, X5)
        FOUR_ROUNDS(MAJ, A, B, C, D, E, 2, LATE(X6, X5, X4, X2, X7)) PUT(2, 2, X6)
        FOUR_ROUNDS(MAJ, B, C, D, E, A, 3, LATE(X7, X6, X5, X3, X0)) PUT(3, 3, X7)
        FOUR_ROUNDS(MAJ, C, D, E, A, B, 0, LATE(X0, X7, X6, X4, X1)) PUT(0, 3, X0)
        FOUR_ROUNDS(MAJ, D, E, A, B, C, 1, LATE(X1, X0, X7, X5, X2)) PUT(1, 3, X1)
        FOUR_ROUNDS(MAJ, E, A, B, C, D, 2, LATE(X2, X1, X0, X6, X3)) PUT(2, 3, X2)
        FOUR_ROUNDS(PARITY, A, B, C, D, E, 3, LATE(X3, X2, X1, X7, X4)) PUT(3, 3, X3)
        FOUR_ROUNDS(PARITY, B, C, D, E, A, 0, NONE)
        FOUR_ROUNDS(PARITY, C, D, E, A, B, 1, NONE)
        FOUR_ROUNDS(PARITY, D, E, A, B, C, 2, NONE)
        FOUR_ROUNDS(PARITY, E, A, B, C, D, 3, NONE)
        ADD_WORD(0, A) ADD_WORD(1, B) ADD_WORD(2, C) ADD_WORD(3, D) ADD_WORD(4, E)
        "decq %r11\n"
        "jne 1b\n"

        "movq %r14, %rsp\n"
        "popq %r14\n"
        "popq %r13\n"
        "popq %r12\n"
        "popq %rbx\n"
        "popq %rbp\n"
        "ret\n");
    /* clang-format on */
}

void cupel_sha1_ssse3(uint32_t h[5], const uint8_t *blocks, size_t count, const uint8_t *tail,
                      size_t tail_count) {
    if (count != 0)
        run(h, blocks, count, &constants);
    if (tail_count != 0)
        run(h, tail, tail_count, &constants);
}
