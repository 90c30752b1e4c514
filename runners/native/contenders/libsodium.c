/* libsodium.c: libsodium, through its multi-part functions if it has them. */
#include "cupel_contender.h"
#include "kept.h"

#include <sodium.h>
#include <stdio.h>

enum { TAG = crypto_aead_aes256gcm_ABYTES, NONCE = crypto_aead_aes256gcm_NPUBBYTES };

/* An AEAD without its own key schedule: the key goes into every call, whatever the contract.
 */
typedef struct chacha {
    size_t nonce_len;
    int (*encrypt)(unsigned char *, unsigned long long *, const unsigned char *, unsigned long long,
                   const unsigned char *, unsigned long long, const unsigned char *,
                   const unsigned char *, const unsigned char *);
    int (*decrypt)(unsigned char *, unsigned long long *, unsigned char *, const unsigned char *,
                   unsigned long long, const unsigned char *, unsigned long long,
                   const unsigned char *, const unsigned char *);
} chacha;

typedef struct cell {
    crypto_aead_aes256gcm_state gcm; /* first: it needs the alignment of an allocation */
    crypto_auth_hmacsha256_state hmac;
    crypto_auth_hmacsha512_state hmac_sha512;
    const chacha *chacha;
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
} cell;

#include "cell.h"

/* ---- digest: the functions fail only if misused, and then report it ---- */

static int sha256(cell *c, cupel_state *state, cupel_io *io) {
    crypto_hash_sha256_state hash;
    int bad = crypto_hash_sha256_init(&hash);
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        bad |= crypto_hash_sha256_update(&hash, io->input + at, n);
    }
    bad |= crypto_hash_sha256_final(&hash, io->output);
    io->output_len = crypto_hash_sha256_BYTES;
    return bad ? refuse(state, CUPEL_FAILED, "crypto_hash_sha256 failed") : CUPEL_OK;
}

static int sha512(cell *c, cupel_state *state, cupel_io *io) {
    crypto_hash_sha512_state hash;
    int bad = crypto_hash_sha512_init(&hash);
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        bad |= crypto_hash_sha512_update(&hash, io->input + at, n);
    }
    bad |= crypto_hash_sha512_final(&hash, io->output);
    io->output_len = crypto_hash_sha512_BYTES;
    return bad ? refuse(state, CUPEL_FAILED, "crypto_hash_sha512 failed") : CUPEL_OK;
}

static int blake2b(cell *c, cupel_state *state, cupel_io *io) {
    crypto_generichash_blake2b_state hash;
    int bad = crypto_generichash_blake2b_init(&hash, NULL, 0, crypto_generichash_blake2b_BYTES_MAX);
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        bad |= crypto_generichash_blake2b_update(&hash, io->input + at, n);
    }
    bad |=
        crypto_generichash_blake2b_final(&hash, io->output, crypto_generichash_blake2b_BYTES_MAX);
    io->output_len = crypto_generichash_blake2b_BYTES_MAX;
    return bad ? refuse(state, CUPEL_FAILED, "crypto_generichash_blake2b failed") : CUPEL_OK;
}

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    (void)state;
    c->call = strcmp(task->primitive, "sha256") == 0   ? sha256
              : strcmp(task->primitive, "sha512") == 0 ? sha512
                                                       : blake2b;
    return CUPEL_OK;
}

/* ---- mac ---- */

static int hmac_sha256(cell *c, cupel_state *state, cupel_io *io) {
    crypto_auth_hmacsha256_state hmac;
    int bad = 0;
    if (c->kept.key_per_call)
        bad = crypto_auth_hmacsha256_init(&hmac, c->kept.key, c->kept.key_len);
    else
        hmac = c->hmac;
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        bad |= crypto_auth_hmacsha256_update(&hmac, io->input + at, n);
    }
    bad |= crypto_auth_hmacsha256_final(&hmac, io->output);
    io->output_len = crypto_auth_hmacsha256_BYTES;
    return bad ? refuse(state, CUPEL_FAILED, "crypto_auth_hmacsha256 failed") : CUPEL_OK;
}

static int hmac_sha512(cell *c, cupel_state *state, cupel_io *io) {
    crypto_auth_hmacsha512_state hmac;
    int bad = 0;
    if (c->kept.key_per_call)
        bad = crypto_auth_hmacsha512_init(&hmac, c->kept.key, c->kept.key_len);
    else
        hmac = c->hmac_sha512;
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        bad |= crypto_auth_hmacsha512_update(&hmac, io->input + at, n);
    }
    bad |= crypto_auth_hmacsha512_final(&hmac, io->output);
    io->output_len = crypto_auth_hmacsha512_BYTES;
    return bad ? refuse(state, CUPEL_FAILED, "crypto_auth_hmacsha512 failed") : CUPEL_OK;
}

