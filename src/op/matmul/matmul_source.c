// SPDX-License-Identifier: MIT
/// The text in front of the kernels of cl/matmul/, and their launches.
#include "expr/emit.h"
#include "op/matmul/matmul.h"

/// What distinguishes the kernels of a source besides the epilogue's plan.
typedef struct matmul_key {
  uint8_t a, b, out, product, accumulator;
  uint8_t factors, elements;
  uint8_t sides, side[WEFT__MATMUL_SIDES];                    /* inputs of the epilogue's formula */
  int8_t row[WEFT__MATMUL_SIDES], column[WEFT__MATMUL_SIDES]; /* their strides: 0, 1 or ANY_STRIDE */
  uint8_t option[WEFT__MATMUL_OPTIONS];
} matmul_key;

#define ANY_STRIDE (-1)

typedef struct front {
  const matmul_key *key;
  const weft__matmul_task *task;
  const weft__matmul_source *source;
} front;

static bool is_complex(weft_dtype dtype) {
  return weft_dtype_kind(dtype) == 'c';
}

/* ---- conversions ---- */

/// Adds `#define NAME(x)`, which converts a stored element to the accumulator's dtype.
static void add_load(weft__text *text, const char *name, weft_dtype from, const matmul_key *key) {
  const weft_dtype to = (weft_dtype)key->accumulator;
  const char *part = weft__cl_stored(weft__real_dtype(to));
  weft__text_add(text, "#define %s(x) ", name);
  if (key->product == WEFT_BOOL)
    weft__text_add(text, "((x) != 0)");
  else if (is_complex(from) && from != to)
    weft__text_add(text, "weft_cmake_%s((%s)(x).re, (%s)(x).im)", weft_dtype_name(to), part, part);
  else if (is_complex(from))
    weft__text_add(text, "(x)");
  else {
    weft__text_add(text, is_complex(to) ? "weft_cmake_%s((%s)" : "%s((%s)", is_complex(to) ? weft_dtype_name(to) : "",
                   part);
    weft__cl_add_load(text, from, "(x)");
    weft__text_add(text, is_complex(to) ? ", 0)" : ")");
  }
  weft__text_add(text, "\n");
}

/// The dtype of an epilogue's `value`.
static weft_dtype value_dtype(const matmul_key *key) {
  return weft__computed_dtype((weft_dtype)key->product);
}

/// Adds the accumulator `v` in the dtype of the value.
static void add_value(weft__text *text, const matmul_key *key, const char *v) {
  const weft_dtype value = value_dtype(key);
  weft__text_add(text, value == (weft_dtype)key->accumulator ? "%s%s" : "(%s)(%s)",
                 value == (weft_dtype)key->accumulator ? "" : weft__cl_stored(value), v);
}

/// Adds M_FINISH without an epilogue: a cast to the result's dtype.
static void add_cast(weft__text *text, const matmul_key *key) {
  const weft_dtype to = (weft_dtype)key->out, from = value_dtype(key);
  const char *part = weft__cl_computed(weft__real_dtype(to));
  weft__text_add(text, "#define M_FINISH(SIDE, v, to) *(to) = ");
  if (is_complex(to) && is_complex(from))
    weft__text_add(text, "weft_cmake_%s((%s)(v).re, (%s)(v).im)", weft_dtype_name(to), part, part);
  else if (is_complex(to)) {
    weft__text_add(text, "weft_cmake_%s((%s)(", weft_dtype_name(to), part);
    add_value(text, key, "(v)");
    weft__text_add(text, "), 0)");
  } else if (weft__is_narrow(to)) {
    weft__text value = {0};
    add_value(&value, key, "(v)");
    weft__cl_add_narrowed(text, to, from, weft__text_chars(&value));
    text->failed = text->failed || value.failed;
    weft__text_free(&value);
  } else {
    weft__text_add(text, "(%s)(", part);
    add_value(text, key, "(v)");
    weft__text_add(text, ")");
  }
  weft__text_add(text, ";\n");
}

/// Adds the formula's function, and M_FINISH, which calls it.
static void add_epilogue(weft__text *text, const matmul_key *key, const weft__plan *plan) {
  const weft__formula *f = &plan->formula;
  const weft_dtype out = (weft_dtype)key->out;
  weft__emit_element(text, f, &out, 0);
  weft__text_add(text, "#define M_EPILOGUE 1\n#define M_FINISH(SIDE, v, to) weft_element(0L, 0L");
  for (int j = 0; j < 2 * f->scalars; j++) weft__text_add(text, ", args.tail[%d]", WEFT__MATMUL_SIDE(key->sides) + j);
  weft__text_add(text, ", ");
  add_value(text, key, "(v)");
  for (int s = 0; s < key->sides; s++) weft__text_add(text, ", SIDE(%d)", s);
  weft__text_add(text, ", to);\n");
}

