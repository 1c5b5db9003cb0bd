// SPDX-License-Identifier: MIT
/// Runs recorded calls of ufuncs and compares the results with NumPy's. tests/judge/record.py describes the files of
/// cases.
///
///   driver FILE [--only UFUNC] [--every N [--phase K]] [--worst] [--all]
///
/// FILE "-" is standard input. --every: one call in N (number K of each N), and all of resolution. --worst: the largest
/// differences of each function and dtype. --all: all failures instead of the first few of each function. The device is
/// WEFT_TEST_DEVICE, otherwise WEFT_DEVICE. Exit status 0, 1 for a failure, 77 without the device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "expr/ufunc_table.h"

static long combinations, seen;

static weft_ufunc_id ufunc_of(const char *name) {
  for (weft_ufunc_id id = 1; id < WEFT_UFUNC_COUNT; id++)
    if (strcmp(weft_ufunc_name(id), name) == 0) return id;
  return WEFT_UFUNC_NONE;
}

/* ---- resolution: every combination of dtypes, with empty arrays, which build no kernel ---- */

static weft_array *empty[WEFT_DTYPE_COUNT];

static weft_scalar weak_one(weft_dtype dtype) {
  weft_scalar one = {.dtype = dtype};
  if (weft_dtype_kind(dtype) == 'f' || weft_dtype_kind(dtype) == 'c')
    one.value.f = 1;
  else
    one.value.u = 1;
  return one;
}

static void resolve_one(const char *name, weft_ufunc_id id, int results, int operands, const uint8_t *codes,
                        const uint8_t *answer, bool needs_fp64) {
  weft_array *out[2] = {NULL, NULL};
  weft_operand operand[8];
  char text[128] = "(";
  for (int k = 0; k < results; k++) operand[k] = WEFT_OPERAND(&out[k]);
  for (int k = 0; k < operands; k++) {
    weft_dtype dtype = (weft_dtype)(codes[k] & 0x7f);
    bool weak = codes[k] & 0x80;
    if (!weak && !has_dtype(dtype)) return;
    operand[results + k] = weak ? WEFT_OPERAND(weak_one(dtype)) : WEFT_OPERAND(empty[dtype]);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", k ? ", " : "", weak ? "weak " : "",
             weft_dtype_name(dtype));
  }
  weft_status rc = weft__ufunc_apply_at(id, results + operands, operand, NULL);
  combinations++;
  if (needs_fp64 && is_no_fp64(rc)) {
    judge.refused++;
  } else if (answer[0] == 0) {
    judge.refused++;
    if (rc != WEFT_ERROR_DTYPE)
      fail(name, "%s): NumPy refuses, we say %s with %s", text, weft_status_name(rc),
           weft_dtype_name(weft_array_dtype(out[0])));
  } else if (rc) {
    fail(name, "%s): NumPy gives %s, we say %s", text, weft_dtype_name(answer[0]), weft_error_last()->message);
  } else {
    for (int k = 0; k < results; k++) {
      const weft_dtype found = weft_array_dtype(out[k]);
      /* without f64, special functions of integers are f32 */
      if (found != (weft_dtype)answer[k] && !(needs_fp64 && !has_dtype((weft_dtype)answer[k]) && found == WEFT_F32))
        fail(name, "%s): NumPy gives %s, we give %s", text, weft_dtype_name(answer[k]),
             weft_dtype_name(found));
    }
  }
  for (int k = 0; k < results; k++) weft_array_release(&out[k]);
}

static void run_resolution(void) {
  char name[32];
  read_text(name, sizeof name);
  weft_ufunc_id id = ufunc_of(name);
  int results = read_u8(), operands = read_u8();
  uint32_t count = read_u32();
  bool wanted = id && (!judge.only || strcmp(judge.only, name) == 0);
  if (!id) fail(name, "is no ufunc");
  for (uint32_t i = 0; i < count; i++) {
    const uint8_t *codes = take((size_t)operands), *answer = take((size_t)results);
    bool needs_fp64 = read_u8();
    if (wanted) resolve_one(name, id, results, operands, codes, answer, needs_fp64);
  }
}

/* ---- values ---- */

