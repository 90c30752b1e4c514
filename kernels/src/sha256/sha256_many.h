/* sha256_many.h: the kernels for many messages. */
#ifndef CUPEL_SHA256_MANY_H
#define CUPEL_SHA256_MANY_H

#include "many.h"
#include "sha256.h"

many_blocks cupel_sha256_lanes_avx2, cupel_sha256_lanes_avx512, cupel_sha256_lanes_shani;
many_same_block cupel_sha256_same_avx2, cupel_sha256_same_avx512;

#endif
