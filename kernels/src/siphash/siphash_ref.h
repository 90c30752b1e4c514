/* siphash_ref.h: the reference with which the tests compare SipHash. */
#ifndef SIPHASH_REF_H
#define SIPHASH_REF_H

#include <stddef.h>
#include <stdint.h>

/* tag_length is 8 or 16. Not thread-safe. */
void siphash_ref(uint8_t *tag, size_t tag_length, unsigned c, unsigned d, const uint8_t key[16],
                 const uint8_t *message, size_t length);

#endif
