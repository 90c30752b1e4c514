/* ippcp.c: Intel's Cryptography Primitives Library 13 (IPP Crypto until 2024), with the code that
 * it selects and with the code for CPUs of fewer features. Contexts are kept, and so is the key if
 * the contract prepares it. It only returns a tag, so its caller compares it. */
#include "cupel_contender.h"
#include "kept.h"

#include <ippcp.h>
#include <stdio.h>

/* Selects the code for this CPU: an archive has not done so before. Newer headers leave it out. */
IPPAPI(IppStatus, ippcpInit, (void))

enum { TAG = 16, LINE = 64, LONGEST = 0x40000000 };

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    const IppsHashMethod *method;
    IppsHashState_rmf *hash, *prefix;
    IppsHMACState_rmf *hmac;
    IppsAES_CMACState *cmac;
    IppsAES_GCMState *gcm;
    int size; /* of a context, in bytes */
    int output;
    int sealing;
} cell;

#include "cell.h"

static int failed(cupel_state *state, IppStatus status) {
    (void)status;
    return refuse(state, CUPEL_FAILED, "the library refused the call");
}

static int done(cupel_state *state, IppStatus status) {
    return status == ippStsNoErr ? CUPEL_OK : failed(state, status);
}

static void *context(size_t size) {
    return aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);
}

/* The length of the next piece, as the library counts. */
static int piece(const cell *c, size_t *turn, size_t left) {
    size_t n = next_piece(&c->kept, turn, left);
    return (int)(n < LONGEST ? n : LONGEST);
}

/* ---- digest ---- */

static int digest_rest(cell *c, cupel_state *state, cupel_io *io) {
    IppStatus status = ippStsNoErr;
    size_t at = 0, turn = 0;
    while (status == ippStsNoErr && at < io->input_len) {
        int n = piece(c, &turn, io->input_len - at);
        status = ippsHashUpdate_rmf(io->input + at, n, c->hash);
        at += (size_t)n;
    }
    if (status == ippStsNoErr)
        status = ippsHashFinal_rmf(io->output, c->hash);
    io->output_len = (size_t)c->output;
    return done(state, status);
}

static int digest_streamed(cell *c, cupel_state *state, cupel_io *io) {
    IppStatus status = ippsHashInit_rmf(c->hash, c->method);
    return status == ippStsNoErr ? digest_rest(c, state, io) : failed(state, status);
}

static int digest(cell *c, cupel_state *state, cupel_io *io) {
    if (io->input_len > LONGEST)
        return digest_streamed(c, state, io);
    io->output_len = (size_t)c->output;
    return done(state, ippsHashMessage_rmf(io->input, (int)io->input_len, io->output, c->method));
}

static int digest_copied(cell *c, cupel_state *state, cupel_io *io) {
    IppStatus status = ippsHashDuplicate_rmf(c->prefix, c->hash);
    return status == ippStsNoErr ? digest_rest(c, state, io) : failed(state, status);
}

int cupel_prefix(cupel_state *state, const uint8_t *prefix, size_t len) {
    cell *c = (cell *)state->data;
    if (c->hash == NULL)
        return no_copies(state);
    c->prefix = context((size_t)c->size);
    if (c->prefix == NULL)
        return refuse(state, CUPEL_FAILED, "out of memory");
    IppStatus status = ippsHashInit_rmf(c->prefix, c->method);
    if (status == ippStsNoErr)
        status = ippsHashUpdate_rmf(prefix, (int)len, c->prefix);
    c->call = digest_copied;
    return done(state, status);
}

static const IppsHashMethod *shake128(void) {
    return ippsHashMethod_SHAKE128(256);
}

typedef struct named {
    const char *primitive;
    const IppsHashMethod *(*method)(void);
    int size;
} named;

