// SPDX-License-Identifier: MIT
#include "evaluate.h"

#include <stdio.h>
#include <string.h>
#include <weft/ufuncs.h>

// A kernel around one call, for forms that the library would not choose itself.
static weft_status run_kernel(weft_context *context, const ulp_function *function, ulp_form form, weft_dtype dtype,
                              weft_array *const *arguments, size_t count, weft_array *result) {
  weft_kernel *kernel = NULL;
  char include[80] = "", expression[80], source[1000];
  const char *type = dtype == WEFT_F64 ? "double" : "float", *memory = dtype == WEFT_F16    ? "half"
                                                                       : dtype == WEFT_BF16 ? "ushort"
                                                                                            : type;
  const char *load = dtype == WEFT_F16    ? "vload_half(i, %s)"
                     : dtype == WEFT_BF16 ? "weft_from_bf16(%s[i])"
                                          : "%s[i]",
             *names[] = {"x", "y", "z"};
  char loads[ULP_MAX_ARITY][40];

  snprintf(expression, sizeof expression, "%s", function->expression);
  const bool is_f64 = dtype == WEFT_F64;
  if (function->header && form != ULP_FORM_BUILTIN) {
    snprintf(include, sizeof include, "#include \"math/%s%s.clh\"\n", function->header, is_f64 ? "_f64" : "");
    snprintf(expression, sizeof expression, "weft_%s_%s(x%s)", function->name, is_f64 ? "f64" : "f32",
             function->arity > 1 ? ", y" : "");
  }
  for (int k = 0; k < ULP_MAX_ARITY; k++) snprintf(loads[k], sizeof loads[k], load, (char[]){names[k][0], '_', 0});
  snprintf(source, sizeof source,
           "%s#pragma OPENCL FP_CONTRACT OFF\n#include \"math/narrow.clh\"\n%s"
           "__kernel void evaluate(__global %s *out, __global const %s *x_, __global const %s *y_, __global const %s "
           "*z_, ulong n) {\n"
           "  size_t i = get_global_id(0);\n  if (i >= n) return;\n  %s x = %s, y = %s, z = %s;\n  %s;\n}\n",
           dtype == WEFT_F64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "", include, memory, memory, memory,
           memory, type, loads[0], loads[1], loads[2],
           dtype == WEFT_F16    ? "vstore_half_rte(RESULT, i, out)"
           : dtype == WEFT_BF16 ? "out[i] = weft_to_bf16_from_f32(RESULT)"
                                : "out[i] = RESULT");

  weft_device_info device;
  char result_define[100];
  snprintf(result_define, sizeof result_define, "RESULT=%s", expression);
  weft_status status = weft_context_get_device(&device, context);
  if (status) goto done;
  const char *defines[] = {result_define, NULL, NULL, NULL};
  int define_count = 1;
  if (device.has_fp64) defines[define_count++] = "WEFT_FP64=1";
  if (device.type == WEFT_DEVICE_TYPE_CPU && form != ULP_FORM_GPU) defines[define_count++] = "WEFT_CPU=1";
  status = weft_kernel_create(&kernel, context, .source = source, .defines = defines);
  if (status) goto done;

  weft_array *x = arguments[0], *y = arguments[1] ? arguments[1] : x, *z = arguments[2] ? arguments[2] : x;
  status = weft_launch(kernel, WEFT_DIM3(weft_ceil_div(count, 256)), WEFT_DIM3(256), result, x, y, z, (uint64_t)count);

done:
  weft_kernel_release(&kernel);
  return status;
}

static weft_status run_ufunc(const ulp_function *function, weft_array *const *arguments, weft_array *result) {
  const char *name = function->ufunc ? function->ufunc : function->name;
  weft_ufunc_id id = 0;
  for (; id < WEFT_UFUNC_COUNT; id++)
    if (weft_ufunc_name(id) && strcmp(weft_ufunc_name(id), name) == 0) break;
  weft_array *x = arguments[0], *y = arguments[1], *z = arguments[2], *whole = NULL;
  weft_status status = WEFT_OK;
  if (function->hard & ULP_ROOT) { /* whole numbers */
    status = weft_cast(&whole, y, WEFT_I32);
    y = whole;
  }
  weft_operand operands[] = {WEFT_OPERAND(&result), WEFT_OPERAND(x), WEFT_OPERAND(y), WEFT_OPERAND(z)};
  if (!status) status = weft__ufunc_apply_at(id, 1 + function->arity, operands, WEFT_SITE);
  weft_array_release(&whole);
  return status;
}

weft_status ulp_evaluate(weft_context *context, const ulp_function *function, ulp_form form, weft_dtype dtype,
                         const void *const *in, size_t count, void *out) {
  weft_array *arguments[ULP_MAX_ARITY] = {0}, *result = NULL;
  weft_status status = WEFT_OK;
  for (int k = 0; k < function->arity && !status; k++)
    status = weft_from_host(&arguments[k], context, dtype, WEFT_SHAPE((int64_t)count), in[k]);
  if (!status) status = weft_empty(&result, context, dtype, WEFT_SHAPE((int64_t)count));
  bool as_ufunc = form == ULP_FORM_DEVICE || function->is_ufunc;
  if (!status && as_ufunc) status = run_ufunc(function, arguments, result);
  if (!status && !as_ufunc) status = run_kernel(context, function, form, dtype, arguments, count, result);
  if (!status) status = weft_to_host(out, count * weft_dtype_size_bytes(dtype), result);
  for (int k = 0; k < ULP_MAX_ARITY; k++) weft_array_release(&arguments[k]);
  weft_array_release(&result);
  return status;
}
