/* sha256_ref.c: SHA-256 as in FIPS 180-4, line by line. Tests compare every kernel with it. So it
 * is never tuned, and shares neither constants nor helpers with them. */
#include "sha256.h"

/* Section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64
 * primes, computed from this definition: root becomes the largest integer whose cube is at most
 * prime * 2^96. */
__extension__ typedef unsigned __int128 wide;

static uint32_t fraction_of_cube_root(uint32_t prime) {
    wide root = 0;
    for (int bit = 34; bit >= 0; bit--) {
        wide trial = root | (wide)1 << bit;
        if (trial * trial * trial <= (wide)prime << 96)
            root = trial;
    }
    return (uint32_t)root;
}

static int is_prime(uint32_t n) {
    for (uint32_t d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return 1;
}

/* Sections 3.2 and 4.1.2. */
#define SHR(n, x)    ((x) >> (n))
#define ROTR(n, x)   (((x) >> (n)) | ((x) << (32 - (n))))
#define Ch(x, y, z)  (((x) & (y)) ^ (~(x) & (z)))
#define Maj(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))
#define SIGMA0(x)    (ROTR(2, x) ^ ROTR(13, x) ^ ROTR(22, x))
#define SIGMA1(x)    (ROTR(6, x) ^ ROTR(11, x) ^ ROTR(25, x))
#define sigma0(x)    (ROTR(7, x) ^ ROTR(18, x) ^ SHR(3, x))
#define sigma1(x)    (ROTR(17, x) ^ ROTR(19, x) ^ SHR(10, x))

/* Section 6.2.2. */
static void block(uint32_t H[8], const uint8_t *M, const uint32_t K[64]) {
    uint32_t W[64];
    for (int t = 0; t < 16; t++)
        W[t] = (uint32_t)M[4 * t] << 24 | (uint32_t)M[4 * t + 1] << 16 |
               (uint32_t)M[4 * t + 2] << 8 | (uint32_t)M[4 * t + 3];
    for (int t = 16; t < 64; t++)
        W[t] = sigma1(W[t - 2]) + W[t - 7] + sigma0(W[t - 15]) + W[t - 16];

    uint32_t a = H[0], b = H[1], c = H[2], d = H[3], e = H[4], f = H[5], g = H[6], h = H[7];
    for (int t = 0; t < 64; t++) {
        uint32_t T1 = h + SIGMA1(e) + Ch(e, f, g) + K[t] + W[t];
        uint32_t T2 = SIGMA0(a) + Maj(a, b, c);
        h = g;
        g = f;
        f = e;
        e = d + T1;
        d = c;
        c = b;
        b = a;
        a = T1 + T2;
    }
    H[0] += a;
    H[1] += b;
    H[2] += c;
    H[3] += d;
    H[4] += e;
    H[5] += f;
    H[6] += g;
    H[7] += h;
}

void cupel_sha256_ref(uint32_t h[8], const uint8_t *blocks, size_t count, const uint8_t *tail,
                      size_t tail_count) {
    static uint32_t K[64]; /* filled by the first call: this file is for tests, in one thread */
    for (uint32_t t = 0, prime = 2; K[63] == 0; prime++)
        if (is_prime(prime))
            K[t++] = fraction_of_cube_root(prime);
    for (size_t i = 0; i < count; i++)
        block(h, blocks + 64 * i, K);
    for (size_t i = 0; i < tail_count; i++)
        block(h, tail + 64 * i, K);
}
