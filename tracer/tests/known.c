/* known.c: a program whose calls are known, for the tests of `cupel trace`. Its argument says which
 * calls it makes; crates/questions/trace/tests/command says how often each must be counted. */

#define _GNU_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED
#include <gcrypt.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned char data[1 << 20];
static unsigned char out[1 << 20];
static unsigned length;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(9);                                                                               \
        }                                                                                          \
    } while (0)

static void sha256(EVP_MD_CTX *context, size_t bytes) {
    unsigned char digest[32];
    CHECK(EVP_DigestInit_ex(context, EVP_sha256(), NULL));
    CHECK(EVP_DigestUpdate(context, data, bytes));
    CHECK(EVP_DigestFinal_ex(context, digest, NULL));
}

static void digests(void) {
    EVP_MD_CTX *one = EVP_MD_CTX_new(), *other = EVP_MD_CTX_new();
    for (int i = 0; i < 3; i++)
        sha256(one, 64);
    for (int i = 0; i < 2; i++) {
        CHECK(EVP_DigestInit_ex(one, NULL, NULL));
        CHECK(EVP_DigestUpdate(one, data, 10) && EVP_DigestUpdate(one, data, 20));
        CHECK(EVP_DigestFinal_ex(one, out, NULL));
    }
    /* A copy, and both end. */
    CHECK(EVP_DigestInit_ex(one, EVP_sha512(), NULL) && EVP_DigestUpdate(one, data, 100));
    CHECK(EVP_MD_CTX_copy_ex(other, one) && EVP_DigestUpdate(other, data, 1));
    CHECK(EVP_DigestFinal_ex(one, out, NULL) && EVP_DigestFinal_ex(other, out, NULL));
    /* This one also resets the context. */
    CHECK(EVP_DigestInit(one, EVP_sha1()) && EVP_DigestUpdate(one, data, 7));
    CHECK(EVP_DigestFinal(one, out, &length));
    /* Unfinished: not counted, neither here nor by who gets the same address next. */
    CHECK(EVP_DigestInit_ex(one, EVP_sha256(), NULL) && EVP_DigestUpdate(one, data, 55));
    EVP_MD_CTX_free(one);
    EVP_MD_CTX_free(other);
    CHECK(EVP_Digest(data, 33, out, &length, EVP_sha256(), NULL));
    CHECK(EVP_Q_digest(NULL, "SHA2-256", NULL, data, 34, out, NULL));
    CHECK(SHA256(data, 35, out));
    SHA256_CTX old, copied;
    CHECK(SHA256_Init(&old) && SHA256_Update(&old, data, 36));
    /* The program copies it by itself, into one that has begun too. */
    CHECK(SHA256_Init(&copied));
    memcpy(&copied, &old, sizeof(old));
    CHECK(SHA256_Final(out, &old));
    CHECK(SHA256_Update(&copied, data, 1) && SHA256_Final(out, &copied));
    /* Not in the catalogue. */
    CHECK(EVP_Digest(data, 5, out, &length, EVP_sha3_384(), NULL));
    CHECK(EVP_Digest(data, 6, out, &length, EVP_sha3_384(), NULL));
    /* The library's own calls. */
    CHECK(PKCS5_PBKDF2_HMAC("p", 1, data, 8, 1000, EVP_sha256(), 32, out));
    CHECK(PKCS5_PBKDF2_HMAC("p", 1, data, 8, 1000, EVP_sha384(), 48, out));
    /* Failing ones. */
    CHECK(!EVP_Q_digest(NULL, "no such digest", NULL, data, 34, out, NULL));
}

