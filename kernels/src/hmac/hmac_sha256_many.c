/* hmac_sha256_many.c: HMAC-SHA-256 of many messages: the inner hashes of some side by side, then
 * the outer ones, each from the state that its prepared key has. */
#include "cupel.h"
#include "sha256_many.h"

enum { BLOCK = CUPEL_SHA256_BLOCK, DIGEST = CUPEL_SHA256_DIGEST, AT_ONCE = 128 };

/* keys holds one key for each message, or one for all. */
static void many(uint8_t (*tags)[DIGEST], const cupel_hmac_sha256_key *const *keys, int one_key,
                 const void *const *messages, const size_t *lengths, size_t count) {
    const uint32_t *states[AT_ONCE];
    const void *digests[AT_ONCE];
    size_t digest_lengths[AT_ONCE];
    uint8_t inner[AT_ONCE][DIGEST];
    many_start from = {.all = keys[0]->inner, .each = one_key ? NULL : states, .before = BLOCK};
    for (size_t i = 0; i < count; i++) {
        digests[i] = inner[i];
        digest_lengths[i] = DIGEST;
        states[i] = keys[one_key ? 0 : i]->inner;
    }
    if (!cupel_sha256_many_from(*inner, &from, messages, lengths, count)) {
        for (size_t i = 0; i < count; i++)
            cupel_hmac_sha256(tags[i], keys[one_key ? 0 : i], messages[i], lengths[i]);
        return;
    }
    from.all = keys[0]->outer;
    for (size_t i = 0; i < count; i++)
        states[i] = keys[one_key ? 0 : i]->outer;
    if (!cupel_sha256_many_from(*tags, &from, digests, digest_lengths, count))
        for (size_t i = 0; i < count; i++) /* another thread has just excluded all code */
            cupel_hmac_sha256(tags[i], keys[one_key ? 0 : i], messages[i], lengths[i]);
    cupel_wipe(inner, sizeof inner[0] * count);
}

void cupel_hmac_sha256_many(uint8_t (*tags)[DIGEST], const cupel_hmac_sha256_key *key,
                            const void *const *messages, const size_t *lengths, size_t count) {
    for (size_t done = 0; done < count; done += AT_ONCE)
        many(tags + done, &key, 1, messages + done, lengths + done,
             count - done < AT_ONCE ? count - done : AT_ONCE);
}

void cupel_hmac_sha256_many_keys(uint8_t (*tags)[DIGEST], const cupel_hmac_sha256_key *const *keys,
                                 const void *const *messages, const size_t *lengths, size_t count) {
    for (size_t done = 0; done < count; done += AT_ONCE)
        many(tags + done, keys + done, 0, messages + done, lengths + done,
             count - done < AT_ONCE ? count - done : AT_ONCE);
}
