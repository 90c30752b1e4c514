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

static const many_code turns = MANY_IN_TURNS(sha1, 5, 4);
static const many_code lanes16 = MANY_IN_ROWS(sha1, 5, AVX512, avx512, 16, {{8, 8}, {4, 7}});
static const many_code lanes8 = MANY_IN_ROWS(sha1, 5, AVX2, avx2, 8, {{7, 7}, {4, 7}});

/* On Intel, a row of eight lanes takes the time of five messages in turns
 * (kernels/NOTES.md). On other CPUs it may take longer than eight: a plan says
 * where it does not. */
static many_codes codes(void) {
    static const many_code *const lanes_first[] = {&lanes16, &lanes8, &turns, NULL};
    static const many_code *const turns_first[] = {&lanes16, &turns, &lanes8, NULL};
    return cupel_cpu() & CUPEL_CPU_SHARED_PORT ? lanes_first : turns_first;
}
#else
static many_codes codes(void) {
    static const many_code *const none[] = {NULL};
    return none;
}
#endif

const char *cupel_sha1_many_code(void) {
    const many_code *code = many_choose(codes());
    return code != NULL ? cupel_cpu_name(code->needs) : cupel_sha1_code();
}

const char *cupel_sha1_many_code_for(size_t count, size_t length) {
    const many_code *code = many_planned(codes(), PLAN_SHA1_MANY, &length, count);
    return code != NULL ? cupel_cpu_name(code->needs) : cupel_sha1_code();
}

void cupel_sha1_many(uint8_t (*digests)[CUPEL_SHA1_DIGEST], const void *const *messages,
                     const size_t *lengths, size_t count) {
    const many_code *code = many_planned(codes(), PLAN_SHA1_MANY, lengths, count);
    if (code != NULL) {
        cupel_many(code, &(many_start){.all = cupel_sha1_start}, *digests, messages, lengths,
                   count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        cupel_sha1(digests[i], messages[i], lengths[i]);
}
