/* Hides features of an x86-64 CPU from the process that preloads this object.
 *
 * CUPEL_HIDE names them as /proc/cpuinfo does, with commas between: "sha_ni,vaes". Features that
 * need a hidden one are hidden too. The kernel makes CPUID fault in this process, and the handler
 * of the fault executes the instruction and removes the hidden features. So every library that asks
 * the CPU takes the code that it has for a lesser one, and the code itself is the library's own,
 * unchanged.
 *
 * Code that asked before this object was loaded, such as the C library for its memcpy, keeps its
 * answer. A process from which nothing can be hidden ends at once: it would be measured under a
 * false name. */

#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { SET_CPUID = 0x1012 }; /* ARCH_SET_CPUID of <asm/prctl.h> */
enum { FAULTS = 0, WORKS = 1 };

enum { EAX, EBX, ECX, EDX };

struct feature {
    const char *name;
    uint32_t leaf, subleaf;
    int reg, bit;
    const char *needs[2]; /* features above this one */
};

/* Intel's Software Developer's Manual, volume 2A, CPUID. A feature needs the others that its code
 * also uses: no CPU has VAES without AVX2. */
static const struct feature FEATURES[] = {
    {"ssse3", 1, 0, ECX, 9, {0}},
    {"sse4_1", 1, 0, ECX, 19, {"ssse3"}},
    {"sse4_2", 1, 0, ECX, 20, {"sse4_1"}},
    {"movbe", 1, 0, ECX, 22, {0}},
    {"aes", 1, 0, ECX, 25, {0}},
    {"pclmulqdq", 1, 0, ECX, 1, {0}},
    {"avx", 1, 0, ECX, 28, {"sse4_2"}},
    {"f16c", 1, 0, ECX, 29, {"avx"}},
    {"fma", 1, 0, ECX, 12, {"avx"}},
    {"bmi1", 7, 0, EBX, 3, {0}},
    {"bmi2", 7, 0, EBX, 8, {0}},
    {"adx", 7, 0, EBX, 19, {0}},
    {"sha_ni", 7, 0, EBX, 29, {"sse4_1"}},
    {"gfni", 7, 0, ECX, 8, {0}},
    {"avx2", 7, 0, EBX, 5, {"avx"}},
    {"sha512", 7, 1, EAX, 0, {"avx2"}},
    {"vaes", 7, 0, ECX, 9, {"avx2", "aes"}},
    {"vpclmulqdq", 7, 0, ECX, 10, {"avx2", "pclmulqdq"}},
    {"avx_vnni", 7, 1, EAX, 4, {"avx2"}},
    {"avx_ifma", 7, 1, EAX, 23, {"avx2"}},
    {"avx512f", 7, 0, EBX, 16, {"avx2"}},
    {"avx512dq", 7, 0, EBX, 17, {"avx512f"}},
    {"avx512ifma", 7, 0, EBX, 21, {"avx512f"}},
    {"avx512cd", 7, 0, EBX, 28, {"avx512f"}},
    {"avx512bw", 7, 0, EBX, 30, {"avx512f"}},
    {"avx512vl", 7, 0, EBX, 31, {"avx512f"}},
    {"avx512vbmi", 7, 0, ECX, 1, {"avx512f"}},
    {"avx512_vbmi2", 7, 0, ECX, 6, {"avx512f"}},
    {"avx512_vnni", 7, 0, ECX, 11, {"avx512f"}},
    {"avx512_bitalg", 7, 0, ECX, 12, {"avx512f"}},
    {"avx512_vpopcntdq", 7, 0, ECX, 14, {"avx512f"}},
    {"avx512_vp2intersect", 7, 0, EDX, 8, {"avx512f"}},
    {"avx512_fp16", 7, 0, EDX, 23, {"avx512f"}},
    {"avx512_bf16", 7, 1, EAX, 5, {"avx512f"}},
    {"avx10", 7, 1, EDX, 19, {"avx512f"}},
};

