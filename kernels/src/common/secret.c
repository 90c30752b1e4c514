/* secret.c: clears secrets and compares them. */
#include "cupel.h"

#include <string.h>

void cupel_wipe(void *secret, size_t length) {
    memset(secret, 0, length);
    /* The compiler must assume that this reads the zeros, so it keeps them. */
    __asm__ volatile("" : : "r"(secret) : "memory");
}

int cupel_equal(const void *a, const void *b, size_t length) {
    const uint8_t *x = a, *y = b;
    unsigned different = 0;
    for (size_t i = 0; i < length; i++) {
        different |= (unsigned)(x[i] ^ y[i]);
        /* Keeps the compiler from leaving the loop at the first difference. */
        __asm__ volatile("" : "+r"(different));
    }
    return (int)((different - 1) >> 31 & 1);
}
