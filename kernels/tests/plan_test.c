/* plan_test.c: a plan changes the code of exactly its classes; a plan that is damaged, or for
 * another CPU, changes nothing. `plan_test environment WHAT` tests the file that CUPEL_PLAN
 * names. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "many.h"
#include "plan_defaults.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

static char cpu[CUPEL_PLAN_CPU];
static const char LINE[] = "sha256-many 16+ 256+ avx2 0.810 0.850\n";

static int use(const char *first, const char *cpu_line, const char *rest) {
    char text[CUPEL_PLAN_MOST];
    int length = snprintf(text, sizeof text, "%s%s%s", first, cpu_line, rest);
    return cupel_plan_use(text, (size_t)length);
}

/* The choice of the library's own table for a batch here: mostly none. */
static unsigned usual(unsigned operation, size_t count, size_t length) {
    static const unsigned features[] = {0, CUPEL_CPU_AVX512, CUPEL_CPU_SHANI, CUPEL_CPU_AVX2};
    unsigned words[PLAN_OPERATIONS], c = 0, s = 0;
    cupel_plan_defaults(words);
    for (unsigned i = 0; i < PLAN_COUNTS; i++)
        c = count >= cupel_plan_counts[i] ? i : c;
    for (unsigned i = 0; i < PLAN_SIZES; i++)
        s = length >= cupel_plan_sizes[i] ? i : s;
    return features[words[operation] >> cupel_plan_shift(c, s) & 3];
}

static unsigned feature(size_t count, size_t length) {
    return cupel_plan_feature(PLAN_SHA256_MANY, count, length);
}

static void rejects(const char *why, int expected, int got) {
    check(got == expected, "%s: %d", why, got);
    check(feature(16, 256) == CUPEL_CPU_AVX2, "%s: the plan in use stays", why);
}

/* The code that is used for a batch, of a table with AVX2 last. */
static void dispatches(void) {
    const many_code turns = {.needs = CUPEL_CPU_SSSE3, .lanes = 1};
    const many_code rows = {.needs = CUPEL_CPU_AVX2, .lanes = 8};
    const many_code *const codes[] = {&turns, &rows, NULL};
    const size_t lengths[] = {256, 0};
    unsigned both = CUPEL_CPU_SSSE3 | CUPEL_CPU_AVX2;
    if ((cupel_cpu_limit(~0u) & both) != both) {
        printf("SKIPPED: which code a plan selects: this CPU has no AVX2\n");
        return;
    }
#define CHOSEN(count) many_planned(codes, PLAN_SHA256_MANY, lengths, count)
    check(CHOSEN(16) == &rows, "16 messages: the code of the plan");
    if (usual(PLAN_SHA256_MANY, 15, 256) == 0)
        check(CHOSEN(15) == &turns, "15 messages: the default");
    check(CHOSEN(64) == &rows, "64 messages: the same class");
    check(CHOSEN(0) == &turns, "no message: the default, and no length is read");
    cupel_cpu_limit(CUPEL_CPU_SSSE3);
    check(CHOSEN(16) == &turns, "16 messages with AVX2 excluded: the default");
    cupel_cpu_limit(0);
    check(CHOSEN(16) == NULL, "16 messages without any feature: one by one");
    cupel_cpu_limit(~0u);
}

/* Without a plan: the SHA extensions take as many messages as are not worth a row. How many those
 * are depends on the kind of CPU, and so may the order of the codes. */
