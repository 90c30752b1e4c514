/* many_bench.c: times batches, in ns per batch, with several codes and builds of the library in
 * turn.
 *
 * many_bench WHAT SIZE,SIZE... LIBRARY:CODE... WHAT is siphash-2-4, sha1, sha256 or hmac-sha256. A
 * size with a + stands for lengths from 0 to it, evenly distributed. A size with xCOUNT is for
 * batches of COUNT messages, otherwise 64. LIBRARY is a libkernels.so of some build. CODE lists the
 * features that it may use, as in CUPEL_CPU, or is "one": one message after the other. Slices of
 * 0.1 ms take turns, and the first of a round is the last of the next. The ratio to the first
 * contender is the median of the ratios of the rounds. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BATCH = 64,
    POOL = 16,
    MAX_CONTENDERS = 16,
    ROUNDS = 301,
    SLICE = 100000,
    LONGEST = 1 << 16
};

typedef void siphash_one(uint8_t *, const uint8_t *, const void *, size_t);
typedef int siphash_many(uint8_t *, size_t, unsigned, unsigned, const uint8_t *,
                         const void *const *, const size_t *, size_t);
typedef void hash_one(uint8_t *, const void *, size_t);
typedef void hash_many(uint8_t *, const void *const *, const size_t *, size_t);

typedef struct hmac_key {
    uint32_t words[16];
} hmac_key;
typedef void hmac_prepare(hmac_key *, const void *, size_t);
typedef void hmac_one(uint8_t *, const hmac_key *, const void *, size_t);
typedef void hmac_many(uint8_t *, const hmac_key *, const void *const *, const size_t *, size_t);

typedef struct contender {
    const char *name;
    unsigned (*limit)(unsigned);
    unsigned features;
    siphash_one *sip;
    siphash_many *sips;
    hash_one *hash;
    hash_many *hashes;
    hmac_one *hmac;
    hmac_many *hmacs;
    unsigned long calls; /* in a slice */
    double ns[ROUNDS];   /* per call */
} contender;

static contender contenders[MAX_CONTENDERS];
static size_t digest_length;
static size_t batch_count; /* messages of a batch, at most BATCH */
static hmac_key prepared;
static uint8_t key[16], outputs[BATCH * 32];
/* Several batches take turns, so that no branch predictor learns the lengths of one. */
static const void *messages[POOL * BATCH];
static size_t lengths[POOL * BATCH];

static void call(const contender *c, size_t batch) {
    const void *const *m = messages + BATCH * batch;
    const size_t *n = lengths + BATCH * batch;
    if (c->sips != NULL)
        c->sips(outputs, 8, 2, 4, key, m, n, batch_count);
    else if (c->hashes != NULL)
        c->hashes(outputs, m, n, batch_count);
    else if (c->hmacs != NULL)
        c->hmacs(outputs, &prepared, m, n, batch_count);
    else
        for (size_t i = 0; i < batch_count; i++)
            if (c->sip != NULL)
                c->sip(outputs + 8 * i, key, m[i], n[i]);
            else if (c->hmac != NULL)
                c->hmac(outputs + 32 * i, &prepared, m[i], n[i]);
            else
                c->hash(outputs + digest_length * i, m[i], n[i]);
}

/* The address of the stack decides which of its cache lines conflict with the messages' lines, and
 * changes a time by up to a fifth. So it differs from round to round. */
static __attribute__((noinline)) double slice(const contender *c, unsigned long calls, size_t pool,
                                              size_t round) {
    volatile uint8_t room[64 * (1 + round * 29 % 64)];
    struct timespec from, to;
    room[0] = 0;
    (void)room[0];
    c->limit(c->features);
    /* the first call determines the features, outside the time */
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (unsigned long i = 0; i < calls; i++)
        call(c, i % pool);
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values) {
    qsort(values, ROUNDS, sizeof *values, by_size);
    return values[ROUNDS / 2];
}

static void measure(size_t count, size_t pool) {
    for (size_t i = 0; i < count; i++) {
        contender *c = &contenders[i];
        c->calls = 1;
        while (slice(c, c->calls, pool, 0) < SLICE)
            c->calls *= 2;
    }
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            contender *c = &contenders[(i + round) % count];
            c->ns[round] = slice(c, c->calls, pool, round) / (double)c->calls;
        }
}

