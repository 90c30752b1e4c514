/* gcrypt.c: libgcrypt's digests, MACs and authenticated encryption. */

#include "contexts.h"

#include <stdio.h>

const char trace_family[] = "libgcrypt";
const char trace_library[] = "libgcrypt.so.20";

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
    P_AES_128_GCM,
    P_AES_256_GCM,
    P_AES_256_GCM_SIV,
    P_CHACHA20_POLY1305,
    PRIMITIVES
};

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
    [P_AES_128_GCM] = "aes-128-gcm",
    [P_AES_256_GCM] = "aes-256-gcm",
    [P_AES_256_GCM_SIV] = "aes-256-gcm-siv",
    [P_CHACHA20_POLY1305] = "chacha20-poly1305",
};
const size_t trace_primitive_count = PRIMITIVES;

/* The numbers of <gcrypt.h>. */
enum {
    CTL_RESET = 4,
    CTL_FINALIZE = 5,
    FLAG_HMAC = 2,
    KDF_PBKDF2 = 34,
    KDF_SCRYPT = 48,
    MODE_POLY1305 = 10,
    MODE_GCM = 9,
    MODE_CCM = 8,
    MODE_OCB = 11,
    MODE_EAX = 14,
    MODE_SIV = 15,
    MODE_GCM_SIV = 16
};

/* The beginning of a digest's handle. The macro gcry_md_putc writes into its buffer without a
 * call. */
struct buffered {
    void *own;
    int filled;
};

static const char *name_of_digest(int algorithm) {
    REAL(const char *(int), gcry_md_algo_name);
    return real(algorithm);
}

static name_t hmac(int algorithm) {
    switch (algorithm) {
    case 8:
        return P_HMAC_SHA256;
    case 10:
        return P_HMAC_SHA512;
    default:
        break;
    }
    char whole[64];
    const char *name = name_of_digest(algorithm);
    snprintf(whole, sizeof(whole), "HMAC-%s", name != NULL ? name : "unknown");
    return trace_unknown(whole);
}

static name_t digest(int algorithm) {
    switch (algorithm) {
    case 2:
        return P_SHA1;
    case 8:
        return P_SHA256;
    case 10:
        return P_SHA512;
    case 327:
        return P_SHA512_256;
    case 313:
        return P_SHA3_256;
    case 316:
        return P_SHAKE128;
    case 318:
        return P_BLAKE2B;
    case 322:
        return P_BLAKE2S;
    default:
        return trace_unknown(name_of_digest(algorithm));
    }
}

/* In `note`: the flag of HMAC. A handle may compute several digests of one message. */
static void enable(struct context *context, int algorithm) {
    if (algorithm == 0 || context->name_count == TRACE_NAMES)
        return;
    name_t name = context->note == FLAG_HMAC ? hmac(algorithm) : digest(algorithm);
    for (int i = 0; i < context->name_count; i++)
        if (context->names[i] == name)
            return;
    context->names[context->name_count++] = name;
}

WRAPPER unsigned int gcry_md_open(struct buffered **handle, int algorithm, unsigned int flags) {
    REAL(unsigned int(struct buffered **, int, unsigned int), gcry_md_open);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, algorithm, flags);
    unsigned int error = real(handle, algorithm, flags);
    trace_leave(&span, 0);
    struct context *context = error == 0 ? context_for(*handle) : NULL;
    if (context != NULL) {
        context->name_count = 0;
        context->is_keyed = false;
        context->note = flags & FLAG_HMAC;
        enable(context, algorithm);
        context_begin(context);
    }
    return error;
}

WRAPPER unsigned int gcry_md_enable(struct buffered *handle, int algorithm) {
    REAL(unsigned int(struct buffered *, int), gcry_md_enable);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, algorithm);
    unsigned int error = real(handle, algorithm);
    trace_leave(&span, 0);
    struct context *context = error == 0 ? context_of(handle) : NULL;
    if (context != NULL)
        enable(context, algorithm);
    return error;
}

WRAPPER void gcry_md_write(struct buffered *handle, const void *data, size_t bytes) {
    REAL_VOID(void(struct buffered *, const void *, size_t), gcry_md_write);
    struct span span;
    if (!ENTER(&span, bytes)) {
        real(handle, data, bytes);
        return;
    }
    size_t filled = handle != NULL && handle->filled > 0 ? (size_t)handle->filled : 0;
    real(handle, data, bytes);
    trace_leave(&span, bytes);
    if (filled > 0)
        context_add(handle, filled);
    if (bytes > 0 || filled == 0)
        context_add(handle, bytes);
}

