/* botan.c: Botan 2, through its C interface. Objects are kept, and so is the key if the contract
 * prepares it. */
#include "cupel_contender.h"
#include "kept.h"

#include <botan/ffi.h>
#include <stdio.h>

enum { TAG = 16, LONGEST = 64 };

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    botan_hash_t hash;
    botan_mac_t mac;
    botan_cipher_t cipher;
    size_t size;      /* of the digest or MAC, in bytes */
    size_t nonce_len; /* the only length of the AEAD's nonces, or 0 */
} cell;

#include "cell.h"

/* A primitive, and Botan's name for it. */
typedef struct named {
    const char *primitive, *botan;
    size_t key_len;   /* the only length of its keys, or 0 */
    size_t nonce_len; /* as in the cell */
} named;

static const named *find(const named *among, size_t count, const char *primitive) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(among[i].primitive, primitive) == 0)
            return &among[i];
    return NULL;
}

static int failed(cupel_state *state, int error) {
    return refuse(state, CUPEL_FAILED, botan_error_description(error));
}

/* ---- digest ---- */

static int hash_with(cell *c, botan_hash_t hash, cupel_state *state, cupel_io *io) {
    int error = 0;
    for (size_t at = 0, turn = 0, n; !error && at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        error = botan_hash_update(hash, io->input + at, n);
    }
    if (!error)
        error = botan_hash_final(hash, io->output); /* it also begins the next message */
    io->output_len = c->size;
    return error ? failed(state, error) : CUPEL_OK;
}

static int hash(cell *c, cupel_state *state, cupel_io *io) {
    return hash_with(c, c->hash, state, io);
}

/* Botan copies a state into a new object only. */
static int hash_copied(cell *c, cupel_state *state, cupel_io *io) {
    botan_hash_t hash;
    int error = botan_hash_copy_state(&hash, c->hash);
    if (error)
        return failed(state, error);
    int result = hash_with(c, hash, state, io);
    botan_hash_destroy(hash);
    return result;
}

int cupel_prefix(cupel_state *state, const uint8_t *prefix, size_t len) {
    cell *c = (cell *)state->data;
    if (c->call != hash)
        return no_copies(state);
    int error = botan_hash_update(c->hash, prefix, len);
    c->call = hash_copied;
    return error ? failed(state, error) : CUPEL_OK;
}

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    static const named hashes[] = {
        {"sha1", "SHA-1", 0, 0},           {"sha256", "SHA-256", 0, 0},
        {"sha512", "SHA-512", 0, 0},       {"sha512-256", "SHA-512-256", 0, 0},
        {"sha3-256", "SHA-3(256)", 0, 0},  {"shake128", "SHAKE-128(256)", 0, 0},
        {"blake2b", "BLAKE2b(512)", 0, 0},
    };
    const named *it = find(hashes, sizeof hashes / sizeof *hashes, task->primitive);
    if (it == NULL)
        return refuse(state, CUPEL_UNSUPPORTED, "not a digest of this contender");
    if (botan_hash_init(&c->hash, it->botan, 0) != 0)
        return refuse(state, CUPEL_MISSING, "this Botan was built without the digest");
    int error = botan_hash_output_length(c->hash, &c->size);
    if (!error && c->size > LONGEST)
        return refuse(state, CUPEL_FAILED, "Botan's digest is longer than 64 bytes");
    c->call = hash;
    return error ? failed(state, error) : CUPEL_OK;
}

/* ---- mac ---- */

static int authenticate(cell *c, cupel_state *state, cupel_io *io) {
    int error = c->kept.key_per_call ? botan_mac_set_key(c->mac, c->kept.key, c->kept.key_len) : 0;
    for (size_t at = 0, turn = 0, n; !error && at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        error = botan_mac_update(c->mac, io->input + at, n);
    }
    if (!error)
        error = botan_mac_final(c->mac, io->output); /* it keeps the key, but for SipHash */
    io->output_len = c->size;
    return error ? failed(state, error) : CUPEL_OK;
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    static const named macs[] = {
        {"hmac-sha256", "HMAC(SHA-256)", 0, 0}, {"hmac-sha512", "HMAC(SHA-512)", 0, 0},
        {"aes-cmac", "CMAC(AES-128)", 16, 0},   {"siphash-1-3", "SipHash(1,3)", 16, 0},
        {"siphash-2-4", "SipHash(2,4)", 16, 0},
    };
    const named *it = find(macs, sizeof macs / sizeof *macs, task->primitive);
    if (it == NULL)
        return refuse(state, CUPEL_UNSUPPORTED, "not a MAC of this contender");
    if (it->key_len != 0 && c->kept.key_len != it->key_len)
        return refuse(state, CUPEL_UNSUPPORTED, "this MAC has keys of 16 bytes");
    if (strncmp(task->primitive, "siphash-", 8) == 0 && !c->kept.key_per_call)
        return refuse(state, CUPEL_UNSUPPORTED, "Botan 2 clears SipHash's key after every message");
    if (botan_mac_init(&c->mac, it->botan, 0) != 0)
        return refuse(state, CUPEL_MISSING, "this Botan was built without the MAC");
    int error = botan_mac_output_length(c->mac, &c->size);
    if (!error && c->size > LONGEST)
        return refuse(state, CUPEL_FAILED, "Botan's MAC is longer than 64 bytes");
    if (!error)
        error = botan_mac_set_key(c->mac, c->kept.key, c->kept.key_len);
    c->call = authenticate;
    return error ? failed(state, error) : CUPEL_OK;
}

