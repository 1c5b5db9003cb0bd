// SPDX-License-Identifier: MIT
// Not part of the library: includes this folder's headers for every type they serve, so that the lint test compiles
// them.
// lint:
// lint: -DWEFT_FP64=1
// lint: -DWEFT_FP64=1 -DWEFT_C64_IN_FLOAT=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#include "math/complex_exp.clh"
#include "math/complex_trig.clh"
#include "math/narrow.clh"
#include "math/saturate.clh"

#define T float
#define NAME(x) x##_f32
#define BITS 32
#include "math/float.clh"
#define T float
#define NAME(x) x##_f32
#define BITS 32
#include "math/logistic.clh"
#define T float
#define NAME(x) x##_f32
#define BITS 32
#include "math/special.clh"
#define T float
#define NAME(x) x##_f32
#define BITS 32
#include "math/bessel.clh"
#define T float
#define NAME(x) x##_f32
#define BITS 32
#include "math/incomplete.clh"

#ifdef WEFT_FP64
#define T double
#define NAME(x) x##_f64
#define BITS 64
#include "math/float.clh"
#define T double
#define NAME(x) x##_f64
#define BITS 64
#include "math/logistic.clh"
#define T double
#define NAME(x) x##_f64
#define BITS 64
#include "math/special.clh"
#define T double
#define NAME(x) x##_f64
#define BITS 64
#include "math/bessel.clh"
#define T double
#define NAME(x) x##_f64
#define BITS 64
#include "math/incomplete.clh"
#endif

#define T char
#define NAME(x) x##_i8
#define BITS 8
#define IS_SIGNED 1
#define U uint
#include "math/integer.clh"

#define T uchar
#define NAME(x) x##_u8
#define BITS 8
#define IS_SIGNED 0
#define U uint
#include "math/integer.clh"

#define T short
#define NAME(x) x##_i16
#define BITS 16
#define IS_SIGNED 1
#define U uint
#include "math/integer.clh"

#define T ushort
#define NAME(x) x##_u16
#define BITS 16
#define IS_SIGNED 0
#define U uint
#include "math/integer.clh"

#define T int
#define NAME(x) x##_i32
#define BITS 32
#define IS_SIGNED 1
#define U uint
#include "math/integer.clh"

#define T uint
#define NAME(x) x##_u32
#define BITS 32
#define IS_SIGNED 0
#define U uint
#include "math/integer.clh"

#define T long
#define NAME(x) x##_i64
#define BITS 64
#define IS_SIGNED 1
#define U ulong
#include "math/integer.clh"

#define T ulong
#define NAME(x) x##_u64
#define BITS 64
#define IS_SIGNED 0
#define U ulong
#include "math/integer.clh"
