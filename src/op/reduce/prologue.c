// SPDX-License-Identifier: MIT
/// The text in front of the kernels of cl/reduce/: the types and operations of one reduction.
#include <string.h>

#include "expr/emit.h"
#include "expr/part.h"
#include "op/reduce/reduce.h"

static const char *const kernel_file[] = {"reduce/gpu_rows.cl",   "reduce/gpu_short.cl", "reduce/gpu_columns.cl",
                                          "reduce/gpu_finish.cl", "reduce/cpu.cl",       "reduce/cpu_finish.cl"};
static const char *const kernel_name[] = {"weft_reduce_rows",   "weft_reduce_short", "weft_reduce_columns",
                                          "weft_reduce_finish", "weft_reduce_cpu",   "weft_reduce_finish"};

static bool is_complex(weft_dtype dtype) {
  return weft_dtype_kind(dtype) == 'c';
}

static weft_dtype real_of(const weft__reduce_key *key) {
  return key->has_fp64 ? WEFT_F64 : WEFT_F32;
}

bool weft__reduce_is_numbered(const weft__reduce_what *what) {
  bool finds_nan = what->gather == WEFT__GATHER_BEST || what->gather == WEFT__GATHER_RANGE;
  return what->gather == WEFT__GATHER_WHERE || (finds_nan && is_complex(what->value) && !what->skip_nan);
}

/// Whether a variance's mean is kept as a distance: a double has digits enough for the mean of floats of 32 bits.
static bool is_shifted(const weft__reduce_what *what, bool has_fp64) {
  const weft_dtype real = weft__real_dtype((weft_dtype)what->value);
  return !has_fp64 || weft__is_whole(real) || weft_dtype_size_bytes(real) > 4;
}

size_t weft__reduce_accumulator_bytes(const weft__reduce_what *what, bool has_fp64) {
  size_t value = weft_dtype_size_bytes((weft_dtype)what->value), cell = weft_dtype_size_bytes((weft_dtype)what->cell);
  size_t real = has_fp64 ? 8 : 4;
  if (what->gather == WEFT__GATHER_RANGE) value *= 2;
  if (weft__reduce_is_numbered(what)) return (value + 7) / 8 * 8 + 8; /* the value, padded to 8 bytes, and its index */
  switch (what->gather) {
    case WEFT__GATHER_SUM: {
      size_t bytes = cell * (what->pair ? 2 : 1) * ((what->two ? 2 : 1) + (what->far ? 2 : 0));
      return what->counted ? (bytes + 7) / 8 * 8 + 8 : bytes;
    }
    case WEFT__GATHER_PROD:
      return cell;
    case WEFT__GATHER_ANY:
    case WEFT__GATHER_ALL:
      return 4;
    case WEFT__GATHER_VARIANCE:
      return (((is_complex(what->value) ? 2 : 1) * (is_shifted(what, has_fp64) ? 2 : 1) + 1) * real + 7) / 8 * 8 + 8;
    default:
      return value;
  }
}

/* ---- values ---- */

void weft__reduce_write_inputs(weft__text *text, const weft__reduce_key *key) {
  weft__text_add(text, "#define R_INS(X)");
  for (int k = 0; k < key->inputs; k++) {
    weft_dtype dtype = (weft_dtype)key->dtype[k];
    weft__text_add(text, " X(%d, %s, %s, %d)", key->number[k], weft__cl_stored(dtype),
                   weft__cl_chunk(key->elements, dtype), k);
  }
  weft__text_add(text, "\n#define R_BESIDE(X)");
  for (int k = key->inputs; k < key->inputs + key->beside; k++)
    weft__text_add(text, " X(%d, %s, %d, %d)", key->number[k], weft__cl_stored((weft_dtype)key->dtype[k]), key->step[k],
                   k);
  weft__text_add(text, "\n");
}

static bool is_beside(const weft__reduce_key *key, int number) {
  for (int k = key->inputs; k < key->inputs + key->beside; k++)
    if (key->number[k] == number) return true;
  return false;
}

