/* wipe_test.c [leaky|many CODE]: the bytes that an operation leaves on its stack. A thread runs it
 * on a stack that the test owns. Afterwards no eight consecutive bytes of the message may be there:
 * the padded copy of a message's end must be cleared, because it may contain the end of a key. Only
 * the portable code is tested: it loads words and never consecutive bytes, whatever the compiler
 * does with its variables. "many" tests HMAC of many messages with the SHA extensions, for the same
 * reason, and with lanes: they must leave no message's end, no first words of a prepared key, and
 * no inner digest. Lanes keep the words of a digest apart, so all eight are searched one by one;
 * some may be left, because the compiler saves registers. "leaky" keeps a copy and must be
 * reported: it is the control of this test. */
#define _POSIX_C_SOURCE 200809L

#include "check.h"
#include "cupel.h"
#include "hash.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 200, RUN = 8, STACK = 1 << 16 };

/* Bytes that count up, modulo 16, from a rare value: any eight consecutive ones can be recognised
 * as part of the message. In a word with its bytes swapped they count down. */
static uint8_t message[LONGEST];
static _Alignas(4096) uint8_t stack[STACK];

/* The sanitizer tracks which parts of a stack are in use; a dead one may be read here. */
__attribute__((no_sanitize("address"))) static int stack_has_message(void) {
    size_t run = 0;
    for (size_t i = 0; i < STACK; i++) {
        const volatile uint8_t *at = stack + i;
        int follows = run != 0 && at[0] == (0xa0 | ((at[-1] + 1) & 15));
        run = follows ? run + 1 : (at[0] & 0xf0) == 0xa0;
        if (run == RUN)
            return 1;
    }
    return 0;
}

/* Whether these eight bytes are there, at a multiple of four. */
__attribute__((no_sanitize("address"))) static int stack_has(const void *bytes) {
    uint32_t words[2];
    memcpy(words, bytes, sizeof words);
    for (size_t i = 0; i + 8 <= STACK; i += 4) {
        const volatile uint32_t *at = (const volatile uint32_t *)(stack + i);
        if (at[0] == words[0] && at[1] == words[1])
            return 1;
    }
    return 0;
}

/* How many of these eight words are there, whatever lies next to them. */
__attribute__((no_sanitize("address"))) static int on_stack(const uint32_t words[8]) {
    int found = 0;
    for (int j = 0; j < 8; j++) {
        int here = 0;
        for (size_t i = 0; i < STACK && !here; i += 4)
            here = *(const volatile uint32_t *)(stack + i) == words[j];
        found += here;
    }
    return found;
}

typedef struct operation {
    const char *name;
    void (*run)(size_t length);
    int has_key; /* whether it runs with the prepared key */
} operation;

static uint8_t output[32];
static cupel_hmac_sha256_key prepared;

static void sha1_whole(size_t length) {
    cupel_sha1(output, message, length);
}

static void sha256_whole(size_t length) {
    cupel_sha256(output, message, length);
}

static void in_pieces(const hash *h, size_t length) {
    h->begin(); /* the state is not on the stack */
    h->update(message, length / 2);
    h->update(message + length / 2, length - length / 2);
    h->finish(output);
}

static void sha1_pieces(size_t length) {
    in_pieces(&sha1, length);
}

static void sha256_pieces(size_t length) {
    in_pieces(&sha256, length);
}

static void hmac_key(size_t length) {
    cupel_hmac_sha256_prepare(&prepared, message, length);
}

enum { MANY = 19, KEY = 20 };

static void hmac_batch(size_t count, size_t length, int equal, int one_key) {
    static const cupel_hmac_sha256_key *keys[MANY];
    static const void *messages[MANY];
    static size_t lengths[MANY];
    static uint8_t tags[MANY][32];
    for (size_t i = 0; i < count; i++) {
        keys[i] = &prepared;
        messages[i] = message;
        lengths[i] = equal ? length : length * (i + 1) / count;
    }
    if (one_key)
        cupel_hmac_sha256_many(tags, &prepared, messages, lengths, count);
    else
        cupel_hmac_sha256_many_keys(tags, keys, messages, lengths, count);
}

