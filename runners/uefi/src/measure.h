/* measure.h: counting the cost of calls. */
#ifndef MEASURE_H
#define MEASURE_H

#include "counter.h"
#include "efi.h"
#include "kernel.h"

/* Measures the kernels of which usable says so, in rounds of one slice each; writes a record for
 * each kernel and size with the raw count of every slice, and a line for the screen. */
void measure(const counter *c, const int usable[KERNELS], efi_boot_services *boot);

#endif
