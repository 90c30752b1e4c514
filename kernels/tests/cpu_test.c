/* cpu_test.c: dispatch. Every subset of the features is forced, and the operations must use only
 * the code that it allows; subsets with a feature that this CPU lacks are counted as skipped.
 * tests/CMakeLists.txt sets the environment's limit and so checks it. */
#include "check.h"
#include "cupel.h"
#include "hash.h"
#include "siphash_ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURES = 5, MAX_MESSAGES = 40 };

static uint8_t message[MAX_MESSAGES * 64];

static const char *best(const hash *h, unsigned features) {
    for (const hash_code *code = h->codes; code->name != NULL; code++)
        if ((features & code->needs) == code->needs)
            return code->name;
    return "none";
}

static void hashes(const hash *h, unsigned features) {
    uint8_t digest[MAX_DIGEST], expected[MAX_DIGEST], digests[MAX_MESSAGES * MAX_DIGEST];
    const void *messages[MAX_MESSAGES];
    size_t lengths[MAX_MESSAGES];
    check(strcmp(h->code(), best(h, features)) == 0, "features %x: %s takes %s", features, h->name,
          h->code());
    for (size_t i = 0; i < MAX_MESSAGES; i++) {
        messages[i] = message;
        lengths[i] = i * 37 % sizeof message;
    }
    h->many(digests, messages, lengths, MAX_MESSAGES);
    for (size_t i = 0; i < MAX_MESSAGES; i++) {
        reference_digest(h, expected, message, lengths[i]);
        h->whole(digest, message, lengths[i]);
        check_bytes(digest, expected, h->digest_length, "features %x: %s of %zu bytes", features,
                    h->name, lengths[i]);
        check_bytes(digests + i * h->digest_length, expected, h->digest_length,
                    "features %x: many %s, message %zu", features, h->name, i);
    }
}

static void siphash(unsigned features) {
    const void *messages[MAX_MESSAGES];
    size_t lengths[MAX_MESSAGES];
    uint8_t tags[MAX_MESSAGES * 8], expected[8];
    for (size_t i = 0; i < MAX_MESSAGES; i++) {
        messages[i] = message;
        lengths[i] = i * 13;
    }
    cupel_siphash_many(tags, 8, 2, 4, message, messages, lengths, MAX_MESSAGES);
    for (size_t i = 0; i < MAX_MESSAGES; i++) {
        siphash_ref(expected, 8, 2, 4, message, message, lengths[i]);
        check_bytes(tags + 8 * i, expected, 8, "features %x: many siphash, message %zu", features,
                    i);
    }
}

int main(int argc, char **argv) {
    /* cpu_test LIMIT: the features of the environment's CUPEL_CPU must be in use from the first
     * call. */
    if (argc == 2) {
        unsigned allowed = (unsigned)strtoul(argv[1], NULL, 0);
        check(cupel_cpu_used() == (cupel_cpu_found() & allowed), "in use are %x of %x",
              cupel_cpu_used(), cupel_cpu_found());
        return finish();
    }
    fill_random(message, sizeof message);
    unsigned found = cupel_cpu_found(), skipped = 0;
    for (unsigned features = 0; features < 1u << FEATURES; features++) {
        if (features & ~found) {
            skipped++;
            continue;
        }
        check(cupel_cpu_limit(features) == features, "the limit %x holds", features);
        check(cupel_cpu_used() == features, "features %x are in use", features);
        hashes(&sha1, features);
        hashes(&sha256, features);
        siphash(features);
    }
    check(cupel_cpu_limit(~0u) == found, "no limit: all that was found");
    printf("%u of %u subsets of features SKIPPED: this CPU has not all of them (found %x)\n",
           skipped, 1u << FEATURES, found);
    return finish();
}
