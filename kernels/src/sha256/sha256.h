/* sha256.h: what the files of SHA-256 share: the constants, and what a kernel is. */
#ifndef CUPEL_SHA256_H
#define CUPEL_SHA256_H

#include "bytes.h"
#include "cupel.h"

/* FIPS 180-4, section 4.2.2. Aligned for the kernels that load four words at once. */
extern const uint32_t cupel_sha256_k[64];

/* FIPS 180-4, section 5.3.3. */
extern const uint32_t cupel_sha256_start[8];

/* Takes h through count blocks at blocks and then tail_count blocks at tail. Two places, because
 * the end of a message lies elsewhere, in a padded copy, and a kernel that works on two blocks at
 * once wants the last block of the one beside the first of the other. A place without blocks may be
 * NULL. */
typedef void cupel_sha256_kernel(uint32_t h[8], const uint8_t *blocks, size_t count,
                                 const uint8_t *tail, size_t tail_count);

cupel_sha256_kernel cupel_sha256_ref;      /* the standard, line by line; never dispatched to */
cupel_sha256_kernel cupel_sha256_portable; /* C11 */
cupel_sha256_kernel cupel_sha256_ssse3;    /* needs CUPEL_CPU_SSSE3 */
cupel_sha256_kernel cupel_sha256_avx2;     /* needs CUPEL_CPU_AVX2 */
cupel_sha256_kernel cupel_sha256_shani;    /* needs CUPEL_CPU_SHANI */
cupel_sha256_kernel cupel_sha256_armsha;   /* needs CUPEL_CPU_ARM_SHA */

/* The kernel for this CPU: what every operation on one message goes through. */
void cupel_sha256_blocks(uint32_t h[8], const uint8_t *blocks, size_t count, const uint8_t *tail,
                         size_t tail_count);

/* Ends a message: h has taken all its blocks but the last rest bytes, at end, of length bytes in
 * all. count whole blocks at end come before those rest bytes. Writes the digest. */
void cupel_sha256_end(uint32_t h[8], const uint8_t *end, size_t count, size_t rest, uint64_t length,
                      uint8_t digest[CUPEL_SHA256_DIGEST]);

#endif
