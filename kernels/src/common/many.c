/* many.c: see many.h. If the messages of some rows have one length, their lanes start and end
 * together, and a last block that is only padding is the same in all of them. Otherwise each lane
 * proceeds independently and takes the next message, the longest first, when it has finished one. A
 * row that is not full costs as much as a full one, so a few messages take narrower rows. When no
 * message is left, the lanes that still have work move together, so that as few rows as possible
 * are computed; messages too few for a row are finished by a code with narrower rows, or one by
 * one. */
#include "many.h"

#include "longest.h"

enum {
    BLOCK = SHA_BLOCK,
    /* A row with this many messages or fewer is not worth its time: a step of a whole row costs
     * about as much as a block of this many messages one by one with AVX2. */
    FEW = 2,
    /* Messages that are all shorter than this, and too few to fill the turns, cost less one by one:
     * to share out so few blocks takes longer than they do. */
    SHORT = 2 * BLOCK
};

/* The first word of lane j's state; the next is code->lanes words further. */
static uint32_t *words_of(const many_code *code, uint32_t *h, size_t j) {
    return h + j / code->lanes * code->words * code->lanes + j % code->lanes;
}

static void begin_lane(const many_code *code, uint32_t *h, size_t j, const uint32_t *start) {
    uint32_t *word = words_of(code, h, j);
    for (size_t i = 0; i < code->words; i++)
        word[i * code->lanes] = start[i];
}

/* The state in which message i begins. */
static const uint32_t *start_of(const many_start *from, size_t i) {
    return from->each != NULL ? from->each[i] : from->all;
}

/* Overwrites the traces of a key or a message in memory of our own, if they are secret. */
static void forget(const many_start *from, void *memory, size_t length) {
    if (from->before != 0)
        cupel_wipe(memory, length);
}

/* The stack that rows of lanes may take: the largest frame of a kernel has 6.2 KiB (gcc 12), and
 * the frame of whole_rows 5.4 KiB, if it is not inlined. */
enum { STACK_OF_ROWS = 12 << 10 };

/* The same for values that the compiler put on the stack while rows were computed: states, and
 * words of the messages, which in HMAC are inner digests. The caller has called the rows, too, so
 * their frames began where the frame of this function begins. */
static __attribute__((noinline)) void forget_rows(const many_code *code, const many_start *from) {
    uint8_t below[STACK_OF_ROWS];
    if (code->lanes > 1)
        forget(from, below, sizeof below);
}

static void write_digest(const many_code *code, uint8_t *digest, const uint32_t *word) {
    for (size_t i = 0; i < code->words; i++)
        store_be32(digest + 4 * i, word[i * code->lanes]);
}

/* ---- messages of one length ---- */

/* The part that all rows share: the initial state, and the block that pads messages whose length is
 * a multiple of the block, also expanded for the rounds. */
typedef struct shared {
    _Alignas(64) uint32_t start[MANY_WORDS * MANY_LANES];
    const many_start *from;
    int expanded;  /* whether padding is, too: that costs more than it saves for one row */
    size_t length; /* no such length: not computed yet */
    uint8_t padding[2 * BLOCK];
    uint32_t wk[MANY_ROUNDS];
} shared;

/* How many of the messages, from the first on, have its length. */
static size_t of_one_length(const size_t *lengths, size_t count) {
    size_t n = 1;
    while (n < count && lengths[n] == lengths[0])
        n++;
    return n;
}

static void begin_shared(shared *s, const many_code *code, const many_start *from, size_t count) {
    s->length = SIZE_MAX;
    s->expanded = code->same_block != NULL && count > code->lanes;
    s->from = from;
    for (size_t j = 0; from->each == NULL && j < code->lanes * code->rows; j++)
        begin_lane(code, s->start, j, from->all);
}

