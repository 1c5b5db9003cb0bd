// SPDX-License-Identifier: MIT
#include "evaluate.h"

#include <stdio.h>

weft_status ulp_evaluate(weft_context *context, const ulp_function *function, ulp_form form, weft_dtype dtype, const void *const *in,
                         size_t count, void *out) {
  weft_kernel *kernel = NULL;
  weft_array *arguments[ULP_MAX_ARITY] = {0}, *result = NULL;
  char include[80] = "", expression[80], source[1000];
  const char *type = dtype == WEFT_F64 ? "double" : "float", *memory = dtype == WEFT_F16 ? "half" : type;
  const char *load = dtype == WEFT_F16 ? "vload_half(i, %s)" : "%s[i]", *names[] = {"x", "y", "z"};
  char loads[ULP_MAX_ARITY][40];

  snprintf(expression, sizeof expression, "%s", function->expression);
  if (function->header && form != ULP_FORM_BUILTIN && dtype != WEFT_F64) {
    snprintf(include, sizeof include, "#include \"math/%s.clh\"\n", function->header);
    snprintf(expression, sizeof expression, "weft_%s_f32(x%s)", function->name, function->arity > 1 ? ", y" : "");
  }
  for (int k = 0; k < ULP_MAX_ARITY; k++) snprintf(loads[k], sizeof loads[k], load, (char[]){names[k][0], '_', 0});
  snprintf(source, sizeof source,
           "%s#pragma OPENCL FP_CONTRACT OFF\n%s"
           "__kernel void evaluate(__global %s *out, __global const %s *x_, __global const %s *y_, __global const %s *z_, ulong n) {\n"
           "  size_t i = get_global_id(0);\n  if (i >= n) return;\n  %s x = %s, y = %s, z = %s;\n  %s;\n}\n",
           dtype == WEFT_F64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "", include, memory, memory, memory, memory, type,
           loads[0], loads[1], loads[2], dtype == WEFT_F16 ? "vstore_half_rte(RESULT, i, out)" : "out[i] = RESULT");

  weft_device_info device;
  char result_define[100];
  snprintf(result_define, sizeof result_define, "RESULT=%s", expression);
  weft_status status = weft_context_device(&device, context);
  if (status) goto done;
  const char *defines[] = {result_define, NULL, NULL, NULL};
  int define_count = 1;
  if (device.has_fp64) defines[define_count++] = "WEFT_FP64=1";
  if (device.type == WEFT_DEVICE_TYPE_CPU && form != ULP_FORM_GPU) defines[define_count++] = "WEFT_CPU=1";
  status = weft_kernel_create(&kernel, context, &(weft_kernel_params){.source = source, .defines = defines});
  if (status) goto done;

  for (int k = 0; k < function->arity && !status; k++)
    status = weft_from_host(&arguments[k], context, dtype, WEFT_SHAPE((int64_t)count), in[k]);
  if (status) goto done;
  status = weft_empty(&result, context, dtype, WEFT_SHAPE((int64_t)count));
  if (status) goto done;
  weft_array *x = arguments[0], *y = arguments[1] ? arguments[1] : x, *z = arguments[2] ? arguments[2] : x;
  status = weft_launch(kernel, WEFT_DIM3(weft_ceil_div(count, 256)), WEFT_DIM3(256), result, x, y, z, (uint64_t)count);
  if (status) goto done;
  status = weft_to_host(out, count * weft_dtype_size_bytes(dtype), result);

done:
  for (int k = 0; k < ULP_MAX_ARITY; k++) weft_array_release(&arguments[k]);
  weft_array_release(&result);
  weft_kernel_release(&kernel);
  return status;
}
