/* sha1.c: SHA-1 of one message, with the functions of sha.h. */
#include "sha1.h"

void cupel_sha1_blocks(uint32_t h[5], const uint8_t *blocks, size_t count, const uint8_t *tail,
                       size_t tail_count) {
    SHA_DISPATCH(sha1);
}

const char *cupel_sha1_code(void) {
    return sha_code();
}

void cupel_sha1_end(uint32_t h[5], const uint8_t *end, size_t count, size_t rest, uint64_t length,
                    uint8_t digest[CUPEL_SHA1_DIGEST]) {
    sha_end(cupel_sha1_blocks, 5, h, end, count, rest, length, digest);
}

void cupel_sha1(uint8_t digest[CUPEL_SHA1_DIGEST], const void *message, size_t length) {
    uint32_t h[5];
    memcpy(h, cupel_sha1_start, sizeof h);
    cupel_sha1_end(h, message, length / SHA_BLOCK, length % SHA_BLOCK, length, digest);
}

void cupel_sha1_begin(cupel_sha1_state *state) {
    memcpy(state->h, cupel_sha1_start, sizeof state->h);
    state->length = 0;
}

void cupel_sha1_update(cupel_sha1_state *state, const void *piece, size_t length) {
    sha_update(cupel_sha1_blocks, state->h, &state->length, state->block, piece, length);
}

void cupel_sha1_finish(cupel_sha1_state *state, uint8_t digest[CUPEL_SHA1_DIGEST]) {
    cupel_sha1_end(state->h, state->block, 0, state->length % SHA_BLOCK, state->length, digest);
    cupel_wipe(state, sizeof *state);
}
