// SPDX-License-Identifier: MIT
/// Runs recorded calls of ufuncs and compares results with NumPy's answers. tests/judge/record.py says what is in a file of cases.
///   driver FILE [--only UFUNC] [--every N] [--worst]
/// FILE "-" is standard input. --every: one call in N, and all of resolution. --worst: the largest differences of each
/// function and dtype.
/// The device is WEFT_TEST_DEVICE, else WEFT_DEVICE. Exit status 0, 1 for a failure, 77 where the device is not there.
#include "driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "op/table.h"

enum { EXIT_SKIP = 77, SHOWN_FAILURES = 40, SHOWN_PER_UFUNC = 3 };

static weft_context *context;
static bool has_fp64;
static const char *only;
static long every = 1, seen;

/* ---- reading ---- */

static const uint8_t *at, *end;

static const void *take(size_t bytes) {
  const void *here = at;
  if ((size_t)(end - at) < bytes) {
    fprintf(stderr, "the file of cases ends too early\n");
    exit(EXIT_FAILURE);
  }
  at += bytes;
  return here;
}

#define READER(name, type)                            \
  static type name(void) {                            \
    type value;                                       \
    memcpy(&value, take(sizeof value), sizeof value); \
    return value;                                     \
  }
READER(read_u8, uint8_t)
READER(read_u32, uint32_t)
READER(read_i64, int64_t)
READER(read_f32, float)

static void read_text(char *text, size_t room) {
  size_t length = read_u8();
  const void *from = take(length);
  if (length >= room) length = room - 1;
  memcpy(text, from, length);
  text[length] = '\0';
}

static weft_shape read_shape(void) {
  int64_t dim[WEFT_MAX_NDIM] = {0};
  int ndim = read_u8();
  for (int d = 0; d < ndim; d++) dim[d % WEFT_MAX_NDIM] = read_i64();
  return weft__shape(ndim, dim);
}

static uint8_t *read_file(const char *name, size_t *size) {
  FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
  size_t room = 1 << 20;
  uint8_t *bytes = malloc(room);
  *size = 0;
  for (size_t got = 1; file && bytes && got;) {
    got = fread(bytes + *size, 1, room - *size, file);
    *size += got;
    if (*size == room) bytes = realloc(bytes, room *= 2);
  }
  if (!file || !bytes) fprintf(stderr, "cannot read %s\n", name);
  if (file && file != stdin) fclose(file);
  return file ? bytes : NULL;
}

/* ---- reports ---- */

static int blamed[WEFT_UFUNC_COUNT];
static long cases, combinations, failures, shown, elements, refused;

static void fail(const char *name, const char *format, ...) {
  va_list list;
  weft_ufunc_id id = ufunc_of(name);
  failures++;
  if (++blamed[id] > SHOWN_PER_UFUNC || ++shown > SHOWN_FAILURES) return;
  printf("FAIL %s ", name);
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  printf("\n");
}

weft_ufunc_id ufunc_of(const char *name) {
  for (weft_ufunc_id id = 1; id < WEFT_UFUNC_COUNT; id++)
    if (strcmp(weft_ufunc_name(id), name) == 0) return id;
  return WEFT_UFUNC_NONE;
}

/* ---- resolution: every combination of dtypes, with empty arrays, which build no kernel ---- */

static weft_array *empty[WEFT_DTYPE_COUNT];

static bool has_dtype(weft_dtype dtype) {
  return has_fp64 || (dtype != WEFT_F64 && dtype != WEFT_C128);
}

static weft_scalar weak_one(weft_dtype dtype) {
  weft_scalar one = {.dtype = dtype};
  if (weft_dtype_kind(dtype) == 'f' || weft_dtype_kind(dtype) == 'c')
    one.value.f = 1;
  else
    one.value.u = 1;
  return one;
}

static bool is_no_fp64(weft_status rc) {
  return !has_fp64 && (rc == WEFT_ERROR_UNSUPPORTED || rc == WEFT_ERROR_DTYPE);
}