/* ---- AEAD ---- */

/* Seals or opens in one call: the output of one begins or ends with the tag of the other. */
static int transform(cell *c, cupel_state *state, cupel_io *io) {
    if (io->nonce_len == 0 || (c->nonce_len != 0 && io->nonce_len != c->nonce_len))
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has nonces of another length");
    int error =
        c->kept.key_per_call ? botan_cipher_set_key(c->cipher, c->kept.key, c->kept.key_len) : 0;
    if (!error)
        error = botan_cipher_set_associated_data(c->cipher, io->ad, io->ad_len);
    if (!error)
        error = botan_cipher_start(c->cipher, io->nonce, io->nonce_len);
    size_t written = 0, taken = 0;
    if (!error)
        error = botan_cipher_update(c->cipher, BOTAN_CIPHER_UPDATE_FLAG_FINAL, io->output,
                                    io->output_len, &written, io->input, io->input_len, &taken);
    io->output_len = written;
    if (error == BOTAN_FFI_ERROR_BAD_MAC)
        return CUPEL_REFUSED;
    return error ? failed(state, error) : CUPEL_OK;
}

/* Botan works in its own buffer, so a refused message leaves nothing in the output. */
static int open_sealed(cell *c, cupel_state *state, cupel_io *io) {
    return io->input_len < TAG ? CUPEL_REFUSED : transform(c, state, io);
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    static const named aeads[] = {
        {"aes-128-gcm", "AES-128/GCM", 16, 0},
        {"aes-256-gcm", "AES-256/GCM", 32, 0},
        {"chacha20-poly1305", "ChaCha20Poly1305", 32, 12},
        {"xchacha20-poly1305", "ChaCha20Poly1305", 32, 24},
    };
    const named *it = find(aeads, sizeof aeads / sizeof *aeads, task->primitive);
    if (it == NULL)
        return refuse(state, CUPEL_UNSUPPORTED, "not an AEAD of this contender");
    if (c->kept.key_len != it->key_len)
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has keys of another length");
    if (c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED,
                      "Botan's C interface takes no chunks of one's own choice in an AEAD");
    int sealing = strcmp(task->operation, "seal") == 0;
    c->nonce_len = it->nonce_len;
    c->call = sealing ? transform : open_sealed;
    if (botan_cipher_init(&c->cipher, it->botan,
                          sealing ? BOTAN_CIPHER_INIT_FLAG_ENCRYPT
                                  : BOTAN_CIPHER_INIT_FLAG_DECRYPT) != 0)
        return refuse(state, CUPEL_MISSING, "this Botan was built without the AEAD");
    int error = botan_cipher_set_key(c->cipher, c->kept.key, c->kept.key_len);
    return error ? failed(state, error) : CUPEL_OK;
}

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static char version[48];
    static cupel_contender self = {
        .name = "botan",
        .library = "Botan",
        .version = version,
        .licence = "BSD-2-Clause",
        .summary = "its C interface; one object kept; set_key, update, final",
        .offers = "sha1:digest sha256:digest sha512:digest sha512-256:digest "
                  "sha3-256:digest shake128:digest blake2b:digest "
                  "sha1:digest-many sha256:digest-many sha512:digest-many "
                  "hmac-sha256:mac hmac-sha512:mac aes-cmac:mac "
                  "siphash-1-3:mac:key-per-call siphash-2-4:mac:key-per-call "
                  "aes-128-gcm:seal aes-128-gcm:open "
                  "aes-256-gcm:seal aes-256-gcm:open chacha20-poly1305:seal "
                  "chacha20-poly1305:open xchacha20-poly1305:seal "
                  "xchacha20-poly1305:open",
    };
    snprintf(version, sizeof version, "%u.%u.%u", botan_version_major(), botan_version_minor(),
             botan_version_patch());
    return index == 0 ? &self : NULL;
}

/* Botan clears its objects. */
static void drop(cell *c) {
    botan_hash_destroy(c->hash);
    botan_mac_destroy(c->mac);
    botan_cipher_destroy(c->cipher);
    kept_drop(&c->kept);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    state->code_path = "unknown: selected by Botan, whose C interface does not report it";
    return choose_of(open_digest, open_mac, open_aead, c, task, state);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    return open_cell(calloc(1, sizeof(cell)), task, state);
}
