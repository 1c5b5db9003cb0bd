// SPDX-License-Identifier: MIT
#ifndef ULP_MEASURE_H
#define ULP_MEASURE_H

#include "evaluate.h"
#include "points.h"

/// The worst error found, in units in the last place of the exact result; infinite for a wrong NaN or infinity.
typedef struct ulp_worst {
  double error;
  double argument[ULP_MAX_ARITY];
  double got, expected;
  uint64_t points, exact_points; /* all points, and those compared with MPFR */
  uint64_t zero_signs;           /* zeros with the wrong sign */
  double filter_off;             /* the largest difference seen between the host's functions and MPFR */
} ulp_worst;

/// Compares `got` with the function of the arguments, with `threads` threads, and updates `worst`.
void ulp_compare(ulp_worst *worst, const ulp_function *function, const ulp_format *format, const void *const *in,
                 const void *got, size_t count, int threads);

#endif
