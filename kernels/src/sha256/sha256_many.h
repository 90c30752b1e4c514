/* sha256_many.h: the kernels for many messages, as many.h has them: 8 lanes with AVX2, 16 with
 * AVX-512. */
#ifndef CUPEL_SHA256_MANY_H
#define CUPEL_SHA256_MANY_H

#include "many.h"
#include "sha256.h"

void cupel_sha256_lanes_avx2(uint32_t *state, const uint8_t *const *at, size_t count);
void cupel_sha256_same_avx2(uint32_t *state, const uint32_t *wk);
void cupel_sha256_lanes_avx512(uint32_t *state, const uint8_t *const *at, size_t count);
void cupel_sha256_same_avx512(uint32_t *state, const uint32_t *wk);

#endif