static void macs(void) {
    static const unsigned char key[32];
    size_t written;
    CHECK(HMAC(EVP_sha256(), key, 32, data, 40, out, &length));
    CHECK(HMAC(EVP_sha256(), key, 32, data, 40, out, &length));
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
    OSSL_PARAM hmac[] = {OSSL_PARAM_construct_utf8_string("digest", (char *)"SHA512", 0),
                         OSSL_PARAM_construct_end()};
    for (int i = 0; i < 3; i++) {
        CHECK(EVP_MAC_init(context, i == 0 ? key : NULL, i == 0 ? 32 : 0, i == 0 ? hmac : NULL));
        /* How long will it be? */
        CHECK(EVP_MAC_final(context, NULL, &written, 0));
        CHECK(EVP_MAC_update(context, data, 50));
        CHECK(EVP_MAC_final(context, out, &written, sizeof(out)));
    }
    CHECK(EVP_MAC_init(context, key, 32, NULL));
    EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(context);
    CHECK(EVP_MAC_update(copy, data, 60) && EVP_MAC_final(copy, out, &written, sizeof(out)));
    EVP_MAC_CTX_free(copy);
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
    OSSL_PARAM cmac[] = {OSSL_PARAM_construct_utf8_string("cipher", (char *)"AES-128-CBC", 0),
                         OSSL_PARAM_construct_end()};
    mac = EVP_MAC_fetch(NULL, "CMAC", NULL);
    context = EVP_MAC_CTX_new(mac);
    CHECK(EVP_MAC_CTX_set_params(context, cmac) && EVP_MAC_init(context, key, 16, NULL));
    CHECK(EVP_MAC_update(context, data, 70) && EVP_MAC_final(context, out, &written, 16));
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
    size_t size = 8;
    OSSL_PARAM siphash[] = {OSSL_PARAM_construct_size_t("size", &size), OSSL_PARAM_construct_end()};
    mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);
    context = EVP_MAC_CTX_new(mac);
    CHECK(EVP_MAC_init(context, key, 16, siphash) && EVP_MAC_update(context, data, 80));
    CHECK(EVP_MAC_final(context, out, &written, 8));
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
    HMAC_CTX *hmac_context = HMAC_CTX_new(), *second = HMAC_CTX_new();
    CHECK(HMAC_Init_ex(hmac_context, key, 32, EVP_sha256(), NULL));
    CHECK(HMAC_CTX_copy(second, hmac_context) && HMAC_Update(second, data, 90));
    CHECK(HMAC_Final(second, out, &length));
    CHECK(HMAC_Init_ex(hmac_context, key, 32, EVP_sha1(), NULL));
    CHECK(HMAC_Update(hmac_context, data, 3) && HMAC_Final(hmac_context, out, &length));
    CHECK(HMAC_Init_ex(hmac_context, key, 32, EVP_sha256(), NULL));
    CHECK(HMAC_Update(hmac_context, data, 92) && HMAC_CTX_copy(second, hmac_context));
    CHECK(HMAC_Final(second, out, &length));
    HMAC_CTX_free(hmac_context);
    HMAC_CTX_free(second);
    CHECK(EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key, 32, data, 91, out, 64, &written));
}

