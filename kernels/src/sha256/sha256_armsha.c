/* sha256_armsha.c: SHA-256 with Arm's SHA-2 instructions. sha256h and sha256h2 compute four rounds
 * on the state as abcd and efgh; sha256su0 and sha256su1 compute four words of the schedule. */
#include "sha256.h"

#include <arm_neon.h>

static inline void rounds(uint32x4_t *abcd, uint32x4_t *efgh, uint32x4_t w, int group) {
    uint32x4_t wk = vaddq_u32(w, vld1q_u32(cupel_sha256_k + 4 * group));
    uint32x4_t before = *abcd;
    *abcd = vsha256hq_u32(*abcd, *efgh, wk);
    *efgh = vsha256h2q_u32(*efgh, before, wk);
}

static inline uint32x4_t next(uint32x4_t x0, uint32x4_t x1, uint32x4_t x2, uint32x4_t x3) {
    return vsha256su1q_u32(vsha256su0q_u32(x0, x1), x2, x3);
}

static inline uint32x4_t load(const uint8_t *block, int group) {
    return vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block + 16 * group)));
}

void cupel_sha256_armsha(uint32_t h[8], const uint8_t *blocks, size_t count, const uint8_t *tail,
                         size_t tail_count) {
    uint32x4_t abcd = vld1q_u32(h), efgh = vld1q_u32(h + 4);
    for (size_t i = 0; i < count + tail_count; i++) {
        const uint8_t *block = i < count ? blocks + 64 * i : tail + 64 * (i - count);
        uint32x4_t abcd_before = abcd, efgh_before = efgh;
        uint32x4_t x0 = load(block, 0), x1 = load(block, 1);
        uint32x4_t x2 = load(block, 2), x3 = load(block, 3);
        rounds(&abcd, &efgh, x0, 0);
        rounds(&abcd, &efgh, x1, 1);
        rounds(&abcd, &efgh, x2, 2);
        rounds(&abcd, &efgh, x3, 3);
        for (int group = 4; group < 16; group += 4) {
            x0 = next(x0, x1, x2, x3);
            rounds(&abcd, &efgh, x0, group);
            x1 = next(x1, x2, x3, x0);
            rounds(&abcd, &efgh, x1, group + 1);
            x2 = next(x2, x3, x0, x1);
            rounds(&abcd, &efgh, x2, group + 2);
            x3 = next(x3, x0, x1, x2);
            rounds(&abcd, &efgh, x3, group + 3);
        }
        abcd = vaddq_u32(abcd, abcd_before);
        efgh = vaddq_u32(efgh, efgh_before);
    }
    vst1q_u32(h, abcd);
    vst1q_u32(h + 4, efgh);
}
