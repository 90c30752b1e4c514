/* check.c: see check.h. */
#define _GNU_SOURCE
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned long made, failed;

static void fail(const char *format, va_list words) {
    printf("FAILED: ");
    vprintf(format, words);
    printf("\n");
    if (++failed == 20) {
        printf("and no more of it\n");
        exit(1);
    }
}

void check(int holds, const char *format, ...) {
    made++;
    if (holds)
        return;
    va_list words;
    va_start(words, format);
    fail(format, words);
    va_end(words);
}

static void print_bytes(const char *what, const uint8_t *at, size_t length) {
    printf("  %s ", what);
    for (size_t i = 0; i < length; i++)
        printf("%02x", at[i]);
    printf("\n");
}

void check_bytes(const uint8_t *got, const uint8_t *expected, size_t length, const char *format,
                 ...) {
    made++;
    if (memcmp(got, expected, length) == 0)
        return;
    va_list words;
    va_start(words, format);
    fail(format, words);
    va_end(words);
    print_bytes("got     ", got, length);
    print_bytes("expected", expected, length);
}

int finish(void) {
    printf("%lu checks, %lu failed\n", made, failed);
    return failed != 0 || made == 0;
}

void skip(const char *reason) {
    printf("SKIPPED: %s\n", reason);
    exit(SKIPPED);
}

uint64_t next_random(void) {
    static uint64_t state = 20;
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void fill_random(uint8_t *at, size_t length) {
    for (size_t i = 0; i < length; i++)
        at[i] = (uint8_t)next_random();
}

uint8_t *guarded(size_t size, uint8_t **end) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t inside = (size + page - 1) / page * page;
    uint8_t *all = mmap(NULL, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, inside, PROT_READ | PROT_WRITE) != 0) {
        printf("FAILED: no memory for a guarded buffer\n");
        exit(1);
    }
    *end = all + page + inside;
    return all + page;
}
