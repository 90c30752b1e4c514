/* start.c: the functions that start a program.
 *
 * Each program that is started is in the list. If it is to have an environment without the tracer,
 * as from `env -i`, the tracer's variables are added to it. A program that still runs without the
 * tracer, because it is static or has another user's rights, never says that it has begun, and so
 * the tool can name it.
 *
 * A child of vfork calls these functions while its parent waits, and another thread of a parent may
 * hold any lock: they use only the stack and the system. */

#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
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

/* A variable that a traced program needs. */
struct variable {
    /* Its name, with the sign. */
    const char *name;
    /* The text that is in its value if the tracer is in it; empty: any value is right. */
    char *mark;
    /* The text that is added. */
    char *value;
    /* Between this and another value. */
    char between;
    bool is_first;
};

enum { PRELOAD, FOLDER, JVM, VARIABLES };
static struct variable variables[VARIABLES] = {
    [PRELOAD] = {"LD_PRELOAD=", NULL, NULL, ':', true},
    [FOLDER] = {"CUPEL_TRACE_DIR=", NULL, NULL, 0, true},
    [JVM] = {"JAVA_TOOL_OPTIONS=", NULL, NULL, ' ', false},
};

/* The most variables, and bytes of a variable, to which something is added: they are copied. */
#define MOST_VARIABLES 8192
#define MOST_BYTES     32768

/* The system's own functions. */
typedef int execute(const char *path, char *const arguments[], char *const environment[]);
typedef int execute_file(int file, char *const arguments[], char *const environment[]);
typedef int spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                  const posix_spawnattr_t *attributes, char *const arguments[],
                  char *const environment[]);
typedef int run_command(const char *command);
typedef FILE *open_command(const char *command, const char *mode);

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

/* The objects of the tracer in a value of LD_PRELOAD. */
static char *own_objects(const char *value) {
    char *own = calloc(1, strlen(value) + 1);
    size_t length = 0;
    for (const char *object = value; own != NULL && *object != 0;) {
        size_t bytes = strcspn(object, ": ");
        if (strncmp(object, process_home, strlen(process_home)) == 0) {
            if (length > 0)
                own[length++] = ':';
            memcpy(own + length, object, bytes);
            length += bytes;
        }
        object += bytes + (object[bytes] != 0);
    }
    return own;
}

/* The agent of the tracer in a value of JAVA_TOOL_OPTIONS: an option in quotes. */
static char *own_agent(const char *value, const char *folder) {
    const char *begin = "'-javaagent:";
    for (const char *at = strstr(value, begin); at != NULL; at = strstr(at + 1, begin)) {
        const char *end = strchr(at + 1, '\'');
        const char *is = strchr(at, '=');
        if (end == NULL || is == NULL || strncmp(is + 1, folder, strlen(folder)) != 0)
            continue;
        return strndup(at, (size_t)(end - at) + 1);
    }
    return NULL;
}

void process_begin_start(const char *folder) {
    const char *preload = getenv("LD_PRELOAD");
    const char *options = getenv("JAVA_TOOL_OPTIONS");
    variables[PRELOAD].mark = process_home;
    variables[PRELOAD].value = preload != NULL ? own_objects(preload) : NULL;
    variables[FOLDER].mark = "";
    variables[FOLDER].value = strdup(folder);
    variables[JVM].value = options != NULL ? own_agent(options, folder) : NULL;
    variables[JVM].mark = variables[JVM].value;
}

static bool is_of(const char *entry, const struct variable *variable) {
    return strncmp(entry, variable->name, strlen(variable->name)) == 0;
}

/* The value of a variable in an environment. */
static const char *value_in(char *const environment[], const struct variable *variable) {
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++)
        if (is_of(environment[i], variable))
            return environment[i] + strlen(variable->name);
    return NULL;
}

/* The bytes of an entry to which the tracer is added; 0 if it needs no change. */
static size_t bytes_of(char *const environment[], const struct variable *variable) {
    if (variable->value == NULL || variable->value[0] == 0)
        return 0;
    const char *value = value_in(environment, variable);
    if (value != NULL && strstr(value, variable->mark) != NULL)
        return 0;
    size_t other = value != NULL ? strlen(value) : 0;
    return strlen(variable->name) + strlen(variable->value) + other + 2;
}

static char *append(char *to, const char *text) {
    size_t length = strlen(text);
    memcpy(to, text, length + 1);
    return to + length;
}

/* Writes the entry. */
static void write_entry(char *to, char *const environment[], const struct variable *variable) {
    const char *value = value_in(environment, variable);
    const char between[2] = {variable->between, 0};
    to = append(to, variable->name);
    if (value == NULL || value[0] == 0) {
        append(to, variable->value);
    } else if (variable->is_first) {
        append(append(append(to, variable->value), between), value);
    } else {
        append(append(append(to, value), between), variable->value);
    }
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

/* With the tracer in the environment. */
static int go_traced(const struct start *start) {
    size_t bytes[VARIABLES], all = 0, count = 0;
    for (int i = 0; i < VARIABLES; i++)
        all += bytes[i] = bytes_of(start->environment, &variables[i]);
    while (start->environment != NULL && start->environment[count] != NULL)
        count++;
    if (all == 0 || count > MOST_VARIABLES || all > MOST_BYTES)
        return go(start, start->environment);
    char entries[all];
    char *environment[count + VARIABLES + 1];
    char *entry = entries;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_changed = false;
        for (int j = 0; j < VARIABLES; j++)
            is_changed |= bytes[j] > 0 && is_of(start->environment[i], &variables[j]);
        if (!is_changed)
            environment[at++] = start->environment[i];
    }
    for (int i = 0; i < VARIABLES; i++) {
        if (bytes[i] == 0)
            continue;
        write_entry(entry, start->environment, &variables[i]);
        environment[at++] = entry;
        entry += bytes[i];
    }
    environment[at] = NULL;
    return go(start, environment);
}

