/* plan_defaults.h: the plans that the library has: one for each kind of CPU that was measured. */
#ifndef CUPEL_PLAN_DEFAULTS_H
#define CUPEL_PLAN_DEFAULTS_H

#include <stddef.h>

typedef struct plan_text {
    const char *text;
    size_t length;
} plan_text;

/* NULL ends them. */
extern const plan_text cupel_plan_table[];

#endif