/* The message ends with the first of these. */
static void end(struct buffered *handle, size_t filled) {
    struct context *context = context_of(handle);
    if (context == NULL || !context->is_active)
        return;
    if (filled > 0)
        context_add(handle, filled);
    context_count(context, context->note == FLAG_HMAC ? MAC : DIGEST);
}

WRAPPER unsigned int gcry_md_ctl(struct buffered *handle, int command, void *data, size_t bytes) {
    REAL(unsigned int(struct buffered *, int, void *, size_t), gcry_md_ctl);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, command, data, bytes);
    size_t filled = handle != NULL && handle->filled > 0 ? (size_t)handle->filled : 0;
    unsigned int error = real(handle, command, data, bytes);
    trace_leave(&span, 0);
    if (error == 0 && command == CTL_FINALIZE)
        end(handle, filled);
    return error;
}

WRAPPER unsigned char *gcry_md_read(struct buffered *handle, int algorithm) {
    REAL(unsigned char *(struct buffered *, int), gcry_md_read);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, algorithm);
    size_t filled = handle != NULL && handle->filled > 0 ? (size_t)handle->filled : 0;
    unsigned char *done = real(handle, algorithm);
    trace_leave(&span, 0);
    if (done != NULL)
        end(handle, filled);
    return done;
}

WRAPPER unsigned int gcry_md_extract(struct buffered *handle, int algorithm, void *to,
                                     size_t length) {
    REAL(unsigned int(struct buffered *, int, void *, size_t), gcry_md_extract);
    struct span span;
    if (!ENTER(&span, length))
        return real(handle, algorithm, to, length);
    size_t filled = handle != NULL && handle->filled > 0 ? (size_t)handle->filled : 0;
    unsigned int error = real(handle, algorithm, to, length);
    trace_leave(&span, length);
    if (error == 0)
        end(handle, filled);
    return error;
}

WRAPPER void gcry_md_reset(struct buffered *handle) {
    REAL_VOID(void(struct buffered *), gcry_md_reset);
    struct span span;
    if (!ENTER(&span, 0)) {
        real(handle);
        return;
    }
    real(handle);
    trace_leave(&span, 0);
    struct context *context = context_of(handle);
    if (context != NULL)
        context_begin(context);
}

WRAPPER unsigned int gcry_md_copy(struct buffered **to, struct buffered *from) {
    REAL(unsigned int(struct buffered **, struct buffered *), gcry_md_copy);
    struct span span;
    if (!ENTER(&span, 0))
        return real(to, from);
    size_t filled = from != NULL && from->filled > 0 ? (size_t)from->filled : 0;
    unsigned int error = real(to, from);
    trace_leave(&span, 0);
    if (error == 0) {
        /* Copying empties the buffer of the original. */
        if (filled > 0 && from->filled == 0)
            context_add(from, filled);
        context_copy(*to, from);
    }
    return error;
}

WRAPPER unsigned int gcry_md_setkey(struct buffered *handle, const void *key, size_t bytes) {
    REAL(unsigned int(struct buffered *, const void *, size_t), gcry_md_setkey);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, key, bytes);
    unsigned int error = real(handle, key, bytes);
    trace_leave(&span, 0);
    struct context *context = error == 0 ? context_of(handle) : NULL;
    if (context != NULL) {
        context->is_keyed = true;
        context_begin(context);
    }
    return error;
}

WRAPPER void gcry_md_close(struct buffered *handle) {
    REAL_VOID(void(struct buffered *), gcry_md_close);
    if (IS_OUTERMOST())
        context_forget(handle);
    real(handle);
}

static void at_once(name_t name, enum operation operation, size_t bytes) {
    if (name < trace_primitive_count)
        trace_count(name, operation, ONE_PIECE, operation == MAC ? PER_CALL : NO_KEY, bytes);
    else
        trace_count_unknown(name);
}

