/* string.h: the functions that the kernels need of a C library, by the compiler's builtins, so that
 * a known length becomes a few moves; src/memory.c has the rest of them. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t length);
void *memset(void *at, int byte, size_t length);

#define memcpy(to, from, length) __builtin_memcpy(to, from, length)
#define memset(at, byte, length) __builtin_memset(at, byte, length)

#endif
