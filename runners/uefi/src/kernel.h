/* kernel.h: the kernels that are verified and measured, each behind one and the same call. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_OUTPUT = 32 };

typedef struct primitive {
    const char *name;
    size_t output_length;
    void (*call)(uint8_t *output, const void *message, size_t length);
    /* The same by the standard, line by line, apart from the kernels. */
    void (*reference)(uint8_t *output, const uint8_t *message, size_t length);
    /* The same in pieces of a size, or NULL. */
    void (*in_pieces)(uint8_t *output, const uint8_t *message, size_t length, size_t piece);
    /* The code that dispatch takes now. */
    const char *(*code)(void);
} primitive;

typedef struct kernel {
    const primitive *primitive;
    const char *name, *code;
    unsigned needs; /* CUPEL_CPU_..., which dispatch is limited to */
    const char *lacks;
} kernel;

extern const primitive sha1, sha256, siphash;

enum { KERNELS = 9 };
extern const kernel kernels[KERNELS];

#endif
