/* cupel_many.c: Cupel's own kernels for many messages, as dispatch selects them and each by itself.
 *
 * The first cupel_open forces the code for the whole process, with a plan that names it for every
 * class of batches. So the choice of such a plan is measured: near the end of a batch, when few
 * lanes have work left, the remaining messages are computed with the code that the library takes
 * for them on this CPU. */
#include "cupel.h"
#include "cupel_contender.h"
#include "kept.h"

#include <stdio.h>

static const struct {
    const char *name, *summary;
    unsigned feature; /* whose code is forced; 0: the library decides */
} variants[] = {
    {"cupel-many", "one call a batch, the code that dispatch takes", 0},
    {"cupel-many-avx2", "the same with eight lanes of AVX2", CUPEL_CPU_AVX2},
    {"cupel-many-shani", "the same, messages in turns with the SHA extensions", CUPEL_CPU_SHANI},
    {"cupel-many-avx512", "the same with sixteen lanes of AVX-512", CUPEL_CPU_AVX512},
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

/* The classes of a plan. */
static const unsigned counts[] = {1, 6, 9, 16}, sizes[] = {0, 256, 4096};

/* The code that all batches take, or that it depends on their class. */
static const char *code_of_all(const char *code_for(size_t count, size_t length)) {
    const char *code = code_for(1, 0);
    for (int c = 0; c < 4; c++)
        for (int s = 0; s < 3; s++)
            if (strcmp(code_for(counts[c], sizes[s]), code) != 0)
                return "by class";
    return code;
}

/* Makes every batch take this code. */
static int force(const char *code) {
    static const char *const operations[] = {"sha1-many", "sha256-many"};
    char plan[CUPEL_PLAN_MOST], cpu[CUPEL_PLAN_CPU];
    if (cupel_plan_cpu(cpu) != 0)
        return CUPEL_PLAN_OTHER_CPU;
    int length = snprintf(plan, sizeof plan, "cupel-plan 1\n%sdate 2026-11-23\n", cpu);
    for (int o = 0; o < 2; o++)
        for (int c = 0; c < 4; c++)
            for (int s = 0; s < 3; s++)
                length += snprintf(plan + length, sizeof plan - (size_t)length,
                                   "%s %u+ %u+ %s 1.000 1.000\n", operations[o], counts[c],
                                   sizes[s], code);
    length += snprintf(plan + length, sizeof plan - (size_t)length, "end\n");
    return cupel_plan_use(plan, (size_t)length);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    unsigned feature = variants[index].feature;
    cupel_cpu_limit(~0u);
    if ((cupel_cpu_found() & feature) != feature)
        return refuse(state, CUPEL_MISSING, "the CPU lacks the features of this code path");
    if (feature != 0 && force(cupel_cpu_name(feature)) != 0)
        return refuse(state, CUPEL_FAILED, "the library does not take a plan for this CPU");
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
    state->code_path = code_of_all(is_sha1 ? cupel_sha1_many_code_for : cupel_sha256_many_code_for);
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
