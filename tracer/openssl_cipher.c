/* openssl_cipher.c: OpenSSL's authenticated encryption, by EVP_Encrypt..., EVP_Decrypt... and
 * EVP_Cipher... A message lies between its nonce and its final call. A message whose tag is wrong
 * fails there, and is not counted. */

#include "openssl.h"

#include <strings.h>

/* In `note`: the next call takes a whole record of TLS 1.2, with its nonce and its tag. */
#define RECORD          1

/* EVP_CTRL_AEAD_TLS1_AAD of <openssl/evp.h> */
#define CTRL_RECORD     0x16
#define AD_OF_RECORD    13
#define TAG             16
#define NONCE_IN_RECORD 8

static int number_of_cipher(const void *cipher) {
    REAL(int(const void *), EVP_CIPHER_get_nid);
    return real(cipher);
}

static int is_encrypting(const void *context) {
    REAL(int(const void *), EVP_CIPHER_CTX_is_encrypting);
    return real(context);
}

static name_t name_of(const void *cipher) {
    switch (number_of_cipher(cipher)) {
    case 895:
        return P_AES_128_GCM;
    case 901:
        return P_AES_256_GCM;
    case 1018:
        return P_CHACHA20_POLY1305;
    default:
        break;
    }
    const char *name = openssl_name_of_cipher(cipher);
    if (name != NULL && strcasecmp(name, "AES-256-GCM-SIV") == 0)
        return P_AES_256_GCM_SIV;
    return trace_unknown(name);
}

static void begin(const void *of, const void *cipher, const void *key) {
    struct context *context = context_for(of);
    if (context == NULL)
        return;
    if (cipher != NULL)
        openssl_is(context, name_of(cipher));
    context->is_keyed |= key != NULL;
    context->note = 0;
    context_begin(context);
}

static void count(struct context *context, const void *of) {
    context_count(context, is_encrypting(of) ? SEAL : OPEN);
}

/* `out` is NULL for associated data. */
static void add(const void *of, const void *out, const void *in, int bytes) {
    struct context *context = context_of(of);
    if (in == NULL || bytes < 0)
        return;
    if (out == NULL) {
        context_add_ad(of, (size_t)bytes);
        return;
    }
    if (context != NULL && context->note == RECORD) {
        int around = TAG + (context->names[0] == P_CHACHA20_POLY1305 ? 0 : NONCE_IN_RECORD);
        context->note = 0;
        context_begin(context);
        context->bytes = bytes > around ? (uint64_t)(bytes - around) : 0;
        context->shape = (struct shape){1, AD_OF_RECORD};
        count(context, of);
        return;
    }
    context_add(of, (size_t)bytes);
}

static void end(const void *of) {
    struct context *context = context_of(of);
    if (context != NULL)
        count(context, of);
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
            begin(context, cipher, key);                                                           \
        return done;                                                                               \
    }

typedef const unsigned char *bytes_t;

INIT(EVP_EncryptInit, (void *context, const void *cipher, bytes_t key, bytes_t iv), context, cipher,
     key, iv)
INIT(EVP_DecryptInit, (void *context, const void *cipher, bytes_t key, bytes_t iv), context, cipher,
     key, iv)
INIT(EVP_CipherInit, (void *context, const void *cipher, bytes_t key, bytes_t iv, int encrypt),
     context, cipher, key, iv, encrypt)
INIT(EVP_EncryptInit_ex, (void *context, const void *cipher, void *engine, bytes_t key, bytes_t iv),
     context, cipher, engine, key, iv)
INIT(EVP_DecryptInit_ex, (void *context, const void *cipher, void *engine, bytes_t key, bytes_t iv),
     context, cipher, engine, key, iv)
INIT(EVP_CipherInit_ex,
     (void *context, const void *cipher, void *engine, bytes_t key, bytes_t iv, int encrypt),
     context, cipher, engine, key, iv, encrypt)
INIT(EVP_EncryptInit_ex2,
     (void *context, const void *cipher, bytes_t key, bytes_t iv, const void *parameters), context,
     cipher, key, iv, parameters)
INIT(EVP_DecryptInit_ex2,
     (void *context, const void *cipher, bytes_t key, bytes_t iv, const void *parameters), context,
     cipher, key, iv, parameters)