static void resolve_one(const char *name, weft_ufunc_id id, int results, int operands, const uint8_t *codes, const uint8_t *answer,
                        bool needs_fp64) {
  weft_array *out[2] = {NULL, NULL};
  weft_operand operand[8];
  char text[128] = "(";
  for (int k = 0; k < results; k++) operand[k] = WEFT_OPERAND(&out[k]);
  for (int k = 0; k < operands; k++) {
    weft_dtype dtype = (weft_dtype)(codes[k] & 0x7f);
    bool weak = codes[k] & 0x80;
    if (!weak && !has_dtype(dtype)) return;
    operand[results + k] = weak ? WEFT_OPERAND(weak_one(dtype)) : WEFT_OPERAND(empty[dtype]);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", k ? ", " : "", weak ? "weak " : "", weft_dtype_name(dtype));
  }
  weft_status rc = weft_ufunc_apply_at(id, results + operands, operand, NULL);
  combinations++;
  if (needs_fp64 && is_no_fp64(rc)) {
    refused++;
  } else if (answer[0] == 0) {
    refused++;
    if (rc != WEFT_ERROR_DTYPE)
      fail(name, "%s): NumPy refuses, we say %s with %s", text, weft_status_name(rc), weft_dtype_name(weft_array_dtype(out[0])));
  } else if (rc) {
    fail(name, "%s): NumPy gives %s, we say %s", text, weft_dtype_name(answer[0]), weft_error_last()->message);
  } else {
    for (int k = 0; k < results; k++)
      if (weft_array_dtype(out[k]) != (weft_dtype)answer[k])
        fail(name, "%s): NumPy gives %s, we give %s", text, weft_dtype_name(answer[k]), weft_dtype_name(weft_array_dtype(out[k])));
  }
  for (int k = 0; k < results; k++) weft_array_release(&out[k]);
}

static void run_resolution(void) {
  char name[32];
  read_text(name, sizeof name);
  weft_ufunc_id id = ufunc_of(name);
  int results = read_u8(), operands = read_u8();
  uint32_t count = read_u32();
  bool wanted = id && (!only || strcmp(only, name) == 0);
  if (!id) fail(name, "is no ufunc");
  for (uint32_t i = 0; i < count; i++) {
    const uint8_t *codes = take((size_t)operands), *answer = take((size_t)results);
    bool needs_fp64 = read_u8();
    if (wanted) resolve_one(name, id, results, operands, codes, answer, needs_fp64);
  }
}

/* ---- values ---- */

typedef struct pool {
  weft_dtype dtype;
  uint32_t count;
  const uint8_t *data;
} pool;
static pool *pools;
static uint32_t pool_count;

enum { MAX_STORAGES = 8, MAX_RESULTS = 2, MAX_OPERANDS = 4 };
typedef enum place_kind { PLACE_NEW, PLACE_VIEW, PLACE_SCALAR, PLACE_HOST, PLACE_HOST_RESULT } place_kind;

typedef struct storage {
  weft_dtype dtype;
  uint32_t count;
  uint8_t *bytes; /* as it was before the call */
  weft_array *array;
} storage;

typedef struct place {
  place_kind kind;
  int storage;
  weft_dtype dtype;
  weft_scalar scalar;
  weft_shape shape;
  weft_array *view;
  void *host;
} place;

typedef struct test_case {
  char name[32], label[160];
  weft_ufunc_id id;
  int status; /* the expected one */
  bool needs_fp64, skipped, failed;
  int results, operands, storages;
  tolerance tolerance[MAX_RESULTS];
  storage storage[MAX_STORAGES];
  place result[MAX_RESULTS], operand[MAX_OPERANDS];
} test_case;

