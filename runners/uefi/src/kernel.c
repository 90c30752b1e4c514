/* kernel.c: see kernel.h. */
#include "kernel.h"

#include "cupel.h"
#include "sha1.h"
#include "sha256.h"
#include "siphash_ref.h"

/* The key of SipHash's published table: 00 01 .. 0f. */
static const uint8_t key[CUPEL_SIPHASH_KEY] = {0, 1, 2,  3,  4,  5,  6,  7,
                                               8, 9, 10, 11, 12, 13, 14, 15};

/* Pads as section 5.1.1 of FIPS 180-4 says, with code of its own. */
#define REFERENCE(name, words)                                                                     \
    static void name##_reference(uint8_t *digest, const uint8_t *message, size_t length) {         \
        uint32_t h[words];                                                                         \
        uint8_t end[128] = {0};                                                                    \
        size_t whole = length / 64, rest = length % 64, blocks = rest < 56 ? 1 : 2;                \
        memcpy(h, cupel_##name##_start, sizeof h);                                                 \
        for (size_t i = 0; i < rest; i++)                                                          \
            end[i] = message[64 * whole + i];                                                      \
        end[rest] = 0x80;                                                                          \
        for (size_t i = 0; i < 8; i++)                                                             \
            end[64 * blocks - 1 - i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);                   \
        cupel_##name##_ref(h, message, whole, end, blocks);                                        \
        for (size_t i = 0; i < 4 * words; i++)                                                     \
            digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));                                 \
    }                                                                                              \
    static void name##_in_pieces(uint8_t *digest, const uint8_t *message, size_t length,           \
                                 size_t piece) {                                                   \
        cupel_##name##_state state;                                                                \
        cupel_##name##_begin(&state);                                                              \
        for (size_t at = 0; at < length; at += piece)                                              \
            cupel_##name##_update(&state, message + at,                                            \
                                  piece < length - at ? piece : length - at);                      \
        cupel_##name##_finish(&state, digest);                                                     \
    }

REFERENCE(sha1, 5)
REFERENCE(sha256, 8)

static void siphash_call(uint8_t *tag, const void *message, size_t length) {
    cupel_siphash_2_4(tag, key, message, length);
}

static void siphash_reference(uint8_t *tag, const uint8_t *message, size_t length) {
    siphash_ref(tag, 8, 2, 4, key, message, length);
}

static const char *portable(void) {
    return "portable";
}

const primitive sha1 = {"sha1", 20, cupel_sha1, sha1_reference, sha1_in_pieces, cupel_sha1_code};
const primitive sha256 = {"sha256",         32, cupel_sha256, sha256_reference, sha256_in_pieces,
                          cupel_sha256_code};
const primitive siphash = {"siphash-2-4", 8, siphash_call, siphash_reference, NULL, portable};

#define HASH(p)                                                                                    \
    {&p, "cupel-portable", "portable", 0, ""},                                                     \
        {&p, "cupel-ssse3", "ssse3", CUPEL_CPU_SSSE3, "this CPU has no SSSE3"},                    \
        {&p, "cupel-avx2", "avx2", CUPEL_CPU_AVX2, "this CPU has no AVX2 with BMI1 and BMI2"}, {   \
        &p, "cupel-shani", "shani", CUPEL_CPU_SHANI, "this CPU has no SHA extensions"              \
    }

const kernel kernels[KERNELS] = {
    HASH(sha1),
    HASH(sha256),
    {&siphash, "cupel-portable", "portable", 0, ""},
};
