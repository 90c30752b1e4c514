/* sha256_ssse3.c: SHA-256 with SSSE3. The vector registers compute the schedule of the next 16
 * words in the gaps between the rounds of the last 16. Assembly for the reasons given in
 * sha256_avx2.c. Without rorx and andn, a round has 26 instructions, 23 of them arithmetic.
 * Sigma1(e) is added to d and to h separately: that is one addition more, but keeps the chain from
 * e to the next e at six. */
#include "sha256_assembly.h"

/* One round, with up to four pieces of vector work. Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b. */
#define ROUND(a, b, c, d, e, f, g, h, ab, bc, wk, v1, v2, v3, v4)                                  \
    "movl " e ", " T "\n"                                                                          \
    "rorl $14, " T "\n"                                                                            \
    "xorl " e ", " T "\n"                                                                          \
    "addl " wk ", " h "\n"                                                                         \
    "rorl $5, " T "\n"                                                                             \
    "movl " f ", " ab "\n" v1 "xorl " g ", " ab "\n"                                               \
    "xorl " e ", " T "\n"                                                                          \
    "andl " e ", " ab "\n"                                                                         \
    "xorl " g ", " ab "\n"                                                                         \
    "addl " ab ", " h "\n"                                                                         \
    "addl " h ", " d "\n" v2 "rorl $6, " T "\n"                                                    \
    "addl " T ", " d "\n"                                                                          \
    "addl " T ", " h "\n"                                                                          \
    "addl " S0 ", " a "\n"                                                                         \
    "movl " a ", " ab "\n"                                                                         \
    "xorl " b ", " ab "\n" v3 "movl " a ", " S0 "\n"                                               \
    "rorl $9, " S0 "\n"                                                                            \
    "xorl " a ", " S0 "\n"                                                                         \
    "andl " ab ", " bc "\n"                                                                        \
    "rorl $11, " S0 "\n"                                                                           \
    "xorl " a ", " S0 "\n" v4 "xorl " b ", " bc "\n"                                               \
    "rorl $2, " S0 "\n"                                                                            \
    "addl " bc ", " h "\n"

/* Words plus constants of 16 rounds are at %rsp; new ones replace the words of four rounds at a
 * time.
 */
#define WORD(group, i) "16*" #group "+4*" #i "(%rsp)"
#define PUT(group, x)                                                                              \
    "movdqa 16*" #group "(%rbp), %xmm8\n"                                                          \
    "paddd " x ", %xmm8\n"                                                                         \
    "movdqa %xmm8, 16*" #group "(%rsp)\n"

/* Four words of the schedule after x3, from the 16 in x0 to x3; they replace x0. In 16 pieces, to
 * be distributed over four rounds. */
#define V1(x0, x1) "movdqa " x1 ", %xmm4\npalignr $4, " x0 ", %xmm4\n" /* words t-15 */
#define V2(x2, x3) "movdqa " x3 ", %xmm5\npalignr $4, " x2 ", %xmm5\n" /* words t-7 */
#define V3(x0)     "movdqa %xmm4, %xmm6\nmovdqa %xmm4, %xmm7\npaddd %xmm5, " x0 "\n"
#define V4         "psrld $7, %xmm6\npsrld $3, %xmm7\npslld $14, %xmm4\n"
/* sigma0's second rotation continues from the shifts of the first */
#define V5         "pxor %xmm6, %xmm7\npsrld $11, %xmm6\n"
#define V6         "pxor %xmm4, %xmm7\npslld $11, %xmm4\n"
#define V7         "pxor %xmm6, %xmm7\npxor %xmm4, %xmm7\n"
#define V8(x0)     "paddd %xmm7, " x0 "\n"
/* sigma1, two words at a time, because the latter two need the former: xmm7 has each word twice,
 * side by side, so that a shift of 64 bits is a rotation */
#define V9(x3)     "pshufd $0xfa, " x3 ", %xmm7\nmovdqa %xmm7, %xmm6\npsrlq $17, %xmm7\n"
#define V10        "psrld $10, %xmm6\npxor %xmm7, %xmm6\npsrlq $2, %xmm7\n"
#define V11        "pxor %xmm7, %xmm6\npshufb %xmm9, %xmm6\n"
#define V12(x0)    "paddd %xmm6, " x0 "\n"
#define V13(x0)    "pshufd $0x50, " x0 ", %xmm7\nmovdqa %xmm7, %xmm6\npsrlq $17, %xmm7\n"
#define V16        "pxor %xmm7, %xmm6\npshufb %xmm10, %xmm6\n"

#define FOUR_ROUNDS_AND_WORDS(a, b, c, d, e, f, g, h, group, x0, x1, x2, x3)                       \
    ROUND(a, b, c, d, e, f, g, h, XY, YX, WORD(group, 0), V1(x0, x1), V2(x2, x3), V3(x0), V4)      \
    ROUND(h, a, b, c, d, e, f, g, YX, XY, WORD(group, 1), V5, V6, V7, V8(x0))                      \
    ROUND(g, h, a, b, c, d, e, f, XY, YX, WORD(group, 2), V9(x3), V10, V11, V12(x0))               \
    ROUND(f, g, h, a, b, c, d, e, YX, XY, WORD(group, 3), V13(x0), V10, V16, V12(x0))              \
    PUT(group, x0)

