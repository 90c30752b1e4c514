/* wasm.c: the functions that only the WebAssembly build has. Its hosts call the functions of
 * cupel.h with addresses in its memory. All of that from __heap_base on is theirs: an output, a
 * state, keys, and the message. */
#include "cupel.h"

/* The room that the hosts give to a prepared key and to a state, in bytes. */
_Static_assert(sizeof(cupel_hmac_sha256_key) <= 64, "a key");
_Static_assert(sizeof(cupel_sha1_state) <= 256, "a state");
_Static_assert(sizeof(cupel_sha256_state) <= 256, "a state");
_Static_assert(sizeof(cupel_hmac_sha256_state) <= 256, "a state");

/* No work, with the arguments of the others: the cost of a call across the border. */
void cupel_nothing(uint8_t *output, const void *message, size_t length);

void cupel_nothing(uint8_t *output, const void *message, size_t length) {
    (void)output;
    (void)message;
    (void)length;
}

#define TEXT(x)   #x
#define NUMBER(x) TEXT(x)

/* The hosts read it from the file. */
extern const char cupel_wasm_version[];
const char cupel_wasm_version[] = "cupel " CUPEL_VERSION " (clang " NUMBER(
    __clang_major__) "." NUMBER(__clang_minor__) "." NUMBER(__clang_patchlevel__) ")";
