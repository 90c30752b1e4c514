/* start.c: the functions that start a program.
 *
 * Each program that is started is in the list. A program that runs without the tracer never says that it
 * has begun, and so the tool can name it.
 *
 * A child of vfork calls these functions while its parent waits, and another thread of a parent may
 * hold any lock: they use only the stack and the system. */

#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

/* The system's own functions. */
typedef int execute(const char *path, char *const arguments[], char *const environment[]);
typedef int execute_file(int file, char *const arguments[], char *const environment[]);
typedef int spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                  const posix_spawnattr_t *attributes, char *const arguments[],
                  char *const environment[]);

static execute *real_execve, *real_execvpe;
static execute_file *real_fexecve;
static spawn *real_spawn, *real_spawnp;

__attribute__((constructor)) static void find_functions(void) {
    if (real_execve != NULL)
        return;
    real_execvpe = (execute *)process_system("execvpe");
    real_fexecve = (execute_file *)process_system("fexecve");
    real_spawn = (spawn *)process_system("posix_spawn");
    real_spawnp = (spawn *)process_system("posix_spawnp");
    real_execve = (execute *)process_system("execve");
}

static char *append(char *to, const char *text) {
    size_t length = strlen(text);
    memcpy(to, text, length + 1);
    return to + length;
}

/* How a program is started. */
struct start {
    enum { EXECVE, EXECVPE, FEXECVE, EXECVEAT, SPAWN, SPAWNP } how;
    const char *path;
    char *const *arguments;
    char *const *environment;
    int file, flags;
    pid_t *child;
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
};

/* The first program of this name in the folders of PATH. */
static int open_in_path(const char *name) {
    const char *folders = getenv("PATH");
    char path[PATH_MAX];
    size_t length = strlen(name);
    for (const char *folder = folders != NULL ? folders : "/bin:/usr/bin";;) {
        size_t bytes = strcspn(folder, ":");
        if (bytes + length + 2 <= sizeof(path)) {
            memcpy(path, folder, bytes);
            path[bytes] = '/';
            memcpy(path + bytes + (bytes > 0), name, length + 1);
            struct stat found;
            if (stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0)
                return open(path, O_PATH | O_CLOEXEC);
        }
        if (folder[bytes] == 0) {
            errno = ENOENT;
            return -1;
        }
        folder += bytes + 1;
    }
}

static int open_program(const struct start *start) {
    bool is_searched = start->how == EXECVPE || start->how == SPAWNP;
    if (start->path == NULL)
        return -1;
    if (start->how == FEXECVE || (start->how == EXECVEAT && start->path[0] == 0))
        return fcntl(start->file, F_DUPFD_CLOEXEC, 3);
    if (start->how == EXECVEAT)
        return openat(start->file, start->path, O_PATH | O_CLOEXEC);
    if (is_searched && strchr(start->path, '/') == NULL)
        return open_in_path(start->path);
    return open(start->path, O_PATH | O_CLOEXEC);
}

/* The file of the program, as this process sees it: /proc/self/exe differs elsewhere, and
 * so are names below this process's folder or in its PATH. False if there is no such file. */
