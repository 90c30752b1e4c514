/* sha256_many_avx2.c: SHA-256 of 8 messages side by side with AVX2. */
#include "lanes_avx2.h"

#include "sha256_lanes.h"
