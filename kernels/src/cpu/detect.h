/* detect.h: queries the machine's features, anew in every call. There is a file for each
 * architecture. */
#ifndef CUPEL_DETECT_H
#define CUPEL_DETECT_H

/* The features (CUPEL_CPU_...) that both the CPU and the operating system support. */
unsigned cupel_cpu_detect(void);

#endif