/// Adds a stride of an array of the epilogue. Where the kernel knows that a row's elements are every row's, as a
/// bias's, a work-item loads them once.
static void add_stride(weft__text *text, const char *along, int side, int word, int8_t stride) {
  if (stride == ANY_STRIDE)
    weft__text_add(text, "#define M_SIDE_%s_%d M_SIDE_WORD(%d, %d)\n", along, side, side, word);
  else
    weft__text_add(text, "#define M_SIDE_%s_%d %d\n", along, side, stride);
}

/// At least one: OpenCL C has no arrays without elements.
static int tail_words(const weft__matmul_task *t) {
  const int words = WEFT__MATMUL_WORDS(t->sides, t->epilogue ? t->epilogue->formula.scalars : 0);
  return words ? words : 1;
}

static void add_dtypes(weft__text *text, const matmul_key *key) {
  const weft_dtype accumulator = (weft_dtype)key->accumulator;
  weft__text_add(text, "#include \"math/narrow.clh\"\n#include \"math/complex.clh\"\n");
  weft__text_add(text, "#define M_A %s\n#define M_B %s\n#define M_OUT %s\n#define M_ACC %s\n",
                 weft__cl_stored((weft_dtype)key->a), weft__cl_stored((weft_dtype)key->b),
                 weft__cl_stored((weft_dtype)key->out), weft__cl_stored(accumulator));
  weft__text_add(text, "#define M_COMPLEX %d\n#define M_BOOL %d\n#define M_FLOAT %d\n", is_complex(accumulator),
                 key->product == WEFT_BOOL, weft_dtype_kind(accumulator) == 'f');
  if (is_complex(accumulator)) weft__text_add(text, "#define M_ACC_DTYPE %s\n", weft_dtype_name(accumulator));
  add_load(text, "M_LOAD_A", (weft_dtype)key->a, key);
  add_load(text, "M_LOAD_B", (weft_dtype)key->b, key);
  add_load(text, "M_LOAD_OUT", (weft_dtype)key->out, key);
}

static void write_front(weft__text *text, const void *data) {
  const front *f = data;
  const matmul_key *key = f->key;
  const weft__plan *epilogue = f->task->epilogue;
  add_dtypes(text, key);
  if (key->factors) {
    weft__text_add(text, "#define M_SCALE ");
    weft__cl_add_words(text, (weft_dtype)key->accumulator, "args.scale[0]", "args.scale[1]");
    weft__text_add(text, "\n#define M_FACTOR ");
    weft__cl_add_words(text, (weft_dtype)key->accumulator, "args.accumulate[0]", "args.accumulate[1]");
    weft__text_add(text, "\n");
  }
  weft__text_add(text, "#define M_CHUNK %d\n#define M_RAW %s\n", key->elements,
                 weft__cl_chunk(key->elements, (weft_dtype)key->out));
  weft__text_add(text, "#define M_TAIL %d\n#define M_SIDES(X)", tail_words(f->task));
  for (int s = 0; s < key->sides; s++)
    weft__text_add(text, " X(%d, %s)", s, weft__cl_stored(epilogue->formula.input[key->side[s]].dtype));
  weft__text_add(text, "\n");
  for (int s = 0; s < key->sides; s++) {
    add_stride(text, "ROW", s, 1, key->row[s]);
    add_stride(text, "COLUMN", s, 2, key->column[s]);
  }
  if (epilogue)
    add_epilogue(text, key, epilogue);
  else
    add_cast(text, key);
  if (f->source->define) f->source->define(text, f->task, key->option);
}

/* ---- kernels ---- */

int weft__matmul_chunk(const weft__matmul_task *t, const weft__matmul_matrix *x, int64_t bits) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  int chunk = 16 / (int)size;
  bits |= x->offset_bytes / size;
  for (int d = 0; d < t->axes; d++) bits |= x->batch[d];
  while (chunk > 1 && bits % chunk) chunk /= 2;
  return chunk;
}

int weft__matmul_store_elements(const weft__matmul_task *t) {
  return t->out.column == 1 ? weft__matmul_chunk(t, &t->out, t->out.row | t->n) : 1;
}

static int8_t known_stride(int64_t stride) {
  return stride == 0 || stride == 1 ? (int8_t)stride : ANY_STRIDE;
}

static matmul_key key_of(const weft__matmul_task *t, const weft__matmul_source *source) {
  matmul_key key = {.a = (uint8_t)t->a.dtype,
                    .b = (uint8_t)t->b.dtype,
                    .out = (uint8_t)t->out.dtype,
                    .product = (uint8_t)t->product,
                    .accumulator = (uint8_t)t->accumulator,
                    .factors = t->has_scale || t->has_accumulate,
                    .elements = (uint8_t)(source->elements ? source->elements : 1),
                    .sides = (uint8_t)t->sides};
  for (int s = 0; s < t->sides; s++) {
    key.side[s] = (uint8_t)t->side_input[s];
    key.row[s] = known_stride(t->side[s].row);
    key.column[s] = known_stride(t->side[s].column);
  }
  for (int k = 0; k < WEFT__MATMUL_OPTIONS; k++) key.option[k] = source->option[k];
  return key;
}

