/* sha1_armsha.c: SHA-1 with Arm's SHA-1 instructions. sha1c, sha1p and sha1m compute four rounds
 * with Ch, Parity and Maj; sha1h rotates a into the e of four rounds later; sha1su0 and sha1su1
 * compute four words of the schedule. */
#include "sha1.h"

#include <arm_neon.h>

/* Four rounds with c, p or m, on words w; updates e and abcd. */
#define ROUNDS(kind, k, w)                                                                         \
    do {                                                                                           \
        uint32_t e_next = vsha1h_u32(vgetq_lane_u32(abcd, 0));                                     \
        abcd = vsha1##kind##q_u32(abcd, e, vaddq_u32(w, vdupq_n_u32(cupel_sha1_k[k])));            \
        e = e_next;                                                                                \
    } while (0)

/* x0 becomes the four words after x3. */
#define NEXT(x0, x1, x2, x3) (x0 = vsha1su1q_u32(vsha1su0q_u32(x0, x1, x2), x3))

static inline uint32x4_t load(const uint8_t *block, int group) {
    return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block + 16 * group)));
}

void cupel_sha1_armsha(uint32_t h[5], const uint8_t *blocks, size_t count, const uint8_t *tail,
                       size_t tail_count) {
    uint32x4_t abcd = vld1q_u32(h);
    uint32_t e = h[4];
    for (size_t i = 0; i < count + tail_count; i++) {
        const uint8_t *block = i < count ? blocks + 64 * i : tail + 64 * (i - count);
        uint32x4_t abcd_before = abcd;
        uint32_t e_before = e;
        uint32x4_t x0 = load(block, 0), x1 = load(block, 1);
        uint32x4_t x2 = load(block, 2), x3 = load(block, 3);
        ROUNDS(c, 0, x0);
        ROUNDS(c, 0, x1);
        ROUNDS(c, 0, x2);
        ROUNDS(c, 0, x3);
        NEXT(x0, x1, x2, x3);
        ROUNDS(c, 0, x0);
        NEXT(x1, x2, x3, x0);
        ROUNDS(p, 1, x1);
        NEXT(x2, x3, x0, x1);
        ROUNDS(p, 1, x2);
        NEXT(x3, x0, x1, x2);
        ROUNDS(p, 1, x3);
        NEXT(x0, x1, x2, x3);
        ROUNDS(p, 1, x0);
        NEXT(x1, x2, x3, x0);
        ROUNDS(p, 1, x1);
        NEXT(x2, x3, x0, x1);
        ROUNDS(m, 2, x2);
        NEXT(x3, x0, x1, x2);
        ROUNDS(m, 2, x3);
        NEXT(x0, x1, x2, x3);
        ROUNDS(m, 2, x0);
        NEXT(x1, x2, x3, x0);
        ROUNDS(m, 2, x1);
        NEXT(x2, x3, x0, x1);
        ROUNDS(m, 2, x2);
        NEXT(x3, x0, x1, x2);
        ROUNDS(p, 3, x3);
        NEXT(x0, x1, x2, x3);
        ROUNDS(p, 3, x0);
        NEXT(x1, x2, x3, x0);
        ROUNDS(p, 3, x1);
        NEXT(x2, x3, x0, x1);
        ROUNDS(p, 3, x2);
        NEXT(x3, x0, x1, x2);
        ROUNDS(p, 3, x3);
        abcd = vaddq_u32(abcd, abcd_before);
        e += e_before;
    }
    vst1q_u32(h, abcd);
    h[4] = e;
}
