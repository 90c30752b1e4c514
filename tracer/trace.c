/* trace.c: the file of this process, its threads' tables, the clocks, and the library's functions.
 *
 * The state of one process lies in a page that the kernel clears in the child of a fork, however
 * the child was made. A cleared page is how a child sees that it needs its own file; locks of
 * threads that the child does not have are cleared with it.
 *
 * The file is mapped shared, so all counts until then survive if the process is killed. Its space
 * is allocated before it is mapped: a full disk is an error here, and no signal later. */

#define _GNU_SOURCE
#include "trace.h"
#include "file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Slots of a thread's first, second, ... table: with the table's head they fill whole pages. */
static const uint32_t table_slots[] = {848, 3408, 13648};
#define LARGEST               2

/* The first calls of a table are all timed. */
#define FIRST_CALLS           128
/* One in INTERVAL of the others, on average. */
#define INTERVAL              64
/* A sample that took longer was interrupted: 50 us, and 8 ns for each byte. */
#define DISTURBED_NS          50000
#define DISTURBED_NS_PER_BYTE 8

enum { NOT_TIMED, EXACT, SAMPLED, DISTURBED };

struct process {
    /* 0 until there is a file; never the same in two processes of one family. */
    uint32_t generation;
    uint32_t lock;
    struct file_header *header;
    /* The newest table of this process. A new thread takes one that is free. */
    struct file_table *newest;
    char path[256];
};

struct thread {
    struct file_table *table;
    uint32_t generation;
    /* How deep in wrappers. Only the outermost counts. */
    uint32_t depth;
    /* The size of the table, as an index of `table_slots`. */
    uint32_t size;
    uint32_t first;
    uint32_t until;
    uint32_t random;
    /* The last call: how it was timed, and how long it took. */
    uint8_t how;
    uint64_t ns;
};

static struct process *process;
static __thread struct thread self;
static pthread_key_t end_of_thread;
static size_t page;
static const char *folder;
static uint32_t next_generation = 1;
/* Outside the process's page: the child of a fork that may not make a file, because it has become
 * another user, counts the calls that it loses in this one. */
static struct file_header *last_header;

/* Outside the process's page: the child of a fork keeps the names' indices. */
static char names[FILE_NAMES][FILE_NAME];
static uint32_t name_count;

/* The code of the library and of this object: a call from there is not the program's. It comes from
 * here if the library ended a call that was only passed on with a jump to another function. */
struct code {
    uintptr_t begin, bytes, address;
};
static struct code library, own;

static inline bool is_in(const struct code *code, const void *address) {
    return (uintptr_t)address - code->begin < code->bytes;
}

/* The time of reading the clocks, in ns. */
static int64_t monotonic_ns, thread_ns;

static int64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The time that one reading of a clock adds to a span: the least of a few. */
static int64_t reading(clockid_t clock) {
    int64_t least = INT64_MAX;
    for (int i = 0; i < 16; i++) {
        int64_t start = now(clock);
        int64_t taken = now(clock) - start;
        if (taken < least)
            least = taken;
    }
    return least;
}

static void lock(void) {
    while (__atomic_exchange_n(&process->lock, 1, __ATOMIC_ACQUIRE) != 0)
        sched_yield();
}

static void unlock(void) {
    __atomic_store_n(&process->lock, 0, __ATOMIC_RELEASE);
}

/* Adds bytes to the file, in whole pages, and maps them. */
static void *grow(int file, size_t bytes) {
    struct stat now;
    struct rlimit limit;
    bytes = (bytes + page - 1) / page * page;
    if (fstat(file, &now) != 0 || getrlimit(RLIMIT_FSIZE, &limit) != 0)
        return NULL;
    /* Beyond the limit for files there is a signal, not only an error. */
    if (limit.rlim_cur != RLIM_INFINITY && (rlim_t)now.st_size + bytes > limit.rlim_cur)
        return NULL;
    if (posix_fallocate(file, now.st_size, (off_t)bytes) != 0)
        return NULL;
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, now.st_size);
    return mapped == MAP_FAILED ? NULL : mapped;
}

/* The program shows in which language the caller is written: Python's calls libraries for scripts.
 */
