/* sha.h: the common code of SHA-1 and SHA-256: the type of a kernel, dispatch, padding and
 * streaming. sha1.c and sha256.c call these functions, which are inlined, with their own kernel and
 * number of words as constants. */
#ifndef CUPEL_SHA_H
#define CUPEL_SHA_H

#include "bytes.h"
#include "cpu.h"
#include "cupel.h"

enum { SHA_BLOCK = 64 };

/* Updates h with count blocks at blocks and then tail_count blocks at tail. There are two ranges
 * because the end of a message is elsewhere, in a padded copy, and a kernel that works on two
 * blocks at once pairs the last block of the one with the first of the other. A range without
 * blocks may be NULL. */
typedef void sha_kernel(uint32_t *h, const uint8_t *blocks, size_t count, const uint8_t *tail,
                        size_t tail_count);

/* The code paths in addition to the portable one, the fastest first (measured:
 * kernels/NOTES.md): a feature, and the end of the names of the kernels that
 * need it. A macro that is applied to each row and not an array, so that dispatch is a test and a
 * jump to the kernel. */
#if defined CUPEL_X86
#define SHA_PATHS(DO, hash) DO(hash, SHANI, shani) DO(hash, AVX2, avx2) DO(hash, SSSE3, ssse3)
#elif defined CUPEL_ARM
#define SHA_PATHS(DO, hash) DO(hash, ARM_SHA, armsha)
#else
#define SHA_PATHS(DO, hash)
#endif

/* The body of cupel_sha1_blocks and cupel_sha256_blocks. Its names are the names of their
 * parameters.
 */
#define SHA_DISPATCH(hash)                                                                         \
    do {                                                                                           \
        unsigned cpu = cupel_cpu();                                                                \
        (void)cpu;                                                                                 \
        SHA_PATHS(SHA_RUN_WHERE, hash)                                                             \
        cupel_##hash##_portable(h, blocks, count, tail, tail_count);                               \
    } while (0)
#define SHA_RUN_WHERE(hash, FEATURE, isa)                                                          \
    if (cpu & CUPEL_CPU_##FEATURE)                                                                 \
        cupel_##hash##_##isa(h, blocks, count, tail, tail_count);                                  \
    else

/* The name of the code path that these select. */
static inline const char *sha_code(void) {
    unsigned cpu = cupel_cpu();
    (void)cpu;
#define SHA_NAME_WHERE(hash, FEATURE, isa)                                                         \
    if (cpu & CUPEL_CPU_##FEATURE)                                                                 \
        return cupel_cpu_name(CUPEL_CPU_##FEATURE);
    SHA_PATHS(SHA_NAME_WHERE, )
    return "portable";
}

/* Zeros the padded copy of a message's end. Volatile, so that the zeros are written even if they
 * are never read. Written out, because gcc at -O2 turns a memset of this length into `rep stos`,
 * which starts slowly, and a memset of unknown length into a call. */
static inline void sha_clear(uint8_t tail[2 * SHA_BLOCK]) {
    typedef uint64_t piece __attribute__((vector_size(16), aligned(1), may_alias));
    volatile piece *at = (volatile piece *)tail;
    const piece zero = {0, 0};
    at[0] = zero;
    at[1] = zero;
    at[2] = zero;
    at[3] = zero;
    at[4] = zero;
    at[5] = zero;
    at[6] = zero;
    at[7] = zero;
}

/* Pads the last rest bytes, at end, of a message of length bytes; returns the number of blocks. */
INLINED size_t sha_pad(uint8_t tail[2 * SHA_BLOCK], const uint8_t *end, size_t rest,
                       uint64_t length) {
    size_t count = rest < SHA_BLOCK - 8 ? 1 : 2;
    sha_clear(tail);
    if (rest != 0)
        memcpy(tail, end, rest);
    tail[rest] = 0x80;
    store_be64(tail + count * SHA_BLOCK - 8, length * 8);
    return count;
}

/* Ends a message of length bytes. h already includes its first blocks. At end there are count whole
 * blocks and then the last rest bytes. Writes the digest. */
INLINED void sha_end(sha_kernel *kernel, size_t words, uint32_t *h, const uint8_t *end,
                     size_t count, size_t rest, uint64_t length, uint8_t *digest) {
    uint8_t tail[2 * SHA_BLOCK];
    size_t tail_count = sha_pad(tail, rest == 0 ? NULL : end + count * SHA_BLOCK, rest, length);
    kernel(h, end, count, tail, tail_count);
    for (size_t i = 0; i < words; i++)
        store_be32(digest + 4 * i, h[i]);
    sha_clear(tail); /* it may contain the end of a key */
}

/* Adds to a message of which *total bytes were added so far. The last of them, if they do not fill
 * a block, are in block. */
INLINED void sha_update(sha_kernel *kernel, uint32_t *h, uint64_t *total, uint8_t block[SHA_BLOCK],
                        const void *piece, size_t length) {
    if (length == 0)
        return;
    const uint8_t *at = piece;
    size_t held = *total % SHA_BLOCK;
    *total += length;
    if (length < SHA_BLOCK - held) {
        memcpy(block + held, at, length);
        return;
    }
    size_t held_count = 0;
    if (held != 0) {
        memcpy(block + held, at, SHA_BLOCK - held);
        at += SHA_BLOCK - held;
        length -= SHA_BLOCK - held;
        held_count = 1;
    }
    kernel(h, block, held_count, at, length / SHA_BLOCK);
    if (length % SHA_BLOCK != 0)
        memcpy(block, at + length / SHA_BLOCK * SHA_BLOCK, length % SHA_BLOCK);
}

#endif
