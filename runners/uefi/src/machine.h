/* machine.h: the identity of this machine, and the steps that let AVX code run on it before any
 * operating system. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdint.h>

typedef struct machine {
    char vendor[13];
    char name[49];
    char hypervisor[13]; /* empty: there is none that says so */
    uint32_t signature;  /* leaf 1's family, model and stepping */
    int emulated;        /* by QEMU without hardware virtualisation */
    const char *avx;     /* the steps taken for AVX */
} machine;

machine machine_look(void);

/* Lets AVX code run, as far as this CPU has it: firmware leaves that off. Returns the steps it
 * took, in words. */
const char *machine_enable_avx(void);

#endif
