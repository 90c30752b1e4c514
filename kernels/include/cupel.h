/* cupel.h: SHA-1, SHA-256, HMAC-SHA-256 and SipHash, one message or many at a time.
 *
 * The first call of an operation selects the fastest code for this CPU. Nothing is allocated,
 * except by the C library while it reads a plan's file. No branch, address or division depends on
 * a key or a message; lengths are public. A state may be copied by assignment, for example to
 * continue twice from one prefix.
 *
 * Units: all lengths are in bytes.
 *
 * Errors: functions without a return value cannot fail.
 *
 * Threads: any number of threads may call any function, as long as no two of them use the same
 * state or output at the same time. The exception is cupel_cpu_limit, which is for start-up and
 * tests.
 *
 * Pointers: a message may be NULL if its length is 0. Outputs must not overlap inputs.
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

/* A message in progress. The fields are private to the library. */
typedef struct cupel_sha256_state {
    uint32_t h[8];
    uint64_t length; /* bytes added so far; the last length % 64 of them are in block */
    uint8_t block[CUPEL_SHA256_BLOCK];
} cupel_sha256_state;

/* Computes the digest of a whole message. */
void cupel_sha256(uint8_t digest[CUPEL_SHA256_DIGEST], const void *message, size_t length);

/* The same for a message in pieces: call begin once, update any number of times, and then finish,
 * which writes the digest and clears the state. A message must be shorter than 2^61 bytes, the
 * standard's limit. To continue from one state several times, copy it by assignment. */
void cupel_sha256_begin(cupel_sha256_state *state);
void cupel_sha256_update(cupel_sha256_state *state, const void *piece, size_t length);
void cupel_sha256_finish(cupel_sha256_state *state, uint8_t digest[CUPEL_SHA256_DIGEST]);

/* Computes the digests of count messages of any lengths, side by side: digests[i] is the digest of
 * the lengths[i] bytes at messages[i]. */
void cupel_sha256_many(uint8_t (*digests)[CUPEL_SHA256_DIGEST], const void *const *messages,
                       const size_t *lengths, size_t count);

/* ---- SHA-1: FIPS 180-4, sections 5.1.1, 5.3.1 and 6.1. Only for formats that require it:
 * collisions are practical. ---- */

#define CUPEL_SHA1_DIGEST 20 /* bytes */
#define CUPEL_SHA1_BLOCK  64 /* bytes */

/* A message in progress. The fields are private to the library. */
typedef struct cupel_sha1_state {
    uint32_t h[5];
    uint64_t length;
    uint8_t block[CUPEL_SHA1_BLOCK];
} cupel_sha1_state;

/* Like the functions of the same names for SHA-256. */
void cupel_sha1(uint8_t digest[CUPEL_SHA1_DIGEST], const void *message, size_t length);
void cupel_sha1_begin(cupel_sha1_state *state);
void cupel_sha1_update(cupel_sha1_state *state, const void *piece, size_t length);
void cupel_sha1_finish(cupel_sha1_state *state, uint8_t digest[CUPEL_SHA1_DIGEST]);
void cupel_sha1_many(uint8_t (*digests)[CUPEL_SHA1_DIGEST], const void *const *messages,
                     const size_t *lengths, size_t count);

/* ---- HMAC-SHA-256: RFC 2104, FIPS 198-1 ---- */

#define CUPEL_HMAC_SHA256_TAG 32 /* bytes */

/* A prepared key: the chaining values after the inner and the outer key block. It is as secret as
 * the key; clear it with cupel_wipe. */
typedef struct cupel_hmac_sha256_key {
    uint32_t inner[8];
    uint32_t outer[8];
} cupel_hmac_sha256_key;

/* A message in progress. The fields are private to the library. */
typedef struct cupel_hmac_sha256_state {
    cupel_sha256_state inner;
    uint32_t outer[8];
} cupel_hmac_sha256_state;

/* Prepares a key of any length. A key of more than 64 bytes is hashed first, as RFC 2104, section
 * 2, requires. */
void cupel_hmac_sha256_prepare(cupel_hmac_sha256_key *prepared, const void *key, size_t key_length);

/* Computes the tag of a whole message. */
void cupel_hmac_sha256(uint8_t tag[CUPEL_HMAC_SHA256_TAG], const cupel_hmac_sha256_key *key,
                       const void *message, size_t length);

