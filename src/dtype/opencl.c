// SPDX-License-Identifier: MIT
#include "dtype/opencl.h"

const char *weft__cl_stored(weft_dtype dtype) {
  return weft__dtype(dtype)->cl_type;
}

const char *weft__cl_computed(weft_dtype dtype) {
  return weft__cl_stored(weft__computed_dtype(dtype));
}

const char *weft__cl_raw(size_t bytes) {
  switch (bytes) {
    case 1:
      return "uchar";
    case 2:
      return "ushort";
    case 4:
      return "uint";
    case 8:
      return "uint2";
    default:
      return "uint4";
  }
}

const char *weft__cl_chunk(size_t elements, weft_dtype dtype) {
  const size_t size = weft_dtype_size_bytes(dtype), number = weft_dtype_size_bytes(weft__real_dtype(dtype));
  if (number < 8) return weft__cl_raw(elements * size);
  return elements * size == 8 ? "ulong" : "ulong2";
}

const char *weft__cl_least(weft_dtype dtype) {
  const char *least = weft__dtype(dtype)->least;
  return least ? least : "-INFINITY";
}

const char *weft__cl_greatest(weft_dtype dtype) {
  const char *greatest = weft__dtype(dtype)->greatest;
  return greatest ? greatest : "INFINITY";
}

void weft__cl_define(weft__text *text, weft_dtype dtype) {
  weft__text_add(text, "#define T %s\n#define T_FLOAT %d\n", weft__cl_stored(dtype), weft_dtype_kind(dtype) == 'f');
  if (weft_dtype_kind(dtype) == 'f')
    weft__text_add(text, "#define T_DIGITS %d\n", weft__dtype(dtype)->fraction_bits + 1);
  if (weft__is_narrow(dtype)) weft__text_add(text, "#define T_NARROW %s\n", weft_dtype_name(dtype));
}

void weft__cl_add_load(weft__text *text, weft_dtype dtype, const char *stored) {
  if (weft__is_narrow(dtype))
    weft__text_add(text, "weft_from_%s(%s)", weft_dtype_name(dtype), stored);
  else
    weft__text_add(text, "%s", stored);
}

void weft__cl_add_narrowed(weft__text *text, weft_dtype to, weft_dtype from, const char *value) {
  const weft__dtype_row *row = weft__dtype(from);
  const bool is_whole = row->kind == 'i' || row->kind == 'u';
  const char *word = weft__needs_fp64(from)             ? "f64"
                     : !is_whole || row->size_bytes < 4 ? "f32"
                     : row->kind == 'i'                 ? "i64"
                                                        : "u64";
  weft__text_add(text, "weft_to_%s_from_%s(%s%s)", weft_dtype_name(to), word, value, row->kind == 'c' ? ".re" : "");
}

void weft__cl_add_words(weft__text *text, weft_dtype dtype, const char *low, const char *high) {
  const weft__dtype_row *row = weft__dtype(dtype);
  const bool is_wide = weft__needs_fp64(dtype);
  if (weft__is_narrow(dtype))
    weft__text_add(text, "weft_from_%s((%s)%s)", row->name, row->cl_type, low);
  else if (row->kind == 'f')
    weft__text_add(text, is_wide ? "as_double(%s)" : "as_float((uint)%s)", low);
  else if (row->kind == 'c' && is_wide)
    weft__text_add(text, "weft_cmake_%s(as_double(%s), as_double(%s))", row->name, low, high);
  else if (row->kind == 'c')
    weft__text_add(text, "weft_cmake_%s(as_float((uint)%s), as_float((uint)(%s >> 32)))", row->name, low, low);
  else
    weft__text_add(text, "(%s)%s", row->cl_type, low);
}
