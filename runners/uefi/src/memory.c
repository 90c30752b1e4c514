/* memory.c: the functions that compilers call by themselves; this program has no C library. A word
 * at a time: the start of a string instruction would cost more than the kernels' short copies. */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t __attribute__((may_alias, aligned(1))) word;

void *memcpy(void *restrict to, const void *restrict from, size_t length) {
    unsigned char *t = to;
    const unsigned char *f = from;
    for (; length >= 8; length -= 8, t += 8, f += 8)
        *(word *)t = *(const word *)f;
    while (length-- > 0)
        *t++ = *f++;
    return to;
}

void *memset(void *at, int byte, size_t length) {
    unsigned char *t = at;
    uint64_t bytes = 0x0101010101010101u * (unsigned char)byte;
    for (; length >= 8; length -= 8, t += 8)
        *(word *)t = bytes;
    while (length-- > 0)
        *t++ = (unsigned char)byte;
    return at;
}
