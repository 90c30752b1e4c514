/* siphash_many.c: SipHash of many messages under one key: which message goes to which lane.
 * Messages of one length go in rows, which start and end together; of any lengths, each lane takes
 * the next message as it ends one. */
#include "cpu.h"
#include "siphash.h"

#ifdef CUPEL_X86
enum { MOST_LANES = 8 };

typedef struct lane {
    const uint8_t *at; /* the next word */
    size_t left;       /* words from there to the end of this part */
    int ending;        /* this part is the last word */
    int busy;
    size_t index, length;
    uint8_t last[8];
} lane;

typedef struct job {
    const siphash_many_code *code;
    uint8_t *tags;
    size_t tag_length;
    unsigned c, d;
    uint64_t start[4];
} job;

/* Goes on to the last word where the whole words are done. */
static void turn_to_last(lane *l) {
    if (l->left == 0) {
        l->at = l->last;
        l->left = 1;
        l->ending = 1;
    }
}

static void take(const job *j, uint64_t *state, size_t i, lane *l, size_t index,
                 const uint8_t *message, size_t length) {
    for (int w = 0; w < 4; w++)
        state[(size_t)w * j->code->lanes + i] = j->start[w];
    l->busy = 1;
    l->ending = 0;
    l->index = index;
    l->at = message;
    l->left = length / 8;
    store_le64(l->last,
               sip_last_word(length % 8 == 0 ? NULL : message + (length - length % 8), length));
    turn_to_last(l);
}

static void end_lane(const job *j, const uint64_t *state, size_t i, const lane *l) {
    uint64_t v[4];
    for (int w = 0; w < 4; w++)
        v[w] = state[(size_t)w * j->code->lanes + i];
    cupel_siphash_end(j->tags + j->tag_length * l->index, j->tag_length == 16, j->d, v);
}

static void unequal(const job *j, size_t first, const void *const *messages, const size_t *lengths,
                    size_t count) {
    _Alignas(64) uint64_t state[4 * MOST_LANES] = {0};
    lane lanes[MOST_LANES];
    size_t next = first, busy = 0;
    for (size_t i = 0; i < j->code->lanes; i++) {
        lanes[i].busy = 0;
        if (next < count) {
            take(j, state, i, &lanes[i], next, messages[next], lengths[next]);
            next++;
            busy++;
        }
    }
    while (busy != 0) {
        size_t steps = SIZE_MAX;
        const uint8_t *at[MOST_LANES], *any = NULL;
        for (size_t i = 0; i < j->code->lanes; i++)
            if (lanes[i].busy && lanes[i].left < steps) {
                steps = lanes[i].left;
                any = lanes[i].at;
            }
        /* An idle lane does some other lane's work over again. */
        for (size_t i = 0; i < j->code->lanes; i++)
            at[i] = lanes[i].busy ? lanes[i].at : any;
        j->code->words(state, at, steps, j->c);

        for (size_t i = 0; i < j->code->lanes; i++) {
            lane *l = &lanes[i];
            if (!l->busy)
                continue;
            l->at += 8 * steps;
            l->left -= steps;
            if (l->left == 0 && l->ending) {
                end_lane(j, state, i, l);
                l->busy = 0;
                if (next == count) {
                    busy--;
                    continue;
                }
                take(j, state, i, l, next, messages[next], lengths[next]);
                next++;
            }
            turn_to_last(l);
        }
    }
    cupel_wipe(state, sizeof state);
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
    job j = {code,
             tags,
             tag_length,
             c,
             d,
             {k0 ^ SIP_V0, k1 ^ SIP_V1 ^ (wide ? SIP_LONG_V1 : 0), k0 ^ SIP_V2, k1 ^ SIP_V3}};
    size_t done = 0;
    while (count - done >= code->lanes && same_lengths(lengths + done, code->lanes)) {
        code->row(tags + tag_length * done, wide, c, d, j.start,
                  (const uint8_t *const *)(messages + done), lengths[done]);
        done += code->lanes;
    }
    if (done != count)
        unequal(&j, done, messages, lengths, count);
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
