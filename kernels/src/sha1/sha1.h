/* sha1.h: the constants and the kernels of SHA-1. */
#ifndef CUPEL_SHA1_H
#define CUPEL_SHA1_H

#include "sha.h"

/* FIPS 180-4, section 4.2.1: one constant for each 20 rounds. */
extern const uint32_t cupel_sha1_k[4];

/* FIPS 180-4, section 5.3.1. */
extern const uint32_t cupel_sha1_start[5];

sha_kernel cupel_sha1_ref;      /* the standard, line by line; never dispatched to */
sha_kernel cupel_sha1_portable; /* C11 */
sha_kernel cupel_sha1_ssse3;    /* needs CUPEL_CPU_SSSE3 */
sha_kernel cupel_sha1_avx2;     /* needs CUPEL_CPU_AVX2 */
sha_kernel cupel_sha1_shani;    /* needs CUPEL_CPU_SHANI */
sha_kernel cupel_sha1_armsha;   /* needs CUPEL_CPU_ARM_SHA */

/* Calls the kernel for this CPU. Every operation on one message uses it. */
void cupel_sha1_blocks(uint32_t h[5], const uint8_t *blocks, size_t count, const uint8_t *tail,
                       size_t tail_count);

/* sha_end for this hash. */
void cupel_sha1_end(uint32_t h[5], const uint8_t *end, size_t count, size_t rest, uint64_t length,
                    uint8_t digest[CUPEL_SHA1_DIGEST]);

#endif