WRAPPER void gcry_md_hash_buffer(int algorithm, void *to, const void *data, size_t bytes) {
    REAL_VOID(void(int, void *, const void *, size_t), gcry_md_hash_buffer);
    struct span span;
    if (!ENTER(&span, bytes)) {
        real(algorithm, to, data, bytes);
        return;
    }
    real(algorithm, to, data, bytes);
    trace_leave(&span, bytes);
    at_once(digest(algorithm), DIGEST, bytes);
}

/* gcry_buffer_t */
struct piece {
    size_t size, offset, bytes;
    void *data;
};

WRAPPER unsigned int gcry_md_hash_buffers(int algorithm, unsigned int flags, void *to,
                                          const struct piece *pieces, int count) {
    REAL(unsigned int(int, unsigned int, void *, const struct piece *, int), gcry_md_hash_buffers);
    /* With HMAC the first piece is the key. */
    bool is_mac = (flags & FLAG_HMAC) != 0;
    size_t bytes = 0;
    for (int i = is_mac; pieces != NULL && i < count; i++)
        bytes += pieces[i].bytes;
    struct span span;
    if (!ENTER(&span, bytes))
        return real(algorithm, flags, to, pieces, count);
    unsigned int error = real(algorithm, flags, to, pieces, count);
    trace_leave(&span, bytes);
    if (error == 0)
        at_once(is_mac ? hmac(algorithm) : digest(algorithm), is_mac ? MAC : DIGEST, bytes);
    return error;
}

static const char *name_of_mac(int algorithm) {
    REAL(const char *(int), gcry_mac_algo_name);
    return real(algorithm);
}

WRAPPER unsigned int gcry_mac_open(void **handle, int algorithm, unsigned int flags, void *more) {
    REAL(unsigned int(void **, int, unsigned int, void *), gcry_mac_open);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, algorithm, flags, more);
    unsigned int error = real(handle, algorithm, flags, more);
    trace_leave(&span, 0);
    struct context *context = error == 0 ? context_for(*handle) : NULL;
    if (context != NULL) {
        context->names[0] = algorithm == 101   ? P_HMAC_SHA256
                            : algorithm == 103 ? P_HMAC_SHA512
                            /* CMAC with AES: only the key's length says with which. */
                            : algorithm == 201 ? P_AES_CMAC
                                               : trace_unknown(name_of_mac(algorithm));
        context->name_count = 1;
        context->is_keyed = false;
        context_begin(context);
    }
    return error;
}

WRAPPER unsigned int gcry_mac_setkey(void *handle, const void *key, size_t bytes) {
    REAL(unsigned int(void *, const void *, size_t), gcry_mac_setkey);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, key, bytes);
    unsigned int error = real(handle, key, bytes);
    trace_leave(&span, 0);
    struct context *context = error == 0 ? context_of(handle) : NULL;
    if (context != NULL) {
        if (context->names[0] == P_AES_CMAC && bytes != 16)
            context->names[0] = trace_unknown("CMAC-AES, longer key");
        context->is_keyed = true;
        context_begin(context);
    }
    return error;
}

WRAPPER unsigned int gcry_mac_write(void *handle, const void *data, size_t bytes) {
    REAL(unsigned int(void *, const void *, size_t), gcry_mac_write);
    struct span span;
    if (!ENTER(&span, bytes))
        return real(handle, data, bytes);
    unsigned int error = real(handle, data, bytes);
    trace_leave(&span, bytes);
    if (error == 0)
        context_add(handle, bytes);
    return error;
}

static void end_of_mac(void *handle) {
    struct context *context = context_of(handle);
    if (context != NULL)
        context_count(context, MAC);
}

WRAPPER unsigned int gcry_mac_read(void *handle, void *to, size_t *length) {
    REAL(unsigned int(void *, void *, size_t *), gcry_mac_read);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, to, length);
    unsigned int error = real(handle, to, length);
    trace_leave(&span, 0);
    if (error == 0)
        end_of_mac(handle);
    return error;
}

WRAPPER unsigned int gcry_mac_verify(void *handle, const void *tag, size_t bytes) {
    REAL(unsigned int(void *, const void *, size_t), gcry_mac_verify);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, tag, bytes);
    unsigned int error = real(handle, tag, bytes);
    trace_leave(&span, 0);
    if (error == 0)
        end_of_mac(handle);
    return error;
}

