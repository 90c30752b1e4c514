/* out.c: see out.h. The serial port is driven here, at the place that it has on every PC, because
 * the firmware's own console breaks lines and steers a terminal. On it each record stands behind
 * the word CUPEL, since the firmware writes there too. */
#include "out.h"

#include "cupel.h"

#define COM1 0x3f8

enum {
    DATA = COM1,
    LINE_STATUS = COM1 + 5,
    SCRATCH = COM1 + 7,
    READY = 0x20,        /* of the line's status: takes another byte */
    PATIENCE = 10000000, /* reads of the status, a microsecond each on hardware */
    ROOM = 1 << 17
};

static efi_system_table *system_table;
static efi_file *volume;
static int serial;
static char records[ROOM];
static size_t written, count;
static text record;

static void out8(uint16_t port, uint8_t byte) {
    __asm__ volatile("outb %0, %1" : : "a"(byte), "Nd"(port));
}

static uint8_t in8(uint16_t port) {
    uint8_t byte;
    __asm__ volatile("inb %1, %0" : "=a"(byte) : "Nd"(port));
    return byte;
}

/* A port that is there keeps the value of its scratch register. */
static int serial_is_there(void) {
    out8(SCRATCH, 0x5a);
    if (in8(SCRATCH) != 0x5a)
        return 0;
    out8(SCRATCH, 0xa5);
    return in8(SCRATCH) == 0xa5;
}

/* A port that stops taking bytes is given up: a measuring program must not hang on a cable. */
static void serial_put(const char *bytes, size_t length) {
    for (size_t i = 0; i < length && serial; i++) {
        int left = PATIENCE;
        while (!(in8(LINE_STATUS) & READY) && --left > 0)
            ;
        if (left == 0)
            serial = 0;
        else
            out8(DATA, (uint8_t)bytes[i]);
    }
}

void out_begin(efi_handle image, efi_system_table *system) {
    static const efi_guid image_protocol = EFI_LOADED_IMAGE,
                          files_protocol = EFI_SIMPLE_FILE_SYSTEM;
    efi_loaded_image *loaded;
    efi_simple_file_system *files;
    system_table = system;
    serial = serial_is_there();
    efi_boot_services *boot = system->boot;
    if (boot->handle_protocol(image, &image_protocol, (void **)&loaded) != 0 ||
        boot->handle_protocol(loaded->device, &files_protocol, (void **)&files) != 0 ||
        files->open_volume(files, &volume) != 0)
        volume = NULL;
}

text *begin_record(const char *kind) {
    record = (text){records + written, 0, ROOM - written, 0};
    text_put(&record, "{\"cupel\":\"");
    text_put(&record, kind);
    text_put(&record, "\"");
    return &record;
}

/* A record that does not fit is lost; then the count of the last one shows it. */
void end_record(text *t) {
    text_put(t, "}\n");
    count++;
    if (t->too_long)
        return;
    written += t->length;
    serial_put("\r\nCUPEL ", 8);
    serial_put(t->at, t->length - 1);
    serial_put("\r\n", 2);
}

void say_text(text *t) {
    static uint16_t line[256];
    size_t length = 0;
    for (size_t i = 0; i < t->length && length < 250; i++)
        line[length++] = (uint8_t)t->at[i];
    line[length++] = '\r';
    line[length++] = '\n';
    line[length] = 0;
    system_table->console_out->output_string(system_table->console_out, line);
}

void say(const char *words) {
    char room[250];
    text t = {room, 0, sizeof room, 0};
    text_put(&t, words);
    say_text(&t);
}

size_t out_read(const uint16_t *name, char *at, size_t size) {
    efi_file *file;
    uint64_t length = size;
    if (volume == NULL || volume->open(volume, &file, name, EFI_FILE_READ, 0) != 0)
        return 0;
    if (file->read(file, &length, at) != 0)
        length = 0;
    file->close(file);
    return length;
}

static const char *append(void) {
    static const uint16_t folder_name[] = u"\\cupel", name[] = u"\\cupel\\results.jsonl";
    efi_file *folder, *file;
    uint64_t mode = EFI_FILE_READ | EFI_FILE_WRITE | EFI_FILE_CREATE;
    if (volume == NULL)
        return "this program was not started from a volume with files";
    if (volume->open(volume, &folder, folder_name, mode, EFI_FILE_DIRECTORY) != 0)
        return "cannot make the folder \\cupel";
    folder->close(folder);
    if (volume->open(volume, &file, name, mode, 0) != 0)
        return "cannot open \\cupel\\results.jsonl";
    const char *why = NULL;
    uint64_t length = written;
    if (file->set_position(file, EFI_FILE_END) != 0 || file->write(file, &length, records) != 0 ||
        length != written || file->flush(file) != 0)
        why = "cannot write \\cupel\\results.jsonl";
    file->close(file);
    return why;
}

const char *out_end(void) {
    uint8_t digest[CUPEL_SHA256_DIGEST];
    size_t before = count;
    cupel_cpu_limit(0);
    cupel_sha256(digest, records, written);
    text *t = begin_record("end");
    text_put(t, ",\"records\":");
    text_number(t, before);
    text_put(t, ",\"sha256\":\"");
    text_hex(t, digest, sizeof digest);
    text_put(t, "\"");
    end_record(t);
    return append();
}