#define FOUR_ROUNDS(a, b, c, d, e, f, g, h, group)                                                 \
    ROUND(a, b, c, d, e, f, g, h, XY, YX, WORD(group, 0), , , , )                                  \
    ROUND(h, a, b, c, d, e, f, g, YX, XY, WORD(group, 1), , , , )                                  \
    ROUND(g, h, a, b, c, d, e, f, XY, YX, WORD(group, 2), , , , )                                  \
    ROUND(f, g, h, a, b, c, d, e, YX, XY, WORD(group, 3), , , , )

/* Updates the state with count blocks, at least 1.
 *
 * The frame, aligned to 64 bytes: 0 words plus constants, 64 the caller's stack pointer, 72 state,
 * 80 count, 88 constants, 96 their end; %r15 points to the next block. */
NAKED static void run(uint32_t state[8], const uint8_t *blocks, size_t count, const uint32_t *k,
                      const void *shuffle) {
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
        "subq $128, %rsp\n"
        "andq $-64, %rsp\n"
        "movq %rax, 64(%rsp)\n"
        "movq %rdi, 72(%rsp)\n"
        "movq %rdx, 80(%rsp)\n"
        "movq %rcx, 88(%rsp)\n"
        "addq $256, %rcx\n"
        "movq %rcx, 96(%rsp)\n"
        "movdqa 0(%r8), %xmm11\n"
        "movdqa 16(%r8), %xmm9\n"
        "movdqa 32(%r8), %xmm10\n"
        "movq %rsi, %r15\n"
        "movq %rdi, %r13\n"
        LOAD_WORD(0, A) LOAD_WORD(1, B) LOAD_WORD(2, C) LOAD_WORD(3, D) LOAD_WORD(4, E)
        LOAD_WORD(5, F) LOAD_WORD(6, G) LOAD_WORD(7, H)

        ".p2align 5\n"
        "1:\n"
        "movdqu 0(%r15), %xmm0\n"
        "movdqu 16(%r15), %xmm1\n"
        "movdqu 32(%r15), %xmm2\n"
        "movdqu 48(%r15), %xmm3\n"
        "pshufb %xmm11, %xmm0\n"
        "pshufb %xmm11, %xmm1\n"
        "pshufb %xmm11, %xmm2\n"
        "pshufb %xmm11, %xmm3\n"
        "addq $64, %r15\n"
        "movq 88(%rsp), %rbp\n"
        PUT(0, "%xmm0") PUT(1, "%xmm1") PUT(2, "%xmm2") PUT(3, "%xmm3")
        "addq $64, %rbp\n"
        "movl " B ", " YX "\n"
        "xorl " C ", " YX "\n"
        "xorl " S0 ", " S0 "\n"

        ".p2align 5\n"
        "2:\n"
        FOUR_ROUNDS_AND_WORDS(A, B, C, D, E, F, G, H, 0, "%xmm0", "%xmm1", "%xmm2", "%xmm3")
        FOUR_ROUNDS_AND_WORDS(E, F, G, H, A, B, C, D, 1, "%xmm1", "%xmm2", "%xmm3", "%xmm0")
        FOUR_ROUNDS_AND_WORDS(A, B, C, D, E, F, G, H, 2, "%xmm2", "%xmm3", "%xmm0", "%xmm1")
        FOUR_ROUNDS_AND_WORDS(E, F, G, H, A, B, C, D, 3, "%xmm3", "%xmm0", "%xmm1", "%xmm2")
        "addq $64, %rbp\n"
        "cmpq 96(%rsp), %rbp\n"
        "jne 2b\n"

        FOUR_ROUNDS(A, B, C, D, E, F, G, H, 0)
        FOUR_ROUNDS(E, F, G, H, A, B, C, D, 1)
        FOUR_ROUNDS(A, B, C, D, E, F, G, H, 2)
        FOUR_ROUNDS(E, F, G, H, A, B, C, D, 3)
        "addl " S0 ", " A "\n"
        "movq 72(%rsp), %r13\n"
        ADD_WORD(0, A) ADD_WORD(1, B) ADD_WORD(2, C) ADD_WORD(3, D) ADD_WORD(4, E)
        ADD_WORD(5, F) ADD_WORD(6, G) ADD_WORD(7, H)
        "decq 80(%rsp)\n"
        "jne 1b\n"

        "movq 64(%rsp), %rsp\n"
        "popq %r15\n"
        "popq %r14\n"
        "popq %r13\n"
        "popq %r12\n"
        "popq %rbx\n"
        "popq %rbp\n"
        "ret\n");
    /* clang-format on */
}

void cupel_sha256_ssse3(uint32_t h[8], const uint8_t *blocks, size_t count, const uint8_t *tail,
                        size_t tail_count) {
    if (count != 0)
        run(h, blocks, count, cupel_sha256_k, &shuffles);
    if (tail_count != 0)
        run(h, tail, tail_count, cupel_sha256_k, &shuffles);
}