static int siphash(cell *c, cupel_state *state, cupel_io *io) {
    if (crypto_shorthash_siphash24(io->output, io->input, io->input_len, c->kept.key) != 0)
        return refuse(state, CUPEL_FAILED, "crypto_shorthash_siphash24 failed");
    io->output_len = crypto_shorthash_siphash24_BYTES;
    return CUPEL_OK;
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    if (strcmp(task->primitive, "hmac-sha256") == 0) {
        c->call = hmac_sha256;
        if (crypto_auth_hmacsha256_init(&c->hmac, c->kept.key, c->kept.key_len) != 0)
            return refuse(state, CUPEL_FAILED, "crypto_auth_hmacsha256_init failed");
        return CUPEL_OK;
    }
    if (strcmp(task->primitive, "hmac-sha512") == 0) {
        c->call = hmac_sha512;
        if (crypto_auth_hmacsha512_init(&c->hmac_sha512, c->kept.key, c->kept.key_len) != 0)
            return refuse(state, CUPEL_FAILED, "crypto_auth_hmacsha512_init failed");
        return CUPEL_OK;
    }
    /* SipHash's key schedule is four exclusive ors (paper, section 2.1), so one function is enough
     * for both contracts. */
    c->call = siphash;
    if (c->kept.key_len != crypto_shorthash_siphash24_KEYBYTES)
        return refuse(state, CUPEL_UNSUPPORTED, "SipHash has keys of 16 bytes");
    if (c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "libsodium's SipHash takes no chunks");
    return CUPEL_OK;
}

/* ---- AES-256-GCM ---- */

static int seal(cell *c, cupel_state *state, cupel_io *io) {
    if (io->nonce_len != NONCE)
        return refuse(state, CUPEL_UNSUPPORTED, "libsodium's GCM takes nonces of 12 bytes only");
    unsigned long long len = 0;
    int bad =
        c->kept.key_per_call
            ? crypto_aead_aes256gcm_encrypt(io->output, &len, io->input, io->input_len, io->ad,
                                            io->ad_len, NULL, io->nonce, c->kept.key)
            : crypto_aead_aes256gcm_encrypt_afternm(io->output, &len, io->input, io->input_len,
                                                    io->ad, io->ad_len, NULL, io->nonce, &c->gcm);
    io->output_len = (size_t)len;
    return bad ? refuse(state, CUPEL_FAILED, "crypto_aead_aes256gcm_encrypt failed") : CUPEL_OK;
}

static int open_sealed(cell *c, cupel_state *state, cupel_io *io) {
    if (io->input_len < TAG)
        return CUPEL_REFUSED;
    if (io->nonce_len != NONCE)
        return refuse(state, CUPEL_UNSUPPORTED, "libsodium's GCM takes nonces of 12 bytes only");
    unsigned long long len = 0;
    int bad = c->kept.key_per_call
                  ? crypto_aead_aes256gcm_decrypt(io->output, &len, NULL, io->input, io->input_len,
                                                  io->ad, io->ad_len, io->nonce, c->kept.key)
                  : crypto_aead_aes256gcm_decrypt_afternm(io->output, &len, NULL, io->input,
                                                          io->input_len, io->ad, io->ad_len,
                                                          io->nonce, &c->gcm);
    if (bad) {
        sodium_memzero(io->output, io->input_len - TAG);
        return CUPEL_REFUSED;
    }
    io->output_len = (size_t)len;
    return CUPEL_OK;
}

static int open_gcm(cell *c, const cupel_task *task, cupel_state *state) {
    if (!crypto_aead_aes256gcm_is_available())
        return refuse(state, CUPEL_MISSING, "libsodium's AES-256-GCM needs AES-NI and PCLMULQDQ");
    if (c->kept.key_len != crypto_aead_aes256gcm_KEYBYTES)
        return refuse(state, CUPEL_UNSUPPORTED, "AES-256 has keys of 32 bytes");
    if (c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "libsodium's GCM takes no chunks");
    if (crypto_aead_aes256gcm_beforenm(&c->gcm, c->kept.key) != 0)
        return refuse(state, CUPEL_FAILED, "crypto_aead_aes256gcm_beforenm failed");
    c->call = strcmp(task->operation, "seal") == 0 ? seal : open_sealed;
    return CUPEL_OK;
}

/* ---- ChaCha20-Poly1305 and XChaCha20-Poly1305 ---- */

