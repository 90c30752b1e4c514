/* siphash_many.c: SipHash of many messages with one key: assigns messages to lanes. Messages of one
 * length are computed in rows that start and end together. Messages of different lengths are sorted
 * by length, so that the messages of a group end at about the same time. */
#include "cpu.h"
#include "longest.h"
#include "siphash.h"

#ifdef CUPEL_X86
enum {
    /* If this many lanes or fewer are busy, the rest is computed one message after the other: a
     * word of all lanes costs about as much as one word of each of these messages. */
    FEW = 3,
    FEW_OF_A_ROW = 2
};

typedef struct job {
    const siphash_many_code *code;
    uint8_t *tags;
    size_t tag_length;
    unsigned c, d;
    uint64_t start[4];
    const void *const *messages;
    const size_t *lengths;
} job;

/* The messages of one group, and the secrets that they leave. */
typedef struct group {
    _Alignas(64) uint64_t state[4 * SIP_LANES];
    _Alignas(64) uint64_t last[SIP_LANES];
    _Alignas(64) uint64_t tags[2 * SIP_LANES];
    _Alignas(64) uint64_t counts[SIP_LANES]; /* whole words */
    const uint8_t *at[SIP_LANES];
    size_t index[SIP_LANES];
} group;

/* Messages of nearly one length, the longest first: they start together and end one by one. */
static void one_group(const job *j, group *g, longest *queue, size_t count) {
    size_t used = count > j->code->lanes ? 2 * j->code->lanes : j->code->lanes;
    for (size_t n = 0; n < count; n++) {
        size_t index = longest_next(queue), words = j->lengths[index] / 8, i = n;
        for (; i != 0 && g->counts[i - 1] < words; i--) {
            g->counts[i] = g->counts[i - 1];
            g->index[i] = g->index[i - 1];
        }
        g->counts[i] = words;
        g->index[i] = index;
    }
    for (size_t i = 0; i < used; i++) {
        if (i >= count) {
            g->counts[i] = 0;
            g->last[i] = 0;
            continue;
        }
        g->at[i] = j->messages[g->index[i]];
        g->last[i] = sip_last_word(g->at[i], j->lengths[g->index[i]]);
    }
    int two = used != j->code->lanes, wide = j->tag_length == 16;
    size_t done =
        j->code->ragged(g->state, two, j->c, j->start, g->at, g->counts, two ? FEW : FEW_OF_A_ROW);
    j->code->end(g->tags, two, wide, j->c, j->d, g->state, g->last);
    for (size_t i = 0; i < count; i++) {
        uint8_t *tag = j->tags + j->tag_length * g->index[i];
        if (g->counts[i] > done) {
            uint64_t state[4];
            for (size_t w = 0; w < 4; w++)
                state[w] = g->state[SIP_LANES * w + i];
            cupel_siphash_rest(tag, wide, j->c, j->d, state, g->at[i] + 8 * done,
                               g->counts[i] - done, g->last[i]);
            cupel_wipe(state, sizeof state);
            continue;
        }
        store_le64(tag, g->tags[i]);
        if (wide)
            store_le64(tag + 8, g->tags[SIP_LANES + i]);
    }
}

static void unequal(const job *j, size_t count) {
    longest queue = longest_of(j->lengths, count);
    group g;
    while (count != 0) {
        size_t both = 2 * j->code->lanes, some = count < both ? count : both;
        one_group(j, &g, &queue, some);
        count -= some;
    }
    cupel_wipe(&g, sizeof g);
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

/* The code paths, the fastest first: a feature, and the end of the code's name. */
#ifdef CUPEL_X86
#define PATHS(DO) DO(AVX512, avx512) DO(AVX2, avx2)
#else
#define PATHS(DO)
#endif

const char *cupel_siphash_many_code(void) {
    unsigned cpu = cupel_cpu();
    (void)cpu;
#define NAME_WHERE(FEATURE, isa)                                                                   \
    if (cpu & CUPEL_CPU_##FEATURE)                                                                 \
        return cupel_cpu_name(CUPEL_CPU_##FEATURE);
    PATHS(NAME_WHERE)
    return "portable";
}

#ifdef CUPEL_X86
/* The code for many messages, or NULL: one message after the other. */
static const siphash_many_code *choose(void) {
    unsigned cpu = cupel_cpu();
#define CODE_WHERE(FEATURE, isa)                                                                   \
    if (cpu & CUPEL_CPU_##FEATURE)                                                                 \
        return &cupel_siphash_##isa;
    PATHS(CODE_WHERE)
    return NULL;
}
#endif

int cupel_siphash_many(uint8_t *tags, size_t tag_length, unsigned c, unsigned d,
                       const uint8_t key[CUPEL_SIPHASH_KEY], const void *const *messages,
                       const size_t *lengths, size_t count) {
    if (c == 0 || d == 0 || (tag_length != 8 && tag_length != 16))
        return -1;
#ifdef CUPEL_X86
    const siphash_many_code *code = choose();
    if (code != NULL) {
        side_by_side(code, tags, tag_length, c, d, key, messages, lengths, count);
        return 0;
    }
#endif
    for (size_t i = 0; i < count; i++)
        cupel_siphash(tags + tag_length * i, tag_length, c, d, key, messages[i], lengths[i]);
    return 0;
}