/// Adds the element of input `number`, as read, converted to `to`.
static void add_loaded(weft__text *text, const weft__reduce_key *key, int number, weft_dtype to) {
  const weft_dtype from = (weft_dtype)key->dtype[number];
  const char *part = weft__cl_computed(weft__real_dtype(to));
  char in[16];
  snprintf(in, sizeof in, "IN(%d)", number);
  if (is_complex(to) && is_complex(from) && from != to)
    weft__text_add(text, "weft_cmake_%s((%s)%s.re, (%s)%s.im)", weft_dtype_name(to), part, in, part, in);
  else if (is_complex(to) && is_complex(from) && key->kernel == WEFT__REDUCE_CPU)
    weft__text_add(text, "weft_cmake_%s(%s.re, %s.im)", weft_dtype_name(to), in, in);
  else if (is_complex(to) && is_complex(from))
    weft__text_add(text, "%s", in);
  else {
    weft__text_add(text, is_complex(to) ? "weft_cmake_%s((%s)" : "%s(%s)", is_complex(to) ? weft_dtype_name(to) : "",
                   part);
    weft__cl_add_load(text, from, in);
    weft__text_add(text, is_complex(to) ? ", 0)" : "");
  }
}

static void add_zeros(weft__text *text, weft_dtype dtype) {
  if (is_complex(dtype))
    weft__text_add(text, ", weft_cmake_%s(0, 0)", weft_dtype_name(dtype));
  else
    weft__text_add(text, ", 0");
}

static void add_element_call(weft__text *text, const weft__reduce_value *value, const char *index) {
  weft__text_add(text, "%s((long)(%s), (long)args.all", value->function, index);
  for (int k = 0; k < 2 * value->formula->scalars; k++)
    weft__text_add(text, ", args.scalar[%d]", value->place ? 2 * value->place[k / 2] + k % 2 : k);
}

static weft_dtype stored_value(const weft__reduce_what *what) {
  return weft__computed_dtype((weft_dtype)what->mapped);
}

void weft__reduce_write_value(weft__text *text, const weft__reduce_value *value, const weft__reduce_what *what) {
  const weft__formula *f = value->formula;
  const bool is_user = what->gather == WEFT__GATHER_USER;
  const weft_dtype out = value->is_stored ? (weft_dtype)what->mapped : stored_value(what);
  weft__text_add(text, "#define %s { %s mapped, none; (void)sizeof none; ", value->macro, weft__cl_stored(out));
  add_element_call(text, value, value->index);
  for (int k = 0; k < f->inputs - 2 * is_user; k++) {
    const int from = value->from ? value->from[k] : k;
    if (f->input[k].is_scalar) continue;
    if (from < 0)
      weft__text_add(text, ", R_REDUCED(%d)", WEFT__OF_REDUCED(from));
    else
      weft__text_add(text, is_beside(value->key, from) ? ", R_OF_RESULT(%d)" : ", IN(%d)", from);
  }
  for (int k = 0; k < 2 * is_user; k++) add_zeros(text, out);
  weft__text_add(text, is_user ? ", &mapped, &none); " : ", &mapped); ");
  if (what->magnitude && is_complex(out))
    weft__text_add(text, "v = weft_cabs_%s(mapped); }\n", weft_dtype_name(out));
  else if (what->magnitude)
    weft__text_add(text, "v = fabs((%s)mapped); }\n", weft__cl_computed((weft_dtype)what->value));
  else if (is_complex(what->value) || value->is_stored)
    weft__text_add(text, "v = mapped; }\n");
  else
    weft__text_add(text, "v = (%s)mapped; }\n", weft__cl_computed((weft_dtype)what->value));
}

/// Adds the formula's function, used twice: for the value of an element, and for the combination of the two inputs
/// after the call's own.
static void add_formula(weft__text *text, const weft__reduce_key *key, const weft__plan *plan) {
  const weft__formula *f = &plan->formula;
  const weft__reduce_what *what = &key->what;
  const weft_dtype out[2] = {stored_value(what), stored_value(what)};
  const weft__reduce_value value = {
      .macro = "R_MAP(IN, index, v)", .function = "weft_element", .index = "index", .formula = f, .key = key};
  const char *type = weft__cl_stored(out[0]);
  weft__emit_element(text, f, out, 0);
  weft__reduce_write_value(text, &value, what);
  if (what->gather != WEFT__GATHER_USER) return;
  weft__text_add(text, "#define R_COMBINE(a, b, result) { %s mapped, combined; ", type);
  add_element_call(text, &value, "0");
  for (int k = 0; k < f->inputs - 2; k++)
    if (!f->input[k].is_scalar) add_zeros(text, f->input[k].dtype);
  weft__text_add(text, is_complex(out[0]) ? ", (a), (b)" : ", (%s)(a), (%s)(b)", type, type);
  weft__text_add(text, is_complex(out[0]) ? ", &mapped, &combined); *(result) = combined; }\n"
                                          : ", &mapped, &combined); *(result) = (R_VALUE)combined; }\n");
}

