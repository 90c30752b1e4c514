/* openssl.c: OpenSSL 1.1.1 and later, called in the usual ways. Nothing is fetched before 3.0:
 * there an algorithm is a constant, and EVP has no MACs.
 *
 * openssl-reused keeps one context, and its key if the contract prepares it. openssl-fetched keeps
 * the fetched algorithm and creates a context in every call. openssl-oneshot uses the functions
 * that look up the algorithm themselves, and openssl-fetch fetches it in every call. openssl-noaes
 * is openssl-reused in a process whose environment masks the CPU's AES instructions
 * (contenders/openssl.toml). */
#include "cupel_contender.h"
#include "kept.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdio.h>

#define HAS_PROVIDERS (OPENSSL_VERSION_NUMBER >= 0x30000000L)

#if HAS_PROVIDERS
#include <openssl/core_names.h>
#else
#define EVP_MD_fetch(context, name, properties)     EVP_get_digestbyname(name)
#define EVP_MD_free(md)                             ((void)(md))
#define EVP_MD_get_size                             EVP_MD_size
#define EVP_DigestInit_ex2                          EVP_DigestInit_ex
#define EVP_CIPHER_fetch(context, name, properties) EVP_get_cipherbyname(name)
#define EVP_CIPHER_free(cipher)                     ((void)(cipher))
#define EVP_CipherInit_ex2(ctx, cipher, key, iv, sealing, parameters)                              \
    EVP_CipherInit_ex(ctx, cipher, NULL, key, iv, sealing)
#endif

#if HAS_PROVIDERS
typedef EVP_MD md_algorithm;
typedef EVP_CIPHER cipher_algorithm;
#else
typedef const EVP_MD md_algorithm;
typedef const EVP_CIPHER cipher_algorithm;
#endif

enum { TAG = 16, NONCE = 12, SIPHASH_SIZE = 8, SHAKE128_SIZE = 32 };

typedef enum way { REUSED, FETCHED, ONESHOT, FETCH } way;

/* The contenders, by their index. */
enum { INDEX_REUSED, INDEX_FETCHED, INDEX_ONESHOT, INDEX_FETCH, INDEX_NOAES, CONTENDERS };

typedef unsigned char *digest_function(const unsigned char *, size_t, unsigned char *);

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    way way;
    digest_function *oneshot;
    size_t xof_len;   /* bytes to ask of a function whose output has any length; 0 of others */
    const char *name; /* of the digest or cipher, for a fetch */
    md_algorithm *md;
    EVP_MD_CTX *md_ctx;
    EVP_MD_CTX *first; /* after a prefix */
#if HAS_PROVIDERS
    EVP_MAC *mac;
    EVP_MAC_CTX *mac_ctx;
#endif
    const struct mac_kind *mac_kind;
    cipher_algorithm *cipher;
    EVP_CIPHER_CTX *cipher_ctx;
    int sealing;
    int gcm;          /* the AEAD takes nonces of other lengths than 12 bytes */
    size_t nonce_len; /* the nonce length that cipher_ctx is set to */
} cell;

#include "cell.h"

/* ---- digest ---- */

static int md_finish(cell *c, EVP_MD_CTX *ctx, cupel_state *state, cupel_io *io) {
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        if (!EVP_DigestUpdate(ctx, io->input + at, n))
            return refuse(state, CUPEL_FAILED, "EVP_DigestUpdate failed");
    }
    if (c->xof_len != 0) {
        if (!EVP_DigestFinalXOF(ctx, io->output, c->xof_len))
            return refuse(state, CUPEL_FAILED, "EVP_DigestFinalXOF failed");
        io->output_len = c->xof_len;
        return CUPEL_OK;
    }
    unsigned int len = 0;
    if (!EVP_DigestFinal_ex(ctx, io->output, &len))
        return refuse(state, CUPEL_FAILED, "EVP_DigestFinal_ex failed");
    io->output_len = len;
    return CUPEL_OK;
}

static int digest_reused(cell *c, cupel_state *state, cupel_io *io) {
    if (!EVP_DigestInit_ex2(c->md_ctx, NULL, NULL))
        return refuse(state, CUPEL_FAILED, "EVP_DigestInit_ex2 failed");
    return md_finish(c, c->md_ctx, state, io);
}

