/* sha256_many.c: SHA-256 of many messages: which kernel takes them. With the SHA instructions one
 * message after the other is faster than eight lanes of AVX2, and slower than sixteen of AVX-512.
 */
#include "sha256_many.h"

#include "cpu.h"

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

#define CODE(isa, n)                                                                               \
    static const many_code isa = {                                                                 \
        .lanes = n,                                                                                \
        .words = 8,                                                                                \
        .start = cupel_sha256_start,                                                               \
        .blocks = cupel_sha256_lanes_##isa,                                                        \
        .same_block = cupel_sha256_same_##isa,                                                     \
        .expand = expand,                                                                          \
        .one = cupel_sha256_blocks,                                                                \
    }

CODE(avx2, 8);
CODE(avx512, 16);
#endif

const char *cupel_sha256_many_code(void) {
    if (cupel_cpu() & CUPEL_CPU_AVX512)
        return cupel_cpu_name(CUPEL_CPU_AVX512);
    return cupel_sha256_code();
}

void cupel_sha256_many(uint8_t (*digests)[CUPEL_SHA256_DIGEST], const void *const *messages,
                       const size_t *lengths, size_t count) {
#ifdef CUPEL_X86
    unsigned cpu = cupel_cpu();
    if (cpu & CUPEL_CPU_AVX512) {
        cupel_many(&avx512, *digests, messages, lengths, count);
        return;
    }
    if (!(cpu & CUPEL_CPU_SHANI) && (cpu & CUPEL_CPU_AVX2)) {
        cupel_many(&avx2, *digests, messages, lengths, count);
        return;
    }
#endif
    for (size_t i = 0; i < count; i++)
        cupel_sha256(digests[i], messages[i], lengths[i]);
}
