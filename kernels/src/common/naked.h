/* naked.h: functions whose whole body is assembly. They have the same calling convention on every
 * system, also where the system's differs (UEFI). */
#ifndef CUPEL_NAKED_H
#define CUPEL_NAKED_H

#define NAKED __attribute__((naked, noinline, sysv_abi))

/* Such a body reads its parameters from their registers. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
