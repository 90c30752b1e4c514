/* verify.h: a kernel's answers against the official vectors and the reference. */
#ifndef VERIFY_H
#define VERIFY_H

#include "kernel.h"
#include "text.h"

/* Checks the kernel that dispatch is limited to; writes a record of the result. Returns 1 where
 * every answer was right. */
int verify(const kernel *k);

#endif