static const chacha ietf = {
    crypto_aead_chacha20poly1305_ietf_NPUBBYTES,
    crypto_aead_chacha20poly1305_ietf_encrypt,
    crypto_aead_chacha20poly1305_ietf_decrypt,
};
static const chacha xchacha = {
    crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    crypto_aead_xchacha20poly1305_ietf_encrypt,
    crypto_aead_xchacha20poly1305_ietf_decrypt,
};

static int chacha_seal(cell *c, cupel_state *state, cupel_io *io) {
    if (io->nonce_len != c->chacha->nonce_len)
        return refuse(state, CUPEL_UNSUPPORTED, "libsodium takes nonces of one length only");
    unsigned long long len = 0;
    if (c->chacha->encrypt(io->output, &len, io->input, io->input_len, io->ad, io->ad_len, NULL,
                           io->nonce, c->kept.key) != 0)
        return refuse(state, CUPEL_FAILED, "libsodium's ChaCha20-Poly1305 failed");
    io->output_len = (size_t)len;
    return CUPEL_OK;
}

static int chacha_open(cell *c, cupel_state *state, cupel_io *io) {
    if (io->input_len < TAG)
        return CUPEL_REFUSED;
    if (io->nonce_len != c->chacha->nonce_len)
        return refuse(state, CUPEL_UNSUPPORTED, "libsodium takes nonces of one length only");
    unsigned long long len = 0;
    if (c->chacha->decrypt(io->output, &len, NULL, io->input, io->input_len, io->ad, io->ad_len,
                           io->nonce, c->kept.key) != 0) {
        sodium_memzero(io->output, io->input_len - TAG);
        return CUPEL_REFUSED;
    }
    io->output_len = (size_t)len;
    return CUPEL_OK;
}

static int open_chacha(cell *c, const cupel_task *task, cupel_state *state) {
    c->chacha = strcmp(task->primitive, "chacha20-poly1305") == 0 ? &ietf : &xchacha;
    if (c->kept.key_len != crypto_aead_chacha20poly1305_ietf_KEYBYTES)
        return refuse(state, CUPEL_UNSUPPORTED, "ChaCha20 has keys of 32 bytes");
    if (c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "libsodium's ChaCha20-Poly1305 takes no chunks");
    c->call = strcmp(task->operation, "seal") == 0 ? chacha_seal : chacha_open;
    return CUPEL_OK;
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    int gcm = strcmp(task->primitive, "aes-256-gcm") == 0;
    return gcm ? open_gcm(c, task, state) : open_chacha(c, task, state);
}

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static cupel_contender self = {
        .name = "libsodium",
        .library = "libsodium",
        .licence = "ISC",
        .summary = "multi-part functions; key expanded once where the contract prepares it",
        .offers = "sha256:digest sha512:digest blake2b:digest hmac-sha256:mac "
                  "hmac-sha512:mac siphash-2-4:mac aes-256-gcm:seal "
                  "aes-256-gcm:open chacha20-poly1305:seal "
                  "chacha20-poly1305:open xchacha20-poly1305:seal "
                  "xchacha20-poly1305:open",
    };
    self.version = sodium_version_string();
    return index == 0 ? &self : NULL;
}

static void drop(cell *c) {
    kept_drop(&c->kept);
    sodium_memzero(c, sizeof *c);
    free(c);
}

/* libsodium does not report which code it selected. It has only one for SHA-2, SipHash and
 * AES-256-GCM, and selects the code of BLAKE2b, ChaCha20 and Poly1305 by the features that it
 * found. */
static const char *code_path(const char *primitive) {
    static char features[128];
    if (strcmp(primitive, "aes-256-gcm") == 0)
        return "AES-NI and PCLMULQDQ: libsodium has no other";
    if (strcmp(primitive, "blake2b") != 0 && strstr(primitive, "chacha20") == NULL)
        return "portable C: libsodium has no other";
    snprintf(features, sizeof features, "unknown: selected from the features%s%s%s%s%s",
             sodium_runtime_has_sse2() ? " sse2" : "", sodium_runtime_has_ssse3() ? " ssse3" : "",
             sodium_runtime_has_sse41() ? " sse4.1" : "", sodium_runtime_has_avx2() ? " avx2" : "",
             sodium_runtime_has_neon() ? " neon" : "");
    return features;
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    state->code_path = code_path(task->primitive);
    return choose_of(open_digest, open_mac, open_aead, c, task, state);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    if (sodium_init() < 0)
        return refuse(state, CUPEL_FAILED, "sodium_init failed");
    size_t align = _Alignof(cell);
    cell *c = aligned_alloc(align, (sizeof *c + align - 1) / align * align);
    if (c != NULL)
        memset(c, 0, sizeof *c);
    return open_cell(c, task, state);
}
