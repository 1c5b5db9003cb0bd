// SPDX-License-Identifier: MIT
// A user-defined ufunc: on host arrays, on device arrays, into an existing array, and on another library's memory.
//
// Mirrors the notebook "Memory Management" (Numba and CuPy), cell by cell:
//   @vectorize(["float32(float32, float32)"], target='cuda')
//   def add_ufunc(x, y): return x + y
//   %timeit add_ufunc(x, y)                                    1.57 ms
//   %timeit add_ufunc(x_device, y_device)                       608 us
//   %timeit add_ufunc(x_device, y_device, out=out_device)       519 us
//   print(out_device.copy_to_host()[:10]); x_cp.__cuda_array_interface__
//   %timeit add_ufunc(x_cp, y_cp, out=out_cp)                   519 us
// In the notebook a new output costs 89 us per call. Here it comes from Weft's pool and costs almost nothing; the
// program also times it without the pool, in a context that asks the driver for memory each time. Where the notebook
// uses CuPy, this program creates OpenCL buffers itself, as any other library would, and Weft works on them in place.
#include <inttypes.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "example.h"

typedef struct operands {
  weft_ufunc *add;
  uint64_t n;
  float *x, *y, *sum;  // on the host
  const weft_array *x_device, *y_device;
  weft_array **out_device;
} operands;

static weft_status call_on_host_arrays(void *argument) {
  operands *o = argument;
  return weft_ufunc_call(o->add, WEFT_HOST_OUT(o->sum, WEFT_F32, WEFT_SHAPE(o->n)),
                         WEFT_HOST(o->x, WEFT_F32, WEFT_SHAPE(o->n)), WEFT_HOST(o->y, WEFT_F32, WEFT_SHAPE(o->n)));
}

static weft_status call_on_device_arrays(void *argument) {
  operands *o = argument;
  weft_array *result = NULL;  // a new one for each call
  weft_status status = weft_ufunc_call(o->add, &result, o->x_device, o->y_device);
  weft_array_release(&result);
  return status;
}

static weft_status call_with_out(void *argument) {
  operands *o = argument;
  return weft_ufunc_call(o->add, o->out_device, o->x_device, o->y_device);
}

// Prints a cell's input and IPython's line for it. *best_ns (may be NULL) receives the time of the fastest run, which
// other work on the machine disturbs least.
static weft_status time_it(double *best_ns, weft_context *context, const char *cell, weft_timeit_function *function,
                           operands *o, const weft_timeit_params *params) {
  weft_timing timing;
  char *text = NULL;
  weft_status status = weft_timeit(&timing, context, function, o, .runs = params->runs, .loops = params->loops);
  if (status == WEFT_OK) status = weft_timeit_text(&text, &timing);
  if (status != WEFT_OK) return status;
  printf("%%timeit %s\n%s\n\n", cell, text);
  weft_free(text);
  if (best_ns != NULL) *best_ns = timing.best_ns;
  return WEFT_OK;
}

// print(array[:10])
static weft_status print_ten(const weft_array *array) {
  weft_array *ten = NULL;
  weft_status status = weft_slice(&ten, array, 0, 0, 10);
  if (status == WEFT_OK) status = weft_array_print(stdout, ten);
  weft_array_release(&ten);
  return status;
}

