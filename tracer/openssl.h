/* openssl.h: OpenSSL's types as far as its callers see them. The library's headers need not be
 * installed: its interface for programs is stable within version 3. */
#ifndef CUPEL_TRACE_OPENSSL_H
#define CUPEL_TRACE_OPENSSL_H

#include "contexts.h"

/* The order of `trace_primitives`. */
enum {
    P_SHA1,
    P_SHA256,
    P_SHA512,
    P_SHA512_256,
    P_SHA3_256,
    P_SHAKE128,
    P_BLAKE2B,
    P_BLAKE2S,
    P_HMAC_SHA256,
    P_HMAC_SHA512,
    P_AES_CMAC,
    P_SIPHASH_1_3,
    P_SIPHASH_2_4,
    P_SIPHASH_1_3_128,
    P_SIPHASH_2_4_128,
    P_AES_128_GCM,
    P_AES_256_GCM,
    P_AES_256_GCM_SIV,
    P_CHACHA20_POLY1305,
    PRIMITIVES
};

/* OSSL_PARAM, of <openssl/core.h>. */
struct parameter {
    const char *key;
    unsigned int type;
    void *data;
    size_t size;
    size_t returned;
};

/* The name of a digest (an EVP_MD), by its own number, else by its name. */
name_t openssl_digest(const void *md);

/* The name of a digest that is named in words, as by EVP_Q_digest. */
name_t openssl_digest_named(const char *name);

/* The name of HMAC with a digest: NO_NAME is a digest without a name. */
name_t openssl_hmac(name_t digest, const char *name);

/* The text of a parameter; NULL if it is not there. */
const char *openssl_text(const struct parameter *parameters, const char *key);

/* The number of a parameter. */
bool openssl_number(const struct parameter *parameters, const char *key, uint64_t *number);

/* Sets the only name of a context. */
void openssl_is(struct context *context, name_t name);

/* The library's names. */
const char *openssl_name_of_digest(const void *md);
const char *openssl_name_of_cipher(const void *cipher);

#endif
