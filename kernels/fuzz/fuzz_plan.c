/* fuzz_plan.c: any bytes as a plan, as they are and after the head of this CPU. A batch under
 * whatever was accepted must have the digests of the reference. */
#include "cupel.h"
#include "hash.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 17, LENGTH = 256 };

static void use(const char *text, size_t length) {
    static uint8_t message[LENGTH];
    const void *messages[COUNT];
    size_t lengths[COUNT];
    uint8_t digests[COUNT * MAX_DIGEST], expected[MAX_DIGEST];
    if (cupel_plan_use(text, length) != 0)
        return;
    for (size_t i = 0; i < COUNT; i++) {
        messages[i] = message;
        lengths[i] = LENGTH - i;
    }
    sha256.many(digests, messages, lengths, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        reference_digest(&sha256, expected, message, lengths[i]);
        if (memcmp(digests + i * sha256.digest_length, expected, sha256.digest_length) != 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char version[] = "cupel-plan 1\n", date[] = "date 2026-11-23\n";
    char text[2 * CUPEL_PLAN_MOST], cpu[CUPEL_PLAN_CPU];
    use((const char *)data, size);
    if (size > CUPEL_PLAN_MOST || cupel_plan_cpu(cpu) != 0)
        return 0;
    size_t length = 0;
    const struct {
        const void *at;
        size_t length;
    } parts[] = {
        {version, sizeof version - 1}, {cpu, strlen(cpu)}, {date, sizeof date - 1}, {data, size}};
    for (size_t i = 0; i < 4; i++) {
        if (parts[i].length != 0)
            memcpy(text + length, parts[i].at, parts[i].length);
        length += parts[i].length;
    }
    use(text, length);
    return 0;
}
