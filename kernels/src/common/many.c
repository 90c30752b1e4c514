/* many.c: see many.h. If the messages of a row have one length, the lanes start and end together,
 * and a last block that is only padding is the same in all of them. Otherwise each lane proceeds
 * independently and takes the next message, the longest first, when it has finished one. When no
 * message is left and few lanes have work, their messages are finished one by one. */
#include "many.h"

#include "longest.h"

enum {
    BLOCK = SHA_BLOCK,
    /* If this many lanes or fewer are busy, the rest is computed one message after the other: a
     * step of all lanes costs about as much as two blocks of the AVX2 kernel. */
    FEW = 2
};

static void begin_lane(const many_code *code, uint32_t *h, size_t lane) {
    for (size_t i = 0; i < code->words; i++)
        h[i * code->lanes + lane] = code->start[i];
}

static void write_digest(const many_code *code, uint8_t *digests, size_t index, const uint32_t *h,
                         size_t lane) {
    for (size_t i = 0; i < code->words; i++)
        store_be32(digests + 4 * (index * code->words + i), h[i * code->lanes + lane]);
}

/* ---- messages of one length ---- */

/* What all rows share: the initial state, and the block that pads messages whose length is a
 * multiple of the block, expanded for the rounds. */
typedef struct shared {
    _Alignas(64) uint32_t start[MANY_WORDS * MANY_LANES];
    size_t length; /* no such length: not computed yet */
    uint32_t wk[MANY_ROUNDS];
} shared;

static int same_lengths(const size_t *lengths, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (lengths[i] != lengths[0])
            return 0;
    return 1;
}

/* Hashes one message in each lane, all of one length. */
static void row(const many_code *code, uint8_t *digests, const void *const *messages, size_t length,
                shared *s) {
    _Alignas(64) uint32_t h[MANY_WORDS * MANY_LANES];
    for (size_t i = 0; i < code->words * code->lanes; i++)
        h[i] = s->start[i];
    if (length >= BLOCK)
        code->blocks(h, (const uint8_t *const *)messages, length / BLOCK);

    if (length % BLOCK == 0) {
        if (s->length != length) {
            uint8_t block[2 * BLOCK];
            sha_pad(block, NULL, 0, length);
            code->expand(s->wk, block);
            s->length = length;
        }
        code->same_block(h, s->wk);
    } else {
        uint8_t tails[MANY_LANES][2 * BLOCK];
        const uint8_t *at[MANY_LANES];
        size_t count = 0, rest = length % BLOCK;
        for (size_t lane = 0; lane < code->lanes; lane++) {
            at[lane] = tails[lane];
            count =
                sha_pad(tails[lane], (const uint8_t *)messages[lane] + length - rest, rest, length);
        }
        code->blocks(h, at, count);
    }
    for (size_t lane = 0; lane < code->lanes; lane++)
        write_digest(code, digests, lane, h, lane);
}

/* ---- messages of any length ---- */

typedef struct lane {
    const uint8_t *at; /* the next block */
    size_t left;       /* blocks from there to the end of this part; 0: the lane is idle */
    size_t tail_count; /* blocks of padding still to come after this part */
    size_t index;      /* of the message */
    uint8_t tail[2 * BLOCK];
} lane;

static void take(lane *l, size_t index, const void *message, size_t length) {
    const uint8_t *start = message;
    size_t rest = length % BLOCK;
    l->index = index;
    l->at = start;
    l->left = length / BLOCK;
    l->tail_count = sha_pad(l->tail, rest == 0 ? NULL : start + (length - rest), rest, length);
}

/* Continues with the padding when the message's own blocks are done. */
static void turn_to_tail(lane *l) {
    if (l->left == 0) {
        l->at = l->tail;
        l->left = l->tail_count;
        l->tail_count = 0;
    }
}

/* Finishes one lane's message alone. */
static void end_alone(const many_code *code, uint8_t *digests, uint32_t *h, size_t j, lane *l) {
    uint32_t state[MANY_WORDS];
    for (size_t i = 0; i < code->words; i++)
        state[i] = h[i * code->lanes + j];
    code->one(state, l->at, l->left, l->tail, l->tail_count);
    for (size_t i = 0; i < code->words; i++)
        h[i * code->lanes + j] = state[i];
    write_digest(code, digests, l->index, h, j);
}

static void unequal(const many_code *code, uint8_t *digests, const void *const *messages,
                    const size_t *lengths, size_t count) {
    _Alignas(64) uint32_t h[MANY_WORDS * MANY_LANES];
    lane lanes[MANY_LANES];
    longest queue = longest_of(lengths, count);
    size_t busy = 0;
    for (size_t j = 0; j < code->lanes; j++) {
        begin_lane(code, h, j);
        lanes[j].left = 0;
        if (longest_more(&queue)) {
            size_t next = longest_next(&queue);
            take(&lanes[j], next, messages[next], lengths[next]);
            turn_to_tail(&lanes[j]);
            busy++;
        }
    }
    while (busy > FEW) {
        size_t steps = SIZE_MAX;
        const uint8_t *at[MANY_LANES], *any = NULL;
        for (size_t j = 0; j < code->lanes; j++)
            if (lanes[j].left != 0 && lanes[j].left < steps) {
                steps = lanes[j].left;
                any = lanes[j].at;
            }
        /* An idle lane repeats the work of another lane. */
        for (size_t j = 0; j < code->lanes; j++)
            at[j] = lanes[j].left != 0 ? lanes[j].at : any;
        code->blocks(h, at, steps);

        for (size_t j = 0; j < code->lanes; j++) {
            lane *l = &lanes[j];
            if (l->left == 0)
                continue;
            l->at += BLOCK * steps;
            l->left -= steps;
            if (l->left == 0 && l->tail_count == 0) {
                write_digest(code, digests, l->index, h, j);
                if (!longest_more(&queue)) {
                    busy--;
                    continue;
                }
                size_t next = longest_next(&queue);
                begin_lane(code, h, j);
                take(l, next, messages[next], lengths[next]);
            }
            turn_to_tail(l);
        }
    }
    for (size_t j = 0; j < code->lanes; j++)
        if (lanes[j].left != 0)
            end_alone(code, digests, h, j, &lanes[j]);
}

void cupel_many(const many_code *code, uint8_t *digests, const void *const *messages,
                const size_t *lengths, size_t count) {
    shared s;
    s.length = SIZE_MAX;
    for (size_t j = 0; j < code->lanes; j++)
        begin_lane(code, s.start, j);
    size_t done = 0;
    while (count - done >= code->lanes && same_lengths(lengths + done, code->lanes)) {
        row(code, digests + 4 * code->words * done, messages + done, lengths[done], &s);
        done += code->lanes;
    }
    if (done != count)
        unequal(code, digests + 4 * code->words * done, messages + done, lengths + done,
                count - done);
}
