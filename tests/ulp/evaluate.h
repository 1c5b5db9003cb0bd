// SPDX-License-Identifier: MIT
#ifndef ULP_EVALUATE_H
#define ULP_EVALUATE_H

#include <weft/eval.h>
#include <weft/weft.h>

#include "functions.h"

/// Which form of Weft's own functions is computed.
typedef enum ulp_form {
  ULP_FORM_DEVICE = 0, /* by the library's ufunc */
  ULP_FORM_GPU,        /* what it uses on GPUs, also on a CPU */
  ULP_FORM_BUILTIN,    /* the device's built-in functions throughout */
} ulp_form;

/// Computes `function` of `count` elements on the context's device: `in` are `arity` host arrays of `dtype`, and `out`
/// is one.
weft_status ulp_evaluate(weft_context *context, const ulp_function *function, ulp_form form, weft_dtype dtype,
                         const void *const *in, size_t count, void *out);

#endif
