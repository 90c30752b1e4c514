/* cupel.h: SHA-1, SHA-256, HMAC-SHA-256 and SipHash, one message or many at a time.
 *
 * Every operation picks the fastest code for this CPU at its first call. Nothing is allocated. No
 * branch, address or division depends on a key or a message; lengths are public. States may be
 * copied by assignment, to go on twice from one prefix.
 *
 * Threads: every function may be called by any number of threads, as long as two of them do not use
 * one state or one output. cupel_cpu_limit alone is for start-up and tests.
 *
 * Pointers: a message may be NULL where its length is 0. Outputs must not overlap inputs.
 */
#ifndef CUPEL_H
#define CUPEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUPEL_VERSION       "0.1.0"

/* ---- SHA-256: FIPS 180-4, sections 5.1.1, 5.3.3 and 6.2 ---- */

#define CUPEL_SHA256_DIGEST 32 /* bytes */
#define CUPEL_SHA256_BLOCK  64 /* bytes */

/* A message under way. The fields are the library's own. */
typedef struct cupel_sha256_state {
    uint32_t h[8];
    uint64_t length; /* bytes taken so far; the last length % 64 of them are in block */
    uint8_t block[CUPEL_SHA256_BLOCK];
} cupel_sha256_state;

/* Digest of a whole message. */
void cupel_sha256(uint8_t digest[CUPEL_SHA256_DIGEST], const void *message, size_t length);

/* The same in pieces: begin, then any number of updates, then finish, which ends and clears the
 * state. A message is shorter than 2^61 bytes, the standard's limit. */
void cupel_sha256_begin(cupel_sha256_state *state);
void cupel_sha256_update(cupel_sha256_state *state, const void *piece, size_t length);
void cupel_sha256_finish(cupel_sha256_state *state, uint8_t digest[CUPEL_SHA256_DIGEST]);

/* Digests of count messages, of any lengths, computed side by side: digests[i] is that of the
 * lengths[i] bytes at messages[i]. */
void cupel_sha256_many(uint8_t (*digests)[CUPEL_SHA256_DIGEST], const void *const *messages,
                       const size_t *lengths, size_t count);

/* ---- SHA-1: FIPS 180-4, sections 5.1.1, 5.3.1 and 6.1. For formats that are bound to it:
 * collisions can be made. ---- */

#define CUPEL_SHA1_DIGEST 20 /* bytes */
#define CUPEL_SHA1_BLOCK  64 /* bytes */

typedef struct cupel_sha1_state {
    uint32_t h[5];
    uint64_t length;
    uint8_t block[CUPEL_SHA1_BLOCK];
} cupel_sha1_state;

/* As the functions for SHA-256 of the same names. */
void cupel_sha1(uint8_t digest[CUPEL_SHA1_DIGEST], const void *message, size_t length);
void cupel_sha1_begin(cupel_sha1_state *state);
void cupel_sha1_update(cupel_sha1_state *state, const void *piece, size_t length);
void cupel_sha1_finish(cupel_sha1_state *state, uint8_t digest[CUPEL_SHA1_DIGEST]);
void cupel_sha1_many(uint8_t (*digests)[CUPEL_SHA1_DIGEST], const void *const *messages,
                     const size_t *lengths, size_t count);

/* ---- HMAC-SHA-256: RFC 2104, FIPS 198-1 ---- */

#define CUPEL_HMAC_SHA256_TAG 32 /* bytes */

/* A key made ready: the chaining values after the inner and the outer key block. As secret as the
 * key; clear it with cupel_wipe. */
typedef struct cupel_hmac_sha256_key {
    uint32_t inner[8];
    uint32_t outer[8];
} cupel_hmac_sha256_key;

typedef struct cupel_hmac_sha256_state {
    cupel_sha256_state inner;
    uint32_t outer[8];
} cupel_hmac_sha256_state;

/* Makes a key of any length ready. */
void cupel_hmac_sha256_prepare(cupel_hmac_sha256_key *prepared, const void *key, size_t key_length);

/* Tag of a whole message. */
void cupel_hmac_sha256(uint8_t tag[CUPEL_HMAC_SHA256_TAG], const cupel_hmac_sha256_key *key,
                       const void *message, size_t length);

