/* sha1_ref.c: SHA-1 as in FIPS 180-4, line by line. Tests compare every kernel with it. So it is
 * never tuned, and shares neither constants nor helpers with them. */
#include "sha1.h"

/* Sections 3.2 and 4.1.1. */
#define ROTL(n, x)      (((x) << (n)) | ((x) >> (32 - (n))))
#define Ch(x, y, z)     (((x) & (y)) ^ (~(x) & (z)))
#define Parity(x, y, z) ((x) ^ (y) ^ (z))
#define Maj(x, y, z)    (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))

static uint32_t f(int t, uint32_t x, uint32_t y, uint32_t z) {
    return t < 20   ? Ch(x, y, z)
           : t < 40 ? Parity(x, y, z)
           : t < 60 ? Maj(x, y, z)
                    : Parity(x, y, z);
}

/* Section 4.2.1. */
static uint32_t K(int t) {
    return t < 20 ? 0x5a827999 : t < 40 ? 0x6ed9eba1 : t < 60 ? 0x8f1bbcdc : 0xca62c1d6;
}

/* Section 6.1.2. */
static void block(uint32_t H[5], const uint8_t *M) {
    uint32_t W[80];
    for (int t = 0; t < 16; t++)
        W[t] = (uint32_t)M[4 * t] << 24 | (uint32_t)M[4 * t + 1] << 16 |
               (uint32_t)M[4 * t + 2] << 8 | (uint32_t)M[4 * t + 3];
    for (int t = 16; t < 80; t++) {
        uint32_t x = W[t - 3] ^ W[t - 8] ^ W[t - 14] ^ W[t - 16];
        W[t] = ROTL(1, x);
    }

    uint32_t a = H[0], b = H[1], c = H[2], d = H[3], e = H[4];
    for (int t = 0; t < 80; t++) {
        uint32_t T = ROTL(5, a) + f(t, b, c, d) + e + K(t) + W[t];
        e = d;
        d = c;
        c = ROTL(30, b);
        b = a;
        a = T;
    }
    H[0] += a;
    H[1] += b;
    H[2] += c;
    H[3] += d;
    H[4] += e;
}

void cupel_sha1_ref(uint32_t h[5], const uint8_t *blocks, size_t count, const uint8_t *tail,
                    size_t tail_count) {
    for (size_t i = 0; i < count; i++)
        block(h, blocks + 64 * i);
    for (size_t i = 0; i < tail_count; i++)
        block(h, tail + 64 * i);
}
