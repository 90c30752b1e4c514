/* hash_test.c HASH CODE: tests a kernel of SHA-1 or SHA-256 against the reference and the official
 * vectors, at every length, alignment and chunking, alone and through the public functions.
 * Skipped, with a message, if this CPU lacks the code's features. */
#include "check.h"
#include "hash.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1100, CANARY = 0xc5, MARGIN = 64 };

static const hash *h;
static const hash_code *code;

/* The expected digests of the first 0 to LONGEST bytes of message. */
static uint8_t message[LONGEST], expected[LONGEST + 1][MAX_DIGEST];

static void expect(void) {
    fill_random(message, sizeof message);
    for (size_t length = 0; length <= LONGEST; length++)
        reference_digest(h, expected[length], message, length);
}

/* The kernel alone: all ways to divide blocks between message and tail, each ending at an
 * inaccessible page. */
static void blocks_and_tails(void) {
    uint8_t *blocks_end, *tail_end;
    guarded(640, &blocks_end);
    guarded(640, &tail_end);
    memcpy(blocks_end - 640, message, 640);
    memcpy(tail_end - 640, message + 77, 640);
    for (size_t count = 0; count <= 9; count++)
        for (size_t tail_count = 0; tail_count <= 9; tail_count++) {
            uint32_t got[MOST_STATE + 1], want[MOST_STATE + 1];
            memcpy(got, h->start, 4 * h->state_words);
            got[h->state_words] = 0x5afe;
            memcpy(want, got, sizeof want);
            const uint8_t *blocks = count == 0 ? NULL : blocks_end - 64 * count;
            const uint8_t *tail = tail_count == 0 ? NULL : tail_end - 64 * tail_count;
            code->run(got, blocks, count, tail, tail_count);
            h->reference(want, blocks, count, tail, tail_count);
            check_bytes((uint8_t *)got, (uint8_t *)want, 4 * h->state_words + 4,
                        "%zu blocks and %zu of the tail", count, tail_count);
        }
}

/* Every length at every alignment of message and digest within a cache line. The message is between
 * inaccessible pages and must not change; the digest is between canaries. */
static void lengths_and_alignments(void) {
    uint8_t *end, *start = guarded(LONGEST + 64, &end);
    for (size_t length = 0; length <= LONGEST; length++)
        for (size_t at = 0; at < 64; at++) {
            uint8_t digest[MARGIN + MAX_DIGEST + MARGIN + 64];
            memset(digest, CANARY, sizeof digest);
            /* alternately, the message ends or starts at an inaccessible page */
            uint8_t *m = at == 0 ? start : end - length - (at - 1);
            memcpy(m, message, length);
            uint8_t *out = digest + MARGIN + at;
            h->whole(out, m, length);
            check_bytes(out, expected[length], h->digest_length, "length %zu, alignment %zu",
                        length, at);
            check(memcmp(m, message, length) == 0, "length %zu: the message was changed", length);
            int kept = 1;
            for (size_t i = 0; i < sizeof digest; i++)
                if (digest + i < out || digest + i >= out + h->digest_length)
                    kept &= digest[i] == CANARY;
            check(kept, "length %zu, alignment %zu: a byte next to the digest was written", length,
                  at);
        }
    uint8_t digest[MAX_DIGEST];
    h->whole(digest, NULL, 0);
    check_bytes(digest, expected[0], h->digest_length, "no message at all");
}

static void in_chunks(size_t length, size_t first, size_t chunk) {
    uint8_t digest[MAX_DIGEST];
    size_t at = first < length ? first : length;
    h->begin();
    h->update(message, at);
    for (; at < length; at += chunk)
        h->update(message + at, chunk < length - at ? chunk : length - at);
    h->finish(digest);
    check_bytes(digest, expected[length], h->digest_length, "length %zu, first %zu, then by %zu",
                length, first, chunk);
}

/* Every length up to five blocks, cut in two at every position; the longest in chunks of every
 * length; updates with no bytes. */
