// SPDX-License-Identifier: MIT
#include "expr/emit.h"

#include <inttypes.h>
#include <string.h>

#include "dtype/scalar.h"

/* ---- the source being written ---- */

#define MOST_INCLUDES 64 /* more than there are headers, counted for each dtype that they serve */

typedef struct emission {
  weft__text *text;
  const weft__formula *f;
  struct {
    const char *header;
    weft_dtype type; /* of a header for one dtype; else NONE */
  } include[MOST_INCLUDES];
  int includes;
  int fast; /* the flag (FAST, FAST_GPU) of the branchless functions, while weft_element_fast is written; else 0 */
} emission;

/// Whether the header was not included yet for the dtype, and notes that it is now.
static bool is_new(emission *e, const char *header, weft_dtype type) {
  for (int k = 0; k < e->includes; k++)
    if (e->include[k].type == type && strcmp(e->include[k].header, header) == 0) return false;
  if (e->includes < MOST_INCLUDES) {
    e->include[e->includes].header = header;
    e->include[e->includes++].type = type;
  }
  return true;
}

static void include_once(emission *e, const char *header) {
  if (is_new(e, header, WEFT_DTYPE_NONE)) weft__text_add(e->text, "#include \"%s\"\n", header);
}

/// Includes the header of a row's s. The header of doubles, NAME_f64.clh, has include guards of its own.
static void include_own(emission *e, const weft__op *row, weft_dtype type) {
  if (weft__needs_fp64(type))
    weft__text_add(e->text, "#include \"%.*s_f64.clh\"\n", (int)strcspn(row->s_include, "."), row->s_include);
  else
    include_once(e, row->s_include);
}

/// The unsigned type in which integers of a dtype are computed: signed overflow is undefined in OpenCL C, as in C, and
/// types narrower than int are promoted.
static const char *unsigned_type(weft_dtype dtype) {
  return weft_dtype_size_bytes(dtype) == 8 ? "ulong" : "uint";
}

/// Includes the functions of one dtype that table texts call: from `header`, or from the dtype's own if it is "". The
/// headers undefine T, NAME and BITS at their end.
static void need_functions(emission *e, weft_dtype type, const char *header) {
  const weft_dtype computed = weft__computed_dtype(type);
  char kind = weft_dtype_kind(computed);
  if (!is_new(e, header, computed)) return;
  weft__text_add(e->text, "#define T %s\n#define NAME(x) x##_%s\n#define BITS %d\n", weft__cl_computed(computed),
                 weft_dtype_name(computed), 8 * (int)weft_dtype_size_bytes(computed));
  if (header[0])
    weft__text_add(e->text, "#include \"%s\"\n", header);
  else if (kind == 'f')
    weft__text_add(e->text, "#include \"math/float.clh\"\n");
  else
    weft__text_add(e->text, "#define U %s\n#define IS_SIGNED %d\n#include \"math/integer.clh\"\n", unsigned_type(type),
                   kind == 'i');
}

static void need_type(emission *e, weft_dtype dtype) {
  if (weft__is_narrow(dtype)) include_once(e, "math/narrow.clh");
  if (weft_dtype_kind(dtype) == 'c') include_once(e, "math/complex.clh");
}

static bool is_saturated(weft_dtype to, weft_dtype from) {
  const char a = weft_dtype_kind(from), b = weft_dtype_kind(to);
  return (a == 'f' || a == 'c') && (b == 'i' || b == 'u');
}

static void need_cast(emission *e, weft_dtype to, weft_dtype from) {
  if (is_saturated(to, from)) include_once(e, "math/saturate.clh");
}

/* ---- operations as functions ---- */

static const char *choose_text(const weft__op *row, weft_dtype type) {
  switch (weft_dtype_kind(type)) {
    case 'b':
      return row->text_b;
    case 'f':
      return row->text_s[0] ? row->text_s : row->text_f;
    case 'c':
      return row->text_c;
    default:
      return row->text_n;
  }
}

static void add_expanded(weft__text *text, const char *from, weft_dtype type) {
  for (; *from; from++) {
    if (*from != '$')
      weft__text_add_bytes(text, from, 1);
    else if (from[1] == 'U' && ++from)
      weft__text_add(text, "%s", unsigned_type(type));
    else if (from[1] == 'T' && ++from)
      weft__text_add(text, "%s", weft__cl_computed(type));
    else
      weft__text_add(text, "%s", weft_dtype_name(weft__computed_dtype(type)));
  }
}

