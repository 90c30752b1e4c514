/* known.c: contenders whose true ratios are known by construction.
 *
 * A call is libcrypto's SHA256() of the message, then a chain of steps each of which waits for the
 * one before. The chain begins with the digest, so that the two do not overlap. All contenders of a
 * kind run the same code at the same addresses; they differ only in the number of steps. So the
 * chain of "plus-3" takes 1.03 times as long as the chain of "same", at any clock frequency.
 *
 * There are two kinds. The steps of the first are arithmetic, which no neighbour can slow but by
 * taking the processor. The steps of the second ("walk-...") follow a path through a table that
 * exceeds the last-level cache, so they wait for memory, which others use.
 *
 * "changing" takes seven times as long while a file exists, as a library does in which somebody has
 * set probes. -DSLOW_WHILE="..." names the file. Each call asks for it, which takes a hundredth of
 * the call at most.
 *
 * With -DALONE it is its own program: `known NAME CALLS` makes the calls and exits, for tools that
 * time whole processes.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "cupel_contender.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#ifndef SLOW_WHILE
#define SLOW_WHILE ""
#endif
#define SLOWER     7

/* The chain takes nearly all of a call. Every share below is a whole number of steps. */
#define STEPS      40000
#define WALK_STEPS 1000

/* The table: 64 MiB, a line of the cache for each place. It must exceed the last-level cache, and a
 * call must continue where the last one ended. Otherwise the neighbours' use of the cache decides
 * whether a step waits, and the times are no longer as the numbers of steps. */
#define PLACES     (1u << 20)

/* How many percent of the steps are added; by two levels: added or left out, with equal
 * probability. */
static const struct {
    cupel_contender self;
    int added, level, walks;
} all[] = {
#define KNOWN(NAME, ADDED, LEVEL, WALKS)                                                           \
    {                                                                                              \
        {.name = NAME,                                                                             \
         .library = "Cupel's evidence, " NAME, /* each is a witness of the others' levels */       \
         .version = "1",                                                                           \
         .licence = "MIT OR Apache-2.0",                                                           \
         .summary = "SHA256(), then a chain of counted steps",                                     \
         .offers = "sha256:digest"},                                                               \
            ADDED, LEVEL, WALKS                                                                    \
    }
    KNOWN("same", 0, 0, 0),
    KNOWN("copy-1", 0, 0, 0),
    KNOWN("copy-2", 0, 0, 0),
    KNOWN("copy-3", 0, 0, 0),
    KNOWN("copy-4", 0, 0, 0),
    KNOWN("copy-5", 0, 0, 0),
    KNOWN("copy-6", 0, 0, 0),
    KNOWN("copy-7", 0, 0, 0),
    KNOWN("plus-1", 1, 0, 0),
    KNOWN("plus-2", 2, 0, 0),
    KNOWN("plus-3", 3, 0, 0),
    KNOWN("plus-5", 5, 0, 0),
    KNOWN("plus-16", 16, 0, 0),
    KNOWN("plus-50", 50, 0, 0),
    KNOWN("minus-30", -30, 0, 0),
    KNOWN("changing", 0, 0, 0),
    KNOWN("walk-same", 0, 0, 1),
    KNOWN("walk-copy-1", 0, 0, 1),
    KNOWN("walk-copy-2", 0, 0, 1),
    KNOWN("walk-copy-3", 0, 0, 1),
    KNOWN("walk-plus-1", 1, 0, 1),
    KNOWN("walk-plus-2", 2, 0, 1),
    KNOWN("walk-plus-3", 3, 0, 1),
    KNOWN("walk-plus-5", 5, 0, 1),
    KNOWN("levels-1", 0, 5, 0),
    KNOWN("levels-2", 0, 5, 0),
    KNOWN("levels-3", 0, 5, 0),
    KNOWN("levels-4", 0, 5, 0),
    KNOWN("levels-far", 0, 20, 0),
    /* Only to see the time of a call without its chain. */
    KNOWN("no-chain", -100, 0, 0),
};

