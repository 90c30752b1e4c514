/* gnutls.c: GnuTLS 3.6 and later: Nettle's algorithms, and code of its own for the instructions of
 * x86-64. Handles are kept, and so is the key if the contract prepares it. */
#include "cupel_contender.h"
#include "kept.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

enum { TAG = 16 };

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    gnutls_hash_hd_t hash;
    gnutls_hmac_hd_t mac;
    gnutls_mac_algorithm_t mac_algorithm;
    gnutls_aead_cipher_hd_t cipher;
    gnutls_cipher_algorithm_t algorithm;
    size_t nonce_len;
    size_t size; /* of the digest or MAC, in bytes */
} cell;

#include "cell.h"

static int failed(cupel_state *state, int error) {
    return refuse(state, CUPEL_FAILED, gnutls_strerror(error));
}

/* Why something cannot be opened. A cipher that this build does not have, or FIPS mode does not
 * allow, is missing: nothing has been answered, so nothing is wrong. */
static int not_opened(cupel_state *state, int error) {
    if (error == GNUTLS_E_UNKNOWN_HASH_ALGORITHM || error == GNUTLS_E_UNKNOWN_CIPHER_TYPE ||
        error == GNUTLS_E_UNWANTED_ALGORITHM || error == GNUTLS_E_INVALID_REQUEST)
        return refuse(state, CUPEL_MISSING, "this GnuTLS, or its FIPS mode, refuses the algorithm");
    return failed(state, error);
}

/* ---- digest ---- */

static int hash_with(cell *c, gnutls_hash_hd_t hash, cupel_state *state, cupel_io *io) {
    int error = 0;
    for (size_t at = 0, turn = 0, n; !error && at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        error = gnutls_hash(hash, io->input + at, n);
    }
    io->output_len = c->size;
    return error ? failed(state, error) : CUPEL_OK;
}

static int digest(cell *c, cupel_state *state, cupel_io *io) {
    int result = hash_with(c, c->hash, state, io);
    gnutls_hash_output(c->hash, io->output); /* it also begins the next message */
    return result;
}

/* GnuTLS copies a state into a new handle only. */
static int digest_copied(cell *c, cupel_state *state, cupel_io *io) {
    gnutls_hash_hd_t hash = gnutls_hash_copy(c->hash);
    if (hash == NULL)
        return refuse(state, CUPEL_FAILED, "gnutls_hash_copy failed");
    int result = hash_with(c, hash, state, io);
    gnutls_hash_deinit(hash, io->output);
    return result;
}

int cupel_prefix(cupel_state *state, const uint8_t *prefix, size_t len) {
    cell *c = (cell *)state->data;
    if (c->call != digest)
        return no_copies(state);
    int error = gnutls_hash(c->hash, prefix, len);
    c->call = digest_copied;
    return error ? failed(state, error) : CUPEL_OK;
}

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    static const struct {
        const char *primitive;
        gnutls_digest_algorithm_t algorithm;
    } digests[] = {
        {"sha1", GNUTLS_DIG_SHA1},
        {"sha256", GNUTLS_DIG_SHA256},
        {"sha512", GNUTLS_DIG_SHA512},
        {"sha3-256", GNUTLS_DIG_SHA3_256},
    };
    gnutls_digest_algorithm_t algorithm = GNUTLS_DIG_UNKNOWN;
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
        if (strcmp(task->primitive, digests[i].primitive) == 0)
            algorithm = digests[i].algorithm;
    int error = gnutls_hash_init(&c->hash, algorithm);
    c->size = gnutls_hash_get_len(algorithm);
    c->call = digest;
    return error ? not_opened(state, error) : CUPEL_OK;
}

/* ---- mac ---- */

static int mac(cell *c, cupel_state *state, cupel_io *io) {
    int error = 0;
    for (size_t at = 0, turn = 0, n; !error && at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        error = gnutls_hmac(c->mac, io->input + at, n);
    }
    gnutls_hmac_output(c->mac, io->output); /* it keeps the key, and begins the next message */
    io->output_len = c->size;
    return error ? failed(state, error) : CUPEL_OK;
}

static int mac_per_call(cell *c, cupel_state *state, cupel_io *io) {
    int error = 0;
    if (c->kept.chunk_count == 0) {
        error = gnutls_hmac_fast(c->mac_algorithm, c->kept.key, c->kept.key_len, io->input,
                                 io->input_len, io->output);
        io->output_len = c->size;
        return error ? failed(state, error) : CUPEL_OK;
    }
    gnutls_hmac_deinit(c->mac, NULL);
    c->mac = NULL;
    error = gnutls_hmac_init(&c->mac, c->mac_algorithm, c->kept.key, c->kept.key_len);
    return error ? failed(state, error) : mac(c, state, io);
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    c->mac_algorithm = strcmp(task->primitive, "hmac-sha256") == 0   ? GNUTLS_MAC_SHA256
                       : strcmp(task->primitive, "hmac-sha512") == 0 ? GNUTLS_MAC_SHA512
                                                                     : GNUTLS_MAC_AES_CMAC_128;
    if (c->mac_algorithm == GNUTLS_MAC_AES_CMAC_128 && c->kept.key_len != 16)
        return refuse(state, CUPEL_UNSUPPORTED, "AES-128 has keys of 16 bytes");
    c->size = gnutls_hmac_get_len(c->mac_algorithm);
    c->call = c->kept.key_per_call ? mac_per_call : mac;
    int error = gnutls_hmac_init(&c->mac, c->mac_algorithm, c->kept.key, c->kept.key_len);
    return error ? not_opened(state, error) : CUPEL_OK;
}

