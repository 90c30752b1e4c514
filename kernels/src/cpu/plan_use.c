/* plan_use.c: the plan in use: from the table, the environment, or the program. A text is taken
 * whole or not at all, so it is parsed into a copy, which is published at the end. */
#include "plan_use.h"
#include "bytes.h"
#include "plan_defaults.h"

#ifndef CUPEL_FREESTANDING
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif
#endif

atomic_uint cupel_plan_words[PLAN_OPERATIONS];

void cupel_plan_defaults(unsigned words[PLAN_OPERATIONS]) {
    char cpu[CUPEL_PLAN_CPU];
    int known = cupel_plan_cpu(cpu) == 0;
    for (const plan_text *plan = cupel_plan_table; known && plan->text != NULL; plan++)
        if (cupel_plan_parse(plan->text, plan->length, cpu, words) == 0) {
            for (unsigned o = 0; o < PLAN_OPERATIONS; o++)
                words[o] |= PLAN_MEASURED;
            return;
        }
    for (unsigned o = 0; o < PLAN_OPERATIONS; o++)
        words[o] = 0;
}

/* The text's classes replace the same ones in words; the others stay. */
static int apply(const char *text, size_t length, unsigned words[PLAN_OPERATIONS]) {
    char cpu[CUPEL_PLAN_CPU];
    unsigned named[PLAN_OPERATIONS];
    if (cupel_plan_cpu(cpu) != 0)
        return CUPEL_PLAN_OTHER_CPU;
    int error = cupel_plan_parse(text, length, cpu, named);
    if (error != 0)
        return error;
    for (unsigned o = 0; o < PLAN_OPERATIONS; o++) {
        for (unsigned shift = 0; shift < 2 * PLAN_COUNTS * PLAN_SIZES; shift += 2)
            if (named[o] >> shift & 3)
                words[o] = (words[o] & ~(3u << shift)) | (named[o] & 3u << shift);
        words[o] |= PLAN_GIVEN;
    }
    return 0;
}

static void publish(const unsigned words[PLAN_OPERATIONS]) {
    for (unsigned o = 0; o < PLAN_OPERATIONS; o++)
        atomic_store_explicit(&cupel_plan_words[o], words[o] | PLAN_KNOWN, memory_order_relaxed);
}

int cupel_plan_use(const char *text, size_t length) {
    unsigned words[PLAN_OPERATIONS];
    cupel_plan_defaults(words);
    int error = apply(text, length, words);
    if (error == 0)
        publish(words);
    return error;
}

void cupel_plan_clear(void) {
    unsigned words[PLAN_OPERATIONS];
    cupel_plan_defaults(words);
    publish(words);
}

const char *cupel_plan_origin(void) {
    unsigned word = cupel_plan_word(PLAN_SHA256_MANY);
    return word & PLAN_GIVEN ? "plan" : word & PLAN_MEASURED ? "measured" : "order";
}

#ifndef CUPEL_FREESTANDING
int cupel_plan_read(const char *path, unsigned words[PLAN_OPERATIONS]) {
    char bytes[CUPEL_PLAN_MOST]; /* the longest valid plan is far shorter */
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return CUPEL_PLAN_UNREADABLE;
    size_t length = fread(bytes, 1, sizeof bytes, file);
    int failed = ferror(file);
    fclose(file);
    return failed ? CUPEL_PLAN_UNREADABLE : apply(bytes, length, words);
}

int cupel_plan_load(const char *path) {
    unsigned words[PLAN_OPERATIONS];
    cupel_plan_defaults(words);
    int error = cupel_plan_read(path, words);
    if (error == 0)
        publish(words);
    return error;
}

/* The file that the environment names. A program with more rights than its caller does not let the
 * caller choose a file that it opens. Where the system does not report these rights, there is no
 * such file. */
static const char *path_of_environment(void) {
#ifdef __linux__
    if (getauxval(AT_SECURE) == 0)
        return getenv("CUPEL_PLAN");
#endif
    return NULL;
}

static void warn(int error) {
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set_explicit(&warned, memory_order_relaxed))
        return;
    fprintf(stderr, "cupel: the plan that CUPEL_PLAN names is ignored: it %s\n",
            error == CUPEL_PLAN_UNREADABLE ? "cannot be read"
            : error == CUPEL_PLAN_OTHER_CPU
                ? "is for another CPU: cupel_plan_cpu has the line of this one"
                : "is damaged, or of another version");
}

static void environment(unsigned words[PLAN_OPERATIONS]) {
    const char *path = path_of_environment();
    if (path == NULL || *path == '\0')
        return;
    int kept = errno;
    int error = cupel_plan_read(path, words);
    if (error != 0)
        warn(error);
    errno = kept;
}
#endif

unsigned cupel_plan_find(unsigned operation) {
    unsigned words[PLAN_OPERATIONS];
    cupel_plan_defaults(words);
#ifndef CUPEL_FREESTANDING
    environment(words);
#endif
    /* Stored only where no word is yet: another thread's choice in the meantime stays. */
    for (unsigned o = 0; o < PLAN_OPERATIONS; o++) {
        unsigned unset = 0;
        atomic_compare_exchange_strong_explicit(&cupel_plan_words[o], &unset, words[o] | PLAN_KNOWN,
                                                memory_order_relaxed, memory_order_relaxed);
    }
    return atomic_load_explicit(&cupel_plan_words[operation], memory_order_relaxed);
}