/* The names that end in TT look for the SHA extensions at run time. */
static const named hashes[] = {
    {"sha1", ippsHashMethod_SHA1_TT, 20},          {"sha256", ippsHashMethod_SHA256_TT, 32},
    {"sha512", ippsHashMethod_SHA512_TT, 64},      {"sha512-256", ippsHashMethod_SHA512_256_TT, 32},
    {"sha3-256", ippsHashMethod_SHA3_256, 32},     {"shake128", shake128, 32},
    {"hmac-sha256", ippsHashMethod_SHA256_TT, 32}, {"hmac-sha512", ippsHashMethod_SHA512_TT, 64},
};

static int find(cell *c, const cupel_task *task, cupel_state *state) {
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        if (strcmp(hashes[i].primitive, task->primitive) == 0) {
            c->method = hashes[i].method();
            c->output = hashes[i].size;
            return CUPEL_OK;
        }
    return refuse(state, CUPEL_UNSUPPORTED, "not a hash of this contender");
}

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    int found = find(c, task, state);
    if (found != CUPEL_OK)
        return found;
    IppStatus status = ippsHashGetSizeOptimal_rmf(&c->size, c->method);
    if (status != ippStsNoErr)
        return failed(state, status);
    c->hash = context((size_t)c->size);
    if (c->hash == NULL)
        return refuse(state, CUPEL_FAILED, "out of memory");
    c->call = c->kept.chunk_count == 0 ? digest : digest_streamed;
    return done(state, ippsHashInit_rmf(c->hash, c->method));
}

/* ---- mac ---- */

static IppStatus schedule_hmac(cell *c) {
    return ippsHMACInit_rmf(c->kept.key, (int)c->kept.key_len, c->hmac, c->method);
}

static int hmac(cell *c, cupel_state *state, cupel_io *io) {
    IppStatus status = c->kept.key_per_call ? schedule_hmac(c) : ippStsNoErr;
    size_t at = 0, turn = 0;
    while (status == ippStsNoErr && at < io->input_len) {
        int n = piece(c, &turn, io->input_len - at);
        status = ippsHMACUpdate_rmf(io->input + at, n, c->hmac);
        at += (size_t)n;
    }
    if (status == ippStsNoErr) /* it also begins the next message by the same key */
        status = ippsHMACFinal_rmf(io->output, c->output, c->hmac);
    io->output_len = (size_t)c->output;
    return done(state, status);
}

static IppStatus schedule_cmac(cell *c) {
    return ippsAES_CMACInit(c->kept.key, (int)c->kept.key_len, c->cmac, c->size);
}

static int cmac(cell *c, cupel_state *state, cupel_io *io) {
    IppStatus status = c->kept.key_per_call ? schedule_cmac(c) : ippStsNoErr;
    size_t at = 0, turn = 0;
    while (status == ippStsNoErr && at < io->input_len) {
        int n = piece(c, &turn, io->input_len - at);
        status = ippsAES_CMACUpdate(io->input + at, n, c->cmac);
        at += (size_t)n;
    }
    if (status == ippStsNoErr) /* likewise */
        status = ippsAES_CMACFinal(io->output, TAG, c->cmac);
    io->output_len = TAG;
    return done(state, status);
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    int is_cmac = strcmp(task->primitive, "aes-cmac") == 0;
    if (is_cmac && c->kept.key_len != 16)
        return refuse(state, CUPEL_UNSUPPORTED, "AES-128 has keys of 16 bytes");
    int found = is_cmac ? CUPEL_OK : find(c, task, state);
    if (found != CUPEL_OK)
        return found;
    IppStatus status = is_cmac ? ippsAES_CMACGetSize(&c->size) : ippsHMACGetSize_rmf(&c->size);
    void *state_of_it = status == ippStsNoErr ? context((size_t)c->size) : NULL;
    if (state_of_it == NULL)
        return refuse(state, CUPEL_FAILED, "no context can be made");
    if (is_cmac) {
        c->cmac = state_of_it;
        c->call = cmac;
        return done(state, schedule_cmac(c));
    }
    c->hmac = state_of_it;
    c->call = hmac;
    return done(state, schedule_hmac(c));
}

/* ---- AES-GCM ---- */