WRAPPER unsigned int gcry_mac_ctl(void *handle, int command, void *data, size_t bytes) {
    REAL(unsigned int(void *, int, void *, size_t), gcry_mac_ctl);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, command, data, bytes);
    unsigned int error = real(handle, command, data, bytes);
    trace_leave(&span, 0);
    struct context *context = error == 0 && command == CTL_RESET ? context_of(handle) : NULL;
    if (context != NULL)
        context_begin(context);
    return error;
}

WRAPPER void gcry_mac_close(void *handle) {
    REAL_VOID(void(void *), gcry_mac_close);
    if (IS_OUTERMOST())
        context_forget(handle);
    real(handle);
}

static const char *name_of_cipher(int algorithm) {
    REAL(const char *(int), gcry_cipher_algo_name);
    return real(algorithm);
}

static name_t cipher(int algorithm, int mode) {
    if (mode == MODE_GCM && algorithm == 7)
        return P_AES_128_GCM;
    if (mode == MODE_GCM && algorithm == 9)
        return P_AES_256_GCM;
    if (mode == MODE_GCM_SIV && algorithm == 9)
        return P_AES_256_GCM_SIV;
    if (mode == MODE_POLY1305 && algorithm == 316)
        return P_CHACHA20_POLY1305;
    static const char *const modes[] = {"",     "ECB",     "CFB", "CBC", "",         "OFB",
                                        "CTR",  "AESWRAP", "CCM", "GCM", "POLY1305", "OCB",
                                        "CFB8", "XTS",     "EAX", "SIV", "GCM-SIV"};
    char whole[64];
    const char *name = name_of_cipher(algorithm);
    bool is_named = mode > 0 && (size_t)mode < sizeof(modes) / sizeof(modes[0]);
    snprintf(whole, sizeof(whole), "%s-%s", name != NULL ? name : "unknown",
             is_named ? modes[mode] : "unknown");
    return trace_unknown(whole);
}

/* In `note` the mode. Without a tag a message ends where the next one begins. */
static bool has_tag(const struct context *context) {
    switch (context->note) {
    case MODE_GCM:
    case MODE_POLY1305:
    case MODE_CCM:
    case MODE_OCB:
    case MODE_EAX:
    case MODE_SIV:
    case MODE_GCM_SIV:
        return true;
    default:
        return false;
    }
}

static void end_without_tag(struct context *context) {
    if (context != NULL && !has_tag(context) && context->bytes > 0)
        context_count(context, SEAL);
}

WRAPPER unsigned int gcry_cipher_open(void **handle, int algorithm, int mode, unsigned int flags) {
    REAL(unsigned int(void **, int, int, unsigned int), gcry_cipher_open);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, algorithm, mode, flags);
    unsigned int error = real(handle, algorithm, mode, flags);
    trace_leave(&span, 0);
    struct context *context = error == 0 ? context_for(*handle) : NULL;
    if (context != NULL) {
        context->names[0] = cipher(algorithm, mode);
        context->name_count = 1;
        context->note = (uint8_t)mode;
        context->is_keyed = false;
        context_begin(context);
    }
    return error;
}

#define BEGIN(function, IS_KEY)                                                                    \
    WRAPPER unsigned int function(void *handle, const void *data, size_t bytes) {                  \
        REAL(unsigned int(void *, const void *, size_t), function);                                \
        struct span span;                                                                          \
        if (!ENTER(&span, 0))                                                                      \
            return real(handle, data, bytes);                                                      \
        unsigned int error = real(handle, data, bytes);                                            \
        trace_leave(&span, 0);                                                                     \
        struct context *context = error == 0 ? context_of(handle) : NULL;                          \
        end_without_tag(context);                                                                  \
        if (context != NULL) {                                                                     \
            context->is_keyed |= IS_KEY;                                                           \
            context_begin(context);                                                                \
        }                                                                                          \
        return error;                                                                              \
    }

BEGIN(gcry_cipher_setkey, true)
BEGIN(gcry_cipher_setiv, false)

WRAPPER unsigned int gcry_cipher_ctl(void *handle, int command, void *data, size_t bytes) {
    REAL(unsigned int(void *, int, void *, size_t), gcry_cipher_ctl);
    struct span span;
    if (!ENTER(&span, 0))
        return real(handle, command, data, bytes);
    unsigned int error = real(handle, command, data, bytes);
    trace_leave(&span, 0);
    struct context *context = error == 0 && command == CTL_RESET ? context_of(handle) : NULL;
    end_without_tag(context);
    if (context != NULL)
        context_begin(context);
    return error;
}

