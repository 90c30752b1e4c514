/* sha1_many.c: SHA-1 of many messages: the codes that many.h chooses from. */
#include "sha1_many.h"

#ifdef CUPEL_X86
/* The words of one block's schedule plus the rounds' constants. */
static void expand(uint32_t *wk, const uint8_t *block) {
    for (int t = 0; t < 16; t++)
        wk[t] = load_be32(block + 4 * t);
    for (int t = 16; t < 80; t++)
        wk[t] = rotl32(wk[t - 3] ^ wk[t - 8] ^ wk[t - 14] ^ wk[t - 16], 1);
    for (int t = 0; t < 80; t++)
        wk[t] += cupel_sha1_k[t / 20];
}
#endif

static const many_code codes[] = {MANY_CODES(sha1, 5, 4)};

const char *cupel_sha1_many_code(void) {
    const many_code *code = many_choose(codes);
    return code != NULL ? cupel_cpu_name(code->needs) : cupel_sha1_code();
}

const char *cupel_sha1_many_code_for(size_t count, size_t length) {
    const many_code *code = many_planned(codes, PLAN_SHA1_MANY, &length, count);
    return code != NULL ? cupel_cpu_name(code->needs) : cupel_sha1_code();
}

void cupel_sha1_many(uint8_t (*digests)[CUPEL_SHA1_DIGEST], const void *const *messages,
                     const size_t *lengths, size_t count) {
    const many_code *code = many_planned(codes, PLAN_SHA1_MANY, lengths, count);
    if (code != NULL) {
        cupel_many(code, &(many_start){.all = cupel_sha1_start}, *digests, messages, lengths,
                   count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        cupel_sha1(digests[i], messages[i], lengths[i]);
}
