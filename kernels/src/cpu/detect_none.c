/* detect_none.c: for architectures for which there is only portable code. */
#include "detect.h"

unsigned cupel_cpu_detect(void) {
    return 0;
}

int cupel_cpu_has_shared_port(void) {
    return 0;
}
