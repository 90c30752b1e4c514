/* trace.h: the common parts of all libraries' wrappers: counting, timing, and the record of a
 * context.
 *
 * A wrapper has the name of a library's function. It calls `trace_enter`, the library's own
 * function, and `trace_leave`; then it writes down the operation. It keeps lengths and counts, and
 * never a byte of the data. */
#ifndef CUPEL_TRACE_H
#define CUPEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function that programs find in place of the library's. */
#define WRAPPER __attribute__((visibility("default")))

enum operation { UNKNOWN, DIGEST, MAC, SEAL, OPEN };
/* PER_CALL: the key was set for this message. KEPT: an earlier one was kept. */
enum key { NO_KEY, KEPT, PER_CALL };

/* The index of a primitive's name. The first ones are the family's own, in the order of
 * `trace_primitives`; names that are not in the catalogue follow. */
typedef uint16_t name_t;
#define NO_NAME ((name_t)0xffff)

/* Every family of libraries defines these: its name, and the names of the catalogue that it has. */
extern const char trace_family[];
extern const char *const trace_primitives[];
extern const size_t trace_primitive_count;
/* The begin of the library's file name, such as "libcrypto.so.3". */
extern const char trace_library[];

/* The measured part of one call of a wrapper. */
struct span {
    int64_t start;
    uint8_t how;
};

/* Calls with this many bytes are all timed. */
#define LONG_CALL          ((size_t)256 << 10)

/* Begins a call of a library's function that is passed this many bytes. False if the library itself
 * made it, or if this thread is inside another call: then the wrapper only passes it on. */
#define ENTER(span, bytes) trace_enter(span, bytes, __builtin_return_address(0))
bool trace_enter(struct span *span, size_t bytes, const void *caller);

/* Whether the program made a call, and not the library. */
#define IS_OUTERMOST() trace_is_outermost(__builtin_return_address(0))
bool trace_is_outermost(const void *caller);

/* Ends it. */
void trace_leave(const struct span *span, size_t bytes);

/* The call that has just ended was not one of a primitive of the catalogue: its time is apart. */
void trace_is_other(void);

/* How a message came: in how many pieces, and with how many bytes of associated data. */
struct shape {
    uint32_t pieces;
    uint32_t ad;
};
#define ONE_PIECE      ((struct shape){1, 0})
#define UNKNOWN_PIECES ((struct shape){0, 0})

/* Counts a message of this many bytes. */
void trace_count(name_t name, enum operation operation, struct shape shape, enum key key,
                 uint64_t bytes);

/* Counts a message of a primitive that is not in the catalogue, and the last call as `other`. */
void trace_count_unknown(name_t name);

/* The index of a name that is not in the catalogue; NO_NAME if there is no space for it. */
name_t trace_unknown(const char *name);

/* The library's own function. NULL if the library is not loaded. */
void *trace_real(const char *function);

/* `real` in a wrapper: the library's own function, looked up by its first call. If the library is
 * not loaded, the wrapper fails: somebody asked for its name only. */
#define REAL(type, function)      REAL_OR(return 0, type, function)
#define REAL_VOID(type, function) REAL_OR(return, type, function)
#define REAL_OR(otherwise, type, function)                                                         \
    static __typeof__(type) *found_##function;                                                     \
    __typeof__(type) *real = __atomic_load_n(&found_##function, __ATOMIC_RELAXED);                 \
    if (__builtin_expect(real == NULL, 0)) {                                                       \
        real = (__typeof__(type) *)trace_real(#function);                                          \
        if (real == NULL)                                                                          \
            otherwise;                                                                             \
        __atomic_store_n(&found_##function, real, __ATOMIC_RELAXED);                               \
    }

#endif
