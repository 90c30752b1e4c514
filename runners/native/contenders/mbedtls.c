/* mbedtls.c: Mbed TLS 2.28. Contexts are kept, and so is the key if the contract prepares it. */
#include "cupel_contender.h"
#include "kept.h"

#include <mbedtls/aesni.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/cipher.h>
#include <mbedtls/cmac.h>
#include <mbedtls/gcm.h>
#include <mbedtls/md.h>
#include <mbedtls/platform_util.h>
#include <mbedtls/sha1.h>
#include <mbedtls/sha256.h>
#include <mbedtls/sha512.h>
#include <mbedtls/version.h>

#if MBEDTLS_VERSION_MAJOR != 2
#error "written for Mbed TLS 2.28, whose functions have other names and arguments in 3.0"
#endif

enum { TAG = 16, BLOCK = 16 };

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    mbedtls_sha1_context sha1;
    mbedtls_sha256_context sha256;
    mbedtls_sha512_context sha512;
    mbedtls_md_context_t md;
    mbedtls_cipher_context_t cmac;
    mbedtls_gcm_context gcm;
    mbedtls_chachapoly_context chacha;
    unsigned int key_bits; /* of AES-GCM; 0 for ChaCha20-Poly1305 */
    int sealing;
} cell;

#include "cell.h"

/* ---- digest ---- */

static int sha1(cell *c, cupel_state *state, cupel_io *io) {
    int bad = mbedtls_sha1_starts_ret(&c->sha1);
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        bad |= mbedtls_sha1_update_ret(&c->sha1, io->input + at, n);
    }
    bad |= mbedtls_sha1_finish_ret(&c->sha1, io->output);
    io->output_len = 20;
    return bad ? refuse(state, CUPEL_FAILED, "mbedtls_sha1 failed") : CUPEL_OK;
}

static int sha256(cell *c, cupel_state *state, cupel_io *io) {
    int bad = mbedtls_sha256_starts_ret(&c->sha256, 0);
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        bad |= mbedtls_sha256_update_ret(&c->sha256, io->input + at, n);
    }
    bad |= mbedtls_sha256_finish_ret(&c->sha256, io->output);
    io->output_len = 32;
    return bad ? refuse(state, CUPEL_FAILED, "mbedtls_sha256 failed") : CUPEL_OK;
}

static int sha512(cell *c, cupel_state *state, cupel_io *io) {
    int bad = mbedtls_sha512_starts_ret(&c->sha512, 0);
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        bad |= mbedtls_sha512_update_ret(&c->sha512, io->input + at, n);
    }
    bad |= mbedtls_sha512_finish_ret(&c->sha512, io->output);
    io->output_len = 64;
    return bad ? refuse(state, CUPEL_FAILED, "mbedtls_sha512 failed") : CUPEL_OK;
}

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    (void)state;
    c->call = strcmp(task->primitive, "sha1") == 0     ? sha1
              : strcmp(task->primitive, "sha256") == 0 ? sha256
                                                       : sha512;
    return CUPEL_OK;
}

/* ---- mac ---- */

static int hmac(cell *c, cupel_state *state, cupel_io *io) {
    int bad = c->kept.key_per_call ? mbedtls_md_hmac_starts(&c->md, c->kept.key, c->kept.key_len)
                                   : mbedtls_md_hmac_reset(&c->md);
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        bad |= mbedtls_md_hmac_update(&c->md, io->input + at, n);
    }
    bad |= mbedtls_md_hmac_finish(&c->md, io->output);
    io->output_len = mbedtls_md_get_size(c->md.md_info);
    return bad ? refuse(state, CUPEL_FAILED, "mbedtls_md_hmac failed") : CUPEL_OK;
}

static int cmac(cell *c, cupel_state *state, cupel_io *io) {
    int bad = c->kept.key_per_call ? mbedtls_cipher_cmac_starts(&c->cmac, c->kept.key, 128)
                                   : mbedtls_cipher_cmac_reset(&c->cmac);
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        bad |= mbedtls_cipher_cmac_update(&c->cmac, io->input + at, n);
    }
    bad |= mbedtls_cipher_cmac_finish(&c->cmac, io->output);
    io->output_len = BLOCK;
    return bad ? refuse(state, CUPEL_FAILED, "mbedtls_cipher_cmac failed") : CUPEL_OK;
}