#define MUST(t, call)                                                               \
  do {                                                                              \
    weft_status must_rc_ = (call);                                                  \
    if (must_rc_ && !(t)->failed) {                                                 \
      (t)->failed = true;                                                           \
      fail((t)->name, "%s: %s: %s", (t)->label, #call, weft_error_last()->message); \
    }                                                                               \
  } while (0)

static void read_storage(test_case *t, storage *s) {
  s->dtype = (weft_dtype)read_u8();
  const pool *p = &pools[read_u32() % pool_count];
  uint32_t start = read_u32();
  s->count = read_u32();
  size_t size = weft_dtype_size_bytes(s->dtype);
  s->bytes = malloc(s->count * size + 1);
  for (uint32_t i = 0; i < s->count; i++) memcpy(s->bytes + i * size, p->data + (start + i) % p->count * size, size);
  if (!has_dtype(s->dtype)) t->skipped = true;
  const int64_t dim[1] = {s->count};
  if (!t->skipped) MUST(t, weft_from_host(&s->array, context, s->dtype, weft__shape(1, dim), s->bytes));
}

static void read_view(test_case *t, place *p) {
  weft_array *now = NULL;
  p->storage = read_u8() % MAX_STORAGES;
  p->dtype = t->storage[p->storage].dtype;
  if (!t->skipped && !t->failed) now = weft_array_retain(t->storage[p->storage].array);
  for (int steps = read_u8(); steps > 0; steps--) {
    char op = (char)read_u8();
    int64_t n[WEFT_MAX_NDIM] = {0};
    weft_array *next = NULL;
    int count = read_u8();
    for (int k = 0; k < count; k++) n[k % WEFT_MAX_NDIM] = read_i64();
    if (t->skipped || t->failed) continue;
    if (op == 'r') MUST(t, weft_reshape(&next, now, weft__shape(count, n)));
    if (op == 's') MUST(t, weft_slice(&next, now, (int)n[0], n[1], n[2], n[3]));
    if (op == 't') MUST(t, weft_transpose(&next, now, weft__shape(count, n)));
    if (op == 'b') MUST(t, weft_broadcast(&next, now, weft__shape(count, n)));
    weft_array_release(&now);
    now = next;
  }
  p->view = now;
}

static void read_place(test_case *t, place *p) {
  p->kind = (place_kind)read_u8();
  switch (p->kind) {
    case PLACE_VIEW:
      read_view(t, p);
      break;
    case PLACE_SCALAR:
      p->scalar.dtype = p->dtype = (weft_dtype)read_u8();
      memcpy(p->scalar.value.c, take(16), 16);
      break;
    case PLACE_HOST:
      p->storage = read_u8() % MAX_STORAGES;
      p->dtype = t->storage[p->storage].dtype;
      p->shape = read_shape();
      break;
    case PLACE_HOST_RESULT: {
      int64_t size = 1;
      p->dtype = (weft_dtype)read_u8();
      p->shape = read_shape();
      for (int d = 0; d < p->shape.ndim; d++) size *= p->shape.dim[d];
      p->host = calloc((size_t)size + 1, weft_dtype_size_bytes(p->dtype));
      if (!has_dtype(p->dtype)) t->skipped = true;
      break;
    }
    default:
      break;
  }
}

static weft_operand operand_of(test_case *t, place *p) {
  switch (p->kind) {
    case PLACE_SCALAR:
      return WEFT_OPERAND(p->scalar);
    case PLACE_HOST:
      return WEFT_OPERAND(WEFT_HOST(t->storage[p->storage].bytes, p->dtype, p->shape));
    case PLACE_HOST_RESULT:
      return WEFT_OPERAND(WEFT_HOST_OUT(p->host, p->dtype, p->shape));
    default:
      return WEFT_OPERAND(p->view);
  }
}

/// What the operands are at one element of the result, for a message.
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
      value_text(value, sizeof value, p->dtype, t->storage[p->storage].bytes + (size_t)element * weft_dtype_size_bytes(p->dtype));
    }
    snprintf(text + strlen(text), room - strlen(text), "%s%s %s", k ? ", " : "", weft_dtype_name(p->dtype), value);
  }
}

static void compare(test_case *t, int k, weft_dtype dtype, const weft_shape *shape, const uint8_t *expected, const uint8_t *got,
                    int64_t count) {
  size_t size = weft_dtype_size_bytes(dtype);
  for (int64_t i = 0; i < count && !t->failed; i++) {
    const void *e = expected + (size_t)i * size, *g = got + (size_t)i * size;
    double ulps = 0;
    bool good = same_value(dtype, e, g, &t->tolerance[k], &ulps);
    worst_note(t->id, dtype, ulps);
    elements++;
    if (good) continue;
    char want[128], have[128], operands[512];
    t->failed = true;
    value_text(want, sizeof want, dtype, e);
    value_text(have, sizeof have, dtype, g);
    describe_operands(t, shape, i, operands, sizeof operands);
    fail(t->name, "%s: result %d, element %lld of %lld: NumPy %s, we %s, %.3g ULP (allowed %g); operands %s", t->label, k, (long long)i,
         (long long)count, want, have, ulps, (double)t->tolerance[k].ulps, operands);
  }
}

