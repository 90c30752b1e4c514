/* process.c: other facts on a process, so that nothing is left out in silence.
 *
 * Functions that the program takes from a handle of `dlopen` are the tracer's, too: such a program
 * never looks at preloaded objects. And a list is kept of all files with code that a process loads,
 * and of all programs that it starts (start.c): the tool looks into them for libraries of which no
 * call can be counted, and finds the programs that ran without the tracer. */

#define _GNU_SOURCE
#include "process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

char process_list[PATH_MAX];
char process_home[PATH_MAX];

/* A page of all processes, for lines of one that can no longer open the list: it has become another
 * user, or has another root. */
#define PAGE 4096
struct page {
    uint32_t used;
    char lines[PAGE - sizeof(uint32_t)];
};
static struct page *page;

static void note_in_page(const char *line, size_t length) {
    if (page == NULL)
        return;
    uint32_t at = __atomic_fetch_add(&page->used, (uint32_t)length, __ATOMIC_RELAXED);
    if (at < sizeof(page->lines) && length <= sizeof(page->lines) - at)
        memcpy(page->lines + at, line, length);
}

static void begin_page(const char *folder) {
    char path[PATH_MAX];
    struct stat now;
    struct rlimit limit;
    if ((size_t)snprintf(path, sizeof(path), "%s/page", folder) >= sizeof(path))
        return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return;
    if (fstat(file, &now) == 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
        (now.st_size == PAGE || limit.rlim_cur >= PAGE) && posix_fallocate(file, 0, PAGE) == 0) {
        void *mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        page = mapped == MAP_FAILED ? NULL : mapped;
    }
    close(file);
}

