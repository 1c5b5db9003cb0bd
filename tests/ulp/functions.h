// SPDX-License-Identifier: MIT
/// The OpenCL C functions whose accuracy is measured, with their exact results.
#ifndef ULP_FUNCTIONS_H
#define ULP_FUNCTIONS_H

#include <mpfr.h>
#include <stdbool.h>
#include <weft/dtype.h>

#define ULP_MAX_ARITY 3

/// Arguments to test in addition to random bits and the ranges.
typedef enum ulp_hard {
  ULP_PI = 1,       /* near multiples of pi/2, also very large ones */
  ULP_INTEGERS = 2, /* near multiples of 1/2 */
  ULP_ONE = 4,      /* near 1 and -1 */
  ULP_POWER = 8,    /* the second such that x^y spans the format */
  ULP_RATIO = 16,   /* the second within some powers of two of the first */
  ULP_ROOT = 32,    /* the second a whole number */
  ULP_CANCEL = 64,  /* the third about minus the product of the others */
} ulp_hard;

typedef struct ulp_function {
  const char *name; /* OpenCL C's name, except "divide" */
  int arity;
  const char *header;                            /* cl/math/HEADER.clh and HEADER_f64.clh have it; NULL: the built-in */
  const char *expression;                        /* of x, y, z in OpenCL C */
  const char *ufunc;                             /* the library's ufunc, if its name differs */
  double (*near)(const double *v);               /* accurate to about 2^-45: a filter in front of MPFR for all dtypes
                                                    except f64 */
  long double (*nearer)(const long double *v);   /* accurate to about 2^-60, for f64; NULL: MPFR for all */
  void (*exact)(mpfr_t result, const mpfr_t *v); /* to the precision of `result` */
  double bound[3];                               /* allowed ULP for f16 and bf16, f32, f64 */
  bool is_ufunc; /* Weft's own on all devices, of built-in functions: called as a ufunc, `expression` is NULL */
  unsigned hard;
  bool absolute_below_0; /* negative arguments: results below 1 count as 1 */
  bool has_larger;       /* results closer to 0 than the larger argument count as that one */
  double ranges[3][2];   /* of the first argument; an empty one ends them */
  double limits[6];      /* points where the function's domain or form changes; 0 ends them */
} ulp_function;

extern const ulp_function ulp_functions[];
extern const int ulp_function_count;

/// NULL: no function has that name.
const ulp_function *ulp_function_find(const char *name);

#endif
