/* libgcrypt.c: libgcrypt 1.10 and later, with all features of the CPU and with some of them masked.
 *
 * A mask applies to the whole process, and only if it is set before the library is initialised.
 * Therefore the first cupel_open initialises it, and cupel_describe asks for the version in the
 * only way that does not. Every contender keeps its handle, and its key if the contract prepares
 * it. */
#include "cupel_contender.h"
#include "kept.h"

#include <gcrypt.h>
#include <stdio.h>

enum { TAG = 16, NONCE = 12, MASKS = 8, SHAKE128_SIZE = 32, FIPS_KEY = 14 };

/* The features that each contender masks, and the feature that it is named after, which must be
 * present. The names are from libgcrypt's hwfeatures.c. A version that does not know a name rejects
 * it; that is not an error, because such a version has no code for the feature either. */
static const struct {
    const char *name, *summary, *masks[MASKS], *needs;
} variants[] = {
    {"libgcrypt", "one handle kept; reset, write, read", {NULL}, NULL},
    {"libgcrypt-avx",
     "the same with AVX2, AVX-512, SHA-NI and VAES masked",
     {"intel-avx512", "intel-avx2", "intel-shaext", "intel-vaes-vpclmul", "intel-fast-vpgather",
      "intel-gfni"},
     "intel-avx"},
    {"libgcrypt-ssse3",
     "the same with AVX masked as well",
     {"intel-avx512", "intel-avx2", "intel-shaext", "intel-vaes-vpclmul", "intel-fast-vpgather",
      "intel-gfni", "intel-avx"},
     "intel-ssse3"},
    {"libgcrypt-noaes",
     "the same with only AES-NI, PCLMULQDQ and VAES masked",
     {"intel-aesni", "intel-pclmul", "intel-vaes-vpclmul"},
     "intel-ssse3"},
    {"libgcrypt-generic", "the same with every feature masked: portable code", {"all"}, NULL},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    gcry_md_hd_t md;
    size_t digest_len;
    int xof; /* the digest algorithm, if its output has any length, or 0 */
    gcry_mac_hd_t mac;
    int cmac;
    gcry_cipher_hd_t cipher;
    int mode; /* GCRY_CIPHER_MODE_... */
} cell;

#include "cell.h"

static int failed(cupel_state *state, gcry_error_t error) {
    return refuse(state, CUPEL_FAILED, gcry_strerror(error));
}

/* Why something cannot be opened. An algorithm that this build does not have, or FIPS mode does not
 * allow, is missing: nothing has been answered, so nothing is wrong. */
static int not_opened(cupel_state *state, gcry_error_t error) {
    switch (gcry_err_code(error)) {
    case GPG_ERR_DIGEST_ALGO:
    case GPG_ERR_MAC_ALGO:
    case GPG_ERR_CIPHER_ALGO:
    case GPG_ERR_INV_CIPHER_MODE:
        return refuse(state, CUPEL_MISSING,
                      "this libgcrypt, or its FIPS mode, refuses the algorithm");
    default:
        return failed(state, error);
    }
}

/* ---- initialisation of the library ---- */

static size_t started = VARIANTS; /* the variant that was initialised; VARIANTS: none yet */
static char code_path[512];

/* Whether a feature is in libgcrypt's list, such as "hwflist:intel-cpu:intel-avx2:". */
static int has_feature(const char *list, const char *name) {
    size_t len = strlen(name);
    for (const char *at = list; (at = strchr(at, ':')) != NULL;) {
        at++;
        if (strncmp(at, name, len) == 0 && at[len] == ':')
            return 1;
    }
    return 0;
}

/* Reads the features in use into code_path, and compares them with the variant's mask. */
static int check_features(size_t variant, cupel_state *state) {
    char *list = gcry_get_config(0, "hwflist");
    if (list == NULL)
        return refuse(state, CUPEL_FAILED, "libgcrypt gives no list of features in use");
    list[strcspn(list, "\n")] = '\0';
    int result = CUPEL_OK;
    for (size_t i = 0; i < MASKS && variants[variant].masks[i] != NULL; i++)
        if (has_feature(list, variants[variant].masks[i]))
            result = refuse(state, CUPEL_FAILED, "libgcrypt did not take the mask of features");
    if (strcmp(variants[variant].name, "libgcrypt-generic") == 0 && strcmp(list, "hwflist:") != 0)
        result = refuse(state, CUPEL_FAILED, "libgcrypt did not take the mask of all features");
    if (result == CUPEL_OK && variants[variant].needs != NULL &&
        !has_feature(list, variants[variant].needs))
        result = refuse(state, CUPEL_MISSING, "the CPU lacks the feature of this code path");
    int none = strcmp(list, "hwflist:") == 0;
    /* The features from which it selects; it does not report the code that it selected. */
    snprintf(code_path, sizeof code_path, "%s%s%s", none ? "" : "unknown: selected from ", list,
             none ? " no feature, portable code" : "");
    gcry_free(list);
    return result;
}

