/* cupel_contender.h: the interface of a C contender.
 *
 * A contender is a shared object with the five functions below. Cupel's native runner loads it,
 * asks for its contenders, opens one task and calls it; the messages, the timed loop, the clock and
 * the check value are the runner's. One file is enough. Say in contenders/mine.toml
 *
 *     runner = "native"
 *     prefix = "c"
 *     source = "mine/mine.c"
 *
 * and `cupel verify c/NAME` builds it and proves it right (docs/guide/bring-your-own.md).
 *
 * Many messages in one call (digest-many) are offered like anything else, and need no more than
 * that: the runner then calls cupel_call once a message. A library that takes many at once has a
 * sixth function, cupel_call_many. One whose states can be copied has cupel_prefix.
 *
 * Threads: the thread that opens a task makes every call of it and closes it. If a suite asks for
 * several threads, each opens its own task, one after the other, and then their calls run at
 * the same time: keep nothing in static variables that a call writes to. A process opens tasks of
 * one contender only, so global state of a library (its feature masks, its allocator) may be set
 * for good by cupel_open.
 */
#ifndef CUPEL_CONTENDER_H
#define CUPEL_CONTENDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface, which cupel_abi returns. */
#define CUPEL_ABI 1

/* Results of cupel_open, cupel_call and cupel_prefix. */
enum {
    CUPEL_OK = 0,
    CUPEL_UNSUPPORTED = 1, /* not done by this contender, by its nature */
    CUPEL_MISSING = 2,     /* something is not installed or not in this CPU */
    CUPEL_FAILED = 3,      /* should have worked and did not */
    CUPEL_REFUSED = 4      /* cupel_call only: open found the input not authentic */
};

/* Where the key schedule happens; the contract demands it. */
enum {
    CUPEL_KEY_NONE = 0,     /* the operation has no key */
    CUPEL_KEY_PREPARED = 1, /* in cupel_open, outside the timed call */
    CUPEL_KEY_PER_CALL = 2  /* in every cupel_call */
};

/* One contender in this object. The strings live as long as the object. */
typedef struct cupel_contender {
    const char *name;    /* unique in the object: "openssl-reused" */
    const char *library; /* "OpenSSL" */
    const char *version; /* asked of the library at run time where it can tell */
    const char *licence; /* SPDX expression */
    const char *summary; /* how the library is called, in a few words */
    const char *offers;  /* "sha256:digest hmac-sha256:mac", space-separated; ":key-per-call" behind
                            one means that its key schedule cannot be anywhere else */
} cupel_contender;

/* The task to make ready. Pointers are valid during cupel_open only: copy the data that you
 * keep. */
typedef struct cupel_task {
    const char *primitive; /* "sha256", "siphash-2-4", "aes-256-gcm" */
    const char *operation; /* "digest", "mac", "seal", "open"; "digest-many" where the object has
                              cupel_call_many, and "digest" for that too where it has not */
    const uint8_t *key;
    size_t key_len;         /* bytes */
    int key_schedule;       /* CUPEL_KEY_... */
    const uint32_t *chunks; /* stream each message in these lengths (bytes), over and over until */
    size_t chunk_count;     /* it ends; 0: the whole message in one call of the library */
} cupel_task;

/* The buffers of one call. The output does not overlap the inputs. No pointer is NULL, also where
 * its length is 0. */
typedef struct cupel_io {
    const uint8_t *nonce;
    size_t nonce_len;
    const uint8_t *ad; /* associated data */
    size_t ad_len;
    const uint8_t *input; /* plaintext for seal, ciphertext followed by the tag for open */
    size_t input_len;
    uint8_t *output;   /* ciphertext followed by the tag for seal */
    size_t output_len; /* in: room, at least input_len + 192; out: bytes written */
} cupel_io;

/* The messages of one call of digest-many. No pointer is NULL, also where a length is 0. */
typedef struct cupel_batch {
    size_t count;                   /* messages; any number from 1 on */
    const uint8_t *const *messages; /* where each begins */
    const size_t *lengths;          /* of each, in bytes; they may differ */
    uint8_t *output;                /* the digests, one behind the other */
    size_t output_len;              /* in: room, at least 64 a message; out: bytes written */
} cupel_batch;

/* A task made ready. It need not stay at one address between two calls: keep no pointer to it. */
typedef struct cupel_state {
    void *data;            /* the contender's own */
    const char *code_path; /* the code path really selected: "avx2"; begins with "unknown" if the
                            * library does not report it; lives until cupel_close */
    const char *reason;    /* why not CUPEL_OK, after cupel_open or cupel_call; static, or NULL */
} cupel_state;

/* Returns CUPEL_ABI. */
int cupel_abi(void);

/* The contender with this index, or NULL past the last. */
const cupel_contender *cupel_describe(size_t index);

/* Makes a task ready. On any result but CUPEL_OK nothing is left to close, and state->reason says
 * why in words. */
int cupel_open(size_t index, const cupel_task *task, cupel_state *state);

/* Computes one output: the timed call. Must not change the inputs, nor write past the output. For
 * open, CUPEL_REFUSED leaves no plaintext in the output. */
int cupel_call(cupel_state *state, cupel_io *io);

/* Optional: computes the digests of a batch, the timed call of digest-many. An object that has it
 * is given every task of digest-many by it. Must not change the messages, nor write past the
 * output. */
int cupel_call_many(cupel_state *state, cupel_batch *batch);

/* Optional, after cupel_open of digest: takes in the bytes before every message. From then on, each
 * cupel_call digests the prefix and its message, and continues with a copy of the prefix's state.
 * CUPEL_UNSUPPORTED, with a reason, if this contender copies none. The pointer is valid during this
 * call only. */
int cupel_prefix(cupel_state *state, const uint8_t *prefix, size_t len);

/* Frees the state that cupel_open made; clears keys. */
void cupel_close(cupel_state *state);

#ifdef __cplusplus
}
#endif

#endif
