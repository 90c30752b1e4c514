/* fuzz_hash.c: SHA-1 and SHA-256, whole and in pieces. Byte 0 selects the hash and the code, byte 1
 * is the length of a piece; the rest is the message. */
#include "hash.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    const hash *h = data[0] & 1 ? &sha256 : &sha1;
    const uint8_t *message = data + 2;
    size_t length = size - 2, piece = data[1] == 0 ? length + 1 : data[1];
    cupel_cpu_limit(data[0] >> 1);

    uint8_t expected[MAX_DIGEST], digest[MAX_DIGEST];
    reference_digest(h, expected, message, length);
    h->whole(digest, message, length);
    if (memcmp(digest, expected, h->digest_length) != 0)
        abort();
    h->begin();
    for (size_t at = 0; at < length; at += piece)
        h->update(message + at, piece < length - at ? piece : length - at);
    h->finish(digest);
    if (memcmp(digest, expected, h->digest_length) != 0)
        abort();
    return 0;
}