static void hmac_one_of_many(size_t length) {
    hmac_batch(1, length, 1, 0);
}

static void hmac_many_equal(size_t length) {
    hmac_batch(MANY, length, 1, 1);
}

static void hmac_many_keys_equal(size_t length) {
    hmac_batch(MANY, length, 1, 0);
}

static void hmac_many_ragged(size_t length) {
    hmac_batch(MANY, length, 0, 1);
}

static void hmac_many_keys_ragged(size_t length) {
    hmac_batch(MANY, length, 0, 0);
}

static void leaky(size_t length) {
    uint8_t copy[LONGEST];
    memcpy(copy, message, length);
    __asm__ volatile("" : : "r"(copy) : "memory"); /* keeps it */
}

static const operation operations[] = {
    {"sha1", sha1_whole, 0},
    {"sha1 in pieces", sha1_pieces, 0},
    {"sha256", sha256_whole, 0},
    {"sha256 in pieces", sha256_pieces, 0},
    {"key of hmac-sha256", hmac_key, 0},
};

static const operation of_many[] = {
    {"hmac-sha256, a batch of one", hmac_one_of_many, 1},
    {"hmac-sha256 of many, equal lengths", hmac_many_equal, 1},
    {"hmac-sha256 of many, equal lengths, many keys", hmac_many_keys_equal, 1},
    {"hmac-sha256 of many", hmac_many_ragged, 1},
    {"hmac-sha256 of many, many keys", hmac_many_keys_ragged, 1},
};

typedef struct job {
    const operation *operation;
    size_t length;
} job;

static void *work(void *argument) {
    const job *j = argument;
    j->operation->run(j->length);
    return NULL;
}

static void try_one(const operation *operation, size_t length) {
    job j = {operation, length};
    pthread_attr_t attributes;
    pthread_t thread;
    memset(stack, 0, sizeof stack);
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstack(&attributes, stack, sizeof stack) != 0 ||
        pthread_create(&thread, &attributes, work, &j) != 0 || pthread_join(thread, NULL) != 0)
        skip("no thread with its own stack");
    pthread_attr_destroy(&attributes);
    check(!stack_has_message(), "%s of %zu bytes left some of them on the stack", operation->name,
          length);
    if (!operation->has_key)
        return;
    check(!stack_has(prepared.inner) && !stack_has(prepared.outer),
          "%s of %zu bytes left words of the key on the stack", operation->name, length);
    uint8_t inner[64 + LONGEST], digest[32];
    uint32_t words[16]; /* of the digest, in either order of bytes */
    memset(inner, 0x36, 64);
    for (size_t i = 0; i < KEY; i++)
        inner[i] ^= message[i];
    memcpy(inner + 64, message, length);
    cupel_sha256(digest, inner, 64 + length);
    memcpy(words, digest, sizeof digest);
    for (size_t i = 0; i < 8; i++)
        words[8 + i] = __builtin_bswap32(words[i]);
    check(!stack_has(words) && !stack_has(words + 8) && on_stack(words) < 8 &&
              on_stack(words + 8) < 8,
          "%s of %zu bytes left an inner digest on the stack", operation->name, length);
}

static void try_all(const operation *all, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t length = RUN; length <= LONGEST; length++) {
            all[i].run(length); /* resolves symbols first, which saves registers on the stack */
            try_one(&all[i], length);
        }
}

int main(int argc, char **argv) {
    static const operation control = {"control", leaky, 0};
    cupel_cpu_limit(0);
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)(0xa0 | (i & 15));
    if (argc == 2 && strcmp(argv[1], "leaky") == 0) {
        try_one(&control, LONGEST);
        return finish();
    }
    if (argc == 3 && strcmp(argv[1], "many") == 0) {
        force_code(argv[2]);
        cupel_hmac_sha256_prepare(&prepared, message, KEY);
        try_all(of_many, sizeof of_many / sizeof *of_many);
        return finish();
    }
    try_all(operations, sizeof operations / sizeof *operations);
    return finish();
}
