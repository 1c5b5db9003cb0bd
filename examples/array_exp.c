// SPDX-License-Identifier: MIT
// The exponential of each element of a random vector, on the host and on the device: the values, and the total time of
// 1000 calls.
//
// Mirrors array_exp.py of the article on PyCUDA (python3 array_exp.py -l 5; elementwise, not the exponential of a
// matrix):
//   np.random.seed(1); array = np.random.randn(length).astype(np.float32)
//   print(np.exp(array));  print(gm.exp(array_gpu).get())
//   print(timeit.timeit('npexp()', number=1000));  print(timeit.timeit('gmexp()', number=1000))
// The article times a vector of length 10000000 (--timed 10000000). Its gm.exp makes a new result in each call, as
// here, and leaves it on the device, but the article does not wait for the device; here the clock stops when the
// device has finished.
#include <inttypes.h>
#include <math.h>

#include "example.h"
#include "numpy_random.h"

typedef struct vector {
  uint64_t n;
  float *array, *exp_array;
  weft_array *array_device;
} vector;

static weft_status host_exp(void *argument) {
  vector *v = argument;
  for (uint64_t i = 0; i < v->n; i++) v->exp_array[i] = expf(v->array[i]);
  return WEFT_OK;
}

static weft_status device_exp(void *argument) {
  vector *v = argument;
  weft_array *result = NULL;
  weft_status status = weft_exp(&result, v->array_device);
  weft_array_release(&result);
  return status;
}

static weft_status device_exp_and_copy(void *argument) {
  vector *v = argument;
  return weft_exp(WEFT_HOST_OUT(v->exp_array, WEFT_F32, WEFT_SHAPE(v->n)),
                  WEFT_HOST(v->array, WEFT_F32, WEFT_SHAPE(v->n)));
}

// The largest error of the values, in units of the last place of a float. The reference is a double's exp, whose error
// is a thousand-millionth of that unit.
static double worst_ulp(const float *values, const float *array, uint64_t n) {
  double worst = 0;
  for (uint64_t i = 0; i < n; i++) {
    double exact = exp((double)array[i]);
    int exponent;
    frexp(exact, &exponent);
    double error = fabs((double)values[i] - exact) / ldexp(1.0, exponent < -125 ? -149 : exponent - 24);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

// Prints the seconds of all calls together in the article's form, a bare number.
static weft_status print_total(double *total_s, weft_context *context, weft_timeit_function *function, vector *v,
                               uint64_t calls) {
  char text[EXAMPLE_REPR_SIZE];
  weft_timing timing;
  weft_status status = weft_timeit(&timing, context, function, v, .runs = 1, .loops = calls);
  if (status != WEFT_OK) return status;
  *total_s = 1e-9 * timing.total_ns;
  printf("%s\n", example_repr(text, *total_s));
  return WEFT_OK;
}

int main(int argc, char **argv) {
  uint64_t length = 5, timed = 0, calls = 1000, seed = 1;
  const example_option options[] = {
      {"-l", &length, 1, (uint64_t)1 << 30, "length of the vector that is printed"},
      {"--timed", &timed, 0, (uint64_t)1 << 30,
       "length of the vector that is timed; the article's is 10000000; 0: 1000000 on a GPU, 100000 on a CPU"},
      {"--calls", &calls, 1, 1000000, "calls that are timed together"},
      {"--seed", &seed, 0, UINT32_MAX, "seed of the random numbers"},
  };
  int status =
      example_arguments(argc, argv, "Exponentials of random numbers.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  numpy_random random;
  weft_context *context = NULL;
  weft_array *exp_device = NULL;
  weft_device_info device;
  double host_s, device_s, copied_s;
  vector v = {.n = length};

  // The default context, because calls on host memory use it.
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_context_get_device(&device, context), done);
  if (timed == 0) timed = device.type == WEFT_DEVICE_TYPE_CPU ? 100000 : 1000000;
  const uint64_t most = length > timed ? length : timed;
  v.array = malloc(most * sizeof(float));
  v.exp_array = malloc(most * sizeof(float));
  REQUIRE(v.array != NULL && v.exp_array != NULL, "no memory for %" PRIu64 " elements", most);
  numpy_seed(&random, (uint32_t)seed);
  numpy_randn_f32(&random, v.array, most);
  WEFT_TRY(weft_from_host(&v.array_device, context, WEFT_F32, WEFT_SHAPE(length), v.array), done);

  // np.exp. The host's array is copied to the device because Weft prints arrays from there.
  host_exp(&v);
  double host_ulp = worst_ulp(v.exp_array, v.array, length);
  WEFT_TRY(weft_from_host(&exp_device, context, WEFT_F32, WEFT_SHAPE(length), v.exp_array), done);
  WEFT_TRY(weft_array_print(stdout, exp_device), done);

  // gm.exp and get()
  WEFT_TRY(weft_exp(&exp_device, v.array_device), done);
  WEFT_TRY(weft_array_print(stdout, exp_device), done);
  WEFT_TRY(weft_to_host(v.exp_array, length * sizeof(float), exp_device), done);
  double device_ulp = worst_ulp(v.exp_array, v.array, length);
  printf("Off the exact exponential by at most %.3f ULP on the host, %.3f on the device.\n\n", host_ulp, device_ulp);
  REQUIRE(device_ulp <= 3, "OpenCL allows 3 ULP");

  weft_array_release(&v.array_device);
  v.n = timed;
  WEFT_TRY(weft_from_host(&v.array_device, context, WEFT_F32, WEFT_SHAPE(timed), v.array), done);
  WEFT_TRY(print_total(&host_s, context, host_exp, &v, calls), done);
  WEFT_TRY(print_total(&device_s, context, device_exp, &v, calls), done);
  WEFT_TRY(print_total(&copied_s, context, device_exp_and_copy, &v, calls), done);
  printf("Seconds of %" PRIu64 " calls on %" PRIu64
         " numbers: the host, by one thread; the device, the result left there; the device, from host memory and "
         "back.\n",
         calls, timed);
  printf(
      "The device is %.3g times as fast as the host, %.3g times with the copies. (The article: 26.13 s and 3.47 s, "
      "7.53 times.)\n",
      host_s / device_s, host_s / copied_s);
  status = EXIT_SUCCESS;

done:
  weft_release(&exp_device, &v.array_device);
  free(v.exp_array);
  free(v.array);
  return example_close(&context, status);
}
