/* handle.c: takes libcrypto's functions from the handle of dlopen, as programs do that want the
 * library only when they need it. Four threads make 1000 SHA-256 digests of 300 B each, and a child
 * of fork makes 500 more. With `default`, the functions are taken from RTLD_DEFAULT; with
 * `version`, by dlvsym; with `space`, from a namespace of dlmopen. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    void *(*ctx_new)(void);
    void (*ctx_free)(void *);
    const void *(*sha256)(void);
    int (*init)(void *, const void *, void *);
    int (*update)(void *, const void *, size_t);
    int (*final)(void *, unsigned char *, unsigned *);
    int (*whole)(const void *, size_t, unsigned char *, unsigned *, const void *, void *);
} crypto;

static crypto library;
/* Then one function makes the digest: nothing inside the library passes the tracer by chance. */
static int by_version;

static int digests(int count) {
    unsigned char message[300], out[64];
    unsigned length = 0;
    memset(message, 7, sizeof message);
    void *ctx = library.ctx_new();
    for (int i = 0; i < count; i++) {
        message[0] = (unsigned char)i;
        if (by_version) {
            library.whole(message, sizeof message, out, &length, library.sha256(), NULL);
            continue;
        }
        if (!library.init(ctx, library.sha256(), NULL) ||
            !library.update(ctx, message, sizeof message) || !library.final(ctx, out, &length))
            return 1;
    }
    library.ctx_free(ctx);
    return length != 32;
}

static void *worker(void *count) {
    return (void *)(long)digests((int)(long)count);
}

static void *take(void *handle, const char *name) {
    void *function = by_version ? dlvsym(handle, name, "OPENSSL_3.0.0") : dlsym(handle, name);
    if (function == NULL) {
        fprintf(stderr, "hash: %s\n", dlerror());
        exit(3);
    }
    return function;
}

int main(int argc, char **argv) {
    const char *from = argc > 1 ? argv[1] : "";
    int global = strcmp(from, "default") == 0;
    by_version = strcmp(from, "version") == 0;
    void *handle = strcmp(from, "space") == 0
                       ? dlmopen(LM_ID_NEWLM, "libcrypto.so.3", RTLD_NOW)
                       : dlopen("libcrypto.so.3", RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (handle == NULL) {
        fprintf(stderr, "hash: %s\n", dlerror());
        return 3;
    }
    if (global)
        handle = RTLD_DEFAULT;
    library.ctx_new = (void *(*)(void))take(handle, "EVP_MD_CTX_new");
    library.ctx_free = (void (*)(void *))take(handle, "EVP_MD_CTX_free");
    library.sha256 = (const void *(*)(void))take(handle, "EVP_sha256");
    library.init = (int (*)(void *, const void *, void *))take(handle, "EVP_DigestInit_ex");
    library.update = (int (*)(void *, const void *, size_t))take(handle, "EVP_DigestUpdate");
    library.final =
        (int (*)(void *, unsigned char *, unsigned *))take(handle, "EVP_DigestFinal_ex");

    library.whole = (int (*)(const void *, size_t, unsigned char *, unsigned *, const void *,
                             void *))take(handle, "EVP_Digest");

    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, worker, (void *)1000L);
    int bad = 0;
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        bad |= failed != NULL;
    }
    pid_t child = fork();
    if (child == 0)
        _exit(digests(500));
    int status = 0;
    waitpid(child, &status, 0);
    return bad || status != 0;
}