static void few(void) {
    const many_code turns = {.needs = CUPEL_CPU_SSSE3, .lanes = 1};
    const many_code rows = {
        .needs = CUPEL_CPU_AVX2, .lanes = 8, .turns = &turns, .few = {{6, 6}, {3, 5}}};
    const many_code *const codes[] = {&rows, &turns, NULL};
    unsigned both = CUPEL_CPU_SSSE3 | CUPEL_CPU_AVX2;
    if ((cupel_cpu_limit(~0u) & both) != both) {
        printf("SKIPPED: which code few messages take: this CPU has no AVX2\n");
        return;
    }
    unsigned word = cupel_cpu();
    for (int shared = 0; shared < 2; shared++) {
        atomic_store(&cupel_cpu_word,
                     shared ? word | CUPEL_CPU_SHARED_PORT : word & ~CUPEL_CPU_SHARED_PORT);
        check(many_usual(codes, 1) == &turns, "1 message: turns");
        check(many_usual(codes, shared ? 3 : 6) == &turns, "few messages: turns");
        check(many_usual(codes, shared ? 4 : 7) == &rows, "more messages: a row");
        check(many_usual(codes + 1, 7) == &turns, "where turns come first: turns");
    }
    atomic_store(&cupel_cpu_word, word);
    cupel_cpu_limit(CUPEL_CPU_AVX2);
    check(many_usual(codes, 1) == &rows, "1 message on a CPU without turns: the first code");
    cupel_cpu_limit(0);
    check(many_usual(codes, 1) == NULL, "1 message without any feature: alone");
    cupel_cpu_limit(~0u);
}

/* SHA-1 in turns is slow on Intel: rows pay there from five messages on, even with AVX2. */
static void by_kind(void) {
    unsigned both = CUPEL_CPU_SHANI | CUPEL_CPU_AVX2;
    if ((cupel_cpu_limit(both) & both) != both) {
        printf("SKIPPED: which code a kind of CPU takes: this one has no SHA extensions\n");
        return;
    }
    unsigned word = cupel_cpu();
    for (int shared = 0; shared < 2; shared++) {
        atomic_store(&cupel_cpu_word,
                     shared ? word | CUPEL_CPU_SHARED_PORT : word & ~CUPEL_CPU_SHARED_PORT);
        const char *rows = shared ? "avx2" : "shani";
        for (size_t count = 4; count <= 100; count += count < 9 ? 1 : 91) {
            const char *sha1 = cupel_sha1_many_code_for(count, 64);
            check(strcmp(sha1, count == 4 ? "shani" : rows) == 0, "SHA-1 of %zu: %s", count, sha1);
            const char *sha256 = cupel_sha256_many_code_for(count, 64);
            check(strcmp(sha256, "shani") == 0, "SHA-256 of %zu: %s", count, sha256);
        }
    }
    cupel_cpu_limit(~0u);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    check(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "%s is written", path);
}

/* The plan that the environment names: valid, none, missing, damaged or of another CPU; or valid,
 * but for a program with more rights than its caller, which must not open it. The first batch reads
 * it, once; a plan that is ignored has one line on standard error. */