static int digest_fetched(cell *c, cupel_state *state, cupel_io *io) {
    if (c->kept.chunk_count == 0 && c->xof_len == 0) {
        unsigned int len = 0;
        if (!EVP_Digest(io->input, io->input_len, io->output, &len, c->md, NULL))
            return refuse(state, CUPEL_FAILED, "EVP_Digest failed");
        io->output_len = len;
        return CUPEL_OK;
    }
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int result = ctx != NULL && EVP_DigestInit_ex2(ctx, c->md, NULL)
                     ? md_finish(c, ctx, state, io)
                     : refuse(state, CUPEL_FAILED, "a new EVP_MD_CTX failed");
    EVP_MD_CTX_free(ctx);
    return result;
}

static int digest_oneshot(cell *c, cupel_state *state, cupel_io *io) {
    if (c->oneshot(io->input, io->input_len, io->output) == NULL)
        return refuse(state, CUPEL_FAILED, "the one-shot function failed");
    io->output_len = (size_t)EVP_MD_get_size(c->md);
    return CUPEL_OK;
}

static int digest_copied(cell *c, cupel_state *state, cupel_io *io) {
    if (!EVP_MD_CTX_copy_ex(c->md_ctx, c->first))
        return refuse(state, CUPEL_FAILED, "EVP_MD_CTX_copy_ex failed");
    return md_finish(c, c->md_ctx, state, io);
}

int cupel_prefix(cupel_state *state, const uint8_t *prefix, size_t len) {
    cell *c = (cell *)state->data;
    if (c->call != digest_reused)
        return no_copies(state);
    c->first = EVP_MD_CTX_new();
    if (c->first == NULL || !EVP_DigestInit_ex2(c->first, c->md, NULL) ||
        !EVP_DigestUpdate(c->first, prefix, len))
        return refuse(state, CUPEL_FAILED, "a new EVP_MD_CTX failed");
    c->call = digest_copied;
    return CUPEL_OK;
}

/* EVP_MD_fetch finds the algorithm by its name: under a lock, and with a reference count that all
 * threads share. */
static int digest_fetch(cell *c, cupel_state *state, cupel_io *io) {
    md_algorithm *kept = c->md;
    c->md = EVP_MD_fetch(NULL, c->name, NULL);
    int result = c->md != NULL ? digest_fetched(c, state, io)
                               : refuse(state, CUPEL_FAILED, "EVP_MD_fetch failed");
    EVP_MD_free(c->md);
    c->md = kept;
    return result;
}

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    static const struct {
        const char *primitive, *openssl;
        digest_function *oneshot;
    } digests[] = {
        {"sha1", "SHA1", SHA1},          {"sha256", "SHA256", SHA256},
        {"sha512", "SHA512", SHA512},    {"sha512-256", "SHA512-256", NULL},
        {"sha3-256", "SHA3-256", NULL},  {"shake128", "SHAKE128", NULL},
        {"blake2b", "BLAKE2b512", NULL}, {"blake2s", "BLAKE2s256", NULL},
    };
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
        if (strcmp(task->primitive, digests[i].primitive) == 0) {
            c->md = EVP_MD_fetch(NULL, digests[i].openssl, NULL);
            c->oneshot = digests[i].oneshot;
            c->name = digests[i].openssl;
        }
    if (strcmp(task->primitive, "shake128") == 0)
        c->xof_len = SHAKE128_SIZE;
    if (c->md == NULL)
        return refuse(state, CUPEL_MISSING, "this OpenSSL does not have the digest");
    if (c->way == ONESHOT) {
        if (c->kept.chunk_count != 0)
            return refuse(state, CUPEL_UNSUPPORTED, "a one-shot function takes no chunks");
        c->call = digest_oneshot;
        return CUPEL_OK;
    }
    c->call = c->way == REUSED ? digest_reused : c->way == FETCH ? digest_fetch : digest_fetched;
    if (c->way == REUSED) {
        c->md_ctx = EVP_MD_CTX_new();
        if (c->md_ctx == NULL || !EVP_DigestInit_ex2(c->md_ctx, c->md, NULL))
            return refuse(state, CUPEL_FAILED, "a new EVP_MD_CTX failed");
    }
    return CUPEL_OK;
}

/* ---- mac ---- */

