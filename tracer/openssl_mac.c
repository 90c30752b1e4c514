/* openssl_mac.c: OpenSSL's message authentication codes: EVP_MAC_..., HMAC_... and CMAC_... */

#include "openssl.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* In `note`: which MAC a context of EVP_MAC has. */
enum { NOT_KNOWN, IS_HMAC, IS_CMAC, IS_SIPHASH, IS_OTHER };

/* In `more`: SipHash's rounds and output, of which each has a default. */
#define ROUNDS(c, d, size) ((uint32_t)(c) << 16 | (uint32_t)(d) << 8 | (uint32_t)(size))

static const void *mac_of(const void *context) {
    REAL(const void *(const void *), EVP_MAC_CTX_get0_mac);
    return real(context);
}

static const char *name_of_mac(const void *context) {
    const void *mac = mac_of(context);
    if (mac == NULL)
        return NULL;
    REAL(const char *(const void *), EVP_MAC_get0_name);
    return real(mac);
}

static name_t siphash(uint32_t rounds) {
    switch (rounds) {
    case ROUNDS(1, 3, 8):
        return P_SIPHASH_1_3;
    case ROUNDS(2, 4, 8):
        return P_SIPHASH_2_4;
    case ROUNDS(1, 3, 16):
        return P_SIPHASH_1_3_128;
    case ROUNDS(2, 4, 16):
        return P_SIPHASH_2_4_128;
    default:
        return trace_unknown("SipHash");
    }
}

static name_t cmac(const char *cipher) {
    if (cipher != NULL && strcasecmp(cipher, "AES-128-CBC") == 0)
        return P_AES_CMAC;
    char whole[64];
    snprintf(whole, sizeof(whole), "CMAC-%s", cipher != NULL ? cipher : "unknown");
    return trace_unknown(whole);
}

/* The MAC that a context computes, from the parameters that it gets. */
static void learn(struct context *context, const void *of, const struct parameter *parameters) {
    if (context->note == NOT_KNOWN) {
        const char *name = name_of_mac(of);
        context->note = name == NULL                   ? IS_OTHER
                        : strcmp(name, "HMAC") == 0    ? IS_HMAC
                        : strcmp(name, "CMAC") == 0    ? IS_CMAC
                        : strcmp(name, "SIPHASH") == 0 ? IS_SIPHASH
                                                       : IS_OTHER;
        context->more = ROUNDS(2, 4, 16);
        if (context->note == IS_SIPHASH)
            openssl_is(context, siphash(context->more));
        else if (context->note == IS_OTHER)
            openssl_is(context, trace_unknown(name));
    }
    const char *text;
    if (context->note == IS_HMAC && (text = openssl_text(parameters, "digest")) != NULL)
        openssl_is(context, openssl_hmac(openssl_digest_named(text), text));
    if (context->note == IS_CMAC && (text = openssl_text(parameters, "cipher")) != NULL)
        openssl_is(context, cmac(text));
    if (context->note == IS_SIPHASH && parameters != NULL) {
        uint64_t c = context->more >> 16, d = context->more >> 8 & 0xff,
                 size = context->more & 0xff;
        openssl_number(parameters, "c-rounds", &c);
        openssl_number(parameters, "d-rounds", &d);
        openssl_number(parameters, "size", &size);
        context->more = ROUNDS(c, d & 0xff, size & 0xff);
        openssl_is(context, siphash(context->more));
    }
}

WRAPPER int EVP_MAC_init(void *mac, const unsigned char *key, size_t length,
                         const void *parameters) {
    REAL(int(void *, const unsigned char *, size_t, const void *), EVP_MAC_init);
    struct span span;
    if (!ENTER(&span, 0))
        return real(mac, key, length, parameters);
    int done = real(mac, key, length, parameters);
    trace_leave(&span, 0);
    struct context *context = done > 0 ? context_for(mac) : NULL;
    if (context != NULL) {
        learn(context, mac, parameters);
        context->is_keyed |= key != NULL;
        context_begin(context);
    }
    return done;
}

WRAPPER int EVP_MAC_CTX_set_params(void *mac, const void *parameters) {
    REAL(int(void *, const void *), EVP_MAC_CTX_set_params);
    struct span span;
    if (!ENTER(&span, 0))
        return real(mac, parameters);
    int done = real(mac, parameters);
    trace_leave(&span, 0);
    struct context *context = done > 0 ? context_for(mac) : NULL;
    if (context != NULL)
        learn(context, mac, parameters);
    return done;
}