static bool is_exact(const weft__formula *f, const weft__node *node) {
  return weft__op_row(node->op)->flags & WEFT__OP_EXACT &&
         f->node[node->argument[0]].dtype != f->node[node->argument[1]].dtype;
}

/// Writes a comparison of i64 with u64, which C would do in u64: "a < b" of the row becomes a sign test of
/// weft_compare's result.
static void add_exact(weft__text *text, const char *comparison, bool first_is_signed) {
  const char *operation = comparison + 2;
  weft__text_add(text, first_is_signed ? "weft_compare_i64_u64(a, b) %.*s 0" : "0 %.*s weft_compare_i64_u64(b, a)",
                 (int)strcspn(operation, " "), operation);
}

static void add_function_name(emission *e, const weft__node *node) {
  const char *mixed =
      is_exact(e->f, node) ? (e->f->node[node->argument[0]].dtype == WEFT_I64 ? "_u64" : "_swapped") : "";
  weft__text_add(e->text, "weft_do_%s_%s%s", weft__op_row(node->op)->name, weft_dtype_name(node->type), mixed);
}

/// Calls a function that works on the stored bits of a narrow float. All other functions of narrow floats compute in
/// f32.
static void add_narrow_call(weft__text *text, const weft__op *row, weft_dtype type, int operands) {
  const char *name = weft_dtype_name(type);
  weft__text_add(text, "weft_from_%s(weft_%s_%s(", name, row->name, name);
  for (int k = 0; k < operands; k++) {
    if (k) weft__text_add(text, ", ");
    weft__cl_add_narrowed(text, type, type, (const char *[]){"a", "b", "c", "d"}[k]);
  }
  weft__text_add(text, "))");
}

/// Whether an earlier node uses the function of this node.
static bool was_written(const weft__formula *f, const weft__node *node, bool exact) {
  for (const weft__node *other = f->node; other < node; other++)
    if (other->kind == WEFT__NODE_APPLY && other->op == node->op && other->type == node->type &&
        is_exact(f, other) == exact &&
        (!exact || f->node[other->argument[0]].dtype == f->node[node->argument[0]].dtype))
      return true;
  return false;
}

static void add_function(emission *e, const weft__node *node) {
  const weft__op *row = weft__op_row(node->op);
  bool exact = is_exact(e->f, node);
  if (was_written(e->f, node, exact)) return;
  const char *text = exact ? row->text_n : choose_text(row, node->type);
  weft__signature signature;
  weft__op_signature(&signature, row, node->type);
  for (int k = 0; k < weft__op_results(row); k++) need_type(e, signature.result[k]);
  if (exact) {
    need_functions(e, WEFT_I64, "");
  } else if (weft_dtype_kind(node->type) == 'c') {
    if (row->c_include[0]) include_once(e, row->c_include);
  } else if (text == row->text_s) {
    include_own(e, row, node->type);
  } else if (strstr(text, "weft_")) {
    need_functions(e, node->type, weft_dtype_kind(node->type) == 'f' && !row->text_s[0] ? row->s_include : "");
  }
  const char *result = weft__cl_computed(signature.result[0]);
  weft__text_add(e->text, "static inline %s ", result);
  add_function_name(e, node);
  weft__text_add(e->text, "(");
  for (int k = 0; k < node->argument_count; k++)
    weft__text_add(e->text, "%s%s %c", k ? ", " : "", weft__cl_computed(e->f->node[node->argument[k]].dtype),
                   "abcd"[k]);
  if (weft__op_results(row) == 2) weft__text_add(e->text, ", __private %s *r", weft__cl_computed(signature.result[1]));
  weft__text_add(e->text, ") { return ");
  if (weft_dtype_kind(signature.result[0]) != 'c') weft__text_add(e->text, "(%s)", result);
  weft__text_add(e->text, "(");
  if (exact)
    add_exact(e->text, text, e->f->node[node->argument[0]].dtype == WEFT_I64);
  else if (weft__is_narrow(node->type) && row->flags & WEFT__OP_BITS)
    add_narrow_call(e->text, row, node->type, node->argument_count);
  else
    add_expanded(e->text, text, node->type);
  weft__text_add(e->text, "); }\n");
}

