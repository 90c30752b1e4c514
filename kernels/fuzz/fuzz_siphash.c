/* fuzz_siphash.c: SipHash-c-d, one message and many. Bytes 0 to 2 select code, rounds and output;
 * the next 16 are the key; the rest is the message, whose prefixes are the many messages. */
#include "cupel.h"
#include "siphash_ref.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 19)
        return 0;
    unsigned c = (data[1] & 7) + 1, d = (data[1] >> 3 & 7) + 1;
    size_t tag_length = data[2] & 1 ? 16 : 8;
    const uint8_t *key = data + 3, *message = data + 19;
    size_t length = size - 19;
    cupel_cpu_limit(data[0]);

    uint8_t expected[16], tags[COUNT * 16];
    siphash_ref(expected, tag_length, c, d, key, message, length);
    if (cupel_siphash(tags, tag_length, c, d, key, message, length) != 0 ||
        memcmp(tags, expected, tag_length) != 0)
        abort();
    const void *messages[COUNT];
    size_t lengths[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        messages[i] = message;
        lengths[i] = data[2] & 2 ? length * i / COUNT : length;
    }
    if (cupel_siphash_many(tags, tag_length, c, d, key, messages, lengths, COUNT) != 0)
        abort();
    for (size_t i = 0; i < COUNT; i++) {
        siphash_ref(expected, tag_length, c, d, key, message, lengths[i]);
        if (memcmp(tags + i * tag_length, expected, tag_length) != 0)
            abort();
    }
    return 0;
}
