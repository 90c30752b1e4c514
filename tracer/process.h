/* process.h: common to the parts of process.so: the list of files that a process loads and starts,
 * and the system's own functions. */
#ifndef CUPEL_PROCESS_H
#define CUPEL_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#define WRAPPER __attribute__((visibility("default")))

/* The file of the list; empty if this process is not traced. */
extern char process_list[];
/* The folder of the tracer's objects, with its last slash. */
extern char process_home[];

/* Adds a line to the list, with the process that it is about. This may be the child of vfork, so it
 * only calls the system.
 *   L  loaded this file with code
 *   S  runs this program, with the tracer
 *   X  is about to replace its program by this one, F  could not
 *   C  was made, to run this program
 *   N  loads this file into a namespace of dlmopen */
void process_note(char kind, pid_t process, const char *path);

/* The system's own function. NULL if it has none. */
void *process_system(const char *name);

/* Learns the variables that programs which this one starts need; `folder` is that of the counts. */
void process_begin_start(const char *folder);

/* `dlopen` with RTLD_DEEPBIND was called. */
void process_binds_deeply(void);
/* Gives the wrappers to all objects that took the library's functions because of it. */
void process_bind(void);

#endif
