/* detect.h: queries the machine's features, anew in every call. There is a file for each
 * architecture. */
#ifndef CUPEL_DETECT_H
#define CUPEL_DETECT_H

/* The features (CUPEL_CPU_...) that both the CPU and the operating system support. */
unsigned cupel_cpu_detect(void);

/* Which of CUPEL_CPU_KIND (cpu.h) this CPU is, as measured (docs/kernels.md).
 * SHARED_PORT: an Intel Xeon is, AMD's Zen 3 and Zen 4 are not. Other Intel cores are taken to be
 * like that one, and all other CPUs not.
 * SHORT_CODE: Zen 3 is; Zen 4, Zen 5 and the Xeon are not. These three have AVX-512, and Zen 3 has
 * not. So CPUs without AVX-512 are taken to be like Zen 3: most of them cache fewer decoded
 * instructions. */
unsigned cupel_cpu_kind(void);

#endif
