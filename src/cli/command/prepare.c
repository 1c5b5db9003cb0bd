// SPDX-License-Identifier: MIT
/// `weft prepare`: builds kernels ahead for a device, so that later programs find them in the cache: kernels of common
/// calls, or of what a run noted.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/cache.h>

#include "base/error.h"
#include "cli/base/cache_files.h"
#include "cli/base/options.h"
#include "cli/base/progress.h"

/* ---- common calls ---- */

/// One dtype's operands: 1000 elements, and a matrix.
typedef struct operands {
  weft_dtype dtype;
  weft_array *a, *b, *matrix, *index;
  weft_rng *rng;
} operands;

static weft_status make(operands *o, weft_context *context) {
  const weft_dtype dtype = o->dtype;
  weft_array *row = NULL;
  weft_status rc;
  WEFT__TRY(weft_arange(&o->a, context, dtype, 0, 1000, 1));
  WEFT__TRY(weft_full(&o->b, context, dtype, WEFT_SHAPE(1000), 3));
  WEFT__TRY(weft_arange(&o->index, context, WEFT_I64, 0, 1000, 1));
  WEFT__TRY(weft_arange(&row, context, dtype, 0, 1024, 1));
  WEFT__TRY(weft_reshape(&o->matrix, row, WEFT_SHAPE(32, 32)));
  WEFT__TRY(weft_rng_create(&o->rng, .seed = 1, .context = context));
done:
  weft_release(&row);
  return rc;
}

/// The calls: a name, whether they need floats, and the call.
#define CALLS(X)                                                              \
  X(add, false, weft_add(y, o->a, o->b))                                      \
  X(subtract, false, weft_subtract(y, o->a, o->b))                            \
  X(multiply, false, weft_multiply(y, o->a, o->b))                            \
  X(divide, false, weft_divide(y, o->a, o->b))                                \
  X(minimum, false, weft_minimum(y, o->a, o->b))                              \
  X(maximum, false, weft_maximum(y, o->a, o->b))                              \
  X(less, false, weft_less(y, o->a, o->b))                                    \
  X(equal, false, weft_equal(y, o->a, o->b))                                  \
  X(negative, false, weft_negative(y, o->a))                                  \
  X(square, false, weft_square(y, o->a))                                      \
  X(exp, true, weft_exp(y, o->a))                                             \
  X(log, true, weft_log(y, o->a))                                             \
  X(sqrt, true, weft_sqrt(y, o->a))                                           \
  X(sin, true, weft_sin(y, o->a))                                             \
  X(cos, true, weft_cos(y, o->a))                                             \
  X(tanh, true, weft_tanh(y, o->a))                                           \
  X(sum, false, weft_sum(y, o->a, WEFT_ALL_AXES))                             \
  X(sum_of_rows, false, weft_sum(y, o->matrix, 1))                            \
  X(sum_of_columns, false, weft_sum(y, o->matrix, 0))                         \
  X(mean, true, weft_mean(y, o->a, WEFT_ALL_AXES))                            \
  X(min, false, weft_min(y, o->a, WEFT_ALL_AXES))                             \
  X(max, false, weft_max(y, o->a, WEFT_ALL_AXES))                             \
  X(argmax, false, weft_argmax(y, o->a, WEFT_ALL_AXES))                       \
  X(cumsum, false, weft_cumsum(y, o->a, 0))                                   \
  X(sort, false, weft_sort(y, o->a, -1))                                      \
  X(argsort, false, weft_argsort(y, o->a, -1))                                \
  X(take, false, weft_take(y, o->a, o->index, 0))                             \
  X(matmul, true, weft_matmul(y, o->matrix, o->matrix))                       \
  X(uniform, true, weft_uniform(y, o->rng, o->dtype, WEFT_SHAPE(1000), 0, 1)) \
  X(normal, true, weft_normal(y, o->rng, o->dtype, WEFT_SHAPE(1000), 0, 1))

#define FUNCTION(name, floats, call)                           \
  static weft_status run_##name(weft_array **y, operands *o) { \
    return call;                                               \
  }
CALLS(FUNCTION)

typedef struct common_call {
  const char *name;
  bool floats;
  weft_status (*run)(weft_array **y, operands *o);
} common_call;

#define ROW(name, floats, call) {#name, floats, run_##name},
static const common_call calls[] = {CALLS(ROW)};
enum { CALL_COUNT = sizeof calls / sizeof *calls };

static const weft_dtype dtypes[] = {WEFT_F32, WEFT_F64, WEFT_I32, WEFT_I64};
enum { DTYPE_COUNT = sizeof dtypes / sizeof *dtypes };

