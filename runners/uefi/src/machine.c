/* machine.c: see machine.h. Leaves of cpuid: Intel's manual, volume 2A; those from 0x40000000 by
 * the convention of hypervisors, where QEMU's own emulation answers "TCGTCGTCGTCG". */
#include "machine.h"

#include "text.h"

#include <cpuid.h>

#define CR4_OSXSAVE (1u << 18)
#define XCR0_SSE    0x03u /* and the x87 state, which has to be on as well */
#define XCR0_AVX    0x04u
#define XCR0_AVX512 0xe0u

static void put(char *at, uint32_t word) {
    for (int i = 0; i < 4; i++)
        at[i] = (char)(word >> 8 * i);
}

machine machine_look(void) {
    machine m = {.emulated = 0};
    unsigned a, b, c, d, most;
    __cpuid(0, most, b, c, d);
    put(m.vendor, b), put(m.vendor + 4, d), put(m.vendor + 8, c);
    __cpuid(1, a, b, c, d);
    m.signature = a;
    if (c >> 31) {
        __cpuid(0x40000000, a, b, c, d);
        put(m.hypervisor, b), put(m.hypervisor + 4, c), put(m.hypervisor + 8, d);
        m.emulated = same(m.hypervisor, "TCGTCGTCGTCG");
    }
    __cpuid(0x80000000, most, b, c, d);
    for (unsigned leaf = 0; most >= 0x80000004 && leaf < 3; leaf++) {
        __cpuid(0x80000002 + leaf, a, b, c, d);
        char *at = m.name + 16 * leaf;
        put(at, a), put(at + 4, b), put(at + 8, c), put(at + 12, d);
    }
    return m;
}

const char *machine_enable_avx(void) {
    unsigned a, b, c, d, most, can;
    __cpuid(0, most, b, c, d);
    __cpuid(1, a, b, c, d);
    if (!(c & bit_XSAVE) || !(c & bit_AVX) || most < 13)
        return "this CPU has none";
    int was_on = (c & bit_OSXSAVE) != 0;
    uint64_t cr4;
    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4 | CR4_OSXSAVE));
    __cpuid_count(13, 0, can, b, c, d);
    unsigned low, high, wanted = XCR0_SSE | XCR0_AVX;
    if ((can & XCR0_AVX512) == XCR0_AVX512)
        wanted |= XCR0_AVX512;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if (was_on && (low & wanted) == wanted)
        return "on already";
    __asm__ volatile("xsetbv" : : "a"(low | (wanted & can)), "d"(high), "c"(0));
    return "switched on by this program";
}
