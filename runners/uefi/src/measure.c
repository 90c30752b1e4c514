/* measure.c: see measure.h. Every round gives each cell one slice, and begins with another cell, so
 * that no cell always follows the same one. A slice runs with interrupts off. Its outputs are
 * summed and the sum is held against the reference's. */
#include "measure.h"

#include "cupel.h"
#include "out.h"

#include <string.h>

enum {
    SIZES = 3,
    CELLS = KERNELS * SIZES + 1, /* and the call that does nothing */
    MOST_ROUNDS = 15,
    POOL = 16384, /* bytes of messages: within the first cache */
    STEP = 64,    /* from message to message */
    NS_PER_SLICE = 1000000
};

static const size_t sizes[SIZES] = {64, 1024, 8192};

static uint8_t pool[POOL];

typedef struct cell {
    const kernel *kernel; /* NULL: does nothing */
    size_t size;
    uint64_t calls, expected;
    int wrong;
    uint64_t ticks[MOST_ROUNDS], chain[MOST_ROUNDS];
} cell;

static void nothing(uint8_t *output, const void *message, size_t length) {
    __asm__ volatile("" : : "r"(output), "r"(message), "r"(length) : "memory");
}

/* The sum over the outputs of a slice: by the kernel, or by the reference. */
static uint64_t slice(const cell *c, int by_reference) {
    uint8_t output[MOST_OUTPUT] = {0};
    uint64_t sum = 0;
    const uint8_t *last = pool + POOL - c->size, *at = pool;
    void (*call)(uint8_t *, const void *, size_t) =
        c->kernel ? c->kernel->primitive->call : nothing;
    for (uint64_t i = 0; i < c->calls; i++) {
        if (by_reference && c->kernel)
            c->kernel->primitive->reference(output, at, c->size);
        else
            call(output, at, c->size);
        uint64_t word;
        memcpy(&word, output, sizeof word);
        sum = (sum << 1 | sum >> 63) ^ word;
        at = at == last ? pool : at + STEP;
    }
    return sum;
}

static void timed(cell *c, int round, const counter *counter, efi_boot_services *boot) {
    cupel_cpu_limit(c->kernel ? c->kernel->needs : 0);
    uint64_t before = 0, after = 0, tpl = boot->raise_tpl(EFI_TPL_HIGH_LEVEL);
    if (counter->kind == COUNTS_CYCLES)
        before = counter_chain();
    uint64_t start = counter_read();
    uint64_t sum = slice(c, 0);
    c->ticks[round] = counter_read() - start;
    if (counter->kind == COUNTS_CYCLES)
        after = counter_chain();
    boot->restore_tpl(tpl);
    c->chain[round] = before + after;
    if (sum != c->expected)
        c->wrong = 1;
}

/* As many calls as make a slice long in comparison with reading the counter: a fixed number where
 * instructions are counted, else about a millisecond by the firmware's clock. */
static void choose_calls(cell *c, const counter *counter, uint64_t ticks_per_slice,
                         efi_boot_services *boot) {
    c->calls = POOL / c->size + 1;
    if (counter->kind == COUNTS_CYCLES) {
        timed(c, 0, counter, boot); /* the first is cold */
        while (timed(c, 0, counter, boot), c->ticks[0] < ticks_per_slice && c->calls < 1u << 24)
            c->calls *= 2;
    }
    c->expected = slice(c, 1);
    c->wrong = 0;
}

static uint64_t median(const uint64_t *counts, int rounds) {
    uint64_t sorted[MOST_ROUNDS];
    for (int i = 0; i < rounds; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > counts[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = counts[i];
    }
    return sorted[rounds / 2];
}

static void put_counts(text *t, const char *name, const uint64_t *counts, int rounds) {
    text_put(t, name);
    for (int i = 0; i < rounds; i++) {
        if (i != 0)
            text_put(t, ",");
        text_number(t, counts[i]);
    }
    text_put(t, "]");
}

static void report(const cell *c, const counter *counter, int rounds) {
    text *t = begin_record(c->wrong ? "failed" : "cell");
    text_put(t, ",\"primitive\":\"");
    text_put(t, c->kernel ? c->kernel->primitive->name : "none");
    text_put(t, "\",\"implementation\":\"");
    text_put(t, c->kernel ? c->kernel->name : "empty");
    if (c->wrong) {
        text_put(t,
                 "\",\"reason\":\"the outputs of a slice differ from the reference, message of ");
        text_number(t, c->size);
        text_put(t, " bytes\"");
    } else {
        text_put(t, "\",\"size\":");
        text_number(t, c->size);
        text_put(t, ",\"calls\":");
        text_number(t, c->calls);
        put_counts(t, ",\"ticks\":[", c->ticks, rounds);
        if (counter->kind == COUNTS_CYCLES)
            put_counts(t, ",\"chain\":[", c->chain, rounds);
    }
    end_record(t);

    char room[100];
    text line = {room, 0, sizeof room, 0};
    text_put(&line, c->kernel ? c->kernel->primitive->name : "a call that does nothing");
    text_column(&line, 12);
    text_put(&line, c->kernel ? c->kernel->name : "");
    text_column(&line, 28);
    text_number(&line, c->kernel ? c->size : 0);
    text_put(&line, " B");
    text_column(&line, 36);
    uint64_t units = c->kernel ? c->size * c->calls : c->calls, count = median(c->ticks, rounds);
    if (c->wrong) {
        text_put(&line, "WRONG");
    } else if (counter->kind == COUNTS_CYCLES) {
        /* both divided by 1000, so that no product overflows */
        text_ratio(&line, count / 1000 * (2 * CHAIN_CYCLES),
                   median(c->chain, rounds) * units / 1000 + 1);
        text_put(&line, c->kernel ? " cycles/byte" : " cycles/call");
    } else {
        text_ratio(&line, count, units * counter->per);
        text_put(&line, c->kernel ? " instructions/byte" : " instructions/call");
    }
    say_text(&line);
}

void measure(const counter *counter, const int usable[KERNELS], efi_boot_services *boot) {
    static cell cells[CELLS];
    int count = 0, rounds = counter->kind == COUNTS_CYCLES ? MOST_ROUNDS : 5;
    for (size_t i = 0; i < POOL; i++)
        pool[i] = (uint8_t)(i * 167 + (i >> 8) * 59 + 1);
    for (int k = 0; k < KERNELS; k++)
        for (int s = 0; s < SIZES && usable[k]; s++)
            cells[count++] = (cell){.kernel = &kernels[k], .size = sizes[s]};
    cells[count++] = (cell){.kernel = NULL, .size = STEP};

    uint64_t start = counter_read();
    boot->stall(NS_PER_SLICE / 1000);
    uint64_t ticks_per_slice = counter_read() - start;
    for (int i = 0; i < count; i++)
        choose_calls(&cells[i], counter, ticks_per_slice, boot);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++)
            timed(&cells[(i + round * (count / rounds + 1)) % count], round, counter, boot);
    for (int i = 0; i < count; i++)
        report(&cells[i], counter, rounds);
}
