/* detect.h: what the machine can run, asked of it anew at every call. One file an architecture. */
#ifndef CUPEL_DETECT_H
#define CUPEL_DETECT_H

/* The features (CUPEL_CPU_...) of CPU and operating system. */
unsigned cupel_cpu_detect(void);

#endif