/// Whether the user's function has this word of expressions as a further parameter: one with raw arrays that does not
/// use the name itself.
static bool has_word(const weft__formula *f, int parameters, const char *word) {
  bool has = false;
  for (int k = 0; k < parameters; k++) has = has || f->input[k].is_raw;
  for (int k = 0; k < parameters + (f->call_results > 1 ? f->call_results : 0); k++)
    has = has && strcmp(f->parameter[k], word) != 0;
  return has;
}

/// Writes the user's function. Its parameters have the signature's names; several results are passed as pointers.
static void add_call(emission *e, const weft__node *node) {
  const weft__formula *f = e->f;
  int results = f->call_results;
  for (int k = 0; k < node->argument_count; k++) need_type(e, f->parameter_dtype[k]);
  if (f->preamble) weft__text_add(e->text, "#line 1 \"preamble\"\n%s\n", f->preamble);
  weft__text_add(e->text, "#line 1 \"signatures\"\nstatic inline __attribute__((always_inline)) %s weft_do_call(",
                 results == 1 ? weft__cl_computed(node->dtype) : "void");
  for (int k = 0; k < node->argument_count; k++)
    if (f->input[k].is_raw)
      weft__text_add(e->text, "%s__global const %s *%s, long %s_size", k ? ", " : "",
                     weft__cl_stored(f->parameter_dtype[k]), f->parameter[k], f->parameter[k]);
    else
      weft__text_add(e->text, "%s%s %s", k ? ", " : "", weft__cl_computed(f->parameter_dtype[k]), f->parameter[k]);
  for (int k = 0; k < results && results > 1; k++) /* node[1], node[2], ... are the further results */
    weft__text_add(e->text, ", __private %s *%s", weft__cl_computed(node[k].dtype),
                   f->parameter[node->argument_count + k]);
  if (has_word(f, node->argument_count, "i")) weft__text_add(e->text, ", long i");
  if (has_word(f, node->argument_count, "n")) weft__text_add(e->text, ", long n");
  /* in a block of its own, whose variables may be called i and n */
  weft__text_add(e->text, ") {{\n#line 1 \"source\"\n%s\n}}\n#line 1000000 \"weft\"\n", f->body);
}

/* ---- values ---- */

static void add_cast(weft__text *text, weft_dtype to, weft_dtype from, const char *value) {
  char a = weft_dtype_kind(from), b = weft_dtype_kind(to);
  const char *type = weft__cl_computed(to), *real = weft__cl_computed(weft__real_dtype(to));
  if (to == from)
    weft__text_add(text, "%s", value);
  else if (b == 'b' && a == 'c')
    weft__text_add(text, "(uchar)(%s.re != 0 || %s.im != 0)", value, value);
  else if (b == 'b')
    weft__text_add(text, "(uchar)(%s != 0)", value);
  else if (b == 'c' && a == 'c')
    weft__text_add(text, "weft_cmake_%s((%s)%s.re, (%s)%s.im)", weft_dtype_name(to), real, value, real, value);
  else if (b == 'c')
    weft__text_add(text, "weft_cmake_%s((%s)%s, 0)", weft_dtype_name(to), real, value);
  else if (is_saturated(to, from))
    weft__text_add(text, "weft_%s_of_%s(%s%s)", weft_dtype_name(to),
                   weft_dtype_name(weft__computed_dtype(weft__real_dtype(from))), value, a == 'c' ? ".re" : "");
  else
    weft__text_add(text, "(%s)%s%s", type, value, a == 'c' ? ".re" : "");
}

/// Rounds a value to the precision of a narrow dtype.
static void add_rounded(weft__text *text, weft_dtype to, weft_dtype from, const char *value) {
  weft__text_add(text, "weft_from_%s(", weft_dtype_name(to));
  weft__cl_add_narrowed(text, to, from, value);
  weft__text_add(text, ")");
}

/// A cast to a narrow dtype rounds, unless the dtype holds all values of `from`.
static void add_value_cast(weft__text *text, weft_dtype to, weft_dtype from, const char *value) {
  if (weft__is_narrow(to) && !weft__casts_safely(from, to))
    add_rounded(text, to, from, value);
  else
    add_cast(text, to, from, value);
}