/* Without input, it works in place. */
WRAPPER unsigned int gcry_cipher_encrypt(void *handle, void *out, size_t space, const void *in,
                                         size_t bytes) {
    REAL(unsigned int(void *, void *, size_t, const void *, size_t), gcry_cipher_encrypt);
    size_t size = in != NULL ? bytes : space;
    struct span span;
    if (!ENTER(&span, size))
        return real(handle, out, space, in, bytes);
    unsigned int error = real(handle, out, space, in, bytes);
    trace_leave(&span, size);
    if (error == 0)
        context_add(handle, size);
    return error;
}

/* The two modes with a nonce that may repeat check the tag themselves. */
WRAPPER unsigned int gcry_cipher_decrypt(void *handle, void *out, size_t space, const void *in,
                                         size_t bytes) {
    REAL(unsigned int(void *, void *, size_t, const void *, size_t), gcry_cipher_decrypt);
    size_t size = in != NULL ? bytes : space;
    struct span span;
    if (!ENTER(&span, size))
        return real(handle, out, space, in, bytes);
    unsigned int error = real(handle, out, space, in, bytes);
    trace_leave(&span, size);
    if (error != 0)
        return error;
    context_add(handle, size);
    struct context *context = context_of(handle);
    if (context != NULL && (context->note == MODE_SIV || context->note == MODE_GCM_SIV))
        context_count(context, OPEN);
    return error;
}

WRAPPER unsigned int gcry_cipher_authenticate(void *handle, const void *data, size_t bytes) {
    REAL(unsigned int(void *, const void *, size_t), gcry_cipher_authenticate);
    struct span span;
    if (!ENTER(&span, bytes))
        return real(handle, data, bytes);
    unsigned int error = real(handle, data, bytes);
    trace_leave(&span, bytes);
    if (error == 0)
        context_add_ad(handle, bytes);
    return error;
}

#define TAG(function, POINTER, OPERATION)                                                          \
    WRAPPER unsigned int function(void *handle, POINTER tag, size_t bytes) {                       \
        REAL(unsigned int(void *, POINTER, size_t), function);                                     \
        struct span span;                                                                          \
        if (!ENTER(&span, 0))                                                                      \
            return real(handle, tag, bytes);                                                       \
        unsigned int error = real(handle, tag, bytes);                                             \
        trace_leave(&span, 0);                                                                     \
        struct context *context = error == 0 ? context_of(handle) : NULL;                          \
        if (context != NULL)                                                                       \
            context_count(context, OPERATION);                                                     \
        return error;                                                                              \
    }

TAG(gcry_cipher_gettag, void *, SEAL)
TAG(gcry_cipher_checktag, const void *, OPEN)

/* Its many hashes are the library's own calls, and cannot be sent elsewhere one by one. */
WRAPPER unsigned int gcry_kdf_derive(const void *secret, size_t bytes, int algorithm, int hash,
                                     const void *salt, size_t salt_bytes, unsigned long iterations,
                                     size_t key_bytes, void *key) {
    REAL(unsigned int(const void *, size_t, int, int, const void *, size_t, unsigned long, size_t,
                      void *),
         gcry_kdf_derive);
    struct span span;
    if (!ENTER(&span, LONG_CALL))
        return real(secret, bytes, algorithm, hash, salt, salt_bytes, iterations, key_bytes, key);
    unsigned int error =
        real(secret, bytes, algorithm, hash, salt, salt_bytes, iterations, key_bytes, key);
    trace_leave(&span, LONG_CALL);
    if (error == 0)
        trace_count_unknown(trace_unknown(algorithm == KDF_PBKDF2   ? "PBKDF2"
                                          : algorithm == KDF_SCRYPT ? "SCRYPT"
                                                                    : "a key derivation"));
    else
        trace_is_other();
    return error;
}

WRAPPER void gcry_cipher_close(void *handle) {
    REAL_VOID(void(void *), gcry_cipher_close);
    end_without_tag(context_of(handle));
    if (IS_OUTERMOST())
        context_forget(handle);
    real(handle);
}