static void name_program(struct file_header *header) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length <= 0)
        return;
    path[length] = 0;
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t bytes = strnlen(name, sizeof(header->program) - 1);
    memcpy(header->program, name, bytes);
}

/* Makes the file of this process. A process that replaced its program has a file already. */
static void begin_process(void) {
    int file = -1;
    for (int i = 0; i < 10000 && file < 0; i++) {
        int length = snprintf(process->path, sizeof(process->path), "%s/%d.%d.%s", folder,
                              (int)getpid(), i, trace_family);
        if (length < 0 || (size_t)length >= sizeof(process->path))
            return;
        file = open(process->path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0 && errno != EEXIST)
            return;
    }
    if (file < 0)
        return;
    struct file_header *header = grow(file, sizeof(*header));
    close(file);
    if (header == NULL)
        return;
    name_program(header);
    header->process = (uint32_t)getpid();
    header->page = (uint32_t)page;
    strncpy(header->family, trace_family, sizeof(header->family) - 1);
    memcpy(header->names, names, sizeof(names));
    memcpy(header->magic, FILE_MAGIC, sizeof(header->magic));
    process->header = header;
    last_header = header;
}

/* A table for this thread: a free one of this size, or a new one. */
static struct file_table *take_table(uint32_t size) {
    if (process->header == NULL)
        return NULL;
    for (struct file_table *table = process->newest; table != NULL; table = table->before)
        if (table->slots == table_slots[size] &&
            __atomic_exchange_n(&table->is_taken, 1, __ATOMIC_ACQUIRE) == 0)
            return table;
    int file = open(process->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return NULL;
    size_t bytes = sizeof(struct file_table) + table_slots[size] * sizeof(struct file_slot);
    struct file_table *table = grow(file, bytes);
    close(file);
    if (table == NULL)
        return NULL;
    table->slots = table_slots[size];
    table->is_taken = 1;
    table->before = process->newest;
    memcpy(table->magic, "TABL", 4);
    process->newest = table;
    return table;
}

static void give_back(struct file_table *table) {
    __atomic_store_n(&table->is_taken, 0, __ATOMIC_RELEASE);
}

static void at_end_of_thread(void *table) {
    /* After a fork it is a table of the parent. */
    if (self.table == table && self.generation == process->generation)
        give_back(table);
    memset(&self, 0, sizeof(self));
}

/* This thread's first call, in this process. */
static void begin_thread(void) {
    int error = errno;
    uint32_t depth = self.depth;
    lock();
    if (process->generation == 0) {
        begin_process();
        process->generation = __atomic_fetch_add(&next_generation, 1, __ATOMIC_RELAXED);
    }
    memset(&self, 0, sizeof(self));
    self.table = take_table(0);
    self.generation = process->generation;
    unlock();
    self.depth = depth;
    self.first = FIRST_CALLS;
    self.random = (uint32_t)(uintptr_t)&self ^ (uint32_t)getpid() ^ 0x9e3779b9u;
    if (self.table != NULL)
        pthread_setspecific(end_of_thread, self.table);
    errno = error;
}

static uint32_t next_interval(void) {
    uint32_t x = self.random | 1;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    self.random = x;
    return 1 + x % (2 * INTERVAL - 1);
}

bool trace_is_outermost(const void *caller) {
    return process != NULL && self.depth == 0 && !is_in(&library, caller) && !is_in(&own, caller);
}

bool trace_enter(struct span *span, size_t bytes, const void *caller) {
    if (!trace_is_outermost(caller))
        return false;
    if (__builtin_expect(self.generation != process->generation || self.generation == 0, 0))
        begin_thread();
    self.depth = 1;
    span->how = NOT_TIMED;
    if (__builtin_expect(self.first > 0 || bytes >= LONG_CALL, 0)) {
        self.first -= self.first > 0;
        span->how = EXACT;
        span->start = now(CLOCK_THREAD_CPUTIME_ID);
    } else if (__builtin_expect(self.until-- == 0, 0)) {
        self.until = next_interval() - 1;
        span->how = SAMPLED;
        span->start = now(CLOCK_MONOTONIC);
    }
    return true;
}

/* Adds the last call, or with -1 takes it away again. */
static inline void add_time(struct file_time *time, uint64_t sign) {
    if (self.how == EXACT) {
        time->exact_ns += sign * self.ns;
        return;
    }
    time->calls += sign;
    if (self.how == SAMPLED) {
        time->sampled_ns += sign * self.ns;
        time->samples += sign;
    } else if (self.how == DISTURBED) {
        time->disturbed += sign;
    }
}

void trace_leave(const struct span *span, size_t bytes) {
    struct file_table *table = self.table;
    int64_t taken = 0;
    if (span->how == EXACT)
        taken = now(CLOCK_THREAD_CPUTIME_ID) - span->start - thread_ns;
    else if (span->how == SAMPLED)
        taken = now(CLOCK_MONOTONIC) - span->start - monotonic_ns;
    self.depth = 0;
    if (__builtin_expect(table == NULL, 0))
        return;
    self.ns = taken > 0 ? (uint64_t)taken : 0;
    self.how = span->how;
    if (span->how == SAMPLED && self.ns > DISTURBED_NS + DISTURBED_NS_PER_BYTE * (uint64_t)bytes)
        self.how = DISTURBED;
    add_time(&table->time[CATALOGUE], 1);
}

void trace_is_other(void) {
    if (self.table == NULL)
        return;
    add_time(&self.table->time[CATALOGUE], (uint64_t)-1);
    add_time(&self.table->time[OTHERS], 1);
}

/* The slot of a key; NULL if the table is too full for another key. A quarter is kept free, so that
 * probing is short. `reserve` takes from that quarter. */
static struct file_slot *slot_of(struct file_table *table, uint64_t key, uint64_t shape,
                                 bool reserve) {
    uint64_t both = key ^ shape * 0xff51afd7ed558ccdu;
    uint64_t mixed = (both ^ both >> 29) * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)((mixed >> 32) * table->slots >> 32);
    for (;;) {
        struct file_slot *slot = &table->slot[at];
        if (slot->key == key && slot->shape == shape)
            return slot;
        if (slot->key == 0)
            break;
        at = at + 1 == table->slots ? 0 : at + 1;
    }
    if (table->used >= table->slots / 4 * 3 + (reserve ? table->slots / 8 : 0))
        return NULL;
    table->used++;
    table->slot[at].shape = shape;
    table->slot[at].key = key;
    return &table->slot[at];
}