static int environment(const char *what) {
    char path[64], errors[64], text[CUPEL_PLAN_MOST], written[512] = "";
    snprintf(path, sizeof path, "plan_test_%s.plan", what);
    snprintf(errors, sizeof errors, "plan_test_%s.stderr", what);
    snprintf(text, sizeof text, "cupel-plan 1\n%sdate 2026-11-23\n%s%s",
             strcmp(what, "other") == 0 ? "cpu GenuineOther 6 1 15\n" : cpu, LINE,
             strcmp(what, "damaged") == 0 ? "" : "end\n");
    remove(path);
    if (strcmp(what, "missing") != 0)
        write_file(path, text);
    if (strcmp(what, "none") == 0)
        unsetenv("CUPEL_PLAN");
    else
        setenv("CUPEL_PLAN", path, 1);
    check(freopen(errors, "wb", stderr) != NULL, "%s is written", errors);

    uint8_t digest[1][CUPEL_SHA256_DIGEST], expected[CUPEL_SHA256_DIGEST];
    const void *const message[] = {"abc"};
    const size_t length[] = {3};
    int valid = strcmp(what, "valid") == 0, secure = strcmp(what, "secure") == 0;
#ifdef __linux__
    if (secure && getauxval(AT_SECURE) == 0)
        skip("this program has no more rights than its caller");
#endif
    unsigned named = valid ? CUPEL_CPU_AVX2 : usual(PLAN_SHA256_MANY, 16, 256);
    cupel_sha256(expected, "abc", 3);
    errno = 17;
    cupel_sha256_many(digest, message, length, 1);
    check(errno == 17, "%s: the first batch leaves errno as it was", what);
    check_bytes(*digest, expected, sizeof expected, "%s: the digest", what);
    cupel_plan_find(PLAN_SHA256_MANY); /* as a thread that found it unset at the same time */
    write_file(path, "damaged since");
    for (int again = 0; again < 2; again++) {
        check(feature(16, 256) == named, "%s: the class of the plan", what);
        check(feature(15, 256) == usual(PLAN_SHA256_MANY, 15, 256), "%s: another class", what);
        check(cupel_plan_feature(PLAN_SHA1_MANY, 16, 256) == usual(PLAN_SHA1_MANY, 16, 256),
              "%s: the other hash", what);
    }
    check((strcmp(cupel_plan_origin(), "plan") == 0) == valid, "%s: by %s", what,
          cupel_plan_origin());

    fflush(stderr);
    FILE *file = fopen(errors, "rb");
    size_t read = file == NULL ? 0 : fread(written, 1, sizeof written - 1, file);
    const char *end = strchr(written, '\n');
    if (valid || secure || strcmp(what, "none") == 0)
        check(read == 0, "%s: nothing is printed, not %s", what, written);
    else
        check(end != NULL && end == written + read - 1 && strstr(written, "CUPEL_PLAN") != NULL,
              "%s: one line is printed, not %s", what, written);
    const char *reason = strcmp(what, "missing") == 0 ? "cannot be read"
                         : strcmp(what, "other") == 0 ? "another CPU"
                                                      : "damaged";
    check(read == 0 || strstr(written, reason) != NULL, "%s: %s", what, written);
    cupel_plan_clear();
    check(feature(16, 256) == usual(PLAN_SHA256_MANY, 16, 256),
          "%s: cupel_plan_clear also forgets the environment's", what);
    return finish();
}

/* Every plan of the library's own table is a plan, for one CPU, and no two are for the same. */
static void table(void) {
    for (const plan_text *plan = cupel_plan_table; plan->text != NULL; plan++) {
        unsigned words[PLAN_OPERATIONS];
        char line[CUPEL_PLAN_CPU];
        const char *start = strchr(plan->text, '\n') + 1;
        snprintf(line, sizeof line, "%.*s", (int)(strchr(start, '\n') + 1 - start), start);
        check(strlen(plan->text) == plan->length, "%s: its length", line);
        check(cupel_plan_parse(plan->text, plan->length, line, words) == 0, "%s: its plan", line);
        for (const plan_text *next = plan + 1; next->text != NULL; next++)
            check(strstr(next->text, line) == NULL, "%s: twice in the table", line);
    }
    cupel_plan_clear();
    int here = 0;
    for (const plan_text *plan = cupel_plan_table; plan->text != NULL; plan++)
        here |= strstr(plan->text, cpu) != NULL;
    check(strcmp(cupel_plan_origin(), here ? "measured" : "order") == 0, "decided by %s",
          cupel_plan_origin());
}

