/* sha1.c: SHA-1 of one message: padding, streaming, and which kernel takes the blocks. */
#include "sha1.h"

#include "cpu.h"

enum { BLOCK = CUPEL_SHA1_BLOCK };

/* Measured order: docs/kernels.md. */
void cupel_sha1_blocks(uint32_t h[5], const uint8_t *blocks, size_t count, const uint8_t *tail,
                       size_t tail_count) {
    unsigned cpu = cupel_cpu();
    (void)cpu;
#ifdef CUPEL_X86
    if (cpu & CUPEL_CPU_SHANI)
        cupel_sha1_shani(h, blocks, count, tail, tail_count);
    else if (cpu & CUPEL_CPU_AVX2)
        cupel_sha1_avx2(h, blocks, count, tail, tail_count);
    else if (cpu & CUPEL_CPU_SSSE3)
        cupel_sha1_ssse3(h, blocks, count, tail, tail_count);
    else
#endif
#ifdef CUPEL_ARM
        if (cpu & CUPEL_CPU_ARM_SHA)
        cupel_sha1_armsha(h, blocks, count, tail, tail_count);
    else
#endif
        cupel_sha1_portable(h, blocks, count, tail, tail_count);
}

const char *cupel_sha1_code(void) {
    static const unsigned order[] = {CUPEL_CPU_SHANI, CUPEL_CPU_AVX2, CUPEL_CPU_SSSE3,
                                     CUPEL_CPU_ARM_SHA};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (cupel_cpu() & order[i])
            return cupel_cpu_name(order[i]);
    return "portable";
}

void cupel_sha1_end(uint32_t h[5], const uint8_t *end, size_t count, size_t rest, uint64_t length,
                    uint8_t digest[CUPEL_SHA1_DIGEST]) {
    uint8_t tail[2 * BLOCK];
    size_t tail_count = rest < BLOCK - 8 ? 1 : 2;
    memset(tail, 0, sizeof tail);
    if (rest != 0)
        memcpy(tail, end + count * BLOCK, rest);
    tail[rest] = 0x80;
    store_be64(tail + tail_count * BLOCK - 8, length * 8);
    cupel_sha1_blocks(h, end, count, tail, tail_count);
    for (int i = 0; i < 5; i++)
        store_be32(digest + 4 * i, h[i]);
}

void cupel_sha1(uint8_t digest[CUPEL_SHA1_DIGEST], const void *message, size_t length) {
    uint32_t h[5];
    memcpy(h, cupel_sha1_start, sizeof h);
    cupel_sha1_end(h, message, length / BLOCK, length % BLOCK, length, digest);
}

void cupel_sha1_begin(cupel_sha1_state *state) {
    memcpy(state->h, cupel_sha1_start, sizeof state->h);
    state->length = 0;
}

void cupel_sha1_update(cupel_sha1_state *state, const void *piece, size_t length) {
    if (length == 0)
        return;
    const uint8_t *at = piece;
    size_t held = state->length % BLOCK;
    state->length += length;
    if (length < BLOCK - held) {
        memcpy(state->block + held, at, length);
        return;
    }
    size_t held_count = 0;
    if (held != 0) {
        memcpy(state->block + held, at, BLOCK - held);
        at += BLOCK - held;
        length -= BLOCK - held;
        held_count = 1;
    }
    cupel_sha1_blocks(state->h, state->block, held_count, at, length / BLOCK);
    if (length % BLOCK != 0)
        memcpy(state->block, at + length / BLOCK * BLOCK, length % BLOCK);
}

void cupel_sha1_finish(cupel_sha1_state *state, uint8_t digest[CUPEL_SHA1_DIGEST]) {
    cupel_sha1_end(state->h, state->block, 0, state->length % BLOCK, state->length, digest);
    cupel_wipe(state, sizeof *state);
}