weft_status weft__matmul_kernels_get(weft__kernel **kernels, const weft__matmul_task *t,
                                     const weft__matmul_source *source) {
  const matmul_key key = key_of(t, source);
  const front data = {&key, t, source};
  return weft__kernels_get(kernels, &t->context->store,
                           &(weft__kernel_source){.name = "matmul",
                                                  .key = {.file = source->file,
                                                          .kernel = source->kernel,
                                                          .kernels = source->kernels,
                                                          .owner = t->epilogue,
                                                          WEFT__KEY_BYTES(matmul_key, &key)},
                                                  .write = write_front,
                                                  .is_for_90a = source->is_for_90a,
                                                  .data = &data});
}

/* ---- launches ---- */

void weft__matmul_fill(weft__matmul_args *args, const weft__matmul_task *t) {
  *args = (weft__matmul_args){
      .m = (uint64_t)t->m,
      .n = (uint64_t)t->n,
      .k = (uint64_t)t->k,
      .k_all = (uint64_t)t->k_all,
      .split = (uint64_t)t->split,
      .axes = (uint64_t)t->axes,
      .batches = (uint64_t)t->batches,
      .factors = (t->has_scale ? WEFT__MATMUL_SCALES : 0) | (t->has_accumulate ? WEFT__MATMUL_ACCUMULATES : 0),
      .a = t->a.offset_bytes,
      .b = t->b.offset_bytes,
      .out = t->out.offset_bytes,
      .a_row = t->a.row,
      .a_column = t->a.column,
      .b_row = t->b.row,
      .b_column = t->b.column,
      .out_row = t->out.row,
      .out_column = t->out.column,
      .scale = {t->scale[0], t->scale[1]},
      .accumulate = {t->accumulate[0], t->accumulate[1]}};
  for (int d = 0; d < t->axes; d++) {
    args->length[d] = (uint64_t)t->length[d];
    args->a_batch[d] = t->a.batch[d];
    args->b_batch[d] = t->b.batch[d];
    args->out_batch[d] = t->out.batch[d];
  }
  for (int s = 0; s < t->sides; s++) {
    uint64_t *words = &args->tail[WEFT__MATMUL_SIDE(s)];
    words[0] = (uint64_t)t->side[s].offset_bytes;
    words[1] = (uint64_t)t->side[s].row;
    words[2] = (uint64_t)t->side[s].column;
    for (int d = 0; d < t->axes; d++) words[3 + d] = (uint64_t)t->side[s].batch[d];
  }
  for (int j = 0; t->epilogue && j < 2 * t->epilogue->formula.scalars; j++)
    args->tail[WEFT__MATMUL_SIDE(t->sides) + j] = t->scalars[j];
}

size_t weft__matmul_argument_bytes(const weft__matmul_task *t) {
  return offsetof(weft__matmul_args, tail) + 8 * (size_t)tail_words(t);
}

weft_dim3 weft__matmul_grid(uint64_t groups) {
  const uint64_t most = UINT64_C(1) << 30;
  return weft__dim3(groups < most ? groups : most, weft_ceil_div(groups, most), 1);
}

/// Bytes of a matrix of every product that a launch reads or writes at least.
static uint64_t matrix_bytes(const weft__matmul_task *t, const weft__matmul_matrix *x, int64_t rows, int64_t columns) {
  uint64_t bytes =
      weft_dtype_size_bytes(x->dtype) * (uint64_t)(x->row ? rows : 1) * (uint64_t)(x->column ? columns : 1);
  for (int d = 0; d < t->axes; d++)
    if (x->batch[d]) bytes *= (uint64_t)t->length[d];
  return bytes;
}

weft_status weft__matmul_launch(const weft__matmul_task *t, weft__kernel *kernel, weft_dim3 grid, weft_dim3 block,
                                const weft__matmul_args *args) {
  weft__use use[4 + WEFT__MATMUL_SIDES] = {{t->a.storage, false}, {t->b.storage, false}, {t->out.storage, true}};
  uint64_t bytes = matrix_bytes(t, &t->a, t->m, t->k) + matrix_bytes(t, &t->b, t->k, t->n) +
                   matrix_bytes(t, &t->out, t->m, t->n) * (t->has_accumulate ? 2 : 1);
  for (int s = 0; s < t->sides; s++) {
    use[3 + s] = (weft__use){t->side[s].storage, false};
    bytes += matrix_bytes(t, &t->side[s], t->m, t->n);
  }
  if (t->work) use[3 + t->sides] = (weft__use){t->work, true};
  return weft__run_kernel(&(weft__kernel_run){.kernel = kernel,
                                              .grid = grid,
                                              .block = block,
                                              .arguments = args,
                                              .argument_bytes = weft__matmul_argument_bytes(t),
                                              .uses = 3 + t->sides + (t->work != NULL),
                                              .use = use,
                                              .what = "matmul",
                                              .site = t->site,
                                              .bytes = bytes});
}
