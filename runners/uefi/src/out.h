/* out.h: where results go: to the first serial port as they come, to the screen for a person, and
 * at the end to a file on the volume that this program was started from. */
#ifndef OUT_H
#define OUT_H

#include "efi.h"
#include "text.h"

/* Finds the ways out. */
void out_begin(efi_handle image, efi_system_table *system);

/* A new record; end_record writes it as a line and counts it. */
text *begin_record(const char *kind);
void end_record(text *t);

/* A line for the person at the screen. */
void say(const char *words);
void say_text(text *t);

/* A whole file of the volume, at most size bytes of it. Returns the length, 0 where there is none.
 */
size_t out_read(const uint16_t *name, char *at, size_t size);

/* Writes the last record, which says how many there were and their SHA-256, so that a log that lost
 * something is known; and appends all of them to \cupel\results.jsonl. Returns why it could not be
 * written, or NULL. */
const char *out_end(void);

#endif
