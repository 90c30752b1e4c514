/* sha256_many_shani.c: SHA-256 of up to four messages side by side with the SHA extensions. One
 * message waits for the latency of sha256rnds2, so the others fill that time. There are two
 * variants: one with the fewest instructions, and one for cores on which all of rounds and schedule
 * but one operation would wait for the port of sha256rnds2. kernels/NOTES.md has their limits. */
#include "cpu.h"
#include "sha256_many.h"
#include "turns.h"

#include <immintrin.h>

enum { WORDS = 8 };

INLINED __m128i load(const uint8_t *at) {
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)at), swap);
}

/* The four words in the middle of x2 and x3. Where shuffles share the port of the rounds, they are
 * taken by two instructions that other ports have, too, and not by one that it alone has. The empty
 * asm keeps clang from making that one of them. */
INLINED __m128i middle_of(__m128i x2, __m128i x3, int shared_port) {
    if (!shared_port)
        return _mm_alignr_epi8(x3, x2, 4);
    __m128i mixed = _mm_blend_epi16(x2, x3, 3);
    __asm__("" : "+x"(mixed));
    return _mm_shuffle_epi32(mixed, 0x39);
}

/* The next four words of a message's schedule. */
INLINED __m128i next(const __m128i x[4], int group, int shared_port) {
    __m128i x0 = x[group % 4], x1 = x[(group + 1) % 4], x2 = x[(group + 2) % 4];
    __m128i x3 = x[(group + 3) % 4];
    __m128i middle = middle_of(x2, x3, shared_port);
    return _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(x0, x1), middle), x3);
}

/* Four rounds. The last two can take their words from memory, where no shuffle is needed. */
INLINED void rounds(__m128i *abef, __m128i *cdgh, __m128i wk, int shared_port) {
    __m128i halves = wk;
    if (shared_port)
        IN_MEMORY(halves);
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, wk);
    __m128i high = shared_port ? _mm_loadl_epi64((const __m128i *)((const uint8_t *)&halves + 8))
                               : _mm_shuffle_epi32(wk, 0x0e);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, high);
}

/* Whether the schedule of a message is kept in memory: a state that is not in a register would wait
 * for it in every round. */
INLINED int in_memory(int row, int rows, int shared_port) {
    return shared_port ? rows > 2 : rows > 3 && row >= 2;
}

INLINED void blocks_of(uint32_t *state, const uint8_t *const *at, size_t count, int rows,
                       int shared_port) {
    __m128i abef[MOST], cdgh[MOST];
    /* From a b c d, e f g h to the instructions' order, in which the first word is the highest. */
    UNROLLED for (int r = 0; r < rows; r++) {
        const __m128i *h = (const __m128i *)(state + WORDS * r);
        __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128(h), 0xb1);
        __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(h + 1), 0x1b);
        abef[r] = _mm_alignr_epi8(abcd, efgh, 8);
        cdgh[r] = _mm_blend_epi16(efgh, abcd, 0xf0);
    }
    for (size_t b = 0; b < count; b++) {
        __m128i abef_before[MOST], cdgh_before[MOST], x[MOST][4];
        UNROLLED for (int r = 0; r < rows; r++) {
            abef_before[r] = abef[r];
            cdgh_before[r] = cdgh[r];
        }
        UNROLLED for (int group = 0; group < 16; group++) {
            const __m128i k = _mm_load_si128((const __m128i *)(cupel_sha256_k + 4 * group));
            UNROLLED for (int r = 0; r < rows; r++) {
                __m128i words = group < 4 ? load(at[r] + 64 * b + 16 * (size_t)group)
                                          : next(x[r], group, shared_port);
                __m128i *kept = &x[r][group % 4];
                *kept = words;
                if (in_memory(r, rows, shared_port))
                    IN_MEMORY(*kept);
                rounds(&abef[r], &cdgh[r], _mm_add_epi32(words, k), shared_port);
            }
        }
        UNROLLED for (int r = 0; r < rows; r++) {
            abef[r] = _mm_add_epi32(abef[r], abef_before[r]);
            cdgh[r] = _mm_add_epi32(cdgh[r], cdgh_before[r]);
        }
    }
    UNROLLED for (int r = 0; r < rows; r++) {
        __m128i *h = (__m128i *)(state + WORDS * r);
        __m128i feba = _mm_shuffle_epi32(abef[r], 0x1b);
        __m128i dchg = _mm_shuffle_epi32(cdgh[r], 0xb1);
        _mm_storeu_si128(h, _mm_blend_epi16(feba, dchg, 0xf0));
        _mm_storeu_si128(h + 1, _mm_alignr_epi8(dchg, feba, 8));
    }
}

INLINED void fewest(uint32_t *state, const uint8_t *const *at, size_t count, int rows) {
    blocks_of(state, at, count, rows, 0);
}

INLINED void for_shared_port(uint32_t *state, const uint8_t *const *at, size_t count, int rows) {
    blocks_of(state, at, count, rows, 1);
}

TURNS(turns, fewest)
TURNS(turns_of_shared_port, for_shared_port)

void cupel_sha256_lanes_shani(uint32_t *state, const uint8_t *const *at, size_t count,
                              size_t rows) {
    if (cupel_cpu() & CUPEL_CPU_SHARED_PORT)
        turns_of_shared_port[rows - 1](state, at, count);
    else
        turns[rows - 1](state, at, count);
}
