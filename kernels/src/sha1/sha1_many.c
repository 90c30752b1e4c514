/* sha1_many.c: SHA-1 of many messages: which kernel takes them. With the SHA instructions one
 * message after the other is faster than eight lanes of AVX2, and slower than sixteen of AVX-512.
 */
#include "sha1_many.h"

#include "cpu.h"

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

#define CODE(isa, n)                                                                               \
    static const many_code isa = {                                                                 \
        .lanes = n,                                                                                \
        .words = 5,                                                                                \
        .start = cupel_sha1_start,                                                                 \
        .blocks = cupel_sha1_lanes_##isa,                                                          \
        .same_block = cupel_sha1_same_##isa,                                                       \
        .expand = expand,                                                                          \
        .one = cupel_sha1_blocks,                                                                  \
    }

CODE(avx2, 8);
CODE(avx512, 16);
#endif

const char *cupel_sha1_many_code(void) {
    if (cupel_cpu() & CUPEL_CPU_AVX512)
        return cupel_cpu_name(CUPEL_CPU_AVX512);
    return cupel_sha1_code();
}

void cupel_sha1_many(uint8_t (*digests)[CUPEL_SHA1_DIGEST], const void *const *messages,
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
        cupel_sha1(digests[i], messages[i], lengths[i]);
}
