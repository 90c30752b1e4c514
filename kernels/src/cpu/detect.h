/* detect.h: queries the machine's features in every call. There is a file for each
 * architecture. */
#ifndef CUPEL_DETECT_H
#define CUPEL_DETECT_H

/* The features (CUPEL_CPU_...) that both the CPU and the operating system support. */
unsigned cupel_cpu_detect(void);

/* Which of CUPEL_CPU_KIND (cpu.h) this CPU is (kernels/NOTES.md).
 * SHARED_PORT: an Intel Xeon is, AMD's Zen 4 is not. Other Intel cores are taken to be
 * like that one, and all other CPUs not.
 * SHORT_CODE: Zen 3 is. An Intel Xeon without its AVX-512 is as fast by it or faster, but for full
 * batches of 64 B. All other CPUs without AVX-512 are taken to be like them: most cache fewer
 * decoded instructions. CPUs with AVX-512 keep the long code, with which Zen 4, Zen 5 and the Xeon
 * were measured.
 */
unsigned cupel_cpu_kind(void);

#endif
