// SPDX-License-Identifier: MIT
// Measures the errors of a device's math functions, and compares them with the allowed bounds.
//
//   ulp                                1048576 points per function and dtype, every function
//   ulp --points 10000 --markdown exp sin
//   ulp --exhaustive --dtype f32 exp   every float (functions of one argument)
//
// Exit status: 0; 1 if a bound is exceeded or one of Weft's own functions gives a zero the wrong sign; 2 for a wrong
// command line; 77 without a device.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#define CHUNK ((size_t)1 << 20)
#define DTYPES 4
static const weft_dtype dtypes[DTYPES] = {WEFT_F32, WEFT_F64, WEFT_F16, WEFT_BF16};

typedef struct settings {
  uint64_t points, seed;
  int threads;
  bool markdown, exhaustive;
  ulp_form form;
  const char *device;
  weft_dtype only; /* NONE: all */
  const char *names[64];
  int name_count;
} settings;

static const char usage[] =
    "usage: ulp [options] [function...]\n"
    "  --points N      points per function and dtype (1048576; f16 and bf16 have all 65536 for one argument)\n"
    "  --exhaustive    every f32, for functions of one argument\n"
    "  --dtype D       f16, bf16, f32 or f64 only\n"
    "  --device D      as in weft_device_find; default WEFT_TEST_DEVICE, else the default device\n"
    "  --form F        device (default), gpu (what GPUs get, here) or builtin (none of Weft's own functions)\n"
    "  --threads N     to compare with (2)\n"
    "  --seed N        of the points (1)\n"
    "  --markdown      a table in markdown\n";

static bool wanted(const settings *s, const ulp_function *f) {
  for (int k = 0; k < s->name_count; k++)
    if (strcmp(s->names[k], f->name) == 0) return true;
  return s->name_count == 0;
}

static weft_status measure(ulp_worst *worst, weft_context *context, const settings *s, const ulp_function *f,
                           weft_dtype dtype, void **buffers) {
  ulp_format format = ulp_format_of(dtype);
  bool all_halves = weft_dtype_size_bytes(dtype) == 2 && f->arity == 1,
       all_floats = dtype == WEFT_F32 && f->arity == 1 && s->exhaustive;
  uint64_t total = all_halves ? 65536 : all_floats ? (uint64_t)1 << 32 : s->points;
  *worst = (ulp_worst){.error = -1};
  for (uint64_t begin = 0; begin < total; begin += CHUNK) {
    size_t count = total - begin < CHUNK ? (size_t)(total - begin) : CHUNK;
    if (all_halves)
      for (size_t i = 0; i < count; i++) ((uint16_t *)buffers[0])[i] = (uint16_t)i;
    else if (all_floats)
      for (size_t i = 0; i < count; i++) ((uint32_t *)buffers[0])[i] = (uint32_t)(begin + i);
    else
      ulp_points(f, &format, s->seed + begin, count, buffers);
    weft_status status =
        ulp_evaluate(context, f, s->form, dtype, (const void *const *)buffers, count, buffers[ULP_MAX_ARITY]);
    if (status) return status;
    ulp_compare(worst, f, &format, (const void *const *)buffers, buffers[ULP_MAX_ARITY], count, s->threads);
  }
  return WEFT_OK;
}

/// Whether the function is Weft's own for this dtype on this kind of device; otherwise it is the device's built-in.
static bool is_own(const settings *s, const weft_device_info *device, const ulp_function *f, weft_dtype dtype) {
  if (f->is_ufunc) return true;
  if (!f->header || s->form == ULP_FORM_BUILTIN) return false;
  bool on_gpus = dtype != WEFT_F64 && (strcmp(f->header, "pow") == 0 || strcmp(f->header, "gamma") == 0 ||
                                       strcmp(f->header, "erfc") == 0);
  const bool on_nvidia = dtype != WEFT_F64 && s->form == ULP_FORM_DEVICE && strstr(device->vendor, "NVIDIA") &&
                         strcmp(f->header, "hyperbolic") == 0 && strcmp(f->name, "cosh") != 0 &&
                         strcmp(f->name, "tanh") != 0;
  return on_gpus || on_nvidia || device->type == WEFT_DEVICE_TYPE_CPU;
}

/// The allowed error. OpenCL allows a built-in function the same number of ULP in f32 as in f64.
static double allowed(const ulp_function *f, weft_dtype dtype, bool own) {
  if (weft_dtype_size_bytes(dtype) == 2) return f->bound[0];
  return f->bound[dtype == WEFT_F64 || (f->header && !own) ? 2 : 1];
}

