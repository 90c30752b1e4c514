/* contexts.h: the known facts on each context of the library, by its address. */
#ifndef CUPEL_CONTEXTS_H
#define CUPEL_CONTEXTS_H

#include "trace.h"

/* Libraries with several primitives in one context (libgcrypt) have up to this many. */
#define TRACE_NAMES 4

struct context {
    /* The library's context; NULL if this is free. */
    const void *of;
    /* Bytes of the message so far, in how many pieces they came, and its associated data. */
    uint64_t bytes;
    struct shape shape;
    name_t names[TRACE_NAMES];
    uint8_t name_count;
    /* A message has begun. */
    bool is_active;
    /* The key was set since the last message ended. */
    bool is_keyed;
    /* A further value of the family. */
    uint8_t note;
    uint32_t more;
};

/* The record of a context; NULL if it is unknown. Only one thread at a time may use a context: that
 * is the library's own rule. */
struct context *context_of(const void *of);

/* The same, made if it is unknown. NULL if there is no memory. */
struct context *context_for(const void *of);

/* Forgets a context. */
void context_forget(const void *of);

/* `to` is now a copy of `from`. The key's schedule is copied too, so a copy that was made before
 * its message began has kept its key. */
void context_copy(const void *to, const void *from);

/* A message begins. */
void context_begin(struct context *context);

/* A piece of a message. */
void context_add(const void *of, size_t bytes);

/* A piece of its associated data. */
void context_add_ad(const void *of, size_t bytes);

/* A message has ended: counts it for each name. */
void context_count(struct context *context, enum operation operation);

#endif
