/* check.h: what a test is made of. No framework, so that the same programs run cross-compiled and
 * under emulators. A test ends with finish(); a failed check says where and goes on. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

/* What ctest takes for "skipped": this machine cannot run the test. */
enum { SKIPPED = 77 };

/* Counts a check; a failure prints the words, of printf's kind, that say which case it was. After
 * 20 failures the program ends. */
void check(int holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* check that two outputs are the same, and print both where they are not. */
void check_bytes(const uint8_t *got, const uint8_t *expected, size_t length, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

/* Prints the count and returns main's result: 0, or 1 where a check failed or none was made. */
int finish(void);

/* Prints why and ends with SKIPPED. */
_Noreturn void skip(const char *reason);

/* Pseudo-random bytes, the same in every run (splitmix64). */
uint64_t next_random(void);
void fill_random(uint8_t *at, size_t length);

/* size bytes between two pages that may not be touched: a read or write past the end, or for the
 * buffer's first byte before the start, ends the test. Never freed. size is rounded up to pages;
 * *end is the first byte that may not be touched. */
uint8_t *guarded(size_t size, uint8_t **end);

#endif
