/* random_test.c WHAT CODE COUNT: COUNT random messages through one code, against the reference.
 * WHAT is sha1, sha256, hmac-sha256 or siphash, or one of them with -many: many messages at
 * once. Lengths are 0 to 259 bytes, so that every padding and pairing of blocks occurs.
 */
#include "check.h"
#include "cupel.h"
#include "hash.h"
#include "siphash_ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL = 4096, LENGTHS = 260, MAX_MESSAGES = 48, BYTES = MAX_MESSAGES * MAX_DIGEST };

static uint8_t pool[POOL + LENGTHS];
static const void *messages[MAX_MESSAGES];
static size_t lengths[MAX_MESSAGES];
static uint8_t outputs[BYTES], expected[MAX_DIGEST];

/* Messages at random positions of a pool that itself keeps changing. */
static void pick(size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t random = next_random(), fresh = next_random();
        memcpy(pool + random % POOL, &fresh, sizeof fresh);
        messages[i] = pool + (random >> 16) % POOL;
        lengths[i] = (random >> 40) % LENGTHS;
    }
    /* rows of one length take other code */
    if (next_random() % 2 == 0)
        for (size_t i = 1; i < count; i++)
            lengths[i] = lengths[0];
}

static void hash_one(const hash *h) {
    pick(1);
    h->whole(outputs, messages[0], lengths[0]);
    reference_digest(h, expected, messages[0], lengths[0]);
    check_bytes(outputs, expected, h->digest_length, "%s of %zu bytes", h->name, lengths[0]);
}

static size_t hash_many(const hash *h) {
    size_t count = next_random() % MAX_MESSAGES + 1, n = h->digest_length;
    pick(count);
    h->many(outputs, messages, lengths, count);
    for (size_t i = 0; i < count; i++) {
        reference_digest(h, expected, messages[i], lengths[i]);
        check_bytes(outputs + n * i, expected, n, "%s: message %zu of %zu, %zu bytes", h->name, i,
                    count, lengths[i]);
    }
    return count;
}

/* Prepares a random key, which is padded to a block in padded. */
static void random_key(cupel_hmac_sha256_key *prepared, uint8_t padded[64]) {
    uint8_t key[100];
    size_t key_length = next_random() % (sizeof key + 1);
    fill_random(key, key_length);
    memset(padded, 0, 64);
    if (key_length > 64)
        reference_digest(&sha256, padded, key, key_length);
    else
        memcpy(padded, key, key_length);
    cupel_hmac_sha256_prepare(prepared, key, key_length);
}

/* RFC 2104's formula on the reference, against tag i. */
static void check_tag(size_t i, const uint8_t padded[64]) {
    uint8_t inner[64 + LENGTHS], outer[64 + 32];
    for (int j = 0; j < 64; j++) {
        inner[j] = padded[j] ^ 0x36;
        outer[j] = padded[j] ^ 0x5c;
    }
    memcpy(inner + 64, messages[i], lengths[i]);
    reference_digest(&sha256, outer + 64, inner, 64 + lengths[i]);
    reference_digest(&sha256, expected, outer, sizeof outer);
    check_bytes(outputs + 32 * i, expected, 32, "hmac-sha256: tag %zu, %zu bytes", i, lengths[i]);
}

static void hmac_one(void) {
    cupel_hmac_sha256_key prepared;
    uint8_t padded[64];
    random_key(&prepared, padded);
    pick(1);
    cupel_hmac_sha256(outputs, &prepared, messages[0], lengths[0]);
    check_tag(0, padded);
}

/* Under one key, or one for each message. */
static size_t hmac_many(void) {
    static cupel_hmac_sha256_key prepared[MAX_MESSAGES];
    static uint8_t padded[MAX_MESSAGES][64];
    const cupel_hmac_sha256_key *keys[MAX_MESSAGES];
    size_t count = next_random() % MAX_MESSAGES + 1;
    int one_key = next_random() % 2 == 0;
    for (size_t i = 0; i < (one_key ? 1 : count); i++)
        random_key(&prepared[i], padded[i]);
    for (size_t i = 0; i < count; i++)
        keys[i] = &prepared[i];
    pick(count);
    if (one_key)
        cupel_hmac_sha256_many((void *)outputs, &prepared[0], messages, lengths, count);
    else
        cupel_hmac_sha256_many_keys((void *)outputs, keys, messages, lengths, count);
    for (size_t i = 0; i < count; i++)
        check_tag(i, padded[one_key ? 0 : i]);
    return count;
}

static size_t siphash(int is_many) {
    static const unsigned rounds[][2] = {{2, 4}, {1, 3}, {4, 8}, {3, 1}};
    uint64_t random = next_random();
    unsigned c = rounds[random % 4][0], d = rounds[random % 4][1];
    size_t n = random & 4 ? 16 : 8, count = is_many ? (random >> 8) % MAX_MESSAGES + 1 : 1;
    uint8_t key[16];
    fill_random(key, sizeof key);
    pick(count);
    int result = is_many ? cupel_siphash_many(outputs, n, c, d, key, messages, lengths, count)
                         : cupel_siphash(outputs, n, c, d, key, messages[0], lengths[0]);
    check(result == 0, "refused");
    for (size_t i = 0; i < count; i++) {
        siphash_ref(expected, n, c, d, key, messages[i], lengths[i]);
        check_bytes(outputs + n * i, expected, n, "siphash-%u-%u, %zu bytes of tag, %zu of message",
                    c, d, n, lengths[i]);
    }
    return count;
}

int main(int argc, char **argv) {
    char name[32] = "";
    const char *what = argc == 4 ? argv[1] : "", *many = strstr(what, "-many");
    char *end = name;
    unsigned long count = argc == 4 ? strtoul(argv[3], &end, 10) : 0;
    snprintf(name, sizeof name, "%.*s", many ? (int)(many - what) : 30, what);
    const hash *h = find_hash(name);
    int is_hmac = strcmp(name, "hmac-sha256") == 0, is_siphash = strcmp(name, "siphash") == 0;
    if (count == 0 || (h == NULL && !is_hmac && !is_siphash)) {
        printf("usage: random_test WHAT CODE COUNT\n");
        return 2;
    }
    force_code(argv[2]);
    const char *code = is_siphash ? (many ? cupel_siphash_many_code() : "portable")
                       : is_hmac  ? (many ? sha256.many_code_for(100, 100) : cupel_sha256_code())
                       : many     ? h->many_code_for(100, 100)
                                  : h->code();
    check(is_first_code(argv[2], code), "dispatch takes %s", code);

    fill_random(pool, sizeof pool);
    for (unsigned long done = 0; done < count;) {
        if (is_siphash) {
            done += siphash(many != NULL);
        } else if (many) {
            done += is_hmac ? hmac_many() : hash_many(h);
        } else {
            if (is_hmac)
                hmac_one();
            else
                hash_one(h);
            done++;
        }
    }
    return finish();
}