static long steps;
static int walks;
static int changes;
static volatile uint64_t sink;
static uint32_t (*table)[16];

/* Three instructions that each wait for the last. No compiler can combine two steps into one. */
__attribute__((noinline)) static uint64_t chain(uint64_t x, long left) {
    for (; left > 0; left--)
        x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9;
    return x;
}

/* Each step loads the number of the next place. */
__attribute__((noinline)) static uint64_t walk(long left) {
    static uint32_t at;
    for (; left > 0; left--)
        at = table[at][0];
    return at;
}

/* One path through all places, the same in every process (Sattolo's algorithm). */
static int make_table(void) {
    uint64_t random = 2026;
    if (table != NULL)
        return 1;
    table = aligned_alloc(64, sizeof *table * PLACES);
    if (table == NULL)
        return 0;
    for (uint32_t i = 0; i < PLACES; i++)
        table[i][0] = i;
    for (uint32_t i = PLACES - 1; i > 0; i--) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t j = (random >> 33) % i, kept = table[i][0];
        table[i][0] = table[j][0];
        table[j][0] = kept;
    }
    return 1;
}

/* -1 or 1 for as long as this process lives. */
static int drawn(void) {
    static int sign;
    unsigned char byte = 0;
    if (sign == 0 && getrandom(&byte, 1, 0) == 1)
        sign = byte & 1 ? 1 : -1;
    return sign;
}

int cupel_abi(void) {
    return CUPEL_ABI;
}

const cupel_contender *cupel_describe(size_t index) {
    return index < sizeof all / sizeof *all ? &all[index].self : NULL;
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    if (task->chunk_count != 0) {
        state->reason = "SHA256() takes the message in one call";
        return CUPEL_UNSUPPORTED;
    }
    walks = all[index].walks;
    changes = strcmp(all[index].self.name, "changing") == 0;
    if (walks && !make_table()) {
        state->reason = "no memory for the table";
        return CUPEL_FAILED;
    }
    steps = walks ? WALK_STEPS : STEPS;
    steps += steps / 100 * (all[index].added + (all[index].level ? drawn() * all[index].level : 0));
    state->code_path = "unknown";
    return CUPEL_OK;
}

int cupel_call(cupel_state *state, cupel_io *io) {
    uint64_t first;
    if (SHA256(io->input, io->input_len, io->output) == NULL) {
        state->reason = "SHA256() failed";
        return CUPEL_FAILED;
    }
    io->output_len = SHA256_DIGEST_LENGTH;
    memcpy(&first, io->output, sizeof first);
    sink = walks ? walk(steps)
                 : chain(first, changes && access(SLOW_WHILE, F_OK) == 0 ? SLOWER * steps : steps);
    return CUPEL_OK;
}

void cupel_close(cupel_state *state) {
    (void)state;
}

#ifdef ALONE
#include <stdio.h>

int main(int count, char **words) {
    static const uint8_t message[16];
    static uint8_t output[256];
    const cupel_task task = {.primitive = "sha256", .operation = "digest"};
    cupel_state state = {0};
    cupel_io io = {.input = message, .input_len = sizeof message, .output = output};
    size_t index = 0;
    while (count == 3 && cupel_describe(index) && strcmp(all[index].self.name, words[1]) != 0)
        index++;
    if (count != 3 || cupel_describe(index) == NULL) {
        fprintf(stderr, "usage: %s NAME CALLS; the names are those in known.c\n", words[0]);
        return 2;
    }
    if (cupel_open(index, &task, &state) != CUPEL_OK)
        return 1;
    for (long calls = atol(words[2]); calls > 0; calls--) {
        io.output_len = sizeof output;
        if (cupel_call(&state, &io) != CUPEL_OK)
            return 1;
    }
    return 0;
}
#endif