static void add_number(weft__text *text, weft_dtype dtype, weft_scalar number) {
  uint64_t bytes[2];
  char low[32], high[32];
  weft__scalar_bytes(bytes, dtype, number);
  snprintf(low, sizeof low, "0x%" PRIx64 "UL", bytes[0]);
  snprintf(high, sizeof high, "0x%" PRIx64 "UL", bytes[1]);
  weft__cl_add_words(text, dtype, low, high);
}

/// False for weak scalars and numbers: only their typed copies are computed.
static bool is_typed(const weft__node *node) {
  return !node->weak || (node->kind != WEFT__NODE_SCALAR && node->kind != WEFT__NODE_NUMBER);
}

/// Requires fp64: the branchless forms compute in doubles.
static bool is_fast(const weft__formula *f, const weft__node *node, int flag) {
  if (!f->has_fp64 || node->kind != WEFT__NODE_APPLY || !(weft__op_row(node->op)->flags & flag)) return false;
  const bool has_f64 = flag == WEFT__OP_FAST || weft__op_row(node->op)->flags & WEFT__OP_FAST_GPU_F64;
  return weft__computed_dtype(node->type) == WEFT_F32 || (node->type == WEFT_F64 && has_f64);
}

bool weft__emit_has_fast(const weft__formula *f, int flag) {
  for (int k = 0; k < f->count; k++)
    if (is_fast(f, &f->node[k], flag)) return true;
  return false;
}

/// Appends the node's operands: "v1, v2, v5".
static void add_arguments(weft__text *text, const weft__node *node) {
  for (int k = 0; k < node->argument_count; k++) weft__text_add(text, "%sv%d", k ? ", " : "", node->argument[k]);
}

static void add_apply(emission *e, const weft__node *node, int number) {
  weft__text *text = e->text;
  const bool fast = is_fast(e->f, node, e->fast);
  if (fast) {
    weft__text_add(text, "weft_%s_%s_fast(", weft__op_row(node->op)->name,
                   weft_dtype_name(weft__computed_dtype(node->type)));
  } else {
    add_function_name(e, node);
    weft__text_add(text, "(");
  }
  add_arguments(text, node);
  /* the next node is the second result */
  if (weft__op_results(weft__op_row(node->op)) == 2) weft__text_add(text, ", &v%d", number + 1);
  weft__text_add(text, fast ? ", rare)" : ")");
}

/// Declares the results of the user's function and calls it.
static void add_users_call(weft__text *text, const weft__formula *f, const weft__node *node, int number) {
  const int results = f->call_results;
  for (int k = 0; k < results; k++) weft__text_add(text, "  %s v%d;\n", weft__cl_computed(node[k].dtype), number + k);
  if (results == 1) weft__text_add(text, "  v%d = ", number);
  weft__text_add(text, results == 1 ? "weft_do_call(" : "  weft_do_call(");
  for (int k = 0; k < node->argument_count; k++) {
    const weft__node *argument = &f->node[node->argument[k]];
    weft__text_add(text, "%s%c%d", k ? ", " : "", argument->kind == WEFT__NODE_RAW ? 'x' : 'v',
                   argument->kind == WEFT__NODE_RAW ? argument->index : node->argument[k]);
    if (argument->kind == WEFT__NODE_RAW) weft__text_add(text, ", (long)w%d", 2 * argument->argument[0]);
  }
  for (int k = 0; k < results && results > 1; k++)
    weft__text_add(text, "%s&v%d", k || node->argument_count ? ", " : "", number + k);
  if (has_word(f, node->argument_count, "i")) weft__text_add(text, ", index");
  if (has_word(f, node->argument_count, "n")) weft__text_add(text, ", n");
  weft__text_add(text, ")");
  /* any nonzero bool the body returns becomes 1 */
  for (int k = 0; k < results; k++)
    if (node[k].dtype == WEFT_BOOL) weft__text_add(text, ";\n  v%d = v%d != 0", number + k, number + k);
}

static void add_position(weft__text *text, const weft__formula *f, const weft__node *node) {
  const int axis = 2 * node->argument[1], before = 2 * node->argument[2];
  if (f->axes)
    weft__text_add(text, "p%d", node->index);
  else if (before < 0)
    weft__text_add(text, "weft_first_position(index, w%d, w%d)", axis, axis + 1);
  else
    weft__text_add(text, "weft_position(index, w%d, w%d, w%d, w%d)", axis, axis + 1, before, before + 1);
}