static int start(size_t variant, cupel_state *state) {
    if (started == VARIANTS && !gcry_control(GCRYCTL_ANY_INITIALIZATION_P)) {
        for (size_t i = 0; i < MASKS && variants[variant].masks[i] != NULL; i++)
            gcry_control(GCRYCTL_DISABLE_HWF, variants[variant].masks[i], NULL);
        if (gcry_check_version(GCRYPT_VERSION) == NULL)
            return refuse(state, CUPEL_MISSING, "libgcrypt is older than its header");
        gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
        gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
        started = variant;
    }
    if (started != variant)
        return refuse(state, CUPEL_FAILED,
                      "libgcrypt was started already, and its features can no longer be masked");
    return check_features(variant, state);
}

/* ---- digest ---- */

static int md_finish(cell *c, gcry_md_hd_t md, cupel_state *state, cupel_io *io) {
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        gcry_md_write(md, io->input + at, n);
    }
    if (c->xof != 0) {
        gcry_error_t error = gcry_md_extract(md, c->xof, io->output, c->digest_len);
        io->output_len = c->digest_len;
        return error ? failed(state, error) : CUPEL_OK;
    }
    const unsigned char *made = gcry_md_read(md, 0);
    if (made == NULL)
        return refuse(state, CUPEL_FAILED, "gcry_md_read failed");
    memcpy(io->output, made, c->digest_len);
    io->output_len = c->digest_len;
    return CUPEL_OK;
}

static int digest(cell *c, cupel_state *state, cupel_io *io) {
    gcry_md_reset(c->md);
    return md_finish(c, c->md, state, io);
}

/* libgcrypt copies a state into a new handle only. */
static int digest_copied(cell *c, cupel_state *state, cupel_io *io) {
    gcry_md_hd_t md;
    gcry_error_t error = gcry_md_copy(&md, c->md);
    if (error)
        return failed(state, error);
    int result = md_finish(c, md, state, io);
    gcry_md_close(md);
    return result;
}

int cupel_prefix(cupel_state *state, const uint8_t *prefix, size_t len) {
    cell *c = (cell *)state->data;
    if (c->call != digest)
        return no_copies(state);
    gcry_md_write(c->md, prefix, len);
    c->call = digest_copied;
    return CUPEL_OK;
}

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    static const struct {
        const char *primitive;
        int algorithm;
    } digests[] = {
        {"sha1", GCRY_MD_SHA1},           {"sha256", GCRY_MD_SHA256},
        {"sha512", GCRY_MD_SHA512},       {"sha512-256", GCRY_MD_SHA512_256},
        {"sha3-256", GCRY_MD_SHA3_256},   {"shake128", GCRY_MD_SHAKE128},
        {"blake2b", GCRY_MD_BLAKE2B_512}, {"blake2s", GCRY_MD_BLAKE2S_256},
    };
    int algorithm = 0;
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
        if (strcmp(task->primitive, digests[i].primitive) == 0)
            algorithm = digests[i].algorithm;
    gcry_error_t error = gcry_md_open(&c->md, algorithm, 0);
    if (error)
        return not_opened(state, error);
    c->xof = algorithm == GCRY_MD_SHAKE128 ? algorithm : 0;
    c->digest_len = c->xof != 0 ? SHAKE128_SIZE : gcry_md_get_algo_dlen(algorithm);
    c->call = digest;
    return CUPEL_OK;
}

/* ---- mac ---- */