/* A larger table for this thread. The smaller one is done: counts of both are added later. */
static bool larger_table(void) {
    int error = errno;
    struct file_table *table = NULL;
    lock();
    if (self.size < LARGEST)
        table = take_table(self.size + 1);
    unlock();
    errno = error;
    if (table == NULL)
        return false;
    give_back(self.table);
    self.table = table;
    self.size++;
    pthread_setspecific(end_of_thread, table);
    return true;
}

static void lose(void) {
    struct file_header *header = process->header != NULL ? process->header : last_header;
    if (header != NULL)
        __atomic_fetch_add(&header->lost, 1, __ATOMIC_RELAXED);
}

static uint64_t power_below(uint64_t number) {
    return number == 0 ? 0 : (uint64_t)1 << (63 - __builtin_clzll(number));
}

static uint64_t packed(struct shape shape) {
    return (uint64_t)shape.pieces << SHAPE_PIECES | shape.ad;
}

static void count(uint64_t kind, uint64_t bytes, struct shape shape) {
    if (self.table == NULL) {
        lose();
        return;
    }
    uint64_t largest = (uint64_t)1 << 40;
    bytes = bytes > largest ? largest : bytes;
    kind |= (uint64_t)1 << KEY_SET;
    struct file_slot *slot = slot_of(self.table, kind | bytes, packed(shape), false);
    while (slot == NULL && larger_table())
        slot = slot_of(self.table, kind | bytes, packed(shape), false);
    if (slot == NULL) {
        uint64_t rounded = power_below(bytes);
        struct shape about = {(uint32_t)power_below(shape.pieces), (uint32_t)power_below(shape.ad)};
        slot = slot_of(self.table, kind | rounded, packed(about), true);
        __atomic_fetch_add(&process->header->rounded, rounded != bytes, __ATOMIC_RELAXED);
    }
    if (slot != NULL)
        slot->count++;
    else
        lose();
}

