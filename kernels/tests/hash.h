/* hash.h: a hash and its kernels, as all tests use them. */
#ifndef HASH_H
#define HASH_H

#include "cupel.h"

enum { MAX_DIGEST = 32, MOST_STATE = 8 };

typedef void hash_kernel(uint32_t *h, const uint8_t *blocks, size_t count, const uint8_t *tail,
                         size_t tail_count);

/* A kernel. An empty entry ends the list. */
typedef struct hash_code {
    const char *name;
    unsigned needs; /* CUPEL_CPU_... that dispatch requires */
    hash_kernel *run;
} hash_code;

typedef struct hash {
    const char *name;
    size_t digest_length, state_words;
    const uint32_t *start;
    hash_kernel *reference;
    const hash_code *codes; /* the fastest first */
    const char *(*code)(void);
    void (*whole)(uint8_t *digest, const void *message, size_t length);
    void (*begin)(void);
    void (*update)(const void *piece, size_t length);
    void (*finish)(uint8_t *digest);
    const char *(*many_code_for)(size_t count, size_t length);
    void (*many)(uint8_t *digests, const void *const *messages, const size_t *lengths,
                 size_t count);
    const char *vectors[3]; /* CAVP files: short, long, Monte Carlo */
} hash;

extern const hash sha1, sha256;

/* Limits dispatch to the features that the code of this name needs ("portable": none), or several
 * that + joins; or skips the test. "other-kind" among them: among several variants and orders, take
 * the choice of a CPU of the other kind. "planned": batches take the first of the names, by a
 * plan. */
void force_code(const char *names);

/* Makes every batch take the code of this name, by a plan; with another name, the code that it
 * takes without one. */
void plan_all(const char *name);

/* Whether code is the first of these names, the one that dispatch is to take. */
int is_first_code(const char *names, const char *code);

/* The hash of that name, or NULL. */
const hash *find_hash(const char *name);

/* The digest by the hash's reference, which is padded and computed here, apart from the library. */
void reference_digest(const hash *h, uint8_t *digest, const uint8_t *message, size_t length);

#endif
