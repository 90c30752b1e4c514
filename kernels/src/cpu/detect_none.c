/* detect_none.c: an architecture that only the portable code is there for. */
#include "detect.h"

unsigned cupel_cpu_detect(void) {
    return 0;
}
