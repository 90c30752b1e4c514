/* kept.h: the parts of a task that a contender keeps, and the iteration over a message in
 * chunks. */
#ifndef CUPEL_KEPT_H
#define CUPEL_KEPT_H

#include "cupel_contender.h"

#include <stdlib.h>
#include <string.h>

typedef struct kept {
    uint8_t *key; /* never NULL: to some libraries NULL means "keep the old key" */
    size_t key_len;
    int key_per_call;
    uint32_t *chunks;
    size_t chunk_count;
} kept;

static inline int refuse(cupel_state *state, int result, const char *reason) {
    state->reason = reason;
    return result;
}

static inline int task_is(const cupel_task *task, const char *primitive, const char *operation) {
    return strcmp(task->primitive, primitive) == 0 && strcmp(task->operation, operation) == 0;
}

/* Overwrites a secret. Volatile: compilers remove plain stores to memory that is freed next. */
static inline void wipe(void *secret, size_t len) {
    volatile uint8_t *at = (volatile uint8_t *)secret;
    while (len-- > 0)
        *at++ = 0;
}

/* Compares tags in a time that does not depend on where they differ, where a library leaves that to
 * its caller. */
static inline int differ(const uint8_t *a, const uint8_t *b, size_t len) {
    volatile uint8_t different = 0;
    for (size_t i = 0; i < len; i++)
        different = (uint8_t)(different | (a[i] ^ b[i]));
    return different != 0;
}

static inline void kept_drop(kept *k) {
    if (k->key != NULL)
        wipe(k->key, k->key_len);
    free(k->key);
    free(k->chunks);
    memset(k, 0, sizeof *k);
}

/* Copies the key and the chunk lengths. Keeps nothing unless it returns CUPEL_OK. */
static inline int kept_copy(kept *k, const cupel_task *task, cupel_state *state) {
    memset(k, 0, sizeof *k);
    int keyed = strncmp(task->operation, "digest", 6) != 0; /* nor has digest-many a key */
    if (keyed != (task->key_schedule != CUPEL_KEY_NONE))
        return refuse(state, CUPEL_UNSUPPORTED,
                      keyed ? "the contract has no key and the operation needs one"
                            : "the contract has a key and the operation has none");
    size_t longest = 0;
    for (size_t i = 0; i < task->chunk_count; i++)
        if (task->chunks[i] > longest)
            longest = task->chunks[i];
    if (task->chunk_count != 0 && longest == 0) /* it would never reach the end */
        return refuse(state, CUPEL_UNSUPPORTED, "every chunk is empty");

    k->key_per_call = task->key_schedule == CUPEL_KEY_PER_CALL;
    k->key_len = task->key_len;
    k->chunk_count = task->chunk_count;
    k->key = (uint8_t *)malloc(task->key_len + 1);
    k->chunks = (uint32_t *)calloc(task->chunk_count + 1, sizeof *k->chunks);
    if (k->key == NULL || k->chunks == NULL) {
        kept_drop(k);
        return refuse(state, CUPEL_FAILED, "out of memory");
    }
    if (task->key_len != 0)
        memcpy(k->key, task->key, task->key_len);
    if (task->chunk_count != 0)
        memcpy(k->chunks, task->chunks, task->chunk_count * sizeof *k->chunks);
    return CUPEL_OK;
}

/* The answer of cupel_prefix where no state is copied. */
static inline int no_copies(cupel_state *state) {
    return refuse(state, CUPEL_UNSUPPORTED, "this contender copies no state");
}

/* The length of the next piece of a message with left bytes to go: the next chunk, or all of it if
 * the contract does not stream. turn starts at 0. */
static inline size_t next_piece(const kept *k, size_t *turn, size_t left) {
    if (k->chunk_count == 0)
        return left;
    size_t chunk = k->chunks[*turn];
    *turn = *turn + 1 == k->chunk_count ? 0 : *turn + 1;
    return chunk < left ? chunk : left;
}

#endif
