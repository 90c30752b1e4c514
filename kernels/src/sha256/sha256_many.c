/* sha256_many.c: SHA-256 of many messages: the codes that many.h chooses from. */
#include "sha256_many.h"

#ifdef CUPEL_X86
/* The words of one block's schedule plus the rounds' constants. */
static void expand(uint32_t *wk, const uint8_t *block) {
    for (int t = 0; t < 16; t++)
        wk[t] = load_be32(block + 4 * t);
    for (int t = 16; t < 64; t++) {
        uint32_t x = wk[t - 15], y = wk[t - 2];
        wk[t] = wk[t - 16] + (rotr32(x, 7) ^ rotr32(x, 18) ^ x >> 3) + wk[t - 7] +
                (rotr32(y, 17) ^ rotr32(y, 19) ^ y >> 10);
    }
    for (int t = 0; t < 64; t++)
        wk[t] += cupel_sha256_k[t];
}

static const many_code turns = MANY_IN_TURNS(sha256, 8, 3);
static const many_code lanes16 = MANY_IN_ROWS(sha256, 8, AVX512, avx512, 16, {{8, 8}, {8, 8}});
static const many_code lanes8 = MANY_IN_ROWS(sha256, 8, AVX2, avx2, 8, {{7, 7}, {7, 7}});
static const many_code *const codes[] = {&lanes16, &turns, &lanes8, NULL};
#else
static const many_code *const codes[] = {NULL};
#endif

const char *cupel_sha256_many_code(void) {
    const many_code *code = many_choose(codes);
    return code != NULL ? cupel_cpu_name(code->needs) : cupel_sha256_code();
}

const char *cupel_sha256_many_code_for(size_t count, size_t length) {
    const many_code *code = many_planned(codes, PLAN_SHA256_MANY, &length, count);
    return code != NULL ? cupel_cpu_name(code->needs) : cupel_sha256_code();
}

int cupel_sha256_many_from(uint8_t *digests, const many_start *from, const void *const *messages,
                           const size_t *lengths, size_t count) {
    const many_code *code = many_planned(codes, PLAN_SHA256_MANY, lengths, count);
    if (code != NULL)
        cupel_many(code, from, digests, messages, lengths, count);
    return code != NULL;
}

void cupel_sha256_many(uint8_t (*digests)[CUPEL_SHA256_DIGEST], const void *const *messages,
                       const size_t *lengths, size_t count) {
    const many_start from = {.all = cupel_sha256_start};
    if (cupel_sha256_many_from(*digests, &from, messages, lengths, count))
        return;
    for (size_t i = 0; i < count; i++)
        cupel_sha256(digests[i], messages[i], lengths[i]);
}