void trace_count(name_t name, enum operation operation, struct shape shape, enum key key,
                 uint64_t bytes) {
    count((uint64_t)name << KEY_NAME | (uint64_t)operation << KEY_OPERATION |
              (uint64_t)key << KEY_KEY,
          bytes, shape);
}

void trace_count_unknown(name_t name) {
    trace_is_other();
    if (name == NO_NAME)
        lose();
    else
        count((uint64_t)name << KEY_NAME | (uint64_t)UNKNOWN << KEY_OPERATION, 0, UNKNOWN_PIECES);
}

name_t trace_unknown(const char *name) {
    char written[FILE_NAME] = "?";
    strncpy(written + 1, name != NULL ? name : "a function without a name", FILE_NAME - 2);
    lock();
    uint32_t at = (uint32_t)trace_primitive_count;
    while (at < name_count && strcmp(names[at], written) != 0)
        at++;
    if (at == name_count && at < FILE_NAMES) {
        memcpy(names[at], written, FILE_NAME);
        name_count++;
        if (process->header != NULL)
            memcpy(process->header->names[at], written, FILE_NAME);
    }
    unlock();
    return at < FILE_NAMES ? (name_t)at : NO_NAME;
}

/* The path of the loaded library, for one that only a module of the program sees. */
static int find_library(struct dl_phdr_info *info, size_t size, void *found) {
    (void)size;
    const char *path = info->dlpi_name;
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash == NULL || strncmp(slash + 1, trace_library, strlen(trace_library)) != 0)
        return 0;
    strncpy(found, path, PATH_MAX - 1);
    return 1;
}

/* Notes the code of the object that has the address in it. */
static int note_code(struct dl_phdr_info *info, size_t size, void *noted) {
    (void)size;
    struct code *code = noted;
    uintptr_t begin = 0, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
            continue;
        uintptr_t from = info->dlpi_addr + part->p_vaddr;
        begin = begin == 0 ? from : begin;
        end = from + part->p_memsz;
    }
    if (code->address < begin || code->address >= end)
        return 0;
    code->begin = begin;
    code->bytes = end - begin;
    return 1;
}

void *trace_real(const char *function) {
    int error = errno;
    void *real = dlsym(RTLD_NEXT, function);
    if (real == NULL) {
        char path[PATH_MAX] = "";
        if (dl_iterate_phdr(find_library, path) != 0) {
            void *loaded = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
            if (loaded != NULL) {
                real = dlsym(loaded, function);
                dlclose(loaded);
            }
        }
    }
    if (real != NULL && library.bytes == 0) {
        library.address = (uintptr_t)real;
        dl_iterate_phdr(note_code, &library);
    }
    errno = error;
    return real;
}

static void in_child(void) {
    memset(process, 0, sizeof(*process));
}

/* Loading: the file of this process shows that it is traced, even if it calls nothing. */
__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("CUPEL_TRACE_DIR");
    if (given == NULL || given[0] != '/')
        return;
    /* The program may change its environment. */
    folder = strdup(given);
    page = (size_t)sysconf(_SC_PAGESIZE);
    void *private = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (folder == NULL || private == MAP_FAILED ||
        pthread_key_create(&end_of_thread, at_end_of_thread))
        return;
    for (name_count = 0; name_count < trace_primitive_count; name_count++)
        strncpy(names[name_count], trace_primitives[name_count], FILE_NAME - 1);
    monotonic_ns = reading(CLOCK_MONOTONIC);
    thread_ns = reading(CLOCK_THREAD_CPUTIME_ID);
    own.address = (uintptr_t)begin;
    dl_iterate_phdr(note_code, &own);
    process = private;
    if (madvise(private, page, MADV_WIPEONFORK) != 0)
        pthread_atfork(NULL, NULL, in_child);
    begin_process();
    process->generation = __atomic_fetch_add(&next_generation, 1, __ATOMIC_RELAXED);
}
