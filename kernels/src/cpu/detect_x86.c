/* detect_x86.c: the features of an x86 CPU, from cpuid, and the registers that the operating system
 * saves, from xgetbv (Intel's manual, volume 1, sections 14.3 and 15.2). */
#include "cpu.h"
#include "detect.h"

#include <cpuid.h>

/* Bits of XCR0: SSE and AVX state; the mask registers and both halves of AVX-512's. */
#define XCR0_AVX    0x06u
#define XCR0_AVX512 0xe6u

/* The instruction xgetbv in assembly, so that this file needs no compiler flag. */
static unsigned xcr0(void) {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static int all(unsigned word, unsigned bits) {
    return (word & bits) == bits;
}

unsigned cupel_cpu_detect(void) {
    unsigned a, b, c, d, leaf7 = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return 0;
    unsigned leaf1 = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        leaf7 = b;

    unsigned found = 0;
    unsigned state = leaf1 & bit_OSXSAVE ? xcr0() : 0;
    if (leaf1 & bit_SSSE3)
        found |= CUPEL_CPU_SSSE3;
    if (all(leaf1, bit_SSSE3 | bit_SSE4_1) && (leaf7 & bit_SHA))
        found |= CUPEL_CPU_SHANI;
    if ((leaf1 & bit_AVX) && all(leaf7, bit_AVX2 | bit_BMI | bit_BMI2) && all(state, XCR0_AVX)) {
        found |= CUPEL_CPU_AVX2;
        if (all(leaf7, bit_AVX512F | bit_AVX512BW | bit_AVX512VL) && all(state, XCR0_AVX512))
            found |= CUPEL_CPU_AVX512;
    }
    return found;
}

unsigned cupel_cpu_kind(void) {
    unsigned a, b, c, d, kind = 0;
    if (__get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx && c == signature_INTEL_ecx &&
        d == signature_INTEL_edx)
        kind |= CUPEL_CPU_SHARED_PORT;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX512F))
        kind |= CUPEL_CPU_SHORT_CODE;
    return kind;
}