/* The same for a message in pieces. finish writes the tag and clears the state. */
void cupel_hmac_sha256_begin(cupel_hmac_sha256_state *state, const cupel_hmac_sha256_key *key);
void cupel_hmac_sha256_update(cupel_hmac_sha256_state *state, const void *piece, size_t length);
void cupel_hmac_sha256_finish(cupel_hmac_sha256_state *state, uint8_t tag[CUPEL_HMAC_SHA256_TAG]);

/* Returns 1 if the tag belongs to the message, otherwise 0. Compares in constant time. */
int cupel_hmac_sha256_verify(const uint8_t tag[CUPEL_HMAC_SHA256_TAG],
                             const cupel_hmac_sha256_key *key, const void *message, size_t length);

/* Computes the tags of count messages of any lengths with one key, side by side. tags receives one
 * after the other. Like the functions above, it clears its own copies of key and messages;
 * registers that the compiler has saved on the stack are not cleared. */
void cupel_hmac_sha256_many(uint8_t (*tags)[CUPEL_HMAC_SHA256_TAG],
                            const cupel_hmac_sha256_key *key, const void *const *messages,
                            const size_t *lengths, size_t count);

/* The same with a key for each message: message i has keys[i]. Keys may repeat. */
void cupel_hmac_sha256_many_keys(uint8_t (*tags)[CUPEL_HMAC_SHA256_TAG],
                                 const cupel_hmac_sha256_key *const *keys,
                                 const void *const *messages, const size_t *lengths, size_t count);

/* ---- SipHash-c-d: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012); the 128-bit
 * output as in their reference code. There are c rounds for each word of 8 bytes, and d rounds at
 * the end. The paper proposes 2-4; hash tables use 1-3. ---- */

#define CUPEL_SIPHASH_KEY 16 /* bytes */

/* Compute the tag of a whole message, of 8 or 16 bytes. */
void cupel_siphash_2_4(uint8_t tag[8], const uint8_t key[CUPEL_SIPHASH_KEY], const void *message,
                       size_t length);
void cupel_siphash_1_3(uint8_t tag[8], const uint8_t key[CUPEL_SIPHASH_KEY], const void *message,
                       size_t length);
void cupel_siphash_2_4_128(uint8_t tag[16], const uint8_t key[CUPEL_SIPHASH_KEY],
                           const void *message, size_t length);
void cupel_siphash_1_3_128(uint8_t tag[16], const uint8_t key[CUPEL_SIPHASH_KEY],
                           const void *message, size_t length);

/* The same with any numbers of rounds. c and d must be at least 1, and tag_length 8 or 16.
 * Otherwise the function returns -1 and does not write the tag. On success it returns 0. */
int cupel_siphash(uint8_t *tag, size_t tag_length, unsigned c, unsigned d,
                  const uint8_t key[CUPEL_SIPHASH_KEY], const void *message, size_t length);

/* Computes the tags of count messages of any lengths with one key, side by side. tags receives
 * count tags of tag_length bytes, one after the other. The other arguments and the result are as
 * for cupel_siphash. */
int cupel_siphash_many(uint8_t *tags, size_t tag_length, unsigned c, unsigned d,
                       const uint8_t key[CUPEL_SIPHASH_KEY], const void *const *messages,
                       const size_t *lengths, size_t count);

/* ---- Secrets ---- */

/* Overwrites memory with zeros, even if it is never read again: compilers cannot remove the call.
 */
void cupel_wipe(void *secret, size_t length);

/* Returns 1 if the bytes are equal, otherwise 0. The time depends only on the length. */
int cupel_equal(const void *a, const void *b, size_t length);

/* ---- The CPU, and the selected code ---- */

/* The features by which code is selected. A feature is present if the CPU has everything that its
 * line names, and the operating system saves the registers. */
enum {
    CUPEL_CPU_SSSE3 = 1 << 0,  /* x86: SSSE3 */
    CUPEL_CPU_AVX2 = 1 << 1,   /* x86: AVX2, BMI1, BMI2 */
    CUPEL_CPU_AVX512 = 1 << 2, /* x86: AVX-512 F, BW, VL, and all of CUPEL_CPU_AVX2 */
    CUPEL_CPU_SHANI = 1 << 3,  /* x86: SHA, SSE4.1, SSSE3 */
    CUPEL_CPU_ARM_SHA = 1 << 4 /* Arm: the SHA-1 and SHA-256 instructions, and NEON */
};

