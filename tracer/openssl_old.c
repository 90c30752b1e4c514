/* openssl_old.c: OpenSSL's older functions for digests, of which each digest has its own. Their
 * structure is public, so a program may copy it by itself. How long the message is stands in it. */

#include "openssl.h"

#include <string.h>

/* The length in bits, low half first, follows the words of the state. */
static uint64_t bytes_in(const void *of, size_t state, size_t word) {
    uint64_t halves[2] = {0, 0};
    memcpy(&halves[0], (const char *)of + state, word);
    memcpy(&halves[1], (const char *)of + state + word, word);
    return word == 4 ? (halves[0] | halves[1] << 32) / 8 : halves[0] / 8 | halves[1] << 61;
}

static void begin(const void *of, name_t name) {
    struct context *context = context_for(of);
    if (context == NULL)
        return;
    openssl_is(context, name);
    context_begin(context);
}

static void digest(name_t name, struct shape shape, uint64_t bytes) {
    if (name < trace_primitive_count)
        trace_count(name, DIGEST, shape, NO_KEY, bytes);
    else
        trace_count_unknown(name);
}

/* In how many pieces the message came is known only if the program did not copy the structure. */
static void end(const void *of, name_t name, uint64_t bytes) {
    struct context *context = context_of(of);
    if (context != NULL && context->is_active && context->names[0] == name &&
        context->bytes == bytes)
        context_count(context, DIGEST);
    else
        digest(name, UNKNOWN_PIECES, bytes);
    context_forget(of);
}

#define OLD(prefix, NAME, STATE, WORD)                                                             \
    WRAPPER int prefix##_Init(void *context) {                                                     \
        REAL(int(void *), prefix##_Init);                                                          \
        struct span span;                                                                          \
        if (!ENTER(&span, 0))                                                                      \
            return real(context);                                                                  \
        int done = real(context);                                                                  \
        trace_leave(&span, 0);                                                                     \
        if (done > 0)                                                                              \
            begin(context, NAME);                                                                  \
        return done;                                                                               \
    }                                                                                              \
    WRAPPER int prefix##_Update(void *context, const void *data, size_t bytes) {                   \
        REAL(int(void *, const void *, size_t), prefix##_Update);                                  \
        struct span span;                                                                          \
        if (!ENTER(&span, bytes))                                                                  \
            return real(context, data, bytes);                                                     \
        int done = real(context, data, bytes);                                                     \
        trace_leave(&span, bytes);                                                                 \
        if (done > 0)                                                                              \
            context_add(context, bytes);                                                           \
        return done;                                                                               \
    }                                                                                              \
    WRAPPER int prefix##_Final(unsigned char *to, void *context) {                                 \
        REAL(int(unsigned char *, void *), prefix##_Final);                                        \
        struct span span;                                                                          \
        uint64_t bytes = bytes_in(context, STATE, WORD);                                           \
        if (!ENTER(&span, 0))                                                                      \
            return real(to, context);                                                              \
        int done = real(to, context);                                                              \
        trace_leave(&span, 0);                                                                     \
        if (done > 0)                                                                              \
            end(context, NAME, bytes);                                                             \
        return done;                                                                               \
    }

#define AT_ONCE(function, NAME)                                                                    \
    WRAPPER unsigned char *function(const unsigned char *data, size_t bytes, unsigned char *to) {  \
        REAL(unsigned char *(const unsigned char *, size_t, unsigned char *), function);           \
        struct span span;                                                                          \
        if (!ENTER(&span, bytes))                                                                  \
            return real(data, bytes, to);                                                          \
        unsigned char *done = real(data, bytes, to);                                               \
        trace_leave(&span, bytes);                                                                 \
        if (done != NULL)                                                                          \
            digest(NAME, ONE_PIECE, bytes);                                                        \
        return done;                                                                               \
    }

OLD(SHA1, P_SHA1, 20, 4)
OLD(SHA224, trace_unknown("SHA2-224"), 32, 4)
OLD(SHA256, P_SHA256, 32, 4)
OLD(SHA384, trace_unknown("SHA2-384"), 64, 8)
OLD(SHA512, P_SHA512, 64, 8)
OLD(MD5, trace_unknown("MD5"), 16, 4)
AT_ONCE(SHA1, P_SHA1)
AT_ONCE(SHA224, trace_unknown("SHA2-224"))
AT_ONCE(SHA256, P_SHA256)
AT_ONCE(SHA384, trace_unknown("SHA2-384"))
AT_ONCE(SHA512, P_SHA512)
AT_ONCE(MD5, trace_unknown("MD5"))
