/* constant_time_test.c CODE|leaky: keys and messages are marked undefined, so that memcheck reports
 * every branch and every address that depends on one. Run under valgrind, with --error-exitcode;
 * skipped if the CPU that valgrind presents lacks the code's features. "leaky" branches on a secret
 * on purpose and must be reported: it is the control of this test. */
#include "check.h"
#include "cupel.h"
#include "hash.h"

#include <stdio.h>
#include <string.h>
#include <valgrind/memcheck.h>

enum { LONGEST = 700, MANY = 20 };

static uint8_t secret[LONGEST], key[16], output[MANY * 32];

static void publish(void *at, size_t length) {
    VALGRIND_MAKE_MEM_DEFINED(at, length);
}

static void all_operations(size_t length) {
    cupel_sha1_state s1;
    cupel_sha256_state s256;
    cupel_hmac_sha256_key prepared;
    cupel_sha1(output, secret, length);
    cupel_sha256(output, secret, length);
    cupel_sha1_begin(&s1);
    cupel_sha1_update(&s1, secret, length / 2);
    cupel_sha1_update(&s1, secret + length / 2, length - length / 2);
    cupel_sha1_finish(&s1, output);
    cupel_sha256_begin(&s256);
    cupel_sha256_update(&s256, secret, length / 2);
    cupel_sha256_update(&s256, secret + length / 2, length - length / 2);
    cupel_sha256_finish(&s256, output);
    cupel_hmac_sha256_prepare(&prepared, secret, length);
    cupel_hmac_sha256(output, &prepared, secret, length);
    int same = cupel_hmac_sha256_verify(output + 1, &prepared, secret, length);
    publish(&same, sizeof same); /* the answer is public */
    check(!same, "a wrong tag is refused");
    cupel_siphash_2_4(output, key, secret, length);
    cupel_siphash(output, 16, 1, 3, key, secret, length);

    const void *messages[MANY];
    const cupel_hmac_sha256_key *keys[MANY];
    size_t lengths[MANY];
    for (size_t i = 0; i < MANY; i++) {
        keys[i] = &prepared;
        messages[i] = secret;
        lengths[i] = length;
    }
    for (int turn = 0; turn < 2; turn++) {
        cupel_sha1_many((void *)output, messages, lengths, MANY);
        cupel_sha256_many((void *)output, messages, lengths, MANY);
        cupel_hmac_sha256_many((void *)output, &prepared, messages, lengths, MANY);
        cupel_hmac_sha256_many_keys((void *)output, keys, messages, lengths, MANY);
        cupel_siphash_many(output, 8, 2, 4, key, messages, lengths, MANY);
        for (size_t i = 0; i < MANY; i++)
            lengths[i] = length * i / MANY;
    }
    publish(output, sizeof output);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        printf("usage: constant_time_test CODE|leaky\n");
        return 2;
    }
    if (!RUNNING_ON_VALGRIND)
        skip("this is not running under valgrind");
    VALGRIND_MAKE_MEM_UNDEFINED(secret, sizeof secret);
    VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof key);
    if (strcmp(argv[1], "leaky") == 0) {
        check(secret[3] != 1, "never printed");
        return finish();
    }
    force_code(argv[1]);
    check(is_first_code(argv[1], cupel_sha256_code()), "dispatch takes %s", cupel_sha256_code());
    for (size_t length = 0; length <= LONGEST; length += length < 130 ? 1 : 37)
        all_operations(length);
    return finish();
}
