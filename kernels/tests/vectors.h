/* vectors.h: reads the official vectors, files of "Name = value" lines. */
#ifndef VECTORS_H
#define VECTORS_H

#include <stddef.h>
#include <stdint.h>

typedef struct vectors vectors;

/* Opens a file below the repository's vectors/; ends the test if it does not exist. */
vectors *vectors_open(const char *folder, const char *file);

/* Reads up to the next "name = value", and keeps the values in between: 1, or 0 at the end. */
int vectors_next(vectors *v, const char *name);

/* The last value of that name: as a number, or as bytes from hex, whose count it returns. Ends the
 * test if there was none. The bytes live until the next call for the same name. */
size_t vectors_number(vectors *v, const char *name);
const uint8_t *vectors_bytes(vectors *v, const char *name, size_t *length);

void vectors_close(vectors *v);

#endif
