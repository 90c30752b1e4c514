/* cupel_many.c: Cupel's own kernels for many messages, as dispatch selects them and each by itself.
 *
 * The first cupel_open limits, for the whole process, the features that dispatch may use. Near the
 * end of a batch, when few lanes have work left, the remaining messages are computed in turns with
 * the SHA extensions, or one after the other with the fastest code for one message that the limit
 * allows. */
#include "cupel.h"
#include "cupel_contender.h"
#include "kept.h"

static const struct {
    const char *name, *summary;
    unsigned needs; /* dispatch is limited to these; ~0u: no limit */
} variants[] = {
    {"cupel-many", "one call a batch, the code that dispatch takes", ~0u},
    {"cupel-many-avx2", "the same with eight lanes of AVX2", CUPEL_CPU_AVX2},
    {"cupel-many-shani", "the same, four messages in turns with the SHA extensions",
     CUPEL_CPU_SHANI},
    {"cupel-many-avx512", "the same with sixteen lanes of AVX-512",
     CUPEL_CPU_AVX2 | CUPEL_CPU_AVX512},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

typedef void batch_function(uint8_t *digests, const void *const *messages, const size_t *lengths,
                            size_t count);

typedef struct cell {
    batch_function *many;
    size_t digest_len;
} cell;

static void sha1(uint8_t *digests, const void *const *messages, const size_t *lengths,
                 size_t count) {
    cupel_sha1_many((uint8_t(*)[CUPEL_SHA1_DIGEST])digests, messages, lengths, count);
}

static void sha256(uint8_t *digests, const void *const *messages, const size_t *lengths,
                   size_t count) {
    cupel_sha256_many((uint8_t(*)[CUPEL_SHA256_DIGEST])digests, messages, lengths, count);
}

int cupel_abi(void) {
    return CUPEL_ABI;
}

const cupel_contender *cupel_describe(size_t index) {
    static cupel_contender contenders[VARIANTS];
    if (index >= VARIANTS)
        return NULL;
    contenders[index] = (cupel_contender){
        .name = variants[index].name,
        .library = "Cupel",
        .version = CUPEL_VERSION,
        .licence = "MIT OR Apache-2.0",
        .summary = variants[index].summary,
        .offers = "sha1:digest-many sha256:digest-many",
    };
    return &contenders[index];
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    unsigned needs = variants[index].needs;
    if (needs != ~0u && (cupel_cpu_found() & needs) != needs)
        return refuse(state, CUPEL_MISSING, "the CPU lacks the features of this code path");
    cupel_cpu_limit(needs);
    int is_sha1 = task_is(task, "sha1", "digest-many");
    if (!is_sha1 && !task_is(task, "sha256", "digest-many"))
        return refuse(state, CUPEL_UNSUPPORTED, "the kernels do not compute this");
    if (task->key_schedule != CUPEL_KEY_NONE || task->chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "a batch has neither key nor chunks");
    cell *c = malloc(sizeof *c);
    if (c == NULL)
        return refuse(state, CUPEL_FAILED, "out of memory");
    c->many = is_sha1 ? sha1 : sha256;
    c->digest_len = is_sha1 ? CUPEL_SHA1_DIGEST : CUPEL_SHA256_DIGEST;
    state->data = c;
    state->code_path = is_sha1 ? cupel_sha1_many_code() : cupel_sha256_many_code();
    return CUPEL_OK;
}

int cupel_call_many(cupel_state *state, cupel_batch *batch) {
    const cell *c = state->data;
    c->many(batch->output, (const void *const *)batch->messages, batch->lengths, batch->count);
    batch->output_len = batch->count * c->digest_len;
    return CUPEL_OK;
}

/* Not offered: every operation here takes a batch. */
int cupel_call(cupel_state *state, cupel_io *io) {
    (void)io;
    return refuse(state, CUPEL_UNSUPPORTED, "takes batches only");
}

void cupel_close(cupel_state *state) {
    free(state->data);
}