/// Appends the expression of a node's value, for every kind except CALL and STORED (see add_node).
static void add_value(emission *e, const weft__node *node, int number) {
  weft__text *text = e->text;
  char value[32], other[32];
  switch (node->kind) {
    case WEFT__NODE_INPUT:
      snprintf(value, sizeof value, "x%d", node->index);
      weft__cl_add_load(text, node->dtype, value);
      break;
    case WEFT__NODE_TAP:
      snprintf(value, sizeof value, "t%d", number);
      weft__cl_add_load(text, node->dtype, value);
      break;
    case WEFT__NODE_POSITION:
      add_position(text, e->f, node);
      break;
    case WEFT__NODE_SCALAR:
      snprintf(value, sizeof value, "w%d", 2 * node->argument[0]);
      snprintf(other, sizeof other, "w%d", 2 * node->argument[0] + 1);
      weft__cl_add_words(text, node->dtype, value, other);
      break;
    case WEFT__NODE_NUMBER:
      add_number(text, node->dtype, node->number);
      break;
    case WEFT__NODE_INDEX:
      weft__text_add(text, "index");
      break;
    case WEFT__NODE_SIZE:
      weft__text_add(text, "n");
      break;
    case WEFT__NODE_CAST:
      snprintf(value, sizeof value, "v%d", node->argument[0]);
      add_value_cast(text, node->dtype, e->f->node[node->argument[0]].dtype, value);
      break;
    case WEFT__NODE_REDUCED: /* not compiled: the text tells formulas apart */
      weft__text_add(text, "%s(v%d, %g", weft__reduction_function((weft_reduction_id)node->op), node->argument[0],
                     node->number.value.f);
      for (int k = 0; k < node->index; k++) weft__text_add(text, ", %d", node->argument[1 + k]);
      weft__text_add(text, node->index < 0 ? ", all)" : ")");
      break;
    default:
      add_apply(e, node, number);
  }
}

/// Appends a value as an array of dtype `to` stores it.
static void add_stored(weft__text *text, weft_dtype to, const weft__formula *f, int number) {
  char value[32];
  const weft__node *node = &f->node[number];
  weft_dtype from = node->dtype;
  snprintf(value, sizeof value, "v%d", number);
  if (weft__is_narrow(to) && from == to && node->kind == WEFT__NODE_INPUT) {
    weft__text_add(text, "x%d", node->index); /* a copy keeps the bits of a NaN */
  } else if (weft__is_narrow(to) && from == to && node->kind == WEFT__NODE_TAP) {
    weft__text_add(text, "t%d", number);
  } else if (weft__is_narrow(to) && from == to && node->kind == WEFT__NODE_STORED) {
    weft__text_add(text, "s%d", number);
  } else if (weft__is_narrow(to) && (from == to || !weft__is_narrow(from))) {
    weft__cl_add_narrowed(text, to, from, value);
  } else if (weft__is_narrow(from)) { /* the value is not rounded yet */
    weft__text rounded = {0};
    add_rounded(&rounded, from, from, value);
    if (weft__is_narrow(to))
      weft__cl_add_narrowed(text, to, from, weft__text_chars(&rounded));
    else
      add_cast(text, to, weft__computed_dtype(from), weft__text_chars(&rounded));
    if (rounded.failed) text->failed = true;
    weft__text_free(&rounded);
  } else {
    add_cast(text, to, from, value);
  }
}

/// Declares a value that comes back from an array, and it as stored.
static void add_returned(weft__text *text, const weft__formula *f, const weft__node *node, int number) {
  char stored[32];
  snprintf(stored, sizeof stored, "s%d", number);
  weft__text_add(text, "  const %s %s = ", weft__cl_stored(node->dtype), stored);
  add_stored(text, node->dtype, f, node->argument[0]);
  weft__text_add(text, ";\n  const %s v%d = ", weft__cl_computed(node->dtype), number);
  weft__cl_add_load(text, node->dtype, stored);
}

