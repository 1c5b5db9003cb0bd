// SPDX-License-Identifier: MIT
/// weft/elementwise.h: expressions for weft_eval and weft_reduce, chosen by the operands' dtypes.
#include <math.h>
#include <weft/elementwise.h>
#include <weft/eval.h>
#include <weft/reduce.h>

#include "array/strides.h"
#include "base/scratch.h"
#include "call/call.h"
#include "op/index/gather.h"

static const char *const both[] = {"a", "b"}, *const only[] = {"x"};

/// An operand as a variable of an expression.
static weft_operand named(const char *name, weft_operand operand) {
  operand.name = name;
  return operand;
}

static weft_operand number(const char *name, double value) {
  return WEFT_NAMED(name, value);
}

/* ---- close and equal ---- */

enum { CLOSE_VARIABLES = 4 };

/// The expression "a is close to b", and its variables.
static weft_status closeness(const char **text, weft_operand variable[CLOSE_VARIABLES], weft_operand a, weft_operand b,
                             const weft_isclose_params *p) {
#define CLOSE "isfinite(y) & (abs(a - y) <= atol + rtol * abs(y)) | (a == y)"
  static const char *const texts[] = {"y = b; " CLOSE, "y = f64(b); " CLOSE, "y = b; " CLOSE " | isnan(a) & isnan(y)",
                                      "y = f64(b); " CLOSE " | isnan(a) & isnan(y)"};
#undef CLOSE
  const weft_operand operand[] = {a, b};
  weft__call c;
  weft__call_open(&c, NULL, 0, NULL, 2, operand, both, p->site);
  WEFT__TRY_RETURN(weft__call_check(&c));
  const char kind = weft_dtype_kind(weft__call_dtype(&c, 1));
  bool is_inexact = kind == 'f' || kind == 'c';
  if (weft__call_is_scalar(&c, 1) && !is_inexact) { /* a C integer takes the float dtype of `a` */
    b = WEFT_OPERAND(weft__scalar_real(b.as.scalar));
    is_inexact = true;
  }
  *text = texts[2 * p->equal_nan + !is_inexact];
  variable[0] = named("a", a);
  variable[1] = named("b", b);
  variable[2] = number("rtol", p->rtol < 0 ? 0 : p->rtol == 0 ? 1e-5 : p->rtol);
  variable[3] = number("atol", p->atol < 0 ? 0 : p->atol == 0 ? 1e-8 : p->atol);
  return WEFT_OK;
}

weft_status weft__isclose_at(weft_operand out, weft_operand a, weft_operand b, const weft_isclose_params *params) {
  const weft_isclose_params p = WEFT__PARAMS(params);
  weft_operand variable[CLOSE_VARIABLES];
  const char *text;
  weft_status rc;
  weft__enter("weft_isclose", p.site);
  WEFT__TRY(closeness(&text, variable, a, b, &p));
  rc = weft__eval_at(out, NULL, text, CLOSE_VARIABLES, variable, p.site);
done:
  return weft__leave(rc);
}

/// Whether an expression of `count` variables is true everywhere. Waits.
static weft_status all_of(bool *all, const char *text, int count, const weft_operand *variables, const char *site) {
  static const weft_reduction every = {.op = WEFT_REDUCE_ALL};
  weft_operand list[CLOSE_VARIABLES + 1];
  for (int k = 0; k < count; k++) list[k] = variables[k];
  list[count] = weft__operand_reduction(&every);
  return weft__reduce_at(WEFT_OPERAND(WEFT_HOST_OUT(all, WEFT_BOOL, WEFT_SHAPE_0D)), NULL, text, WEFT_ALL_AXES,
                         count + 1, list, site);
}

weft_status weft__allclose_at(bool *is_close, weft_operand a, weft_operand b, const weft_isclose_params *params) {
  const weft_isclose_params p = WEFT__PARAMS(params);
  weft_operand variable[CLOSE_VARIABLES];
  const char *text;
  weft_status rc;
  weft__enter("weft_allclose", p.site);
  WEFT__NEED(is_close);
  WEFT__TRY(closeness(&text, variable, a, b, &p));
  rc = all_of(is_close, text, CLOSE_VARIABLES, variable, p.site);
done:
  return weft__leave(rc);
}

