/* check.h: the parts of a test. No framework, so that the same programs run cross-compiled and
 * under emulators. A test ends with finish(). A failed check prints where and does not end the
 * test. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

/* The exit status that ctest counts as "skipped": this machine cannot run the test. */
enum { SKIPPED = 77 };

/* Counts a check. A failure prints the message, formatted as by printf, which should name the case.
 * After 20 failures the program ends. */
void check(int holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Checks that two outputs are equal, and prints both if they are not. */
void check_bytes(const uint8_t *got, const uint8_t *expected, size_t length, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

/* Prints the count and returns main's result: 0, or 1 if a check failed or none was made. */
int finish(void);

/* Prints why and ends with SKIPPED. */
_Noreturn void skip(const char *reason);

/* Pseudo-random bytes, the same in every run (splitmix64). */
uint64_t next_random(void);
void fill_random(uint8_t *at, size_t length);

/* Returns size bytes between two inaccessible pages: an access past the end, or before the start,
 * ends the test. Never freed. size is rounded up to pages; *end is the first inaccessible byte
 * after the buffer. */
uint8_t *guarded(size_t size, uint8_t **end);

#endif
