/* string.h: the functions that the kernels use, for the WebAssembly build, which has no C
 * library. */
#ifndef CUPEL_WASM_STRING_H
#define CUPEL_WASM_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memset(void *at, int byte, size_t length);

#endif