static int mac(cell *c, cupel_state *state, cupel_io *io) {
    gcry_error_t error = c->kept.key_per_call
                             ? gcry_mac_setkey(c->mac, c->kept.key, c->kept.key_len)
                             : gcry_mac_reset(c->mac);
    if (!error && c->kept.key_per_call && c->cmac) /* a new key does not begin a message */
        error = gcry_mac_reset(c->mac);
    for (size_t at = 0, turn = 0, n; !error && at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        error = gcry_mac_write(c->mac, io->input + at, n);
    }
    if (!error)
        error = gcry_mac_read(c->mac, io->output, &io->output_len);
    return error ? failed(state, error) : CUPEL_OK;
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    int algorithm = strcmp(task->primitive, "hmac-sha256") == 0   ? GCRY_MAC_HMAC_SHA256
                    : strcmp(task->primitive, "hmac-sha512") == 0 ? GCRY_MAC_HMAC_SHA512
                                                                  : GCRY_MAC_CMAC_AES;
    if (algorithm == GCRY_MAC_CMAC_AES && c->kept.key_len != 16)
        return refuse(state, CUPEL_UNSUPPORTED, "AES-128 has keys of 16 bytes");
    c->cmac = algorithm == GCRY_MAC_CMAC_AES;
    gcry_error_t error = gcry_mac_open(&c->mac, algorithm, 0, NULL);
    if (error)
        return not_opened(state, error);
    error = gcry_mac_setkey(c->mac, c->kept.key, c->kept.key_len);
    if (gcry_err_code(error) == GPG_ERR_INV_VALUE && c->kept.key_len < FIPS_KEY &&
        gcry_fips_mode_active())
        return refuse(state, CUPEL_UNSUPPORTED, "in FIPS mode, HMAC has keys of 14 bytes or more");
    c->call = mac;
    return error ? failed(state, error) : CUPEL_OK;
}

/* ---- AEAD ---- */

/* Sets key, nonce and associated data. */
static int aead_begin(cell *c, cupel_state *state, const cupel_io *io) {
    gcry_error_t error = 0;
    /* For ChaCha20-Poly1305, libgcrypt would take the 8 bytes of an older form. */
    if (c->mode != GCRY_CIPHER_MODE_GCM && io->nonce_len != NONCE)
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has nonces of 12 bytes");
    if (c->kept.key_per_call)
        error = gcry_cipher_setkey(c->cipher, c->kept.key, c->kept.key_len);
    else if (c->mode == GCRY_CIPHER_MODE_GCM_SIV) /* it takes a nonce only after this */
        error = gcry_cipher_reset(c->cipher);
    if (!error) {
        error = gcry_cipher_setiv(c->cipher, io->nonce, io->nonce_len);
        if (gcry_err_code(error) == GPG_ERR_INV_LENGTH)
            return refuse(state, CUPEL_UNSUPPORTED, "libgcrypt takes no nonce of this length");
    }
    if (!error && io->ad_len != 0)
        error = gcry_cipher_authenticate(c->cipher, io->ad, io->ad_len);
    return error ? failed(state, error) : CUPEL_OK;
}

typedef gcry_error_t transform(gcry_cipher_hd_t, void *, size_t, const void *, size_t);

/* Encrypts or decrypts len bytes, in pieces. */
static gcry_error_t aead_body(cell *c, transform *turn_into, const cupel_io *io, size_t len) {
    gcry_error_t error = 0;
    if (c->mode == GCRY_CIPHER_MODE_GCM_SIV) /* in one call, also if there is no message */
        return turn_into(c->cipher, io->output, len, io->input, len);
    for (size_t at = 0, turn = 0, n; !error && at < len; at += n) {
        n = next_piece(&c->kept, &turn, len - at);
        error = turn_into(c->cipher, io->output + at, n, io->input + at, n);
    }
    return error;
}

static int seal(cell *c, cupel_state *state, cupel_io *io) {
    int begun = aead_begin(c, state, io);
    if (begun != CUPEL_OK)
        return begun;
    gcry_error_t error = aead_body(c, gcry_cipher_encrypt, io, io->input_len);
    if (!error)
        error = gcry_cipher_gettag(c->cipher, io->output + io->input_len, TAG);
    if (error)
        return failed(state, error);
    io->output_len = io->input_len + TAG;
    return CUPEL_OK;
}

