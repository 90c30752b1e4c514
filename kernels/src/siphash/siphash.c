/* siphash.c: SipHash-c-d of one message. All the work is one chain from round to round: four steps
 * of add, rotate, xor, two side by side, so that vector units do not help for a single message. */
#include "siphash.h"
#include "siphash_rounds.h"

#define ROUND                                                                                      \
    do {                                                                                           \
        v0 += v1;                                                                                  \
        v2 += v3;                                                                                  \
        v1 = rotl64(v1, 13) ^ v0;                                                                  \
        v3 = rotl64(v3, 16) ^ v2;                                                                  \
        v0 = rotl64(v0, 32);                                                                       \
        v2 += v1;                                                                                  \
        v0 += v3;                                                                                  \
        v1 = rotl64(v1, 17) ^ v2;                                                                  \
        v3 = rotl64(v3, 21) ^ v0;                                                                  \
        v2 = rotl64(v2, 32);                                                                       \
    } while (0)

#define ABSORB(word)                                                                               \
    do {                                                                                           \
        uint64_t m = (word);                                                                       \
        v3 ^= m;                                                                                   \
        ROUNDS(c);                                                                                 \
        v0 ^= m;                                                                                   \
    } while (0)

/* Computes the tag from the state after the last word. */
#define END                                                                                        \
    do {                                                                                           \
        v2 ^= wide ? SIP_LONG_END : SIP_END;                                                       \
        ROUNDS(d);                                                                                 \
        store_le64(tag, v0 ^ v1 ^ v2 ^ v3);                                                        \
        if (wide) {                                                                                \
            v1 ^= SIP_LONG_END2;                                                                   \
            ROUNDS(d);                                                                             \
            store_le64(tag + 8, v0 ^ v1 ^ v2 ^ v3);                                                \
        }                                                                                          \
    } while (0)

INLINED void sip(uint8_t *tag, int wide, unsigned c, unsigned d, const uint8_t *key,
                 const void *message, size_t length) {
    const uint8_t *at = message, *end = at + (length & ~(size_t)7);
    uint64_t k0 = load_le64(key), k1 = load_le64(key + 8);
    uint64_t v0 = k0 ^ SIP_V0, v1 = k1 ^ SIP_V1, v2 = k0 ^ SIP_V2, v3 = k1 ^ SIP_V3;
    if (wide)
        v1 ^= SIP_LONG_V1;
    for (; at != end; at += 8)
        ABSORB(load_le64(at));
    ABSORB(sip_last_word(end, length));
    END;
}

void cupel_siphash_2_4(uint8_t tag[8], const uint8_t key[CUPEL_SIPHASH_KEY], const void *message,
                       size_t length) {
    sip(tag, 0, 2, 4, key, message, length);
}

void cupel_siphash_1_3(uint8_t tag[8], const uint8_t key[CUPEL_SIPHASH_KEY], const void *message,
                       size_t length) {
    sip(tag, 0, 1, 3, key, message, length);
}

void cupel_siphash_2_4_128(uint8_t tag[16], const uint8_t key[CUPEL_SIPHASH_KEY],
                           const void *message, size_t length) {
    sip(tag, 1, 2, 4, key, message, length);
}

void cupel_siphash_1_3_128(uint8_t tag[16], const uint8_t key[CUPEL_SIPHASH_KEY],
                           const void *message, size_t length) {
    sip(tag, 1, 1, 3, key, message, length);
}

int cupel_siphash(uint8_t *tag, size_t tag_length, unsigned c, unsigned d,
                  const uint8_t key[CUPEL_SIPHASH_KEY], const void *message, size_t length) {
    if (c == 0 || d == 0 || (tag_length != 8 && tag_length != 16))
        return -1;
    int wide = tag_length == 16;
    if (c == 2 && d == 4 && !wide)
        cupel_siphash_2_4(tag, key, message, length);
    else if (c == 1 && d == 3 && !wide)
        cupel_siphash_1_3(tag, key, message, length);
    else
        sip(tag, wide, c, d, key, message, length);
    return 0;
}

void cupel_siphash_rest(uint8_t *tag, int wide, unsigned c, unsigned d, const uint64_t state[4],
                        const uint8_t *at, size_t count, uint64_t last) {
    uint64_t v0 = state[0], v1 = state[1], v2 = state[2], v3 = state[3];
    for (; count != 0; count--, at += 8)
        ABSORB(load_le64(at));
    ABSORB(last);
    END;
}