static weft_status equality(bool *equal, weft_operand a, weft_operand b, bool broadcasts, bool equal_nan,
                            const char *site) {
  const weft_operand operand[] = {a, b}, variable[] = {named("a", a), named("b", b)};
  int axis;
  weft__call c;
  weft__call_open(&c, NULL, 0, NULL, 2, operand, both, site);
  WEFT__TRY_RETURN(weft__call_check(&c));
  weft_shape first = weft__call_shape(&c, 0);
  const weft_shape second = weft__call_shape(&c, 1);
  if (broadcasts ? !weft__broadcast_shapes(&first, second, &axis) : !weft__same_shape(first, second)) {
    *equal = false;
    return WEFT_OK;
  }
  return all_of(equal, equal_nan ? "(a == b) | (a != a) & (b != b)" : "a == b", 2, variable, site);
}

weft_status weft__array_equal_at(bool *equal, weft_operand a, weft_operand b, const weft_array_equal_params *params) {
  const weft_array_equal_params p = WEFT__PARAMS(params);
  weft__enter("weft_array_equal", p.site);
  WEFT__NEED(equal);
  return weft__leave(equality(equal, a, b, false, p.equal_nan, p.site));
}

weft_status weft__array_equiv_at(bool *equal, weft_operand a, weft_operand b, const char *site) {
  weft__enter("weft_array_equiv", site);
  WEFT__NEED(equal);
  return weft__leave(equality(equal, a, b, true, false, site));
}

/* ---- rounded and replaced ---- */

/// Computes an expression of `x`, variable 0, and of numbers, in x's dtype; of complex numbers from each part.
static weft_status by_parts(weft__call *c, const char *text, int count, weft_operand *variables) {
  WEFT__TRY_RETURN(weft__call_operands(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  const weft_dtype dtype = c->array[1]->dtype;
  if (weft_dtype_kind(dtype) != 'c') {
    variables[0] = WEFT_NAMED("x", c->array[1]);
    return weft__eval_at(c->result[0], c->context, text, count, variables, c->site);
  }
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, dtype));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, dtype, weft__array_shape(c->array[1])));
  weft_array part[2];
  for (int k = 0; k < 2; k++) {
    part[k] = weft__array_flat(c->array[k]);
    part[k].dtype = weft__real_dtype(dtype);
    part[k].size *= 2;
    weft__set_contiguous(&part[k], WEFT_SHAPE(part[k].size));
  }
  weft_array *to = &part[0];
  variables[0] = WEFT_NAMED("x", &part[1]);
  return weft__eval_at(WEFT_OPERAND(&to), c->context, text, count, variables, c->site);
}

