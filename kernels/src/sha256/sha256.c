/* sha256.c: SHA-256 of one message, with the functions of sha.h. */
#include "sha256.h"

void cupel_sha256_blocks(uint32_t h[8], const uint8_t *blocks, size_t count, const uint8_t *tail,
                         size_t tail_count) {
    SHA_DISPATCH(sha256);
}

const char *cupel_sha256_code(void) {
    return sha_code();
}

void cupel_sha256_end(uint32_t h[8], const uint8_t *end, size_t count, size_t rest, uint64_t length,
                      uint8_t digest[CUPEL_SHA256_DIGEST]) {
    sha_end(cupel_sha256_blocks, 8, h, end, count, rest, length, digest);
}

void cupel_sha256(uint8_t digest[CUPEL_SHA256_DIGEST], const void *message, size_t length) {
#if defined CUPEL_X86
    /* A node of a tree. It takes less time without a padded copy: kernels/NOTES.md. */
    if (length == SHA_BLOCK && (cupel_cpu() & CUPEL_CPU_SHANI) != 0) {
        cupel_sha256_shani_block(digest, message);
        return;
    }
#endif
    uint32_t h[8];
    memcpy(h, cupel_sha256_start, sizeof h);
    cupel_sha256_end(h, message, length / SHA_BLOCK, length % SHA_BLOCK, length, digest);
}

void cupel_sha256_begin(cupel_sha256_state *state) {
    memcpy(state->h, cupel_sha256_start, sizeof state->h);
    state->length = 0;
}

void cupel_sha256_update(cupel_sha256_state *state, const void *piece, size_t length) {
    sha_update(cupel_sha256_blocks, state->h, &state->length, state->block, piece, length);
}

void cupel_sha256_finish(cupel_sha256_state *state, uint8_t digest[CUPEL_SHA256_DIGEST]) {
    cupel_sha256_end(state->h, state->block, 0, state->length % SHA_BLOCK, state->length, digest);
    cupel_wipe(state, sizeof *state);
}
