/* libsodium.c: libsodium, through its multi-part functions if it has them. */
#include "cupel_contender.h"
#include "kept.h"

#include <sodium.h>

enum { TAG = crypto_aead_aes256gcm_ABYTES, NONCE = crypto_aead_aes256gcm_NPUBBYTES };

typedef struct cell {
    crypto_aead_aes256gcm_state gcm; /* first: it needs the alignment of an allocation */
    crypto_auth_hmacsha256_state hmac;
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

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    (void)state;
    c->call = strcmp(task->primitive, "sha256") == 0 ? sha256 : sha512;
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

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static cupel_contender self = {
        .name = "libsodium",
        .library = "libsodium",
        .licence = "ISC",
        .summary = "multi-part functions; key expanded once where the contract prepares it",
        .offers = "sha256:digest sha512:digest hmac-sha256:mac siphash-2-4:mac aes-256-gcm:seal "
                  "aes-256-gcm:open",
    };
    self.version = sodium_version_string();
    return index == 0 ? &self : NULL;
}

static void drop(cell *c) {
    kept_drop(&c->kept);
    sodium_memzero(c, sizeof *c);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    state->code_path = strcmp(task->primitive, "aes-256-gcm") == 0
                           ? "AES-NI and PCLMULQDQ: libsodium has no other"
                           : "portable C: libsodium has no other";
    return choose_of(open_digest, open_mac, open_gcm, c, task, state);
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
