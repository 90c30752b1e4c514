/* ipsec_mb.c: intel-ipsec-mb 1.3 and later. A manager holds a pointer to the code for this CPU of
 * every function. AEADs and single digests are calls of those; batches of digests are jobs, which
 * the manager runs side by side. The library computes a tag and leaves it to its caller to compare
 * it; keys and contexts of GCM are aligned to 64 bytes by their caller, too.
 *
 * AES-CMAC is a job only. The library refuses it for a message of more than 65534 bytes or, where
 * lengths are not checked, computes another answer, so it is not offered. */
#include "cupel_contender.h"
#include "kept.h"

#include <intel-ipsec-mb.h>

/* LONGEST: the longest message of a job, in bytes. */
enum { TAG = 16, NONCE = 12, LINE = 64, LONGEST = 65534 };

/* The function that sets up a manager, and the features that its code uses. */
static const struct {
    const char *name, *summary;
    void (*init)(IMB_MGR *);
    uint64_t needs;
} variants[] = {
    {"ipsec-mb", "one manager; GCM and ChaCha20-Poly1305 called directly; batches as jobs", NULL,
     0},
    {"ipsec-mb-jobs", "the same with ChaCha20-Poly1305 as a job", NULL, 0},
    {"ipsec-mb-avx2", "the same with the manager of init_mb_mgr_avx2", init_mb_mgr_avx2,
     IMB_CPUFLAGS_AVX2},
    {"ipsec-mb-sse", "the same with the manager of init_mb_mgr_sse", init_mb_mgr_sse,
     IMB_CPUFLAGS_SSE},
};

enum { VARIANTS = sizeof variants / sizeof *variants, JOBS = 1 };

/* AES-GCM by keys of one length. */
typedef struct gcm {
    aes_gcm_pre_t schedule;
    aes_gcm_enc_dec_t whole;
    aes_gcm_init_var_iv_t init;
    aes_gcm_enc_dec_update_t update;
    aes_gcm_enc_dec_finalize_t finish;
} gcm;

typedef struct cell {
    _Alignas(LINE) struct gcm_key_data gcm_key;
    _Alignas(LINE) struct gcm_context_data gcm_context;
    _Alignas(LINE) struct chacha20_poly1305_context_data chacha;
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    size_t variant;
    IMB_MGR *manager;
    int sealing;
    gcm gcm;
    /* Encrypts or decrypts a message, and computes its tag. */
    int (*transform)(struct cell *cell, cupel_state *state, cupel_io *io, size_t len, uint8_t *tag);
    chacha_poly_enc_dec_update_t chacha_update;
    hash_fn_t hash;
    IMB_HASH_ALG hash_job;
    size_t digest_len;
} cell;

#include "cell.h"

/* ---- digest ---- */

static int digest(cell *c, cupel_state *state, cupel_io *io) {
    (void)state;
    c->hash(io->input, io->input_len, io->output);
    io->output_len = c->digest_len;
    return CUPEL_OK;
}

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    const struct {
        const char *primitive;
        hash_fn_t hash;
        IMB_HASH_ALG job;
        size_t len;
    } digests[] = {
        {"sha1", c->manager->sha1, IMB_AUTH_SHA_1, IMB_SHA1_DIGEST_SIZE_IN_BYTES},
        {"sha256", c->manager->sha256, IMB_AUTH_SHA_256, IMB_SHA256_DIGEST_SIZE_IN_BYTES},
        {"sha512", c->manager->sha512, IMB_AUTH_SHA_512, IMB_SHA512_DIGEST_SIZE_IN_BYTES},
    };
    if (c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "its digests take no chunks");
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++)
        if (strcmp(task->primitive, digests[i].primitive) == 0) {
            c->hash = digests[i].hash;
            c->hash_job = digests[i].job;
            c->digest_len = digests[i].len;
            c->call = digest;
            return CUPEL_OK;
        }
    return refuse(state, CUPEL_UNSUPPORTED, "not a digest of this contender");
}

/* ---- many digests ---- */

/* Every job writes its digest to its own place, so the order in which jobs come back does not
 * matter. */
int cupel_call_many(cupel_state *state, cupel_batch *batch) {
    cell *c = (cell *)state->data;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->lengths[i] > LONGEST)
            return refuse(state, CUPEL_UNSUPPORTED, "a job takes at most 65534 bytes");
    for (size_t i = 0; i < batch->count; i++) {
        IMB_JOB *job = IMB_GET_NEXT_JOB(c->manager);
        job->cipher_mode = IMB_CIPHER_NULL;
        job->cipher_direction = IMB_DIR_ENCRYPT;
        job->chain_order = IMB_ORDER_HASH_CIPHER;
        job->hash_alg = c->hash_job;
        job->src = batch->messages[i];
        job->hash_start_src_offset_in_bytes = 0;
        job->msg_len_to_hash_in_bytes = batch->lengths[i];
        job->auth_tag_output = batch->output + i * c->digest_len;
        job->auth_tag_output_len_in_bytes = c->digest_len;
        (void)IMB_SUBMIT_JOB_NOCHECK(c->manager);
    }
    while (IMB_FLUSH_JOB(c->manager) != NULL) {
    }
    batch->output_len = batch->count * c->digest_len;
    return CUPEL_OK;
}

