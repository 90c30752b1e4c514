/* cryptopp.cc: Crypto++, through its C++ classes. Objects are kept, and so is the key if the
 * contract prepares it. No exception leaves this file. */
#include "cupel_contender.h"
#include "kept.h"

#include <crypto++/aes.h>
#include <crypto++/blake2.h>
#include <crypto++/chachapoly.h>
#include <crypto++/cmac.h>
#include <crypto++/cryptlib.h>
#include <crypto++/gcm.h>
#include <crypto++/hmac.h>
#include <crypto++/sha.h>
#include <crypto++/sha3.h>
#include <crypto++/shake.h>
#include <crypto++/siphash.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>

using namespace CryptoPP;

static const size_t TAG = 16;

typedef struct cell {
    int (*call)(struct cell *cell, cupel_state *state, cupel_io *io);
    struct kept kept;
    std::unique_ptr<HashTransformation> hash; /* a digest, or a MAC */
    MessageAuthenticationCode *mac;           /* the same object, if it has a key */
    std::unique_ptr<AuthenticatedSymmetricCipher> aead;
    size_t nonce_len;     /* of the AEAD, in bytes */
    std::string provider; /* the code that Crypto++ reports as selected */
} cell;

#include "cell.h"

/* A class by the name of its primitive. */
template <class Base> struct named {
    const char *primitive;
    Base *(*make)();
};

template <class Base, class Class> static Base *make() {
    return new Class;
}

template <class Base, size_t N>
static Base *made(const named<Base> (&among)[N], const char *primitive) {
    for (const named<Base> &it : among)
        if (strcmp(it.primitive, primitive) == 0)
            return it.make();
    return nullptr;
}

/* The message of an exception. The text lives until the next one of the same thread. */
static int failed(cupel_state *state, const std::exception &e) {
    static thread_local char text[160];
    snprintf(text, sizeof text, "%s", e.what());
    return refuse(state, CUPEL_FAILED, text);
}

/* ---- digest and mac ---- */

static int hash(cell *c, cupel_state *state, cupel_io *io) {
    try {
        if (c->kept.key_per_call)
            c->mac->SetKey(c->kept.key, c->kept.key_len);
        for (size_t at = 0, turn = 0, n; at < io->input_len; at += n) {
            n = next_piece(&c->kept, &turn, io->input_len - at);
            c->hash->Update(io->input + at, n);
        }
        c->hash->Final(io->output); /* it also begins the next message */
        io->output_len = c->hash->DigestSize();
        return CUPEL_OK;
    } catch (const std::exception &e) {
        return failed(state, e);
    }
}

/* SHAKE128 with the 32 bytes of output that the catalogue asks for. */
struct Shake128Of32 : SHAKE128 {
    Shake128Of32() : SHAKE128(32) {
    }
};

static int open_digest(cell *c, const cupel_task *task, cupel_state *state) {
    typedef HashTransformation H;
    static const named<H> hashes[] = {
        {"sha1", make<H, SHA1>},
        {"sha256", make<H, SHA256>},
        {"sha512", make<H, SHA512>},
        {"sha3-256", make<H, SHA3_256>},
        {"blake2b", make<H, BLAKE2b>},
        {"blake2s", make<H, BLAKE2s>},
        {"shake128", make<H, Shake128Of32>},
    };
    c->hash.reset(made(hashes, task->primitive));
    if (c->hash == nullptr)
        return refuse(state, CUPEL_UNSUPPORTED, "not a digest of this contender");
    c->provider = c->hash->AlgorithmProvider();
    c->call = hash;
    return CUPEL_OK;
}

static int open_mac(cell *c, const cupel_task *task, cupel_state *state) {
    typedef MessageAuthenticationCode M;
    static const named<M> macs[] = {
        {"hmac-sha256", make<M, HMAC<SHA256>>},
        {"hmac-sha512", make<M, HMAC<SHA512>>},
        {"aes-cmac", make<M, CMAC<AES>>},
        {"siphash-1-3", make<M, SipHash<1, 3, false>>},
        {"siphash-2-4", make<M, SipHash<2, 4, false>>},
        {"siphash-2-4-128", make<M, SipHash<2, 4, true>>},
    };
    c->mac = made(macs, task->primitive);
    if (c->mac == nullptr)
        return refuse(state, CUPEL_UNSUPPORTED, "not a MAC of this contender");
    c->hash.reset(c->mac);
    /* The catalogue has AES-CMAC with a key of 128 bits. */
    if (strcmp(task->primitive, "aes-cmac") == 0 && c->kept.key_len != 16)
        return refuse(state, CUPEL_UNSUPPORTED, "this MAC has keys of 16 bytes");
    if (!c->mac->IsValidKeyLength(c->kept.key_len))
        return refuse(state, CUPEL_UNSUPPORTED, "this MAC has keys of another length");
    c->mac->SetKey(c->kept.key, c->kept.key_len);
    c->provider = c->mac->AlgorithmProvider();
    c->call = hash;
    return CUPEL_OK;
}

/* ---- AEAD ---- */

/* Processes a message without its tag, in the contract's pieces. */
static void process(cell *c, const cupel_io *io, size_t len) {
    c->aead->Resynchronize(io->nonce, (int)io->nonce_len);
    c->aead->Update(io->ad, io->ad_len);
    for (size_t at = 0, turn = 0, n; at < len; at += n) {
        n = next_piece(&c->kept, &turn, len - at);
        c->aead->ProcessData(io->output + at, io->input + at, n);
    }
}

