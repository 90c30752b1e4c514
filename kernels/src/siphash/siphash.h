/* siphash.h: what the files of SipHash share: the start of a state, and the last word of a message.
 */
#ifndef CUPEL_SIPHASH_H
#define CUPEL_SIPHASH_H

#include "bytes.h"
#include "cupel.h"

/* "somepseudorandomlygeneratedbytes", big-endian: the paper's section 2.1. */
#define SIP_V0        0x736f6d6570736575u
#define SIP_V1        0x646f72616e646f6du
#define SIP_V2        0x6c7967656e657261u
#define SIP_V3        0x7465646279746573u

/* Longer outputs begin from another v1 and end with another mark, so that neither output is a part
 * of the other. */
#define SIP_LONG_V1   0xeeu
#define SIP_END       0xffu
#define SIP_LONG_END  0xeeu
#define SIP_LONG_END2 0xddu

/* The last word: the length's lowest byte on top of the 0 to 7 bytes behind the whole words. Reads
 * those bytes alone. */
static inline uint64_t sip_last_word(const uint8_t *end, size_t length) {
    uint64_t last = (uint64_t)length << 56;
    size_t rest = length % 8;
    if (rest >= 4) {
        /* two halves, which overlap and agree where they do */
        uint64_t low = (uint32_t)end[0] | (uint32_t)end[1] << 8 | (uint32_t)end[2] << 16 |
                       (uint32_t)end[3] << 24;
        const uint8_t *at = end + rest - 4;
        uint64_t high =
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        last |= low | high << 8 * (rest - 4);
    } else if (rest != 0) {
        last |= (uint64_t)end[0] | (uint64_t)end[rest / 2] << 8 * (rest / 2) |
                (uint64_t)end[rest - 1] << 8 * (rest - 1);
    }
    return last;
}

/* Words from one row of a state to the next: the most lanes that there are, in two rows. */
enum { SIP_LANES = 16 };

/* A kernel for many messages, one a lane, in one row of lanes or, with two, in two rows. Word w of
 * lane j's state is state[SIP_LANES * w + j]. */
typedef struct siphash_many_code {
    size_t lanes; /* of a row */
    /* The tags of one message a lane, all of one length; start is the state before the message. */
    void (*row)(uint8_t *tags, int two, int wide, unsigned c, unsigned d, const uint64_t start[4],
                const uint8_t *const *at, size_t length);
    /* Takes lane j through counts[j] words from at[j], where no lane has more words than the one
     * before it. Stops early, and for all at once, when no more than few lanes have words left.
     * Writes the states, points lanes that ended elsewhere, and returns how many words the others
     * have been taken through. */
    size_t (*ragged)(uint64_t *state, int two, unsigned c, const uint64_t start[4],
                     const uint8_t **at, const uint64_t *counts, size_t few);
    /* The tags of every lane, from the state before its last word: tags[j] the first 8 bytes and,
     * where they are wide, tags[SIP_LANES + j] the others. */
    void (*end)(uint64_t *tags, int two, int wide, unsigned c, unsigned d, const uint64_t *state,
                const uint64_t *last);
} siphash_many_code;

extern const siphash_many_code cupel_siphash_avx2, cupel_siphash_avx512;

/* The tag of one message, from a state in its midst, the whole words from there and the last. */
void cupel_siphash_rest(uint8_t *tag, int wide, unsigned c, unsigned d, const uint64_t state[4],
                        const uint8_t *at, size_t count, uint64_t last);

#endif