/* Returns the features of this machine for which this build has code. */
unsigned cupel_cpu_found(void);

/* Returns the features in use: cupel_cpu_found, except features that the environment or
 * cupel_cpu_limit excludes. */
unsigned cupel_cpu_used(void);

/* Limits the whole process to these features, and returns the ones among them that are now in use.
 * ~0u removes every limit, also the limit of the environment. It is the variable CUPEL_CPU, which
 * the first call of any operation reads: the names of the features that may be used, such as
 * "ssse3,avx2", or "none". */
unsigned cupel_cpu_limit(unsigned features);

/* Returns the name of a single feature, as in CUPEL_CPU, or NULL if there is no such feature. The
 * string is static. */
const char *cupel_cpu_name(unsigned feature);

/* Return the code path that an operation takes: "portable", "ssse3", "avx2", "avx512", "shani" or
 * "armsha". The functions of many messages return the path of a large batch that no plan names. The
 * strings are static.
 */
const char *cupel_sha256_code(void);
const char *cupel_sha256_many_code(void);
const char *cupel_sha1_code(void);
const char *cupel_sha1_many_code(void);
const char *cupel_siphash_many_code(void);

/* Return the code path for a batch of count messages, the first of length bytes, by the plan in
 * use. Messages too few for a row of the planned path still take the SHA extensions, where the CPU
 * has them. */
const char *cupel_sha1_many_code_for(size_t count, size_t length);
const char *cupel_sha256_many_code_for(size_t count, size_t length);

/* ---- A plan: which code a batch takes on this CPU, by the number of messages and their size ----
 *
 * `cupel ask --paths` measures the paths; kernels/README.md says how to write a plan of that.
 * A program loads it with cupel_plan_load; or the environment variable CUPEL_PLAN names the file,
 * which the first batch reads (on Linux, and not in a program with more rights than its caller,
 * such as a setuid one). If that file is not valid, the library prints one line to standard error
 * and continues without. Nothing is ever timed.
 *
 * Without a plan, the library's own table decides on the CPUs that were measured
 * (src/cpu/plan_defaults.c), and on all others the order in src/sha1/sha1_many.c and its like.
 *
 * A text:
 *
 *     cupel-plan 1
 *     cpu AuthenticAMD 26 2 15                  the line of cupel_plan_cpu
 *     date 2026-11-23                           of the measurement
 *     sha256-many 16+ 256+ shani 0.810 0.850    any number of classes
 *     end
 *
 * A line of a class names an operation (sha1-many, sha256-many), the least number of messages (1,
 * 6, 9, 16), the least length of the first message in bytes (0, 256, 4096), a code path (avx512,
 * shani, avx2), and the interval of its time divided by the default's. Other classes take the
 * default, and so does a class whose code path this CPU lacks or cupel_cpu_limit excludes. Digests
 * never depend on a plan. */
enum {
    CUPEL_PLAN_MOST = 4096, /* bytes that cupel_plan_load reads: no valid plan is longer */
    CUPEL_PLAN_CPU = 64,    /* bytes of a CPU's line */
    /* Errors. The plan in use stays. */
    CUPEL_PLAN_DAMAGED = -1,
    CUPEL_PLAN_OTHER_CPU = -2, /* also where this build cannot identify the CPU */
    CUPEL_PLAN_UNREADABLE = -3
};

/* Uses the plan at text, of length bytes, from the next call of an operation on. Returns 0 or an
 * error. Any thread may call it. */
int cupel_plan_use(const char *text, size_t length);

/* The same with a file. Not in a freestanding build. */
int cupel_plan_load(const char *path);

/* Back to the defaults, also without the plan of the environment. */
void cupel_plan_clear(void);

/* Returns the origin of the choice: "plan"; "measured", the table for this CPU; or "order", because
 * this CPU was not measured. The strings are static. */
const char *cupel_plan_origin(void);

/* Writes the line of this CPU, with its end of line and a NUL: vendor, family, model, and
 * cupel_cpu_found, all in decimal. Returns 0, or CUPEL_PLAN_OTHER_CPU. */
int cupel_plan_cpu(char line[CUPEL_PLAN_CPU]);

#ifdef __cplusplus
}
#endif

#endif
