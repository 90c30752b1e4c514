/* cupel.c: Cupel's own kernels, as dispatch selects them and each by itself.
 *
 * The first cupel_open limits, for the whole process, the features that dispatch may use. A whole
 * message takes one call; cupel_many.c computes batches side by side. Streaming keeps a state. */
#include "cupel.h"
#include "cupel_contender.h"
#include "kept.h"

static const struct {
    const char *name, *summary;
    unsigned needs; /* dispatch is limited to these; ~0u: no limit */
    const char *offers;
} variants[] = {
    {"cupel", "one call a message, the code that dispatch takes", ~0u,
     "sha1:digest sha256:digest sha1:digest-many sha256:digest-many hmac-sha256:mac "
     "siphash-2-4:mac "
     "siphash-1-3:mac"},
    {"cupel-portable", "the same with the C11 code", 0,
     "sha1:digest sha256:digest sha1:digest-many sha256:digest-many hmac-sha256:mac"},
    {"cupel-ssse3", "the same with the SSSE3 code", CUPEL_CPU_SSSE3,
     "sha1:digest sha256:digest sha1:digest-many sha256:digest-many hmac-sha256:mac"},
    {"cupel-avx2", "the same with the AVX2 and BMI2 code", CUPEL_CPU_AVX2,
     "sha1:digest sha256:digest sha1:digest-many sha256:digest-many hmac-sha256:mac"},
    {"cupel-shani", "the same with the SHA extensions", CUPEL_CPU_SHANI,
     "sha1:digest sha256:digest sha1:digest-many sha256:digest-many hmac-sha256:mac"},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    cupel_sha1_state first_sha1; /* after a prefix */
    cupel_sha256_state first_sha256;
    cupel_hmac_sha256_key hmac;
} cell;

#include "cell.h"

/* ---- digest ---- */

#define DIGEST(name, NAME)                                                                         \
    static int name(cell *c, cupel_state *state, cupel_io *io) {                                   \
        (void)state;                                                                               \
        if (c->kept.chunk_count == 0) {                                                            \
            cupel_##name(io->output, io->input, io->input_len);                                    \
        } else {                                                                                   \
            cupel_##name##_state s;                                                                \
            cupel_##name##_begin(&s);                                                              \
            for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {                        \
                n = next_piece(&c->kept, &turn, io->input_len - at);                               \
                cupel_##name##_update(&s, io->input + at, n);                                      \
            }                                                                                      \
            cupel_##name##_finish(&s, io->output);                                                 \
        }                                                                                          \
        io->output_len = CUPEL_##NAME##_DIGEST;                                                    \
        return CUPEL_OK;                                                                           \
    }                                                                                              \
    static int copied_##name(cell *c, cupel_state *state, cupel_io *io) {                          \
        (void)state;                                                                               \
        cupel_##name##_state s = c->first_##name;                                                  \
        for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {                            \
            n = next_piece(&c->kept, &turn, io->input_len - at);                                   \
            cupel_##name##_update(&s, io->input + at, n);                                          \
        }                                                                                          \
        cupel_##name##_finish(&s, io->output);                                                     \
        io->output_len = CUPEL_##NAME##_DIGEST;                                                    \
        return CUPEL_OK;                                                                           \
    }

DIGEST(sha1, SHA1)
DIGEST(sha256, SHA256)

int cupel_prefix(cupel_state *state, const uint8_t *prefix, size_t len) {
    cell *c = (cell *)state->data;
    if (c->call == sha1) {
        cupel_sha1_begin(&c->first_sha1);
        cupel_sha1_update(&c->first_sha1, prefix, len);
        c->call = copied_sha1;
        return CUPEL_OK;
    }
    if (c->call != sha256)
        return no_copies(state);
    cupel_sha256_begin(&c->first_sha256);
    cupel_sha256_update(&c->first_sha256, prefix, len);
    c->call = copied_sha256;
    return CUPEL_OK;
}

/* ---- mac ---- */

static int hmac(cell *c, cupel_state *state, cupel_io *io) {
    (void)state;
    if (c->kept.key_per_call)
        cupel_hmac_sha256_prepare(&c->hmac, c->kept.key, c->kept.key_len);
    if (c->kept.chunk_count == 0) {
        cupel_hmac_sha256(io->output, &c->hmac, io->input, io->input_len);
    } else {
        cupel_hmac_sha256_state s;
        cupel_hmac_sha256_begin(&s, &c->hmac);
        for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
            n = next_piece(&c->kept, &turn, io->input_len - at);
            cupel_hmac_sha256_update(&s, io->input + at, n);
        }
        cupel_hmac_sha256_finish(&s, io->output);
    }
    io->output_len = CUPEL_HMAC_SHA256_TAG;
    return CUPEL_OK;
}

/* SipHash has almost no key schedule: a key prepared and a key given per call cost the same. */
static int siphash_2_4(cell *c, cupel_state *state, cupel_io *io) {
    (void)state;
    cupel_siphash_2_4(io->output, c->kept.key, io->input, io->input_len);
    io->output_len = 8;
    return CUPEL_OK;
}

static int siphash_1_3(cell *c, cupel_state *state, cupel_io *io) {
    (void)state;
    cupel_siphash_1_3(io->output, c->kept.key, io->input, io->input_len);
    io->output_len = 8;
    return CUPEL_OK;
}

/* ---- the interface ---- */

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
        .offers = variants[index].offers,
    };
    return &contenders[index];
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    int siphash = 0;
    state->code_path = cupel_sha256_code();
    if (task_is(task, "sha256", "digest")) {
        c->call = sha256;
    } else if (task_is(task, "sha1", "digest")) {
        c->call = sha1;
        state->code_path = cupel_sha1_code();
    } else if (task_is(task, "hmac-sha256", "mac")) {
        c->call = hmac;
        cupel_hmac_sha256_prepare(&c->hmac, c->kept.key, c->kept.key_len);
    } else if (task_is(task, "siphash-2-4", "mac")) {
        c->call = siphash_2_4;
        siphash = 1;
    } else if (task_is(task, "siphash-1-3", "mac")) {
        c->call = siphash_1_3;
        siphash = 1;
    } else {
        return refuse(state, CUPEL_UNSUPPORTED, "the kernels do not compute this");
    }
    if (siphash) {
        state->code_path = "portable";
        if (c->kept.key_len != CUPEL_SIPHASH_KEY)
            return refuse(state, CUPEL_UNSUPPORTED, "a SipHash key has 16 bytes");
        if (c->kept.chunk_count != 0)
            return refuse(state, CUPEL_UNSUPPORTED, "SipHash takes the message in one call");
    }
    return CUPEL_OK;
}

static void drop(cell *c) {
    kept_drop(&c->kept);
    cupel_wipe(&c->hmac, sizeof c->hmac);
    free(c);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    unsigned needs = variants[index].needs;
    if (needs != ~0u && (cupel_cpu_found() & needs) != needs)
        return refuse(state, CUPEL_MISSING, "the CPU lacks the features of this code path");
    cupel_cpu_limit(needs);
    return open_cell(calloc(1, sizeof(cell)), task, state);
}
