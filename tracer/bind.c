/* bind.c: the system's own functions, found in the loader's tables. */

#define _GNU_SOURCE
#include "process.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
