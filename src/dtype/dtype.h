// SPDX-License-Identifier: MIT
/// The table of element types. Each property that differs between dtypes is a column.
#ifndef WEFT_DTYPE_DTYPE_H
#define WEFT_DTYPE_DTYPE_H

#include <weft/dtype.h>

/// X(enumerator, columns of weft__dtype_row), in the order of promotion: the dtype of several operands is the first one
/// that all cast to safely. bool is stored in a byte, because OpenCL C's bool cannot be a kernel argument. Complex
/// types are structs of the kernel prelude, because OpenCL's float2 multiplies by element, which would be silently
/// wrong.
// clang-format off
#define WEFT__DTYPES(X) \
  X(BOOL, .name = "bool", .numpy = "bool_", .typestr = "|b1", .letter = '?', .kind = 'b', .size_bytes = 1, .dlpack = 6, .cl_type = "uchar", .number = WEFT_U8, .least = "0", .greatest = "1") \
  X(I8, .name = "i8", .numpy = "int8", .typestr = "|i1", .letter = 'b', .kind = 'i', .size_bytes = 1, .dlpack = 0, .cl_type = "char", .least = "CHAR_MIN", .greatest = "CHAR_MAX") \
  X(U8, .name = "u8", .numpy = "uint8", .typestr = "|u1", .letter = 'B', .kind = 'u', .size_bytes = 1, .dlpack = 1, .cl_type = "uchar", .least = "0", .greatest = "UCHAR_MAX") \
  X(I16, .name = "i16", .numpy = "int16", .typestr = "<i2", .letter = 'h', .kind = 'i', .size_bytes = 2, .dlpack = 0, .cl_type = "short", .least = "SHRT_MIN", .greatest = "SHRT_MAX") \
  X(U16, .name = "u16", .numpy = "uint16", .typestr = "<u2", .letter = 'H', .kind = 'u', .size_bytes = 2, .dlpack = 1, .cl_type = "ushort", .least = "0", .greatest = "USHRT_MAX") \
  X(I32, .name = "i32", .numpy = "int32", .typestr = "<i4", .letter = 'i', .kind = 'i', .size_bytes = 4, .dlpack = 0, .cl_type = "int", .least = "INT_MIN", .greatest = "INT_MAX") \
  X(U32, .name = "u32", .numpy = "uint32", .typestr = "<u4", .letter = 'I', .kind = 'u', .size_bytes = 4, .dlpack = 1, .cl_type = "uint", .least = "0", .greatest = "UINT_MAX") \
  X(I64, .name = "i64", .numpy = "int64", .typestr = "<i8", .letter = 'q', .kind = 'i', .size_bytes = 8, .dlpack = 0, .cl_type = "long", .least = "LONG_MIN", .greatest = "LONG_MAX") \
  X(U64, .name = "u64", .numpy = "uint64", .typestr = "<u8", .letter = 'Q', .kind = 'u', .size_bytes = 8, .dlpack = 1, .cl_type = "ulong", .least = "0", .greatest = "ULONG_MAX") \
  X(F16, .name = "f16", .numpy = "float16", .typestr = "<f2", .letter = 'e', .kind = 'f', .size_bytes = 2, .dlpack = 2, .cl_type = "ushort", .computed = WEFT_F32, .fraction_bits = 10, .digits = 3) \
  X(BF16, .name = "bf16", .numpy = "bfloat16", .typestr = "<V2", .letter = 'e', .kind = 'f', .size_bytes = 2, .dlpack = 4, .cl_type = "ushort", .computed = WEFT_F32, .argument = WEFT_U16, .fraction_bits = 7, .digits = 2) \
  X(F32, .name = "f32", .numpy = "float32", .typestr = "<f4", .letter = 'f', .kind = 'f', .size_bytes = 4, .dlpack = 2, .cl_type = "float", .fraction_bits = 23, .digits = 6) \
  X(F64, .name = "f64", .numpy = "float64", .typestr = "<f8", .letter = 'd', .kind = 'f', .size_bytes = 8, .dlpack = 2, .cl_type = "double", .fraction_bits = 52, .digits = 16) \
  X(C64, .name = "c64", .numpy = "complex64", .typestr = "<c8", .letter = 'F', .kind = 'c', .size_bytes = 8, .dlpack = 5, .cl_type = "weft_c64", .real = WEFT_F32) \
  X(C128, .name = "c128", .numpy = "complex128", .typestr = "<c16", .letter = 'D', .kind = 'c', .size_bytes = 16, .dlpack = 5, .cl_type = "weft_c128", .real = WEFT_F64)
