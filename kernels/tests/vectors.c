/* vectors.c: see vectors.h. */
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 8, LONGEST = 1 << 20 };

struct vectors {
    FILE *file;
    char line[LONGEST];
    struct {
        char name[16];
        char *text;
        uint8_t *bytes;
    } values[NAMES];
};

static _Noreturn void die(const char *what, const char *which) {
    printf("FAILED: %s: %s\n", what, which);
    exit(1);
}

vectors *vectors_open(const char *folder, const char *file) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s", CUPEL_VECTORS, folder, file);
    vectors *v = calloc(1, sizeof *v);
    if (v == NULL || (v->file = fopen(path, "r")) == NULL)
        die("cannot open vectors", path);
    return v;
}

/* The index of a name, which is added if it is new. */
static int slot(vectors *v, const char *name) {
    for (int i = 0; i < NAMES; i++) {
        if (v->values[i].name[0] == '\0')
            snprintf(v->values[i].name, sizeof v->values[i].name, "%s", name);
        if (strcmp(v->values[i].name, name) == 0)
            return i;
    }
    die("too many names in vectors", name);
}

int vectors_next(vectors *v, const char *name) {
    while (fgets(v->line, sizeof v->line, v->file) != NULL) {
        char *value = strstr(v->line, " = ");
        if (value == NULL || v->line[0] == '#' || v->line[0] == '[')
            continue;
        *value = '\0';
        value += 3;
        value[strcspn(value, "\r\n")] = '\0';
        int i = slot(v, v->line);
        free(v->values[i].text);
        v->values[i].text = malloc(strlen(value) + 1);
        if (v->values[i].text == NULL)
            die("no memory for", name);
        memcpy(v->values[i].text, value, strlen(value) + 1);
        if (strcmp(v->line, name) == 0)
            return 1;
    }
    return 0;
}

static char *text(vectors *v, const char *name) {
    char *found = v->values[slot(v, name)].text;
    if (found == NULL)
        die("vectors have no", name);
    return found;
}

size_t vectors_number(vectors *v, const char *name) {
    return strtoul(text(v, name), NULL, 10);
}

const uint8_t *vectors_bytes(vectors *v, const char *name, size_t *length) {
    const char *hex = text(v, name);
    uint8_t **bytes = &v->values[slot(v, name)].bytes;
    *length = strlen(hex) / 2;
    free(*bytes);
    if ((*bytes = malloc(*length + 1)) == NULL)
        die("no memory for", name);
    for (size_t i = 0; i < *length; i++) {
        unsigned byte;
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
            die("not hex in vectors", hex);
        (*bytes)[i] = (uint8_t)byte;
    }
    return *bytes;
}

void vectors_close(vectors *v) {
    for (int i = 0; i < NAMES; i++) {
        free(v->values[i].text);
        free(v->values[i].bytes);
    }
    fclose(v->file);
    free(v);
}