static void pad_whole_blocks(const many_code *code, uint32_t *h, size_t length, size_t rows,
                             shared *s) {
    if (s->length != length) {
        sha_pad(s->padding, NULL, 0, s->from->before + length);
        if (s->expanded)
            code->expand(s->wk, s->padding);
        s->length = length;
    }
    if (s->expanded) {
        code->same_block(h, s->wk, rows);
        return;
    }
    const uint8_t *at[MANY_LANES];
    for (size_t j = 0; j < rows * code->lanes; j++)
        at[j] = s->padding;
    code->blocks(h, at, 1, rows);
}

/* Hashes one message in each lane of some rows, all of one length, and the first of them message
 * first of the batch; writes the first count digests. */
static void whole_rows(const many_code *code, uint8_t *digests, const void *const *messages,
                       size_t length, size_t first, size_t rows, size_t count, shared *s) {
    _Alignas(64) uint32_t h[MANY_WORDS * MANY_LANES];
    size_t lanes = rows * code->lanes;
    if (s->from->each == NULL)
        for (size_t i = 0; i < code->words * lanes; i++)
            h[i] = s->start[i];
    else
        for (size_t j = 0; j < lanes; j++)
            begin_lane(code, h, j, s->from->each[first + (j < count ? j : 0)]);
    if (length >= BLOCK)
        code->blocks(h, (const uint8_t *const *)messages, length / BLOCK, rows);

    size_t rest = length % BLOCK;
    if (rest == 0) {
        pad_whole_blocks(code, h, length, rows, s);
    } else {
        uint8_t tails[MANY_LANES][2 * BLOCK];
        const uint8_t *at[MANY_LANES];
        size_t blocks = 0;
        for (size_t j = 0; j < lanes; j++) {
            at[j] = tails[j < count ? j : 0];
            if (j < count)
                blocks = sha_pad(tails[j], (const uint8_t *)messages[j] + length - rest, rest,
                                 s->from->before + length);
        }
        code->blocks(h, at, blocks, rows);
        forget(s->from, tails, sizeof tails[0] * count);
    }
    for (size_t j = 0; j < count; j++)
        write_digest(code, digests + 4 * code->words * j, words_of(code, h, j));
    forget(s->from, h, sizeof h);
}

/* This many messages or fewer are not worth a row of this code. */
static size_t few_for(const many_code *code) {
    return code->lanes == 1 ? 0 : many_next(code) != NULL ? many_few_of(code).equal : FEW;
}

/* Hashes the messages at the front that have one length and are worth rows; returns how many. */
static size_t equal_rows(const many_code *code, const many_start *from, uint8_t *digests,
                         const void *const *messages, const size_t *lengths, size_t count) {
    size_t few = few_for(code), done = 0;
    shared s; /* is prepared when there is a use for it */
    while (done < count) {
        size_t left = count - done, most = code->lanes * many_rows(code, left);
        size_t full = left < most ? left : most;
        size_t equal = of_one_length(lengths + done, full);
        size_t rows = equal / code->lanes, over = equal % code->lanes;
        int last = equal == left && over > few;
        /* Fewer messages than could be computed in turns are not worth their own call. */
        if (!last && (rows == 0 || (code->lanes == 1 && equal < full)))
            break;
        if (done == 0)
            begin_shared(&s, code, from, count);
        const void *const *these = messages + done;
        const void *filled[MANY_LANES];
        if (last) {
            /* The idle lanes of a last row that is not full repeat the work of the first. */
            rows++;
            for (size_t j = 0; j < rows * code->lanes; j++)
                filled[j] = these[j < equal ? j : 0];
            these = filled;
        } else {
            equal -= over;
        }
        whole_rows(code, digests + 4 * code->words * done, these, lengths[done], done, rows, equal,
                   &s);
        done += equal;
    }
    if (done != 0) {
        forget_rows(code, from);
        forget(from, s.start, sizeof s.start);
    }
    return done;
}

/* ---- messages one by one ---- */

static void one_by_one(const many_code *code, const many_start *from, uint8_t *digests,
                       const void *const *messages, const size_t *lengths, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t state[MANY_WORDS];
        memcpy(state, start_of(from, i), sizeof state[0] * code->words);
        sha_end(code->one, code->words, state, messages[i], lengths[i] / BLOCK, lengths[i] % BLOCK,
                from->before + lengths[i], digests + 4 * code->words * i);
        forget(from, state, sizeof state);
    }
}

