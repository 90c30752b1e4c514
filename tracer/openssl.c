/* openssl.c: the names of OpenSSL's objects in the catalogue. */

#include "openssl.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char trace_family[] = "openssl";
const char trace_library[] = "libcrypto.so.3";

const char *const trace_primitives[] = {
    [P_SHA1] = "sha1",
    [P_SHA256] = "sha256",
    [P_SHA512] = "sha512",
    [P_SHA512_256] = "sha512-256",
    [P_SHA3_256] = "sha3-256",
    [P_SHAKE128] = "shake128",
    [P_BLAKE2B] = "blake2b",
    [P_BLAKE2S] = "blake2s",
    [P_HMAC_SHA256] = "hmac-sha256",
    [P_HMAC_SHA512] = "hmac-sha512",
    [P_AES_CMAC] = "aes-cmac",
    [P_SIPHASH_1_3] = "siphash-1-3",
    [P_SIPHASH_2_4] = "siphash-2-4",
    [P_SIPHASH_1_3_128] = "siphash-1-3-128",
    [P_SIPHASH_2_4_128] = "siphash-2-4-128",
    [P_AES_128_GCM] = "aes-128-gcm",
    [P_AES_256_GCM] = "aes-256-gcm",
    [P_AES_256_GCM_SIV] = "aes-256-gcm-siv",
    [P_CHACHA20_POLY1305] = "chacha20-poly1305",
};
const size_t trace_primitive_count = PRIMITIVES;

const char *openssl_name_of_digest(const void *md) {
    REAL(const char *(const void *), EVP_MD_get0_name);
    return real(md);
}

const char *openssl_name_of_cipher(const void *cipher) {
    REAL(const char *(const void *), EVP_CIPHER_get0_name);
    return real(cipher);
}

static int number_of_digest(const void *md) {
    REAL(int(const void *), EVP_MD_get_type);
    return real(md);
}

name_t openssl_digest(const void *md) {
    if (md == NULL)
        return NO_NAME;
    /* The numbers of <openssl/obj_mac.h>; the name takes longer. */
    switch (number_of_digest(md)) {
    case 64:
        return P_SHA1;
    case 672:
        return P_SHA256;
    case 674:
        return P_SHA512;
    case 1095:
        return P_SHA512_256;
    case 1097:
        return P_SHA3_256;
    case 1100:
        return P_SHAKE128;
    case 1056:
        return P_BLAKE2B;
    case 1057:
        return P_BLAKE2S;
    default:
        return openssl_digest_named(openssl_name_of_digest(md));
    }
}

name_t openssl_digest_named(const char *name) {
    static const struct {
        const char *name;
        name_t is;
    } names[] = {
        {"SHA1", P_SHA1},
        {"SHA-1", P_SHA1},
        {"SHA256", P_SHA256},
        {"SHA2-256", P_SHA256},
        {"SHA-256", P_SHA256},
        {"SHA512", P_SHA512},
        {"SHA2-512", P_SHA512},
        {"SHA-512", P_SHA512},
        {"SHA512-256", P_SHA512_256},
        {"SHA2-512/256", P_SHA512_256},
        {"SHA-512/256", P_SHA512_256},
        {"SHA3-256", P_SHA3_256},
        {"SHAKE128", P_SHAKE128},
        {"SHAKE-128", P_SHAKE128},
        {"BLAKE2B512", P_BLAKE2B},
        {"BLAKE2B-512", P_BLAKE2B},
        {"BLAKE2S256", P_BLAKE2S},
        {"BLAKE2S-256", P_BLAKE2S},
    };
    for (size_t i = 0; name != NULL && i < sizeof(names) / sizeof(names[0]); i++)
        if (strcasecmp(name, names[i].name) == 0)
            return names[i].is;
    return trace_unknown(name);
}

name_t openssl_hmac(name_t digest, const char *name) {
    if (digest == P_SHA256)
        return P_HMAC_SHA256;
    if (digest == P_SHA512)
        return P_HMAC_SHA512;
    char whole[64];
    snprintf(whole, sizeof(whole), "HMAC-%s", name != NULL ? name : "unknown");
    return trace_unknown(whole);
}

static const struct parameter *parameter(const struct parameter *parameters, const char *key) {
    for (; parameters != NULL && parameters->key != NULL; parameters++)
        if (strcmp(parameters->key, key) == 0)
            return parameters;
    return NULL;
}

const char *openssl_text(const struct parameter *parameters, const char *key) {
    const struct parameter *found = parameter(parameters, key);
    /* OSSL_PARAM_UTF8_STRING */
    return found != NULL && found->type == 4 ? found->data : NULL;
}

bool openssl_number(const struct parameter *parameters, const char *key, uint64_t *number) {
    const struct parameter *found = parameter(parameters, key);
    if (found == NULL || found->data == NULL || found->size > sizeof(*number))
        return false;
    *number = 0;
    memcpy(number, found->data, found->size);
    return true;
}

void openssl_is(struct context *context, name_t name) {
    context->names[0] = name;
    context->name_count = 1;
}