/* A MAC, with the parameters that OpenSSL needs. */
typedef struct mac_kind {
    const char *primitive, *openssl;
    const char *digest;         /* of HMAC, or NULL */
    const char *cipher;         /* of CMAC, or NULL */
    size_t size;                /* of the output, where it can be chosen, or 0 */
    size_t key_len;             /* the only length of its keys, or 0 */
    const EVP_MD *(*evp)(void); /* the digest for the one-shot function, or NULL */
} mac_kind;

static const mac_kind macs[] = {
    {"hmac-sha256", "HMAC", "SHA256", NULL, 0, 0, EVP_sha256},
    {"hmac-sha512", "HMAC", "SHA512", NULL, 0, 0, EVP_sha512},
    {"aes-cmac", "CMAC", NULL, "AES-128-CBC", 0, 16, NULL},
    {"siphash-2-4", "SIPHASH", NULL, NULL, SIPHASH_SIZE, 16, NULL},
};

#if HAS_PROVIDERS

/* If key is NULL, the context keeps its key. */
static int mac_with(cell *c, EVP_MAC_CTX *ctx, const uint8_t *key, cupel_state *state,
                    cupel_io *io) {
    if (!EVP_MAC_init(ctx, key, key == NULL ? 0 : c->kept.key_len, NULL))
        return refuse(state, CUPEL_FAILED, "EVP_MAC_init failed");
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        if (!EVP_MAC_update(ctx, io->input + at, n))
            return refuse(state, CUPEL_FAILED, "EVP_MAC_update failed");
    }
    if (!EVP_MAC_final(ctx, io->output, &io->output_len, io->output_len))
        return refuse(state, CUPEL_FAILED, "EVP_MAC_final failed");
    return CUPEL_OK;
}

static int mac_reused(cell *c, cupel_state *state, cupel_io *io) {
    return mac_with(c, c->mac_ctx, c->kept.key_per_call ? c->kept.key : NULL, state, io);
}

/* A new context with the algorithm's parameters and no key. */
static EVP_MAC_CTX *mac_new(const cell *c) {
    /* OpenSSL's parameters are not const, but they are only read. */
    const mac_kind *kind = c->mac_kind;
    size_t size = kind->size;
    OSSL_PARAM with[] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
    if (kind->digest != NULL)
        with[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
                                                   (char *)(uintptr_t)kind->digest, 0);
    else if (kind->cipher != NULL)
        with[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER,
                                                   (char *)(uintptr_t)kind->cipher, 0);
    else
        with[0] = OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size);
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(c->mac);
    if (ctx != NULL && EVP_MAC_CTX_set_params(ctx, with))
        return ctx;
    EVP_MAC_CTX_free(ctx);
    return NULL;
}

static int mac_fetched(cell *c, cupel_state *state, cupel_io *io) {
    EVP_MAC_CTX *ctx = mac_new(c);
    if (ctx == NULL)
        return refuse(state, CUPEL_FAILED, "a new EVP_MAC_CTX failed");
    int result = mac_with(c, ctx, c->kept.key, state, io);
    EVP_MAC_CTX_free(ctx);
    return result;
}

static int open_evp_mac(cell *c, cupel_state *state) {
    c->mac = EVP_MAC_fetch(NULL, c->mac_kind->openssl, NULL);
    if (c->mac == NULL)
        return refuse(state, CUPEL_MISSING, "no provider of this OpenSSL has the MAC");
    c->call = c->way == REUSED ? mac_reused : mac_fetched;
    if (c->way == REUSED) {
        c->mac_ctx = mac_new(c);
        if (c->mac_ctx == NULL || !EVP_MAC_init(c->mac_ctx, c->kept.key, c->kept.key_len, NULL))
            return refuse(state, CUPEL_FAILED, "a new EVP_MAC_CTX failed");
    }
    return CUPEL_OK;
}

static void drop_mac(cell *c) {
    EVP_MAC_CTX_free(c->mac_ctx);
    EVP_MAC_free(c->mac);
}

#else

static int open_evp_mac(cell *c, cupel_state *state) {
    (void)c;
    return refuse(state, CUPEL_MISSING, "OpenSSL has EVP_MAC since 3.0");
}

static void drop_mac(cell *c) {
    (void)c;
}

#endif

