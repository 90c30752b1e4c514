/* siphash_test.c CODE: SipHash against its reference and the authors' tables: every length,
 * alignment, c, d and output; and many messages at once by that code. */
#include "check.h"
#include "cupel.h"
#include "hash.h"
#include "siphash_ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1100, SOME = 60, MAX_MESSAGES = 600, MARGIN = 64, CANARY = 0xc5 };

static uint8_t key[16], *message, *message_end;

static const struct {
    unsigned c, d;
    size_t tag_length;
} kinds[] = {{2, 4, 8}, {1, 3, 8}, {2, 4, 16}, {1, 3, 16}, {4, 8, 8}, {4, 8, 16}, {3, 1, 8}};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* The tables have the tags of 0 to 63 bytes 00 01 .. with the key 00 01 .. 0f. */
static void table(const char *file, size_t tag_length) {
    char path[4096], line[256];
    uint8_t bytes[64], tag[16], expected[16];
    snprintf(path, sizeof path, "%s/siphash/%s", CUPEL_VECTORS, file);
    FILE *in = fopen(path, "r");
    check(in != NULL, "cannot open %s", path);
    if (in == NULL)
        return;
    for (int i = 0; i < 64; i++)
        bytes[i] = (uint8_t)i;
    size_t records = 0;
    while (fgets(line, sizeof line, in) != NULL) {
        if (line[0] == '#' || strlen(line) < 2 * tag_length)
            continue;
        for (size_t i = 0; i < tag_length; i++) {
            unsigned byte = 0;
            check(sscanf(line + 2 * i, "%2x", &byte) == 1, "%s: not hex", path);
            expected[i] = (uint8_t)byte;
        }
        cupel_siphash(tag, tag_length, 2, 4, bytes, bytes, records);
        check_bytes(tag, expected, tag_length, "%s line %zu", file, records);
        siphash_ref(tag, tag_length, 2, 4, bytes, bytes, records);
        check_bytes(tag, expected, tag_length, "the reference: %s line %zu", file, records);
        records++;
    }
    check(records == 64, "%s has %zu records", file, records);
    fclose(in);
}

static void one_at_a_time(void) {
    for (size_t length = 0; length <= LONGEST; length++)
        for (size_t kind = 0; kind < KINDS; kind++)
            for (size_t at = 0; at < 9; at++) {
                size_t n = kinds[kind].tag_length;
                uint8_t tag[48], expected[16];
                memset(tag, CANARY, sizeof tag);
                const uint8_t *m = at == 8 ? message : message_end - length - at;
                siphash_ref(expected, n, kinds[kind].c, kinds[kind].d, key, m, length);
                int result = cupel_siphash(tag + 16 + at % 8, n, kinds[kind].c, kinds[kind].d, key,
                                           m, length);
                check(result == 0, "refused");
                check_bytes(tag + 16 + at % 8, expected, n, "%u-%u, %zu bytes of tag, length %zu",
                            kinds[kind].c, kinds[kind].d, n, length);
                int kept = 1;
                for (size_t i = 0; i < sizeof tag; i++)
                    if (i < 16 + at % 8 || i >= 16 + at % 8 + n)
                        kept &= tag[i] == CANARY;
                check(kept, "length %zu: a byte next to the tag was written", length);
            }
    uint8_t tag[16], expected[16];
    cupel_siphash_2_4_128(tag, key, message, 33);
    siphash_ref(expected, 16, 2, 4, key, message, 33);
    check_bytes(tag, expected, 16, "cupel_siphash_2_4_128");
    cupel_siphash_1_3_128(tag, key, message, 33);
    siphash_ref(expected, 16, 1, 3, key, message, 33);
    check_bytes(tag, expected, 16, "cupel_siphash_1_3_128");
    cupel_siphash_2_4(tag, key, NULL, 0);
    siphash_ref(expected, 8, 2, 4, key, message, 0);
    check_bytes(tag, expected, 8, "no message at all");
}

static const void *messages[MAX_MESSAGES];
static size_t lengths[MAX_MESSAGES];

static void compare(size_t count, const char *what) {
    for (size_t kind = 0; kind < KINDS; kind++) {
        static uint8_t tags[16 * MAX_MESSAGES + MARGIN];
        size_t n = kinds[kind].tag_length;
        memset(tags, CANARY, sizeof tags);
        int result = cupel_siphash_many(tags, n, kinds[kind].c, kinds[kind].d, key, messages,
                                        lengths, count);
        check(result == 0, "refused");
        for (size_t i = 0; i < count; i++) {
            uint8_t expected[16];
            siphash_ref(expected, n, kinds[kind].c, kinds[kind].d, key, messages[i], lengths[i]);
            check_bytes(tags + n * i, expected, n, "%s: message %zu of %zu, %zu bytes", what, i,
                        count, lengths[i]);
        }
        for (size_t i = n * count; i < n * count + MARGIN; i++)
            check(tags[i] == CANARY, "%s: a byte past %zu tags was written", what, count);
    }
}

static void set(size_t i, size_t length) {
    lengths[i] = length;
    messages[i] = i % 2 == 0 ? message_end - length : message;
}

static void many(void) {
    for (size_t length = 0; length <= LONGEST; length++) {
        for (size_t i = 0; i < MAX_MESSAGES; i++)
            set(i, length);
        compare(length % 40, "one length");
    }
    for (size_t count = 0; count <= SOME; count++) {
        for (size_t i = 0; i < count; i++)
            set(i, next_random() % (LONGEST + 1));
        compare(count, "random lengths");
        for (size_t i = 0; i < count; i++)
            set(i, i % 9 == 0 ? LONGEST : next_random() % 17);
        compare(count, "few long among short");
        for (size_t i = 0; i < count; i++)
            set(i, i < count - 3 ? i % 8 : LONGEST - 8 * i);
        compare(count, "three long ones");
    }
    /* more than are sorted at a time */
    for (size_t i = 0; i < MAX_MESSAGES; i++)
        set(i, next_random() % 100);
    compare(MAX_MESSAGES, "a large batch");
}

static void refusals(void) {
    uint8_t tag[16] = {0}, before[16] = {0};
    check(cupel_siphash(tag, 8, 0, 4, key, message, 8) == -1, "c = 0 is refused");
    check(cupel_siphash(tag, 8, 2, 0, key, message, 8) == -1, "d = 0 is refused");
    check(cupel_siphash(tag, 12, 2, 4, key, message, 8) == -1, "12 bytes of tag are refused");
    check(cupel_siphash_many(tag, 7, 2, 4, key, messages, lengths, 1) == -1, "many: 7 bytes too");
    check_bytes(tag, before, 16, "what is refused leaves the tag alone");
}

int main(int argc, char **argv) {
    if (argc != 2) {
        printf("usage: siphash_test CODE\n");
        return 2;
    }
    force_code(argv[1]);
    check(strcmp(cupel_siphash_many_code(), argv[1]) == 0, "dispatch takes %s",
          cupel_siphash_many_code());
    fill_random(key, sizeof key);
    message = guarded(LONGEST, &message_end);
    fill_random(message, (size_t)(message_end - message));
    table("siphash-2-4.txt", 8);
    table("siphash-2-4-128.txt", 16);
    one_at_a_time();
    many();
    refusals();
    return finish();
}