static void end(const void *of) {
    struct context *context = context_of(of);
    if (context != NULL)
        context_count(context, MAC);
}

#define UPDATE(function, TYPE)                                                                     \
    WRAPPER int function(void *context, const void *data, TYPE bytes) {                            \
        REAL(int(void *, const void *, TYPE), function);                                           \
        struct span span;                                                                          \
        if (!ENTER(&span, bytes))                                                                  \
            return real(context, data, bytes);                                                     \
        int done = real(context, data, bytes);                                                     \
        trace_leave(&span, bytes);                                                                 \
        if (done > 0)                                                                              \
            context_add(context, bytes);                                                           \
        return done;                                                                               \
    }

UPDATE(EVP_MAC_update, size_t)
UPDATE(HMAC_Update, size_t)
UPDATE(CMAC_Update, size_t)

/* Without space for the output they only say how long it is. */
WRAPPER int EVP_MAC_final(void *context, unsigned char *to, size_t *length, size_t space) {
    REAL(int(void *, unsigned char *, size_t *, size_t), EVP_MAC_final);
    struct span span;
    if (!ENTER(&span, 0))
        return real(context, to, length, space);
    int done = real(context, to, length, space);
    trace_leave(&span, 0);
    if (done > 0 && to != NULL)
        end(context);
    return done;
}

WRAPPER int EVP_MAC_finalXOF(void *context, unsigned char *to, size_t length) {
    REAL(int(void *, unsigned char *, size_t), EVP_MAC_finalXOF);
    struct span span;
    if (!ENTER(&span, length))
        return real(context, to, length);
    int done = real(context, to, length);
    trace_leave(&span, length);
    if (done > 0 && to != NULL)
        end(context);
    return done;
}

WRAPPER int HMAC_Final(void *context, unsigned char *to, unsigned int *length) {
    REAL(int(void *, unsigned char *, unsigned int *), HMAC_Final);
    struct span span;
    if (!ENTER(&span, 0))
        return real(context, to, length);
    int done = real(context, to, length);
    trace_leave(&span, 0);
    if (done > 0)
        end(context);
    return done;
}

WRAPPER int CMAC_Final(void *context, unsigned char *to, size_t *length) {
    REAL(int(void *, unsigned char *, size_t *), CMAC_Final);
    struct span span;
    if (!ENTER(&span, 0))
        return real(context, to, length);
    int done = real(context, to, length);
    trace_leave(&span, 0);
    if (done > 0 && to != NULL)
        end(context);
    return done;
}

#define DUPLICATE(function)                                                                        \
    WRAPPER void *function(const void *from) {                                                     \
        REAL(void *(const void *), function);                                                      \
        struct span span;                                                                          \
        if (!ENTER(&span, 0))                                                                      \
            return real(from);                                                                     \
        void *to = real(from);                                                                     \
        trace_leave(&span, 0);                                                                     \
        if (to != NULL)                                                                            \
            context_copy(to, from);                                                                \
        return to;                                                                                 \
    }

DUPLICATE(EVP_MAC_CTX_dup)

#define COPY(function)                                                                             \
    WRAPPER int function(void *to, void *from) {                                                   \
        REAL(int(void *, void *), function);                                                       \
        struct span span;                                                                          \
        if (!ENTER(&span, 0))                                                                      \
            return real(to, from);                                                                 \
        int done = real(to, from);                                                                 \
        trace_leave(&span, 0);                                                                     \
        if (done > 0)                                                                              \
            context_copy(to, from);                                                                \
        return done;                                                                               \
    }

COPY(HMAC_CTX_copy)
COPY(CMAC_CTX_copy)

#define FREE(function)                                                                             \
    WRAPPER void function(void *context) {                                                         \
        REAL_VOID(void(void *), function);                                                         \
        if (IS_OUTERMOST())                                                                        \
            context_forget(context);                                                               \
        real(context);                                                                             \
    }

FREE(EVP_MAC_CTX_free)
FREE(HMAC_CTX_free)
FREE(CMAC_CTX_free)

