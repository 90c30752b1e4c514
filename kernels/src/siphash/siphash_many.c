/* siphash_many.c: SipHash of many messages under one key: which message goes to which lane.
 * Messages of one length go in rows, which start and end together; of any lengths, each lane takes
 * the next message, the longest first, as it ends one. */
#include "cpu.h"
#include "longest.h"
#include "siphash.h"

#ifdef CUPEL_X86
/* With as many lanes busy or fewer, the rest goes one message after the other: a step of two rows
 * takes as long as a word of three or four messages by themselves. */
enum { FEW = 3 };

typedef struct job {
    const siphash_many_code *code;
    uint8_t *tags;
    size_t tag_length;
    unsigned c, d;
    uint64_t start[4];
    const void *const *messages;
    const size_t *lengths;
} job;

/* Messages under way, one a lane. */
typedef struct lanes {
    _Alignas(64) uint64_t state[4 * SIP_LANES];
    const uint8_t *at[SIP_LANES]; /* the next word */
    size_t left[SIP_LANES];       /* whole words from there; 0: the lane is idle */
    size_t index[SIP_LANES];      /* of the message */
} lanes;

/* Messages whose whole words are done. They wait for others, to be ended side by side. */
typedef struct waiting {
    _Alignas(64) uint64_t state[4 * SIP_LANES];
    _Alignas(64) uint64_t last[SIP_LANES];
    size_t index[SIP_LANES], count;
} waiting;

static void end_waiting(const job *j, waiting *w) {
    _Alignas(64) uint64_t tags[2 * SIP_LANES];
    int wide = j->tag_length == 16;
    if (w->count == 0)
        return;
    j->code->end(tags, w->count > j->code->lanes, wide, j->c, j->d, w->state, w->last);
    for (size_t i = 0; i < w->count; i++) {
        uint8_t *tag = j->tags + j->tag_length * w->index[i];
        store_le64(tag, tags[i]);
        if (wide)
            store_le64(tag + 8, tags[SIP_LANES + i]);
    }
    w->count = 0;
}

/* As sip_last_word; of a message of at least a word it is cut from the last 8 bytes, for where
 * lengths come in no order a branch costs more. In two shifts, for 64 are none. */
static uint64_t last_word(const uint8_t *message, size_t length) {
    if (length < 8)
        return sip_last_word(message, length);
    return load_le64(message + length - 8) >> 1 >> (63 - 8 * (length % 8)) | (uint64_t)length << 56;
}

/* The message's state is words first, first + step and so on. */
static void wait(const job *j, waiting *w, const uint64_t *first, size_t step, size_t index) {
    for (size_t i = 0; i < 4; i++)
        w->state[SIP_LANES * i + w->count] = first[step * i];
    w->last[w->count] = last_word(j->messages[index], j->lengths[index]);
    w->index[w->count] = index;
    if (++w->count == 2 * j->code->lanes)
        end_waiting(j, w);
}

/* Gives lane i the next message that has whole words; returns 0 where none is left. */
static int begin(const job *j, lanes *l, size_t i, longest *queue, waiting *w) {
    while (longest_more(queue)) {
        size_t index = longest_next(queue);
        if (j->lengths[index] < 8) {
            wait(j, w, j->start, 1, index);
            continue;
        }
        for (size_t k = 0; k < 4; k++)
            l->state[SIP_LANES * k + i] = j->start[k];
        l->at[i] = j->messages[index];
        l->left[i] = j->lengths[index] / 8;
        l->index[i] = index;
        return 1;
    }
    return 0;
}

/* Goes on until a lane's words are done, and gives it another message. Returns the number of lanes
 * that became idle. */
static size_t go_on(const job *j, lanes *l, size_t used, size_t busy, longest *queue, waiting *w) {
    size_t steps = SIZE_MAX, shortest = 0, idle = 0;
    for (size_t i = 0; i < used; i++)
        if (l->left[i] - 1 < steps) { /* an idle lane's 0 becomes the largest there is */
            steps = l->left[i] - 1;
            shortest = i;
        }
    steps++;
    /* An idle lane does some other lane's work over again. */
    for (size_t i = 0; busy != used && i < used; i++)
        if (l->left[i] == 0)
            l->at[i] = l->at[shortest];
    j->code->words(l->state, used != j->code->lanes, l->at, steps, j->c);
    for (size_t i = 0; i < used; i++) {
        if (l->left[i] == 0)
            continue;
        l->at[i] += 8 * steps;
        l->left[i] -= steps;
        if (l->left[i] == 0) {
            wait(j, w, l->state + i, SIP_LANES, l->index[i]);
            idle += !begin(j, l, i, queue, w);
        }
    }
    return idle;
}