static int mac_oneshot(cell *c, cupel_state *state, cupel_io *io) {
    unsigned int len = 0;
    if (HMAC(c->mac_kind->evp(), c->kept.key, (int)c->kept.key_len, io->input, io->input_len,
             io->output, &len) == NULL)
        return refuse(state, CUPEL_FAILED, "HMAC failed");
    io->output_len = len;
    return CUPEL_OK;
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    for (size_t i = 0; i < sizeof macs / sizeof *macs; i++)
        if (strcmp(task->primitive, macs[i].primitive) == 0)
            c->mac_kind = &macs[i];
    if (c->mac_kind == NULL)
        return refuse(state, CUPEL_UNSUPPORTED, "not a MAC of this contender");
    if (c->way != REUSED && !c->kept.key_per_call)
        return refuse(state, CUPEL_UNSUPPORTED, "takes its key in every call, by its nature");
    if (c->mac_kind->key_len != 0 && c->kept.key_len != c->mac_kind->key_len)
        return refuse(state, CUPEL_UNSUPPORTED, "this MAC has keys of 16 bytes");
    if (c->way == ONESHOT) {
        if (c->kept.chunk_count != 0)
            return refuse(state, CUPEL_UNSUPPORTED, "a one-shot function takes no chunks");
        if (c->kept.key_len > INT_MAX)
            return refuse(state, CUPEL_UNSUPPORTED, "the key is over 2 GiB");
        c->call = mac_oneshot;
        return CUPEL_OK;
    }
    return open_evp_mac(c, state);
}

/* ---- AEAD ---- */

/* Seals or opens with a context that has its cipher. If key is NULL, the context keeps its key. */
static int aead_with(cell *c, EVP_CIPHER_CTX *ctx, size_t *nonce_len, const uint8_t *key,
                     cupel_state *state, cupel_io *io) {
    if (io->input_len > INT_MAX || io->ad_len > INT_MAX)
        return refuse(state, CUPEL_UNSUPPORTED, "EVP_CipherUpdate takes at most 2 GiB");
    if (!c->sealing && io->input_len < TAG)
        return CUPEL_REFUSED;
    size_t message = c->sealing ? io->input_len : io->input_len - TAG;
    if (io->nonce_len != *nonce_len) {
        /* For ChaCha20-Poly1305, OpenSSL would pad a shorter nonce, which no standard does. */
        if (!c->gcm || io->nonce_len > INT_MAX ||
            EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)io->nonce_len, NULL) <= 0) {
            ERR_clear_error();
            return refuse(state, CUPEL_UNSUPPORTED, "OpenSSL takes no nonce of this length");
        }
        *nonce_len = io->nonce_len;
    }
    int n = 0;
    if (!EVP_CipherInit_ex2(ctx, NULL, key, io->nonce, c->sealing, NULL))
        return refuse(state, CUPEL_FAILED, "EVP_CipherInit_ex2 failed");
    if (io->ad_len != 0 && !EVP_CipherUpdate(ctx, NULL, &n, io->ad, (int)io->ad_len))
        return refuse(state, CUPEL_FAILED, "EVP_CipherUpdate failed on the associated data");
    size_t made = 0;
    for (size_t at = 0, turn = 0, piece; at < message; at += piece) {
        piece = next_piece(&c->kept, &turn, message - at);
        if (!EVP_CipherUpdate(ctx, io->output + made, &n, io->input + at, (int)piece))
            return refuse(state, CUPEL_FAILED, "EVP_CipherUpdate failed");
        made += (size_t)n;
    }
    if (!c->sealing) {
        /* OpenSSL's parameter is not const, but the tag is only read. */
        void *tag = (void *)(uintptr_t)(io->input + message);
        if (EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, tag) <= 0)
            return refuse(state, CUPEL_FAILED, "the tag cannot be set");
        if (EVP_CipherFinal_ex(ctx, io->output + made, &n) <= 0) {
            OPENSSL_cleanse(io->output, made);
            return CUPEL_REFUSED;
        }
        io->output_len = made + (size_t)n;
        return CUPEL_OK;
    }
    if (EVP_CipherFinal_ex(ctx, io->output + made, &n) <= 0)
        return refuse(state, CUPEL_FAILED, "EVP_CipherFinal_ex failed");
    made += (size_t)n;
    if (EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, io->output + made) <= 0)
        return refuse(state, CUPEL_FAILED, "the tag cannot be read");
    io->output_len = made + TAG;
    return CUPEL_OK;
}