enum { COUNT = sizeof FEATURES / sizeof *FEATURES };

static int hidden[COUNT];

/* The C library may not be initialised yet: no stdio. */
static void say(const char *text, size_t length) {
    if (write(STDERR_FILENO, text, length) < 0)
        return;
}

static void end(const char *what, const char *name, size_t length) {
    static const char first[] = "cupel: cannot hide a feature of the CPU: ";
    say(first, sizeof first - 1);
    say(what, strlen(what));
    say(name, length);
    say("\n", 1);
    _exit(125);
}

static int number(const char *name, size_t length) {
    for (int i = 0; i < COUNT; i++)
        if (strncmp(FEATURES[i].name, name, length) == 0 && FEATURES[i].name[length] == 0)
            return i;
    end("none is known as ", name, length);
    return -1;
}

static int set_cpuid(int mode) {
    return (int)syscall(SYS_arch_prctl, SET_CPUID, mode);
}

static uint32_t shown(uint32_t value, uint32_t leaf, uint32_t subleaf, int reg) {
    for (int i = 0; i < COUNT; i++) {
        const struct feature *f = &FEATURES[i];
        if (hidden[i] && f->leaf == leaf && f->subleaf == subleaf && f->reg == reg)
            value &= ~(UINT32_C(1) << f->bit);
    }
    return value;
}

static void answer(int signal, siginfo_t *info, void *context) {
    greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *code = (const unsigned char *)regs[REG_RIP];
    /* A fault with its own address may be in a page that cannot be read, even as code. */
    if (info->si_code != SI_KERNEL || code[0] != 0x0f || code[1] != 0xa2) {
        /* Not ours: the instruction faults again, as it would without this object. */
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        return;
    }
    uint32_t leaf = (uint32_t)regs[REG_RAX], subleaf = (uint32_t)regs[REG_RCX];
    uint32_t a, b, c, d;
    set_cpuid(WORKS);
    __cpuid_count(leaf, subleaf, a, b, c, d);
    set_cpuid(FAULTS);
    /* Leaf 1 has no subleaves: it is the same for each. */
    if (leaf == 1)
        subleaf = 0;
    regs[REG_RAX] = shown(a, leaf, subleaf, EAX);
    regs[REG_RBX] = shown(b, leaf, subleaf, EBX);
    regs[REG_RCX] = shown(c, leaf, subleaf, ECX);
    regs[REG_RDX] = shown(d, leaf, subleaf, EDX);
    regs[REG_RIP] += 2;
}

static const char *value_of(const char *variable, char **environment) {
    size_t length = strlen(variable);
    for (; environment != NULL && *environment != NULL; environment++)
        if (strncmp(*environment, variable, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

static void hide(char **environment) {
    const char *names = value_of("CUPEL_HIDE", environment);
    if (names == NULL)
        return;
    for (size_t length; length = strcspn(names, ","), length > 0;
         names += length + (names[length] == ','))
        hidden[number(names, length)] = 1;
    for (int i = 0; i < COUNT; i++)
        for (int n = 0; n < 2; n++) {
            const char *needed = FEATURES[i].needs[n];
            if (needed != NULL && hidden[number(needed, strlen(needed))])
                hidden[i] = 1;
        }
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaction(SIGSEGV, &action, NULL) != 0)
        end("no handler can be set", "", 0);
    if (set_cpuid(FAULTS) != 0)
        end("the kernel does not let CPUID fault here", "", 0);
}

/* This object is linked to be initialised first, before libraries that ask the CPU when they are
 * loaded. glibc then has no `environ` yet, but passes it. */
#ifdef __GLIBC__
__attribute__((constructor)) static void first(int count, char **arguments, char **environment) {
    (void)count;
    (void)arguments;
    hide(environment);
}
#else
extern char **environ;
__attribute__((constructor)) static void first(void) {
    hide(environ);
}
#endif