/* Whether messages, not all of one length, cost less one by one than by this code. */
static int better_alone(const many_code *code, const size_t *lengths, size_t count) {
    if (count == 1 || (code->lanes > 1 && count <= FEW))
        return 1;
    if (code->lanes > 1 || count >= code->rows)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (lengths[i] >= SHORT)
            return 0;
    return 1;
}

/* ---- messages of any length ---- */

/* Where these functions lie in a line of the cache is worth up to 5 % for few short messages, so
 * they begin on one. */
#ifdef CUPEL_X86
#define ON_A_LINE __attribute__((aligned(64)))
#else
#define ON_A_LINE
#endif

typedef struct lane {
    const uint8_t *at; /* the next block */
    size_t left;       /* blocks from there to the end of this part, at least 1 */
    size_t tail_count; /* blocks of padding still to come after this part */
    size_t index;      /* of the message */
    uint8_t *tail;     /* two blocks */
} lane;

/* Messages on their way: lanes 0 to busy - 1 have work. */
typedef struct batch {
    const many_code *code;
    const many_start *from;
    uint8_t *digests;
    const void *const *messages;
    const size_t *lengths;
    longest queue;
    size_t busy;
    lane lanes[MANY_LANES];
    uint8_t tails[MANY_LANES][2 * BLOCK];
    _Alignas(64) uint32_t h[MANY_WORDS * MANY_LANES];
} batch;

/* Continues with the padding when the message's own blocks are done. */
static void turn_to_tail(lane *l) {
    if (l->left == 0) {
        l->at = l->tail;
        l->left = l->tail_count;
        l->tail_count = 0;
    }
}

/* Gives lane j the next message. */
ON_A_LINE static void take(batch *b, size_t j) {
    lane *l = &b->lanes[j];
    l->index = longest_next(&b->queue);
    const uint8_t *start = b->messages[l->index];
    size_t length = b->lengths[l->index], rest = length % BLOCK;
    l->at = start;
    l->left = length / BLOCK;
    l->tail_count = sha_pad(l->tail, rest == 0 ? NULL : start + (length - rest), rest,
                            b->from->before + length);
    turn_to_tail(l);
    begin_lane(b->code, b->h, j, start_of(b->from, l->index));
}

/* Moves the last lane to place j, whose message is finished. */
static void close_up(batch *b, size_t j) {
    size_t last = --b->busy;
    if (j == last)
        return;
    lane finished = b->lanes[j];
    b->lanes[j] = b->lanes[last];
    b->lanes[last] = finished; /* keeps its tail */
    uint32_t *to = words_of(b->code, b->h, j), *from = words_of(b->code, b->h, last);
    for (size_t i = 0; i < b->code->words; i++)
        to[i * b->code->lanes] = from[i * b->code->lanes];
}

/* The rows to compute now. A last row with few messages waits until there is room before it. */
static size_t rows_now(const many_code *code, size_t busy, size_t few) {
    size_t full = busy / code->lanes, most = many_rows(code, busy);
    if (full >= most)
        return most;
    return busy - full * code->lanes > (full == 0 ? 0 : few) ? full + 1 : full;
}

/* Advances the messages of some rows until one of them has finished a part. */
ON_A_LINE static void advance(batch *b, size_t rows) {
    const many_code *code = b->code;
    size_t all = rows * code->lanes, working = b->busy < all ? b->busy : all;
    size_t steps = b->lanes[0].left;
    const uint8_t *at[MANY_LANES];
    at[0] = b->lanes[0].at;
    for (size_t j = 1; j < all; j++) {
        /* An idle lane repeats the work of another lane. */
        const lane *l = &b->lanes[j < working ? j : 0];
        at[j] = l->at;
        if (l->left < steps)
            steps = l->left;
    }
    code->blocks(b->h, at, steps, rows);

    /* Backwards, so that a lane that moves to another place has been seen. */
    for (size_t j = working; j-- > 0;) {
        lane *l = &b->lanes[j];
        l->at += BLOCK * steps;
        l->left -= steps;
        if (l->left != 0 || l->tail_count != 0) {
            turn_to_tail(l);
            continue;
        }
        write_digest(code, b->digests + 4 * code->words * l->index, words_of(code, b->h, j));
        if (longest_more(&b->queue))
            take(b, j);
        else
            close_up(b, j);
    }
}