int main(int argc, char **argv) {
  uint64_t n = 100000, runs = 7, loops = 1000;
  const example_option options[] = {
      {"-n", &n, 10, (uint64_t)1 << 30, "elements of each array"},
      {"--runs", &runs, 1, 1000, "runs of a timing"},
      {"--loops", &loops, 0, 1000000000, "calls in a run; 0: as many as take 0.2 s, as IPython chooses them"},
  };
  int status = example_arguments(argc, argv, "Times a ufunc on host arrays, device arrays and foreign memory.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  const weft_timeit_params params = {.runs = (int)runs, .loops = loops};
  weft_context *context = NULL, *no_pool = NULL;
  weft_array *x_direct = NULL, *y_direct = NULL;
  weft_array *x_device = NULL, *y_device = NULL, *out_device = NULL, *x_cl = NULL, *y_cl = NULL, *out_cl = NULL;
  cl_mem foreign[3] = {NULL, NULL, NULL};
  cl_int code = CL_SUCCESS;
  char *text = NULL;
  double host_ns = 0, direct_ns = 0, device_ns = 0, out_ns = 0;
  operands o = {
      .n = n, .x = malloc(n * sizeof(float)), .y = malloc(n * sizeof(float)), .sum = malloc(n * sizeof(float))};
  REQUIRE(o.x != NULL && o.y != NULL && o.sum != NULL, "no memory for %" PRIu64 " elements", n);
  for (uint64_t i = 0; i < n; i++) {
    o.x[i] = (float)i;
    o.y[i] = 2 * o.x[i];
  }

  // The default context, because calls on host arrays use it.
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_ufunc_create(&o.add, .name = "add_ufunc", .signatures = "f32(f32 x, f32 y)", .expression = "x + y"),
           done);
  WEFT_TRY(time_it(&host_ns, context, "add_ufunc(x, y) # Baseline performance with host arrays", call_on_host_arrays,
                   &o, &params),
           done);

  WEFT_TRY(weft_from_host(&x_device, context, WEFT_F32, WEFT_SHAPE(n), o.x), done);
  WEFT_TRY(weft_from_host(&y_device, context, WEFT_F32, WEFT_SHAPE(n), o.y), done);
  WEFT_TRY(weft_array_describe(&text, x_device), done);
  printf("%s\n(%" PRId64 ",)\n%s\n\n", text, weft_array_length(x_device, 0),
         weft_dtype_name(weft_array_dtype(x_device)));
  o.x_device = x_device;
  o.y_device = y_device;
  WEFT_TRY(time_it(&device_ns, context, "add_ufunc(x_device, y_device)", call_on_device_arrays, &o, &params), done);

  WEFT_TRY(weft_context_create(&no_pool, .pool_off = true), done);
  WEFT_TRY(weft_from_host(&x_direct, no_pool, WEFT_F32, WEFT_SHAPE(n), o.x), done);
  WEFT_TRY(weft_from_host(&y_direct, no_pool, WEFT_F32, WEFT_SHAPE(n), o.y), done);
  o.x_device = x_direct;
  o.y_device = y_direct;
  WEFT_TRY(time_it(&direct_ns, no_pool, "add_ufunc(x_device, y_device) # without Weft's pool", call_on_device_arrays,
                   &o, &params),
           done);
  o.x_device = x_device;
  o.y_device = y_device;

  WEFT_TRY(weft_empty(&out_device, context, WEFT_F32, WEFT_SHAPE(n)), done);
  o.out_device = &out_device;
  WEFT_TRY(time_it(&out_ns, context, "add_ufunc(x_device, y_device, out=out_device)", call_with_out, &o, &params),
           done);
  printf("The fastest runs: %.2f us, %.2f us, %.2f us without the pool, %.2f us\n", 1e-3 * host_ns, 1e-3 * device_ns,
         1e-3 * direct_ns, 1e-3 * out_ns);
  printf("host : device : out = %.2f : %.2f : 1 (in the notebook 3.03 : 1.17 : 1)\n", host_ns / out_ns,
         device_ns / out_ns);
  printf(
      "A new output adds %.2f us to a call if the driver makes it, %.2f us if it comes from Weft's pool "
      "(in the notebook 89 us).\n",
      1e-3 * (direct_ns - out_ns), 1e-3 * (device_ns - out_ns));
  printf("A value near 0, of either sign, is within the variation of the runs.\n\n");

  WEFT_TRY(weft_to_host(o.sum, n * sizeof *o.sum, out_device), done);
  for (uint64_t i = 0; i < n; i++) REQUIRE(o.sum[i] == o.x[i] + o.y[i], "element %" PRIu64 " is wrong", i);
  WEFT_TRY(print_ten(out_device), done);

  // Another library's memory: OpenCL buffers created without Weft, in the cl_context that both share.
  cl_context cl = weft_context_cl_context(context);
  for (int k = 0; k < 3 && code == CL_SUCCESS; k++)
    foreign[k] =
        clCreateBuffer(cl, k < 2 ? CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE, n * sizeof(float),
                       k == 0   ? o.x
                       : k == 1 ? o.y
                                : NULL,
                       &code);
  REQUIRE(code == CL_SUCCESS, "clCreateBuffer: %s", weft_cl_code_name(code));
  WEFT_TRY(weft_array_adopt(&x_cl, context, foreign[0], 0, WEFT_F32, WEFT_SHAPE(n)), done);
  WEFT_TRY(weft_array_adopt(&y_cl, context, foreign[1], 0, WEFT_F32, WEFT_SHAPE(n)), done);
  WEFT_TRY(weft_array_adopt(&out_cl, context, foreign[2], 0, WEFT_F32, WEFT_SHAPE(n)), done);
  weft_free(text);
  text = NULL;
  WEFT_TRY(weft_array_interface(&text, x_cl), done);
  printf("\n%s\n\n", text);
  WEFT_TRY(weft_ufunc_call(o.add, &out_cl, x_cl, y_cl), done);
  WEFT_TRY(print_ten(out_cl), done);
  printf("\n");
  o.x_device = x_cl;
  o.y_device = y_cl;
  o.out_device = &out_cl;
  WEFT_TRY(time_it(NULL, context, "add_ufunc(x_cl, y_cl, out=out_cl)", call_with_out, &o, &params), done);
  status = EXIT_SUCCESS;

done:
  weft_free(text);
  weft_release(&out_cl, &y_cl, &x_cl);
  for (int k = 0; k < 3; k++)
    if (foreign[k] != NULL) clReleaseMemObject(foreign[k]);
  weft_release(&y_direct, &x_direct, &out_device, &y_device, &x_device, &o.add);
  free(o.sum);
  free(o.y);
  free(o.x);
  status = example_close(&no_pool, status);
  return example_close(&context, status);
}