static IppStatus schedule_gcm(cell *c) {
    return ippsAES_GCMInit(c->kept.key, (int)c->kept.key_len, c->gcm, c->size);
}

static int transform(cell *c, cupel_state *state, cupel_io *io, size_t len, uint8_t *tag) {
    if (io->nonce_len == 0)
        return refuse(state, CUPEL_UNSUPPORTED, "GCM takes no empty nonce");
    IppStatus status = c->kept.key_per_call ? schedule_gcm(c) : ippStsNoErr;
    if (status == ippStsNoErr)
        status = ippsAES_GCMStart(io->nonce, (int)io->nonce_len, io->ad, (int)io->ad_len, c->gcm);
    size_t at = 0, turn = 0;
    while (status == ippStsNoErr && at < len) {
        int n = piece(c, &turn, len - at);
        status = (c->sealing ? ippsAES_GCMEncrypt : ippsAES_GCMDecrypt)(io->input + at,
                                                                        io->output + at, n, c->gcm);
        at += (size_t)n;
    }
    if (status == ippStsNoErr)
        status = ippsAES_GCMGetTag(tag, TAG, c->gcm);
    return done(state, status);
}

static int seal(cell *c, cupel_state *state, cupel_io *io) {
    io->output_len = io->input_len + TAG;
    return transform(c, state, io, io->input_len, io->output + io->input_len);
}

static int open_sealed(cell *c, cupel_state *state, cupel_io *io) {
    if (io->input_len < TAG)
        return CUPEL_REFUSED;
    size_t len = io->input_len - TAG;
    uint8_t tag[TAG];
    int result = transform(c, state, io, len, tag);
    if (result != CUPEL_OK)
        return result;
    if (differ(tag, io->input + len, TAG)) {
        wipe(io->output, len);
        return CUPEL_REFUSED;
    }
    io->output_len = len;
    return CUPEL_OK;
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    if (c->kept.key_len != (strcmp(task->primitive, "aes-128-gcm") == 0 ? 16 : 32))
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has keys of another length");
    c->sealing = strcmp(task->operation, "seal") == 0;
    c->call = c->sealing ? seal : open_sealed;
    IppStatus status = ippsAES_GCMGetSize(&c->size);
    c->gcm = status == ippStsNoErr ? context((size_t)c->size) : NULL;
    if (c->gcm == NULL)
        return refuse(state, CUPEL_FAILED, "no context can be made");
    return done(state, schedule_gcm(c));
}

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static char version[32];
    static cupel_contender self = {
        .name = "ippcp",
        .library = "Intel Cryptography Primitives",
        .version = version,
        .licence = "Apache-2.0",
        .summary = "ippsHashMessage_rmf, Init, Update, Final where streamed; HMAC, CMAC and GCM by "
                   "one context kept",
        .offers = "sha1:digest sha256:digest sha512:digest sha512-256:digest sha3-256:digest "
                  "shake128:digest hmac-sha256:mac hmac-sha512:mac aes-cmac:mac "
                  "aes-128-gcm:seal aes-128-gcm:open aes-256-gcm:seal aes-256-gcm:open",
    };
    const CryptoLibraryVersion *said = cryptoGetLibVersion();
    snprintf(version, sizeof version, "%d.%d.%d", said->major, said->minor, said->patch);
    return index == 0 ? &self : NULL;
}

static void drop(cell *c) {
    void *contexts[] = {c->hash, c->prefix, c->hmac, c->cmac, c->gcm};
    for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++) {
        if (contexts[i] != NULL)
            wipe(contexts[i], (size_t)c->size);
        free(contexts[i]);
    }
    kept_drop(&c->kept);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    static char path[48];
    if (ippcpInit() < ippStsNoErr)
        return refuse(state, CUPEL_MISSING, "the library has no code for this CPU");
    snprintf(path, sizeof path, "code for %.4s of Intel's", cryptoGetLibVersion()->targetCpu);
    state->code_path = path;
    return choose_of(open_digest, open_mac, open_aead, c, task, state);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    return open_cell(calloc(1, sizeof(cell)), task, state);
}