INIT(EVP_CipherInit_ex2,
     (void *context, const void *cipher, bytes_t key, bytes_t iv, int encrypt,
      const void *parameters),
     context, cipher, key, iv, encrypt, parameters)

#define UPDATE(function)                                                                           \
    WRAPPER int function(void *context, unsigned char *out, int *length, bytes_t in, int bytes) {  \
        REAL(int(void *, unsigned char *, int *, bytes_t, int), function);                         \
        struct span span;                                                                          \
        size_t size = bytes > 0 ? (size_t)bytes : 0;                                               \
        if (!ENTER(&span, size))                                                                   \
            return real(context, out, length, in, bytes);                                          \
        int done = real(context, out, length, in, bytes);                                          \
        trace_leave(&span, size);                                                                  \
        if (done > 0)                                                                              \
            add(context, out, in, bytes);                                                          \
        return done;                                                                               \
    }

UPDATE(EVP_EncryptUpdate)
UPDATE(EVP_DecryptUpdate)
UPDATE(EVP_CipherUpdate)

#define FINAL(function)                                                                            \
    WRAPPER int function(void *context, unsigned char *out, int *length) {                         \
        REAL(int(void *, unsigned char *, int *), function);                                       \
        struct span span;                                                                          \
        if (!ENTER(&span, 0))                                                                      \
            return real(context, out, length);                                                     \
        int done = real(context, out, length);                                                     \
        trace_leave(&span, 0);                                                                     \
        if (done > 0)                                                                              \
            end(context);                                                                          \
        return done;                                                                               \
    }

FINAL(EVP_EncryptFinal)
FINAL(EVP_DecryptFinal)
FINAL(EVP_CipherFinal)
FINAL(EVP_EncryptFinal_ex)
FINAL(EVP_DecryptFinal_ex)
FINAL(EVP_CipherFinal_ex)

/* Update and final in one function: without input it is the final call. */
WRAPPER int EVP_Cipher(void *context, unsigned char *out, bytes_t in, unsigned int bytes) {
    REAL(int(void *, unsigned char *, bytes_t, unsigned int), EVP_Cipher);
    struct span span;
    if (!ENTER(&span, bytes))
        return real(context, out, in, bytes);
    int done = real(context, out, in, bytes);
    trace_leave(&span, bytes);
    if (done >= 0 && in == NULL)
        end(context);
    else if (done >= 0 && (done > 0 || bytes == 0))
        add(context, out, in, (int)bytes);
    return done;
}

WRAPPER int EVP_CIPHER_CTX_ctrl(void *context, int type, int number, void *pointer) {
    REAL(int(void *, int, int, void *), EVP_CIPHER_CTX_ctrl);
    int done = real(context, type, number, pointer);
    if (type == CTRL_RECORD && done > 0) {
        struct context *known = context_of(context);
        if (known != NULL)
            known->note = RECORD;
    }
    return done;
}

WRAPPER int EVP_CIPHER_CTX_copy(void *to, const void *from) {
    REAL(int(void *, const void *), EVP_CIPHER_CTX_copy);
    struct span span;
    if (!ENTER(&span, 0))
        return real(to, from);
    int done = real(to, from);
    trace_leave(&span, 0);
    if (done > 0)
        context_copy(to, from);
    return done;
}

WRAPPER void *EVP_CIPHER_CTX_dup(const void *from) {
    REAL(void *(const void *), EVP_CIPHER_CTX_dup);
    struct span span;
    if (!ENTER(&span, 0))
        return real(from);
    void *to = real(from);
    trace_leave(&span, 0);
    if (to != NULL)
        context_copy(to, from);
    return to;
}

WRAPPER int EVP_CIPHER_CTX_reset(void *context) {
    REAL(int(void *), EVP_CIPHER_CTX_reset);
    if (IS_OUTERMOST())
        context_forget(context);
    return real(context);
}

WRAPPER void EVP_CIPHER_CTX_free(void *context) {
    REAL_VOID(void(void *), EVP_CIPHER_CTX_free);
    if (IS_OUTERMOST())
        context_forget(context);
    real(context);
}
