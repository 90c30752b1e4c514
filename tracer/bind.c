/* bind.c: objects that were opened with RTLD_DEEPBIND.
 *
 * Such an object takes a function from the libraries that it names itself, and not from the
 * tracer, which is loaded before them. Its table of functions is changed afterwards: each that it
 * wants from a counted library becomes the tracer's. The loader's tables are read without its
 * locks, because it holds one while it lists the objects. */

#define _GNU_SOURCE
#include "process.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define IS_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#define IS_SLOT(type) false
#endif

/* The tables of an object that the loader reads. */
struct tables {
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash;
    const ElfW(Half) * versions;
    const ElfW(Verneed) * needs;
    const ElfW(Rela) * slots[2];
    size_t bytes[2];
};

static const void *at(uintptr_t base, ElfW(Addr) address) {
    /* Most loaders have changed it already. */
    return (const void *)(address < base ? base + address : address);
}

static bool read_tables(const struct dl_phdr_info *info, struct tables *tables) {
    const ElfW(Dyn) *entry = NULL;
    memset(tables, 0, sizeof(*tables));
    tables->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        const void *pointer = at(info->dlpi_addr, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            tables->symbols = pointer;
            break;
        case DT_STRTAB:
            tables->names = pointer;
            break;
        case DT_GNU_HASH:
            tables->hash = pointer;
            break;
        case DT_VERSYM:
            tables->versions = pointer;
            break;
        case DT_VERNEED:
            tables->needs = pointer;
            break;
        case DT_RELA:
            tables->slots[0] = pointer;
            break;
        case DT_RELASZ:
            tables->bytes[0] = entry->d_un.d_val;
            break;
        case DT_JMPREL:
            tables->slots[1] = pointer;
            break;
        case DT_PLTRELSZ:
            tables->bytes[1] = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
    return tables->symbols != NULL && tables->names != NULL;
}

/* The function of this name that an object has. */
static void *function_in(const struct tables *tables, const char *name) {
    const uint32_t *head = tables->hash;
    if (head == NULL || head[0] == 0)
        return NULL;
    uint32_t hash = 5381;
    for (const char *c = name; *c != 0; c++)
        hash = hash * 33 + (unsigned char)*c;
    const uint32_t *buckets = (const uint32_t *)((const ElfW(Addr) *)(head + 4) + head[2]);
    const uint32_t *chain = buckets + head[0];
    uint32_t i = buckets[hash % head[0]];
    for (bool is_last = i < head[1]; !is_last; i++) {
        const ElfW(Sym) *symbol = &tables->symbols[i];
        is_last = (chain[i - head[1]] & 1) != 0;
        if ((chain[i - head[1]] | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
            strcmp(tables->names + symbol->st_name, name) == 0)
            return (void *)(tables->base + symbol->st_value);
    }
    return NULL;
}

static const char *file_name(const char *path) {
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    return slash != NULL ? slash + 1 : path != NULL ? path : "";
}

static bool begins(const char *text, const char *begin) {
    return strncmp(text, begin, strlen(begin)) == 0;
}

#ifdef __GLIBC__
static int find_dlsym(struct dl_phdr_info *info, size_t size, void *found) {
    (void)size;
    struct tables tables;
    const char *name = file_name(info->dlpi_name);
    if ((!begins(name, "libc.so.") && !begins(name, "libdl.so.")) || !read_tables(info, &tables))
        return 0;
    *(void **)found = function_in(&tables, "dlsym");
    return *(void **)found != NULL;
}
#endif

/* Without a call of a function that is the tracer's, too. */
void *process_system(const char *name) {
    typedef void *look_up(void *handle, const char *name);
    static look_up *found;
    look_up *dlsym_of_system = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (dlsym_of_system == NULL) {
#ifdef __GLIBC__
        void *address = NULL;
        dl_iterate_phdr(find_dlsym, &address);
        dlsym_of_system = (look_up *)address;
#else
        dlsym_of_system = dlsym;
#endif
        __atomic_store_n(&found, dlsym_of_system, __ATOMIC_RELAXED);
    }
    if (dlsym_of_system == NULL || strcmp(name, "dlsym") == 0)
        return (void *)dlsym_of_system;
    return dlsym_of_system(RTLD_NEXT, name);
}

/* The tracer's objects. */
static struct tables wrappers[4];
static size_t wrapper_count;

static void *wrapper_of(const char *name) {
    void *found = NULL;
    for (size_t i = 0; i < wrapper_count && found == NULL; i++)
        found = function_in(&wrappers[i], name);
    return found;
}

static int find_wrappers(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    const char *name = file_name(info->dlpi_name);
    if (info->dlpi_name == NULL || !begins(info->dlpi_name, process_home))
        return 0;
    /* No library has the functions of process.so. */
    if (begins(name, "process.so") || wrapper_count == sizeof(wrappers) / sizeof(wrappers[0]))
        return 0;
    wrapper_count += read_tables(info, &wrappers[wrapper_count]);
    return 0;
}

/* Whether an object wants this symbol from a library whose calls are counted. */
static bool is_of_counted(const struct tables *tables, size_t symbol) {
    if (tables->versions == NULL || tables->needs == NULL)
        return false;
    ElfW(Half) version = tables->versions[symbol] & 0x7fff;
    const ElfW(Verneed) *need = tables->needs;
    for (;;) {
        const char *file = tables->names + need->vn_file;
        const ElfW(Vernaux) *one = (const ElfW(Vernaux) *)((const char *)need + need->vn_aux);
        for (int i = 0; i < need->vn_cnt; i++) {
            if ((one->vna_other & 0x7fff) == version)
                return begins(file, "libcrypto.so.3") || begins(file, "libgcrypt.so.20");
            one = (const ElfW(Vernaux) *)((const char *)one + one->vna_next);
        }
        if (need->vn_next == 0)
            return false;
        need = (const ElfW(Verneed) *)((const char *)need + need->vn_next);
    }
}

static void set(void **slot, void *function, const struct dl_phdr_info *info) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *begin = (void *)((uintptr_t)slot / page * page);
    bool is_fixed = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_GNU_RELRO && (uintptr_t)slot - from < part->p_memsz)
            is_fixed = true;
    }
    if (is_fixed && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0)
        return;
    __atomic_store_n(slot, function, __ATOMIC_RELEASE);
    if (is_fixed)
        mprotect(begin, page, PROT_READ);
}

