/* SPDX-License-Identifier: MIT
 * check.h includes this file; with a C99 compiler there is nothing to work around. */
#ifndef WEFT_CHECK_STDINT_H
#define WEFT_CHECK_STDINT_H
#include <inttypes.h>
#include <stdint.h>
#endif