static void chunkings(void) {
    for (size_t length = 0; length <= 320; length++)
        for (size_t first = 0; first <= length; first++)
            in_chunks(length, first, LONGEST);
    for (size_t chunk = 1; chunk <= LONGEST; chunk++)
        for (size_t first = 0; first < 130; first += 43)
            in_chunks(LONGEST, first, chunk);
    uint8_t digest[MAX_DIGEST];
    h->begin();
    h->update(NULL, 0);
    h->update(message, 65);
    h->update(NULL, 0);
    h->finish(digest);
    check_bytes(digest, expected[65], h->digest_length, "updates of nothing");
}

static void short_and_long_vectors(void) {
    for (int i = 0; i < 2; i++) {
        vectors *v = vectors_open("nist-cavp", h->vectors[i]);
        size_t records = 0;
        while (vectors_next(v, "MD")) {
            size_t bytes, md_length;
            const uint8_t *m = vectors_bytes(v, "Msg", &bytes);
            const uint8_t *md = vectors_bytes(v, "MD", &md_length);
            uint8_t digest[MAX_DIGEST];
            h->whole(digest, m, vectors_number(v, "Len") / 8);
            check(md_length == h->digest_length, "%s: a digest of %zu bytes", h->vectors[i],
                  md_length);
            check_bytes(digest, md, h->digest_length, "%s record %zu", h->vectors[i], records);
            records++;
        }
        check(records >= 32, "%s has %zu records", h->vectors[i], records);
        vectors_close(v);
    }
}

/* SHAVS, section 6.4: each checkpoint is 1000 digests of three concatenated digests. */
static void monte_carlo(void) {
    vectors *v = vectors_open("nist-cavp", h->vectors[2]);
    size_t n = h->digest_length, length, records = 0;
    uint8_t last[3 * MAX_DIGEST], next[MAX_DIGEST];
    check(vectors_next(v, "Seed"), "%s has a seed", h->vectors[2]);
    memcpy(next, vectors_bytes(v, "Seed", &length), n);
    for (; vectors_next(v, "MD"); records++) {
        for (int i = 0; i < 3; i++)
            memcpy(last + n * i, next, n);
        for (int i = 0; i < 1000; i++) {
            h->whole(next, last, 3 * n);
            memmove(last, last + n, 2 * n);
            memcpy(last + 2 * n, next, n);
        }
        check_bytes(next, vectors_bytes(v, "MD", &length), n, "%s record %zu", h->vectors[2],
                    records);
    }
    check(records == 100, "%s has %zu records", h->vectors[2], records);
    vectors_close(v);
}

/* Random lengths and messages; the environment variable CUPEL_RANDOM says how many. */
static void random_inputs(void) {
    const char *text = getenv("CUPEL_RANDOM");
    unsigned long count = text != NULL ? strtoul(text, NULL, 10) : 20000;
    static uint8_t m[600];
    for (unsigned long i = 0; i < count; i++) {
        uint64_t random = next_random();
        size_t at = random >> 8 & 63, length = (random >> 20) % 300;
        memcpy(m + (random >> 40) % 500, &random, sizeof random);
        uint8_t got[MAX_DIGEST], want[MAX_DIGEST];
        h->whole(got, m + at, length);
        reference_digest(h, want, m + at, length);
        check_bytes(got, want, h->digest_length, "random input %lu", i);
    }
}

int main(int argc, char **argv) {
    h = argc == 3 ? find_hash(argv[1]) : NULL;
    if (h == NULL) {
        printf("usage: hash_test sha1|sha256 CODE\n");
        return 2;
    }
    for (code = h->codes; code->name != NULL && strcmp(code->name, argv[2]) != 0;)
        code++;
    if (code->name == NULL)
        skip("this build has no such code");
    if ((cupel_cpu_found() & code->needs) != code->needs)
        skip("this CPU lacks the features of the code");
    cupel_cpu_limit(code->needs);
    check(strcmp(h->code(), code->name) == 0, "dispatch takes %s", h->code());

    expect();
    blocks_and_tails();
    lengths_and_alignments();
    chunkings();
    short_and_long_vectors();
    monte_carlo();
    random_inputs();
    return finish();
}