static void add_map(weft__text *text, const weft__reduce_key *key) {
  const weft__reduce_what *what = &key->what;
  weft_dtype value = (weft_dtype)what->value;
  const char *name = weft_dtype_name(value);
  weft__text_add(text, "#define R_MAP(IN, index, v) { (void)(index); v = ");
  switch (what->source) {
    case WEFT__SOURCE_PRODUCT:
    case WEFT__SOURCE_CONJUGATE_PRODUCT: {
      bool conjugate = is_complex(value) && what->source == WEFT__SOURCE_CONJUGATE_PRODUCT;
      if (is_complex(value)) weft__text_add(text, "weft_cmul_%s(", name);
      if (conjugate) weft__text_add(text, "weft_cconj_%s(", name);
      add_loaded(text, key, 0, value);
      weft__text_add(text, conjugate ? "), " : is_complex(value) ? ", " : " * ");
      add_loaded(text, key, 1, value);
      weft__text_add(text, is_complex(value) ? "); }\n" : "; }\n");
      return;
    }
    case WEFT__SOURCE_BOTH:
      weft__text_add(text, "IN(0) && IN(1); }\n");
      return;
    default:
      if (what->magnitude && is_complex(key->dtype[0])) {
        weft__text_add(text, "weft_cabs_%s(IN(0)); }\n", weft_dtype_name((weft_dtype)key->dtype[0]));
        return;
      }
      if (what->magnitude) weft__text_add(text, "fabs(");
      add_loaded(text, key, 0, value);
      weft__text_add(text, what->magnitude ? "); }\n" : "; }\n");
  }
}

/* ---- the operation ---- */

static void add_term(weft__text *text, const weft__reduce_what *what) {
  const char *name = weft_dtype_name((weft_dtype)what->value);
  bool complex = is_complex(what->value), whole = weft_dtype_kind((weft_dtype)what->value) != 'f';
  const char *plain[] = {"(R_CELL)(v)", "(R_CELL)R_IS_TRUE(v)", "(R_CELL)(v) * (R_CELL)(v)",
                         whole ? "fabs((R_CELL)(v))" : "(R_CELL)fabs(v)"};
  if (complex && what->term == WEFT__TERM_SQUARE)
    weft__text_add(text, "#define R_TERM(v) (R_CELL)(v).re * (R_CELL)(v).re + (R_CELL)(v).im * (R_CELL)(v).im\n");
  else if (complex && what->term == WEFT__TERM_MAGNITUDE)
    weft__text_add(text, "#define R_TERM(v) (R_CELL)weft_cabs_%s(v)\n", name);
  else if (complex && what->term == WEFT__TERM_VALUE && what->gather == WEFT__GATHER_SUM)
    weft__text_add(text, "#define R_TERM(v) (R_CELL)(v).re\n#define R_TERM2(v) (R_CELL)(v).im\n");
  else if (complex && what->gather == WEFT__GATHER_PROD)
    weft__text_add(text, "#define R_TERM(v) (v)\n");
  else
    weft__text_add(text, "#define R_TERM(v) %s\n", plain[what->term]);
}

