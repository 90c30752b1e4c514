/* siphash_ref.h: the reference that the tests hold SipHash against. */
#ifndef SIPHASH_REF_H
#define SIPHASH_REF_H

#include <stddef.h>
#include <stdint.h>

/* tag_length is 8 or 16. Not for two threads at once. */
void siphash_ref(uint8_t *tag, size_t tag_length, unsigned c, unsigned d, const uint8_t key[16],
                 const uint8_t *message, size_t length);

#endif
