/* verify.c: see verify.h. */
#include "verify.h"

#include "cupel.h"
#include "out.h"
#include "vectors.h"

enum { LONGEST = 8193 };

/* The sizes behind which code takes another way: paddings, pairs of blocks, pages. */
static const size_t sizes[] = {511,  512,  576,  1023, 1024, 1025, 1350,
                               1500, 2048, 4096, 7680, 8191, 8192, LONGEST};

static uint8_t message[LONGEST + 64];

/* The first fault. */
typedef struct finding {
    const char *what;
    size_t length, cases, vectors;
} finding;

static void compare(finding *f, const char *what, const uint8_t *got, const uint8_t *expected,
                    size_t count, size_t length) {
    f->cases++;
    if (f->what == NULL && !cupel_equal(got, expected, count)) {
        f->what = what;
        f->length = length;
    }
}

static void official_hash(finding *f, const primitive *p, vectors v, size_t least) {
    static uint8_t m[LONGEST_VECTOR];
    uint8_t expected[MOST_OUTPUT], got[MOST_OUTPUT];
    size_t length, records = 0;
    int found;
    while ((found = vectors_next(&v, m, &length, expected, p->output_length)) == 1) {
        p->call(got, m, length);
        compare(f, "differs from a vector of NIST's", got, expected, p->output_length, length);
        records++;
    }
    if (f->what == NULL && (found != 0 || records < least))
        f->what = "NIST's file cannot be read";
    f->vectors += records;
}

static void official_siphash(finding *f) {
    uint8_t m[64], expected[8], got[8];
    vectors v = vectors_siphash();
    size_t records = 0;
    int found;
    for (size_t i = 0; i < sizeof m; i++)
        m[i] = (uint8_t)i;
    while ((found = vectors_line(&v, expected)) == 1 && records < 64) {
        siphash.call(got, m, records);
        compare(f, "differs from the table of SipHash's authors", got, expected, 8, records);
        records++;
    }
    if (f->what == NULL && (found != 0 || records != 64))
        f->what = "the table of SipHash's authors cannot be read";
    f->vectors += records;
}

/* One length, at some alignments and in pieces. */
static void against_reference(finding *f, const primitive *p, size_t length) {
    uint8_t expected[MOST_OUTPUT], got[MOST_OUTPUT];
    for (size_t at = 0; at < 64; at += length < 300 ? 13 : 63) {
        p->reference(expected, message + at, length);
        p->call(got, message + at, length);
        compare(f, "differs from the reference", got, expected, p->output_length, length);
    }
    static const size_t pieces[] = {13, 64, 129};
    p->reference(expected, message, length);
    for (size_t i = 0; p->in_pieces != NULL && i < sizeof pieces / sizeof *pieces; i++) {
        p->in_pieces(got, message, length, pieces[i]);
        compare(f, "differs from the reference in pieces", got, expected, p->output_length, length);
    }
}

int verify(const kernel *k) {
    const primitive *p = k->primitive;
    finding f = {.what = NULL};
    uint64_t x = 1;
    for (size_t i = 0; i < sizeof message; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        message[i] = (uint8_t)(x >> 56);
    }
    if (!same(p->code(), k->code))
        f.what = "dispatch takes other code";
    if (p == &siphash) {
        official_siphash(&f);
    } else {
        official_hash(&f, p, p == &sha1 ? vectors_sha1(0) : vectors_sha256(0), 65);
        official_hash(&f, p, p == &sha1 ? vectors_sha1(1) : vectors_sha256(1),
                      p == &sha1 ? 32 : 64);
    }
    for (size_t length = 0; length <= 300; length++)
        against_reference(&f, p, length);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        against_reference(&f, p, sizes[i]);

    text *t = begin_record(f.what == NULL ? "verified" : "failed");
    text_put(t, ",\"primitive\":\"");
    text_put(t, p->name);
    text_put(t, "\",\"implementation\":\"");
    text_put(t, k->name);
    if (f.what == NULL) {
        text_put(t, "\",\"vectors\":");
        text_number(t, f.vectors);
        text_put(t, ",\"cases\":");
        text_number(t, f.cases);
    } else {
        text_put(t, "\",\"reason\":\"");
        text_put(t, f.what);
        text_put(t, ", message of ");
        text_number(t, f.length);
        text_put(t, " bytes\"");
    }
    end_record(t);
    return f.what == NULL;
}