/* ---- AEAD ---- */

/* A cipher for each call: gnutls_aead_cipher_set_key does not begin again. With GCM in GnuTLS
 * 3.7.9, the second message after it gets a wrong tag. */
static int begin(cell *c, cupel_state *state, const cupel_io *io) {
    if (io->nonce_len != c->nonce_len)
        return refuse(state, CUPEL_UNSUPPORTED, "GnuTLS takes nonces of 12 bytes only");
    if (!c->kept.key_per_call)
        return CUPEL_OK;
    gnutls_aead_cipher_deinit(c->cipher);
    c->cipher = NULL;
    gnutls_datum_t key = {c->kept.key, (unsigned)c->kept.key_len};
    int error = gnutls_aead_cipher_init(&c->cipher, c->algorithm, &key);
    return error ? failed(state, error) : CUPEL_OK;
}

static int seal(cell *c, cupel_state *state, cupel_io *io) {
    int begun = begin(c, state, io);
    if (begun != CUPEL_OK)
        return begun;
    int error =
        gnutls_aead_cipher_encrypt(c->cipher, io->nonce, io->nonce_len, io->ad, io->ad_len, TAG,
                                   io->input, io->input_len, io->output, &io->output_len);
    return error ? failed(state, error) : CUPEL_OK;
}

static int open_sealed(cell *c, cupel_state *state, cupel_io *io) {
    if (io->input_len < TAG)
        return CUPEL_REFUSED;
    int begun = begin(c, state, io);
    if (begun != CUPEL_OK)
        return begun;
    int error =
        gnutls_aead_cipher_decrypt(c->cipher, io->nonce, io->nonce_len, io->ad, io->ad_len, TAG,
                                   io->input, io->input_len, io->output, &io->output_len);
    if (error == GNUTLS_E_DECRYPTION_FAILED) {
        wipe(io->output, io->input_len - TAG);
        return CUPEL_REFUSED;
    }
    return error ? failed(state, error) : CUPEL_OK;
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    static const struct {
        const char *primitive;
        gnutls_cipher_algorithm_t algorithm;
    } aeads[] = {
        {"aes-128-gcm", GNUTLS_CIPHER_AES_128_GCM},
        {"aes-256-gcm", GNUTLS_CIPHER_AES_256_GCM},
        {"chacha20-poly1305", GNUTLS_CIPHER_CHACHA20_POLY1305},
    };
    for (size_t i = 0; i < sizeof aeads / sizeof *aeads; i++)
        if (strcmp(task->primitive, aeads[i].primitive) == 0)
            c->algorithm = aeads[i].algorithm;
    if (c->kept.key_len != gnutls_cipher_get_key_size(c->algorithm))
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has keys of another length");
    if (c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "GnuTLS's AEADs take no chunks");
    c->nonce_len = gnutls_cipher_get_iv_size(c->algorithm);
    c->call = strcmp(task->operation, "seal") == 0 ? seal : open_sealed;
    gnutls_datum_t key = {c->kept.key, (unsigned)c->kept.key_len};
    int error = gnutls_aead_cipher_init(&c->cipher, c->algorithm, &key);
    return error ? not_opened(state, error) : CUPEL_OK;
}

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static cupel_contender self = {
        .name = "gnutls",
        .library = "GnuTLS",
        .licence = "LGPL-2.1-or-later",
        .summary = "one handle kept; gnutls_hash, gnutls_hmac, gnutls_aead_cipher_encrypt",
        .offers = "sha1:digest sha256:digest sha512:digest sha3-256:digest "
                  "hmac-sha256:mac hmac-sha512:mac aes-cmac:mac aes-128-gcm:seal "
                  "aes-128-gcm:open aes-256-gcm:seal aes-256-gcm:open "
                  "chacha20-poly1305:seal chacha20-poly1305:open",
    };
    self.version = gnutls_check_version(NULL);
    return index == 0 ? &self : NULL;
}

static void drop(cell *c) {
    if (c->hash != NULL)
        gnutls_hash_deinit(c->hash, NULL);
    if (c->mac != NULL)
        gnutls_hmac_deinit(c->mac, NULL);
    if (c->cipher != NULL)
        gnutls_aead_cipher_deinit(c->cipher);
    kept_drop(&c->kept);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    state->code_path = "unknown: selected by GnuTLS, which does not report it";
    return choose_of(open_digest, open_mac, open_aead, c, task, state);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    return open_cell(calloc(1, sizeof(cell)), task, state);
}