/* Whether a program has another loader than this one, which refuses to load the tracer: musl's ends
 * the program. */
static bool is_foreign(const char *path) {
    unsigned char head[4096];
    const ElfW(Ehdr) *elf = (const void *)head;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    ssize_t length = pread(file, head, sizeof(head) - 1, 0);
    close(file);
    if (length < (ssize_t)sizeof(*elf) || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    if (elf->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
        return true;
    head[length] = 0;
    for (size_t i = 0; i < elf->e_phnum; i++) {
        size_t at = (size_t)elf->e_phoff + i * sizeof(ElfW(Phdr));
        ElfW(Phdr) part;
        if (at > (size_t)length || at + sizeof(part) > (size_t)length)
            return false;
        memcpy(&part, head + at, sizeof(part));
#ifdef __GLIBC__
        if (part.p_type == PT_INTERP && part.p_offset < (size_t)length)
            return strstr((const char *)head + part.p_offset, "ld-musl") != NULL;
#endif
    }
    return false;
}

/* Without the tracer's objects in LD_PRELOAD. */
static int go_untraced(const struct start *start) {
    const struct variable *preload = &variables[PRELOAD];
    const char *value = value_in(start->environment, preload);
    size_t count = 0;
    while (start->environment != NULL && start->environment[count] != NULL)
        count++;
    if (value == NULL || count > MOST_VARIABLES || strlen(value) > MOST_BYTES)
        return go(start, start->environment);
    char entry[strlen(preload->name) + strlen(value) + 1];
    char *environment[count + 1];
    char *to = append(entry, preload->name);
    const char *first = to;
    for (const char *object = value; *object != 0;) {
        size_t bytes = strcspn(object, ": ");
        if (bytes > 0 && strncmp(object, process_home, strlen(process_home)) != 0) {
            if (to != first)
                *to++ = ':';
            memcpy(to, object, bytes);
            to += bytes;
        }
        object += bytes + (object[bytes] != 0);
    }
    *to = 0;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_of(start->environment[i], preload))
            environment[at++] = start->environment[i];
        else if (to != first)
            environment[at++] = entry;
    }
    environment[at] = NULL;
    return go(start, environment);
}

/* A program with another user's rights gets its environment as it is: nothing is preloaded. */
static int go_as_can_be(const struct start *start, const char *path, const struct stat *found) {
    if ((found->st_mode & (S_ISUID | S_ISGID)) != 0)
        return go(start, start->environment);
    return is_foreign(path) ? go_untraced(start) : go_traced(start);
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
        int error = go_as_can_be(start, path, &found);
        if (error == 0)
            process_note('C', *start->child, name);
        return error;
    }
    process_note('X', getpid(), name);
    int result = go_as_can_be(start, path, &found);
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

/* A command of the shell with the tracer's variables before it, if the environment lacks them;
 * else NULL. The shell itself calls no library. */
static char *with_variables(const char *command) {
    size_t all = 0;
    for (int i = 0; command != NULL && i < VARIABLES; i++)
        all += bytes_of(environ, &variables[i]);
    if (process_list[0] == 0 || all == 0 || all > MOST_BYTES)
        return NULL;
    char *whole = malloc(4 * all + strlen(command) + 64);
    char *entry = malloc(all);
    if (whole == NULL || entry == NULL) {
        free(whole);
        free(entry);
        return NULL;
    }
    char *to = append(whole, "export");
    for (int i = 0; i < VARIABLES; i++) {
        if (bytes_of(environ, &variables[i]) == 0)
            continue;
        write_entry(entry, environ, &variables[i]);
        size_t name = strlen(variables[i].name);
        to = append(to, " ");
        to = append(to, variables[i].name);
        to = append(to, "'");
        for (const char *c = entry + name; *c != 0; c++) {
            const char one[2] = {*c, 0};
            to = append(to, *c == '\'' ? "'\\''" : one);
        }
        to = append(to, "'");
    }
    append(append(to, "; "), command);
    free(entry);
    return whole;
}

WRAPPER int system(const char *command) {
    char *whole = with_variables(command);
    int result = ((run_command *)process_system("system"))(whole != NULL ? whole : command);
    int error = errno;
    free(whole);
    errno = error;
    return result;
}

WRAPPER FILE *popen(const char *command, const char *mode) {
    char *whole = with_variables(command);
    FILE *result = ((open_command *)process_system("popen"))(whole != NULL ? whole : command, mode);
    int error = errno;
    free(whole);
    errno = error;
    return result;
}
