/* sha1_many.h: the kernels for many messages. */
#ifndef CUPEL_SHA1_MANY_H
#define CUPEL_SHA1_MANY_H

#include "many.h"
#include "sha1.h"

many_blocks cupel_sha1_lanes_avx2, cupel_sha1_lanes_avx512, cupel_sha1_lanes_shani;
many_same_block cupel_sha1_same_avx2, cupel_sha1_same_avx512;

#endif
