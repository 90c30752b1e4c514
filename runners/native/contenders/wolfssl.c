/* wolfssl.c: wolfSSL 5, through the functions of wolfCrypt. Contexts are kept, and so is the key if
 * the contract prepares it and the algorithm has a context that keeps it. */
#include <wolfssl/options.h>

#include "cupel_contender.h"
#include "kept.h"

#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/blake2.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/cmac.h>
#include <wolfssl/wolfcrypt/error-crypt.h>
#include <wolfssl/wolfcrypt/hmac.h>
#include <wolfssl/wolfcrypt/sha.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/sha3.h>
#include <wolfssl/wolfcrypt/sha512.h>
#include <wolfssl/wolfcrypt/siphash.h>
#include <wolfssl/wolfcrypt/wc_port.h>

#include <wolfssl/version.h>
/* wolfSSL Inc. also sells another licence. */
#if LIBWOLFSSL_VERSION_HEX >= 0x05008002
#define LICENCE "GPL-3.0-or-later"
#else
#define LICENCE "GPL-2.0-or-later"
#endif

#ifdef WOLFCRYPT_ONLY /* an installed release: no TLS, and of one build with its headers */
#define VERSION LIBWOLFSSL_VERSION_STRING
#else
/* The library's version at run time; declared in wolfssl/ssl.h, which has all of TLS. */
WOLFSSL_API const char *wolfSSL_lib_version(void);
#define VERSION wolfSSL_lib_version()
#endif

enum { TAG = 16, NONCE = 12, XNONCE = 24, BLOCK = 16 };

/* The differences between the digests: wolfCrypt's functions, with the context as void *. */
typedef struct digest {
    const char *primitive;
    size_t size;
    int (*init)(void *context);
    int (*update)(void *context, const uint8_t *data, word32 len);
    int (*finish)(void *context, uint8_t *out);
} digest;

typedef union context {
    wc_Sha sha1;
    wc_Sha256 sha256;
    wc_Sha512 sha512;
    wc_Sha3 sha3_256;
    Blake2b blake2b;
    Blake2s blake2s;
    Hmac hmac;
    Aes aes;
} context;

typedef struct cell {
    context context; /* first: it needs the alignment of an allocation */
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    const digest *digest;
    size_t size; /* of the MAC, in bytes */
    int hmac_hash;
    int sealing;
    enum { NOTHING, HMAC, AES } open; /* the type as which the context must be freed */
} cell;

#include "cell.h"

/* wolfCrypt's functions take their own context type. A call through another type is undefined
 * in C, so each has a function here that takes void *. */
#define DIGEST(name, type, start, add, end)                                                        \
    static int name##_begin(void *at) {                                                            \
        type *context = at;                                                                        \
        return start;                                                                              \
    }                                                                                              \
    static int name##_add(void *at, const uint8_t *data, word32 len) {                             \
        return add((type *)at, data, len);                                                         \
    }                                                                                              \
    static int name##_end(void *at, uint8_t *out) {                                                \
        type *context = at;                                                                        \
        return end;                                                                                \
    }

DIGEST(sha1, wc_Sha, wc_InitSha(context), wc_ShaUpdate, wc_ShaFinal(context, out))
DIGEST(sha256, wc_Sha256, wc_InitSha256(context), wc_Sha256Update, wc_Sha256Final(context, out))
DIGEST(sha512, wc_Sha512, wc_InitSha512(context), wc_Sha512Update, wc_Sha512Final(context, out))
DIGEST(sha512_256, wc_Sha512, wc_InitSha512_256(context), wc_Sha512_256Update,
       wc_Sha512_256Final(context, out))
DIGEST(sha3_256, wc_Sha3, wc_InitSha3_256(context, NULL, INVALID_DEVID), wc_Sha3_256_Update,
       wc_Sha3_256_Final(context, out))
DIGEST(blake2b, Blake2b, wc_InitBlake2b(context, 64), wc_Blake2bUpdate,
       wc_Blake2bFinal(context, out, 64))
DIGEST(blake2s, Blake2s, wc_InitBlake2s(context, 32), wc_Blake2sUpdate,
       wc_Blake2sFinal(context, out, 32))