/* The same in pieces; finish ends and clears the state. */
void cupel_hmac_sha256_begin(cupel_hmac_sha256_state *state, const cupel_hmac_sha256_key *key);
void cupel_hmac_sha256_update(cupel_hmac_sha256_state *state, const void *piece, size_t length);
void cupel_hmac_sha256_finish(cupel_hmac_sha256_state *state, uint8_t tag[CUPEL_HMAC_SHA256_TAG]);

/* 1 where the tag is that of the message, else 0; compared in constant time. */
int cupel_hmac_sha256_verify(const uint8_t tag[CUPEL_HMAC_SHA256_TAG],
                             const cupel_hmac_sha256_key *key, const void *message, size_t length);

/* ---- SipHash-c-d: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012); the 128-bit
 * output as in their reference code. c rounds a word of 8 bytes, d rounds at the end; 2-4 is the
 * one that the paper proposes, 1-3 the one that hash tables use. ---- */

#define CUPEL_SIPHASH_KEY 16 /* bytes */

/* Tags of a whole message: 8 and 16 bytes. */
void cupel_siphash_2_4(uint8_t tag[8], const uint8_t key[CUPEL_SIPHASH_KEY], const void *message,
                       size_t length);
void cupel_siphash_1_3(uint8_t tag[8], const uint8_t key[CUPEL_SIPHASH_KEY], const void *message,
                       size_t length);
void cupel_siphash_2_4_128(uint8_t tag[16], const uint8_t key[CUPEL_SIPHASH_KEY],
                           const void *message, size_t length);
void cupel_siphash_1_3_128(uint8_t tag[16], const uint8_t key[CUPEL_SIPHASH_KEY],
                           const void *message, size_t length);

/* The same with any numbers of rounds, c and d at least 1, and tag_length 8 or 16. Returns 0, or -1
 * and leaves the tag alone where an argument is none of these. */
int cupel_siphash(uint8_t *tag, size_t tag_length, unsigned c, unsigned d,
                  const uint8_t key[CUPEL_SIPHASH_KEY], const void *message, size_t length);

/* Tags of count messages of any lengths under one key, computed side by side. tags holds count tags
 * of tag_length bytes, one behind the other. Arguments and result as those of cupel_siphash. */
int cupel_siphash_many(uint8_t *tags, size_t tag_length, unsigned c, unsigned d,
                       const uint8_t key[CUPEL_SIPHASH_KEY], const void *const *messages,
                       const size_t *lengths, size_t count);

/* ---- Secrets ---- */

/* Overwrites memory with zeros, also where the compiler can tell that nobody reads it again. */
void cupel_wipe(void *secret, size_t length);

/* 1 where the bytes are the same, else 0; the time depends on the length alone. */
int cupel_equal(const void *a, const void *b, size_t length);

/* ---- The CPU, and the code that was picked ---- */

/* Features that code is picked by. A feature counts where the CPU has all that its line names and
 * the operating system keeps the registers. */
enum {
    CUPEL_CPU_SSSE3 = 1 << 0,  /* x86: SSSE3 */
    CUPEL_CPU_AVX2 = 1 << 1,   /* x86: AVX2, BMI1, BMI2 */
    CUPEL_CPU_AVX512 = 1 << 2, /* x86: AVX-512 F, BW, VL, and those of CUPEL_CPU_AVX2 */
    CUPEL_CPU_SHANI = 1 << 3,  /* x86: SHA, SSE4.1, SSSE3 */
    CUPEL_CPU_ARM_SHA = 1 << 4 /* Arm: the SHA-1 and SHA-256 instructions, and NEON */
};

/* Features of this machine that this build has code for. */
unsigned cupel_cpu_found(void);

/* Those in use: the ones found, less what the environment or cupel_cpu_limit takes away. */
unsigned cupel_cpu_used(void);

/* Uses none but these of the features found, and returns those now in use. ~0u lifts the limit,
 * that of the environment too. The environment's is the variable CUPEL_CPU, read at the first call
 * of any operation: the names that may be used, such as "ssse3,avx2", or "none". */
unsigned cupel_cpu_limit(unsigned features);

/* Name of a single feature as in CUPEL_CPU, or NULL. */
const char *cupel_cpu_name(unsigned feature);

/* The code that an operation takes now: "portable", "ssse3", "avx2", "avx512", "shani", "armsha".
 * Static strings. */
const char *cupel_sha256_code(void);
const char *cupel_sha256_many_code(void);
const char *cupel_sha1_code(void);
const char *cupel_sha1_many_code(void);
const char *cupel_siphash_many_code(void);

#ifdef __cplusplus
}
#endif

#endif
