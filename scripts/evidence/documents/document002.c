/* Document 002: ten million blocks of 64 bytes, by clock(). The blocks are those of one long
 * message, or each is a message.
 *
 * Usage: document002 NAME sha1|sha256 block|message COUNT default|portable|ssse3
 *
 * The last word limits the code that Cupel's kernels take; without -D CUPEL it is Mbed TLS. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 64 };

static uint8_t block[BLOCK], digest[32];

#ifdef CUPEL
#include "cupel.h"

#define LOOP(hash)                                                                                 \
    static void hash(int message, long count) {                                                    \
        cupel_##hash##_state state;                                                                \
        cupel_##hash##_begin(&state);                                                              \
        for (long i = 0; i < count; i++) {                                                         \
            if (message)                                                                           \
                cupel_##hash(digest, block, BLOCK);                                                \
            else                                                                                   \
                cupel_##hash##_update(&state, block, BLOCK);                                       \
        }                                                                                          \
        if (!message)                                                                              \
            cupel_##hash##_finish(&state, digest);                                                 \
    }
LOOP(sha1)
LOOP(sha256)

static void run(char **words, int message, long count) {
    cupel_cpu_limit(strcmp(words[5], "ssse3") == 0 ? CUPEL_CPU_SSSE3 : 0);
    (strcmp(words[2], "sha1") == 0 ? sha1 : sha256)(message, count);
}
#else
#include <mbedtls/sha1.h>

static void run(char **words, int message, long count) {
    mbedtls_sha1_context state;
    (void)words;
    mbedtls_sha1_init(&state);
    mbedtls_sha1_starts_ret(&state);
    for (long i = 0; i < count; i++) {
        if (message && i > 0)
            mbedtls_sha1_starts_ret(&state);
        mbedtls_sha1_update_ret(&state, block, BLOCK);
        if (message || i + 1 == count)
            mbedtls_sha1_finish_ret(&state, digest);
    }
}
#endif

int main(int argc, char **words) {
    if (argc != 6)
        return 2;
    long count = atol(words[4]);
    memset(block, 'a', BLOCK);
    clock_t start = clock();
    run(words, strcmp(words[3], "message") == 0, count);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%s %.3f ns\n", words[1], seconds * 1e9 / count);
    fprintf(stderr, "%02x\n", digest[0]);
    return 0;
}