static int open_cmac(cell *c, cupel_state *state) {
    const mbedtls_cipher_info_t *info = mbedtls_cipher_info_from_type(MBEDTLS_CIPHER_AES_128_ECB);
    if (info == NULL)
        return refuse(state, CUPEL_MISSING, "this Mbed TLS was built without AES-128-ECB");
    if (c->kept.key_len != 16)
        return refuse(state, CUPEL_UNSUPPORTED, "AES-128 has keys of 16 bytes");
    if (mbedtls_cipher_setup(&c->cmac, info) != 0 ||
        mbedtls_cipher_cmac_starts(&c->cmac, c->kept.key, 128) != 0)
        return refuse(state, CUPEL_FAILED, "mbedtls_cipher_cmac_starts failed");
    c->call = cmac;
    return CUPEL_OK;
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    if (strcmp(task->primitive, "aes-cmac") == 0)
        return open_cmac(c, state);
    int short_hash = strcmp(task->primitive, "hmac-sha256") == 0;
    const mbedtls_md_info_t *info =
        mbedtls_md_info_from_type(short_hash ? MBEDTLS_MD_SHA256 : MBEDTLS_MD_SHA512);
    if (info == NULL)
        return refuse(state, CUPEL_MISSING, "this Mbed TLS was built without the hash of the HMAC");
    if (mbedtls_md_setup(&c->md, info, 1) != 0 ||
        mbedtls_md_hmac_starts(&c->md, c->kept.key, c->kept.key_len) != 0)
        return refuse(state, CUPEL_FAILED, "mbedtls_md_hmac_starts failed");
    c->call = hmac;
    return CUPEL_OK;
}

/* ---- AEAD ---- */

/* Seals or opens len bytes into the output and computes the tag of the ciphertext. */
static int gcm_transform(cell *c, cupel_state *state, cupel_io *io, size_t len, uint8_t *tag) {
    int mode = c->sealing ? MBEDTLS_GCM_ENCRYPT : MBEDTLS_GCM_DECRYPT;
    if (c->kept.key_per_call &&
        mbedtls_gcm_setkey(&c->gcm, MBEDTLS_CIPHER_ID_AES, c->kept.key, c->key_bits) != 0)
        return refuse(state, CUPEL_FAILED, "mbedtls_gcm_setkey failed");
    if (io->nonce_len == 0)
        return refuse(state, CUPEL_UNSUPPORTED, "GCM has no empty nonce");
    int bad = mbedtls_gcm_starts(&c->gcm, mode, io->nonce, io->nonce_len, io->ad, io->ad_len);
    for (size_t at = 0, turn = 0, n; !bad && at < len; at += n) {
        n = next_piece(&c->kept, &turn, len - at);
        bad = mbedtls_gcm_update(&c->gcm, n, io->input + at, io->output + at);
    }
    bad = bad ? bad : mbedtls_gcm_finish(&c->gcm, tag, TAG);
    return bad ? refuse(state, CUPEL_FAILED, "mbedtls_gcm failed") : CUPEL_OK;
}

/* The same for ChaCha20-Poly1305. */
static int chacha_transform(cell *c, cupel_state *state, cupel_io *io, size_t len, uint8_t *tag) {
    if (c->kept.key_per_call && mbedtls_chachapoly_setkey(&c->chacha, c->kept.key) != 0)
        return refuse(state, CUPEL_FAILED, "mbedtls_chachapoly_setkey failed");
    if (io->nonce_len != 12)
        return refuse(state, CUPEL_UNSUPPORTED, "ChaCha20-Poly1305 has nonces of 12 bytes");
    int bad = mbedtls_chachapoly_starts(&c->chacha, io->nonce,
                                        c->sealing ? MBEDTLS_CHACHAPOLY_ENCRYPT
                                                   : MBEDTLS_CHACHAPOLY_DECRYPT);
    bad = bad ? bad : mbedtls_chachapoly_update_aad(&c->chacha, io->ad, io->ad_len);
    for (size_t at = 0, turn = 0, n; !bad && at < len; at += n) {
        n = next_piece(&c->kept, &turn, len - at);
        bad = mbedtls_chachapoly_update(&c->chacha, n, io->input + at, io->output + at);
    }
    bad = bad ? bad : mbedtls_chachapoly_finish(&c->chacha, tag);
    return bad ? refuse(state, CUPEL_FAILED, "mbedtls_chachapoly failed") : CUPEL_OK;
}

static int transform(cell *c, cupel_state *state, cupel_io *io, size_t len, uint8_t *tag) {
    return c->key_bits == 0 ? chacha_transform(c, state, io, len, tag)
                            : gcm_transform(c, state, io, len, tag);
}

static int seal(cell *c, cupel_state *state, cupel_io *io) {
    int result = transform(c, state, io, io->input_len, io->output + io->input_len);
    io->output_len = io->input_len + TAG;
    return result;
}