/* The messages of a batch lie one after the other, a cache line apart. */
static size_t lay_out(uint8_t *room, size_t size, int spread) {
    size_t pool = spread ? POOL : 1;
    uint64_t fraction = 0;
    for (size_t i = 0; i < pool * BATCH; i++) {
        fraction += 0x9e3779b97f4a7c15; /* the golden ratio: evenly spaced in any run of messages */
        lengths[i] = spread ? (size_t)((double)fraction / 0x1p64 * (double)(size + 1)) : size;
        messages[i] = room + i % BATCH * ((size + 127) / 64 * 64);
    }
    return pool;
}

static void *symbol(void *library, const char *name) {
    void *address = dlsym(library, name);
    if (address == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return address;
}

static void set_up(contender *c, const char *what, char *text) {
    char *code = strrchr(text, ':');
    if (code == NULL) {
        fprintf(stderr, "%s: LIBRARY:CODE is wanted, such as ./libkernels.so:avx2\n", text);
        exit(2);
    }
    c->name = strdup(text);
    *code++ = '\0';
    void *library = dlopen(text, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    int one = strcmp(code, "one") == 0;
    *(void **)&c->limit = symbol(library, "cupel_cpu_limit");
    const char *(*feature_name)(unsigned);
    *(void **)&feature_name = symbol(library, "cupel_cpu_name");
    c->features = one ? ~0u : 0;
    for (unsigned bit = 1; !one && bit != 1u << 5; bit <<= 1)
        for (char *at = code; at != NULL; at = strchr(at, ',')) {
            at += *at == ',';
            size_t n = strlen(feature_name(bit));
            if (strncmp(at, feature_name(bit), n) == 0 && (at[n] == ',' || at[n] == '\0'))
                c->features |= bit;
        }
    if (strcmp(what, "siphash-2-4") == 0) {
        if (one)
            *(void **)&c->sip = symbol(library, "cupel_siphash_2_4");
        else
            *(void **)&c->sips = symbol(library, "cupel_siphash_many");
        return;
    }
    if (strcmp(what, "hmac-sha256") == 0) {
        hmac_prepare *prepare;
        *(void **)&prepare = symbol(library, "cupel_hmac_sha256_prepare");
        prepare(&prepared, key, sizeof key);
        if (one)
            *(void **)&c->hmac = symbol(library, "cupel_hmac_sha256");
        else
            *(void **)&c->hmacs = symbol(library, "cupel_hmac_sha256_many");
        return;
    }
    digest_length = strcmp(what, "sha1") == 0 ? 20 : 32;
    if (one)
        *(void **)&c->hash = symbol(library, digest_length == 20 ? "cupel_sha1" : "cupel_sha256");
    else
        *(void **)&c->hashes =
            symbol(library, digest_length == 20 ? "cupel_sha1_many" : "cupel_sha256_many");
}

int main(int argc, char **argv) {
    if (argc < 4 || argc - 3 > MAX_CONTENDERS) {
        fprintf(stderr, "usage: many_bench WHAT SIZE,SIZE... LIBRARY:CODE...\n");
        return 2;
    }
    size_t count = (size_t)argc - 3;
    for (size_t i = 0; i < count; i++)
        set_up(&contenders[i], argv[1], argv[3 + i]);
    uint8_t *room = aligned_alloc(64, BATCH * (LONGEST + 128));
    for (size_t i = 0; i < BATCH * (LONGEST + 128); i++)
        room[i] = (uint8_t)(i * 167 >> 3);
    for (char *at = argv[2]; *at != '\0'; at += *at == ',') {
        size_t size = strtoul(at, &at, 10);
        int spread = *at == '+';
        at += spread;
        batch_count = *at == 'x' ? strtoul(at + 1, &at, 10) : BATCH;
        if ((*at != ',' && *at != '\0') || size > LONGEST || batch_count == 0 ||
            batch_count > BATCH) {
            fprintf(stderr, "%s: sizes are numbers up to %d, then perhaps x and 1 to %d messages\n",
                    argv[2], LONGEST, BATCH);
            return 2;
        }
        measure(count, lay_out(room, size, spread));
        double ratios[MAX_CONTENDERS];
        for (size_t i = 0; i < count; i++) {
            static double r[ROUNDS];
            for (size_t round = 0; round < ROUNDS; round++)
                r[round] = contenders[0].ns[round] / contenders[i].ns[round];
            ratios[i] = median(r);
        }
        printf("%s%zu B, %zu messages\n", spread ? "0 to " : "", size, batch_count);
        for (size_t i = 0; i < count; i++)
            printf("  %10.1f ns %6.3fx  %s\n", median(contenders[i].ns), ratios[i],
                   contenders[i].name);
    }
    return 0;
}