/// Compares one result with what the file has: for a place that was given, all of its storage, so that nothing else was written.
static void check_result(test_case *t, int k) {
  weft_dtype dtype = (weft_dtype)read_u8();
  weft_shape shape = read_shape();
  uint32_t bytes = read_u32();
  const uint8_t *expected = take(bytes);
  place *p = &t->result[k];
  size_t size = weft_dtype_size_bytes(dtype);
  if (t->skipped || t->failed) return;
  if (p->kind == PLACE_HOST_RESULT) {
    compare(t, k, dtype, NULL, expected, p->host, (int64_t)(bytes / size));
    return;
  }
  weft_array *from = p->kind == PLACE_VIEW ? t->storage[p->storage].array : p->view;
  bool same_shape = weft_array_ndim(p->view) == shape.ndim;
  for (int d = 0; d < shape.ndim && same_shape; d++) same_shape = weft_array_length(p->view, d) == shape.dim[d];
  if (!same_shape || weft_array_dtype(p->view) != dtype) {
    char *text = NULL;
    if (weft_array_describe(&text, p->view)) text = NULL;
    t->failed = true;
    fail(t->name, "%s: NumPy has %s of %d axes, we %s", t->label, weft_dtype_name(dtype), shape.ndim, text ? text : "?");
    weft_free(text);
    return;
  }
  uint8_t *got = malloc(bytes + 1);
  MUST(t, weft_to_host(got, bytes, from));
  if (!t->failed) compare(t, k, dtype, p->kind == PLACE_NEW ? &shape : NULL, expected, got, (int64_t)(bytes / size));
  free(got);
}

static void free_case(test_case *t) {
  for (int k = 0; k < t->results; k++) {
    weft_array_release(&t->result[k].view);
    free(t->result[k].host);
  }
  for (int k = 0; k < t->operands; k++) weft_array_release(&t->operand[k].view);
  for (int k = 0; k < t->storages; k++) {
    weft_array_release(&t->storage[k].array);
    free(t->storage[k].bytes);
  }
}

/// Whether everything was there: each function with each type it has, by the type's letter.
static bool matrix[WEFT_UFUNC_COUNT][128];

static void note_cell(const test_case *t) {
  char letter;
  if (sscanf(t->label, "matrix %c", &letter) == 1) matrix[t->id][letter & 127] = true;
}

static void check_matrix(void) {
#define ROW(ID, name, numpy, signature, types, ...) [WEFT_UFUNC_##ID] = types,
  static const char *const all[WEFT_UFUNC_COUNT] = {WEFT__UFUNCS(ROW)};
#undef ROW
  for (weft_ufunc_id id = 1; id < WEFT_UFUNC_COUNT; id++)
    for (const char *letter = all[id]; *letter; letter++)
      if (!matrix[id][*letter & 127]) fail(weft_ufunc_name(id), "with type '%c' is not among the cases: judge.py --record", *letter);
}

static void run_values(void) {
  test_case t = {.storages = 0};
  read_text(t.name, sizeof t.name);
  read_text(t.label, sizeof t.label);
  t.status = (int)read_u32();
  t.needs_fp64 = read_u8();
  t.id = ufunc_of(t.name);
  t.skipped = !t.id || (only && strcmp(only, t.name) != 0) || seen++ % every != 0;
  if (!t.id) fail(t.name, "is no ufunc");
  bool unwanted = t.skipped;
  if (t.id) note_cell(&t);
  t.results = read_u8();
  for (int k = 0; k < t.results; k++) {
    t.tolerance[k].ulps = read_f32();
    t.tolerance[k].any_zero = read_u8();
  }
  t.operands = read_u8();
  t.storages = read_u8();
  for (int k = 0; k < t.storages; k++) read_storage(&t, &t.storage[k]);
  for (int k = 0; k < t.results; k++) read_place(&t, &t.result[k]);
  for (int k = 0; k < t.operands; k++) read_place(&t, &t.operand[k]);
  for (int k = 0; k < t.operands; k++)
    if (t.operand[k].kind == PLACE_HOST && !has_dtype(t.operand[k].dtype)) t.skipped = true;
  if (!t.skipped && !t.failed) {
    weft_operand operand[MAX_RESULTS + MAX_OPERANDS];
    for (int k = 0; k < t.results; k++)
      operand[k] = t.result[k].kind == PLACE_HOST_RESULT ? operand_of(&t, &t.result[k]) : WEFT_OPERAND(&t.result[k].view);
    for (int k = 0; k < t.operands; k++) operand[t.results + k] = operand_of(&t, &t.operand[k]);
    weft_status rc = weft_ufunc_apply_at(t.id, t.results + t.operands, operand, NULL);
    cases++;
    bool all_scalars = true;
    for (int k = 0; k < t.operands; k++) all_scalars &= t.operand[k].kind == PLACE_SCALAR;
    if (t.needs_fp64 && (is_no_fp64(rc) || (!has_fp64 && all_scalars))) { /* nothing but scalars is f32 there */
      t.skipped = true;
      refused++;
    } else if ((int)rc != t.status) {
      fail(t.name, "%s: expected %s, we answer %s: %s", t.label, weft_status_name((weft_status)t.status), weft_status_name(rc),
           rc ? weft_error_last()->message : "");
      t.failed = true;
    }
    if (t.status) refused++;
  } else if (!unwanted && t.skipped) {
    refused++; /* there is no such array on this device */
  }
  if (t.status == WEFT_OK)
    for (int k = 0; k < t.results; k++) check_result(&t, k);
  free_case(&t);
}

