// SPDX-License-Identifier: MIT
#ifndef ULP_EVALUATE_H
#define ULP_EVALUATE_H

#include <weft/eval.h>
#include <weft/weft.h>

#include "functions.h"

/// The form of Weft's functions to compute.
typedef enum ulp_form {
  ULP_FORM_DEVICE = 0, /* the library's ufunc */
  ULP_FORM_GPU,        /* the GPU form, also on a CPU */
  ULP_FORM_BUILTIN,    /* the device's built-in functions only */
} ulp_form;

/// Computes `function` of `count` elements on the context's device. `in` are `arity` host arrays of `dtype`, `out` is
/// one.
weft_status ulp_evaluate(weft_context *context, const ulp_function *function, ulp_form form, weft_dtype dtype,
                         const void *const *in, size_t count, void *out);

#endif