static void add_node(emission *e, int number) {
  const weft__formula *f = e->f;
  const weft__node *node = &f->node[number];
  weft__text *text = e->text;
  if (!is_typed(node)) return;
  if (node->kind == WEFT__NODE_MORE || node->kind == WEFT__NODE_RAW) return; /* declared elsewhere */
  if (node->kind == WEFT__NODE_CALL) {
    add_users_call(text, f, node, number);
  } else if (node->kind == WEFT__NODE_STORED) {
    add_returned(text, f, node, number);
  } else {
    for (int k = 0; k < f->count; k++)
      if (f->node[k].kind == WEFT__NODE_MORE && f->node[k].argument[0] == number)
        weft__text_add(text, "  %s v%d;\n", weft__cl_computed(f->node[k].dtype), k);
    weft__text_add(text, "  const %s v%d = ", weft__cl_computed(node->dtype), number);
    add_value(e, node, number);
  }
  weft__text_add(text, ";\n");
}

static void add_element(emission *e, const weft_dtype *out, const char *name) {
  const weft__formula *f = e->f;
  weft__text *text = e->text;
  weft__text_add(text, "static inline __attribute__((always_inline)) void %s%s(long index, long n", name,
                 e->fast ? "_fast" : "");
  for (int d = 0; d < f->axes; d++) weft__text_add(text, ", long p%d", d);
  for (int k = 0; k < 2 * f->scalars; k++) weft__text_add(text, ", ulong w%d", k);
  for (int k = 0; k < f->count && f->axes; k++)
    if (f->node[k].kind == WEFT__NODE_TAP) weft__text_add(text, ", %s t%d", weft__cl_stored(f->node[k].dtype), k);
  for (int k = 0; k < f->inputs && !f->axes; k++)
    if (!f->input[k].is_scalar)
      weft__text_add(text, f->input[k].is_raw ? ", __global const %s *x%d" : ", %s x%d",
                     weft__cl_stored(f->input[k].dtype), k);
  for (int k = 0; k < f->results; k++) weft__text_add(text, ", __private %s *y%d", weft__cl_stored(out[k]), k);
  weft__text_add(text, e->fast ? ", __private int *rare) {\n" : ") {\n");
  for (int k = 0; k < f->count; k++) add_node(e, k);
  for (int k = 0; k < f->results; k++) {
    const bool is_complex = weft_dtype_kind(out[k]) == 'c';
    weft__text_add(text, is_complex ? "  WEFT_CSTORE(y%d, " : "  *y%d = ", k);
    add_stored(text, out[k], f, f->result[k]);
    weft__text_add(text, is_complex ? ");\n" : ";\n");
  }
  weft__text_add(text, "}\n");
}

static void add_functions(emission *e) {
  const weft__formula *f = e->f;
  for (int k = 0; k < f->inputs; k++)
    if (!f->input[k].is_scalar) need_type(e, f->input[k].dtype);
  for (int k = 0; k < f->count; k++) {
    if (is_typed(&f->node[k])) need_type(e, f->node[k].dtype);
    if (f->node[k].kind == WEFT__NODE_POSITION && !f->axes) include_once(e, "map/position.clh");
    if (f->node[k].kind == WEFT__NODE_APPLY) add_function(e, &f->node[k]);
    if (f->node[k].kind == WEFT__NODE_CALL) add_call(e, &f->node[k]);
    if (f->node[k].kind == WEFT__NODE_CAST) need_cast(e, f->node[k].dtype, f->node[f->node[k].argument[0]].dtype);
  }
}

void weft__emit_functions(weft__text *text, const weft__formula *f) {
  emission e = {.text = text, .f = f};
  add_functions(&e);
}

void weft__emit_part(weft__text *text, const weft__formula *f, const weft_dtype *out, const char *name) {
  emission e = {.text = text, .f = f};
  for (int k = 0; k < f->results; k++) need_cast(&e, out[k], f->node[f->result[k]].dtype);
  add_element(&e, out, name);
}

void weft__emit_element(weft__text *text, const weft__formula *f, const weft_dtype *out, int fast) {
  emission e = {.text = text, .f = f};
  for (int k = 0; k < f->results; k++) {
    need_type(&e, out[k]);
    need_cast(&e, out[k], f->node[f->result[k]].dtype);
  }
  add_functions(&e);
  add_element(&e, out, "weft_element");
  e.fast = fast;
  if (weft__emit_has_fast(f, fast)) add_element(&e, out, "weft_element");
}
