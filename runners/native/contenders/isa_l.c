/* isa_l.c: isa-l_crypto's multi-buffer managers. A caller submits messages, gets back finished ones
 * in some other order, and flushes the rest. Digests are words in the machine's order, so each word
 * is turned round, as every user of the library must. */
#include "cupel_contender.h"
#include "kept.h"

#include <isa-l_crypto.h>

typedef struct cell cell;

struct cell {
    int (*batch)(cell *c, cupel_batch *batch);
    void *manager;
    void *contexts;
    size_t room; /* contexts */
};

static void *aligned(size_t size) {
    return aligned_alloc(64, (size + 63) / 64 * 64);
}

static inline void put_word(uint8_t *out, uint32_t word) {
    out[0] = (uint8_t)(word >> 24);
    out[1] = (uint8_t)(word >> 16);
    out[2] = (uint8_t)(word >> 8);
    out[3] = (uint8_t)word;
}

/* The two hashes have the same calls under other names. `step` is the submission of a message or a
 * flush; it sets `done` to a finished context or to NULL. Each context keeps its number, so that a
 * digest is written to its place whenever it is finished. */
#define DEFINE_BATCH(hash, manager_type, context_type, words, init, submit, flush)                 \
    static void hash##_finish(const context_type *done, uint8_t *output) {                         \
        uint8_t *digest = output + 4 * (words) * (size_t)(uintptr_t)done->user_data;               \
        for (int i = 0; i < (words); i++)                                                          \
            put_word(digest + 4 * i, done->job.result_digest[i]);                                  \
    }                                                                                              \
                                                                                                   \
    static int hash##_batch(cell *c, cupel_batch *batch) {                                         \
        if (c->room < batch->count) {                                                              \
            free(c->contexts);                                                                     \
            c->contexts = aligned(batch->count * sizeof(context_type));                            \
            c->room = c->contexts == NULL ? 0 : batch->count;                                      \
            if (c->room == 0)                                                                      \
                return CUPEL_FAILED;                                                               \
        }                                                                                          \
        context_type *contexts = c->contexts, *done = NULL;                                        \
        for (size_t i = 0; i < batch->count; i++) {                                                \
            isal_hash_ctx_init(&contexts[i]);                                                      \
            contexts[i].user_data = (void *)(uintptr_t)i;                                          \
            if (submit(c->manager, &contexts[i], &done, batch->messages[i],                        \
                       (uint32_t)batch->lengths[i], ISAL_HASH_ENTIRE) != 0)                        \
                return CUPEL_FAILED;                                                               \
            if (done != NULL)                                                                      \
                hash##_finish(done, batch->output);                                                \
        }                                                                                          \
        while (flush(c->manager, &done) == 0 && done != NULL)                                      \
            hash##_finish(done, batch->output);                                                    \
        batch->output_len = 4 * (words)*batch->count;                                              \
        return CUPEL_OK;                                                                           \
    }                                                                                              \
                                                                                                   \
    static int hash##_open(cell *c) {                                                              \
        c->batch = hash##_batch;                                                                   \
        c->manager = aligned(sizeof(manager_type));                                                \
        return c->manager != NULL && init(c->manager) == 0;                                        \
    }

DEFINE_BATCH(sha1, ISAL_SHA1_HASH_CTX_MGR, ISAL_SHA1_HASH_CTX, ISAL_SHA1_DIGEST_NWORDS,
             isal_sha1_ctx_mgr_init, isal_sha1_ctx_mgr_submit, isal_sha1_ctx_mgr_flush)
DEFINE_BATCH(sha256, ISAL_SHA256_HASH_CTX_MGR, ISAL_SHA256_HASH_CTX, ISAL_SHA256_DIGEST_NWORDS,
             isal_sha256_ctx_mgr_init, isal_sha256_ctx_mgr_submit, isal_sha256_ctx_mgr_flush)

int cupel_abi(void) {
    return CUPEL_ABI;
}

const cupel_contender *cupel_describe(size_t index) {
    static const cupel_contender contender = {
        .name = "isa-l",
        .library = "isa-l_crypto",
        .version = ISAL_CRYPTO_VERSION_STR,
        .licence = "BSD-3-Clause",
        .summary = "multi-buffer manager: all messages of a batch submitted, then flushed",
        .offers = "sha1:digest-many sha256:digest-many",
    };
    return index == 0 ? &contender : NULL;
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    int is_sha1 = task_is(task, "sha1", "digest-many");
    if (!is_sha1 && !task_is(task, "sha256", "digest-many"))
        return refuse(state, CUPEL_UNSUPPORTED, "it is offered for batches only");
    if (task->key_schedule != CUPEL_KEY_NONE || task->chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "a batch has neither key nor chunks");
    cell *c = calloc(1, sizeof *c);
    if (c == NULL || !(is_sha1 ? sha1_open : sha256_open)(c)) {
        if (c != NULL)
            free(c->manager);
        free(c);
        return refuse(state, CUPEL_FAILED, "the manager cannot be made");
    }
    state->data = c;
    return CUPEL_OK;
}

int cupel_call_many(cupel_state *state, cupel_batch *batch) {
    cell *c = state->data;
    int result = c->batch(c, batch);
    return result == CUPEL_OK ? result : refuse(state, result, "the manager refused a message");
}

/* Not offered: every operation here takes a batch. */
int cupel_call(cupel_state *state, cupel_io *io) {
    (void)io;
    return refuse(state, CUPEL_UNSUPPORTED, "takes batches only");
}

void cupel_close(cupel_state *state) {
    cell *c = state->data;
    free(c->contexts);
    free(c->manager);
    free(c);
}