WRAPPER int HMAC_CTX_reset(void *context) {
    REAL(int(void *), HMAC_CTX_reset);
    if (IS_OUTERMOST())
        context_forget(context);
    return real(context);
}

static void begin_hmac(const void *of, const void *key, const void *md) {
    struct context *context = context_for(of);
    if (context == NULL)
        return;
    if (md != NULL)
        openssl_is(context, openssl_hmac(openssl_digest(md), openssl_name_of_digest(md)));
    context->is_keyed |= key != NULL;
    context_begin(context);
}

WRAPPER int HMAC_Init_ex(void *context, const void *key, int length, const void *md, void *engine) {
    REAL(int(void *, const void *, int, const void *, void *), HMAC_Init_ex);
    struct span span;
    if (!ENTER(&span, 0))
        return real(context, key, length, md, engine);
    int done = real(context, key, length, md, engine);
    trace_leave(&span, 0);
    if (done > 0)
        begin_hmac(context, key, md);
    return done;
}

WRAPPER int HMAC_Init(void *context, const void *key, int length, const void *md) {
    REAL(int(void *, const void *, int, const void *), HMAC_Init);
    struct span span;
    if (!ENTER(&span, 0))
        return real(context, key, length, md);
    int done = real(context, key, length, md);
    trace_leave(&span, 0);
    if (done > 0)
        begin_hmac(context, key, md);
    return done;
}

WRAPPER int CMAC_Init(void *context, const void *key, size_t length, const void *cipher,
                      void *engine) {
    REAL(int(void *, const void *, size_t, const void *, void *), CMAC_Init);
    struct span span;
    if (!ENTER(&span, 0))
        return real(context, key, length, cipher, engine);
    int done = real(context, key, length, cipher, engine);
    trace_leave(&span, 0);
    struct context *known = done > 0 ? context_for(context) : NULL;
    if (known != NULL) {
        if (cipher != NULL)
            openssl_is(known, cmac(openssl_name_of_cipher(cipher)));
        known->is_keyed |= key != NULL;
        context_begin(known);
    }
    return done;
}

static void at_once(name_t name, size_t bytes) {
    if (name < trace_primitive_count)
        trace_count(name, MAC, ONE_PIECE, PER_CALL, bytes);
    else
        trace_count_unknown(name);
}

WRAPPER unsigned char *HMAC(const void *md, const void *key, int key_length,
                            const unsigned char *data, size_t bytes, unsigned char *to,
                            unsigned int *length) {
    REAL(unsigned char *(const void *, const void *, int, const unsigned char *, size_t,
                         unsigned char *, unsigned int *),
         HMAC);
    struct span span;
    if (!ENTER(&span, bytes))
        return real(md, key, key_length, data, bytes, to, length);
    unsigned char *done = real(md, key, key_length, data, bytes, to, length);
    trace_leave(&span, bytes);
    if (done != NULL)
        at_once(openssl_hmac(openssl_digest(md), openssl_name_of_digest(md)), bytes);
    return done;
}

WRAPPER unsigned char *EVP_Q_mac(void *library, const char *name, const char *properties,
                                 const char *part, const struct parameter *parameters,
                                 const void *key, size_t key_length, const unsigned char *data,
                                 size_t bytes, unsigned char *to, size_t space, size_t *length) {
    REAL(unsigned char *(void *, const char *, const char *, const char *, const struct parameter *,
                         const void *, size_t, const unsigned char *, size_t, unsigned char *,
                         size_t, size_t *),
         EVP_Q_mac);
    struct span span;
    if (!ENTER(&span, bytes))
        return real(library, name, properties, part, parameters, key, key_length, data, bytes, to,
                    space, length);
    unsigned char *done = real(library, name, properties, part, parameters, key, key_length, data,
                               bytes, to, space, length);
    trace_leave(&span, bytes);
    /* Without space it only says how long the output is, and returns something all the same. */
    if (done == NULL || to == NULL || name == NULL)
        return done;
    if (strcasecmp(name, "HMAC") == 0)
        at_once(openssl_hmac(part ? openssl_digest_named(part) : NO_NAME, part), bytes);
    else if (strcasecmp(name, "CMAC") == 0)
        at_once(cmac(part), bytes);
    else
        at_once(trace_unknown(name), bytes);
    return done;
}
