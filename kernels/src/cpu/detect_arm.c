/* detect_arm.c: the features of a 64-bit Arm CPU, from the kernel's auxiliary vector or, if there
 * is none, from the compiler's flags. */
#include "cupel.h"
#include "detect.h"

#if defined(__linux__) && !defined(CUPEL_FREESTANDING)
#include <asm/hwcap.h>
#include <sys/auxv.h>

unsigned cupel_cpu_detect(void) {
    unsigned long wanted = HWCAP_ASIMD | HWCAP_SHA1 | HWCAP_SHA2;
    return (getauxval(AT_HWCAP) & wanted) == wanted ? CUPEL_CPU_ARM_SHA : 0;
}
#else
unsigned cupel_cpu_detect(void) {
#ifdef __ARM_FEATURE_SHA2
    return CUPEL_CPU_ARM_SHA;
#else
    return 0;
#endif
}
#endif

unsigned cupel_cpu_kind(void) {
    return 0;
}
