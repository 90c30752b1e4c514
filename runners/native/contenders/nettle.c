/* nettle.c: Nettle 3, through the functions of each algorithm. Contexts are kept, and so is the key
 * if the contract prepares it. */
#include "cupel_contender.h"
#include "kept.h"

#include <nettle/chacha-poly1305.h>
#include <nettle/cmac.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <nettle/sha3.h>
#include <nettle/version.h>
#include <stdio.h>

#if NETTLE_VERSION_MAJOR != 3
#error "written for Nettle 3, whose functions have other arguments in 4.0"
#endif

enum { TAG = 16, NONCE = 12 };

/* The differences between the digests: Nettle's functions, with the context as void *. Those that
 * write the output also begin the next message. */
typedef struct digest {
    const char *primitive;
    size_t size, context; /* of the digest and of the context, in bytes */
    nettle_hash_init_func *init;
    nettle_hash_update_func *update;
    nettle_hash_digest_func *finish;
} digest;

/* The same for a MAC; set_key begins the first message. */
typedef struct mac {
    const char *primitive;
    size_t size, key_len; /* key_len: of the key, or 0 for any */
    void (*set_key)(void *context, size_t len, const uint8_t *key);
    nettle_hash_update_func *update;
    nettle_hash_digest_func *finish;
} mac;

/* The same for an AEAD. */
typedef struct aead {
    const char *primitive;
    size_t key_len, nonce_len, block; /* nonce_len: of the nonce, or 0 for any but an empty one */
    nettle_set_key_func *set_key;
    void (*set_nonce)(void *context, size_t len, const uint8_t *nonce);
    nettle_hash_update_func *update;
    nettle_crypt_func *encrypt, *decrypt;
    nettle_hash_digest_func *finish;
} aead;

typedef union context {
    struct sha1_ctx sha1;
    struct sha256_ctx sha256;
    struct sha512_ctx sha512;
    struct sha3_256_ctx sha3_256;
    struct hmac_sha256_ctx hmac_sha256;
    struct hmac_sha512_ctx hmac_sha512;
    struct cmac_aes128_ctx cmac_aes128;
    struct gcm_aes128_ctx gcm_aes128;
    struct gcm_aes256_ctx gcm_aes256;
    struct chacha_poly1305_ctx chacha_poly1305;
} context;

typedef struct cell {
    context context; /* first: it may need the alignment of an allocation */
    context first;   /* after a prefix */
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    const digest *digest;
    const mac *mac;
    const aead *aead;
} cell;

#include "cell.h"

/* Nettle's functions take their own context type. A call through another type is undefined in
 * C, so each has a function here that takes void *. */
#define DIGEST(name, type)                                                                         \
    static void name##_begin(void *at) {                                                           \
        name##_init((type *)at);                                                                   \
    }                                                                                              \
    static void name##_add(void *at, size_t len, const uint8_t *data) {                            \
        name##_update((type *)at, len, data);                                                      \
    }                                                                                              \
    static void name##_end(void *at, size_t len, uint8_t *out) {                                   \
        name##_digest((type *)at, len, out);                                                       \
    }

DIGEST(sha1, struct sha1_ctx)
DIGEST(sha256, struct sha256_ctx)
DIGEST(sha512, struct sha512_ctx)
DIGEST(sha3_256, struct sha3_256_ctx)

/* SHA-512/256 shares SHA-512's context and update. */
static void sha512_256_begin(void *at) {
    sha512_256_init((struct sha512_ctx *)at);
}

static void sha512_256_end(void *at, size_t len, uint8_t *out) {
    sha512_256_digest((struct sha512_ctx *)at, len, out);
}

#define HMAC(name)                                                                                 \
    static void name##_key(void *at, size_t len, const uint8_t *key) {                             \
        name##_set_key((struct name##_ctx *)at, len, key);                                         \
    }                                                                                              \
    static void name##_add(void *at, size_t len, const uint8_t *data) {                            \
        name##_update((struct name##_ctx *)at, len, data);                                         \
    }                                                                                              \
    static void name##_end(void *at, size_t len, uint8_t *out) {                                   \
        name##_digest((struct name##_ctx *)at, len, out);                                          \
    }

HMAC(hmac_sha256)
HMAC(hmac_sha512)

static void cmac_key(void *at, size_t len, const uint8_t *key) {
    (void)len;
    cmac_aes128_set_key((struct cmac_aes128_ctx *)at, key);
}

static void cmac_add(void *at, size_t len, const uint8_t *data) {
    cmac_aes128_update((struct cmac_aes128_ctx *)at, len, data);
}