/// What cl/reduce/ops.clh needs for squares beyond the accumulator's numbers: no sum of fewer than 2^38 scaled squares
/// overflows, and none of a denormal number's vanishes.
static void add_far(weft__text *text, const weft__reduce_what *what) {
  const bool is_wide = what->cell == WEFT_F64;
  weft__text_add(text, "#define R_FAR %d\n", what->far);
  if (!what->far) return;
  weft__text_add(text, is_wide ? "#define R_MOST 0x1p900\n#define R_LEAST 0x1p-900\n#define R_NEAR_ZERO 0x1p-500\n"
                                 "#define R_DOWN 0x1p-600\n#define R_UP 0x1p600\n"
                               : "#define R_MOST 0x1p80f\n#define R_LEAST 0x1p-90f\n#define R_NEAR_ZERO 0x1p-60f\n"
                                 "#define R_DOWN 0x1p-90f\n#define R_UP 0x1p90f\n");
  weft__text_add(text, is_complex(what->value) ? "#define R_SCALED(v, by) (((v).re * (by)) * ((v).re * (by)) + "
                                                 "((v).im * (by)) * ((v).im * (by)))\n"
                                               : "#define R_SCALED(v, by) (((v) * (by)) * ((v) * (by)))\n");
}

static void add_number(weft__text *text, const char *macro, weft_dtype value, const char *number) {
  if (is_complex(value))
    weft__text_add(text, "#define %s weft_cmake_%s(%s, %s)\n", macro, weft_dtype_name(value), number, number);
  else
    weft__text_add(text, "#define %s %s\n", macro, number);
}

static void add_order(weft__text *text, const weft__reduce_what *what) {
  const weft_dtype value = (weft_dtype)what->value;
  const char *number = what->skip_nan && what->gather == WEFT__GATHER_BEST ? "NAN"
                       : what->greatest                                    ? weft__cl_least(value)
                                                                           : weft__cl_greatest(value);
  add_number(text, "R_WORST", value, number);
  if (is_complex(value))
    weft__text_add(text, "#define R_BETTER(x, a) weft_c%s_%s((x), (a))\n", what->greatest ? "greater" : "less",
                   weft_dtype_name(value));
  else
    weft__text_add(text, "#define R_BETTER(x, a) ((x) %s (a))\n", what->greatest ? ">" : "<");
}

static void add_difference(weft__text *text, weft_dtype value) {
  add_number(text, "R_FIRST", value, weft__cl_least(value));
  if (is_complex(value))
    weft__text_add(text, "#define R_MINUS(a, b) weft_csub_%s((a), (b))\n", weft_dtype_name(value));
  else if (weft_dtype_kind(value) == 'f')
    weft__text_add(text, "#define R_MINUS(a, b) ((a) - (b))\n");
  else
    weft__text_add(text, "#define R_MINUS(a, b) ((R_VALUE)((ulong)(a) - (ulong)(b)))\n");
}

static void add_operation(weft__text *text, const weft__reduce_key *key) {
  const weft__reduce_what *what = &key->what;
  const char *cell = weft_dtype_name((weft_dtype)what->cell);
  switch (what->gather) {
    case WEFT__GATHER_SUM:
      weft__text_add(
          text,
          "#define R_CELL %s\n#define R_CELL_FLOAT %d\n#define R_PAIR %d\n#define R_TWO %d\n#define R_COUNTED %d\n",
          weft__cl_computed((weft_dtype)what->cell), weft_dtype_kind((weft_dtype)what->cell) == 'f', what->pair,
          what->two, what->counted);
      weft__text_add(text, "#define R_FINISH %d\n", what->finish);
      add_far(text, what);
      add_term(text, what);
      break;
    case WEFT__GATHER_PROD:
      weft__text_add(text, "#define R_CELL %s\n", weft__cl_computed((weft_dtype)what->cell));
      if (is_complex(what->cell))
        weft__text_add(text, "#define R_MUL(a, v) weft_cmul_%s((a), (v))\n#define R_ONE weft_cmake_%s(1, 0)\n", cell,
                       cell);
      else
        weft__text_add(text, "#define R_MUL(a, v) ((a) * (v))\n#define R_ONE 1\n");
      add_term(text, what);
      break;
    case WEFT__GATHER_BEST:
    case WEFT__GATHER_WHERE:
      add_order(text, what);
      break;
    case WEFT__GATHER_RANGE:
      add_order(text, what);
      add_difference(text, (weft_dtype)what->value);
      break;
    case WEFT__GATHER_VARIANCE:
      weft__text_add(text, "#define R_ROOT %d\n#define R_SHIFTED %d\n", what->finish == WEFT__FINISH_ROOT,
                     is_shifted(what, key->has_fp64));
      break;
    case WEFT__GATHER_USER:
      weft__text_add(text, "#define R_NEUTRAL ");
      weft__cl_add_words(text, (weft_dtype)what->value, "args.neutral[0]", "args.neutral[1]");
      weft__text_add(text, "\n");
      break;
    default:
      break;
  }
}

