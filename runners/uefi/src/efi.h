/* efi.h: the part of the UEFI Specification 2.10 that this program uses; sections are named. Tables
 * are laid out whole up to the last member that is used, members that are not are `void *`. The
 * calling convention is the compiler's own for this target. */
#ifndef EFI_H
#define EFI_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t efi_status; /* appendix D; the highest bit marks an error */
typedef void *efi_handle;

/* 2.3.1 */
typedef struct efi_guid {
    uint32_t a;
    uint16_t b, c;
    uint8_t d[8];
} efi_guid;

/* 4.2 */
typedef struct efi_header {
    uint64_t signature;
    uint32_t revision, size, crc32, reserved;
} efi_header;

/* 12.3 */
typedef struct efi_key {
    uint16_t scan_code, character;
} efi_key;

typedef struct efi_text_input {
    void *reset;
    efi_status (*read_key)(struct efi_text_input *self, efi_key *key);
} efi_text_input;

/* 12.4 */
typedef struct efi_text_output {
    void *reset;
    efi_status (*output_string)(struct efi_text_output *self, const uint16_t *string);
} efi_text_output;

/* 7: task priorities at and above this one run with interrupts off */
enum { EFI_TPL_HIGH_LEVEL = 31 };

/* 4.4 */
typedef struct efi_boot_services {
    efi_header header;
    uint64_t (*raise_tpl)(uint64_t tpl);
    void (*restore_tpl)(uint64_t tpl);
    void *memory[5];
    void *events[6];
    void *install_protocol[3];
    efi_status (*handle_protocol)(efi_handle handle, const efi_guid *protocol, void **interface);
    void *protocols[5];
    void *images[5];
    void *next_monotonic_count;
    efi_status (*stall)(uint64_t microseconds);
    efi_status (*set_watchdog)(uint64_t seconds, uint64_t code, uint64_t size, void *data);
} efi_boot_services;

/* 8.3 */
typedef struct efi_time {
    uint16_t year;
    uint8_t month, day, hour, minute, second, pad;
    uint32_t nanosecond;
    int16_t zone; /* minutes west of UTC; EFI_ZONE_UNKNOWN: local time, of wherever */
    uint8_t daylight, pad2;
} efi_time;

/* 8.5.1 */
enum { EFI_RESET_SHUTDOWN = 2 };

/* 4.5 */
typedef struct efi_runtime_services {
    efi_header header;
    efi_status (*get_time)(efi_time *time, void *capabilities);
    void *times[3];
    void *addresses[2];
    void *variables[3];
    void *next_high_monotonic_count;
    void (*reset_system)(uint32_t kind, efi_status status, uint64_t size, void *data);
} efi_runtime_services;

/* 4.3 */
typedef struct efi_system_table {
    efi_header header;
    const uint16_t *firmware_vendor;
    uint32_t firmware_revision;
    efi_handle console_in_handle;
    efi_text_input *console_in;
    efi_handle console_out_handle;
    efi_text_output *console_out;
    efi_handle error_handle;
    efi_text_output *error;
    efi_runtime_services *runtime;
    efi_boot_services *boot;
} efi_system_table;

/* 9.1 */
#define EFI_LOADED_IMAGE                                                                           \
    {                                                                                              \
        0x5b1b31a1, 0x9562, 0x11d2, {                                                              \
            0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b                                         \
        }                                                                                          \
    }

typedef struct efi_loaded_image {
    uint32_t revision;
    efi_handle parent;
    efi_system_table *system;
    efi_handle device;
} efi_loaded_image;

/* 13.5 */
#define EFI_FILE_READ      1u
#define EFI_FILE_WRITE     2u
#define EFI_FILE_CREATE    0x8000000000000000u
#define EFI_FILE_DIRECTORY 0x10u
#define EFI_FILE_END       0xffffffffffffffffu

typedef struct efi_file {
    uint64_t revision;
    efi_status (*open)(struct efi_file *self, struct efi_file **opened, const uint16_t *name,
                       uint64_t mode, uint64_t attributes);
    efi_status (*close)(struct efi_file *self);
    void *delete;
    efi_status (*read)(struct efi_file *self, uint64_t *size, void *buffer);
    efi_status (*write)(struct efi_file *self, uint64_t *size, const void *buffer);
    void *get_position;
    efi_status (*set_position)(struct efi_file *self, uint64_t position);
    void *info[2];
    efi_status (*flush)(struct efi_file *self);
} efi_file;

/* 13.4 */
#define EFI_SIMPLE_FILE_SYSTEM                                                                     \
    {                                                                                              \
        0x964e5b22, 0x6459, 0x11d2, {                                                              \
            0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b                                         \
        }                                                                                          \
    }

typedef struct efi_simple_file_system {
    uint64_t revision;
    efi_status (*open_volume)(struct efi_simple_file_system *self, efi_file **root);
} efi_simple_file_system;

#endif
