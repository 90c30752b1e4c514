/* plan.c: parses a plan, and identifies the CPU that it must be for. Bounded by the text's length;
 * nothing is allocated. */
#include "plan.h"

#include "bytes.h"

#ifdef CUPEL_X86
#include <cpuid.h>
#endif

typedef struct text {
    const char *at, *end;
} text;

/* Takes exactly these characters. */
static int take(text *t, const char *expected) {
    const char *at = t->at;
    while (*expected != '\0')
        if (at == t->end || *at++ != *expected++)
            return 0;
    t->at = at;
    return 1;
}

/* Takes one to seven digits without a leading zero; a longer number is not one. */
static int number(text *t, unsigned *value) {
    const char *start = t->at;
    *value = 0;
    while (t->at != t->end && *t->at >= '0' && *t->at <= '9') {
        if (t->at - start == 7)
            return 0;
        *value = *value * 10 + (unsigned)(*t->at++ - '0');
    }
    return t->at != start && (*start != '0' || t->at - start == 1);
}

static int digits(text *t, size_t count, unsigned *value) {
    *value = 0;
    for (; count != 0; count--) {
        if (t->at == t->end || *t->at < '0' || *t->at > '9')
            return 0;
        *value = *value * 10 + (unsigned)(*t->at++ - '0');
    }
    return 1;
}

/* YYYY-MM-DD */
static int date(text *t) {
    unsigned year, month, day;
    return digits(t, 4, &year) && take(t, "-") && digits(t, 2, &month) && take(t, "-") &&
           digits(t, 2, &day) && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* A ratio to the default in thousandths of it, as in 0.850. */
static int ratio(text *t, unsigned *thousandths) {
    unsigned whole, part;
    if (!number(t, &whole) || whole > 999 || !take(t, ".") || !digits(t, 3, &part))
        return 0;
    *thousandths = whole * 1000 + part;
    return 1;
}

/* One of count lower bounds. */
static int bound(text *t, const unsigned *bounds, unsigned count, unsigned *index) {
    unsigned value;
    if (!number(t, &value) || !take(t, "+ "))
        return 0;
    for (*index = 0; *index < count; ++*index)
        if (bounds[*index] == value)
            return 1;
    return 0;
}

/* sha256-many 16+ 256+ shani 0.810 0.850 */
static int class_line(text *t, unsigned words[PLAN_OPERATIONS]) {
    static const char *const operations[] = {"sha1-many ", "sha256-many "};
    static const char *const paths[] = {"avx512 ", "shani ", "avx2 "};
    unsigned operation = 0, path = 0, c, s, low, high;
    while (operation < PLAN_OPERATIONS && !take(t, operations[operation]))
        operation++;
    if (operation == PLAN_OPERATIONS || !bound(t, cupel_plan_counts, PLAN_COUNTS, &c) ||
        !bound(t, cupel_plan_sizes, PLAN_SIZES, &s))
        return 0;
    while (path < 3 && !take(t, paths[path]))
        path++;
    if (path == 3 || !ratio(t, &low) || !take(t, " ") || !ratio(t, &high) || !take(t, "\n") ||
        low > high)
        return 0;
    unsigned shift = cupel_plan_shift(c, s);
    if (words[operation] >> shift & 3) /* named twice */
        return 0;
    words[operation] |= (path + 1) << shift;
    return 1;
}

#ifdef CUPEL_X86
static char *decimal(char *to, unsigned value) {
    char reversed[10];
    size_t count = 0;
    do
        reversed[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (count != 0)
        *to++ = reversed[--count];
    return to;
}

int cupel_plan_cpu(char line[CUPEL_PLAN_CPU]) {
    unsigned a, b, c, d, name[3];
    if (!__get_cpuid(0, &a, &name[0], &name[2], &name[1]) || !__get_cpuid(1, &a, &b, &c, &d))
        return CUPEL_PLAN_OTHER_CPU;
    unsigned family = a >> 8 & 15, model = a >> 4 & 15;
    if (family == 6 || family == 15)
        model |= a >> 12 & 0xf0;
    if (family == 15)
        family += a >> 20 & 255;
    memcpy(line, "cpu ", 4);
    memcpy(line + 4, name, sizeof name);
    char *to = line + 4 + sizeof name;
    *to++ = ' ';
    to = decimal(to, family);
    *to++ = ' ';
    to = decimal(to, model);
    *to++ = ' ';
    to = decimal(to, cupel_cpu_found());
    *to++ = '\n';
    *to = '\0';
    return 0;
}
#else
int cupel_plan_cpu(char line[CUPEL_PLAN_CPU]) {
    line[0] = '\0';
    return CUPEL_PLAN_OTHER_CPU;
}
#endif

int cupel_plan_parse(const char *bytes, size_t length, const char *cpu,
                     unsigned words[PLAN_OPERATIONS]) {
    text t = {bytes, bytes + length};
    for (unsigned i = 0; i < PLAN_OPERATIONS; i++)
        words[i] = 0;
    if (!take(&t, "cupel-plan 1\n"))
        return CUPEL_PLAN_DAMAGED;
    if (!take(&t, cpu))
        return CUPEL_PLAN_OTHER_CPU;
    if (!take(&t, "date ") || !date(&t) || !take(&t, "\n"))
        return CUPEL_PLAN_DAMAGED;
    while (!take(&t, "end\n"))
        if (!class_line(&t, words))
            return CUPEL_PLAN_DAMAGED;
    return t.at == t.end ? 0 : CUPEL_PLAN_DAMAGED;
}
