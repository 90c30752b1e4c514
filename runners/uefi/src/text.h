/* text.h: putting a line together. Text that does not fit is left out, and marks the whole as too
 * long: the line is then not written at all. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct text {
    char *at;
    size_t length, room;
    int too_long;
} text;

void text_put(text *t, const char *words);
void text_bytes(text *t, const char *bytes, size_t length);
void text_number(text *t, uint64_t number);
void text_two(text *t, unsigned number); /* two digits */
void text_hex(text *t, const uint8_t *bytes, size_t length);
/* A fraction with three digits behind the point. */
void text_ratio(text *t, uint64_t above, uint64_t below);
/* Spaces up to a column, and at least one. */
void text_column(text *t, size_t column);
/* A machine's words about itself, as a JSON string: printable ASCII, the rest as '?'. */
void text_string(text *t, const char *words, size_t most);

int same(const char *a, const char *b);

#endif