/* Continues with a code whose rows have one lane. */
static void change(batch *b, const many_code *to) {
    uint32_t h[MANY_WORDS * MANY_LANES];
    for (size_t j = 0; j < b->busy; j++) {
        const uint32_t *from = words_of(b->code, b->h, j);
        for (size_t i = 0; i < to->words; i++)
            h[j * to->words + i] = from[i * b->code->lanes];
    }
    memcpy(b->h, h, sizeof h[0] * to->words * b->busy);
    forget(b->from, h, sizeof h);
    b->code = to;
}

/* Finishes lane j's message alone. */
static void end_alone(batch *b, size_t j) {
    const many_code *code = b->code;
    const uint32_t *word = words_of(code, b->h, j);
    const lane *l = &b->lanes[j];
    uint32_t state[MANY_WORDS];
    for (size_t i = 0; i < code->words; i++)
        state[i] = word[i * code->lanes];
    code->one(state, l->at, l->left, l->tail, l->tail_count);
    for (size_t i = 0; i < code->words; i++)
        store_be32(b->digests + 4 * (l->index * code->words + i), state[i]);
    forget(b->from, state, sizeof state);
}

static void any_lengths(const many_code *code, const many_start *from, uint8_t *digests,
                        const void *const *messages, const size_t *lengths, size_t count) {
    batch b;
    b.code = code;
    b.from = from;
    b.digests = digests;
    b.messages = messages;
    b.lengths = lengths;
    b.queue = longest_of(lengths, count);
    size_t all = code->lanes * many_rows(code, count);
    b.busy = count < all ? count : all;
    for (size_t j = 0; j < b.busy; j++) {
        b.lanes[j].tail = b.tails[j];
        take(&b, j);
    }
    for (size_t j = b.busy; j % code->lanes != 0; j++)
        begin_lane(code, b.h, j, code->start);

    const many_code *narrow = many_next(code);
    size_t few = few_for(code);
    while (b.busy > few)
        advance(&b, rows_now(code, b.busy, few));
    if (narrow != NULL) {
        change(&b, narrow);
        while (b.busy > 0)
            advance(&b, rows_now(narrow, b.busy, 0));
    }
    while (b.busy > 0)
        end_alone(&b, --b.busy);
    forget_rows(code, from);
    forget(from, b.tails, sizeof b.tails);
    forget(from, b.h, sizeof b.h);
}

/* Whether turns are faster for all of these messages. */
static int are_few(const many_code *code, const size_t *lengths, size_t count) {
    many_few few = many_few_of(code);
    return many_next(code) != NULL &&
           (count <= few.equal || (count <= few.ragged && of_one_length(lengths, count) < count));
}

void cupel_many(const many_code *code, const many_start *from, uint8_t *digests,
                const void *const *messages, const size_t *lengths, size_t count) {
    size_t done = 0;
    if (are_few(code, lengths, count))
        code = code->turns;
    if (count > 1)
        done = equal_rows(code, from, digests, messages, lengths, count);
    many_start rest = *from;
    if (rest.each != NULL)
        rest.each += done;
    digests += 4 * code->words * done;
    messages += done;
    lengths += done;
    count -= done;
    if (count == 0)
        return;
    if (are_few(code, lengths, count))
        cupel_many(code->turns, &rest, digests, messages, lengths, count);
    else if (better_alone(code, lengths, count))
        one_by_one(code, &rest, digests, messages, lengths, count);
    else
        any_lengths(code, &rest, digests, messages, lengths, count);
}
