/* cpu.c: which features the CPU has, and which of them may be used. The CPU is queried once; the
 * result without the excluded features is one atomic word. */
#include "cpu.h"

#include "detect.h"

#ifndef CUPEL_FREESTANDING
#include <stdlib.h>
#endif

atomic_uint cupel_cpu_word;

static const struct {
    unsigned feature;
    const char *name;
} names[] = {
    {CUPEL_CPU_SSSE3, "ssse3"}, {CUPEL_CPU_AVX2, "avx2"},      {CUPEL_CPU_AVX512, "avx512"},
    {CUPEL_CPU_SHANI, "shani"}, {CUPEL_CPU_ARM_SHA, "armsha"},
};

enum { NAMES = sizeof names / sizeof *names };

const char *cupel_cpu_name(unsigned feature) {
    for (size_t i = 0; i < NAMES; i++)
        if (names[i].feature == feature)
            return names[i].name;
    return NULL;
}

#ifndef CUPEL_FREESTANDING
/* Whether text begins with the word name, which a comma or the end of text must follow. */
static int starts_with(const char *text, const char *name) {
    while (*name != '\0')
        if (*text++ != *name++)
            return 0;
    return *text == ',' || *text == '\0';
}

/* The features that a list of names allows. Unknown names allow nothing, so a list for a newer
 * version allows at most as much here. */
static unsigned parse(const char *list) {
    unsigned allowed = 0;
    while (*list != '\0') {
        for (size_t i = 0; i < NAMES; i++)
            if (starts_with(list, names[i].name))
                allowed |= names[i].feature;
        while (*list != '\0' && *list++ != ',')
            ;
    }
    return allowed;
}
#endif

static unsigned limit_of_environment(void) {
#ifndef CUPEL_FREESTANDING
    const char *list = getenv("CUPEL_CPU");
    if (list != NULL)
        return parse(list);
#endif
    return ~0u;
}

unsigned cupel_cpu_found(void) {
    return cupel_cpu_detect();
}

static unsigned word_of(unsigned used) {
    return used | cupel_cpu_kind() | CUPEL_CPU_KNOWN;
}

unsigned cupel_cpu_find(void) {
    unsigned word = word_of(cupel_cpu_detect() & limit_of_environment());
    /* Stored only if the word is still unset: a limit that another thread has set meanwhile stays.
     */
    unsigned unset = 0;
    if (!atomic_compare_exchange_strong_explicit(&cupel_cpu_word, &unset, word,
                                                 memory_order_relaxed, memory_order_relaxed))
        word = unset;
    return word;
}

unsigned cupel_cpu_used(void) {
    return cupel_cpu() & ~(CUPEL_CPU_KNOWN | CUPEL_CPU_KIND);
}

unsigned cupel_cpu_limit(unsigned features) {
    unsigned used = cupel_cpu_detect() & features;
    atomic_store_explicit(&cupel_cpu_word, word_of(used), memory_order_relaxed);
    return used;
}
