/* hmac_sha256.c: HMAC-SHA-256, RFC 2104: H(key ^ opad || H(key ^ ipad || message)). A prepared key
 * consists of the two chaining values after the key blocks, so that the tag of a short message
 * takes two compressions, and not four. */
#include "cupel.h"
#include "sha256.h"

#include <string.h>

enum { BLOCK = CUPEL_SHA256_BLOCK, DIGEST = CUPEL_SHA256_DIGEST };

static void absorb(uint32_t h[8], const uint8_t key[BLOCK], uint8_t pad) {
    uint8_t block[BLOCK];
    for (int i = 0; i < BLOCK; i++)
        block[i] = key[i] ^ pad;
    memcpy(h, cupel_sha256_start, 4 * 8);
    cupel_sha256_blocks(h, block, 1, NULL, 0);
    cupel_wipe(block, sizeof block);
}

void cupel_hmac_sha256_prepare(cupel_hmac_sha256_key *prepared, const void *key,
                               size_t key_length) {
    uint8_t block[BLOCK] = {0};
    if (key_length > BLOCK)
        cupel_sha256(block, key, key_length);
    else if (key_length != 0)
        memcpy(block, key, key_length);
    absorb(prepared->inner, block, 0x36);
    absorb(prepared->outer, block, 0x5c);
    cupel_wipe(block, sizeof block);

    /* The kernels leave a schedule of the key on the stack. Overwrite it by one of public words. */
    uint32_t h[8] = {0};
    cupel_sha256_blocks(h, block, 1, block, 1);
    cupel_wipe(h, sizeof h);
}

/* Computes the tag from the inner digest. */
static void end(uint8_t tag[DIGEST], const uint32_t outer[8], const uint8_t inner[DIGEST]) {
    uint32_t h[8];
    memcpy(h, outer, sizeof h);
    cupel_sha256_end(h, inner, 0, DIGEST, BLOCK + DIGEST, tag);
    cupel_wipe(h, sizeof h);
}

void cupel_hmac_sha256(uint8_t tag[DIGEST], const cupel_hmac_sha256_key *key, const void *message,
                       size_t length) {
    uint32_t h[8];
    uint8_t inner[DIGEST];
    memcpy(h, key->inner, sizeof h);
    cupel_sha256_end(h, message, length / BLOCK, length % BLOCK, BLOCK + (uint64_t)length, inner);
    end(tag, key->outer, inner);
    cupel_wipe(h, sizeof h);
    cupel_wipe(inner, sizeof inner);
}

void cupel_hmac_sha256_begin(cupel_hmac_sha256_state *state, const cupel_hmac_sha256_key *key) {
    memcpy(state->inner.h, key->inner, sizeof key->inner);
    memcpy(state->outer, key->outer, sizeof key->outer);
    state->inner.length = BLOCK;
}

void cupel_hmac_sha256_update(cupel_hmac_sha256_state *state, const void *piece, size_t length) {
    cupel_sha256_update(&state->inner, piece, length);
}

void cupel_hmac_sha256_finish(cupel_hmac_sha256_state *state, uint8_t tag[DIGEST]) {
    uint8_t inner[DIGEST];
    cupel_sha256_finish(&state->inner, inner);
    end(tag, state->outer, inner);
    cupel_wipe(inner, sizeof inner);
    cupel_wipe(state, sizeof *state);
}

int cupel_hmac_sha256_verify(const uint8_t tag[DIGEST], const cupel_hmac_sha256_key *key,
                             const void *message, size_t length) {
    uint8_t right[DIGEST];
    cupel_hmac_sha256(right, key, message, length);
    int same = cupel_equal(tag, right, sizeof right);
    cupel_wipe(right, sizeof right);
    return same;
}
