/* process.c: other facts on a process, so that nothing is left out in silence.
 *
 * Functions that the program takes from a handle of `dlopen` are the tracer's, too: such a program
 * never looks at preloaded objects. And a list is kept of all files with code that a process loads,
 * and of all programs that it starts: the tool looks into them for libraries of which no call can
 * be counted. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRAPPER __attribute__((visibility("default")))

/* The file of the list; empty if this process is not traced. */
static char list[PATH_MAX];
/* The folder of the tracer's objects, with its last slash. */
static char home[PATH_MAX];

/* Adds a line to the list: `L` for loaded code, `X` for a program that is started. This may be the
 * child of vfork, so it only calls the system. */
static void note(char kind, const char *path) {
    char line[PATH_MAX + 3] = {kind, ' '};
    size_t length = path == NULL ? 0 : strnlen(path, PATH_MAX);
    if (list[0] == 0 || length == 0 || length == PATH_MAX || strchr(path, '\n') != NULL)
        return;
    memcpy(line + 2, path, length);
    line[length + 2] = '\n';
    int file = open(list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return;
    struct stat now;
    struct rlimit limit;
    /* Beyond the limit for files there is a signal, not only an error. */
    if (fstat(file, &now) == 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
        (limit.rlim_cur == RLIM_INFINITY || (rlim_t)now.st_size + sizeof(line) <= limit.rlim_cur)) {
        ssize_t written = write(file, line, length + 3);
        (void)written;
    }
    close(file);
}

/* The begins of the code that is in the list already. */
#define SEEN 1024
static uintptr_t seen[SEEN];
static unsigned long long added;
static bool is_noting;

static int note_object(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)unused;
    if (size < offsetof(struct dl_phdr_info, dlpi_subs))
        return 1;
    /* Nothing came since the last time. */
    if (info->dlpi_adds == added)
        return 1;
    uintptr_t key = info->dlpi_addr | 1;
    size_t at = (key >> 12) * 31 % SEEN;
    for (size_t i = 0; i < SEEN && seen[at] != 0; i++) {
        if (seen[at] == key)
            return 0;
        at = at + 1 == SEEN ? 0 : at + 1;
    }
    if (seen[at] == 0)
        seen[at] = key;
    char path[PATH_MAX];
    if (info->dlpi_name == NULL || info->dlpi_name[0] == 0) {
        ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
        if (length > 0) {
            path[length] = 0;
            note('L', path);
        }
    } else if (info->dlpi_name[0] == '/') {
        note('L', info->dlpi_name);
    }
    return 0;
}

static int note_adds(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    added = info->dlpi_adds;
    return 1;
}

static void note_objects(void) {
    if (list[0] == 0 || __atomic_test_and_set(&is_noting, __ATOMIC_ACQUIRE))
        return;
    dl_iterate_phdr(note_object, NULL);
    dl_iterate_phdr(note_adds, NULL);
    __atomic_clear(&is_noting, __ATOMIC_RELEASE);
}

typedef void *look_up(void *handle, const char *name);