static void print_row(const settings *s, const char *device, const ulp_function *f, weft_dtype dtype,
                      const ulp_worst *worst, double bound, bool own) {
  char where[120];
  int used = 0;
  for (int k = 0; k < f->arity; k++)
    used += snprintf(where + used, sizeof where - (size_t)used, dtype == WEFT_F64 ? "%s%.17g" : "%s%.9g", k ? ", " : "",
                     worst->argument[k]);
  bool exceeded = worst->error > bound;
  const char *zeros = worst->zero_signs ? ", some zeros have the wrong sign" : "";
  if (s->markdown)
    printf("| %s | %s | %s | %s | %.3f | %s | %.9g | %.9g | %g%s%s |\n", f->name, weft_dtype_name(dtype), device,
           own ? "Weft" : "built-in", worst->error, where, worst->got, worst->expected, bound,
           exceeded ? ", exceeded" : "", zeros);
  else
    printf("%-10s %s %-8s %8.3f of %-4g at %s: %.9g for %.9g%s%s  (%" PRIu64 " points, %" PRIu64
           " by MPFR, filter within %.1e)\n",
           f->name, weft_dtype_name(dtype), own ? "Weft" : "built-in", worst->error, bound, where, worst->got,
           worst->expected, exceeded ? "  EXCEEDED" : "", zeros, worst->points, worst->exact_points, worst->filter_off);
  fflush(stdout);
}

static int parse(settings *s, int argc, char **argv) {
  *s = (settings){.points = (uint64_t)1 << 20, .seed = 1, .threads = 2, .device = getenv("WEFT_TEST_DEVICE")};
  for (int k = 1; k < argc; k++) {
    const char *word = argv[k], *value = k + 1 < argc ? argv[k + 1] : "";
    if (strcmp(word, "--markdown") == 0) {
      s->markdown = true;
    } else if (strcmp(word, "--exhaustive") == 0) {
      s->exhaustive = true;
    } else if (word[0] != '-') {
      if (!ulp_function_find(word) || s->name_count == 64) return fprintf(stderr, "ulp: no function %s\n", word), 2;
      s->names[s->name_count++] = word;
    } else {
      k++;
      if (strcmp(word, "--points") == 0) {
        s->points = strtoull(value, NULL, 10);
      } else if (strcmp(word, "--seed") == 0) {
        s->seed = strtoull(value, NULL, 10);
      } else if (strcmp(word, "--threads") == 0) {
        s->threads = atoi(value);
      } else if (strcmp(word, "--device") == 0) {
        s->device = value;
      } else if (strcmp(word, "--dtype") == 0) {
        s->only = WEFT_BOOL;
        for (int d = 0; d < DTYPES; d++)
          if (strcmp(value, weft_dtype_name(dtypes[d])) == 0) s->only = dtypes[d];
      } else if (strcmp(word, "--form") == 0 &&
                 (strcmp(value, "gpu") == 0 || strcmp(value, "builtin") == 0 || strcmp(value, "device") == 0)) {
        s->form = value[0] == 'g' ? ULP_FORM_GPU : value[0] == 'b' ? ULP_FORM_BUILTIN : ULP_FORM_DEVICE;
      } else {
        return fputs(usage, stderr), 2;
      }
    }
  }
  if (s->points == 0 || s->threads < 1 || s->only == WEFT_BOOL) return fputs(usage, stderr), 2;
  return 0;
}

int main(int argc, char **argv) {
  settings s;
  int result = parse(&s, argc, argv);
  if (result) return result;
  weft_context *context = NULL;
  void *buffers[ULP_MAX_ARITY + 1] = {0};
  weft_device_info device;
  weft_status status = weft_context_create(&context, .device = s.device);
  if (status == WEFT_ERROR_NO_DEVICE) return puts("no such device"), 77;
  if (!status) status = weft_context_get_device(&device, context);
  for (int k = 0; k <= ULP_MAX_ARITY && !status; k++)
    if ((buffers[k] = malloc(CHUNK * sizeof(double))) == NULL) status = WEFT_ERROR_HOST_MEMORY;
  if (status) goto failed;

  if (s.markdown)
    puts(
        "| function | dtype | device | from | worst ULP | at | got | exact | bound "
        "|\n|---|---|---|---|---|---|---|---|---|");
  for (int d = 0; d < DTYPES; d++) {
    if ((s.only && s.only != dtypes[d]) || (dtypes[d] == WEFT_F64 && !device.has_fp64)) continue;
    for (int k = 0; k < ulp_function_count; k++) {
      const ulp_function *f = &ulp_functions[k];
      if (!wanted(&s, f)) continue;
      ulp_worst worst;
      status = measure(&worst, context, &s, f, dtypes[d], buffers);
      if (status) goto failed;
      bool own = is_own(&s, &device, f, dtypes[d]);
      double bound = allowed(f, dtypes[d], own);
      print_row(&s, device.name, f, dtypes[d], &worst, bound, own);
      if (worst.error > bound || (own && worst.zero_signs > 0)) result = 1;
    }
  }
  goto done;

failed:
  weft_error_print(stderr);
  result = 1;
done:
  for (int k = 0; k <= ULP_MAX_ARITY; k++) free(buffers[k]);
  weft_context_release(&context);
  return result;
}
