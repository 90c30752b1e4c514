/* counter.c: see counter.h. */
#include "counter.h"

enum {
    MOST_PER = 1 << 10, /* the largest shift that QEMU takes is 10 */
    TIMES = 4
};

static uint64_t known_loop(efi_boot_services *boot) {
    uint64_t tpl = boot->raise_tpl(EFI_TPL_HIGH_LEVEL); /* no interrupt's instructions among them */
    uint64_t left = KNOWN_INSTRUCTIONS / 2, start = counter_read();
    __asm__ volatile("1: decq %0\njnz 1b" : "+r"(left) : : "cc");
    uint64_t ticks = counter_read() - start;
    boot->restore_tpl(tpl);
    return ticks;
}

counter counter_look(const machine *m, int icount, efi_boot_services *boot) {
    counter c = {COUNTS_CYCLES, "cycles", "", known_loop(boot), 1};
    int agree = 1;
    if (!m->emulated)
        return c;
    c.kind = COUNTS_NOTHING;
    c.name = "none";
    if (!icount) {
        c.why = "QEMU emulates this CPU and does not count instructions; "
                "use cupel kernels boot, or hardware";
        return c;
    }
    while (c.per < MOST_PER && c.known >= 2 * c.per * KNOWN_INSTRUCTIONS)
        c.per *= 2;
    /* A clock that counts time may hit the number once. */
    for (int i = 0; i < TIMES; i++, c.known = known_loop(boot))
        agree &= c.known >= c.per * KNOWN_INSTRUCTIONS &&
                 c.known <= c.per * (KNOWN_INSTRUCTIONS + KNOWN_INSTRUCTIONS / 1000);
    if (!agree) {
        c.why = "options.txt says icount, but a loop of known length took another number of ticks; "
                "start QEMU with -icount shift=4,sleep=off";
        return c;
    }
    c.kind = COUNTS_INSTRUCTIONS;
    c.name = "instructions";
    return c;
}

uint64_t counter_chain(void) {
    uint64_t x = 3, left = CHAIN_CYCLES / (3 * 8), start = counter_read();
    __asm__ volatile("1:\n"
                     "imulq %0, %0\nimulq %0, %0\nimulq %0, %0\nimulq %0, %0\n"
                     "imulq %0, %0\nimulq %0, %0\nimulq %0, %0\nimulq %0, %0\n"
                     "decq %1\njnz 1b"
                     : "+r"(x), "+r"(left)
                     :
                     : "cc");
    return counter_read() - start;
}