void process_note(char kind, pid_t process, const char *path) {
    char line[PATH_MAX + 32];
    size_t length = path == NULL ? 0 : strnlen(path, PATH_MAX);
    if (process_list[0] == 0 || length == 0 || length == PATH_MAX || strchr(path, '\n') != NULL)
        return;
    char digits[12];
    size_t at = 0, count = 0;
    for (unsigned rest = (unsigned)process; rest > 0 && count < sizeof(digits); rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    line[at++] = kind;
    line[at++] = ' ';
    while (count > 0)
        line[at++] = digits[--count];
    line[at++] = ' ';
    memcpy(line + at, path, length);
    at += length;
    line[at++] = '\n';
    int file = open(process_list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        note_in_page(line, at);
        return;
    }
    struct stat now;
    struct rlimit limit;
    /* Beyond the limit for files there is a signal, not only an error. */
    if (fstat(file, &now) == 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
        (limit.rlim_cur == RLIM_INFINITY || (rlim_t)now.st_size + at <= limit.rlim_cur)) {
        ssize_t written = write(file, line, at);
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
    if (info->dlpi_name != NULL && info->dlpi_name[0] == '/')
        process_note('L', getpid(), info->dlpi_name);
    return 0;
}

static int note_adds(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    added = info->dlpi_adds;
    return 1;
}

static void note_objects(void) {
    if (process_list[0] == 0 || __atomic_test_and_set(&is_noting, __ATOMIC_ACQUIRE))
        return;
    dl_iterate_phdr(note_object, NULL);
    dl_iterate_phdr(note_adds, NULL);
    __atomic_clear(&is_noting, __ATOMIC_RELEASE);
}

/* Whether an address is in the code of the tracer: one of its objects, or the program that measures
 * their cost. */
static bool is_tracer(const void *address) {
    Dl_info info;
    if (process_home[0] == 0 || dladdr(address, &info) == 0 || info.dli_fname == NULL)
        return false;
    return strncmp(info.dli_fname, process_home, strlen(process_home)) == 0;
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

typedef void *look_up(void *handle, const char *name);
typedef void *look_up_version(void *handle, const char *name, const char *version);
typedef void *open_object(const char *path, int flags);

/* Whether a handle belongs to a namespace of dlmopen: the tracer would call another copy of the
 * library than the program wants. */
static bool is_in_namespace(void *handle) {
#ifdef __GLIBC__
    Lmid_t space = LM_ID_BASE;
    return dlinfo(handle, RTLD_DI_LMID, &space) == 0 && space != LM_ID_BASE;
#else
    (void)handle;
    return false;
#endif
}

/* The tracer's function in the place of one that was found in a counted library, if there is one.
 * The tracer itself gets the library's. */
static void *redirected(void *found, void *handle, const char *name, const void *caller) {
    if (found == NULL || process_list[0] == 0)
        return found;
    note_objects();
    process_bind();
    if (!has_wrapper(name) || !is_counted(found) || is_in_namespace(handle) || is_tracer(caller))
        return found;
    void *wrapper = ((look_up *)process_system("dlsym"))(RTLD_DEFAULT, name);
    if (wrapper == NULL)
        dlerror();
    return wrapper != NULL && is_tracer(wrapper) ? wrapper : found;
}

static void *dlsym_of_handle(void *handle, const char *name) {
    void *found = ((look_up *)process_system("dlsym"))(handle, name);
    return redirected(found, handle, name, __builtin_return_address(0));
}

static void *dlvsym_of_handle(void *handle, const char *name, const char *version) {
    void *found = ((look_up_version *)process_system("dlvsym"))(handle, name, version);
    return redirected(found, handle, name, __builtin_return_address(0));
}

/* RTLD_DEFAULT (0) and RTLD_NEXT (-1) are about the caller, so the system's function must see that
 * one and not this object. They find the tracer's functions by themselves. */
static bool is_about_caller(const void *handle) {
    return handle == RTLD_DEFAULT || handle == RTLD_NEXT;
}

static void *opened_deeply(const char *path, int flags) {
    void *handle = ((open_object *)process_system("dlopen"))(path, flags);
    process_bind();
    return handle;
}

/* The functions that continue a call of the program. */
#define BEFORE __attribute__((visibility("hidden"), used))

BEFORE void *process_before_dlsym(void *handle) {
    return is_about_caller(handle) ? process_system("dlsym") : (void *)dlsym_of_handle;
}

BEFORE void *process_before_dlvsym(void *handle) {
    return is_about_caller(handle) ? process_system("dlvsym") : (void *)dlvsym_of_handle;
}

BEFORE void *process_before_dlopen(const char *path, int flags) {
    if ((flags & RTLD_DEEPBIND) == 0)
        return process_system("dlopen");
    process_binds_deeply();
    /* The loader searches another name as the caller says. Then the next dlsym does the rest. */
    if (path == NULL || strchr(path, '/') == NULL || strchr(path, '$') != NULL)
        return process_system("dlopen");
    return (void *)opened_deeply;
}

BEFORE void *process_before_dlmopen(Lmid_t space, const char *path) {
    if (space != LM_ID_BASE && path != NULL)
        process_note('N', getpid(), path);
    return process_system("dlmopen");
}

/* A function that calls the one above with its arguments, and jumps to the address that it returns:
 * so the system's function sees the program as its caller. */
#if defined(__GLIBC__) && defined(__x86_64__)
#define JUMP(name)                                                                                 \
    __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                    \
            "    pushq %rdi\n"                                                                     \
            "    pushq %rsi\n"                                                                     \
            "    pushq %rdx\n"                                                                     \
            "    call process_before_" #name "\n"                                                  \
            "    popq %rdx\n"                                                                      \
            "    popq %rsi\n"                                                                      \
            "    popq %rdi\n"                                                                      \
            "    jmp *%rax\n"                                                                      \
            ".size " #name ", .-" #name "\n")
#elif defined(__GLIBC__) && defined(__aarch64__)
#define JUMP(name)                                                                                 \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n"                    \
            "    stp x0, x1, [sp, #-32]!\n"                                                        \
            "    stp x2, x30, [sp, #16]\n"                                                         \
            "    bl process_before_" #name "\n"                                                    \
            "    mov x16, x0\n"                                                                    \
            "    ldp x2, x30, [sp, #16]\n"                                                         \
            "    ldp x0, x1, [sp], #32\n"                                                          \
            "    br x16\n"                                                                         \
            ".size " #name ", .-" #name "\n")
#endif
#ifdef JUMP
JUMP(dlsym);
JUMP(dlvsym);
JUMP(dlopen);
JUMP(dlmopen);
#endif

/* The file of the program, as the process itself sees it. */
static void note_program(void) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length <= 0)
        return;
    path[length] = 0;
    process_note('S', getpid(), path);
}

__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("CUPEL_TRACE_DIR");
    Dl_info own;
    if (given == NULL || given[0] != '/' || dladdr(process_home, &own) == 0 ||
        own.dli_fname == NULL)
        return;
    const char *slash = strrchr(own.dli_fname, '/');
    size_t folder = slash != NULL ? (size_t)(slash - own.dli_fname) + 1 : 0;
    if (folder >= PATH_MAX || strlen(given) + sizeof("/objects") > PATH_MAX)
        return;
    memcpy(process_home, own.dli_fname, folder);
    process_begin_start(given);
    snprintf(process_list, PATH_MAX, "%s/objects", given);
    begin_page(given);
    note_program();
    note_objects();
}

/* Objects that were loaded without asking for a function by name. */
__attribute__((destructor)) static void end(void) {
    note_objects();
}