/* ---- AEAD ---- */

static int transform_gcm(cell *c, cupel_state *state, cupel_io *io, size_t len, uint8_t *tag) {
    const gcm *it = &c->gcm;
    if (io->nonce_len == 0)
        return refuse(state, CUPEL_UNSUPPORTED, "GCM takes no empty nonce");
    if (c->kept.key_per_call)
        it->schedule(c->kept.key, &c->gcm_key);
    if (io->nonce_len == NONCE && c->kept.chunk_count == 0) {
        it->whole(&c->gcm_key, &c->gcm_context, io->output, io->input, len, io->nonce, io->ad,
                  io->ad_len, tag, TAG);
        return CUPEL_OK;
    }
    it->init(&c->gcm_key, &c->gcm_context, io->nonce, io->nonce_len, io->ad, io->ad_len);
    for (size_t at = 0, turn = 0, n; at < len; at += n) {
        n = next_piece(&c->kept, &turn, len - at);
        it->update(&c->gcm_key, &c->gcm_context, io->output + at, io->input + at, n);
    }
    it->finish(&c->gcm_key, &c->gcm_context, tag, TAG);
    return CUPEL_OK;
}

static int transform_chacha(cell *c, cupel_state *state, cupel_io *io, size_t len, uint8_t *tag) {
    if (io->nonce_len != NONCE)
        return refuse(state, CUPEL_UNSUPPORTED, "ChaCha20-Poly1305 has nonces of 12 bytes");
    IMB_CHACHA20_POLY1305_INIT(c->manager, c->kept.key, &c->chacha, io->nonce, io->ad, io->ad_len);
    for (size_t at = 0, turn = 0, n; at < len; at += n) {
        n = next_piece(&c->kept, &turn, len - at);
        c->chacha_update(c->kept.key, &c->chacha, io->output + at, io->input + at, n);
    }
    IMB_CHACHA20_POLY1305_ENC_FINALIZE(c->manager, &c->chacha, tag, TAG);
    return CUPEL_OK;
}

/* A job that is done when it is submitted: this cipher is not run side by side. */
static int transform_chacha_job(cell *c, cupel_state *state, cupel_io *io, size_t len,
                                uint8_t *tag) {
    if (io->nonce_len != NONCE)
        return refuse(state, CUPEL_UNSUPPORTED, "ChaCha20-Poly1305 has nonces of 12 bytes");
    IMB_JOB *job = IMB_GET_NEXT_JOB(c->manager);
    job->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
    job->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
    job->cipher_direction = c->sealing ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
    job->chain_order = c->sealing ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    job->enc_keys = c->kept.key;
    job->dec_keys = c->kept.key;
    job->key_len_in_bytes = c->kept.key_len;
    job->iv = io->nonce;
    job->iv_len_in_bytes = io->nonce_len;
    job->src = io->input;
    job->dst = io->output;
    job->cipher_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = len;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = len;
    job->u.CHACHA20_POLY1305.aad = io->ad;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = io->ad_len;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = TAG;
    job = IMB_SUBMIT_JOB_NOCHECK(c->manager);
    if (job == NULL || job->status != IMB_STATUS_COMPLETED)
        return refuse(state, CUPEL_FAILED, "the job was not completed");
    return CUPEL_OK;
}

static int seal(cell *c, cupel_state *state, cupel_io *io) {
    io->output_len = io->input_len + TAG;
    return c->transform(c, state, io, io->input_len, io->output + io->input_len);
}

static int open_sealed(cell *c, cupel_state *state, cupel_io *io) {
    if (io->input_len < TAG)
        return CUPEL_REFUSED;
    size_t len = io->input_len - TAG;
    _Alignas(LINE) uint8_t tag[TAG];
    int result = c->transform(c, state, io, len, tag);
    if (result != CUPEL_OK)
        return result;
    if (differ(tag, io->input + len, TAG)) {
        imb_clear_mem(io->output, len);
        return CUPEL_REFUSED;
    }
    io->output_len = len;
    return CUPEL_OK;
}

