/* xxhash.c: XXH3 of xxHash 0.8 and later, with the vectors that the library was compiled for, and
 * with those that its dispatcher selects. */
#include "cupel_contender.h"
#include "kept.h"

#include <stdio.h>
#include <xxhash.h>

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<xxh_x86dispatch.h>)
#define XXH_DISPATCH_DISABLE_REPLACE /* else it renames the functions that are compared */
#include <xxh_x86dispatch.h>
#define DISPATCHES 1
#endif
#endif
#ifndef DISPATCHES
#define DISPATCHES                  0
#define XXH3_64bits_dispatch        XXH3_64bits
#define XXH3_64bits_update_dispatch XXH3_64bits_update
#endif

enum { SIZE = 8 };

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    size_t index;
    XXH3_state_t *xxh;
} cell;

#include "cell.h"

/* The same bytes as other implementations give, which differ from its canonical form. */
static int put(cupel_io *io, XXH64_hash_t hash) {
    for (size_t i = 0; i < SIZE; i++)
        io->output[i] = (uint8_t)(hash >> (8 * i));
    io->output_len = SIZE;
    return CUPEL_OK;
}

static int whole(cell *c, cupel_state *state, cupel_io *io) {
    (void)c, (void)state;
    return put(io, XXH3_64bits(io->input, io->input_len));
}

static int whole_dispatched(cell *c, cupel_state *state, cupel_io *io) {
    (void)c, (void)state;
    return put(io, XXH3_64bits_dispatch(io->input, io->input_len));
}

static int streamed(cell *c, cupel_state *state, cupel_io *io) {
    XXH_errorcode error = XXH3_64bits_reset(c->xxh);
    for (size_t at = 0, turn = 0, n; error == XXH_OK && at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        error = (c->index == 0 ? XXH3_64bits_update
                               : XXH3_64bits_update_dispatch)(c->xxh, io->input + at, n);
    }
    if (error != XXH_OK)
        return refuse(state, CUPEL_FAILED, "XXH3_64bits_update failed");
    return put(io, XXH3_64bits_digest(c->xxh));
}

const cupel_contender *cupel_describe(size_t index) {
    static const cupel_contender both[] = {
        {
            .name = "xxhash",
            .library = "xxHash",
            .version = "",
            .licence = "BSD-2-Clause",
            .summary = "XXH3_64bits of xxhash.h; output little-endian",
            .offers = "xxh3-64:digest",
        },
        {
            .name = "xxhash-dispatch",
            .library = "xxHash",
            .version = "",
            .licence = "BSD-2-Clause",
            .summary = "XXH3_64bits of xxh_x86dispatch.h; output little-endian",
            .offers = "xxh3-64:digest",
        },
    };
    static char version[16];
    static cupel_contender described[2];
    if (index > 1)
        return NULL;
    unsigned number = XXH_versionNumber();
    snprintf(version, sizeof version, "%u.%u.%u", number / 10000, number / 100 % 100, number % 100);
    described[index] = both[index];
    described[index].version = version;
    return &described[index];
}

static void drop(cell *c) {
    XXH3_freeState(c->xxh);
    kept_drop(&c->kept);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    (void)task;
    if (c->index == 1 && !DISPATCHES)
        return refuse(state, CUPEL_MISSING, "this xxHash was built without its dispatcher");
    state->code_path = c->index == 0 ? "unknown: what the library was compiled for"
                                     : "unknown: selected by xxHash, which does not report it";
    if (c->kept.chunk_count == 0) {
        c->call = c->index == 0 ? whole : whole_dispatched;
        return CUPEL_OK;
    }
    c->call = streamed;
    c->xxh = XXH3_createState();
    return c->xxh == NULL ? refuse(state, CUPEL_FAILED, "out of memory") : CUPEL_OK;
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    cell *c = calloc(1, sizeof(cell));
    if (c != NULL)
        c->index = index;
    return open_cell(c, task, state);
}
