/* memory.c: the two functions to which compilers generate calls, for a build without a C library.
 * Weak, so that a program's own definitions take precedence. */
#include <stddef.h>

__attribute__((weak)) void *memcpy(void *restrict to, const void *restrict from, size_t length);
__attribute__((weak)) void *memset(void *at, int byte, size_t length);

void *memcpy(void *restrict to, const void *restrict from, size_t length) {
    unsigned char *t = to;
    const unsigned char *f = from;
    while (length-- > 0)
        *t++ = *f++;
    return to;
}

void *memset(void *at, int byte, size_t length) {
    unsigned char *t = at;
    while (length-- > 0)
        *t++ = (unsigned char)byte;
    return at;
}
