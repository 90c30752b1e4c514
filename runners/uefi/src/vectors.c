/* vectors.c: see vectors.h. CUPEL_VECTORS is the repository's folder vectors/, as a string. */
#include "vectors.h"

#define FILE(name, path)                                                                           \
    __asm__(".section .rdata,\"dr\"\n" #name ":\n.incbin \"" CUPEL_VECTORS path "\"\n" #name       \
            "_end:\n.byte 0\n.text\n");                                                            \
    extern const char name[], name##_end[];

FILE(sha1_short, "/nist-cavp/SHA1ShortMsg.rsp")
FILE(sha1_long, "/nist-cavp/SHA1LongMsg.rsp")
FILE(sha256_short, "/nist-cavp/SHA256ShortMsg.rsp")
FILE(sha256_long, "/nist-cavp/SHA256LongMsg.rsp")
FILE(siphash_table, "/siphash/siphash-2-4.txt")

vectors vectors_sha1(int is_long) {
    return is_long ? (vectors){sha1_long, sha1_long_end} : (vectors){sha1_short, sha1_short_end};
}

vectors vectors_sha256(int is_long) {
    return is_long ? (vectors){sha256_long, sha256_long_end}
                   : (vectors){sha256_short, sha256_short_end};
}

vectors vectors_siphash(void) {
    return (vectors){siphash_table, siphash_table_end};
}

/* Cuts the next line off, without its end. Returns 0 where there is none. */
static int next_line(vectors *v, vectors *line) {
    if (v->at == v->end)
        return 0;
    line->at = v->at;
    while (v->at != v->end && *v->at != '\n')
        v->at++;
    line->end = v->at;
    while (line->end != line->at && line->end[-1] == '\r')
        line->end--;
    if (v->at != v->end)
        v->at++;
    return 1;
}

/* Takes a word off the front of a line, where it stands there. */
static int starts(vectors *line, const char *word) {
    const char *at = line->at;
    for (; *word != '\0'; word++, at++)
        if (at == line->end || *at != *word)
            return 0;
    line->at = at;
    return 1;
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes of a line that is all hexadecimal; -1 where it is not, or has more than most. */
static long bytes(const vectors *line, uint8_t *to, size_t most) {
    size_t count = (size_t)(line->end - line->at) / 2;
    if ((line->end - line->at) % 2 != 0 || count > most)
        return -1;
    for (size_t i = 0; i < count; i++) {
        int high = digit(line->at[2 * i]), low = digit(line->at[2 * i + 1]);
        if (high < 0 || low < 0)
            return -1;
        to[i] = (uint8_t)(high << 4 | low);
    }
    return (long)count;
}

int vectors_next(vectors *v, uint8_t message[LONGEST_VECTOR], size_t *length, uint8_t *digest,
                 size_t digest_length) {
    vectors line;
    long bits = -1, held = -1;
    while (next_line(v, &line)) {
        if (starts(&line, "Len = ")) {
            for (bits = 0; line.at != line.end && bits <= 8 * LONGEST_VECTOR; line.at++)
                bits = 10 * bits + digit(*line.at);
        } else if (starts(&line, "Msg = ")) {
            held = bytes(&line, message, LONGEST_VECTOR);
        } else if (starts(&line, "MD = ")) {
            if (bits < 0 || bits % 8 != 0 || held < bits / 8 ||
                bytes(&line, digest, digest_length) != (long)digest_length)
                return -1;
            *length = (size_t)bits / 8; /* a message of no bits is written as one byte */
            return 1;
        }
    }
    return 0;
}

int vectors_line(vectors *v, uint8_t tag[8]) {
    vectors line;
    while (next_line(v, &line))
        if (line.at != line.end && *line.at != '#')
            return bytes(&line, tag, 8) == 8 ? 1 : -1;
    return 0;
}
