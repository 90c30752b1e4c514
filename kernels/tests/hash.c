/* hash.c: SHA-1 and SHA-256 as the tests see them. */
#include "hash.h"
#include "plan_use.h"

#include "check.h"
#include "cpu.h"
#include "sha1.h"
#include "sha256.h"

#include <string.h>

#define STREAM(name)                                                                               \
    static cupel_##name##_state name##_state;                                                      \
    static void name##_begin(void) {                                                               \
        cupel_##name##_begin(&name##_state);                                                       \
    }                                                                                              \
    static void name##_update(const void *piece, size_t length) {                                  \
        cupel_##name##_update(&name##_state, piece, length);                                       \
    }                                                                                              \
    static void name##_finish(uint8_t *digest) {                                                   \
        cupel_##name##_finish(&name##_state, digest);                                              \
    }                                                                                              \
    static void name##_many(uint8_t *digests, const void *const *messages, const size_t *lengths,  \
                            size_t count) {                                                        \
        cupel_##name##_many((void *)digests, messages, lengths, count);                            \
    }

STREAM(sha1)
STREAM(sha256)

#ifdef CUPEL_X86
#define CODES(name)                                                                                \
    {"shani", CUPEL_CPU_SHANI, cupel_##name##_shani},                                              \
        {"avx2", CUPEL_CPU_AVX2, cupel_##name##_avx2},                                             \
        {"ssse3", CUPEL_CPU_SSSE3, cupel_##name##_ssse3},
#elif defined CUPEL_ARM
#define CODES(name) {"armsha", CUPEL_CPU_ARM_SHA, cupel_##name##_armsha},
#else
#define CODES(name)
#endif

static const hash_code sha1_codes[] = {CODES(sha1){"portable", 0, cupel_sha1_portable},
                                       {NULL, 0, NULL}};
static const hash_code sha256_codes[] = {CODES(sha256){"portable", 0, cupel_sha256_portable},
                                         {NULL, 0, NULL}};

#define HASH(id, ID, words)                                                                        \
    const hash id = {                                                                              \
        .name = #id,                                                                               \
        .digest_length = 4 * words,                                                                \
        .state_words = words,                                                                      \
        .start = cupel_##id##_start,                                                               \
        .reference = cupel_##id##_ref,                                                             \
        .codes = id##_codes,                                                                       \
        .code = cupel_##id##_code,                                                                 \
        .whole = cupel_##id,                                                                       \
        .begin = id##_begin,                                                                       \
        .update = id##_update,                                                                     \
        .finish = id##_finish,                                                                     \
        .many_code_for = cupel_##id##_many_code_for,                                               \
        .many = id##_many,                                                                         \
        .vectors = {ID "ShortMsg.rsp", ID "LongMsg.rsp", ID "Monte.rsp"},                          \
    }

HASH(sha1, "SHA1", 5);
HASH(sha256, "SHA256", 8);

/* Whether word is one of those that + separates. */
static int is_among(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; at != NULL; at = strchr(at, '+')) {
        at += *at == '+';
        if (strncmp(at, word, length) == 0 && (at[length] == '+' || at[length] == '\0'))
            return 1;
    }
    return 0;
}

void plan_all(const char *name) {
    static const char *const codes[] = {"avx512", "shani", "avx2"};
    unsigned code = PLAN_DEFAULT, word = PLAN_KNOWN;
    for (unsigned i = 0; i < 3; i++)
        if (is_first_code(name, codes[i]))
            code = PLAN_AVX512 + i;
    for (unsigned shift = 0; shift < 2 * PLAN_COUNTS * PLAN_SIZES; shift += 2)
        word |= code << shift;
    for (unsigned o = 0; o < PLAN_OPERATIONS; o++)
        atomic_store(&cupel_plan_words[o], word);
}

void force_code(const char *names) {
    unsigned needs = 0;
    for (unsigned feature = 1; feature != 1u << 5; feature <<= 1)
        if (is_among(names, cupel_cpu_name(feature)))
            needs |= feature;
    if ((cupel_cpu_found() & needs) != needs)
        skip("this CPU lacks the features of the code");
    cupel_cpu_limit(needs);
    /* The code for CPUs of the other kind is right here, too. */
    if (is_among(names, "other-kind"))
        atomic_fetch_xor(&cupel_cpu_word, CUPEL_CPU_KIND);
    plan_all(is_among(names, "planned") ? names : "");
}

int is_first_code(const char *names, const char *code) {
    size_t length = strlen(code);
    return strncmp(names, code, length) == 0 && (names[length] == '+' || names[length] == '\0');
}

const hash *find_hash(const char *name) {
    return strcmp(name, "sha1") == 0 ? &sha1 : strcmp(name, "sha256") == 0 ? &sha256 : NULL;
}

void reference_digest(const hash *h, uint8_t *digest, const uint8_t *message, size_t length) {
    uint32_t state[MOST_STATE];
    uint8_t end[128] = {0};
    size_t whole = length / 64 * 64;
    size_t end_blocks = length - whole < 56 ? 1 : 2;
    memcpy(state, h->start, 4 * h->state_words);
    if (length != whole)
        memcpy(end, message + whole, length - whole);
    end[length - whole] = 0x80;
    for (int i = 0; i < 8; i++)
        end[64 * end_blocks - 1 - i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
    h->reference(state, message, length / 64, end, end_blocks);
    for (size_t i = 0; i < h->digest_length; i++)
        digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}
