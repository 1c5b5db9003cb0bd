// SPDX-License-Identifier: MIT
/// What the driver's two files share: when two elements agree.
#ifndef WEFT_TESTS_NUMPY_DRIVER_H
#define WEFT_TESTS_NUMPY_DRIVER_H

#include <weft/weft.h>

/// How far a result may be from NumPy's. Integers and bools must be equal, and NaN is NaN whatever its bits.
typedef struct tolerance {
  float ulps;    /* of the result's dtype; of complex numbers, of the larger part */
  bool any_zero; /* 0 and -0 are the same */
} tolerance;

weft_ufunc_id ufunc_of(const char *name);

/// Whether an element is as expected; *ulps is the difference (0 where it is none of numbers).
bool same_value(weft_dtype dtype, const void *expected, const void *got, const tolerance *allowed, double *ulps);
void value_text(char *text, size_t room, weft_dtype dtype, const void *value);

/// The largest differences of each function and dtype.
void worst_note(weft_ufunc_id id, weft_dtype dtype, double ulps);
void worst_print(void);

#endif
