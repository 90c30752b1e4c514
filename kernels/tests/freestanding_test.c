/* freestanding_test.c: a program without a C library, linked with the freestanding build alone. Its
 * exit status is 0 if SHA-256 of "abc" is as in FIPS 180-4's example, also in a batch, a damaged
 * plan is refused, and SipHash and HMAC run. */
#include "cupel.h"

static int run(void) {
    static const uint8_t abc[32] = {
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
        0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
        0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
    };
    uint8_t digest[32], tag[8];
    cupel_hmac_sha256_key key;
    cupel_sha256(digest, "abc", 3);
    if (!cupel_equal(digest, abc, 32))
        return 1;
    static const char *const messages[] = {"abc", "abc"};
    static const size_t lengths[] = {3, 3};
    uint8_t digests[2][32];
    for (int plan = 0; plan < 2; plan++) {
        cupel_sha256_many(digests, (const void *const *)messages, lengths, 2);
        if (!cupel_equal(digests[0], abc, 32) || !cupel_equal(digests[1], abc, 32))
            return 3;
        if (plan == 0 && cupel_plan_use("cupel-plan 1\n", 13) == 0)
            return 4;
    }
    cupel_siphash_2_4(tag, abc, "abc", 3);
    cupel_hmac_sha256_prepare(&key, "abc", 3);
    cupel_hmac_sha256(digest, &key, "abc", 3);
    return cupel_hmac_sha256_verify(digest, &key, "abc", 3) ? 0 : 2;
}

__attribute__((force_align_arg_pointer)) void _start(void) {
    long status = run();
    __asm__ volatile("syscall" : : "a"(60L), "D"(status) : "rcx", "r11", "memory");
    for (;;)
        ;
}
