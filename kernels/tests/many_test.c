/* many_test.c HASH CODE[+CODE]: many messages at once, against the reference: every count up to
 * more than three rows, equal and unequal lengths, each message between inaccessible pages. */
#include "check.h"
#include "hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOME = 100, MAX_MESSAGES = 600, LONGEST = 1100, MARGIN = 64, CANARY = 0xc5 };

static const hash *h;
static uint8_t *message, *message_end; /* guarded */
static const void *messages[MAX_MESSAGES];
static size_t lengths[MAX_MESSAGES];

static void compare(size_t count, const char *what) {
    static uint8_t digests[MAX_MESSAGES * MAX_DIGEST + MARGIN];
    memset(digests, CANARY, sizeof digests);
    h->many(digests, messages, lengths, count);
    for (size_t i = 0; i < count; i++) {
        uint8_t expected[MAX_DIGEST];
        reference_digest(h, expected, messages[i], lengths[i]);
        check_bytes(digests + i * h->digest_length, expected, h->digest_length,
                    "%s: message %zu of %zu, %zu bytes", what, i, count, lengths[i]);
    }
    for (size_t i = count * h->digest_length; i < count * h->digest_length + MARGIN; i++)
        check(digests[i] == CANARY, "%s: a byte past %zu digests was written", what, count);
}

/* Gives message i this length; it ends, or begins, at an inaccessible page. */
static void set(size_t i, size_t length) {
    lengths[i] = length;
    messages[i] = i % 2 == 0 ? message_end - length : message;
}

int main(int argc, char **argv) {
    h = argc == 3 ? find_hash(argv[1]) : NULL;
    if (h == NULL) {
        printf("usage: many_test sha1|sha256 CODE\n");
        return 2;
    }
    force_code(argv[2]);
    check(is_first_code(argv[2], h->many_code_for(SOME, SOME)), "dispatch takes %s",
          h->many_code_for(SOME, SOME));

    message = guarded(LONGEST, &message_end);
    fill_random(message, (size_t)(message_end - message));

    for (size_t length = 0; length <= LONGEST; length++) {
        for (size_t i = 0; i < MAX_MESSAGES; i++)
            set(i, length);
        compare(length % 48, "one length");
    }
    for (size_t count = 0; count <= SOME; count++) {
        for (size_t i = 0; i < count; i++)
            set(i, next_random() % (LONGEST + 1));
        compare(count, "random lengths");
        for (size_t i = 0; i < count; i++)
            set(i, next_random() % 3 * 64);
        compare(count, "none, one or two blocks");
        for (size_t i = 0; i < count; i++)
            set(i, i % 17 == 0 ? LONGEST : next_random() % 8);
        compare(count, "few long among short");
    }
    /* more than are sorted at a time */
    for (size_t i = 0; i < MAX_MESSAGES; i++)
        set(i, next_random() % 200);
    compare(MAX_MESSAGES, "a large batch");
    for (size_t i = 0; i < MAX_MESSAGES; i++) {
        messages[i] = NULL;
        lengths[i] = 0;
    }
    compare(MAX_MESSAGES, "no messages at all");
    return finish();
}
