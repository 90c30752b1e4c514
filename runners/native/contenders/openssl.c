/* openssl.c: OpenSSL 3, called in the usual ways.
 *
 * openssl-reused keeps one context, and its key if the contract prepares it. openssl-fetched keeps
 * the fetched algorithm and creates a context in every call. openssl-oneshot uses the functions
 * that look up the algorithm themselves, and openssl-fetch fetches it in every call. */
#include "cupel_contender.h"
#include "kept.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

enum { TAG = 16, NONCE = 12, SIPHASH_SIZE = 8 };

typedef enum way { REUSED, FETCHED, ONESHOT, FETCH, WAYS } way;

typedef unsigned char *digest_function(const unsigned char *, size_t, unsigned char *);

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    way way;
    digest_function *oneshot;
    const char *name; /* of the digest, for a fetch */
    EVP_MD *md;
    EVP_MD_CTX *md_ctx;
    EVP_MAC *mac;
    EVP_MAC_CTX *mac_ctx;
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *cipher_ctx;
    int sealing;
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
    if (c->kept.chunk_count == 0) {
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

/* EVP_MD_fetch finds the algorithm by its name: under a lock, and with a reference count that all
 * threads share. */
static int digest_fetch(cell *c, cupel_state *state, cupel_io *io) {
    EVP_MD *kept = c->md;
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
        {"sha1", "SHA1", SHA1},
        {"sha256", "SHA256", SHA256},
        {"sha512", "SHA512", SHA512},
    };
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
        if (strcmp(task->primitive, digests[i].primitive) == 0) {
            c->md = EVP_MD_fetch(NULL, digests[i].openssl, NULL);
            c->oneshot = digests[i].oneshot;
            c->name = digests[i].openssl;
        }
    if (c->md == NULL)
        return refuse(state, CUPEL_MISSING, "no provider of this OpenSSL has the digest");
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
    char digest[] = "SHA256";
    size_t size = SIPHASH_SIZE;
    const OSSL_PARAM hmac[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    const OSSL_PARAM siphash[] = {
        OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
        OSSL_PARAM_construct_end(),
    };
    EVP_MAC_CTX *ctx = EVP_MAC_CTX_new(c->mac);
    if (ctx != NULL && EVP_MAC_CTX_set_params(ctx, EVP_MAC_is_a(c->mac, "HMAC") ? hmac : siphash))
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

static int mac_oneshot(cell *c, cupel_state *state, cupel_io *io) {
    unsigned int len = 0;
    if (HMAC(EVP_sha256(), c->kept.key, (int)c->kept.key_len, io->input, io->input_len, io->output,
             &len) == NULL)
        return refuse(state, CUPEL_FAILED, "HMAC failed");
    io->output_len = len;
    return CUPEL_OK;
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    int siphash = task_is(task, "siphash-2-4", "mac");
    if (c->way != REUSED && !c->kept.key_per_call)
        return refuse(state, CUPEL_UNSUPPORTED, "takes its key in every call, by its nature");
    if (siphash && c->kept.key_len != 16)
        return refuse(state, CUPEL_UNSUPPORTED, "SipHash has keys of 16 bytes");
    if (c->way == ONESHOT) {
        if (c->kept.chunk_count != 0)
            return refuse(state, CUPEL_UNSUPPORTED, "a one-shot function takes no chunks");
        if (c->kept.key_len > INT_MAX)
            return refuse(state, CUPEL_UNSUPPORTED, "the key is over 2 GiB");
        c->call = mac_oneshot;
        return CUPEL_OK;
    }
    c->mac = EVP_MAC_fetch(NULL, siphash ? "SIPHASH" : "HMAC", NULL);
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

/* ---- AES-256-GCM ---- */

/* Seals or opens with a context that has its cipher. If key is NULL, the context keeps its key. */
static int gcm_with(cell *c, EVP_CIPHER_CTX *ctx, size_t *nonce_len, const uint8_t *key,
                    cupel_state *state, cupel_io *io) {
    if (io->input_len > INT_MAX || io->ad_len > INT_MAX)
        return refuse(state, CUPEL_UNSUPPORTED, "EVP_CipherUpdate takes at most 2 GiB");
    if (!c->sealing && io->input_len < TAG)
        return CUPEL_REFUSED;
    size_t message = c->sealing ? io->input_len : io->input_len - TAG;
    if (io->nonce_len != *nonce_len) {
        if (io->nonce_len > INT_MAX ||
            EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)io->nonce_len, NULL) <= 0) {
            ERR_clear_error();
            return refuse(state, CUPEL_UNSUPPORTED, "OpenSSL's GCM takes no nonce of this length");
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

static int gcm_reused(cell *c, cupel_state *state, cupel_io *io) {
    const uint8_t *key = c->kept.key_per_call ? c->kept.key : NULL;
    return gcm_with(c, c->cipher_ctx, &c->nonce_len, key, state, io);
}

static int gcm_fetched(cell *c, cupel_state *state, cupel_io *io) {
    size_t nonce_len = NONCE;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int result = ctx != NULL && EVP_CipherInit_ex2(ctx, c->cipher, NULL, NULL, c->sealing, NULL)
                     ? gcm_with(c, ctx, &nonce_len, c->kept.key, state, io)
                     : refuse(state, CUPEL_FAILED, "a new EVP_CIPHER_CTX failed");
    EVP_CIPHER_CTX_free(ctx);
    return result;
}

static int gcm_fetch(cell *c, cupel_state *state, cupel_io *io) {
    EVP_CIPHER *kept = c->cipher;
    c->cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    int result = c->cipher != NULL ? gcm_fetched(c, state, io)
                                   : refuse(state, CUPEL_FAILED, "EVP_CIPHER_fetch failed");
    EVP_CIPHER_free(c->cipher);
    c->cipher = kept;
    return result;
}

static int open_gcm(cell *c, const cupel_task *task, cupel_state *state) {
    if (c->way != REUSED && !c->kept.key_per_call)
        return refuse(state, CUPEL_UNSUPPORTED, "takes its key in every call, by its nature");
    if (c->kept.key_len != 32)
        return refuse(state, CUPEL_UNSUPPORTED, "AES-256 has keys of 32 bytes");
    c->sealing = strcmp(task->operation, "seal") == 0;
    c->nonce_len = NONCE;
    c->cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    if (c->cipher == NULL)
        return refuse(state, CUPEL_MISSING, "no provider of this OpenSSL has AES-256-GCM");
    c->call = c->way == REUSED ? gcm_reused : c->way == FETCH ? gcm_fetch : gcm_fetched;
    if (c->way == REUSED) {
        c->cipher_ctx = EVP_CIPHER_CTX_new();
        if (c->cipher_ctx == NULL ||
            !EVP_CipherInit_ex2(c->cipher_ctx, c->cipher, c->kept.key, NULL, c->sealing, NULL))
            return refuse(state, CUPEL_FAILED, "a new EVP_CIPHER_CTX failed");
    }
    return CUPEL_OK;
}

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static cupel_contender contenders[WAYS] = {
        [REUSED] = {.name = "openssl-reused",
                    .summary = "one context kept; Init, Update, Final",
                    .offers = "sha1:digest sha256:digest sha512:digest sha1:digest-many "
                              "sha256:digest-many sha512:digest-many hmac-sha256:mac "
                              "siphash-2-4:mac aes-256-gcm:seal aes-256-gcm:open"},
        [FETCHED] = {.name = "openssl-fetched",
                     .summary = "algorithm fetched once, a new context in every call",
                     .offers = "sha1:digest sha256:digest sha512:digest "
                               "hmac-sha256:mac:key-per-call siphash-2-4:mac:key-per-call "
                               "aes-256-gcm:seal:key-per-call aes-256-gcm:open:key-per-call"},
        [ONESHOT] = {.name = "openssl-oneshot",
                     .summary = "SHA1(), SHA256(), SHA512(), HMAC()",
                     .offers = "sha1:digest sha256:digest sha512:digest "
                               "hmac-sha256:mac:key-per-call"},
        [FETCH] = {.name = "openssl-fetch",
                   .summary = "EVP_MD_fetch or EVP_CIPHER_fetch in every call",
                   .offers = "sha1:digest sha256:digest sha512:digest "
                             "aes-256-gcm:seal:key-per-call aes-256-gcm:open:key-per-call"},
    };
    if (index >= WAYS)
        return NULL;
    contenders[index].library = "OpenSSL";
    contenders[index].version = OpenSSL_version(OPENSSL_FULL_VERSION_STRING);
    contenders[index].licence = "Apache-2.0";
    return &contenders[index];
}

static void drop(cell *c) {
    EVP_MD_CTX_free(c->md_ctx);
    EVP_MD_free(c->md);
    EVP_MAC_CTX_free(c->mac_ctx);
    EVP_MAC_free(c->mac);
    EVP_CIPHER_CTX_free(c->cipher_ctx);
    EVP_CIPHER_free(c->cipher);
    kept_drop(&c->kept);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    /* OpenSSL does not report which code it selected, only the CPU's capabilities from which it
     * selects. */
    state->code_path = OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
    return choose_of(open_digest, open_mac, open_gcm, c, task, state);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    cell *c = calloc(1, sizeof *c);
    if (c != NULL)
        c->way = (way)index;
    return open_cell(c, task, state);
}
