/* openssl_digest.c: OpenSSL's digests.
 *
 * The library's own calls (for the hash of a signature, of a key derivation) are not calls of the
 * program, and are not counted. */

#include "openssl.h"

/* A digest begins; `md` may be NULL, and then the last one is used again. */
static void begin(const void *of, const void *md) {
    struct context *context = context_for(of);
    if (context == NULL)
        return;
    if (md != NULL)
        openssl_is(context, openssl_digest(md));
    context_begin(context);
}

static void end(const void *of) {
    struct context *context = context_of(of);
    if (context != NULL)
        context_count(context, DIGEST);
}

static void digest(name_t name, size_t bytes) {
    if (name < trace_primitive_count)
        trace_count(name, DIGEST, ONE_PIECE, NO_KEY, bytes);
    else
        trace_count_unknown(name);
}

#define INIT(function, PARAMETERS, ...)                                                            \
    WRAPPER int function PARAMETERS {                                                              \
        REAL(int PARAMETERS, function);                                                            \
        struct span span;                                                                          \
        if (!ENTER(&span, 0))                                                                      \
            return real(__VA_ARGS__);                                                              \
        int done = real(__VA_ARGS__);                                                              \
        trace_leave(&span, 0);                                                                     \
        if (done > 0)                                                                              \
            begin(context, md);                                                                    \
        return done;                                                                               \
    }

INIT(EVP_DigestInit, (void *context, const void *md), context, md)
INIT(EVP_DigestInit_ex, (void *context, const void *md, void *engine), context, md, engine)
INIT(EVP_DigestInit_ex2, (void *context, const void *md, const void *parameters), context, md,
     parameters)

WRAPPER int EVP_DigestUpdate(void *context, const void *data, size_t bytes) {
    REAL(int(void *, const void *, size_t), EVP_DigestUpdate);
    struct span span;
    if (!ENTER(&span, bytes))
        return real(context, data, bytes);
    int done = real(context, data, bytes);
    trace_leave(&span, bytes);
    if (done > 0)
        context_add(context, bytes);
    return done;
}

#define FINAL(function)                                                                            \
    WRAPPER int function(void *context, unsigned char *to, unsigned int *length) {                 \
        REAL(int(void *, unsigned char *, unsigned int *), function);                              \
        struct span span;                                                                          \
        if (!ENTER(&span, 0))                                                                      \
            return real(context, to, length);                                                      \
        int done = real(context, to, length);                                                      \
        trace_leave(&span, 0);                                                                     \
        if (done > 0)                                                                              \
            end(context);                                                                          \
        return done;                                                                               \
    }

FINAL(EVP_DigestFinal)
FINAL(EVP_DigestFinal_ex)

WRAPPER int EVP_DigestFinalXOF(void *context, unsigned char *to, size_t length) {
    REAL(int(void *, unsigned char *, size_t), EVP_DigestFinalXOF);
    struct span span;
    if (!ENTER(&span, length))
        return real(context, to, length);
    int done = real(context, to, length);
    trace_leave(&span, length);
    struct context *known = context_of(context);
    if (done > 0 && known != NULL) {
        /* More output than one block of SHAKE128 is more work than Cupel measures. */
        if (length > 168 && known->name_count == 1 && known->names[0] == P_SHAKE128)
            openssl_is(known, trace_unknown("SHAKE128, long output"));
        context_count(known, DIGEST);
    }
    return done;
}

/* Since OpenSSL 3.3: any number of pieces of output. Cupel measures one block. */
WRAPPER int EVP_DigestSqueeze(void *context, unsigned char *to, size_t length) {
    REAL(int(void *, unsigned char *, size_t), EVP_DigestSqueeze);
    struct span span;
    if (!ENTER(&span, length))
        return real(context, to, length);
    int done = real(context, to, length);
    trace_leave(&span, length);
    struct context *known = context_of(context);
    if (known == NULL || done <= 0) {
        trace_is_other();
        return done;
    }
    /* The message ends with its first output. */
    openssl_is(known, trace_unknown("output by EVP_DigestSqueeze"));
    if (known->is_active)
        context_count(known, DIGEST);
    else
        trace_is_other();
    return done;
}

WRAPPER int EVP_Digest(const void *data, size_t bytes, unsigned char *to, unsigned int *length,
                       const void *md, void *engine) {
    REAL(int(const void *, size_t, unsigned char *, unsigned int *, const void *, void *),
         EVP_Digest);
    struct span span;
    if (!ENTER(&span, bytes))
        return real(data, bytes, to, length, md, engine);
    int done = real(data, bytes, to, length, md, engine);
    trace_leave(&span, bytes);
    if (done > 0)
        digest(openssl_digest(md), bytes);
    return done;
}

WRAPPER int EVP_Q_digest(void *library, const char *name, const char *properties, const void *data,
                         size_t bytes, unsigned char *to, size_t *length) {
    REAL(int(void *, const char *, const char *, const void *, size_t, unsigned char *, size_t *),
         EVP_Q_digest);
    struct span span;
    if (!ENTER(&span, bytes))
        return real(library, name, properties, data, bytes, to, length);
    int done = real(library, name, properties, data, bytes, to, length);
    trace_leave(&span, bytes);
    if (done > 0)
        digest(openssl_digest_named(name), bytes);
    return done;
}

#define COPY(function)                                                                             \
    WRAPPER int function(void *to, const void *from) {                                             \
        REAL(int(void *, const void *), function);                                                 \
        struct span span;                                                                          \
        if (!ENTER(&span, 0))                                                                      \
            return real(to, from);                                                                 \
        int done = real(to, from);                                                                 \
        trace_leave(&span, 0);                                                                     \
        if (done > 0)                                                                              \
            context_copy(to, from);                                                                \
        return done;                                                                               \
    }

COPY(EVP_MD_CTX_copy)
COPY(EVP_MD_CTX_copy_ex)

WRAPPER void *EVP_MD_CTX_dup(const void *from) {
    REAL(void *(const void *), EVP_MD_CTX_dup);
    struct span span;
    if (!ENTER(&span, 0))
        return real(from);
    void *to = real(from);
    trace_leave(&span, 0);
    if (to != NULL)
        context_copy(to, from);
    return to;
}

WRAPPER int EVP_MD_CTX_reset(void *context) {
    REAL(int(void *), EVP_MD_CTX_reset);
    if (IS_OUTERMOST())
        context_forget(context);
    return real(context);
}

WRAPPER void EVP_MD_CTX_free(void *context) {
    REAL_VOID(void(void *), EVP_MD_CTX_free);
    if (IS_OUTERMOST())
        context_forget(context);
    real(context);
}