static const digest digests[] = {
    {"sha1", 20, sha1_begin, sha1_add, sha1_end},
    {"sha256", 32, sha256_begin, sha256_add, sha256_end},
    {"sha512", 64, sha512_begin, sha512_add, sha512_end},
    {"sha512-256", 32, sha512_256_begin, sha512_256_add, sha512_256_end},
    {"sha3-256", 32, sha3_256_begin, sha3_256_add, sha3_256_end},
    {"blake2b", 64, blake2b_begin, blake2b_add, blake2b_end},
    {"blake2s", 32, blake2s_begin, blake2s_add, blake2s_end},
};

/* wolfCrypt counts in 32 bits. */
static int too_long(cupel_state *state, const cupel_io *io) {
    if (io->input_len <= UINT32_MAX && io->ad_len <= UINT32_MAX && io->nonce_len <= UINT32_MAX)
        return CUPEL_OK;
    return refuse(state, CUPEL_UNSUPPORTED, "wolfSSL takes at most 4 GiB in a call");
}

static int finished(cupel_state *state, int error) {
    return error ? refuse(state, CUPEL_FAILED, wc_GetErrorString(error)) : CUPEL_OK;
}

/* ---- digest ---- */

static int hash(cell *c, cupel_state *state, cupel_io *io) {
    if (too_long(state, io) != CUPEL_OK)
        return CUPEL_UNSUPPORTED;
    int error = c->digest->init(&c->context);
    for (size_t at = 0, turn = 0, n; !error && at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        error = c->digest->update(&c->context, io->input + at, (word32)n);
    }
    if (!error)
        error = c->digest->finish(&c->context, io->output);
    io->output_len = c->digest->size;
    return finished(state, error);
}

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
        if (strcmp(task->primitive, digests[i].primitive) == 0)
            c->digest = &digests[i];
    if (c->digest == NULL)
        return refuse(state, CUPEL_UNSUPPORTED, "not a digest of this contender");
    c->call = hash;
    return CUPEL_OK;
}

/* ---- mac ---- */

static int hmac(cell *c, cupel_state *state, cupel_io *io) {
    if (too_long(state, io) != CUPEL_OK)
        return CUPEL_UNSUPPORTED;
    int error = c->kept.key_per_call ? wc_HmacSetKey(&c->context.hmac, c->hmac_hash, c->kept.key,
                                                     (word32)c->kept.key_len)
                                     : 0;
    for (size_t at = 0, turn = 0, n; !error && at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        error = wc_HmacUpdate(&c->context.hmac, io->input + at, (word32)n);
    }
    if (!error)
        error = wc_HmacFinal(&c->context.hmac, io->output); /* it keeps the key */
    io->output_len = c->size;
    return finished(state, error);
}

static int open_hmac(cell *c, int short_hash, cupel_state *state) {
    if (c->kept.key_len > UINT32_MAX)
        return refuse(state, CUPEL_UNSUPPORTED, "the key is over 4 GiB");
    c->hmac_hash = short_hash ? WC_SHA256 : WC_SHA512;
    c->size = short_hash ? 32 : 64;
    c->call = hmac;
    int error = wc_HmacInit(&c->context.hmac, NULL, INVALID_DEVID);
    if (error)
        return finished(state, error);
    c->open = HMAC;
    return finished(
        state, wc_HmacSetKey(&c->context.hmac, c->hmac_hash, c->kept.key, (word32)c->kept.key_len));
}

/* wc_CmacFinal clears the context, with its key. */
static int cmac(cell *c, cupel_state *state, cupel_io *io) {
    if (too_long(state, io) != CUPEL_OK)
        return CUPEL_UNSUPPORTED;
    Cmac with;
    word32 len = BLOCK;
    int error = wc_InitCmac(&with, c->kept.key, (word32)c->kept.key_len, WC_CMAC_AES, NULL);
    for (size_t at = 0, turn = 0, n; !error && at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        error = wc_CmacUpdate(&with, io->input + at, (word32)n);
    }
    if (!error)
        error = wc_CmacFinal(&with, io->output, &len);
    io->output_len = len;
    return finished(state, error);
}

/* SipHash's key schedule is four exclusive ors (paper, section 2.1), so one function is enough for
 * both contracts. */