static void cmac_end(void *at, size_t len, uint8_t *out) {
    cmac_aes128_digest((struct cmac_aes128_ctx *)at, len, out);
}

#define AEAD(name, set_nonce_call)                                                                 \
    static void name##_key(void *at, const uint8_t *key) {                                         \
        name##_set_key((struct name##_ctx *)at, key);                                              \
    }                                                                                              \
    static void name##_nonce(void *at, size_t len, const uint8_t *nonce) {                         \
        (void)len;                                                                                 \
        set_nonce_call;                                                                            \
    }                                                                                              \
    static void name##_ad(void *at, size_t len, const uint8_t *ad) {                               \
        name##_update((struct name##_ctx *)at, len, ad);                                           \
    }                                                                                              \
    static void name##_seal(void *at, size_t len, uint8_t *to, const uint8_t *from) {              \
        name##_encrypt((struct name##_ctx *)at, len, to, from);                                    \
    }                                                                                              \
    static void name##_open(void *at, size_t len, uint8_t *to, const uint8_t *from) {              \
        name##_decrypt((struct name##_ctx *)at, len, to, from);                                    \
    }                                                                                              \
    static void name##_end(void *at, size_t len, uint8_t *tag) {                                   \
        name##_digest((struct name##_ctx *)at, len, tag);                                          \
    }

AEAD(gcm_aes128, gcm_aes128_set_iv(at, len, nonce))
AEAD(gcm_aes256, gcm_aes256_set_iv(at, len, nonce))
AEAD(chacha_poly1305, chacha_poly1305_set_nonce(at, nonce))

static const digest digests[] = {
    {"sha1", 20, sizeof(struct sha1_ctx), sha1_begin, sha1_add, sha1_end},
    {"sha256", 32, sizeof(struct sha256_ctx), sha256_begin, sha256_add, sha256_end},
    {"sha512", 64, sizeof(struct sha512_ctx), sha512_begin, sha512_add, sha512_end},
    {"sha512-256", 32, sizeof(struct sha512_ctx), sha512_256_begin, sha512_add, sha512_256_end},
    {"sha3-256", 32, sizeof(struct sha3_256_ctx), sha3_256_begin, sha3_256_add, sha3_256_end},
};

static const mac macs[] = {
    {"hmac-sha256", 32, 0, hmac_sha256_key, hmac_sha256_add, hmac_sha256_end},
    {"hmac-sha512", 64, 0, hmac_sha512_key, hmac_sha512_add, hmac_sha512_end},
    {"aes-cmac", 16, 16, cmac_key, cmac_add, cmac_end},
};

static const aead aeads[] = {
    {"aes-128-gcm", 16, 0, 16, gcm_aes128_key, gcm_aes128_nonce, gcm_aes128_ad, gcm_aes128_seal,
     gcm_aes128_open, gcm_aes128_end},
    {"aes-256-gcm", 32, 0, 16, gcm_aes256_key, gcm_aes256_nonce, gcm_aes256_ad, gcm_aes256_seal,
     gcm_aes256_open, gcm_aes256_end},
    {"chacha20-poly1305", 32, NONCE, 64, chacha_poly1305_key, chacha_poly1305_nonce,
     chacha_poly1305_ad, chacha_poly1305_seal, chacha_poly1305_open, chacha_poly1305_end},
};

/* ---- digest: no function of Nettle fails ---- */

static int hash(cell *c, cupel_state *state, cupel_io *io) {
    (void)state;
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        c->digest->update(&c->context, n, io->input + at);
    }
    c->digest->finish(&c->context, c->digest->size, io->output);
    io->output_len = c->digest->size;
    return CUPEL_OK;
}

/* Nettle's contexts have no pointers, and are copied as memory. */
static int hash_copied(cell *c, cupel_state *state, cupel_io *io) {
    memcpy(&c->context, &c->first, c->digest->context);
    return hash(c, state, io);
}

int cupel_prefix(cupel_state *state, const uint8_t *prefix, size_t len) {
    cell *c = (cell *)state->data;
    if (c->call != hash)
        return no_copies(state);
    c->digest->update(&c->context, len, prefix);
    c->first = c->context;
    c->call = hash_copied;
    return CUPEL_OK;
}

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
        if (strcmp(task->primitive, digests[i].primitive) == 0)
            c->digest = &digests[i];
    if (c->digest == NULL)
        return refuse(state, CUPEL_UNSUPPORTED, "not a digest of this contender");
    c->digest->init(&c->context);
    c->call = hash;
    return CUPEL_OK;
}

/* ---- mac ---- */

