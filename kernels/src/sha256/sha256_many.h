/* sha256_many.h: the kernels for many messages. */
#ifndef CUPEL_SHA256_MANY_H
#define CUPEL_SHA256_MANY_H

#include "many.h"
#include "sha256.h"

many_blocks cupel_sha256_lanes_avx2, cupel_sha256_lanes_avx512, cupel_sha256_lanes_shani;
many_same_block cupel_sha256_same_avx2, cupel_sha256_same_avx512;

/* Writes the digests of count messages that begin as from says. Returns 0, and writes nothing, if
 * this CPU has no code for many messages. */
int cupel_sha256_many_from(uint8_t *digests, const many_start *from, const void *const *messages,
                           const size_t *lengths, size_t count);

#endif