static void aeads(void) {
    static const unsigned char key[32], iv[12];
    unsigned char tag[16], sealed[1000];
    int n;
    EVP_CIPHER_CTX *seal = EVP_CIPHER_CTX_new(), *open = EVP_CIPHER_CTX_new();
    for (int i = 0; i < 3; i++) {
        const EVP_CIPHER *cipher = i == 0 ? EVP_aes_256_gcm() : NULL;
        CHECK(EVP_EncryptInit_ex(seal, cipher, NULL, i == 0 ? key : NULL, iv));
        CHECK(EVP_EncryptUpdate(seal, NULL, &n, data, 13));
        CHECK(EVP_EncryptUpdate(seal, sealed, &n, data, 600));
        CHECK(EVP_EncryptUpdate(seal, sealed + 600, &n, data, 400));
        CHECK(EVP_EncryptFinal_ex(seal, out, &n));
        CHECK(EVP_CIPHER_CTX_ctrl(seal, EVP_CTRL_AEAD_GET_TAG, 16, tag));
    }
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        tag[0] ^= (unsigned char)is_wrong;
        CHECK(EVP_CipherInit_ex(open, EVP_aes_256_gcm(), NULL, key, iv, 0));
        CHECK(EVP_CipherUpdate(open, NULL, &n, data, 13));
        CHECK(EVP_CipherUpdate(open, out, &n, sealed, 1000));
        CHECK(EVP_CIPHER_CTX_ctrl(open, EVP_CTRL_AEAD_SET_TAG, 16, tag));
        CHECK((EVP_CipherFinal_ex(open, out, &n) > 0) == !is_wrong);
    }
    CHECK(EVP_CipherInit_ex(open, EVP_chacha20_poly1305(), NULL, key, iv, 1));
    CHECK(EVP_Cipher(open, NULL, data, 13) >= 0 && EVP_Cipher(open, out, data, 500) >= 0);
    CHECK(EVP_Cipher(open, NULL, NULL, 0) >= 0);
    CHECK(EVP_EncryptInit_ex(seal, EVP_aes_128_cbc(), NULL, key, data));
    CHECK(EVP_EncryptUpdate(seal, out, &n, data, 32) && EVP_EncryptFinal_ex(seal, out, &n));
    EVP_CIPHER_CTX_free(seal);
    EVP_CIPHER_CTX_free(open);
}

/* Associated data of different lengths, also in two pieces, and messages in many pieces. */
static void shapes(void) {
    static const unsigned char key[32], iv[12];
    static const int lengths[] = {1400, 1400, 20, 1400, 0};
    int n;
    EVP_CIPHER_CTX *seal = EVP_CIPHER_CTX_new();
    CHECK(EVP_EncryptInit_ex(seal, EVP_aes_256_gcm(), NULL, key, NULL));
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        CHECK(EVP_EncryptInit_ex(seal, NULL, NULL, NULL, iv));
        CHECK(lengths[i] == 0 || EVP_EncryptUpdate(seal, NULL, &n, data, lengths[i]));
        CHECK(EVP_EncryptFinal_ex(seal, out, &n));
    }
    for (int i = 0; i < 2; i++) {
        CHECK(EVP_EncryptInit_ex(seal, NULL, NULL, NULL, iv));
        CHECK(EVP_EncryptUpdate(seal, NULL, &n, data, 1000));
        CHECK(EVP_EncryptUpdate(seal, NULL, &n, data, 400));
        CHECK(EVP_EncryptFinal_ex(seal, out, &n));
    }
    /* The associated data of the message before does not count. */
    CHECK(EVP_EncryptInit_ex(seal, NULL, NULL, NULL, iv) && EVP_EncryptFinal_ex(seal, out, &n));
    EVP_CIPHER_CTX_free(seal);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    for (int i = 0; i < 3; i++) {
        CHECK(EVP_DigestInit_ex(context, EVP_sha256(), NULL));
        for (int byte = 0; byte < 4096; byte++)
            CHECK(EVP_DigestUpdate(context, data, 1));
        CHECK(EVP_DigestFinal_ex(context, out, NULL));
    }
    CHECK(EVP_DigestInit_ex(context, EVP_sha256(), NULL));
    CHECK(EVP_DigestUpdate(context, data, 8192) && EVP_DigestUpdate(context, data, 8192));
    CHECK(EVP_DigestUpdate(context, data, 3616) && EVP_DigestFinal_ex(context, out, NULL));
    CHECK(EVP_DigestInit_ex(context, EVP_sha256(), NULL) && EVP_DigestUpdate(context, data, 5));
    for (int i = 0; i < 3; i++)
        CHECK(EVP_DigestUpdate(context, data, i != 0));
    CHECK(EVP_DigestFinal_ex(context, out, NULL));
    EVP_MD_CTX_free(context);
}

static EVP_MD_CTX *begun[8];

