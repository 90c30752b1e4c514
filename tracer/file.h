/* file.h: the form of the file of one process, which crates/questions/trace/src/file.rs reads. All
 * numbers are little-endian, as on every machine that this runs on. */
#ifndef CUPEL_TRACE_FILE_H
#define CUPEL_TRACE_FILE_H

#include <stdint.h>

#define FILE_MAGIC "cupeltr2"
#define FILE_NAMES 120
#define FILE_NAME  32

/* The first page. Tables follow, each of whole pages, if a function of the library was called. */
struct file_header {
    char magic[8];
    uint32_t process;
    /* Bytes of a page here. */
    uint32_t page;
    /* Calls that found no table. */
    uint64_t lost;
    /* Calls whose size was rounded down to a power of two, because there were too many sizes. */
    uint64_t rounded;
    char family[16];
    /* The name of the program's file, without its folder. */
    char program[FILE_NAME];
    char reserved[176];
    /* Names of the catalogue, then other names, with a question mark before each. */
    char names[FILE_NAMES][FILE_NAME];
};

/* A message's key in a table: bit 63 is set, then the size and the operation. Its shape: its
 * associated data in bytes, and from bit 32 in how many pieces it came, 0 if that is not known. */
#define KEY_NAME      41
#define KEY_OPERATION 48
#define KEY_KEY       53
#define KEY_SET       63
#define SHAPE_PIECES  32

struct file_slot {
    uint64_t key;
    uint64_t shape;
    uint64_t count;
};

/* Counts of one thread at a time. Its first calls and its long ones are all timed (`exact`, by the
 * thread's own clock), and a random one in 64 of the others (`sampled`). */
struct file_time {
    uint64_t exact_ns;
    uint64_t sampled_ns;
    uint64_t samples;
    /* Samples that took so long that the system must have had the processor; left out. */
    uint64_t disturbed;
    /* Calls that are not `exact`. */
    uint64_t calls;
};

/* Whose time it is: of primitives of the catalogue, or of others. */
enum { CATALOGUE, OTHERS, TIMES };

struct file_table {
    char magic[4];
    uint32_t slots;
    struct file_time time[TIMES];
    /* Whether a thread has it. */
    uint32_t is_taken;
    uint32_t used;
    /* The table made before this one, for its own process only. */
    struct file_table *before;
    char reserved[24];
    struct file_slot slot[];
};

_Static_assert(sizeof(struct file_header) == 4096, "one page");
_Static_assert(sizeof(struct file_table) == 128, "the head of a table");

#endif
