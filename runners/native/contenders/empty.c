/* empty.c: does nothing, called as every C contender is. Its time is the runner's own overhead. */
#include "cupel_contender.h"

static const cupel_contender self = {
    .name = "empty",
    .library = "Cupel",
    .version = "1",
    .licence = "MIT OR Apache-2.0",
    .summary = "no work: the runner's own cost of a call",
    .offers = "empty:digest",
};

int cupel_abi(void) {
    return CUPEL_ABI;
}

const cupel_contender *cupel_describe(size_t index) {
    return index == 0 ? &self : NULL;
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    (void)task;
    state->code_path = "none";
    return CUPEL_OK;
}

int cupel_call(cupel_state *state, cupel_io *io) {
    (void)state;
    io->output_len = 0;
    return CUPEL_OK;
}

void cupel_close(cupel_state *state) {
    (void)state;
}