/// The operands' values at one element of the result, for a message.
static void describe_operands(const test_case *t, const weft_shape *shape, int64_t element, char *text, size_t room) {
  text[0] = '\0';
  for (int k = 0; k < t->operands; k++) {
    const place *p = &t->operand[k];
    char value[128] = "?";
    if (p->kind == PLACE_SCALAR) {
      snprintf(value, sizeof value, "scalar %lld / %g", (long long)p->scalar.value.i, p->scalar.value.f);
    } else if (p->kind == PLACE_VIEW && p->view && shape) {
      weft_array *whole = NULL, *copy = NULL;
      size_t size = weft_dtype_size_bytes(p->dtype), bytes;
      if (weft_broadcast(&whole, p->view, *shape) == WEFT_OK && weft_copy(&copy, whole) == WEFT_OK) {
        void *data = malloc(bytes = (size_t)weft_array_size_bytes(copy));
        if (data && weft_to_host(data, bytes, copy) == WEFT_OK)
          value_text(value, sizeof value, p->dtype, (char *)data + (size_t)element * size);
        free(data);
      }
      weft_array_release(&whole);
      weft_array_release(&copy);
    } else if (p->kind == PLACE_HOST) {
      value_text(value, sizeof value, p->dtype,
                 t->storage[p->storage].bytes + (size_t)element * weft_dtype_size_bytes(p->dtype));
    }
    snprintf(text + strlen(text), room - strlen(text), "%s%s %s", k ? ", " : "", weft_dtype_name(p->dtype), value);
  }
}

/// The types of each function that occurred, by the type's letter: all must occur.
static bool matrix[WEFT_UFUNC_COUNT][128];

static void note_cell(const test_case *t, weft_ufunc_id id) {
  char letter;
  if (sscanf(t->label, "matrix %c", &letter) == 1) matrix[id][letter & 127] = true;
}

static void check_matrix(void) {
#define ROW(ID, name, numpy, signature, types, ...) [WEFT_UFUNC_##ID] = types,
  static const char *const all[WEFT_UFUNC_COUNT] = {WEFT__UFUNCS(ROW)};
#undef ROW
  for (weft_ufunc_id id = 1; id < WEFT_UFUNC_COUNT; id++)
    for (const char *letter = all[id]; *letter; letter++)
      if (!matrix[id][*letter & 127])
        fail(weft_ufunc_name(id), "with type '%c' is not among the cases: judge.py --record", *letter);
}

static void run_values(void) {
  test_case t = {.storages = 0};
  read_text(t.name, sizeof t.name);
  read_text(t.label, sizeof t.label);
  t.status = (int)read_u32();
  t.needs_fp64 = read_u8();
  weft_ufunc_id id = ufunc_of(t.name);
  t.function = function_number(t.name);
  t.skipped =
      !id || (judge.only && strcmp(judge.only, t.name) != 0) || seen++ % judge.every != judge.phase % judge.every;
  if (!id) fail(t.name, "is no ufunc");
  bool unwanted = t.skipped;
  if (id) note_cell(&t, id);
  t.results = read_u8();
  for (int k = 0; k < t.results; k++) {
    t.tolerance[k].ulps = read_f32();
    t.tolerance[k].any_zero = read_u8();
  }
  t.operands = read_u8();
  t.storages = read_u8();
  read_places(&t);
  if (!t.skipped && !t.failed) {
    weft_operand operand[MAX_RESULTS + MAX_OPERANDS];
    for (int k = 0; k < t.results; k++) operand[k] = result_of(&t, k);
    for (int k = 0; k < t.operands; k++) operand[t.results + k] = operand_of(&t, k);
    weft_status rc = weft__ufunc_apply_at(id, t.results + t.operands, operand, NULL);
    judge.cases++;
    bool all_scalars = true;
    for (int k = 0; k < t.operands; k++) all_scalars &= t.operand[k].kind == PLACE_SCALAR;
    /* without f64, scalars alone make f32 */
    if (t.needs_fp64 && (is_no_fp64(rc) || (!judge.has_fp64 && all_scalars))) {
      t.skipped = true;
      judge.refused++;
    } else if ((int)rc != t.status) {
      fail(t.name, "%s: expected %s, we answer %s: %s", t.label, weft_status_name((weft_status)t.status),
           weft_status_name(rc), rc ? weft_error_last()->message : "");
      t.failed = true;
    }
    if (t.status) judge.refused++;
  } else if (!unwanted && t.skipped) {
    judge.refused++; /* the device has no such array */
  }
  if (t.status == WEFT_OK)
    for (int k = 0; k < t.results; k++) check_result(&t, k);
  free_case(&t);
}

/* ---- the program ---- */

static void run(int kind) {
  for (int d = 1; d < WEFT_DTYPE_COUNT; d++) {
    const int64_t none[1] = {0};
    if (empty[d] || !has_dtype((weft_dtype)d)) continue;
    if (weft_empty(&empty[d], judge.context, (weft_dtype)d, weft__shape(1, none))) fail("empty", "cannot be made");
  }
  kind == 1 ? run_resolution() : run_values();
}

static void finish(void) {
  check_matrix();
  for (int d = 1; d < WEFT_DTYPE_COUNT; d++) weft_array_release(&empty[d]);
  printf("%ld combinations of dtypes\n", combinations);
}

int main(int argc, char **argv) {
  return judge_main(argc, argv, &(judge_program){"WEFTUF1\n", run, finish, describe_operands});
}
