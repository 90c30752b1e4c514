/* sha1_portable.c: SHA-1 in C11, for any CPU. The state stays in registers: the round is a macro
 * whose arguments rotate, so that no word moves, and the schedule keeps 16 words. */
#include "scalar.h"
#include "sha1.h"

/* Ch with one operation less than in the standard; Maj as two terms that have no bit in common, so
 * that each is added as soon as it is known. */
#define CH(b, c, d)     (d ^ (b & (c ^ d)))
#define PARITY(b, c, d) (b ^ c ^ d)
#define MAJ(b, c, d)    (c & d) + (b & (c ^ d))

#define ROUND(F, a, b, c, d, e, k, w)                                                              \
    do {                                                                                           \
        e += (w) + (k);                                                                            \
        e += F(b, c, d);                                                                           \
        e += rotl32(a, 5);                                                                         \
        b = rotl32(b, 30);                                                                         \
    } while (0)

/* Words 0 to 15 are the block's; each later word replaces the one 16 before it. */
#define LOAD(i) (w[i] = load_be32(block + 4 * (i)))
#define NEXT(i)                                                                                    \
    (w[(i) % 16] =                                                                                 \
         rotl32(w[((i) + 13) % 16] ^ w[((i) + 8) % 16] ^ w[((i) + 2) % 16] ^ w[(i) % 16], 1))

#define FIVE_ROUNDS(F, k, i, W)                                                                    \
    do {                                                                                           \
        ROUND(F, a, b, c, d, e, k, W((i) + 0));                                                    \
        ROUND(F, e, a, b, c, d, k, W((i) + 1));                                                    \
        ROUND(F, d, e, a, b, c, k, W((i) + 2));                                                    \
        ROUND(F, c, d, e, a, b, k, W((i) + 3));                                                    \
        ROUND(F, b, c, d, e, a, k, W((i) + 4));                                                    \
    } while (0)

#define TWENTY_ROUNDS(F, k, i)                                                                     \
    do {                                                                                           \
        FIVE_ROUNDS(F, k, i, NEXT);                                                                \
        FIVE_ROUNDS(F, k, (i) + 5, NEXT);                                                          \
        FIVE_ROUNDS(F, k, (i) + 10, NEXT);                                                         \
        FIVE_ROUNDS(F, k, (i) + 15, NEXT);                                                         \
    } while (0)

static void one_block(uint32_t state[5], const uint8_t *block) {
    const uint32_t k0 = 0x5a827999, k1 = 0x6ed9eba1, k2 = 0x8f1bbcdc, k3 = 0xca62c1d6;
    uint32_t w[16];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];

    FIVE_ROUNDS(CH, k0, 0, LOAD);
    FIVE_ROUNDS(CH, k0, 5, LOAD);
    FIVE_ROUNDS(CH, k0, 10, LOAD);
    ROUND(CH, a, b, c, d, e, k0, LOAD(15));
    ROUND(CH, e, a, b, c, d, k0, NEXT(16));
    ROUND(CH, d, e, a, b, c, k0, NEXT(17));
    ROUND(CH, c, d, e, a, b, k0, NEXT(18));
    ROUND(CH, b, c, d, e, a, k0, NEXT(19));
    TWENTY_ROUNDS(PARITY, k1, 20);
    TWENTY_ROUNDS(MAJ, k2, 40);
    TWENTY_ROUNDS(PARITY, k3, 60);

    ADD_WORD(state[0], a);
    ADD_WORD(state[1], b);
    ADD_WORD(state[2], c);
    ADD_WORD(state[3], d);
    ADD_WORD(state[4], e);
}

void cupel_sha1_portable(uint32_t h[5], const uint8_t *blocks, size_t count, const uint8_t *tail,
                         size_t tail_count) {
    for (size_t i = 0; i < count; i++)
        one_block(h, blocks + 64 * i);
    for (size_t i = 0; i < tail_count; i++)
        one_block(h, tail + 64 * i);
}
