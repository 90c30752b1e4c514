/* siphash.h: the common parts of the files of SipHash: the initial state, and the last word of a
 * message. */
#ifndef CUPEL_SIPHASH_H
#define CUPEL_SIPHASH_H

#include "bytes.h"
#include "cupel.h"

/* "somepseudorandomlygeneratedbytes", big-endian: the paper's section 2.1. */
#define SIP_V0        0x736f6d6570736575u
#define SIP_V1        0x646f72616e646f6du
#define SIP_V2        0x6c7967656e657261u
#define SIP_V3        0x7465646279746573u

/* Longer outputs begin with another v1 and end with another mark, so that neither output is a
 * prefix of the other. */
#define SIP_LONG_V1   0xeeu
#define SIP_END       0xffu
#define SIP_LONG_END  0xeeu
#define SIP_LONG_END2 0xddu

/* The last word of a message: the lowest byte of its length on top of the 0 to 7 bytes after its
 * whole words. They are cut from the last 8 bytes if there are 8, in two shifts, because one by 64
 * is undefined. Reads only the message. */
static inline uint64_t sip_last_word(const uint8_t *message, size_t length) {
    uint64_t last = (uint64_t)length << 56;
    if (length >= 8)
        return load_le64(message + length - 8) >> 1 >> (63 - 8 * (length % 8)) | last;
    if (length >= 4) {
        /* two halves, which agree where they overlap */
        const uint8_t *at = message + length - 4;
        uint64_t low = (uint32_t)message[0] | (uint32_t)message[1] << 8 |
                       (uint32_t)message[2] << 16 | (uint32_t)message[3] << 24;
        uint64_t high =
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        return last | low | high << 8 * (length - 4);
    }
    if (length != 0)
        last |= (uint64_t)message[0] | (uint64_t)message[length / 2] << 8 * (length / 2) |
                (uint64_t)message[length - 1] << 8 * (length - 1);
    return last;
}

/* The distance in a state from one row of words to the next: the most lanes, in two rows. */
enum { SIP_LANES = 16 };

/* A kernel for many messages, one in each lane, with one or two rows of lanes. Word w of lane j's
 * state is state[SIP_LANES * w + j]. */
typedef struct siphash_many_code {
    size_t lanes; /* in one row */
    /* Computes the tags of one message in each lane, all of one length, from the initial state
     * start. */
    void (*row)(uint8_t *tags, int two, int wide, unsigned c, unsigned d, const uint64_t start[4],
                const uint8_t *const *at, size_t length);
    /* Absorbs counts[j] words from at[j] in lane j; counts must not increase from lane to lane.
     * Stops early, for all lanes at once, when no more than few lanes have words left. Writes the
     * states, changes at[j] of lanes that have ended, and returns the number of words that the
     * other lanes have absorbed. */
    size_t (*ragged)(uint64_t *state, int two, unsigned c, const uint64_t start[4],
                     const uint8_t **at, const uint64_t *counts, size_t few);
    /* Computes the tags of all lanes from the states before the last words: tags[j] is the first 8
     * bytes and, for wide tags, tags[SIP_LANES + j] the others. */
    void (*end)(uint64_t *tags, int two, int wide, unsigned c, unsigned d, const uint64_t *state,
                const uint64_t *last);
} siphash_many_code;

extern const siphash_many_code cupel_siphash_avx2, cupel_siphash_avx512;

/* Computes the tag of one message, given a state, the whole words that follow, and the last word.
 */
void cupel_siphash_rest(uint8_t *tag, int wide, unsigned c, unsigned d, const uint64_t state[4],
                        const uint8_t *at, size_t count, uint64_t last);

#endif
