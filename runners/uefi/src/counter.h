/* counter.h: the time stamp counter, and its unit on this machine. */
#ifndef COUNTER_H
#define COUNTER_H

#include "efi.h"
#include "machine.h"

#include <stdint.h>

typedef enum counter_kind {
    COUNTS_NOTHING,      /* its unit has nothing to do with the code: nothing is measured */
    COUNTS_INSTRUCTIONS, /* QEMU with -icount shift=N: 2^N ticks an instruction of the guest */
    COUNTS_CYCLES        /* nominal cycles; the CPU's own by way of counter_chain */
} counter_kind;

typedef struct counter {
    counter_kind kind;
    const char *name, *why;
    uint64_t known; /* ticks that a loop of KNOWN_INSTRUCTIONS took */
    uint64_t per;   /* ticks an instruction, where instructions are counted */
} counter;

enum { KNOWN_INSTRUCTIONS = 200000, CHAIN_CYCLES = 96000 };

/* The unit of the counter. The machine decides: instructions only where it reports QEMU's
 * emulation, whoever started it says that it counts them, and a loop of known length agrees. */
counter counter_look(const machine *m, int icount, efi_boot_services *boot);

/* Ticks that a chain of dependent multiplications takes, which is CHAIN_CYCLES cycles of the CPU:
 * three each on every x86-64 CPU since Nehalem and Zen. */
uint64_t counter_chain(void);

/* Waits until all earlier instructions are done. */
static inline uint64_t counter_read(void) {
    uint32_t low, high;
    __asm__ volatile("lfence\nrdtsc\nlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

#endif