weft_status weft__around_at(weft_operand out, weft_operand x, const weft_around_params *params) {
  const weft_around_params p = WEFT__PARAMS(params);
  weft_operand variable[] = {x, number("scale", pow(10, fabs((double)p.decimals)))};
  weft__text text = {0};
  weft__call c;
  weft_status rc;
  weft__enter("weft_around", p.site);
  weft__call_open(&c, NULL, 1, &out, 1, &x, only, p.site);
  WEFT__TRY(weft__call_check(&c));
  const weft_dtype dtype = weft__call_dtype(&c, 0);
  if (dtype == WEFT_BOOL)
    WEFT__TRY(weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is bool; expected integers, floats or complex numbers"));
  // 1e5 has no room in f16, and integers are divided: f32 holds numbers of 16 bits, f64 numbers of 32 bits.
  const bool is_plain = p.decimals == 0 || (weft__is_whole(dtype) && p.decimals > 0);
  const weft_dtype part = weft__real_dtype(dtype);
  const weft_dtype wide = weft_dtype_size_bytes(part) <= 2 ? WEFT_F32 : weft__is_whole(part) ? WEFT_F64 : part;
  const weft_device_info *device = &c.context->core.device->info;
  if (!is_plain && weft__needs_fp64(wide) && !device->has_fp64)
    WEFT__TRY(weft__fail(WEFT_ERROR_UNSUPPORTED, "x", "`x` is %s, which is rounded in f64 (fp64); %s lacks it",
                         weft_dtype_name(dtype), device->name));
  weft__text_add(&text, p.decimals < 0 ? "%s(rint(%s(x) / scale) * scale)" : "%s(rint(%s(x) * scale) / scale)",
                 weft_dtype_name(part), weft_dtype_name(wide));
  const char *formula = !is_plain ? weft__text_chars(&text) : weft__is_whole(dtype) ? "x" : "rint(x)";
  rc = text.failed ? weft__fail_host_memory(1) : by_parts(&c, formula, is_plain ? 1 : 2, variable);
done:
  weft__text_free(&text);
  return weft__leave(weft__call_close(&c, rc));
}

/// The greatest finite number of a float dtype.
static double greatest(weft_dtype dtype) {
  const int bits = weft__dtype(dtype)->fraction_bits, most = (1 << (weft__exponent_bits(dtype) - 1)) - 1;
  return ldexp(2 - ldexp(1, -bits), most);
}

/// The number of an option, or `otherwise` if it was not given.
static weft_status number_of(weft_operand *variable, const char *name, weft_scalar given, double otherwise) {
  if (given.dtype && (!weft__dtype(given.dtype) || weft_dtype_kind(given.dtype) == 'c'))
    return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s; expected a real number", name, weft_dtype_name(given.dtype));
  *variable = number(name, given.dtype ? weft__scalar_real(given) : otherwise);
  return WEFT_OK;
}

weft_status weft__nan_to_num_at(weft_operand out, weft_operand x, const weft_nan_to_num_params *params) {
  const weft_nan_to_num_params p = WEFT__PARAMS(params);
  weft_operand variable[4] = {x};
  weft__call c;
  weft_status rc;
  weft__enter("weft_nan_to_num", p.site);
  weft__call_open(&c, NULL, 1, &out, 1, &x, only, p.site);
  WEFT__TRY(weft__call_check(&c));
  const weft_dtype dtype = weft__real_dtype(weft__call_dtype(&c, 0));
  const bool is_inexact = weft_dtype_kind(dtype) == 'f';
  const double most = is_inexact ? greatest(dtype) : 0;
  WEFT__TRY(number_of(&variable[1], "nan", p.nan, 0));
  WEFT__TRY(number_of(&variable[2], "posinf", p.posinf, most));
  WEFT__TRY(number_of(&variable[3], "neginf", p.neginf, -most));
  rc = by_parts(&c, is_inexact ? "nan if isnan(x) else posinf if x == inf else neginf if x == -inf else x" : "x",
                is_inexact ? 4 : 1, variable);
done:
  return weft__leave(weft__call_close(&c, rc));
}

/* ---- chosen ---- */

typedef struct choosing {
  weft_operand operand[WEFT_MAX_OPERANDS];
  char name[WEFT_MAX_OPERANDS][8];
  weft__text text;
} choosing;

static void add_variable(choosing *t, int k, weft_operand operand, char letter, int number_) {
  snprintf(t->name[k], sizeof t->name[k], "%c%d", letter, number_);
  t->operand[k] = named(t->name[k], operand);
}

static weft_status evaluate(choosing *t, weft_operand out, weft_context *context, int count, const char *site) {
  const weft_status rc = t->text.failed
                             ? weft__fail_host_memory(1)
                             : weft__eval_at(out, context, weft__text_chars(&t->text), count, t->operand, site);
  weft__text_free(&t->text);
  return rc;
}

weft_status weft__where_first_at(weft_operand out, int count, const weft_operand *operands, const char *site) {
  choosing *t = NULL;
  weft_status rc;
  weft__enter("weft_where_first", site);
  WEFT__NEED(operands);
  if (count < 3 || count % 2 == 0 || count >= WEFT_MAX_OPERANDS)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "count",
                         "%d operands given; expected pairs of a condition and a value, then the value of the others: "
                         "3, 5, ... %d",
                         count, WEFT_MAX_OPERANDS - 1));
  WEFT__TRY((t = weft__scratch_begin_zeroed(sizeof *t)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  for (int k = 0; k < count; k++) {
    const bool is_condition = k % 2 == 0 && k + 1 < count;
    add_variable(t, k, operands[k], is_condition ? 'c' : 'v', k / 2);
  }
  t->operand[count - 1].name = "otherwise";
  weft__call c;
  const char *names[WEFT_MAX_OPERANDS];
  for (int k = 0; k < count; k++) names[k] = t->operand[k].name;
  weft__call_open(&c, NULL, 0, NULL, count, t->operand, names, site);
  WEFT__TRY(weft__call_check(&c));
  for (int k = 0; k + 1 < count; k += 2) {
    if (weft__call_dtype(&c, k) != WEFT_BOOL)
      WEFT__TRY(weft__fail(WEFT_ERROR_DTYPE, names[k], "condition `%s` is %s; expected bool", names[k],
                           weft_dtype_name(weft__call_dtype(&c, k))));
    weft__text_add(&t->text, "%s if %s else ", names[k + 1], names[k]);
  }
  weft__text_add(&t->text, "otherwise");
  rc = evaluate(t, out, NULL, count, site);
done:
  weft__scratch_end(t);
  return weft__leave(rc);
}

/// The indices as numbers of choices, u8; an index out of range is reported later, or changed as the mode says.
static weft_status resolve(weft_array **resolved, weft_context *context, weft_operand indices, int choices,
                           weft_index_mode mode, const char *site) {
  uint8_t number_[WEFT_MAX_OPERANDS];
  weft_array *table = NULL;
  weft_status rc;
  for (int k = 0; k < choices; k++) number_[k] = (uint8_t)k;
  WEFT__TRY(weft__array_of(&table, context, WEFT_U8, WEFT_SHAPE(choices), number_, site));
  rc = weft__take_at(WEFT_OPERAND(resolved), WEFT_OPERAND(table), indices, WEFT_ALL_AXES,
                     &(weft_index_params){.mode = mode, .site = site});
done:
  weft_array_release(&table);
  return rc;
}

weft_status weft__choose_at(weft_operand out, weft_operand indices, int count, const weft_operand *choices,
                            const char *site) {
  choosing *t = NULL;
  weft_index_mode mode = WEFT_INDEX_ERROR;
  weft_array *resolved = NULL;
  const char *names[WEFT_MAX_OPERANDS] = {"indices"};
  int given = 0;
  weft__call c;
  weft_status rc;
  weft__enter("weft_choose", site);
  WEFT__NEED(choices);
  WEFT__TRY((t = weft__scratch_begin_zeroed(sizeof *t)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  for (int k = 0; k < count; k++)
    if (choices[k].kind == WEFT_OPERAND_INDEXING)
      mode = weft__index_mode_of(&choices[k]);
    else if (++given < WEFT_MAX_OPERANDS - 1)
      add_variable(t, given, choices[k], 'a', given - 1);
  if (given < 1 || given > WEFT_MAX_OPERANDS - 2)
    WEFT__TRY(
        weft__fail(WEFT_ERROR_ARGUMENT, "choices", "%d choices given; expected 1 to %d", given, WEFT_MAX_OPERANDS - 2));
  for (int k = 1; k <= given; k++) names[k] = t->operand[k].name;
  t->operand[0] = indices;
  weft__call_open(&c, NULL, 0, NULL, given + 1, t->operand, names, site);
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(resolve(&resolved, c.context, indices, given, mode, site));
  t->operand[0] = WEFT_NAMED("number", resolved);
  for (int k = 0; k < given - 1; k++) weft__text_add(&t->text, "a%d if number == %d else ", k, k);
  /* all variables must be used: one choice alone has the shape of the indices, too */
  weft__text_add(&t->text, "%s", given == 1 ? "a0 if number == 0 else " : "");
  weft__text_add(&t->text, "a%d", given - 1);
  rc = evaluate(t, out, c.context, given + 1, site);
done:
  weft__scratch_end(t);
  weft_array_release(&resolved);
  return weft__leave(rc);
}
