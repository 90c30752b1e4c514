/* text.c: see text.h. */
#include "text.h"

void text_bytes(text *t, const char *bytes, size_t length) {
    if (t->too_long || t->room - t->length < length) {
        t->too_long = 1;
        return;
    }
    for (size_t i = 0; i < length; i++)
        t->at[t->length + i] = bytes[i];
    t->length += length;
}

static size_t length_of(const char *words) {
    size_t length = 0;
    while (words[length] != '\0')
        length++;
    return length;
}

void text_put(text *t, const char *words) {
    text_bytes(t, words, length_of(words));
}

void text_number(text *t, uint64_t number) {
    char digits[20];
    size_t count = 0;
    do
        digits[sizeof digits - ++count] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    text_bytes(t, digits + sizeof digits - count, count);
}

void text_two(text *t, unsigned number) {
    char digits[2] = {(char)('0' + number / 10 % 10), (char)('0' + number % 10)};
    text_bytes(t, digits, 2);
}

void text_hex(text *t, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        text_bytes(t, &"0123456789abcdef"[bytes[i] >> 4], 1);
        text_bytes(t, &"0123456789abcdef"[bytes[i] & 15], 1);
    }
}

void text_ratio(text *t, uint64_t above, uint64_t below) {
    uint64_t rest = above % below * 1000 / below;
    text_number(t, above / below);
    text_put(t, ".");
    text_bytes(t, &"0123456789"[rest / 100], 1);
    text_two(t, (unsigned)(rest % 100));
}

void text_column(text *t, size_t column) {
    do
        text_put(t, " ");
    while (t->length < column && !t->too_long);
}

void text_string(text *t, const char *words, size_t most) {
    text_put(t, "\"");
    for (size_t i = 0; i < most && words[i] != '\0'; i++) {
        int fits = words[i] >= ' ' && words[i] <= '~' && words[i] != '"' && words[i] != '\\';
        text_bytes(t, fits ? &words[i] : "?", 1);
    }
    text_put(t, "\"");
}

int same(const char *a, const char *b) {
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}
