/* sha1_many_avx2.c: SHA-1 of 8 messages side by side with AVX2. */
#include "lanes_avx2.h"

#include "sha1_lanes.h"