static int siphash(cell *c, cupel_state *state, cupel_io *io) {
    if (too_long(state, io) != CUPEL_OK)
        return CUPEL_UNSUPPORTED;
    io->output_len = c->size;
    return finished(state, wc_SipHash(c->kept.key, io->input, (word32)io->input_len, io->output,
                                      (unsigned char)c->size));
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    if (strncmp(task->primitive, "hmac-", 5) == 0)
        return open_hmac(c, strcmp(task->primitive, "hmac-sha256") == 0, state);
    if (c->kept.key_len != 16)
        return refuse(state, CUPEL_UNSUPPORTED, "this MAC has keys of 16 bytes");
    if (strcmp(task->primitive, "aes-cmac") == 0) {
        if (!c->kept.key_per_call)
            return refuse(state, CUPEL_UNSUPPORTED, "takes its key in every call, by its nature");
        c->call = cmac;
        return CUPEL_OK;
    }
    /* In 5.5.4, wc_SipHashUpdate byte by byte gives another MAC than wc_SipHash for the message. */
    if (c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "wc_SipHash takes no chunks");
    c->size =
        strcmp(task->primitive, "siphash-2-4") == 0 ? SIPHASH_MAC_SIZE_8 : SIPHASH_MAC_SIZE_16;
    c->call = siphash;
    return CUPEL_OK;
}

/* ---- AEAD ---- */

/* Refuses a sealed message that is not authentic, and leaves nothing of it. */
static int opened(cupel_state *state, cupel_io *io, size_t len, int error, int not_authentic) {
    io->output_len = len;
    if (error)
        wipe(io->output, len);
    return error == not_authentic ? CUPEL_REFUSED : finished(state, error);
}

static int gcm(cell *c, cupel_state *state, cupel_io *io) {
    if (!c->sealing && io->input_len < TAG)
        return CUPEL_REFUSED;
    if (too_long(state, io) != CUPEL_OK)
        return CUPEL_UNSUPPORTED;
    if (io->nonce_len == 0)
        return refuse(state, CUPEL_UNSUPPORTED, "GCM has no empty nonce");
    Aes *aes = &c->context.aes;
    int error =
        c->kept.key_per_call ? wc_AesGcmSetKey(aes, c->kept.key, (word32)c->kept.key_len) : 0;
    if (error)
        return finished(state, error);
    if (c->sealing) {
        io->output_len = io->input_len + TAG;
        return finished(state, wc_AesGcmEncrypt(aes, io->output, io->input, (word32)io->input_len,
                                                io->nonce, (word32)io->nonce_len,
                                                io->output + io->input_len, TAG, io->ad,
                                                (word32)io->ad_len));
    }
    size_t len = io->input_len - TAG;
    error =
        wc_AesGcmDecrypt(aes, io->output, io->input, (word32)len, io->nonce, (word32)io->nonce_len,
                         io->input + len, TAG, io->ad, (word32)io->ad_len);
    return opened(state, io, len, error, AES_GCM_AUTH_E);
}

static int open_gcm(cell *c, size_t key_len, cupel_state *state) {
    if (c->kept.key_len != key_len)
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has keys of another length");
    if (c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "wc_AesGcmEncrypt takes no chunks");
    int error = wc_AesInit(&c->context.aes, NULL, INVALID_DEVID);
    if (error)
        return finished(state, error);
    c->open = AES;
    c->call = gcm;
    return finished(state, wc_AesGcmSetKey(&c->context.aes, c->kept.key, (word32)key_len));
}

/* wolfCrypt's functions for a whole message take the key in every call, whatever the contract. */
static int chacha(cell *c, cupel_state *state, cupel_io *io) {
    if (!c->sealing && io->input_len < TAG)
        return CUPEL_REFUSED;
    if (too_long(state, io) != CUPEL_OK)
        return CUPEL_UNSUPPORTED;
    if (io->nonce_len != NONCE)
        return refuse(state, CUPEL_UNSUPPORTED, "ChaCha20-Poly1305 has nonces of 12 bytes");
    if (c->sealing) {
        io->output_len = io->input_len + TAG;
        return finished(state, wc_ChaCha20Poly1305_Encrypt(
                                   c->kept.key, io->nonce, io->ad, (word32)io->ad_len, io->input,
                                   (word32)io->input_len, io->output, io->output + io->input_len));
    }
    size_t len = io->input_len - TAG;
    int error = wc_ChaCha20Poly1305_Decrypt(c->kept.key, io->nonce, io->ad, (word32)io->ad_len,
                                            io->input, (word32)len, io->input + len, io->output);
    return opened(state, io, len, error, MAC_CMP_FAILED_E);
}

