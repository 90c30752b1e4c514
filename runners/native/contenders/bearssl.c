/* bearssl.c: BearSSL 0.6, with the code for AES instructions or SSE2 where its own choice is that,
 * and with its code for every CPU. It is written to take the same time for every secret. Its AEADs
 * work in place, so they transform a copy of the input in the output. */
#include "cupel_contender.h"
#include "kept.h"

#include <bearssl.h>

enum { TAG = 16, NONCE = 12 };

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    kept kept;
    int portable;
    const br_hash_class *digest;
    br_hash_compat_context hash, prefix;
    br_hmac_key_context hmac_key;
    int sealing;
    const br_block_ctr_class *ctr;
    br_aes_gen_ctr_keys aes;
    br_gcm_context gcm;
    br_chacha20_run chacha;
    br_poly1305_run poly1305;
    /* Encrypts or decrypts len bytes of the output in place, and computes the tag. */
    int (*transform)(struct cell *cell, cupel_state *state, cupel_io *io, size_t len, uint8_t *tag);
} cell;

#include "cell.h"

/* ---- digest ---- */

static int finish(cell *c, cupel_io *io) {
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        c->digest->update(&c->hash.vtable, io->input + at, n);
    }
    c->digest->out(&c->hash.vtable, io->output);
    io->output_len = (c->digest->desc >> BR_HASHDESC_OUT_OFF) & BR_HASHDESC_OUT_MASK;
    return CUPEL_OK;
}

static int digest(cell *c, cupel_state *state, cupel_io *io) {
    (void)state;
    c->digest->init(&c->hash.vtable);
    return finish(c, io);
}

static int digest_copied(cell *c, cupel_state *state, cupel_io *io) {
    (void)state;
    memcpy(&c->hash, &c->prefix, c->digest->context_size);
    return finish(c, io);
}

int cupel_prefix(cupel_state *state, const uint8_t *prefix, size_t len) {
    cell *c = (cell *)state->data;
    if (c->call != digest)
        return no_copies(state);
    c->digest->init(&c->prefix.vtable);
    c->digest->update(&c->prefix.vtable, prefix, len);
    c->call = digest_copied;
    return CUPEL_OK;
}

static const br_hash_class *hash_named(const char *primitive) {
    if (strstr(primitive, "sha1") != NULL)
        return &br_sha1_vtable;
    return strstr(primitive, "sha256") != NULL ? &br_sha256_vtable : &br_sha512_vtable;
}

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    (void)state;
    c->digest = hash_named(task->primitive);
    c->call = digest;
    return CUPEL_OK;
}

/* ---- mac ---- */

static int mac(cell *c, cupel_state *state, cupel_io *io) {
    (void)state;
    br_hmac_context hmac;
    if (c->kept.key_per_call)
        br_hmac_key_init(&c->hmac_key, c->digest, c->kept.key, c->kept.key_len);
    br_hmac_init(&hmac, &c->hmac_key, 0);
    for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
        n = next_piece(&c->kept, &turn, io->input_len - at);
        br_hmac_update(&hmac, io->input + at, n);
    }
    io->output_len = br_hmac_out(&hmac, io->output);
    return CUPEL_OK;
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    (void)state;
    c->digest = hash_named(task->primitive);
    br_hmac_key_init(&c->hmac_key, c->digest, c->kept.key, c->kept.key_len);
    c->call = mac;
    return CUPEL_OK;
}

/* ---- AEAD ---- */

static void schedule_gcm(cell *c) {
    c->ctr->init(&c->aes.vtable, c->kept.key, c->kept.key_len);
    br_ghash hash = c->portable ? 0 : br_ghash_pclmul_get();
    br_gcm_init(&c->gcm, &c->aes.vtable, hash ? hash : br_ghash_ctmul64);
}

static int transform_gcm(cell *c, cupel_state *state, cupel_io *io, size_t len, uint8_t *tag) {
    if (io->nonce_len == 0)
        return refuse(state, CUPEL_UNSUPPORTED, "GCM takes no empty nonce");
    if (c->kept.key_per_call)
        schedule_gcm(c);
    br_gcm_reset(&c->gcm, io->nonce, io->nonce_len);
    br_gcm_aad_inject(&c->gcm, io->ad, io->ad_len);
    br_gcm_flip(&c->gcm);
    for (size_t at = 0, turn = 0, n; at < len; at += n) {
        n = next_piece(&c->kept, &turn, len - at);
        br_gcm_run(&c->gcm, c->sealing, io->output + at, n);
    }
    br_gcm_get_tag(&c->gcm, tag);
    return CUPEL_OK;
}

