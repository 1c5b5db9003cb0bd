// SPDX-License-Identifier: MIT
/// The one table of element types, and its rows at run time.
#ifndef WEFT_DTYPE_DTYPE_H
#define WEFT_DTYPE_DTYPE_H

#include <weft/dtype.h>

/// X(enumerator, name, bytes, NumPy's kind letter, type in OpenCL C, NumPy's typestr), in the enumeration's order.
/// bool is stored in a byte, which is not what OpenCL C means by bool (that type cannot be a kernel argument). Complex types are structs of
/// the kernel prelude: OpenCL's float2 multiplies by element, which would be silently wrong.
#define WEFT__DTYPES(X)                       \
  X(WEFT_BOOL, bool, 1, 'b', "uchar", "|b1")  \
  X(WEFT_I8, i8, 1, 'i', "char", "|i1")       \
  X(WEFT_I16, i16, 2, 'i', "short", "<i2")    \
  X(WEFT_I32, i32, 4, 'i', "int", "<i4")      \
  X(WEFT_I64, i64, 8, 'i', "long", "<i8")     \
  X(WEFT_U8, u8, 1, 'u', "uchar", "|u1")      \
  X(WEFT_U16, u16, 2, 'u', "ushort", "<u2")   \
  X(WEFT_U32, u32, 4, 'u', "uint", "<u4")     \
  X(WEFT_U64, u64, 8, 'u', "ulong", "<u8")    \
  X(WEFT_F16, f16, 2, 'f', "half", "<f2")     \
  X(WEFT_F32, f32, 4, 'f', "float", "<f4")    \
  X(WEFT_F64, f64, 8, 'f', "double", "<f8")   \
  X(WEFT_C64, c64, 8, 'c', "weft_c64", "<c8") \
  X(WEFT_C128, c128, 16, 'c', "weft_c128", "<c16")

typedef struct weft__dtype_row {
  weft_dtype dtype;
  const char *name;
  size_t size_bytes;
  char kind;
  const char *cl_type;
  const char *typestr;
} weft__dtype_row;

/// NULL for a value that is no dtype.
const weft__dtype_row *weft__dtype(weft_dtype dtype);

#endif
