/* fuzz_many.c: many messages of SHA-1 and SHA-256, and of HMAC-SHA-256 against one at a time. Byte
 * 0 selects the hash, the code, and its variant; of an even number of bytes, batches take AVX2 by a
 * plan. Each byte after it is the length of a message, in
 * units of seven bytes. The messages overlap in the input.
 */
#include "cpu.h"
#include "hash.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COUNT = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1)
        return 0;
    const hash *h = data[0] & 1 ? &sha256 : &sha1;
    cupel_cpu_limit(data[0] >> 1 & 0x3f);
    if (data[0] & 0x80)
        atomic_fetch_xor(&cupel_cpu_word, CUPEL_CPU_KIND);
    plan_all(size % 2 == 0 ? "avx2" : "");
    const void *messages[MAX_COUNT];
    size_t lengths[MAX_COUNT], count = size - 1 < MAX_COUNT ? size - 1 : MAX_COUNT;
    for (size_t i = 0; i < count; i++) {
        size_t most = size - i;
        lengths[i] = (size_t)data[1 + i] * 7 % (most + 1);
        messages[i] = data + i;
    }
    uint8_t digests[MAX_COUNT * MAX_DIGEST], expected[MAX_DIGEST];
    h->many(digests, messages, lengths, count);
    for (size_t i = 0; i < count; i++) {
        reference_digest(h, expected, messages[i], lengths[i]);
        if (memcmp(digests + i * h->digest_length, expected, h->digest_length) != 0)
            abort();
    }
    if (h == &sha1)
        return 0;
    cupel_hmac_sha256_key keys[2];
    const cupel_hmac_sha256_key *these[MAX_COUNT];
    cupel_hmac_sha256_prepare(&keys[0], data, size < 80 ? size : 80);
    cupel_hmac_sha256_prepare(&keys[1], data, size / 2);
    for (size_t i = 0; i < count; i++)
        these[i] = &keys[i & 1];
    for (int one_key = 0; one_key < 2; one_key++) {
        if (one_key)
            cupel_hmac_sha256_many((void *)digests, &keys[0], messages, lengths, count);
        else
            cupel_hmac_sha256_many_keys((void *)digests, these, messages, lengths, count);
        for (size_t i = 0; i < count; i++) {
            cupel_hmac_sha256(expected, one_key ? &keys[0] : these[i], messages[i], lengths[i]);
            if (memcmp(digests + i * 32, expected, 32) != 0)
                abort();
        }
    }
    return 0;
}
