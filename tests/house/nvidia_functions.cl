// SPDX-License-Identifier: MIT
// Calls functions that NVIDIA's GPUs compute in another way than others, so that ptxas.py assembles them.
// ptxas: 256
#pragma OPENCL FP_CONTRACT OFF

#define T float
#define NAME(x) x##_f32
#define BITS 32
#include "math/logistic.clh"

__kernel void call_functions(__global float *y, __global const float *x) {
  const ulong i = get_group_id(0) * 256ul + get_local_id(0);
  const float a = x[i];
  y[i] = weft_sinh_f32(a) + weft_asinh_f32(a) + weft_acosh_f32(a) + weft_atanh_f32(a) + weft_logit_f32(a);
}