static int open_sealed(cell *c, cupel_state *state, cupel_io *io) {
    if (io->input_len < TAG)
        return CUPEL_REFUSED;
    size_t len = io->input_len - TAG;
    int begun = aead_begin(c, state, io);
    if (begun != CUPEL_OK)
        return begun;
    gcry_error_t error = 0;
    if (c->mode == GCRY_CIPHER_MODE_GCM_SIV) /* it decrypts from the tag on */
        error =
            gcry_cipher_set_decryption_tag(c->cipher, (void *)(uintptr_t)(io->input + len), TAG);
    if (!error)
        error = aead_body(c, gcry_cipher_decrypt, io, len);
    if (!error)
        error = gcry_cipher_checktag(c->cipher, io->input + len, TAG);
    if (error) {
        wipe(io->output, len);
        return gcry_err_code(error) == GPG_ERR_CHECKSUM ? CUPEL_REFUSED : failed(state, error);
    }
    io->output_len = len;
    return CUPEL_OK;
}

/* Whether it seals with a nonce that the caller gives, which it says only when it encrypts. */
static int seals_by_nonce(cell *c) {
    static const unsigned char nonce[NONCE];
    unsigned char none[1];
    return gcry_cipher_setiv(c->cipher, nonce, sizeof nonce) == 0 &&
           gcry_err_code(gcry_cipher_encrypt(c->cipher, none, 0, NULL, 0)) != GPG_ERR_INV_STATE;
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    static const struct {
        const char *primitive;
        int cipher, mode;
        size_t key_len;
    } aeads[] = {
        {"aes-128-gcm", GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_GCM, 16},
        {"aes-256-gcm", GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_GCM, 32},
        {"aes-256-gcm-siv", GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_GCM_SIV, 32},
        {"chacha20-poly1305", GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305, 32},
    };
    size_t i = 0;
    while (i + 1 < sizeof aeads / sizeof *aeads && strcmp(task->primitive, aeads[i].primitive) != 0)
        i++;
    c->mode = aeads[i].mode;
    if (c->kept.key_len != aeads[i].key_len)
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has keys of another length");
    if (c->mode == GCRY_CIPHER_MODE_GCM_SIV && c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED,
                      "AES-GCM-SIV takes no chunks: it reads the message twice");
    gcry_error_t error = gcry_cipher_open(&c->cipher, aeads[i].cipher, aeads[i].mode, 0);
    if (error)
        return not_opened(state, error);
    error = gcry_cipher_setkey(c->cipher, c->kept.key, c->kept.key_len);
    c->call = strcmp(task->operation, "seal") == 0 ? seal : open_sealed;
    if (!error && c->call == seal && gcry_fips_mode_active() && !seals_by_nonce(c))
        return refuse(state, CUPEL_MISSING,
                      "in FIPS mode, libgcrypt seals with nonces of its own only");
    return error ? failed(state, error) : CUPEL_OK;
}

/* ---- the interface ---- */

/* The library's version ("version:1.10.1:..." in its configuration), without initialising it. */
static const char *version(void) {
    static char text[64];
    char *config = gcry_get_config(0, "version");
    if (config == NULL || sscanf(config, "version:%63[^:]", text) != 1)
        snprintf(text, sizeof text, "%s (by its header)", GCRYPT_VERSION);
    gcry_free(config);
    return text;
}

const cupel_contender *cupel_describe(size_t index) {
    static cupel_contender contenders[VARIANTS];
    if (index >= VARIANTS)
        return NULL;
    contenders[index] = (cupel_contender){
        .name = variants[index].name,
        .library = "libgcrypt",
        .version = version(),
        .licence = "LGPL-2.1-or-later",
        .summary = variants[index].summary,
        .offers = "sha1:digest sha256:digest sha512:digest sha512-256:digest "
                  "sha3-256:digest shake128:digest blake2b:digest "
                  "blake2s:digest sha1:digest-many sha256:digest-many "
                  "sha512:digest-many hmac-sha256:mac hmac-sha512:mac "
                  "aes-cmac:mac aes-128-gcm:seal aes-128-gcm:open "
                  "aes-256-gcm:seal aes-256-gcm:open aes-256-gcm-siv:seal "
                  "aes-256-gcm-siv:open chacha20-poly1305:seal "
                  "chacha20-poly1305:open",
    };
    return &contenders[index];
}

/* libgcrypt wipes its handles. */
static void drop(cell *c) {
    gcry_md_close(c->md);
    gcry_mac_close(c->mac);
    gcry_cipher_close(c->cipher);
    kept_drop(&c->kept);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    state->code_path = code_path;
    return choose_of(open_digest, open_mac, open_aead, c, task, state);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    int result = start(index, state);
    if (result != CUPEL_OK)
        return result;
    return open_cell(calloc(1, sizeof(cell)), task, state);
}
