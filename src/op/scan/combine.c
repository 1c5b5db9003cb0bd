// SPDX-License-Identifier: MIT
#include "op/scan/combine.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "expr/emit.h"

/// The NaN that means "no factor yet" in products of complex numbers. 1 is not neutral there: 1 * (inf + 0i) has a NaN.
#define NONE_F32 "0x7fc5ca4eu"
#define NONE_F64 "0x7ff8000005ca4e00ul"

static bool adds_up(const weft__scan *scan) {
  return !scan->combine && (scan->op == WEFT_SCAN_SUM || scan->op == WEFT_SCAN_PROD);
}

/// The OpenCL type in which elements are combined. Integers have 4 or 8 bytes, and are unsigned for sums and products,
/// whose overflow is then defined.
static const char *combined_type(const weft__scan *scan) {
  bool is_wide = weft_dtype_size_bytes(scan->out) == 8, is_signed = weft_dtype_kind(scan->out) == 'i' && !adds_up(scan);
  if (!weft__is_whole(scan->out)) return weft__cl_computed(scan->out);
  return is_wide ? (is_signed ? "long" : "ulong") : is_signed ? "int" : "uint";
}

int weft__scan_words(const weft__scan *scan) {
  int size = (int)weft_dtype_size_bytes(scan->out);
  return size < 4 ? 1 : size / 4;
}

/* ---- the operation ---- */

static void add_user(weft__text *text, const weft__scan *scan) {
  const weft_dtype dtype = weft__computed_dtype(scan->in);
  const char *stored = weft__cl_stored(dtype), *type = combined_type(scan);
  weft__emit_element(text, scan->combine, &dtype, 0);
  weft__text_add(text, "static inline %s scan_user(%s a, %s b) {\n  %s y;\n", type, type, type, stored);
  if (weft_dtype_kind(dtype) == 'c')
    weft__text_add(text, "  weft_element(0, 0, a, b, &y);\n");
  else
    weft__text_add(text, "  weft_element(0, 0, (%s)a, (%s)b, &y);\n", stored, stored);
  weft__text_add(text, "  return y;\n}\n#define SCAN_OP(a, b) scan_user(a, b)\n");
}

static void add_complex(weft__text *text, const weft__scan *scan) {
  static const char *const name[] = {"add", "mul", "maximum", "minimum"};
  const char *dtype = weft_dtype_name(scan->out);
  bool is_wide = scan->out == WEFT_C128;
  if (scan->op == WEFT_SCAN_PROD)
    weft__text_add(text,
                   "static inline bool scan_is_none(weft_%s z) { return as_%s(z.re) == %s; }\n"
                   "static inline weft_%s scan_times(weft_%s a, weft_%s b) {\n"
                   "  return scan_is_none(a) ? b : scan_is_none(b) ? a : weft_cmul_%s(a, b);\n}\n"
                   "static inline weft_%s scan_shown(weft_%s z) { return scan_is_none(z) ? weft_cmake_%s(1, 0) : z; }\n"
                   "#define SCAN_OP(a, b) scan_times(a, b)\n",
                   dtype, is_wide ? "ulong" : "uint", is_wide ? NONE_F64 : NONE_F32, dtype, dtype, dtype, dtype, dtype,
                   dtype, dtype);
  else
    weft__text_add(text, "#define SCAN_OP(a, b) weft_c%s_%s(a, b)\n", name[scan->op], dtype);
}

static void add_operation(weft__text *text, const weft__scan *scan) {
  static const char *const integer[] = {"a + b", "a * b", "max(a, b)", "min(a, b)"};
  static const char *const real[] = {"a + b", "a * b", "(a >= b || a != a ? a : b)", "(a <= b || a != a ? a : b)"};
  if (weft__is_narrow(scan->out)) weft__text_add(text, "#include \"math/narrow.clh\"\n");
  if (weft_dtype_kind(scan->out) == 'c') weft__text_add(text, "#include \"math/complex.clh\"\n");
  if (scan->combine)
    add_user(text, scan);
  else if (weft_dtype_kind(scan->out) == 'c')
    add_complex(text, scan);
  else
    weft__text_add(text, "#define SCAN_OP(a, b) %s\n", weft__is_whole(scan->out) ? integer[scan->op] : real[scan->op]);
}

/* ---- the neutral element ---- */

static void add_float(weft__text *text, bool is_wide, uint64_t bits) {
  weft__text_add(text, is_wide ? "as_double(0x%" PRIx64 "ul)" : "as_float(0x%" PRIx64 "u)", bits);
}

/// The bits of x in f32 or f64.
static uint64_t float_bits(double x, bool is_wide) {
  uint64_t wide;
  uint32_t narrow;
  float single = (float)x;
  memcpy(&wide, &x, sizeof wide);
  memcpy(&narrow, &single, sizeof narrow);
  return is_wide ? wide : narrow;
}

static void add_complex_number(weft__text *text, weft_dtype dtype, uint64_t re, uint64_t im) {
  weft__text_add(text, "weft_cmake_%s(", weft_dtype_name(dtype));
  add_float(text, dtype == WEFT_C128, re);
  weft__text_add(text, ", ");
  add_float(text, dtype == WEFT_C128, im);
  weft__text_add(text, ")");
}

