/* siphash.c: SipHash-c-d of one message. All the work is one chain from round to round: four steps
 * of add, rotate, xor, two side by side, so that vector units do not help for a single message. */
#include "siphash.h"
#include "scalar.h"
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

/* A round that ends with v0 ^= word and v3 ^= next. The latter would be on the longest path: v3 is
 * the rotated v3 xor the new v0, and both are ready at the same time. The rotation distributes over
 * the xor of which that v3 consists, so that next is xored early, to the one half. SCALAR keeps
 * compilers from sorting the terms again. */
#define LAST_ROUND(word, next)                                                                     \
    do {                                                                                           \
        uint64_t v3_early = rotl64(v3, 16 + 21) ^ (next);                                          \
        SCALAR(v3_early);                                                                          \
        v0 += v1;                                                                                  \
        v2 += v3;                                                                                  \
        v3_early ^= rotl64(v2, 21);                                                                \
        SCALAR(v3_early);                                                                          \
        v1 = rotl64(v1, 13) ^ v0;                                                                  \
        v3 = rotl64(v3, 16) ^ v2;                                                                  \
        v0 = rotl64(v0, 32);                                                                       \
        v2 += v1;                                                                                  \
        v0 += v3;                                                                                  \
        v1 = rotl64(v1, 17) ^ v2;                                                                  \
        v3 = v3_early ^ v0;                                                                        \
        v2 = rotl64(v2, 32);                                                                       \
        v0 ^= (word);                                                                              \
    } while (0)

/* The rounds of a word, from its being xored to v3 until the next one is. */
#ifdef CUPEL_X86
/* Two rounds in the order that a search on the CPU found. In the compilers' orders, the same
 * instructions take 3 to 7 % longer, because they compete with the longest path for units. */
#define TWO_ROUNDS(word, next)                                                                     \
    do {                                                                                           \
        uint64_t v3_early, sum;                                                                    \
        __asm__("add %[v3], %[v2]\n\trol $16, %[v3]\n\txor %[v2], %[v3]\n\t"                       \
                "add %[v1], %[v0]\n\trol $13, %[v1]\n\txor %[v0], %[v1]\n\t"                       \
                "rol $32, %[v0]\n\tadd %[v3], %[v0]\n\t"                                           \
                "rol $21, %[v3]\n\txor %[v0], %[v3]\n\t"                                           \
                "add %[v1], %[v2]\n\trol $17, %[v1]\n\txor %[v2], %[v1]\n\t"                       \
                "mov %[v3], %[early]\n\trol $32, %[v2]\n\t"                                        \
                "add %[v1], %[v0]\n\trol $13, %[v1]\n\txor %[v0], %[v1]\n\trol $32, %[v0]\n\t"     \
                "add %[v3], %[v2]\n\trol $16, %[v3]\n\txor %[v2], %[v3]\n\tadd %[v3], %[v0]\n\t"   \
                "rol $37, %[early]\n\tlea (%[v1], %[v2]), %[sum]\n\trol $17, %[v1]\n\t"            \
                "xor %[n], %[early]\n\trol $21, %[v2]\n\txor %[v2], %[early]\n\t"                  \
                "xor %[v0], %[early]\n\txor %[w], %[v0]\n\t"                                       \
                "xor %[sum], %[v1]\n\trol $32, %[sum]"                                             \
                : [v0] "+r"(v0), [v1] "+r"(v1), [v2] "+r"(v2), [v3] "+r"(v3),                      \
                  [early] "=&r"(v3_early), [sum] "=&r"(sum)                                        \
                : [w] "r"(word), [n] "r"(next)                                                     \
                : "cc");                                                                           \
        v2 = sum;                                                                                  \
        v3 = v3_early;                                                                             \
    } while (0)
#else
#define TWO_ROUNDS(word, next)                                                                     \
    do {                                                                                           \
        ROUND;                                                                                     \
        LAST_ROUND(word, next);                                                                    \
    } while (0)
#endif

