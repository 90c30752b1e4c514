/* siphash_ref.c: SipHash as in the paper's section 2, step by step, for any c and d; the longer
 * output as in the authors' reference code. Tests compare the other code with it. So it is never
 * tuned, and shares nothing with the other code. */
#include "siphash_ref.h"

static uint64_t v[4];

static uint64_t rotate(uint64_t x, int n) {
    return (x << n) | (x >> (64 - n));
}

/* Figure 2.1. */
static void sip_round(void) {
    v[0] += v[1];
    v[1] = rotate(v[1], 13);
    v[1] ^= v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16);
    v[3] ^= v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21);
    v[3] ^= v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17);
    v[1] ^= v[2];
    v[2] = rotate(v[2], 32);
}

static uint64_t word(const uint8_t *bytes, size_t count) {
    uint64_t x = 0;
    for (size_t i = 0; i < count; i++)
        x += (uint64_t)bytes[i] << (8 * i);
    return x;
}

static void put(uint8_t *tag) {
    uint64_t x = v[0] ^ v[1] ^ v[2] ^ v[3];
    for (int i = 0; i < 8; i++)
        tag[i] = (uint8_t)(x >> (8 * i));
}

void siphash_ref(uint8_t *tag, size_t tag_length, unsigned c, unsigned d, const uint8_t key[16],
                 const uint8_t *message, size_t length) {
    /* 1. Initialization */
    uint64_t k0 = word(key, 8), k1 = word(key + 8, 8);
    v[0] = k0 ^ 0x736f6d6570736575;
    v[1] = k1 ^ 0x646f72616e646f6d;
    v[2] = k0 ^ 0x6c7967656e657261;
    v[3] = k1 ^ 0x7465646279746573;
    if (tag_length == 16)
        v[1] ^= 0xee;
    /* 2. Compression; the last word ends with the length modulo 256 */
    for (size_t i = 0; i <= length / 8; i++) {
        uint64_t m = i < length / 8
                         ? word(message + 8 * i, 8)
                         : word(message + 8 * i, length % 8) | (uint64_t)(length % 256) << 56;
        v[3] ^= m;
        for (unsigned r = 0; r < c; r++)
            sip_round();
        v[0] ^= m;
    }
    /* 3. Finalization */
    v[2] ^= tag_length == 16 ? 0xee : 0xff;
    for (unsigned r = 0; r < d; r++)
        sip_round();
    put(tag);
    if (tag_length == 16) {
        v[1] ^= 0xdd;
        for (unsigned r = 0; r < d; r++)
            sip_round();
        put(tag + 8);
    }
}