/* How many objects had been loaded at the last time, and are now. */
static unsigned long long bound, added;

static int bind_object(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    struct tables tables;
    added = info->dlpi_adds;
    if (added == bound)
        return 1;
    if (info->dlpi_name != NULL && begins(info->dlpi_name, process_home))
        return 0;
    if (!read_tables(info, &tables))
        return 0;
    for (size_t part = 0; part < 2; part++) {
        for (size_t i = 0; i < tables.bytes[part] / sizeof(ElfW(Rela)); i++) {
            const ElfW(Rela) *entry = &tables.slots[part][i];
            size_t symbol = ELF64_R_SYM(entry->r_info);
            if (!IS_SLOT(ELF64_R_TYPE(entry->r_info)) || !is_of_counted(&tables, symbol))
                continue;
            void **slot = (void **)(tables.base + entry->r_offset);
            void *function = wrapper_of(tables.names + tables.symbols[symbol].st_name);
            if (function != NULL && *slot != function)
                set(slot, function, info);
        }
    }
    return 0;
}

static bool is_deep;

void process_binds_deeply(void) {
    __atomic_store_n(&is_deep, true, __ATOMIC_RELEASE);
}

void process_bind(void) {
    static bool is_busy;
    if (!__atomic_load_n(&is_deep, __ATOMIC_ACQUIRE) || process_home[0] == 0)
        return;
    if (__atomic_test_and_set(&is_busy, __ATOMIC_ACQUIRE))
        return;
    if (wrapper_count == 0)
        dl_iterate_phdr(find_wrappers, NULL);
    dl_iterate_phdr(bind_object, NULL);
    bound = added;
    __atomic_clear(&is_busy, __ATOMIC_RELEASE);
}