static int aead_reused(cell *c, cupel_state *state, cupel_io *io) {
    const uint8_t *key = c->kept.key_per_call ? c->kept.key : NULL;
    return aead_with(c, c->cipher_ctx, &c->nonce_len, key, state, io);
}

static int aead_fetched(cell *c, cupel_state *state, cupel_io *io) {
    size_t nonce_len = NONCE;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int result = ctx != NULL && EVP_CipherInit_ex2(ctx, c->cipher, NULL, NULL, c->sealing, NULL)
                     ? aead_with(c, ctx, &nonce_len, c->kept.key, state, io)
                     : refuse(state, CUPEL_FAILED, "a new EVP_CIPHER_CTX failed");
    EVP_CIPHER_CTX_free(ctx);
    return result;
}

static int aead_fetch(cell *c, cupel_state *state, cupel_io *io) {
    cipher_algorithm *kept = c->cipher;
    c->cipher = EVP_CIPHER_fetch(NULL, c->name, NULL);
    int result = c->cipher != NULL ? aead_fetched(c, state, io)
                                   : refuse(state, CUPEL_FAILED, "EVP_CIPHER_fetch failed");
    EVP_CIPHER_free(c->cipher);
    c->cipher = kept;
    return result;
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    if (c->way != REUSED && !c->kept.key_per_call)
        return refuse(state, CUPEL_UNSUPPORTED, "takes its key in every call, by its nature");
    static const struct {
        const char *primitive, *openssl;
        int key_len, gcm;
    } aeads[] = {
        {"aes-128-gcm", "AES-128-GCM", 16, 1},
        {"aes-256-gcm", "AES-256-GCM", 32, 1},
        {"chacha20-poly1305", "ChaCha20-Poly1305", 32, 0},
    };
    const char *name = NULL;
    for (size_t i = 0; i < sizeof aeads / sizeof *aeads; i++)
        if (strcmp(task->primitive, aeads[i].primitive) == 0) {
            if (c->kept.key_len != (size_t)aeads[i].key_len)
                return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has keys of another length");
            name = aeads[i].openssl;
            c->gcm = aeads[i].gcm;
        }
    if (name == NULL)
        return refuse(state, CUPEL_UNSUPPORTED, "not an AEAD of this contender");
    c->sealing = strcmp(task->operation, "seal") == 0;
    c->nonce_len = NONCE;
    c->cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    if (c->cipher == NULL)
        return refuse(state, CUPEL_MISSING, "this OpenSSL does not have the AEAD");
    c->name = name;
    c->call = c->way == REUSED ? aead_reused : c->way == FETCH ? aead_fetch : aead_fetched;
    if (c->way == REUSED) {
        c->cipher_ctx = EVP_CIPHER_CTX_new();
        if (c->cipher_ctx == NULL ||
            !EVP_CipherInit_ex2(c->cipher_ctx, c->cipher, c->kept.key, NULL, c->sealing, NULL))
            return refuse(state, CUPEL_FAILED, "a new EVP_CIPHER_CTX failed");
    }
    return CUPEL_OK;
}

/* ---- the interface ---- */

#if HAS_PROVIDERS

static const char *version(void) {
    return OpenSSL_version(OPENSSL_FULL_VERSION_STRING);
}

static const char *cpu_settings(void) {
    return OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
}

#else

/* The second word of "OpenSSL 1.1.1w  11 Sep 2023". */
static const char *version(void) {
    static char word[32];
    if (sscanf(OpenSSL_version(OPENSSL_VERSION), "%*s %31s", word) != 1)
        return OpenSSL_version(OPENSSL_VERSION);
    return word;
}

static const char *cpu_settings(void) {
    return NULL;
}

#endif

