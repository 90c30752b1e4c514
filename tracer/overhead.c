/* overhead.c: the time that a tracer adds to a call, in ns: "openssl 31.2" on standard output.
 *
 * Started with the tracers preloaded. It makes the same digests of 64 bytes through the wrappers
 * and by the library's own functions, alternately, and prints the median of the differences. A
 * digest is three functions (for libgcrypt, its reset, write and read). */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TURNS 101
#define CALLS 500

static const unsigned char data[64];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

struct functions {
    void *first, *second, *third;
};

static void *object;
static const void *sha256;

static void openssl(const struct functions *f) {
    unsigned char out[32];
    ((int (*)(void *, const void *, void *))f->first)(object, sha256, NULL);
    ((int (*)(void *, const void *, size_t))f->second)(object, data, sizeof(data));
    ((int (*)(void *, unsigned char *, unsigned *))f->third)(object, out, NULL);
}

static void gcrypt(const struct functions *f) {
    ((void (*)(void *))f->first)(object);
    ((void (*)(void *, const void *, size_t))f->second)(object, data, sizeof(data));
    ((unsigned char *(*)(void *, int))f->third)(object, 8);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double turn(void (*digest)(const struct functions *), const struct functions *f) {
    double start = now();
    for (int i = 0; i < CALLS; i++)
        digest(f);
    return (now() - start) / CALLS;
}

static void measure(const char *name, void *library, void (*digest)(const struct functions *),
                    const char *const functions[3]) {
    struct functions own = {dlsym(library, functions[0]), dlsym(library, functions[1]),
                            dlsym(library, functions[2])};
    struct functions traced = {dlsym(RTLD_DEFAULT, functions[0]), dlsym(RTLD_DEFAULT, functions[1]),
                               dlsym(RTLD_DEFAULT, functions[2])};
    /* Without a tracer both are the same, and there is nothing to measure. */
    if (own.first == NULL || own.second == NULL || own.third == NULL || traced.first == NULL ||
        traced.first == own.first)
        return;
    double differences[TURNS];
    turn(digest, &traced);
    for (int i = 0; i < TURNS; i++) {
        double with = turn(digest, &traced);
        differences[i] = with - turn(digest, &own);
    }
    qsort(differences, TURNS, sizeof(double), compare);
    printf("%s %.1f\n", name, differences[TURNS / 2]);
}

int main(void) {
    void *crypto = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_GLOBAL);
    if (crypto != NULL) {
        void *(*make)(void) = (void *(*)(void))dlsym(crypto, "EVP_MD_CTX_new");
        const void *(*digest)(void) = (const void *(*)(void))dlsym(crypto, "EVP_sha256");
        if (make != NULL && digest != NULL && (object = make()) != NULL) {
            sha256 = digest();
            measure("openssl", crypto, openssl,
                    (const char *const[]){"EVP_DigestInit_ex", "EVP_DigestUpdate",
                                          "EVP_DigestFinal_ex"});
        }
    }
    void *libgcrypt = dlopen("libgcrypt.so.20", RTLD_NOW | RTLD_GLOBAL);
    if (libgcrypt != NULL) {
        const char *(*check)(const char *) =
            (const char *(*)(const char *))dlsym(libgcrypt, "gcry_check_version");
        unsigned (*make)(void **, int, unsigned) =
            (unsigned (*)(void **, int, unsigned))dlsym(RTLD_DEFAULT, "gcry_md_open");
        if (check != NULL && make != NULL && check(NULL) != NULL && make(&object, 8, 0) == 0)
            measure("libgcrypt", libgcrypt, gcrypt,
                    (const char *const[]){"gcry_md_reset", "gcry_md_write", "gcry_md_read"});
    }
    return 0;
}
