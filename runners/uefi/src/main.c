/* main.c: the kernels before any operating system. Verifies each, then counts its cost, and powers
 * off. \cupel\options.txt holds words: icount (QEMU counts instructions), poweroff (do not wait for
 * a key), hang (never end: a test of who waits). */
#include "counter.h"
#include "cupel.h"
#include "efi.h"
#include "kernel.h"
#include "machine.h"
#include "measure.h"
#include "out.h"
#include "verify.h"

enum { OPTIONS = 1024, SECONDS_TO_READ = 120 };

static char options[OPTIONS];

/* Whether a word stands in the options. */
static int option(const char *word) {
    for (const char *at = options; *at != '\0';) {
        const char *w = word;
        while (*w != '\0' && *at == *w)
            at++, w++;
        if (*w == '\0' && (*at == '\0' || *at <= ' '))
            return 1;
        while (*at > ' ')
            at++;
        while (*at != '\0' && *at <= ' ')
            at++;
    }
    return 0;
}

static void put_features(text *t) {
    text_put(t, ",\"features\":[");
    unsigned found = cupel_cpu_found();
    int first = 1;
    for (unsigned feature = 1; feature != 1u << 5; feature <<= 1)
        if (found & feature) {
            text_put(t, first ? "" : ",");
            text_string(t, cupel_cpu_name(feature), 16);
            first = 0;
        }
    text_put(t, "]");
}

static void put_time(text *t, efi_runtime_services *runtime) {
    efi_time now;
    if (runtime->get_time(&now, NULL) != 0)
        return;
    text_put(t, ",\"clock\":\"");
    text_number(t, now.year);
    text_put(t, "-");
    text_two(t, now.month);
    text_put(t, "-");
    text_two(t, now.day);
    text_put(t, "T");
    text_two(t, now.hour);
    text_put(t, ":");
    text_two(t, now.minute);
    text_put(t, ":");
    text_two(t, now.second);
    text_put(t, "\"");
}

static void put_boot(const machine *m, const counter *c, const efi_system_table *system) {
    char vendor[65] = {0};
    for (int i = 0; i < 64 && system->firmware_vendor[i] != 0; i++)
        vendor[i] = system->firmware_vendor[i] < 128 ? (char)system->firmware_vendor[i] : '?';
    text *t = begin_record("boot");
    text_put(t, ",\"format\":1,\"version\":\"" CUPEL_VERSION "\",\"counter\":\"");
    text_put(t, c->name);
    text_put(t, "\",\"why\":");
    text_string(t, c->why, 200);
    text_put(t, ",\"known_instructions\":");
    text_number(t, KNOWN_INSTRUCTIONS);
    text_put(t, ",\"known_ticks\":");
    text_number(t, c->known);
    text_put(t, ",\"ticks_per_instruction\":");
    text_number(t, c->per);
    text_put(t, ",\"chain_cycles\":");
    text_number(t, 2 * CHAIN_CYCLES);
    text_put(t, ",\"cpu\":");
    text_string(t, m->name[0] != '\0' ? m->name : m->vendor, 48);
    text_put(t, ",\"signature\":");
    text_number(t, m->signature);
    text_put(t, ",\"hypervisor\":");
    text_string(t, m->hypervisor, 12);
    text_put(t, ",\"avx\":");
    text_string(t, m->avx, 64);
    put_features(t);
    text_put(t, ",\"firmware\":");
    text_string(t, vendor, 64);
    put_time(t, system->runtime);
    text_put(t, ",\"compiler\":");
    text_string(t, __VERSION__, 80);
    text_put(t, ",\"flags\":");
    text_string(t, CUPEL_FLAGS, 80);
    end_record(t);
}

static void put_missing(const kernel *k) {
    text *t = begin_record("missing");
    text_put(t, ",\"primitive\":\"");
    text_put(t, k->primitive->name);
    text_put(t, "\",\"implementation\":\"");
    text_put(t, k->name);
    text_put(t, "\",\"reason\":\"");
    text_put(t, k->lacks);
    text_put(t, "\"");
    end_record(t);
}

static void wait_for_key(efi_system_table *system) {
    say("Press a key to power off.");
    efi_key key;
    for (int i = 0; i < SECONDS_TO_READ * 10; i++) {
        if (system->console_in->read_key(system->console_in, &key) == 0)
            return;
        system->boot->stall(100000);
    }
}

efi_status efi_main(efi_handle image, efi_system_table *system);

efi_status efi_main(efi_handle image, efi_system_table *system) {
    out_begin(image, system);
    options[out_read(u"\\cupel\\options.txt", options, OPTIONS - 1)] = '\0';
    machine m = machine_look();
    m.avx = machine_enable_avx();
    counter c = counter_look(&m, option("icount"), system->boot);
    say("Cupel: the kernels before any operating system");
    put_boot(&m, &c, system);
    while (option("hang"))
        system->boot->stall(1000000);

    int usable[KERNELS];
    unsigned found = cupel_cpu_found();
    for (int i = 0; i < KERNELS; i++) {
        const kernel *k = &kernels[i];
        usable[i] = (found & k->needs) == k->needs;
        if (!usable[i]) {
            put_missing(k);
            continue;
        }
        cupel_cpu_limit(k->needs);
        usable[i] = verify(k);
        if (!usable[i])
            say("WRONG ANSWERS: see the results");
    }
    if (c.kind == COUNTS_NOTHING) {
        say("Nothing is measured:");
        say(c.why);
    } else {
        measure(&c, usable, system->boot);
    }
    const char *why = out_end();
    say(why == NULL ? "Results: \\cupel\\results.jsonl" : why);
    if (!option("poweroff"))
        wait_for_key(system);
    system->runtime->reset_system(EFI_RESET_SHUTDOWN, 0, 0, NULL);
    return 0;
}
