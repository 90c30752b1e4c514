/* cell.h: the part of the interface that is the same for every library. A file that includes it
 * first defines the struct `cell` with the members `call`, the timed function, and `kept`. It later
 * defines choose and drop, and its cupel_open passes a new cell to open_cell. */
#ifndef CUPEL_CELL_H
#define CUPEL_CELL_H

#include "kept.h"

/* Prepares an operation: sets the call, the code path and the key. */
typedef int opener(cell *c, const cupel_task *task, cupel_state *state);

static opener choose;

/* Frees a cell and whatever it holds; the cell may be only partly prepared. */
static void drop(cell *c);

/* Calls the opener for the task's operation. */
static inline int choose_of(opener *digest, opener *mac, opener *gcm, cell *c,
                            const cupel_task *task, cupel_state *state) {
    if (strcmp(task->operation, "digest") == 0)
        return digest(c, task, state);
    return (strcmp(task->operation, "mac") == 0 ? mac : gcm)(c, task, state);
}

/* The end of cupel_open, for a cell that was just allocated, or NULL. */
static int open_cell(cell *c, const cupel_task *task, cupel_state *state) {
    if (c == NULL)
        return refuse(state, CUPEL_FAILED, "out of memory");
    int result = kept_copy(&c->kept, task, state);
    if (result == CUPEL_OK)
        result = choose(c, task, state);
    if (result != CUPEL_OK) {
        drop(c);
        return result;
    }
    state->data = c;
    return CUPEL_OK;
}

int cupel_abi(void) {
    return CUPEL_ABI;
}

int cupel_call(cupel_state *state, cupel_io *io) {
    cell *c = (cell *)state->data;
    return c->call(c, state, io);
}

void cupel_close(cupel_state *state) {
    drop((cell *)state->data);
}

#endif