static void unequal(const job *j, size_t count) {
    longest queue = longest_of(j->lengths, count);
    lanes l = {.left = {0}};
    waiting w = {.count = 0};
    size_t used = count > j->code->lanes ? 2 * j->code->lanes : j->code->lanes, busy = 0;
    for (size_t i = 0; i < used; i++)
        busy += begin(j, &l, i, &queue, &w);
    while (busy > FEW)
        busy -= go_on(j, &l, used, busy, &queue, &w);
    end_waiting(j, &w);
    for (size_t i = 0; i < used; i++)
        if (l.left[i] != 0) {
            uint64_t state[4];
            for (size_t k = 0; k < 4; k++)
                state[k] = l.state[SIP_LANES * k + i];
            cupel_siphash_rest(j->tags + j->tag_length * l.index[i], j->tag_length == 16, j->c,
                               j->d, state, l.at[i], l.left[i],
                               last_word(j->messages[l.index[i]], j->lengths[l.index[i]]));
        }
    cupel_wipe(&l, sizeof l);
    cupel_wipe(&w, sizeof w);
}

static int same_lengths(const size_t *lengths, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (lengths[i] != lengths[0])
            return 0;
    return 1;
}

static void side_by_side(const siphash_many_code *code, uint8_t *tags, size_t tag_length,
                         unsigned c, unsigned d, const uint8_t *key, const void *const *messages,
                         const size_t *lengths, size_t count) {
    uint64_t k0 = load_le64(key), k1 = load_le64(key + 8);
    int wide = tag_length == 16;
    job j = {.code = code, .tag_length = tag_length, .c = c, .d = d};
    j.start[0] = k0 ^ SIP_V0;
    j.start[1] = k1 ^ SIP_V1 ^ (wide ? SIP_LONG_V1 : 0);
    j.start[2] = k0 ^ SIP_V2;
    j.start[3] = k1 ^ SIP_V3;
    size_t done = 0;
    while (count - done >= code->lanes && same_lengths(lengths + done, code->lanes)) {
        size_t both = 2 * code->lanes;
        int two = count - done >= both && same_lengths(lengths + done, both);
        code->row(tags + tag_length * done, two, wide, c, d, j.start,
                  (const uint8_t *const *)(messages + done), lengths[done]);
        done += two ? both : code->lanes;
    }
    j.tags = tags + tag_length * done;
    j.messages = messages + done;
    j.lengths = lengths + done;
    if (done != count)
        unequal(&j, count - done);
    cupel_wipe(&j, sizeof j);
}
#endif

const char *cupel_siphash_many_code(void) {
    if (cupel_cpu() & CUPEL_CPU_AVX512)
        return cupel_cpu_name(CUPEL_CPU_AVX512);
    return cupel_cpu() & CUPEL_CPU_AVX2 ? cupel_cpu_name(CUPEL_CPU_AVX2) : "portable";
}

int cupel_siphash_many(uint8_t *tags, size_t tag_length, unsigned c, unsigned d,
                       const uint8_t key[CUPEL_SIPHASH_KEY], const void *const *messages,
                       const size_t *lengths, size_t count) {
    if (c == 0 || d == 0 || (tag_length != 8 && tag_length != 16))
        return -1;
#ifdef CUPEL_X86
    unsigned cpu = cupel_cpu();
    if (cpu & (CUPEL_CPU_AVX2 | CUPEL_CPU_AVX512)) {
        side_by_side(cpu & CUPEL_CPU_AVX512 ? &cupel_siphash_avx512 : &cupel_siphash_avx2, tags,
                     tag_length, c, d, key, messages, lengths, count);
        return 0;
    }
#endif
    for (size_t i = 0; i < count; i++)
        cupel_siphash(tags + tag_length * i, tag_length, c, d, key, messages[i], lengths[i]);
    return 0;
}
