/* threads.c: a contender that notices mistakes of threads: that they use a nonce twice, or use a
 * state that another thread has opened or lies in the same cache line. Its outputs come from no
 * cipher, but they depend on the nonce and the message, as a cipher's do. */
#include "cupel_contender.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { NONCES = 1 << 20, OPENED = 64 };

typedef struct cell {
    const void *thread;
    int opening;
    char own[64]; /* so that two cells never share a line by their ends alone */
} cell;

static _Thread_local char here;
static atomic_uchar used[NONCES];
static _Atomic(uintptr_t) opened[OPENED];
static atomic_int count;

int cupel_abi(void) {
    return CUPEL_ABI;
}

const cupel_contender *cupel_describe(size_t index) {
    static const cupel_contender one = {.name = "threads",
                                        .library = "threads",
                                        .version = "1",
                                        .licence = "MIT",
                                        .summary = "counts nonces",
                                        .offers = "aes-256-gcm:seal aes-256-gcm:open"};
    return index == 0 ? &one : NULL;
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    cell *c = calloc(1, sizeof *c);
    if (c == NULL)
        return CUPEL_FAILED;
    c->thread = &here;
    c->opening = strcmp(task->operation, "open") == 0;
    int n = atomic_fetch_add(&count, 1);
    for (int i = 0; i < n && i < OPENED; i++) {
        uintptr_t other = atomic_load(&opened[i]);
        if (other / 64 == (uintptr_t)c / 64) {
            state->reason = "two cells in one cache line";
            free(c);
            return CUPEL_FAILED;
        }
    }
    if (n < OPENED)
        atomic_store(&opened[n], (uintptr_t)c);
    state->data = c;
    return CUPEL_OK;
}

int cupel_call(cupel_state *state, cupel_io *io) {
    cell *c = state->data;
    state->reason = "called from a thread that did not open it";
    if (c->thread != &here)
        return CUPEL_FAILED;
    uint64_t nonce = 0;
    for (size_t i = 4; i < io->nonce_len; i++)
        nonce = nonce << 8 | io->nonce[i];
    if (c->opening) {
        memcpy(io->output, io->input, io->input_len - 16);
        io->output_len = io->input_len - 16;
        return CUPEL_OK;
    }
    state->reason = "a nonce was used twice";
    if (nonce >= NONCES || atomic_exchange(&used[nonce], 1))
        return CUPEL_FAILED;
    memcpy(io->output, io->input, io->input_len);
    memset(io->output + io->input_len, 0, 16);
    memcpy(io->output + io->input_len + 8, &nonce, sizeof nonce);
    io->output_len = io->input_len + 16;
    return CUPEL_OK;
}

void cupel_close(cupel_state *state) {
    free(state->data);
}
