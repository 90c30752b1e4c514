/* detect_none.c: for architectures for which there is only portable code. */
#include "detect.h"

unsigned cupel_cpu_detect(void) {
    return 0;
}

unsigned cupel_cpu_kind(void) {
    return 0;
}