/* ---- the program ---- */

static int open_device(void) {
  const char *selector = getenv("WEFT_TEST_DEVICE"), *strict = getenv("WEFT_TEST_STRICT"), *any = getenv("WEFT_TEST_ANY");
  weft_device_info info;
  int device, count = 0;
  if (!selector || !*selector) selector = getenv("WEFT_DEVICE");
  weft_status rc = weft_device_find(&device, selector ? selector : "");
  if (rc == WEFT_ERROR_NO_DEVICE) {
    bool is_strict = strict && *strict && strcmp(strict, "0") != 0;
    if (any && strcmp(any, "1") == 0 && weft_device_count(&count) == WEFT_OK && count > 0) is_strict = false;
    printf("%s: no device \"%s\" here\n", is_strict ? "FAIL (WEFT_TEST_STRICT)" : "SKIP", selector ? selector : "");
    return is_strict ? EXIT_FAILURE : EXIT_SKIP;
  }
  weft_context_params params = {.device = selector};
  if (rc == WEFT_OK) rc = weft_device_get_info(&info, device);
  if (rc == WEFT_OK) rc = weft_context_create(&context, &params);
  if (rc) {
    printf("FAIL: %s\n", weft_error_last()->message);
    return EXIT_FAILURE;
  }
  has_fp64 = info.has_fp64;
  printf("on %s%s\n", info.name, has_fp64 ? "" : ", without f64");
  return 0;
}

static void run_all(void) {
  char provenance[256];
  if (memcmp(take(8), "WEFTUF1\n", 8) != 0) {
    printf("FAIL: not a file of cases\n");
    failures++;
    return;
  }
  read_text(provenance, sizeof provenance);
  printf("%s\n", provenance);
  pool_count = read_u32();
  pools = calloc(pool_count + 1, sizeof *pools);
  for (uint32_t k = 0; k < pool_count; k++) {
    pools[k].dtype = (weft_dtype)read_u8();
    pools[k].count = read_u32();
    pools[k].data = take(pools[k].count * weft_dtype_size_bytes(pools[k].dtype));
  }
  for (int d = 1; d < WEFT_DTYPE_COUNT; d++) {
    const int64_t none[1] = {0};
    if (has_dtype((weft_dtype)d) && weft_empty(&empty[d], context, (weft_dtype)d, weft__shape(1, none))) fail("empty", "cannot be made");
  }
  for (uint32_t left = read_u32(); left > 0; left--) read_u8() == 1 ? run_resolution() : run_values();
  check_matrix();
  if (at != end) {
    printf("FAIL: something behind the last case\n");
    failures++;
  }
  for (int d = 1; d < WEFT_DTYPE_COUNT; d++) weft_array_release(&empty[d]);
  free(pools);
}

int main(int argc, char **argv) {
  size_t size;
  bool worst = false;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc < 2) return fprintf(stderr, "usage: driver FILE [--only UFUNC] [--every N] [--worst]\n"), 2;

  for (int k = 2; k < argc; k++) {
    if (strcmp(argv[k], "--worst") == 0) worst = true;
    if (strcmp(argv[k], "--only") == 0 && k + 1 < argc)
      only = argv[++k];
    else if (strcmp(argv[k], "--every") == 0 && k + 1 < argc)
      every = strtol(argv[++k], NULL, 10);
  }
  int status = open_device();
  if (status) return status;
  uint8_t *bytes = read_file(argv[1], &size);
  if (!bytes) return EXIT_FAILURE;
  if (every < 1) every = 1;
  at = bytes;
  end = bytes + size;
  run_all();
  long kernels = 0;
  for (const weft__program *program = context->programs.first; program; program = program->next) kernels++;
  if (weft_context_close(&context)) fail("weft_context_close", "%s", weft_error_last()->message);
  free(bytes);
  if (worst) worst_print();
  printf(
      "%ld calls with values (%ld elements), %ld combinations of dtypes, of both %ld refused as they must; %ld programs built; %ld "
      "failures\n",
      cases, elements, combinations, refused, kernels, failures);
  if (cases == 0) printf("FAIL: nothing was run\n");
  return failures || cases == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
