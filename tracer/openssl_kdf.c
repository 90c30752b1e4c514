/* openssl_kdf.c: OpenSSL's key derivations. Their many hashes are the library's own calls, which
 * the program cannot send elsewhere one by one. But a program may spend all its time there, so they
 * are counted by name, and each is timed. */

#include "openssl.h"

static void derived(bool done, const char *name) {
    if (done)
        trace_count_unknown(trace_unknown(name));
    else
        trace_is_other();
}

/* Without space for a key, some only check the other parameters. */
#define DERIVATION(function, NAME, PARAMETERS, ...)                                                \
    WRAPPER int function PARAMETERS {                                                              \
        REAL(int PARAMETERS, function);                                                            \
        struct span span;                                                                          \
        if (!ENTER(&span, LONG_CALL))                                                              \
            return real(__VA_ARGS__);                                                              \
        int done = real(__VA_ARGS__);                                                              \
        trace_leave(&span, LONG_CALL);                                                             \
        derived(done > 0 && key != NULL, NAME);                                                    \
        return done;                                                                               \
    }

DERIVATION(PKCS5_PBKDF2_HMAC, "PBKDF2",
           (const char *password, int bytes, const unsigned char *salt, int salt_bytes,
            int iterations, const void *md, int key_bytes, unsigned char *key),
           password, bytes, salt, salt_bytes, iterations, md, key_bytes, key)
DERIVATION(PKCS5_PBKDF2_HMAC_SHA1, "PBKDF2",
           (const char *password, int bytes, const unsigned char *salt, int salt_bytes,
            int iterations, int key_bytes, unsigned char *key),
           password, bytes, salt, salt_bytes, iterations, key_bytes, key)
DERIVATION(EVP_PBE_scrypt, "SCRYPT",
           (const char *password, size_t bytes, const unsigned char *salt, size_t salt_bytes,
            uint64_t n, uint64_t r, uint64_t p, uint64_t memory, unsigned char *key,
            size_t key_bytes),
           password, bytes, salt, salt_bytes, n, r, p, memory, key, key_bytes)

static const void *kdf_of(const void *context) {
    REAL(const void *(const void *), EVP_KDF_CTX_kdf);
    return real(context);
}

static const char *name_of(const void *context) {
    const void *kdf = kdf_of(context);
    if (kdf == NULL)
        return NULL;
    REAL(const char *(const void *), EVP_KDF_get0_name);
    return real(kdf);
}

/* HKDF, PBKDF2, SCRYPT and others. */
DERIVATION(EVP_KDF_derive, name_of(context),
           (void *context, unsigned char *key, size_t bytes, const void *parameters), context, key,
           bytes, parameters)