#ifdef __GLIBC__
/* The system's own function. Its versions: since glibc 2.34, and before it on each architecture. */
__attribute__((visibility("hidden"), used)) look_up *trace_dlsym_of_system(void) {
    static look_up *found;
    look_up *real = __atomic_load_n(&found, __ATOMIC_RELAXED);
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.0"};
    for (size_t i = 0; real == NULL && i < sizeof(versions) / sizeof(versions[0]); i++)
        real = (look_up *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    __atomic_store_n(&found, real, __ATOMIC_RELAXED);
    return real;
}
#else
/* musl has no versions by which its own could be found, so functions of a handle are not
 * redirected. */
static look_up *trace_dlsym_of_system(void) {
    return dlsym;
}
#endif

/* Whether an address is in the code of the tracer: one of its objects, or the program that measures
 * their cost. */
static bool is_tracer(const void *address) {
    Dl_info info;
    if (home[0] == 0 || dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return false;
    return strncmp(info.dli_fname, home, strlen(home)) == 0;
}

/* Whether an address is in a library whose calls are counted. */
static bool is_counted(const void *address) {
    static const char *const libraries[] = {"libcrypto.so.3", "libgcrypt.so.20"};
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *name = slash != NULL ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
            return true;
    return false;
}

static bool has_wrapper(const char *name) {
    static const char *const begins[] = {"EVP_", "SHA", "MD5", "HMAC", "CMAC_", "PKCS5_", "gcry_"};
    for (size_t i = 0; name != NULL && i < sizeof(begins) / sizeof(begins[0]); i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* `dlsym` of a handle. In a counted library it finds the tracer's function of this name, if there
 * is one; the tracer itself gets the library's. */
__attribute__((visibility("hidden"), used)) void *trace_dlsym(void *handle, const char *name) {
    look_up *system = trace_dlsym_of_system();
    if (system == NULL)
        return NULL;
    void *found = system(handle, name);
    if (found == NULL || list[0] == 0)
        return found;
    note_objects();
    if (!has_wrapper(name) || !is_counted(found) || is_tracer(__builtin_return_address(0)))
        return found;
    void *wrapper = system(RTLD_DEFAULT, name);
    if (wrapper == NULL)
        dlerror();
    return wrapper != NULL && is_tracer(wrapper) ? wrapper : found;
}

/* RTLD_DEFAULT (0) and RTLD_NEXT (-1) are about the caller, so the system's function must see that
 * one and not this object. They find the tracer's functions by themselves. */
#if defined(__GLIBC__) && defined(__x86_64__)
__asm__(".text\n.globl dlsym\n.type dlsym, @function\n"
        "dlsym:\n"
        "    leaq 1(%rdi), %rax\n"
        "    cmpq $1, %rax\n"
        "    ja trace_dlsym\n"
        "    pushq %rdi\n"
        "    pushq %rsi\n"
        "    subq $8, %rsp\n"
        "    call trace_dlsym_of_system\n"
        "    addq $8, %rsp\n"
        "    popq %rsi\n"
        "    popq %rdi\n"
        "    jmp *%rax\n"
        ".size dlsym, .-dlsym\n");
#elif defined(__GLIBC__) && defined(__aarch64__)
__asm__(".text\n.globl dlsym\n.type dlsym, %function\n"
        "dlsym:\n"
        "    add x9, x0, #1\n"
        "    cmp x9, #1\n"
        "    b.hi trace_dlsym\n"
        "    stp x0, x1, [sp, #-32]!\n"
        "    str x30, [sp, #16]\n"
        "    bl trace_dlsym_of_system\n"
        "    mov x16, x0\n"
        "    ldr x30, [sp, #16]\n"
        "    ldp x0, x1, [sp], #32\n"
        "    br x16\n"
        ".size dlsym, .-dlsym\n");
#endif

/* The system's own functions that start a program. */
typedef int execute(const char *path, char *const arguments[], char *const environment[]);
typedef int execute_here(const char *path, char *const arguments[]);
typedef int spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                  const posix_spawnattr_t *attributes, char *const arguments[],
                  char *const environment[]);

static execute *real_execve, *real_execvpe;
static execute_here *real_execv, *real_execvp;
static spawn *real_spawn, *real_spawnp;

/* They are looked up before there is a child, in which another thread may hold the loader's lock.
 */
static void find_functions(void) {
    look_up *system = trace_dlsym_of_system();
    if (system == NULL || real_execve != NULL)
        return;
    real_execvpe = (execute *)system(RTLD_NEXT, "execvpe");
    real_execv = (execute_here *)system(RTLD_NEXT, "execv");
    real_execvp = (execute_here *)system(RTLD_NEXT, "execvp");
    real_spawn = (spawn *)system(RTLD_NEXT, "posix_spawn");
    real_spawnp = (spawn *)system(RTLD_NEXT, "posix_spawnp");
    real_execve = (execute *)system(RTLD_NEXT, "execve");
}

WRAPPER int execve(const char *path, char *const arguments[], char *const environment[]) {
    find_functions();
    note('X', path);
    return real_execve(path, arguments, environment);
}

WRAPPER int execvpe(const char *path, char *const arguments[], char *const environment[]) {
    find_functions();
    note('X', path);
    return real_execvpe(path, arguments, environment);
}

WRAPPER int execv(const char *path, char *const arguments[]) {
    find_functions();
    note('X', path);
    return real_execv(path, arguments);
}

WRAPPER int execvp(const char *path, char *const arguments[]) {
    find_functions();
    note('X', path);
    return real_execvp(path, arguments);
}

WRAPPER int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const arguments[],
                        char *const environment[]) {
    find_functions();
    note('X', path);
    return real_spawn(child, path, actions, attributes, arguments, environment);
}

WRAPPER int posix_spawnp(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const arguments[],
                         char *const environment[]) {
    find_functions();
    note('X', path);
    return real_spawnp(child, path, actions, attributes, arguments, environment);
}

__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("CUPEL_TRACE_DIR");
    Dl_info own;
    find_functions();
    if (given == NULL || given[0] != '/' || dladdr(home, &own) == 0 || own.dli_fname == NULL)
        return;
    const char *slash = strrchr(own.dli_fname, '/');
    size_t folder = slash != NULL ? (size_t)(slash - own.dli_fname) + 1 : 0;
    if (folder >= sizeof(home) || strlen(given) + sizeof("/objects") > sizeof(list))
        return;
    memcpy(home, own.dli_fname, folder);
    snprintf(list, sizeof(list), "%s/objects", given);
    note_objects();
}

/* Objects that were loaded without asking for a function by name. */
__attribute__((destructor)) static void end(void) {
    note_objects();
}