static int xchacha(cell *c, cupel_state *state, cupel_io *io) {
    if (!c->sealing && io->input_len < TAG)
        return CUPEL_REFUSED;
    if (too_long(state, io) != CUPEL_OK)
        return CUPEL_UNSUPPORTED;
    if (io->nonce_len != XNONCE)
        return refuse(state, CUPEL_UNSUPPORTED, "XChaCha20-Poly1305 has nonces of 24 bytes");
    if (c->sealing) {
        size_t len = io->input_len + TAG;
        io->output_len = len;
        return finished(state, wc_XChaCha20Poly1305_Encrypt(
                                   io->output, len, io->input, io->input_len, io->ad, io->ad_len,
                                   io->nonce, XNONCE, c->kept.key, c->kept.key_len));
    }
    size_t len = io->input_len - TAG;
    int error =
        wc_XChaCha20Poly1305_Decrypt(io->output, len, io->input, io->input_len, io->ad, io->ad_len,
                                     io->nonce, XNONCE, c->kept.key, c->kept.key_len);
    return opened(state, io, len, error, MAC_CMP_FAILED_E);
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    c->sealing = strcmp(task->operation, "seal") == 0;
    if (strncmp(task->primitive, "aes-", 4) == 0)
        return open_gcm(c, strcmp(task->primitive, "aes-128-gcm") == 0 ? 16 : 32, state);
    if (c->kept.key_len != 32)
        return refuse(state, CUPEL_UNSUPPORTED, "ChaCha20 has keys of 32 bytes");
    if (c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "the functions for a whole message take no chunks");
    c->call = strcmp(task->primitive, "chacha20-poly1305") == 0 ? chacha : xchacha;
    return CUPEL_OK;
}

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static cupel_contender self = {
        .name = "wolfssl",
        .library = "wolfSSL",
        .licence = LICENCE,
        .summary = "wolfCrypt; Init, Update, Final; key kept for HMAC and GCM",
        .offers = "sha1:digest sha256:digest sha512:digest sha512-256:digest "
                  "sha3-256:digest blake2b:digest blake2s:digest "
                  "sha1:digest-many sha256:digest-many sha512:digest-many "
                  "hmac-sha256:mac hmac-sha512:mac aes-cmac:mac:key-per-call "
                  "siphash-2-4:mac siphash-2-4-128:mac aes-128-gcm:seal "
                  "aes-128-gcm:open aes-256-gcm:seal aes-256-gcm:open "
                  "chacha20-poly1305:seal chacha20-poly1305:open "
                  "xchacha20-poly1305:seal xchacha20-poly1305:open",
    };
    self.version = VERSION;
    return index == 0 ? &self : NULL;
}

static void drop(cell *c) {
    if (c->open == HMAC)
        wc_HmacFree(&c->context.hmac);
    if (c->open == AES)
        wc_AesFree(&c->context.aes);
    kept_drop(&c->kept);
    wipe(c, sizeof *c);
    free(c);
}

/* wolfSSL selects when it is built, and among its assembly at run time. */
static const char *code_path(void) {
#if defined(WOLFSSL_AESNI) || defined(USE_INTEL_SPEEDUP) || defined(WOLFSSL_ARMASM)
    return "unknown: selected by wolfSSL, which was built with assembly and does not report it";
#else
    return "portable C: this wolfSSL was built without assembly";
#endif
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    state->code_path = code_path();
    return choose_of(open_digest, open_mac, open_aead, c, task, state);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    size_t align = _Alignof(cell) < 32 ? 32 : _Alignof(cell);
    size_t size = (sizeof(cell) + align - 1) / align * align;
    cell *c = aligned_alloc(align, size);
    if (c != NULL)
        memset(c, 0, size);
    return open_cell(c, task, state);
}