static int authenticate(cell *c, cupel_state *state, cupel_io *io) {
    (void)state;
    if (c->kept.key_per_call)
        c->mac->set_key(&c->context, c->kept.key_len, c->kept.key);
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        c->mac->update(&c->context, n, io->input + at);
    }
    c->mac->finish(&c->context, c->mac->size, io->output);
    io->output_len = c->mac->size;
    return CUPEL_OK;
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    for (size_t i = 0; i < sizeof macs / sizeof *macs; i++)
        if (strcmp(task->primitive, macs[i].primitive) == 0)
            c->mac = &macs[i];
    if (c->mac == NULL)
        return refuse(state, CUPEL_UNSUPPORTED, "not a MAC of this contender");
    if (c->mac->key_len != 0 && c->kept.key_len != c->mac->key_len)
        return refuse(state, CUPEL_UNSUPPORTED, "this MAC has keys of 16 bytes");
    c->mac->set_key(&c->context, c->kept.key_len, c->kept.key);
    c->call = authenticate;
    return CUPEL_OK;
}

/* ---- AEAD ---- */

/* Seals or opens len bytes into the output and computes the tag of the ciphertext. */
static int transform(cell *c, nettle_crypt_func *crypt, cupel_state *state, cupel_io *io,
                     size_t len, uint8_t *tag) {
    const aead *by = c->aead;
    if (io->nonce_len == 0 || (by->nonce_len != 0 && io->nonce_len != by->nonce_len))
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has nonces of another length");
    if (c->kept.key_per_call)
        by->set_key(&c->context, c->kept.key);
    by->set_nonce(&c->context, io->nonce_len, io->nonce);
    by->update(&c->context, io->ad_len, io->ad);
    for (size_t at = 0, turn = 0, n; at < len; at += n) {
        n = next_piece(&c->kept, &turn, len - at);
        crypt(&c->context, n, io->output + at, io->input + at);
    }
    by->finish(&c->context, TAG, tag);
    return CUPEL_OK;
}

static int seal(cell *c, cupel_state *state, cupel_io *io) {
    int result =
        transform(c, c->aead->encrypt, state, io, io->input_len, io->output + io->input_len);
    io->output_len = io->input_len + TAG;
    return result;
}

static int open_sealed(cell *c, cupel_state *state, cupel_io *io) {
    if (io->input_len < TAG)
        return CUPEL_REFUSED;
    size_t len = io->input_len - TAG;
    uint8_t tag[TAG];
    int result = transform(c, c->aead->decrypt, state, io, len, tag);
    if (result == CUPEL_OK && !nettle_memeql_sec(tag, io->input + len, TAG)) {
        wipe(io->output, len);
        result = CUPEL_REFUSED;
    }
    io->output_len = len;
    return result;
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    for (size_t i = 0; i < sizeof aeads / sizeof *aeads; i++)
        if (strcmp(task->primitive, aeads[i].primitive) == 0)
            c->aead = &aeads[i];
    if (c->aead == NULL)
        return refuse(state, CUPEL_UNSUPPORTED, "not an AEAD of this contender");
    if (c->kept.key_len != c->aead->key_len)
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has keys of another length");
    for (size_t i = 0; i < c->kept.chunk_count; i++)
        if (c->kept.chunks[i] % c->aead->block != 0)
            return refuse(state, CUPEL_UNSUPPORTED,
                          "Nettle takes only whole blocks in an AEAD's chunks");
    c->aead->set_key(&c->context, c->kept.key);
    c->call = strcmp(task->operation, "seal") == 0 ? seal : open_sealed;
    return CUPEL_OK;
}

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static char version[32];
    static cupel_contender self = {
        .name = "nettle",
        .library = "Nettle",
        .version = version,
        .licence = "LGPL-3.0-or-later OR GPL-2.0-or-later",
        .summary = "one context kept; update, digest",
        .offers = "sha1:digest sha256:digest sha512:digest sha512-256:digest "
                  "sha3-256:digest sha1:digest-many sha256:digest-many "
                  "sha512:digest-many hmac-sha256:mac hmac-sha512:mac "
                  "aes-cmac:mac aes-128-gcm:seal aes-128-gcm:open "
                  "aes-256-gcm:seal aes-256-gcm:open chacha20-poly1305:seal "
                  "chacha20-poly1305:open",
    };
    snprintf(version, sizeof version, "%d.%d", nettle_version_major(), nettle_version_minor());
    return index == 0 ? &self : NULL;
}

static void drop(cell *c) {
    kept_drop(&c->kept);
    wipe(c, sizeof *c);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    state->code_path = "unknown: selected by Nettle, which does not report it";
    return choose_of(open_digest, open_mac, open_aead, c, task, state);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    return open_cell(calloc(1, sizeof(cell)), task, state);
}
