/* hmac_test.c: HMAC-SHA-256 against RFC 4231 and against RFC 2104's formula on the reference hash.
 */
#include "check.h"
#include "cupel.h"
#include "hash.h"
#include "vectors.h"

#include <string.h>

enum { LONGEST = 300, MANY = 300 };

/* H(key ^ opad || H(key ^ ipad || message)), as in the RFC. */
static void formula(uint8_t tag[32], const uint8_t *key, size_t key_length, const uint8_t *message,
                    size_t length) {
    uint8_t padded[64] = {0}, inner[64 + LONGEST], outer[64 + 32];
    if (key_length > 64)
        reference_digest(&sha256, padded, key, key_length);
    else
        memcpy(padded, key, key_length);
    for (int i = 0; i < 64; i++) {
        inner[i] = padded[i] ^ 0x36;
        outer[i] = padded[i] ^ 0x5c;
    }
    memcpy(inner + 64, message, length);
    reference_digest(&sha256, outer + 64, inner, 64 + length);
    reference_digest(&sha256, tag, outer, sizeof outer);
}

static void official(void) {
    vectors *v = vectors_open("rfc", "rfc-4231-sha256.txt");
    size_t records = 0;
    while (vectors_next(v, "MD")) {
        size_t key_length, length, tag_length;
        const uint8_t *key = vectors_bytes(v, "Key", &key_length);
        const uint8_t *message = vectors_bytes(v, "Msg", &length);
        const uint8_t *expected = vectors_bytes(v, "MD", &tag_length);
        cupel_hmac_sha256_key prepared;
        uint8_t tag[32];
        cupel_hmac_sha256_prepare(&prepared, key, key_length);
        cupel_hmac_sha256(tag, &prepared, message, length);
        check(tag_length == 32, "record %zu: %zu bytes of tag", records, tag_length);
        check_bytes(tag, expected, 32, "RFC 4231 record %zu", records);
        records++;
    }
    check(records == 6, "RFC 4231 has %zu records", records);
    vectors_close(v);
}

static void by_formula(void) {
    uint8_t key[200], message[LONGEST], tag[32], expected[32];
    fill_random(key, sizeof key);
    fill_random(message, sizeof message);
    for (size_t key_length = 0; key_length <= sizeof key; key_length += key_length % 3 + 1)
        for (size_t length = 0; length <= LONGEST; length++) {
            cupel_hmac_sha256_key prepared;
            cupel_hmac_sha256_state state;
            formula(expected, key, key_length, message, length);
            cupel_hmac_sha256_prepare(&prepared, key, key_length);
            cupel_hmac_sha256(tag, &prepared, message, length);
            check_bytes(tag, expected, 32, "key of %zu bytes, message of %zu", key_length, length);
            cupel_hmac_sha256_begin(&state, &prepared);
            cupel_hmac_sha256_update(&state, message, length / 3);
            cupel_hmac_sha256_update(&state, message + length / 3, length - length / 3);
            cupel_hmac_sha256_finish(&state, tag);
            check_bytes(tag, expected, 32, "in two pieces: key of %zu bytes, message of %zu",
                        key_length, length);
            uint8_t zeros[sizeof state] = {0};
            check(memcmp(&state, zeros, sizeof state) == 0, "finish clears the state");
        }
}

static void verification(void) {
    uint8_t tag[32];
    cupel_hmac_sha256_key key;
    cupel_hmac_sha256_prepare(&key, "key", 3);
    cupel_hmac_sha256(tag, &key, "message", 7);
    check(cupel_hmac_sha256_verify(tag, &key, "message", 7) == 1, "the right tag is taken");
    for (int bit = 0; bit < 256; bit++) {
        tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
        check(cupel_hmac_sha256_verify(tag, &key, "message", 7) == 0, "bit %d wrong is refused",
              bit);
        tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

/* Many messages under one key and under many, by whatever code the names select; each message
 * between inaccessible pages. */
static void many(const char *names) {
    static cupel_hmac_sha256_key keys[MANY];
    static const cupel_hmac_sha256_key *these[MANY];
    static uint8_t secrets[MANY][80], tags[MANY + 1][32], expected[32], *message, *message_end;
    const void *messages[MANY];
    size_t lengths[MANY], key_lengths[MANY];
    cupel_cpu_limit(~0u);
    force_code(names);
    if (message == NULL)
        message = guarded(LONGEST, &message_end);
    fill_random(message, (size_t)(message_end - message));
    for (size_t i = 0; i < MANY; i++) {
        key_lengths[i] = next_random() % (sizeof secrets[i] + 1);
        fill_random(secrets[i], sizeof secrets[i]);
        cupel_hmac_sha256_prepare(&keys[i], secrets[i], key_lengths[i]);
        these[i] = &keys[i];
    }
    for (size_t turn = 0; turn < 400; turn++) {
        size_t count = turn < 2 * 80 ? turn / 2 : next_random() % (MANY + 1);
        size_t length = next_random() % (LONGEST + 1);
        for (size_t i = 0; i < count; i++) {
            lengths[i] = turn % 2 == 0 ? length : next_random() % (LONGEST + 1);
            messages[i] = i % 2 == 0 ? message_end - lengths[i] : message;
        }
        for (int one_key = 0; one_key < 2; one_key++) {
            memset(tags, 0xc5, sizeof tags);
            if (one_key)
                cupel_hmac_sha256_many(tags, &keys[0], messages, lengths, count);
            else
                cupel_hmac_sha256_many_keys(tags, these, messages, lengths, count);
            for (size_t i = 0; i < count; i++) {
                size_t k = one_key ? 0 : i;
                formula(expected, secrets[k], key_lengths[k], messages[i], lengths[i]);
                check_bytes(tags[i], expected, 32, "%s: message %zu of %zu, %zu bytes, key %zu",
                            names, i, count, lengths[i], k);
            }
            for (size_t i = 0; i < 32; i++)
                check(tags[count][i] == 0xc5, "%s: a byte past %zu tags was written", names, count);
        }
    }
}

/* The vectors of RFC 4231 as one batch under many keys. */
static void official_batch(void) {
    enum { RECORDS = 6 };
    static uint8_t held[RECORDS][256], right[RECORDS][32], tags[RECORDS][32];
    cupel_hmac_sha256_key keys[RECORDS];
    const cupel_hmac_sha256_key *these[RECORDS];
    const void *messages[RECORDS];
    size_t lengths[RECORDS], count = 0;
    vectors *v = vectors_open("rfc", "rfc-4231-sha256.txt");
    for (; count < RECORDS && vectors_next(v, "MD"); count++) {
        size_t key_length, tag_length;
        const uint8_t *key = vectors_bytes(v, "Key", &key_length);
        cupel_hmac_sha256_prepare(&keys[count], key, key_length);
        these[count] = &keys[count];
        const uint8_t *message = vectors_bytes(v, "Msg", &lengths[count]);
        memcpy(held[count], message, lengths[count]);
        messages[count] = held[count];
        memcpy(right[count], vectors_bytes(v, "MD", &tag_length), 32);
    }
    vectors_close(v);
    check(count == RECORDS, "RFC 4231 has %zu records", count);
    cupel_hmac_sha256_many_keys(tags, these, messages, lengths, count);
    for (size_t i = 0; i < count; i++)
        check_bytes(tags[i], right[i], 32, "RFC 4231 record %zu, in a batch", i);
}

/* hmac_test CODE[+CODE]: many messages by that code. Without an argument, everything else. */
int main(int argc, char **argv) {
    if (argc == 2) {
        many(argv[1]);
        return finish();
    }
    official();
    official_batch();
    by_formula();
    verification();
    return finish();
}