static void add_integer(weft__text *text, const weft__scan *scan) {
  const char *number = scan->op == WEFT_SCAN_SUM    ? "0"
                       : scan->op == WEFT_SCAN_PROD ? "1"
                       : scan->op == WEFT_SCAN_MAX  ? weft__cl_least(scan->out)
                                                    : weft__cl_greatest(scan->out);
  weft__text_add(text, "((%s)%s)", combined_type(scan), number);
}

static void add_neutral(weft__text *text, const weft__scan *scan) {
  char kind = weft_dtype_kind(scan->out);
  const bool is_wide = weft__needs_fp64(scan->out);
  /* -0, since 0 + -0 would be 0 */
  double value = scan->op == WEFT_SCAN_SUM    ? -0.0
                 : scan->op == WEFT_SCAN_PROD ? 1
                 : scan->op == WEFT_SCAN_MAX  ? -INFINITY
                                              : INFINITY;
  weft__text_add(text, "#define SCAN_NEUTRAL ");
  if (scan->combine && kind == 'c') {
    uint64_t low = is_wide ? scan->neutral[0] : scan->neutral[0] & 0xffffffffu;
    add_complex_number(text, scan->out, low, is_wide ? scan->neutral[1] : scan->neutral[0] >> 32);
  } else if (scan->combine && kind == 'f') {
    add_float(text, is_wide, scan->neutral[0]);
  } else if (scan->combine) {
    weft__text_add(text, "((%s)(%s)0x%" PRIx64 "ul)", combined_type(scan), weft__cl_stored(scan->in), scan->neutral[0]);
  } else if (kind == 'c' && scan->op == WEFT_SCAN_PROD) {
    weft__text_add(text, "weft_cmake_%s(as_%s(%s), 0)", weft_dtype_name(scan->out), is_wide ? "double" : "float",
                   is_wide ? NONE_F64 : NONE_F32);
  } else if (kind == 'c') {
    add_complex_number(text, scan->out, float_bits(value, is_wide), float_bits(value, is_wide));
  } else if (kind == 'f') {
    add_float(text, is_wide, float_bits(value, is_wide));
  } else {
    add_integer(text, scan);
  }
  weft__text_add(text, "\n#define SCAN_SHOWN(a) ");
  if (scan->combine || (scan->op != WEFT_SCAN_SUM && !(kind == 'c' && scan->op == WEFT_SCAN_PROD)) ||
      weft__is_whole(scan->out))
    weft__text_add(text, "(a)\n");
  else if (kind == 'f')
    weft__text_add(text, "scan_no_minus_0(a)\n");
  else if (scan->op == WEFT_SCAN_SUM)
    weft__text_add(text, "weft_cmake_%s(scan_no_minus_0((a).re), scan_no_minus_0((a).im))\n",
                   weft_dtype_name(scan->out));
  else
    weft__text_add(text, "scan_shown(a)\n");
}

/* ---- conversions ---- */

static void add_conversions(weft__text *text, const weft__scan *scan) {
  const char *type = combined_type(scan), *in = weft__cl_stored(scan->in), *out = weft__cl_stored(scan->out);
  weft__text_add(text, "#define SCAN_IN %s\n#define SCAN_OUT %s\n#define SCAN_T %s\n#define SCAN_WORDS %d\n", in, out,
                 type, weft__scan_words(scan));
  if (weft__is_narrow(scan->out)) {
    weft__text_add(text, "#define SCAN_LOAD(x) ");
    weft__cl_add_load(text, scan->out, "x");
    weft__text_add(text, "\n#define SCAN_STORE(a) ");
    weft__cl_add_narrowed(text, scan->out, scan->out, "a");
    weft__text_add(text, "\n");
  } else if (weft_dtype_kind(scan->out) == 'c')
    weft__text_add(text, "#define SCAN_LOAD(x) (x)\n#define SCAN_STORE(a) (a)\n");
  else
    weft__text_add(text, "#define SCAN_LOAD(x) ((%s)(x))\n#define SCAN_STORE(a) ((%s)(a))\n", type, out);
}

void weft__scan_write(weft__text *text, const void *data) {
  const weft__scan_source *source = data;
  const weft__scan *scan = source->scan;
  const weft__scan_key *key = &source->key;
  add_operation(text, scan);
  add_conversions(text, scan);
  add_neutral(text, scan);
  weft__text_add(text,
                 "#define SCAN_EXCLUSIVE %d\n#define SCAN_REVERSE %d\n#define SCAN_FLAGS %d\n#define SCAN_ROWS %d\n",
                 key->exclusive, key->reverse, key->flags, key->rows);
  weft__text_add(text, "#define SCAN_LOOKBACK %d\n", key->lookback);
  weft__text_add(text,
                 "#define WEFT_BLOCK %d\n#define SCAN_VPT %d\n#define SCAN_E %d\n#define SCAN_ALIGNED %d\n#define "
                 "SCAN_LAYOUT %d\n",
                 key->block, key->vpt, key->elements, key->aligned, key->layout);
  /* false for operations whose result may depend on the order of operands */
  bool commutes =
      !scan->combine && (scan->op == WEFT_SCAN_SUM || scan->op == WEFT_SCAN_PROD || weft__is_whole(scan->out));
  weft__text_add(text, "#define SCAN_COMMUTES %d\n", commutes);
  weft__text_add(text, "#define SCAN_RAW_IN %s\n#define SCAN_RAW_OUT %s\n", weft__cl_chunk(key->elements, scan->in),
                 weft__cl_chunk(key->elements, scan->out));
}
