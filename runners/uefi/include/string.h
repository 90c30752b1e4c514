/* string.h: what the kernels want of a C library. By the compiler's builtins, so that a length that
 * is known becomes a few moves; what is left of them is in src/memory.c. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t length);
void *memset(void *at, int byte, size_t length);

#define memcpy(to, from, length) __builtin_memcpy(to, from, length)
#define memset(at, byte, length) __builtin_memset(at, byte, length)

#endif