#define ABSORB(word, next)                                                                         \
    do {                                                                                           \
        if (c == 2) {                                                                              \
            TWO_ROUNDS(word, next);                                                                \
        } else {                                                                                   \
            ROUNDS(c - 1);                                                                         \
            LAST_ROUND(word, next);                                                                \
        }                                                                                          \
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

/* With fewer words, calls overlap, and two operations more per word cost as much as a shorter path
 * saves.
 */
enum { FEW = 8 };

/* Computes the tag, given a state, the whole words that follow, and the last word. */
INLINED void few(uint8_t *tag, int wide, unsigned c, unsigned d, const uint64_t state[4],
                 const uint8_t *at, size_t count, uint64_t last) {
    uint64_t v0 = state[0], v1 = state[1], v2 = state[2], v3 = state[3];
    for (const uint8_t *end = at + 8 * count; at != end; at += 8) {
        uint64_t word = load_le64(at);
        v3 ^= word;
        ROUNDS(c);
        v0 ^= word;
    }
    v3 ^= last;
    ROUNDS(c);
    v0 ^= last;
    END;
}

/* The same for one word and more. */
INLINED void some(uint8_t *tag, int wide, unsigned c, unsigned d, const uint64_t state[4],
                  const uint8_t *at, size_t count, uint64_t last) {
    uint64_t v0 = state[0], v1 = state[1], v2 = state[2], v3 = state[3];
    uint64_t word = load_le64(at);
    v3 ^= word;
    while (--count != 0) {
        at += 8;
        uint64_t next = load_le64(at);
        ABSORB(word, next);
        word = next;
    }
    ABSORB(word, last);
    ROUNDS(c);
    v0 ^= last;
    END;
}

INLINED void sip(uint8_t *tag, int wide, unsigned c, unsigned d, const uint8_t *key,
                 const uint8_t *message, size_t length) {
    uint64_t k0 = load_le64(key), k1 = load_le64(key + 8);
    uint64_t state[4] = {k0 ^ SIP_V0, k1 ^ SIP_V1 ^ (wide ? SIP_LONG_V1 : 0), k0 ^ SIP_V2,
                         k1 ^ SIP_V3};
    uint64_t last = length % 8 == 0 ? (uint64_t)length << 56 : sip_last_word(message, length);
    if (length < 8 * FEW)
        few(tag, wide, c, d, state, message, length / 8, last);
    else
        some(tag, wide, c, d, state, message, length / 8, last);
}

/* A function for messages of any length, and one for long ones: if they were one, a short message
 * would save the registers that only a long one needs. */
#define SIPHASH(name, wide, c, d)                                                                  \
    VARIANT void name##_long(uint8_t *tag, const uint8_t *key, const void *message,                \
                             size_t length) {                                                      \
        if (length >= 8 * FEW)                                                                     \
            sip(tag, wide, c, d, key, message, length);                                            \
    }                                                                                              \
    void cupel_##name(uint8_t tag[8 + 8 * (wide)], const uint8_t key[CUPEL_SIPHASH_KEY],           \
                      const void *message, size_t length) {                                        \
        if (length < 8 * FEW)                                                                      \
            sip(tag, wide, c, d, key, message, length);                                            \
        else                                                                                       \
            name##_long(tag, key, message, length);                                                \
    }

SIPHASH(siphash_2_4, 0, 2, 4)
SIPHASH(siphash_1_3, 0, 1, 3)
SIPHASH(siphash_2_4_128, 1, 2, 4)
SIPHASH(siphash_1_3_128, 1, 1, 3)

int cupel_siphash(uint8_t *tag, size_t tag_length, unsigned c, unsigned d,
                  const uint8_t key[CUPEL_SIPHASH_KEY], const void *message, size_t length) {
    if (c == 0 || d == 0 || (tag_length != 8 && tag_length != 16))
        return -1;
    int wide = tag_length == 16;
    if (c == 2 && d == 4)
        (wide ? cupel_siphash_2_4_128 : cupel_siphash_2_4)(tag, key, message, length);
    else if (c == 1 && d == 3)
        (wide ? cupel_siphash_1_3_128 : cupel_siphash_1_3)(tag, key, message, length);
    else
        sip(tag, wide, c, d, key, message, length);
    return 0;
}

void cupel_siphash_rest(uint8_t *tag, int wide, unsigned c, unsigned d, const uint64_t state[4],
                        const uint8_t *at, size_t count, uint64_t last) {
    few(tag, wide, c, d, state, at, count, last);
}