static bool find_program(const struct start *start, char *path, struct stat *found) {
    int file = open_program(start);
    memset(found, 0, sizeof(*found));
    path[0] = 0;
    if (file < 0)
        return errno != ENOENT && errno != ENOTDIR;
    char link[32];
    char digits[12];
    size_t count = 0;
    char *to = append(link, "/proc/self/fd/");
    for (int rest = file; rest > 0 || count == 0; rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    while (count > 0)
        *to++ = digits[--count];
    *to = 0;
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
    if (fstat(file, found) != 0)
        memset(found, 0, sizeof(*found));
    close(file);
    return true;
}

static int go(const struct start *start, char *const environment[]) {
    char *const *arguments = start->arguments;
    switch (start->how) {
    case EXECVPE:
        return real_execvpe(start->path, arguments, environment);
    case FEXECVE:
        return real_fexecve(start->file, arguments, environment);
    case EXECVEAT:
        return (int)syscall(SYS_execveat, start->file, start->path, arguments, environment,
                            start->flags);
    case SPAWN:
        return real_spawn(start->child, start->path, start->actions, start->attributes, arguments,
                          environment);
    case SPAWNP:
        return real_spawnp(start->child, start->path, start->actions, start->attributes, arguments,
                           environment);
    case EXECVE:
    default:
        return real_execve(start->path, arguments, environment);
    }
}

static int started(struct start *start) {
    find_functions();
    if (process_list[0] == 0)
        return go(start, start->environment);
    char path[PATH_MAX];
    struct stat found;
    if (!find_program(start, path, &found))
        return go(start, start->environment);
    const char *name = path[0] != 0 ? path : start->path;
    if (start->how == SPAWN || start->how == SPAWNP) {
        pid_t child = 0;
        start->child = start->child != NULL ? start->child : &child;
        int error = go(start, start->environment);
        if (error == 0)
            process_note('C', *start->child, name);
        return error;
    }
    process_note('X', getpid(), name);
    int result = go(start, start->environment);
    int error = errno;
    process_note('F', getpid(), name);
    errno = error;
    return result;
}

WRAPPER int execve(const char *path, char *const arguments[], char *const environment[]) {
    struct start start = {EXECVE, path, arguments, environment, .file = -1};
    return started(&start);
}

WRAPPER int execv(const char *path, char *const arguments[]) {
    return execve(path, arguments, environ);
}

WRAPPER int execvpe(const char *path, char *const arguments[], char *const environment[]) {
    struct start start = {EXECVPE, path, arguments, environment, .file = -1};
    return started(&start);
}

WRAPPER int execvp(const char *path, char *const arguments[]) {
    return execvpe(path, arguments, environ);
}

WRAPPER int fexecve(int file, char *const arguments[], char *const environment[]) {
    struct start start = {FEXECVE, "", arguments, environment, .file = file};
    return started(&start);
}

WRAPPER int execveat(int folder, const char *path, char *const arguments[],
                     char *const environment[], int flags) {
    struct start start = {EXECVEAT, path, arguments, environment, .file = folder, .flags = flags};
    return started(&start);
}

/* The arguments of execl and its like, up to the one that is NULL. */
static size_t count_arguments(va_list list) {
    size_t count = 1;
    while (va_arg(list, char *) != NULL)
        count++;
    return count;
}

static void read_arguments(va_list *list, const char *first, char **arguments, size_t count) {
    arguments[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; i <= count; i++)
        arguments[i] = va_arg(*list, char *);
}

WRAPPER int execl(const char *path, const char *first, ...) {
    va_list list;
    va_start(list, first);
    size_t count = count_arguments(list);
    va_end(list);
    char *arguments[count + 1];
    va_start(list, first);
    read_arguments(&list, first, arguments, count);
    va_end(list);
    return execve(path, arguments, environ);
}

WRAPPER int execlp(const char *path, const char *first, ...) {
    va_list list;
    va_start(list, first);
    size_t count = count_arguments(list);
    va_end(list);
    char *arguments[count + 1];
    va_start(list, first);
    read_arguments(&list, first, arguments, count);
    va_end(list);
    return execvpe(path, arguments, environ);
}

WRAPPER int execle(const char *path, const char *first, ...) {
    va_list list;
    va_start(list, first);
    size_t count = count_arguments(list);
    va_end(list);
    char *arguments[count + 1];
    va_start(list, first);
    read_arguments(&list, first, arguments, count);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, arguments, environment);
}

WRAPPER int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const arguments[],
                        char *const environment[]) {
    struct start start = {SPAWN, path, arguments, environment, -1, 0, child, actions, attributes};
    return started(&start);
}

WRAPPER int posix_spawnp(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const arguments[],
                         char *const environment[]) {
    struct start start = {SPAWNP, path, arguments, environment, -1, 0, child, actions, attributes};
    return started(&start);
}