static int transform_chacha(cell *c, cupel_state *state, cupel_io *io, size_t len, uint8_t *tag) {
    if (io->nonce_len != NONCE)
        return refuse(state, CUPEL_UNSUPPORTED, "ChaCha20-Poly1305 has nonces of 12 bytes");
    c->poly1305(c->kept.key, io->nonce, io->output, len, io->ad, io->ad_len, tag, c->chacha,
                c->sealing);
    return CUPEL_OK;
}

static int seal(cell *c, cupel_state *state, cupel_io *io) {
    memcpy(io->output, io->input, io->input_len);
    io->output_len = io->input_len + TAG;
    return c->transform(c, state, io, io->input_len, io->output + io->input_len);
}

static int open_sealed(cell *c, cupel_state *state, cupel_io *io) {
    if (io->input_len < TAG)
        return CUPEL_REFUSED;
    size_t len = io->input_len - TAG;
    uint8_t tag[TAG];
    memcpy(io->output, io->input, len);
    int result = c->transform(c, state, io, len, tag);
    if (result != CUPEL_OK)
        return result;
    if (differ(tag, io->input + len, TAG)) {
        wipe(io->output, len);
        return CUPEL_REFUSED;
    }
    io->output_len = len;
    return CUPEL_OK;
}

static int open_gcm(cell *c, const cupel_task *task, cupel_state *state) {
    if (c->kept.key_len != (strcmp(task->primitive, "aes-128-gcm") == 0 ? 16 : 32))
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has keys of another length");
    const br_block_ctr_class *fast = c->portable ? NULL : br_aes_x86ni_ctr_get_vtable();
    c->ctr = fast != NULL ? fast : &br_aes_ct64_ctr_vtable;
    state->code_path = fast != NULL ? "AES-NI, PCLMULQDQ" : "portable, bitsliced";
    c->transform = transform_gcm;
    schedule_gcm(c);
    return CUPEL_OK;
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    c->sealing = strcmp(task->operation, "seal") == 0;
    c->call = c->sealing ? seal : open_sealed;
    if (strcmp(task->primitive, "chacha20-poly1305") != 0)
        return open_gcm(c, task, state);
    if (c->kept.key_len != 32)
        return refuse(state, CUPEL_UNSUPPORTED, "ChaCha20 has keys of 32 bytes");
    if (c->kept.chunk_count != 0)
        return refuse(state, CUPEL_UNSUPPORTED, "BearSSL's ChaCha20-Poly1305 takes no chunks");
    br_chacha20_run sse2 = c->portable ? 0 : br_chacha20_sse2_get();
    br_poly1305_run wide = br_poly1305_ctmulq_get();
    c->chacha = sse2 ? sse2 : br_chacha20_ct_run;
    c->poly1305 = wide ? wide : br_poly1305_ctmul_run;
    state->code_path = sse2 ? "SSE2" : "portable";
    c->transform = transform_chacha;
    return CUPEL_OK;
}

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static const cupel_contender both[] = {
        {
            .name = "bearssl",
            .library = "BearSSL",
            .version = "0.6 (BearSSL reports none)",
            .licence = "MIT",
            .summary = "init, update, out; br_gcm_run and br_poly1305_run in place after a copy of "
                       "the input to the output",
            .offers = "sha1:digest sha256:digest sha512:digest hmac-sha256:mac hmac-sha512:mac "
                      "aes-128-gcm:seal aes-128-gcm:open aes-256-gcm:seal aes-256-gcm:open "
                      "chacha20-poly1305:seal chacha20-poly1305:open",
        },
        {
            .name = "bearssl-portable",
            .library = "BearSSL",
            .version = "0.6 (BearSSL reports none)",
            .licence = "MIT",
            .summary = "the same with its code for every CPU",
            .offers = "aes-128-gcm:seal aes-128-gcm:open aes-256-gcm:seal aes-256-gcm:open "
                      "chacha20-poly1305:seal chacha20-poly1305:open",
        },
    };
    return index < sizeof both / sizeof *both ? &both[index] : NULL;
}

static void drop(cell *c) {
    kept_drop(&c->kept);
    wipe(c, sizeof *c);
    free(c);
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    state->code_path = "portable";
    return choose_of(open_digest, open_mac, open_aead, c, task, state);
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    cell *c = calloc(1, sizeof(cell));
    if (c != NULL)
        c->portable = index == 1;
    return open_cell(c, task, state);
}
