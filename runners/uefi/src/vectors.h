/* vectors.h: the official vectors, as files inside this program, and reading them. */
#ifndef VECTORS_H
#define VECTORS_H

#include <stddef.h>
#include <stdint.h>

enum { LONGEST_VECTOR = 6400 }; /* bytes: the longest message of NIST's LongMsg files */

typedef struct vectors {
    const char *at, *end;
} vectors;

/* NIST CAVP's files, short and long messages, by primitive. */
vectors vectors_sha1(int is_long);
vectors vectors_sha256(int is_long);
/* The table of SipHash's authors. */
vectors vectors_siphash(void);

/* The next record of a NIST file. Returns 0 at the end, and -1 where a record makes no sense. */
int vectors_next(vectors *v, uint8_t message[LONGEST_VECTOR], size_t *length, uint8_t *digest,
                 size_t digest_length);

/* The next line of the table: its 8 bytes. Returns as vectors_next does. */
int vectors_line(vectors *v, uint8_t tag[8]);

#endif
