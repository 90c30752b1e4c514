/* plan_defaults.c: the plans that the library has without a file, one for each kind of CPU that was
 * measured. To add one, paste the file and say above it where it was measured. A class that a plan
 * does not name takes the order in sha1_many.c or sha256_many.c, and so does every class of a CPU
 * that is not here. */
#include "plan_defaults.h"

#define PLAN(text)                                                                                 \
    { text, sizeof text - 1 }

const plan_text cupel_plan_table[] = {
    /* Zen 5, KVM guest with 2 vCPU: batches of 64, of 64 B, 1 KiB and 8 KiB. The first of the
     * order, AVX-512, took the least time everywhere; the next took 1.7 times as long and more (the
     * tables against isa-l_crypto in kernels/NOTES.md). Smaller batches were not
     * measured. */
    PLAN("cupel-plan 1\n"
         "cpu AuthenticAMD 26 2 15\n"
         "date 2026-11-23\n"
         "end\n"),
    /* Zen 4, KVM guest with 2 vCPU, all paths in 10 minutes. In none of the 24 classes is
     * another path faster at one end and not slower at the other; five are open, and batches from
     * 16 short messages on gain at one end and lose at the other (kernels/NOTES.md). */
    PLAN("cupel-plan 1\n"
         "cpu AuthenticAMD 25 17 15\n"
         "date 2026-11-25\n"
         "end\n"),
    /* Zen 3, KVM guest with 2 vCPU, all paths in 10 minutes. It has no AVX-512. In none of
     * the 24 classes is AVX2 faster than the SHA extensions at both ends. In eight of SHA-1 it is
     * at one, where messages fill its rows (kernels/NOTES.md). */
    PLAN("cupel-plan 1\n"
         "cpu AuthenticAMD 25 1 11\n"
         "date 2026-11-26\n"
         "end\n"),
    {NULL, 0},
};