const cupel_contender *cupel_describe(size_t index) {
    static cupel_contender contenders[CONTENDERS] = {
        [INDEX_REUSED] = {.name = "openssl-reused",
                          .summary = "one context kept; Init, Update, Final",
                          .offers = "sha1:digest sha256:digest sha512:digest sha512-256:digest "
                                    "sha3-256:digest shake128:digest blake2b:digest "
                                    "blake2s:digest sha1:digest-many sha256:digest-many "
                                    "sha512:digest-many hmac-sha256:mac hmac-sha512:mac "
                                    "aes-cmac:mac siphash-2-4:mac aes-128-gcm:seal "
                                    "aes-128-gcm:open aes-256-gcm:seal aes-256-gcm:open "
                                    "chacha20-poly1305:seal chacha20-poly1305:open"},
        [INDEX_FETCHED] = {.name = "openssl-fetched",
                           .summary = "algorithm fetched once, a new context in every call",
                           .offers = "sha1:digest sha256:digest sha512:digest sha512-256:digest "
                                     "sha3-256:digest shake128:digest blake2b:digest "
                                     "blake2s:digest hmac-sha256:mac:key-per-call "
                                     "hmac-sha512:mac:key-per-call aes-cmac:mac:key-per-call "
                                     "siphash-2-4:mac:key-per-call aes-128-gcm:seal:key-per-call "
                                     "aes-128-gcm:open:key-per-call aes-256-gcm:seal:key-per-call "
                                     "aes-256-gcm:open:key-per-call "
                                     "chacha20-poly1305:seal:key-per-call "
                                     "chacha20-poly1305:open:key-per-call"},
        [INDEX_ONESHOT] = {.name = "openssl-oneshot",
                           .summary = "SHA1(), SHA256(), SHA512(), HMAC()",
                           .offers = "sha1:digest sha256:digest sha512:digest "
                                     "hmac-sha256:mac:key-per-call hmac-sha512:mac:key-per-call"},
        [INDEX_FETCH] = {.name = "openssl-fetch",
                         .summary = "EVP_MD_fetch or EVP_CIPHER_fetch in every call",
                         .offers = "sha1:digest sha256:digest sha512:digest "
                                   "aes-256-gcm:seal:key-per-call aes-256-gcm:open:key-per-call"},
        [INDEX_NOAES] = {.name = "openssl-noaes",
                         .summary = "the same with AES-NI, PCLMULQDQ and VAES masked",
                         .offers = "aes-cmac:mac aes-128-gcm:seal aes-128-gcm:open "
                                   "aes-256-gcm:seal aes-256-gcm:open"},
    };
    if (index >= CONTENDERS)
        return NULL;
    contenders[index].library = "OpenSSL";
    contenders[index].version = version();
    contenders[index].licence = HAS_PROVIDERS ? "Apache-2.0" : "OpenSSL";
    return &contenders[index];
}

static void drop(cell *c) {
    EVP_MD_CTX_free(c->md_ctx);
    EVP_MD_CTX_free(c->first);
    EVP_MD_free(c->md);
    drop_mac(c);
    EVP_CIPHER_CTX_free(c->cipher_ctx);
    EVP_CIPHER_free(c->cipher);
    kept_drop(&c->kept);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    /* OpenSSL does not report which code it selected, only the CPU's capabilities from which it
     * selects. */
    static char code_path[256];
    const char *settings = cpu_settings();
    snprintf(code_path, sizeof code_path, "unknown: selected from %s",
             settings != NULL ? settings : "what the CPU offers");
    state->code_path = code_path;
    return choose_of(open_digest, open_mac, open_aead, c, task, state);
}

/* Whether the library takes no AES instruction in this process, by the capabilities that it goes
 * by: 0 if it takes one, -1 if it does not say. Its variable is read when it is loaded. */
static int is_without_aes(void) {
    const unsigned long long aesni_and_pclmulqdq = 1ULL << 57 | 1ULL << 33;
    const char *settings = cpu_settings();
    const char *value = settings == NULL ? NULL : strstr(settings, "OPENSSL_ia32cap=");
    unsigned long long first = 0;
    if (value == NULL || sscanf(value, "OPENSSL_ia32cap=%llx", &first) != 1)
        return -1;
    return (first & aesni_and_pclmulqdq) == 0;
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    static const way ways[CONTENDERS] = {REUSED, FETCHED, ONESHOT, FETCH, REUSED};
    int without = index == INDEX_NOAES ? is_without_aes() : 1;
    if (without < 0)
        return refuse(state, CUPEL_MISSING, "this OpenSSL does not say whether it masks AES");
    if (!without)
        return refuse(state, CUPEL_FAILED,
                      "OpenSSL takes AES instructions: OPENSSL_ia32cap masks none in this process");
    cell *c = calloc(1, sizeof *c);
    if (c != NULL)
        c->way = ways[index];
    return open_cell(c, task, state);
}
