/* sha256_portable.c: SHA-256 in C11, for any CPU. The state stays in registers: the round is a
 * macro whose arguments rotate, so that no word moves, and the schedule keeps 16 words. */
#include "scalar.h"
#include "sha256.h"

#define SIGMA0(x) (rotr32(x, 2) ^ rotr32(x, 13) ^ rotr32(x, 22))
#define SIGMA1(x) (rotr32(x, 6) ^ rotr32(x, 11) ^ rotr32(x, 25))
#define sigma0(x) (rotr32(x, 7) ^ rotr32(x, 18) ^ (x) >> 3)
#define sigma1(x) (rotr32(x, 17) ^ rotr32(x, 19) ^ (x) >> 10)

/* Ch with one operation less than in the standard, and Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b. Its
 * a ^ b is the next round's b ^ c, and passes from round to round in ab and bc alternately. */
#define ROUND(a, b, c, d, e, f, g, h, ab, bc, wk)                                                  \
    do {                                                                                           \
        h += (wk);                                                                                 \
        h += g ^ (e & (f ^ g));                                                                    \
        h += SIGMA1(e);                                                                            \
        ab = a ^ b;                                                                                \
        d += h;                                                                                    \
        h += b ^ (ab & bc);                                                                        \
        h += SIGMA0(a);                                                                            \
    } while (0)

/* Words 0 to 15 are the block's; each later word replaces the one 16 before it. */
#define LOAD(i) (w[i] = load_be32(block + 4 * (i)))
#define NEXT(i) (w[i] += sigma1(w[((i) + 14) % 16]) + w[((i) + 9) % 16] + sigma0(w[((i) + 1) % 16]))

#define EIGHT_ROUNDS(i, W)                                                                         \
    do {                                                                                           \
        ROUND(a, b, c, d, e, f, g, h, x, y, k[(i) + 0] + W((i) + 0));                              \
        ROUND(h, a, b, c, d, e, f, g, y, x, k[(i) + 1] + W((i) + 1));                              \
        ROUND(g, h, a, b, c, d, e, f, x, y, k[(i) + 2] + W((i) + 2));                              \
        ROUND(f, g, h, a, b, c, d, e, y, x, k[(i) + 3] + W((i) + 3));                              \
        ROUND(e, f, g, h, a, b, c, d, x, y, k[(i) + 4] + W((i) + 4));                              \
        ROUND(d, e, f, g, h, a, b, c, y, x, k[(i) + 5] + W((i) + 5));                              \
        ROUND(c, d, e, f, g, h, a, b, x, y, k[(i) + 6] + W((i) + 6));                              \
        ROUND(b, c, d, e, f, g, h, a, y, x, k[(i) + 7] + W((i) + 7));                              \
    } while (0)

static void one_block(uint32_t state[8], const uint8_t *block) {
    const uint32_t *k = cupel_sha256_k;
    uint32_t w[16];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    uint32_t x, y = b ^ c;

    EIGHT_ROUNDS(0, LOAD);
    EIGHT_ROUNDS(8, LOAD);
    for (int i = 16; i < 64; i += 16) {
        k += 16;
        EIGHT_ROUNDS(0, NEXT);
        EIGHT_ROUNDS(8, NEXT);
    }

    ADD_WORD(state[0], a);
    ADD_WORD(state[1], b);
    ADD_WORD(state[2], c);
    ADD_WORD(state[3], d);
    ADD_WORD(state[4], e);
    ADD_WORD(state[5], f);
    ADD_WORD(state[6], g);
    ADD_WORD(state[7], h);
}

void cupel_sha256_portable(uint32_t h[8], const uint8_t *blocks, size_t count, const uint8_t *tail,
                           size_t tail_count) {
    for (size_t i = 0; i < count; i++)
        one_block(h, blocks + 64 * i);
    for (size_t i = 0; i < tail_count; i++)
        one_block(h, tail + 64 * i);
}