/* Whether the AEAD takes nonces of this length. It has its key afterwards. */
static bool begin(cell *c, const cupel_io *io) {
    if (io->nonce_len != c->nonce_len)
        return false;
    if (c->kept.key_per_call)
        c->aead->SetKeyWithIV(c->kept.key, c->kept.key_len, io->nonce, io->nonce_len);
    return true;
}

static int seal(cell *c, cupel_state *state, cupel_io *io) {
    try {
        if (!begin(c, io))
            return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has nonces of another length");
        process(c, io, io->input_len);
        c->aead->TruncatedFinal(io->output + io->input_len, TAG);
        io->output_len = io->input_len + TAG;
        return CUPEL_OK;
    } catch (const std::exception &e) {
        return failed(state, e);
    }
}

/* Crypto++ decrypts before it has checked whether the message is authentic. */
static int open_sealed(cell *c, cupel_state *state, cupel_io *io) {
    if (io->input_len < TAG)
        return CUPEL_REFUSED;
    size_t len = io->input_len - TAG;
    try {
        if (!begin(c, io))
            return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has nonces of another length");
        process(c, io, len);
        io->output_len = len;
        if (c->aead->TruncatedVerify(io->input + len, TAG))
            return CUPEL_OK;
        wipe(io->output, len);
        io->output_len = 0;
        return CUPEL_REFUSED;
    } catch (const std::exception &e) {
        wipe(io->output, len);
        return failed(state, e);
    }
}

static int open_aead(cell *c, const cupel_task *task, cupel_state *state) {
    typedef AuthenticatedSymmetricCipher A;
    static const named<A> sealers[] = {
        {"aes-128-gcm", make<A, GCM<AES>::Encryption>},
        {"aes-256-gcm", make<A, GCM<AES>::Encryption>},
        {"chacha20-poly1305", make<A, ChaCha20Poly1305::Encryption>},
        {"xchacha20-poly1305", make<A, XChaCha20Poly1305::Encryption>},
    };
    static const named<A> openers[] = {
        {"aes-128-gcm", make<A, GCM<AES>::Decryption>},
        {"aes-256-gcm", make<A, GCM<AES>::Decryption>},
        {"chacha20-poly1305", make<A, ChaCha20Poly1305::Decryption>},
        {"xchacha20-poly1305", make<A, XChaCha20Poly1305::Decryption>},
    };
    bool sealing = strcmp(task->operation, "seal") == 0;
    c->aead.reset(made(sealing ? sealers : openers, task->primitive));
    if (c->aead == nullptr)
        return refuse(state, CUPEL_UNSUPPORTED, "not an AEAD of this contender");
    if (c->kept.key_len != (strcmp(task->primitive, "aes-128-gcm") == 0 ? 16 : 32))
        return refuse(state, CUPEL_UNSUPPORTED, "this AEAD has keys of another length");
    /* GCM takes other nonces, but answers wrongly where the counter that it derives from one passes
     * 2^32 within the message (Crypto++ 8.7). With 12 bytes it begins at 1. */
    c->nonce_len = c->aead->IVSize() == 24 ? 24 : 12;
    static const byte nonce[24] = {0}; /* each call has its own */
    c->aead->SetKeyWithIV(c->kept.key, c->kept.key_len, nonce, c->nonce_len);
    c->provider = c->aead->AlgorithmProvider();
    c->call = sealing ? seal : open_sealed;
    return CUPEL_OK;
}

/* ---- the interface ---- */

const cupel_contender *cupel_describe(size_t index) {
    static char version[48];
    static cupel_contender self;
    int v = LibraryVersion();
    snprintf(version, sizeof version, "%d.%d.%d", v / 100, v / 10 % 10, v % 10);
    self.name = "cryptopp";
    self.library = "Crypto++";
    self.version = version;
    self.licence = "BSL-1.0";
    self.summary = "one object kept; Update, Final; Resynchronize for each nonce";
    self.offers = "sha1:digest sha256:digest sha512:digest sha3-256:digest shake128:digest "
                  "blake2b:digest blake2s:digest "
                  "sha1:digest-many sha256:digest-many sha512:digest-many "
                  "hmac-sha256:mac hmac-sha512:mac aes-cmac:mac "
                  "siphash-1-3:mac siphash-2-4:mac siphash-2-4-128:mac "
                  "aes-128-gcm:seal aes-128-gcm:open "
                  "aes-256-gcm:seal aes-256-gcm:open chacha20-poly1305:seal "
                  "chacha20-poly1305:open xchacha20-poly1305:seal "
                  "xchacha20-poly1305:open";
    return index == 0 ? &self : nullptr;
}

/* Crypto++ clears its objects. */
static void drop(cell *c) {
    kept_drop(&c->kept);
    delete c;
}

static int choose(cell *c, const cupel_task *task, cupel_state *state) {
    try {
        int result = choose_of(open_digest, open_mac, open_aead, c, task, state);
        state->code_path = c->provider.c_str();
        return result;
    } catch (const std::exception &e) {
        return failed(state, e);
    }
}

int cupel_open(size_t index, const cupel_task *task, cupel_state *state) {
    (void)index;
    return open_cell(new (std::nothrow) cell(), task, state);
}