// clang-format on

typedef struct weft__dtype_row {
  const char *name;
  const char *numpy;   /* NumPy's name */
  const char *typestr; /* in NumPy's array interface and .npy files */
  const char *cl_type; /* as stored, in OpenCL C */
  const char *least;   /* the smallest integer in OpenCL C; NULL for floats and complex numbers */
  const char *greatest;
  size_t size_bytes;
  weft_dtype dtype;
  weft_dtype computed;   /* of narrow floats: the dtype that stored elements are converted to; NONE: the dtype itself */
  weft_dtype real;       /* of complex numbers: the dtype of their parts; NONE: the dtype itself */
  weft_dtype number;     /* of bool: the dtype of its byte in kernels that compute with it; NONE: the dtype itself */
  weft_dtype argument;   /* of bf16, which is no type of OpenCL C: the dtype of a kernel's own parameters */
  int rank;              /* position in the order of promotion */
  char kind;             /* b i u f c */
  char letter;           /* NumPy's letter, as in the types of a ufunc; bf16, which has no letter, has f16's */
  uint8_t dlpack;        /* DLPack's type code */
  uint8_t fraction_bits; /* of floats: stored bits of the significand */
  uint8_t digits;        /* of floats: numbers with more digits before the point are printed with an exponent */
} weft__dtype_row;

#define WEFT__DTYPE_NAMES 64

extern const weft__dtype_row weft__dtype_rows[WEFT_DTYPE_COUNT];

/// NULL for an invalid value.
static inline const weft__dtype_row *weft__dtype(weft_dtype dtype) {
  /* The enumeration may be signed or not. As unsigned, one comparison checks both ends. */
  unsigned index = (unsigned)dtype;
  return index != WEFT_DTYPE_NONE && index < WEFT_DTYPE_COUNT ? &weft__dtype_rows[index] : NULL;
}
/// weft_dtype_kind without a call.
static inline char weft__dtype_kind(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(dtype);
  return row ? row->kind : 0;
}
/// The dtypes in the order of promotion, from rank 0 on; NONE after the last.
weft_dtype weft__dtype_of_rank(int rank);
/// The dtype of a complex dtype's parts; otherwise the dtype itself.
weft_dtype weft__real_dtype(weft_dtype dtype);
/// The dtype of the numbers in an element: for complex dtypes the dtype of their parts, for bool u8.
weft_dtype weft__number_dtype(weft_dtype dtype);
/// The dtype that elements are computed in: it differs only for narrow floats, which are storage formats.
weft_dtype weft__computed_dtype(weft_dtype dtype);
bool weft__is_narrow(weft_dtype dtype);
/// bool and the integer dtypes.
bool weft__is_whole(weft_dtype dtype);
/// f64 and c128.
bool weft__needs_fp64(weft_dtype dtype);
/// The dtypes of a kind, for messages: "f16, f32 or f64".
const char *weft__dtype_names(char names[WEFT__DTYPE_NAMES], char kind);

/// A float dtype's format: bits of the exponent, and the bits of infinity.
int weft__exponent_bits(weft_dtype dtype);
uint64_t weft__infinity_bits(weft_dtype dtype);
/// The bits of the nearest number of a float dtype, ties to even. NaN stays NaN, becomes quiet, and keeps its sign and
/// the leading bits of its payload.
uint64_t weft__float_bits(weft_dtype dtype, double value);
/// Rounds a number to a float dtype; unchanged for other dtypes.
double weft__float_rounded(weft_dtype dtype, double value);

/// The bits of a number of 1, 2, 4 or 8 bytes at any address, aligned or not.
uint64_t weft__element_bits(const void *element, size_t size_bytes);
/// The element of a dtype at any address, aligned or not.
weft_scalar weft__scalar_read(weft_dtype dtype, const void *element);
/// The value as the nearest double; the real part of a complex number.
double weft__scalar_real(weft_scalar value);

#endif