static void *begin(void *number) {
    size_t thread = (size_t)number;
    EVP_MD_CTX *own = EVP_MD_CTX_new();
    for (size_t i = 0; i < 1000; i++)
        sha256(own, 100 * thread + i % 10);
    /* Another thread ends it. */
    CHECK(EVP_DigestInit_ex(own, EVP_sha512(), NULL) && EVP_DigestUpdate(own, data, 1000));
    begun[thread] = own;
    return NULL;
}

static void *end(void *number) {
    EVP_MD_CTX *own = begun[7 - (size_t)number];
    unsigned char digest[64];
    CHECK(EVP_DigestUpdate(own, data, 24) && EVP_DigestFinal_ex(own, digest, NULL));
    EVP_MD_CTX_free(own);
    return NULL;
}

static void *once(void *unused) {
    sha256(begun[0], 5000);
    return unused;
}

static void threads(void) {
    pthread_t all[8];
    void *(*const works[])(void *) = {begin, end};
    for (int work = 0; work < 2; work++) {
        for (size_t i = 0; i < 8; i++)
            CHECK(pthread_create(&all[i], NULL, works[work], (void *)i) == 0);
        for (size_t i = 0; i < 8; i++)
            pthread_join(all[i], NULL);
    }
    /* Many threads, one after the other: their tables must be used again. */
    begun[0] = EVP_MD_CTX_new();
    for (int i = 0; i < 500; i++) {
        CHECK(pthread_create(&all[0], NULL, once, NULL) == 0);
        pthread_join(all[0], NULL);
    }
}

