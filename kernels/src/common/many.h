/* many.h: hashing many messages side by side, one in each lane of the vector registers: assigns
 * messages to lanes, and selects the lanes' code. The same for SHA-1 and SHA-256. */
#ifndef CUPEL_MANY_H
#define CUPEL_MANY_H

#include "plan_use.h"
#include "sha.h"

/* the maxima of all codes */
enum { MANY_LANES = 32, MANY_WORDS = 8, MANY_ROUNDS = 80 };

/* Hashes count blocks in every lane of rows rows; the blocks of lane j are at at[j], where the
 * lanes of a row come before the lanes of the next. Each row's state is words rows of words: word i
 * of lane j of row r is h[(r * words + i) * lanes + j]. */
typedef void many_blocks(uint32_t *h, const uint8_t *const *at, size_t count, size_t rows);

/* Hashes the same block in every lane, given as the rounds' words plus constants. */
typedef void many_same_block(uint32_t *h, const uint32_t *wk, size_t rows);

/* This many messages or fewer are faster in turns than in a row, which costs the same with one lane
 * in use as with all: of one length, and of several, which leave lanes idle sooner. */
typedef struct many_few {
    size_t equal, ragged;
} many_few;

/* A hash on lanes, and the CPUs on which it is used. */
typedef struct many_code many_code;
struct many_code {
    unsigned needs;            /* CUPEL_CPU_... that must be present */
    size_t lanes, rows, words; /* lanes of a row, the most rows of a call, words of a state */
    size_t own_ports;          /* the rows of a call where shuffles have ports of their own */
    const uint32_t *start;
    many_blocks *blocks;
    many_same_block *same_block; /* NULL: as cheap as another block */
    /* Computes those words of a block. */
    void (*expand)(uint32_t *wk, const uint8_t *block);
    /* The kernel that dispatch selects for one message. */
    sha_kernel *one;
    /* The code that takes messages in turns with the SHA extensions, for messages too few for a
     * row. NULL if this one does so. */
    const many_code *turns;
    /* Where shuffles have ports of their own, and where they share one
     * (kernels/NOTES.md). */
    many_few few[2];
};

#ifdef CUPEL_X86
#define MANY_CODE(hash, n, feature, isa, in_row, most_rows, own)                                   \
    .needs = CUPEL_CPU_##feature, .lanes = in_row, .rows = most_rows, .own_ports = own,            \
    .words = n, .start = cupel_##hash##_start, .blocks = cupel_##hash##_lanes_##isa,               \
    .expand = expand, .one = cupel_##hash##_blocks

/* Messages in turns. */
#define MANY_IN_TURNS(hash, n, own)                                                                \
    { MANY_CODE(hash, n, SHANI, shani, 1, 4, own) }

/* Rows of lanes, with turns for a few. */
#define MANY_IN_ROWS(hash, n, feature, isa, in_row, ...)                                           \
    {                                                                                              \
        MANY_CODE(hash, n, feature, isa, in_row, 2, 2), .same_block = cupel_##hash##_same_##isa,   \
                                                        .turns = &turns, .few = __VA_ARGS__,       \
    }
#endif

/* The codes of a hash that a CPU may take, the fastest first; NULL ends them. */
typedef const many_code *const *many_codes;

/* The first of them that this CPU supports, or NULL: one message after the other. */
static inline const many_code *many_choose(many_codes codes) {
    unsigned cpu = cupel_cpu();
    for (; *codes != NULL; codes++)
        if (cpu & (*codes)->needs)
            return *codes;
    return NULL;
}

/* The rows of the next call, if count messages are left. Where three messages in turns are faster
 * than four, four are still faster than three and then one. */
static inline size_t many_rows(const many_code *code, size_t count) {
    int all = (cupel_cpu() & CUPEL_CPU_SHARED_PORT) || count == code->lanes * code->rows;
    return all ? code->rows : code->own_ports;
}

/* The code that takes messages in turns, if this CPU supports it. NULL if code itself does so. */
static inline const many_code *many_next(const many_code *code) {
    return code->turns != NULL && (cupel_cpu() & code->turns->needs) ? code->turns : NULL;
}

/* How many messages are few for this code on this CPU, if turns can take them. */
static inline many_few many_few_of(const many_code *code) {
    return code->few[(cupel_cpu() & CUPEL_CPU_SHARED_PORT) != 0];
}

/* The code for a batch of count messages without a plan: the first, unless they are too few for its
 * rows. NULL: one message after the other. */
static inline const many_code *many_usual(many_codes codes, size_t count) {
    const many_code *code = many_choose(codes);
    const many_code *turns =
        code != NULL && count <= many_few_of(code).equal ? many_next(code) : NULL;
    return turns != NULL ? turns : code;
}

/* The code for a batch: the plan's if this CPU supports it, otherwise the code that many_usual
 * returns. cupel_many gives messages too few for its rows to the turns, whatever the plan names. */
static inline const many_code *many_planned(many_codes codes, unsigned operation,
                                            const size_t *lengths, size_t count) {
    unsigned feature = count == 0 ? 0 : cupel_plan_feature(operation, count, lengths[0]);
    if (cupel_cpu() & feature)
        for (many_codes code = codes; *code != NULL; code++)
            if ((*code)->needs == feature)
                return *code;
    return many_usual(codes, count);
}

/* Where messages begin: with the hash's own state, or, for a keyed hash, with one after whole
 * blocks that are already hashed. If there are any, their traces in the library's own memory are
 * cleared. */
typedef struct many_start {
    const uint32_t *all;         /* the state for all messages, where each is NULL */
    const uint32_t *const *each; /* one for each message, or NULL */
    uint64_t before;             /* bytes that are already in the state */
} many_start;

/* Writes the digests of count messages, 4 * words bytes each, one after the other. code is the
 * value that many_planned returned, and not NULL. */
void cupel_many(const many_code *code, const many_start *from, uint8_t *digests,
                const void *const *messages, const size_t *lengths, size_t count);

#endif
