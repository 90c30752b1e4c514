/* b2.c: libb2, the library of BLAKE2's authors. */
#include "cupel_contender.h"
#include "kept.h"

#include <blake2.h>

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
} cell;

#include "cell.h"

/* The two hashes have the same calls under other names. */
#define DEFINE_HASH(hash, size)                                                                    \
    static int hash##_digest(cell *c, cupel_state *state, cupel_io *io) {                          \
        int error;                                                                                 \
        io->output_len = (size);                                                                   \
        if (c->kept.chunk_count == 0) {                                                            \
            error = hash(io->output, io->input, NULL, (size), io->input_len, 0);                   \
        } else {                                                                                   \
            hash##_state hashed;                                                                   \
            error = hash##_init(&hashed, (size));                                                  \
            for (size_t at = 0, turn = 0, n; !error && at < io->input_len; at += n) {              \
                n = next_piece(&c->kept, &turn, io->input_len - at);                               \
                error = hash##_update(&hashed, io->input + at, n);                                 \
            }                                                                                      \
            if (!error)                                                                            \
                error = hash##_final(&hashed, io->output, (size));                                 \
        }                                                                                          \
        return error ? refuse(state, CUPEL_FAILED, "libb2 refused the message") : CUPEL_OK;        \
    }

DEFINE_HASH(blake2b, BLAKE2B_OUTBYTES)
DEFINE_HASH(blake2s, BLAKE2S_OUTBYTES)

const cupel_contender *cupel_describe(size_t index) {
    static const cupel_contender self = {
        .name = "libb2",
        .library = "libb2",
        .version = "0.98 (libb2 reports none)",
        .licence = "CC0-1.0",
        .summary = "blake2b() and blake2s(); init, update, final where streamed",
        .offers = "blake2b:digest blake2s:digest",
    };
    return index == 0 ? &self : NULL;
}

static void drop(cell *c) {
    kept_drop(&c->kept);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    state->code_path = "unknown: selected by libb2, which does not report it";
    c->call = strcmp(task->primitive, "blake2b") == 0 ? blake2b_digest : blake2s_digest;
    return CUPEL_OK;
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    return open_cell(calloc(1, sizeof(cell)), task, state);
}
