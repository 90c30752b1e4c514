/* sha256_many_avx512.c: SHA-256 of 16 messages side by side with AVX-512. */
#include "lanes_avx512.h"

#include "sha256_lanes.h"