int main(int argc, char **argv) {
    if (cupel_plan_cpu(cpu) != 0)
        skip("this build cannot identify the CPU");
    if (argc == 3 && strcmp(argv[1], "environment") == 0)
        return environment(argv[2]);
    unsetenv("CUPEL_PLAN");
    table();
    char rest[1024], whole[CUPEL_PLAN_MOST];
    snprintf(rest, sizeof rest, "date 2026-11-23\n%send\n", LINE);
    check(use("cupel-plan 1\n", cpu, rest) == 0, "a plan of this CPU is used");
    for (size_t count = 1; count < 100; count++)
        for (size_t length = 0; length < 5000; length += 64)
            check(feature(count, length) == (count >= 16 && length >= 256 && length < 4096
                                                 ? CUPEL_CPU_AVX2
                                                 : usual(PLAN_SHA256_MANY, count, length)),
                  "%zu messages of %zu bytes", count, length);
    check(cupel_plan_feature(PLAN_SHA1_MANY, 16, 256) == usual(PLAN_SHA1_MANY, 16, 256),
          "sha1 has its default");
    dispatches();
    few();
    by_kind();

    int length = snprintf(whole, sizeof whole, "cupel-plan 1\n%s%s", cpu, rest);
    uint8_t *end;
    guarded((size_t)length, &end);
    for (int i = 0; i < length; i++) { /* truncated: nothing after the end is read */
        memcpy(end - i, whole, (size_t)i);
        check(cupel_plan_use((char *)end - i, (size_t)i) != 0, "%d bytes are not a plan", i);
    }
    for (int i = 0; i < length; i++) { /* a NUL anywhere */
        char kept = whole[i];
        whole[i] = '\0';
        check(cupel_plan_use(whole, (size_t)length) != 0, "a NUL at %d is damage", i);
        whole[i] = kept;
    }
    rejects("another version", CUPEL_PLAN_DAMAGED, use("cupel-plan 2\n", cpu, rest));
    rejects("another CPU", CUPEL_PLAN_OTHER_CPU,
            use("cupel-plan 1\n", "cpu GenuineOther 6 1 15\n", rest));
    static const char *const damaged[] = {
        "date 2026-13-01\nend\n",
        "date 2026-11-23\nend\n\n",
        "date 2026-11-23\nsha256-many 16+ 256+ avx2 0.810 0.850\n"
        "sha256-many 16+ 256+ shani 0.810 0.850\nend\n",
        "date 2026-11-23\nsha256-many 99999999999999999999+ 256+ avx2 0.810 0.850\nend\n",
        "date 2026-11-23\nsha256-many 4294967312+ 256+ avx2 0.810 0.850\nend\n",
        "date 2026-11-23\nsha256-many 016+ 256+ avx2 0.810 0.850\nend\n",
        "date 2026-11-23\nsha256-many 17+ 256+ avx2 0.810 0.850\nend\n",
        "date 2026-11-23\nsha256-many 16+ 256+ neon 0.810 0.850\nend\n",
        "date 2026-11-23\nsha256-many 16+ 256+ avx2 0.850 0.810\nend\n",
        "date 2026-11-23\nsha256-many  16+ 256+ avx2 0.810 0.850\nend\n",
        "date 2026-11-23\r\nend\r\n",
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        rejects(damaged[i], CUPEL_PLAN_DAMAGED, use("cupel-plan 1\n", cpu, damaged[i]));
    rejects("no file", CUPEL_PLAN_UNREADABLE, cupel_plan_load("no/such/file"));

    const char *path = "plan_test.plan";
    write_file(path, whole);
    cupel_plan_clear();
    check(feature(16, 256) == usual(PLAN_SHA256_MANY, 16, 256), "no plan after cupel_plan_clear");
    check(cupel_plan_load(path) == 0 && feature(16, 256) == CUPEL_CPU_AVX2, "a file is used");
    if (cupel_cpu_used() & CUPEL_CPU_AVX2)
        check(strcmp(cupel_sha256_many_code_for(16, 256), "avx2") == 0, "the code of its class");
    if (usual(PLAN_SHA256_MANY, 15, 256) == 0)
        check(strcmp(cupel_sha256_many_code_for(15, 256), cupel_sha256_many_code()) == 0,
              "the code of another class");
    if (usual(PLAN_SHA1_MANY, 16, 256) == 0)
        check(strcmp(cupel_sha1_many_code_for(16, 256), cupel_sha1_many_code()) == 0,
              "the code of the other hash");
    cupel_plan_find(PLAN_SHA256_MANY);
    check(feature(16, 256) == CUPEL_CPU_AVX2, "a thread that comes late leaves it");
    unsigned shift = cupel_plan_shift(3, 1), words[PLAN_OPERATIONS] = {5, PLAN_SHANI | 1u << shift};
    check(cupel_plan_read(path, words) == 0, "a file over other words");
    check(words[PLAN_SHA256_MANY] == (PLAN_SHANI | PLAN_AVX2 << shift | PLAN_GIVEN) &&
              words[PLAN_SHA1_MANY] == (5 | PLAN_GIVEN),
          "classes that it does not name stay: %x %x", words[0], words[1]);
    remove(path);
    return finish();
}
