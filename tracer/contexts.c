/* contexts.c: a table of contexts that takes no lock.
 *
 * An address has a window of eight slots in each of a few segments, each four times as large as
 * the one before; a segment is made when all windows before it are full. Nothing ever moves, so a
 * slot that was found remains valid. Taking a slot is one compare-and-swap; the rest of it belongs
 * to the thread that uses the library's context. */

#define _GNU_SOURCE
#include "contexts.h"

#include <string.h>
#include <sys/mman.h>

#define WINDOW      8
#define SEGMENTS    8
#define FIRST_SLOTS ((size_t)1024)

/* One slot has its own cache line. */
union slot {
    struct context context;
    char line[64];
};

static union slot *segments[SEGMENTS];

static size_t slots_of(int segment) {
    return FIRST_SLOTS << (2 * segment);
}

static union slot *window(union slot *slots, int segment, const void *of) {
    uint64_t mixed = ((uint64_t)(uintptr_t)of >> 4) * 0x9e3779b97f4a7c15u;
    size_t windows = slots_of(segment) / WINDOW;
    return slots + (mixed >> 32) % windows * WINDOW;
}

struct context *context_of(const void *of) {
    for (int s = 0; s < SEGMENTS; s++) {
        union slot *slots = __atomic_load_n(&segments[s], __ATOMIC_ACQUIRE);
        if (slots == NULL)
            return NULL;
        union slot *here = window(slots, s, of);
        for (int i = 0; i < WINDOW; i++)
            if (__atomic_load_n(&here[i].context.of, __ATOMIC_RELAXED) == of)
                return &here[i].context;
    }
    return NULL;
}

static union slot *segment(int s) {
    union slot *slots = __atomic_load_n(&segments[s], __ATOMIC_ACQUIRE);
    if (slots != NULL)
        return slots;
    size_t bytes = slots_of(s) * sizeof(union slot);
    union slot *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    if (__atomic_compare_exchange_n(&segments[s], &slots, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return made;
    munmap(made, bytes);
    return slots;
}

struct context *context_for(const void *of) {
    struct context *known = context_of(of);
    if (known != NULL)
        return known;
    for (int s = 0; s < SEGMENTS; s++) {
        union slot *slots = segment(s);
        if (slots == NULL)
            return NULL;
        union slot *here = window(slots, s, of);
        for (int i = 0; i < WINDOW; i++) {
            struct context *context = &here[i].context;
            const void *nobody = NULL;
            if (__atomic_load_n(&context->of, __ATOMIC_RELAXED) == NULL &&
                __atomic_compare_exchange_n(&context->of, &nobody, of, false, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED)) {
                memset((char *)context + sizeof(context->of), 0,
                       sizeof(*context) - sizeof(context->of));
                return context;
            }
        }
    }
    return NULL;
}

void context_forget(const void *of) {
    struct context *context = context_of(of);
    if (context != NULL)
        __atomic_store_n(&context->of, NULL, __ATOMIC_RELEASE);
}

void context_copy(const void *to, const void *from) {
    if (to == from)
        return;
    struct context *source = context_of(from);
    struct context *target = source != NULL ? context_for(to) : NULL;
    if (target == NULL) {
        context_forget(to);
        return;
    }
    memcpy((char *)target + sizeof(target->of), (char *)source + sizeof(source->of),
           sizeof(*target) - sizeof(target->of));
    /* Python ends a copy of each message: that is still the message that the key was set for. */
    target->is_keyed = source->is_keyed && source->shape.pieces > 0;
}

static bool is_other(const struct context *context) {
    return context->name_count == 0 || context->names[0] >= trace_primitive_count;
}

void context_begin(struct context *context) {
    context->bytes = 0;
    context->shape = (struct shape){0, 0};
    context->is_active = true;
    if (is_other(context))
        trace_is_other();
}

void context_add(const void *of, size_t bytes) {
    struct context *context = context_of(of);
    if (context != NULL) {
        context->bytes += bytes;
        context->shape.pieces += context->shape.pieces < UINT32_MAX;
    }
    if (context == NULL || is_other(context))
        trace_is_other();
}

void context_add_ad(const void *of, size_t bytes) {
    struct context *context = context_of(of);
    if (context != NULL) {
        size_t space = UINT32_MAX - context->shape.ad;
        context->shape.ad += (uint32_t)(bytes < space ? bytes : space);
    }
    if (context == NULL || is_other(context))
        trace_is_other();
}

void context_count(struct context *context, enum operation operation) {
    if (!context->is_active)
        return;
    struct shape shape = context->shape;
    /* A message without any piece is an empty one. */
    shape.pieces += shape.pieces == 0;
    enum key key = operation == DIGEST ? NO_KEY : context->is_keyed ? PER_CALL : KEPT;
    for (int i = 0; i < context->name_count; i++) {
        if (context->names[i] < trace_primitive_count)
            trace_count(context->names[i], operation, shape, key, context->bytes);
        else
            trace_count_unknown(context->names[i]);
    }
    context->is_active = false;
    context->is_keyed = false;
}
