/* faulty.c: contenders that violate the interface, each in one way. A macro chooses the fault of
 * the object; the primitive chooses the fault of a task. */
#include "cupel_contender.h"

#include <stdio.h>
#include <string.h>

#ifndef ABI
#define ABI CUPEL_ABI
#endif
#ifndef NAME
#define NAME "faulty"
#endif
#ifndef VERSION
#define VERSION "1"
#endif
#ifndef OFFERS
#define OFFERS                                                                                     \
    "long-output:digest long-output:seal long-output:open open-unsupported:digest "                \
    "open-missing:digest open-failed:digest open-nonsense:digest call-unsupported:digest "         \
    "call-once:digest call-nonsense:digest prints:digest"
#endif

static const cupel_contender self = {NAME, "none", VERSION, "MIT", "breaks the interface", OFFERS};

#ifdef CONSTRUCTOR_PRINTS
__attribute__((constructor)) static void print(void) {
    puts("printed by a constructor");
    fflush(stdout);
}
#endif

int cupel_abi(void) {
    return ABI;
}

const cupel_contender *cupel_describe(size_t index) {
#ifdef ENDLESS
    (void)index;
    return &self;
#elif defined(NOTHING)
    (void)index;
    (void)self;
    return NULL;
#else
    return index == 0 ? &self : NULL;
#endif
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    state->reason = "in the contender's own words";
    if (strcmp(task->primitive, "open-unsupported") == 0)
        return CUPEL_UNSUPPORTED;
    if (strcmp(task->primitive, "open-missing") == 0)
        return CUPEL_MISSING;
    state->reason = NULL;
    if (strcmp(task->primitive, "open-failed") == 0)
        return CUPEL_FAILED;
    if (strcmp(task->primitive, "open-nonsense") == 0)
        return 77;
    fputs("opened\n", stderr);
    static const char *const kinds[] = {"long-output", "call-unsupported", "call-once",
                                        "call-nonsense", "prints"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(task->primitive, kinds[i]) == 0)
            state->data = (void *)(uintptr_t)kinds[i];
    return CUPEL_OK;
}

#ifndef NO_CALL
#ifdef UNDEFINED
int defined_nowhere(void);
#endif

int cupel_call(cupel_state *state, cupel_io *io) {
#ifdef UNDEFINED
    return defined_nowhere();
#endif
    static int calls;
    const char *kind = state->data;
    memset(io->output, 0, 8);
    if (strcmp(kind, "long-output") == 0) {
        io->output_len += 1;
        return CUPEL_OK;
    }
    io->output_len = 8;
    if (strcmp(kind, "call-unsupported") == 0) {
        state->reason = "in the contender's own words";
        return CUPEL_UNSUPPORTED;
    }
    if (strcmp(kind, "call-once") == 0) {
        state->reason = calls++ == 0 ? "of the first call" : state->reason;
        return CUPEL_FAILED;
    }
    if (strcmp(kind, "prints") == 0) {
        puts("printed by a call");
        fflush(stdout);
        return CUPEL_OK;
    }
    return 77;
}
#endif

void cupel_close(cupel_state *state) {
    (void)state;
    fputs("closed\n", stderr);
}