/// The dtype of R_STORE's argument.
static weft_dtype finished_dtype(const weft__reduce_key *key) {
  const weft__reduce_what *what = &key->what;
  switch (what->gather) {
    case WEFT__GATHER_SUM:
      return what->finish == WEFT__FINISH_MEAN ? real_of(key) : (weft_dtype)what->cell;
    case WEFT__GATHER_PROD:
      return (weft_dtype)what->cell;
    case WEFT__GATHER_VARIANCE:
      return real_of(key);
    default:
      return (weft_dtype)what->value;
  }
}

static void add_store(weft__text *text, const weft__reduce_key *key) {
  weft_dtype result = (weft_dtype)key->what.result;
  const char *part = weft__cl_computed(weft__real_dtype(result));
  weft__text_add(text, "#define R_OUT %s\n", weft__cl_stored(result));
  if (is_complex(result))
    weft__text_add(text, "#define R_STORE2(re, im) weft_cmake_%s((%s)(re), (%s)(im))\n", weft_dtype_name(result), part,
                   part);
  else if (weft__is_narrow(result)) {
    weft__text_add(text, "#define R_STORE(x) ");
    weft__cl_add_narrowed(text, result, finished_dtype(key), "(x)");
    weft__text_add(text, "\n");
  } else if (result == WEFT_BOOL)
    weft__text_add(text, "#define R_STORE(x) (uchar)((x) != 0)\n");
  else
    weft__text_add(text, "#define R_STORE(x) (%s)(x)\n", part);
}

void weft__reduce_write_operation(weft__text *text, const weft__reduce_key *key) {
  const weft__reduce_what *what = &key->what;
  weft__text_add(text,
                 "#define R_OP %d\n#define R_VALUE %s\n#define R_PART %s\n#define R_COMPLEX %d\n#define R_FLOAT %d\n"
                 "#define R_SKIP_NAN %d\n#define R_REAL %s\n",
                 what->gather, weft__cl_computed((weft_dtype)what->value),
                 weft__cl_computed(weft__real_dtype((weft_dtype)what->value)), is_complex(what->value),
                 weft_dtype_kind((weft_dtype)what->value) == 'f', what->skip_nan, weft__cl_computed(real_of(key)));
  add_store(text, key);
  add_operation(text, key);
}

typedef struct front {
  const weft__reduce_key *key;
  const weft__plan *plan;
} front;

static void write_front(weft__text *text, const void *data) {
  const weft__reduce_key *key = ((const front *)data)->key;
  const weft__plan *plan = ((const front *)data)->plan;
  weft__text_add(text,
                 "#define WEFT_BLOCK %d\n#define R_LANES %d\n#define R_E %d\n#define R_U %d\n#define R_ACROSS %d\n"
                 "#define R_STEPS %d\n",
                 key->kernel == WEFT__REDUCE_CPU || key->kernel == WEFT__REDUCE_CPU_FINISH ? 32 : WEFT__GPU_BLOCK,
                 WEFT__REDUCE_LANES, key->elements, key->unroll, key->across, key->steps);
  weft__text_add(text, "#include \"math/narrow.clh\"\n#include \"math/complex.clh\"\n");
  if (plan && plan->formula.scalars) weft__text_add(text, "#define R_SCALARS %d\n", 2 * plan->formula.scalars);
  weft__reduce_write_operation(text, key);
  weft__reduce_write_inputs(text, key);
  if (plan)
    add_formula(text, key, plan);
  else if (key->inputs)
    add_map(text, key);
}

weft_status weft__reduce_kernel_get(weft__kernel **kernel, weft_context *context, const weft__reduce_key *key,
                                    const weft__plan *plan) {
  const front data = {key, plan};
  const weft__kernel_source source = {.name = "reductions",
                                      .key = {.file = kernel_file[key->kernel],
                                              .kernel = &kernel_name[key->kernel],
                                              .kernels = 1,
                                              .owner = plan,
                                              WEFT__KEY_BYTES(weft__reduce_key, key)},
                                      .write = write_front,
                                      .data = &data};
  return weft__kernels_get(kernel, &context->store, &source);
}