static int prepare_dtype(const cli_args *args, weft_context *context, int number) {
  const weft_dtype dtype = dtypes[number];
  operands o = {.dtype = dtype};
  weft_status rc = make(&o, context);
  for (int k = 0; k < CALL_COUNT && rc == WEFT_OK; k++) {
    char part[64];
    weft_array *y = NULL;
    if (calls[k].floats && number > 1) continue; /* the integers are last */
    snprintf(part, sizeof part, "%s of %s", calls[k].name, weft_dtype_name(dtype));
    cli_progress_at((uint64_t)(number * CALL_COUNT + k), part);
    rc = calls[k].run(&y, &o);
    weft_release(&y);
  }
  weft_release(&o.a, &o.b, &o.matrix, &o.index, &o.rng);
  return rc == WEFT_OK ? CLI_OK : cli_report(args);
}

static int prepare_common(const cli_args *args) {
  weft_context *context = NULL;
  weft_device_info device;
  int status = CLI_OK;
  if (cli_open(&context, args) != WEFT_OK) return CLI_FAILED;
  if (weft_context_get_device(&device, context) != WEFT_OK) status = cli_report(args);
  cli_progress_begin("prepare", DTYPE_COUNT * CALL_COUNT, "calls");
  for (int k = 0; k < DTYPE_COUNT && status == CLI_OK; k++)
    if (dtypes[k] != WEFT_F64 || device.has_fp64) status = prepare_dtype(args, context, k);
  if (status == CLI_OK && weft_context_close(&context) != WEFT_OK) status = cli_report(args);
  cli_progress_end();
  weft_context_release(&context);
  return status;
}

/* ---- what a run noted ---- */

/// PoCL puts the code for these launches into the next binary, as for launches that were made.
static int expect_launches(const cli_args *args, const weft__part *facts) {
  weft__part rest = *facts, line;
  weft__text sizes = {0};
  while ((line = weft__part_next(&rest, "launched")).bytes) {
    const char *size = memchr(line.bytes, ' ', line.size);
    if (!size) continue;
    size++;
    weft__text_add(&sizes, "%s%.*s", sizes.length ? "," : "", (int)(line.bytes + line.size - size), size);
  }
  const bool failed = sizes.failed || setenv("POCL_BINARY_SPECIALIZE_WG", weft__text_chars(&sizes), 1) != 0;
  weft__text_free(&sizes);
  return failed ? cli_fail(args, "not enough memory") : CLI_OK;
}

/// In a context of its own, because PoCL's binaries are made at a context's end.
static int prepare_file(int *skipped, const cli_args *args, const cache_file *file) {
  weft_context *context = NULL;
  int status = expect_launches(args, &file->parts.facts);
  if (status == CLI_OK && cli_open(&context, args) != WEFT_OK) return CLI_FAILED;
  weft_status rc = WEFT_OK;
  if (status == CLI_OK) rc = weft_cache_prepare(context, file->bytes.chars, file->bytes.length);
  if (rc == WEFT_ERROR_UNSUPPORTED) {
    ++*skipped;
    rc = WEFT_OK;
  }
  if (rc == WEFT_OK && status == CLI_OK) rc = weft_context_close(&context);
  if (rc) status = cli_report(args);
  weft_context_release(&context);
  return status;
}

static int prepare_noted(const cli_args *args, const char *folder) {
  cache_files files;
  int skipped = 0, status = cache_files_read(&files, args, folder);
  cli_progress_begin("prepare", (uint64_t)files.count, "programs");
  for (int k = 0; k < files.count && status == CLI_OK; k++) {
    cli_progress_at((uint64_t)k, NULL);
    status = prepare_file(&skipped, args, &files.file[k]);
  }
  cli_progress_end();
  if (status == CLI_OK && skipped)
    fprintf(stderr, "%d programs left out: they are for another kind of device or version of Weft\n", skipped);
  cache_files_free(&files);
  return status;
}

static int run(const cli_args *args) {
  weft_cache_info before, after;
  if (weft_cache_get(&before) != WEFT_OK) return cli_report(args);
  if (!before.is_on) return cli_fail(args, "the cache is not used: %s", before.why);
  /* a folder that is named gets all programs, however long PoCL takes for them */
  if (setenv("WEFT_CACHE_DIR", before.folder, 1) != 0) return cli_fail(args, "not enough memory");
  const int status = args->word_count ? prepare_noted(args, args->word[0]) : prepare_common(args);
  if (status != CLI_OK) return status;
  if (weft_cache_get(&after) != WEFT_OK) return cli_report(args);
  printf("%" PRIu64 " programs built: %s\n", after.stored, after.folder);
  return CLI_OK;
}

const cli_command cli_prepare = {
    .name = "prepare",
    .synopsis = "[DIR]",
    .summary = "Builds kernels ahead, so that programs find them in the cache",
    .description =
        "Without a word: the kernels of common calls (arithmetic, sums, sorts, ...) for f32, f64, i32 and\n"
        "i64. With DIR: those that a run with WEFT_CACHE_DIR=DIR built, of this or another machine with the\n"
        "same version of Weft, for this device and its driver: after an update of the driver, or in an image\n"
        "of a container. They go to the cache that programs use (`weft cache` shows it).\n"
        "\n"
        "Examples:\n"
        "  weft prepare --device gpu\n"
        "  weft prepare kernels\n",
    .max_words = 1,
    .run = run,
};
