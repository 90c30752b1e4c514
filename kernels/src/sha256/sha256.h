/* sha256.h: the constants and the kernels of SHA-256. */
#ifndef CUPEL_SHA256_H
#define CUPEL_SHA256_H

#include "sha.h"

/* FIPS 180-4, section 4.2.2. Aligned for the kernels that load four words at once. */
extern const uint32_t cupel_sha256_k[64];

/* The same plus the words of the block that pads a message of exactly one block. Aligned like
 * them. */
extern const uint32_t cupel_sha256_padding[64];

/* FIPS 180-4, section 5.3.3. */
extern const uint32_t cupel_sha256_start[8];

sha_kernel cupel_sha256_ref;      /* the standard, line by line; never dispatched to */
sha_kernel cupel_sha256_portable; /* C11 */
sha_kernel cupel_sha256_ssse3;    /* needs CUPEL_CPU_SSSE3 */
sha_kernel cupel_sha256_avx2;     /* needs CUPEL_CPU_AVX2 */
sha_kernel cupel_sha256_shani;    /* needs CUPEL_CPU_SHANI */
sha_kernel cupel_sha256_armsha;   /* needs CUPEL_CPU_ARM_SHA */

/* The digest of a message of exactly one block. Needs CUPEL_CPU_SHANI. */
void cupel_sha256_shani_block(uint8_t digest[CUPEL_SHA256_DIGEST],
                              const uint8_t message[SHA_BLOCK]);

/* Calls the kernel for this CPU. Every operation on one message uses it. */
void cupel_sha256_blocks(uint32_t h[8], const uint8_t *blocks, size_t count, const uint8_t *tail,
                         size_t tail_count);

/* sha_end for this hash. */
void cupel_sha256_end(uint32_t h[8], const uint8_t *end, size_t count, size_t rest, uint64_t length,
                      uint8_t digest[CUPEL_SHA256_DIGEST]);

#endif
