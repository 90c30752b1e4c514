/* naked.h: functions whose body is all assembly. One calling convention on every system, also where
 * the system has another (UEFI). */
#ifndef CUPEL_NAKED_H
#define CUPEL_NAKED_H

#define NAKED __attribute__((naked, noinline, sysv_abi))

/* Such a body reads its parameters from their registers. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