static int open_gcm(cell *c, size_t key_len, int sealing, cupel_state *state) {
    const IMB_MGR *m = c->manager;
    if (c->kept.key_len != key_len)
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has keys of another length");
    c->gcm =
        key_len == IMB_KEY_128_BYTES
            ? (gcm){m->gcm128_pre, sealing ? m->gcm128_enc : m->gcm128_dec, m->gcm128_init_var_iv,
                    sealing ? m->gcm128_enc_update : m->gcm128_dec_update,
                    sealing ? m->gcm128_enc_finalize : m->gcm128_dec_finalize}
            : (gcm){m->gcm256_pre, sealing ? m->gcm256_enc : m->gcm256_dec, m->gcm256_init_var_iv,
                    sealing ? m->gcm256_enc_update : m->gcm256_dec_update,
                    sealing ? m->gcm256_enc_finalize : m->gcm256_dec_finalize};
    c->gcm.schedule(c->kept.key, &c->gcm_key);
    c->transform = transform_gcm;
    return CUPEL_OK;
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    int sealing = strcmp(task->operation, "seal") == 0;
    c->call = sealing ? seal : open_sealed;
    if (strcmp(task->primitive, "aes-128-gcm") == 0)
        return open_gcm(c, IMB_KEY_128_BYTES, sealing, state);
    if (strcmp(task->primitive, "aes-256-gcm") == 0)
        return open_gcm(c, IMB_KEY_256_BYTES, sealing, state);
    if (c->kept.key_len != IMB_KEY_256_BYTES)
        return refuse(state, CUPEL_UNSUPPORTED, "ChaCha20 has keys of 32 bytes");
    c->chacha_update = sealing ? c->manager->chacha20_poly1305_enc_update
                               : c->manager->chacha20_poly1305_dec_update;
    c->sealing = sealing;
    c->transform = c->variant == JOBS ? transform_chacha_job : transform_chacha;
    if (c->variant == JOBS && c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "a job takes no chunks");
    return CUPEL_OK;
}

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static cupel_contender described[VARIANTS];
    if (index >= VARIANTS)
        return NULL;
    described[index] = (cupel_contender){
        .name = variants[index].name,
        .library = "intel-ipsec-mb",
        .version = imb_get_version_str(),
        .licence = "BSD-3-Clause",
        .summary = variants[index].summary,
        .offers =
            index == JOBS
                ? "chacha20-poly1305:seal chacha20-poly1305:open"
                : "sha1:digest sha256:digest sha512:digest sha1:digest-many sha256:digest-many "
                  "sha512:digest-many aes-128-gcm:seal aes-128-gcm:open "
                  "aes-256-gcm:seal aes-256-gcm:open chacha20-poly1305:seal "
                  "chacha20-poly1305:open",
    };
    return &described[index];
}

/* The manager that was made, and whether its code is that for newer CPUs. */
static const char *code_path(const IMB_MGR *manager) {
    int newer = (manager->features & IMB_CPUFLAGS_AVX512_T2) == IMB_CPUFLAGS_AVX512_T2;
    switch (manager->used_arch) {
    case IMB_ARCH_AVX512:
        return newer ? "avx512, vaes" : "avx512";
    case IMB_ARCH_AVX2:
        return "avx2";
    case IMB_ARCH_SSE:
        return "sse";
    default:
        return "unknown: another manager";
    }
}

static int start(cell *c, cupel_state *state) {
    uint64_t needs = variants[c->variant].needs;
    if ((imb_get_feature_flags() & needs) != needs)
        return refuse(state, CUPEL_MISSING, "the CPU lacks the features of this code path");
    c->manager = alloc_mb_mgr(0);
    if (c->manager == NULL)
        return refuse(state, CUPEL_FAILED, "out of memory");
    if (variants[c->variant].init == NULL)
        init_mb_mgr_auto(c->manager, NULL);
    else
        variants[c->variant].init(c->manager);
    int error = imb_get_errno(c->manager);
    if (error == IMB_ERR_MISSING_CPUFLAGS_INIT_MGR)
        return refuse(state, CUPEL_MISSING, "the CPU lacks features that the library needs");
    if (error != 0)
        return refuse(state, CUPEL_FAILED, imb_get_strerror(error));
    state->code_path = code_path(c->manager);
    return CUPEL_OK;
}

static void drop(cell *c) {
    if (c->manager != NULL)
        free_mb_mgr(c->manager);
    kept_drop(&c->kept);
    imb_clear_mem(c, sizeof *c);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    int started = start(c, state);
    if (started != CUPEL_OK)
        return started;
    int digests = strncmp(task->operation, "digest", 6) == 0; /* or digest-many */
    return digests ? open_digest(c, task, state) : open_aead(c, task, state);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    cell *c = aligned_alloc(LINE, (sizeof *c + LINE - 1) / LINE * LINE);
    if (c != NULL) {
        memset(c, 0, sizeof *c);
        c->variant = index;
    }
    return open_cell(c, task, state);
}