static int open_sealed(cell *c, cupel_state *state, cupel_io *io) {
    if (io->input_len < TAG)
        return CUPEL_REFUSED;
    size_t len = io->input_len - TAG;
    uint8_t tag[TAG], differs = 0;
    int result = transform(c, state, io, len, tag);
    /* In constant time, as in mbedtls_gcm_auth_decrypt, which cannot take chunks. */
    for (size_t i = 0; i < TAG; i++)
        differs |= (uint8_t)(tag[i] ^ io->input[len + i]);
    if (result == CUPEL_OK && differs != 0)
        result = CUPEL_REFUSED;
    if (result != CUPEL_OK) {
        mbedtls_platform_zeroize(io->output, len);
        return result;
    }
    io->output_len = len;
    return CUPEL_OK;
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    c->sealing = strcmp(task->operation, "seal") == 0;
    c->call = c->sealing ? seal : open_sealed;
    c->key_bits = strcmp(task->primitive, "aes-128-gcm") == 0   ? 128
                  : strcmp(task->primitive, "aes-256-gcm") == 0 ? 256
                                                                : 0;
    if (c->kept.key_len != (c->key_bits == 0 ? 32 : c->key_bits / 8))
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has keys of another length");
    if (c->key_bits == 0) {
        if (mbedtls_chachapoly_setkey(&c->chacha, c->kept.key) != 0)
            return refuse(state, CUPEL_FAILED, "mbedtls_chachapoly_setkey failed");
        return CUPEL_OK;
    }
    for (size_t i = 0; i < c->kept.chunk_count; i++)
        if (c->kept.chunks[i] % BLOCK != 0)
            return refuse(state, CUPEL_UNSUPPORTED,
                          "Mbed TLS 2.28 takes only whole blocks of 16 bytes in GCM's chunks");
    if (mbedtls_gcm_setkey(&c->gcm, MBEDTLS_CIPHER_ID_AES, c->kept.key, c->key_bits) != 0)
        return refuse(state, CUPEL_FAILED, "mbedtls_gcm_setkey failed");
    return CUPEL_OK;
}

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static char version[32];
    static cupel_contender self = {
        .name = "mbedtls",
        .library = "Mbed TLS",
        .version = version,
        .licence = "Apache-2.0",
        .summary = "one context kept; starts, update, finish",
        .offers = "sha1:digest sha256:digest sha512:digest sha1:digest-many "
                  "sha256:digest-many sha512:digest-many hmac-sha256:mac "
                  "hmac-sha512:mac aes-cmac:mac aes-128-gcm:seal "
                  "aes-128-gcm:open aes-256-gcm:seal aes-256-gcm:open "
                  "chacha20-poly1305:seal chacha20-poly1305:open",
    };
    mbedtls_version_get_string(version);
    return index == 0 ? &self : NULL;
}

/* Mbed TLS wipes its contexts. */
static void drop(cell *c) {
    mbedtls_sha1_free(&c->sha1);
    mbedtls_sha256_free(&c->sha256);
    mbedtls_sha512_free(&c->sha512);
    mbedtls_md_free(&c->md);
    mbedtls_cipher_free(&c->cmac);
    mbedtls_gcm_free(&c->gcm);
    mbedtls_chachapoly_free(&c->chacha);
    kept_drop(&c->kept);
    free(c);
}

/* The code that the library selects, by its own test of the CPU. */
static const char *code_path(const cupel_task *task) {
#ifdef MBEDTLS_AESNI_HAVE_CODE
    if (strncmp(task->primitive, "aes-", 4) == 0 && mbedtls_aesni_has_support(MBEDTLS_AESNI_AES)) {
        if (strcmp(task->primitive, "aes-cmac") == 0)
            return "AES-NI";
        return mbedtls_aesni_has_support(MBEDTLS_AESNI_CLMUL) ? "AES-NI and PCLMULQDQ" : "AES-NI";
    }
#endif
    (void)task;
    return "portable C";
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    state->code_path = code_path(task);
    return choose_of(open_digest, open_mac, open_aead, c, task, state);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    cell *c = calloc(1, sizeof *c);
    if (c != NULL) {
        mbedtls_sha1_init(&c->sha1);
        mbedtls_sha256_init(&c->sha256);
        mbedtls_sha512_init(&c->sha512);
        mbedtls_md_init(&c->md);
        mbedtls_cipher_init(&c->cmac);
        mbedtls_gcm_init(&c->gcm);
        mbedtls_chachapoly_init(&c->chacha);
    }
    return open_cell(c, task, state);
}
