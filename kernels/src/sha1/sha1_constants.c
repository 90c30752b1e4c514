/* sha1_constants.c: the constants of FIPS 180-4 for SHA-1. */
#include "sha1.h"

const uint32_t cupel_sha1_k[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

const uint32_t cupel_sha1_start[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
