/* fuzz_many.c: many messages of SHA-1 and SHA-256. Byte 0 picks the hash and the code; each byte
 * after that is a message's length by seventh bytes, which are cut from the input over and over. */
#include "hash.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1)
        return 0;
    const hash *h = data[0] & 1 ? &sha256 : &sha1;
    cupel_cpu_limit(data[0] >> 1);
    const void *messages[MOST];
    size_t lengths[MOST], count = size - 1 < MOST ? size - 1 : MOST;
    for (size_t i = 0; i < count; i++) {
        size_t most = size - i;
        lengths[i] = (size_t)data[1 + i] * 7 % (most + 1);
        messages[i] = data + i;
    }
    uint8_t digests[MOST * MOST_DIGEST], expected[MOST_DIGEST];
    h->many(digests, messages, lengths, count);
    for (size_t i = 0; i < count; i++) {
        reference_digest(h, expected, messages[i], lengths[i]);
        if (memcmp(digests + i * h->digest_length, expected, h->digest_length) != 0)
            abort();
    }
    return 0;
}
