/* detect.h: queries the machine's features, anew in every call. There is a file for each
 * architecture. */
#ifndef CUPEL_DETECT_H
#define CUPEL_DETECT_H

/* The features (CUPEL_CPU_...) that both the CPU and the operating system support. */
unsigned cupel_cpu_detect(void);

/* Whether some shuffles have only the port of sha256rnds2, so that a code with fewer of them is
 * faster although it has more instructions. Measured: an Intel Xeon has, AMD's Zen 4 has not
 * (docs/kernels.md). Other Intel cores are taken to be like that one, and all other CPUs not. */
int cupel_cpu_has_shared_port(void);

#endif