static void forks(const char *self) {
    EVP_MD_CTX *both = EVP_MD_CTX_new(), *own = EVP_MD_CTX_new();
    CHECK(EVP_DigestInit_ex(both, EVP_sha256(), NULL) && EVP_DigestUpdate(both, data, 5));
    pid_t child = fork();
    CHECK(EVP_DigestUpdate(both, data, child == 0 ? 6 : 7));
    CHECK(EVP_DigestFinal_ex(both, out, NULL));
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    for (int i = 0; i < 20; i++) {
        /* Also without the C library's knowledge. */
        child = i % 2 == 0 ? fork() : (pid_t)syscall(SYS_fork);
        if (child == 0) {
            for (int j = 0; j < 10; j++)
                sha256(own, 200);
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        sha256(own, 200);
    child = vfork();
    if (child == 0) {
        execl(self, self, "one", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    child = fork();
    if (child == 0) {
        for (int j = 0; j < 3; j++)
            sha256(own, 300);
        raise(SIGKILL);
    }
    waitpid(child, NULL, 0);
    sha256(own, 400);
    /* The same process, another program. */
    execl(self, self, "one", (char *)NULL);
}

/* Many contexts at once, made and freed by four threads. */
static void *many_at_once(void *unused) {
    enum { MANY = 20000 };
    EVP_MD_CTX **all = calloc(MANY, sizeof(*all));
    unsigned char digest[32];
    CHECK(all != NULL);
    for (size_t i = 0; i < MANY; i++) {
        CHECK((all[i] = EVP_MD_CTX_new()) && EVP_DigestInit_ex(all[i], EVP_sha256(), NULL));
        CHECK(EVP_DigestUpdate(all[i], data, i % 4));
    }
    for (size_t i = 0; i < MANY; i++) {
        CHECK(EVP_DigestUpdate(all[i], data, 1) && EVP_DigestFinal_ex(all[i], digest, NULL));
        EVP_MD_CTX_free(all[i]);
    }
    free(all);
    return unused;
}

static void many(void) {
    pthread_t all[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&all[i], NULL, many_at_once, NULL) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

static void gcrypt(void) {
    gcry_md_hd_t md, copy;
    gcry_mac_hd_t mac;
    gcry_cipher_hd_t cipher;
    static const char key[32];
    unsigned char tag[16];
    size_t written = sizeof(tag);
    CHECK(gcry_check_version(NULL) != NULL);
    CHECK(gcry_md_open(&md, GCRY_MD_SHA256, 0) == 0);
    gcry_md_write(md, data, 64);
    CHECK(gcry_md_read(md, 0) != NULL && gcry_md_read(md, 0) != NULL);
    gcry_md_reset(md);
    /* Into the handle's buffer, without a call, and once more than it has space for. */
    for (int i = 0; i < 10001; i++)
        gcry_md_putc(md, 'x');
    CHECK(gcry_md_copy(&copy, md) == 0);
    gcry_md_final(md);
    gcry_md_putc(copy, 'x');
    CHECK(gcry_md_read(copy, 0) != NULL);
    gcry_md_close(copy);
    gcry_md_close(md);
    gcry_md_hash_buffer(GCRY_MD_SHA1, out, data, 65);
    CHECK(gcry_md_open(&md, GCRY_MD_SHA512, GCRY_MD_FLAG_HMAC) == 0);
    CHECK(gcry_md_setkey(md, key, 32) == 0);
    for (int i = 0; i < 2; i++) {
        gcry_md_write(md, data, 66);
        CHECK(gcry_md_read(md, 0) != NULL);
        gcry_md_reset(md);
    }
    gcry_md_close(md);
    CHECK(gcry_mac_open(&mac, GCRY_MAC_CMAC_AES, 0, NULL) == 0);
    CHECK(gcry_mac_setkey(mac, key, 16) == 0 && gcry_mac_write(mac, data, 67) == 0);
    CHECK(gcry_mac_read(mac, tag, &written) == 0);
    CHECK(gcry_mac_verify(mac, tag, written) == 0);
    gcry_mac_close(mac);
    CHECK(gcry_cipher_open(&cipher, GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_GCM, 0) == 0);
    CHECK(gcry_cipher_setkey(cipher, key, 32) == 0);
    for (int is_wrong = 0; is_wrong < 3; is_wrong++) {
        CHECK(gcry_cipher_reset(cipher) == 0 && gcry_cipher_setiv(cipher, key, 12) == 0);
        CHECK(gcry_cipher_authenticate(cipher, data, 13) == 0);
        memcpy(out, data, 68);
        if (is_wrong == 0) {
            CHECK(gcry_cipher_encrypt(cipher, out, 68, NULL, 0) == 0);
            CHECK(gcry_cipher_gettag(cipher, tag, 16) == 0);
            continue;
        }
        CHECK(gcry_cipher_encrypt(cipher, out, 68, NULL, 0) == 0);
        CHECK(gcry_cipher_reset(cipher) == 0 && gcry_cipher_setiv(cipher, key, 12) == 0);
        CHECK(gcry_cipher_authenticate(cipher, data, 13) == 0);
        CHECK(gcry_cipher_decrypt(cipher, out, 68, NULL, 0) == 0);
        tag[0] ^= is_wrong == 2;
        CHECK((gcry_cipher_checktag(cipher, tag, 16) == 0) == (is_wrong == 1));
    }
    gcry_cipher_close(cipher);
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    if (strcmp(what, "digests") == 0)
        digests();
    else if (strcmp(what, "macs") == 0)
        macs();
    else if (strcmp(what, "aeads") == 0)
        aeads();
    else if (strcmp(what, "shapes") == 0)
        shapes();
    else if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "many") == 0)
        many();
    else if (strcmp(what, "forks") == 0)
        forks(arguments[0]);
    else if (strcmp(what, "gcrypt") == 0)
        gcrypt();
    else if (strcmp(what, "one") == 0)
        CHECK(EVP_Digest(data, 500, out, &length, EVP_sha256(), NULL));
    else if (strcmp(what, "sizes") == 0)
        for (size_t i = 0; i < 30000; i++)
            CHECK(SHA256(data, i, out));
    else if (strcmp(what, "status") == 0)
        return 42;
    else if (strcmp(what, "signal") == 0)
        raise(SIGTERM);
    return 0;
}
