// SPDX-License-Identifier: MIT
/// The public headers as C++17 and C++20, in a program that runs: a context, arrays, views, options, a launch with
/// every kind of argument. It makes no OpenCL call before it knows the device. Exit status 77 without the device.
#include <weft/weft.h>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int checks;

#define CHECK(condition)                                                                        \
  do {                                                                                          \
    checks++;                                                                                   \
    if (!(condition)) {                                                                         \
      std::fprintf(stderr, "%s:%d: %s is false; last error: ", __FILE__, __LINE__, #condition); \
      weft_error_print(stderr);                                                                 \
      std::exit(EXIT_FAILURE);                                                                  \
    }                                                                                           \
  } while (0)
#define OK(call) CHECK((call) == WEFT_OK)

struct particle {
  float x, y, z;
  int id;
};

static const char SOURCE[] = R"(
#include "weft/prelude.clh"
typedef struct { float x, y, z; int id; } particle;
kernel void everything(global float *y, global const float *x, char c, uchar uc, short s, ushort us, int i, uint ui,
                       long l, ulong ul, float f, particle p, local float *scratch, long n) {
  ulong at = weft_global_id();
  scratch[threadIdx.x] = at < (ulong)n ? x[at] : 0.0f;
  __syncthreads();
  if (at < (ulong)n) y[at] = scratch[threadIdx.x] + c + uc + s + us + i + ui + l + ul + f + p.id;
}
)";

static void shapes_and_scalars() {
  CHECK(WEFT_SHAPE_0D.ndim == 0);
  CHECK(WEFT_SHAPE(3, 4).ndim == 2 && WEFT_SHAPE(3, 4).dim[1] == 4);
  CHECK(WEFT_SHAPE(1, 2, 3, 4, 5, 6, 7, 8, 9).ndim == 9);
  CHECK(WEFT_DIM3(5).x == 5 && WEFT_DIM3(5).y == 1 && WEFT_DIM3(5, 6, 7).z == 7);
  CHECK(weft_ceil_div(10000, 32) == 313);
  CHECK(WEFT_SCALAR(1.5f).dtype == WEFT_F32 && WEFT_SCALAR(1.5).dtype == WEFT_F64 && WEFT_SCALAR(1).dtype == WEFT_I32);
  CHECK(WEFT_SCALAR(true).dtype == WEFT_BOOL && WEFT_SCALAR('a').dtype == WEFT_I8 &&
        WEFT_SCALAR(1ul).dtype == WEFT_U64);
  const weft_c64 z = {1.0f, 2.0f};
  CHECK(WEFT_SCALAR(z).dtype == WEFT_C64 && WEFT_SCALAR(z).value.c[1] == 2.0);
  CHECK(sizeof(std::complex<float>) == sizeof(weft_c64) && sizeof(std::complex<double>) == sizeof(weft_c128));
}

static void arrays(weft_context *context) {
  weft_array *x = nullptr, *view = nullptr, *copy = nullptr, *narrow = nullptr;
  std::vector<int> data(12), got(12);
  for (int i = 0; i < 12; i++) data[static_cast<size_t>(i)] = i;
  OK(weft_from_host(&x, context, WEFT_I32, WEFT_SHAPE(3, 4), data.data()));
  OK(weft_transpose(&view, x, WEFT_ALL_AXES));
  OK(weft_copy(&copy, view));
  OK(weft_to_host(got.data(), got.size() * sizeof(int), copy));
  for (int i = 0; i < 12; i++) CHECK(got[static_cast<size_t>(i)] == i % 3 * 4 + i / 3);
  OK(weft_fill(x, 7));
  OK(weft_cast(&narrow, x, WEFT_U8));
  unsigned char bytes[12];
  OK(weft_to_host(bytes, sizeof bytes, narrow));
  CHECK(bytes[11] == 7);
  char *text = nullptr;
  OK(weft_array_describe(&text, narrow));
  CHECK(std::strncmp(text, "u8[3,4] on ", 11) == 0);
  weft_free(text);
  weft_array_release(&view);
  DLManagedTensorVersioned *tensor = nullptr;
  OK(weft_to_dlpack(&tensor, x));
  OK(weft_from_dlpack(&view, context, tensor));
  CHECK(weft_array_length(view, 1) == 4 && !weft_array_is_read_only(view));
  OK(weft_array_interface(&text, view));
  CHECK(std::strncmp(text, "{'shape': (3, 4),", 17) == 0);
  weft_free(text);
  weft_array_release(&view);
  CHECK(weft_flip(&view, x, 5) == WEFT_ERROR_AXIS);
  CHECK(std::strstr(weft_error_last()->site, "headers_cxx.cpp:") != nullptr);
  weft_array_release(&x);
  weft_array_release(&copy);
  weft_array_release(&narrow);
}

static void functions(weft_context *context) {
  weft_array *a = nullptr, *y = nullptr, *s = nullptr;
  weft_ufunc *twice = nullptr;
  weft_ufunc_params params = {};
  float k = 2, got[5];
  params.signatures = "f32(f32 x)";
  params.expression = "x * 2";
  OK(weft_arange(&a, context, WEFT_F32, 0, 5, 1));
  OK(weft_eval(&y, context, "a * k + 1", WEFT_VAR(a), WEFT_VAR(k)));
  OK(weft_eval_all(context, "s = a + b", WEFT_VAR(&s), WEFT_VAR(a), WEFT_NAMED("b", y)));
  OK(weft_ufunc_create(&twice, params));
  OK(weft_ufunc_call(twice, &s, s));
  OK(weft_add(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(5)), s, 0.5));
  for (int i = 0; i < 5; i++) CHECK(got[i] == 2 * (3 * static_cast<float>(i) + 1) + 0.5f);
  weft_ufunc_release(&twice);
  weft_array_release(&a);
  weft_array_release(&y);
  weft_array_release(&s);
}

static void options(weft_context *context) {
  weft_array *x = nullptr, *y = nullptr;
  float got[4];
  weft_sort_params params = {};
  params.descending = true;
  OK(weft_arange(&x, context, WEFT_F32, 0, 4, 1));
  OK(weft_sort(&y, x, -1));
  OK(weft_to_host(got, sizeof got, y));
  CHECK(got[0] == 0 && got[3] == 3);
  OK(weft_sort(&y, x, WEFT_AXES(0), params));
  OK(weft_to_host(got, sizeof got, y));
  CHECK(got[0] == 3 && got[3] == 0);
  CHECK(weft_sort(&y, x, 5, params) == WEFT_ERROR_AXIS &&
        std::strstr(weft_error_last()->site, "headers_cxx.cpp:") != nullptr);
#if __cplusplus >= 202002L
  OK(weft_sort(&y, x, -1));
  OK(weft_sort(&y, x, WEFT_AXES(0), .descending = true));
  OK(weft_to_host(got, sizeof got, y));
  CHECK(got[0] == 3 && got[3] == 0);
#endif
  OK((weft_sort)(&y, x, WEFT_ALL_AXES, nullptr)); /* the function, in every standard */
  OK(weft_to_host(got, sizeof got, y));
  CHECK(got[0] == 0 && got[3] == 3);
  OK((weft_sort)(&y, x, WEFT_ALL_AXES, &params));
  OK(weft_to_host(got, sizeof got, y));
  CHECK(got[0] == 3 && got[3] == 0);
  weft_array_release(&x);
  weft_array_release(&y);
}

static void launch(weft_context *context) {
  const int64_t n = 1000;
  weft_kernel *kernel = nullptr;
  weft_stream *stream = nullptr;
  weft_array *x = nullptr, *y = nullptr;
  std::vector<float> got(static_cast<size_t>(n));
  particle p = {1, 2, 3, 1000};
  weft_kernel_params params = {};
  params.source = SOURCE;
  OK(weft_kernel_create(&kernel, context, params));
  OK(weft_stream_create(&stream, context));
  OK(weft_arange(&x, context, WEFT_F32, 0, n, 1));
  OK(weft_zeros_like(&y, x));
  const weft_array *source = x;
  OK(weft_launch_on(kernel, stream, WEFT_DIM3(weft_ceil_div(1000, 64)), WEFT_DIM3(64), y, source, 'A',
                    static_cast<unsigned char>(1), static_cast<short>(-2), static_cast<unsigned short>(3), -4, 5u, -6l,
                    7ul, 0.5f, WEFT_STRUCT(p), WEFT_LOCAL(64 * sizeof(float)), n));
  OK(weft_to_host(got.data(), got.size() * sizeof(float), y));
  for (int64_t i = 0; i < n; i++)
    CHECK(got[static_cast<size_t>(i)] == static_cast<float>(i) + 'A' + 1 - 2 + 3 - 4 + 5 - 6 + 7 + 0.5f + 1000);
  CHECK(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(64), y) == WEFT_ERROR_KERNEL_ARGUMENT);
  weft_kernel *maybe = nullptr;
  params.source = "kernel void maybe(global float *y, global float *z) { y[0] = z ? 1 : 2; }";
  OK(weft_kernel_create(&maybe, context, params));
  void *none = nullptr;
  OK(weft_launch(maybe, WEFT_DIM3(1), WEFT_DIM3(1), y, nullptr));
  OK(weft_launch(maybe, WEFT_DIM3(1), WEFT_DIM3(1), y, none));
  OK(weft_to_host(got.data(), got.size() * sizeof(float), y));
  CHECK(got[0] == 2);
  CHECK(weft_launch(maybe, WEFT_DIM3(1), WEFT_DIM3(1), y, 0) == WEFT_ERROR_KERNEL_ARGUMENT);
  CHECK(std::strstr(weft_error_last()->message, "nullptr") != nullptr);
  CHECK(weft_launch(maybe, WEFT_DIM3(1), WEFT_DIM3(1), y, WEFT_CL_IMAGE(weft_array_cl_mem(x, nullptr))) ==
        WEFT_ERROR_KERNEL_ARGUMENT);
  CHECK(weft_launch(maybe, WEFT_DIM3(1), WEFT_DIM3(1), y, WEFT_CL_SAMPLER(nullptr)) == WEFT_ERROR_KERNEL_ARGUMENT);
  const weft_image *image = nullptr;
  const weft_sampler *sampler = nullptr;
  CHECK(weft_launch(maybe, WEFT_DIM3(1), WEFT_DIM3(1), y, image) == WEFT_ERROR_HANDLE);
  CHECK(weft_launch(maybe, WEFT_DIM3(1), WEFT_DIM3(1), y, sampler) == WEFT_ERROR_HANDLE);
  weft_kernel_release(&maybe);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_stream_release(&stream);
  weft_kernel_release(&kernel);
}

/// One call for each operand type; the values show that no type was converted to another.
static void operands(weft_context *context) {
  const int64_t n = 4;
  weft_array *x = nullptr, *y = nullptr, *rest = nullptr;
  const std::vector<float> data = {1, 2, 3, 4};
  std::vector<float> got(4);
  OK(weft_from_host(&x, context, WEFT_F32, WEFT_SHAPE(n), data.data()));
  const weft_array *source = x;
  const auto expect = [&](float first, float step, const char *what) {
    OK(weft_to_host(got.data(), got.size() * sizeof(float), y));
    for (size_t i = 0; i < 4; i++)
      if (got[i] != first + step * static_cast<float>(i)) {
        std::fprintf(stderr, "%s: element %d is %g\n", what, static_cast<int>(i), static_cast<double>(got[i]));
        std::exit(EXIT_FAILURE);
      }
    checks++;
  };
#define EXPECT(first, step, ...) \
  OK(__VA_ARGS__);               \
  expect(first, step, #__VA_ARGS__)
  EXPECT(2, 2, weft_add(&y, x, x));
  EXPECT(2, 2, weft_add(&y, source, x));
  EXPECT(3, 3, weft_add(&y, y, source)); /* in place */
  EXPECT(2, 1, weft_add(&y, x, true));
  EXPECT(66, 1, weft_add(&y, x, 'A'));
  EXPECT(-1, 1, weft_add(&y, x, static_cast<signed char>(-2)));
  EXPECT(201, 1, weft_add(&y, x, static_cast<unsigned char>(200)));
  EXPECT(-299, 1, weft_add(&y, x, static_cast<short>(-300)));
  EXPECT(60001, 1, weft_add(&y, x, static_cast<unsigned short>(60000)));
  EXPECT(6, -1, weft_subtract(&y, 7, x));
  EXPECT(6, -1, weft_subtract(&y, 7u, x));
  EXPECT(6, -1, weft_subtract(&y, 7l, x));
  EXPECT(6, -1, weft_subtract(&y, 7ul, x));
  EXPECT(6, -1, weft_subtract(&y, 7ll, x));
  EXPECT(6, -1, weft_subtract(&y, 7ull, x));
  EXPECT(0.5f, 0.5f, weft_multiply(&y, x, 0.5f));
  EXPECT(0.25f, 0.25f, weft_multiply(&y, 0.25, x));
  EXPECT(1.5f, 1.5f, weft_multiply(&y, x, weft_f16_from_double(1.5)));
  EXPECT(3, 3, weft_multiply(&y, x, WEFT_SCALAR(3)));
  EXPECT(4, 4, weft_multiply(&y, x, WEFT_OPERAND(4)));
  EXPECT(3, 3, weft_mul_add(&y, x, 2, x, 1));
  EXPECT(2, 2, weft_add(&y, x, WEFT_HOST(data.data(), WEFT_F32, WEFT_SHAPE(4))));
  enum { SIX = 6 };
  EXPECT(7, 1, weft_add(&y, x, SIX));
  const float third = 1;
  const float &reference = third;
  EXPECT(2, 1, weft_add(&y, x, reference));
  int once = 5;
  EXPECT(6, 1, weft_add(&y, x, once++));
  CHECK(once == 6);

  std::vector<float> host(4);
  OK(weft_sqrt(WEFT_HOST_OUT(host.data(), WEFT_F32, WEFT_SHAPE(4)), x));
  CHECK(host[0] == 1 && host[3] == 2);
  OK(weft_divmod(&y, &rest, x, 3));
  OK(weft_to_host(got.data(), got.size() * sizeof(float), rest));
  CHECK(got[0] == 1 && got[2] == 0 && got[3] == 1);
  OK(weft_where(&y, WEFT_HOST("\1\0\0\1", WEFT_BOOL, WEFT_SHAPE(4)), x, -1));
  OK(weft_to_host(got.data(), got.size() * sizeof(float), y));
  CHECK(got[0] == 1 && got[1] == -1 && got[2] == -1 && got[3] == 4);

  weft_array *z = nullptr;
  const weft_c64 turn = {0, 1};
  const weft_c128 wide = {0, 1};
  std::complex<float> products[4];
  OK(weft_multiply(&z, x, turn));
  OK(weft_multiply(&z, z, wide));
  CHECK(weft_array_dtype(z) == WEFT_C64);
  OK(weft_to_host(products, sizeof products, z));
  CHECK(products[3] == std::complex<float>(-4, 0));
  weft_array_release(&z);
  CHECK(weft_add(&z, x, weft_operand{}) == WEFT_ERROR_ARGUMENT && z == nullptr);
  CHECK(weft_add(WEFT_OPERAND(x), x, x) == WEFT_ERROR_ARGUMENT && std::strcmp(weft_error_last()->argument, "out") == 0);
  CHECK(std::strstr(weft_error_last()->site, "headers_cxx.cpp:") != nullptr);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&rest);
}

/// Options as list items, and as structs; in C++20 also by name.
static void items(weft_context *context) {
  weft_array *x = nullptr, *y = nullptr, *count = nullptr, *edges = nullptr;
  float got = 0;
  int64_t counts[4];
  OK(weft_arange(&x, context, WEFT_F32, 0, 4, 1));
  weft_var_params sample_params = {};
  sample_params.ddof = 1;
  OK(weft_var(WEFT_HOST_OUT(&got, WEFT_F32, WEFT_SHAPE_0D), x, 0, sample_params));
  CHECK(got > 1.66f && got < 1.67f);
  weft_reduction greatest = {};
  greatest.op = WEFT_REDUCE_MAX;
  OK(weft_reduce(WEFT_HOST_OUT(&got, WEFT_F32, WEFT_SHAPE_0D), context, "x * 2", WEFT_ALL_AXES, WEFT_VAR(x),
                 WEFT_REDUCTION(greatest)));
  CHECK(got == 6);
  weft_selection selection = {};
  selection.count = &count;
  OK(weft_select(&y, context, "x > 1", WEFT_VAR(x), WEFT_SELECTION(selection)));
  OK(weft_to_host(counts, sizeof *counts, count));
  CHECK(counts[0] == 2 && weft_array_size(y) == 4);
  weft_histogram_params bins = {};
  bins.range = WEFT_RANGE(0, 4);
  bins.edges = &edges;
  OK(weft_histogram(WEFT_HOST_OUT(counts, WEFT_I64, WEFT_SHAPE(4)), x, 4, bins));
  CHECK(counts[0] == 1 && counts[3] == 1 && weft_array_size(edges) == 5);
  OK(weft_histogram(WEFT_HOST_OUT(counts, WEFT_I64, WEFT_SHAPE(4)), x, edges));
  CHECK(counts[0] == 1 && counts[3] == 1);
  weft_scan_params exclusive = {};
  exclusive.exclusive = true;
  OK((weft_cumsum)(&y, x, WEFT_AXES(0), &exclusive));
  weft_array_release(&count);
#if __cplusplus >= 202002L
  OK(weft_reduce(WEFT_HOST_OUT(&got, WEFT_F32, WEFT_SHAPE_0D), context, "x", WEFT_AXES(0), WEFT_VAR(x),
                 WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)));
  OK(weft_select(&y, context, "x > 1", WEFT_VAR(x), WEFT_SELECTION(.count = &count)));
  OK(weft_histogram(WEFT_HOST_OUT(counts, WEFT_I64, WEFT_SHAPE(4)), x, 4, .range = WEFT_RANGE(0, 4), .edges = &edges));
  weft_array_release(&count);
  OK(weft_unique(nullptr, x, .inverse = &count));
  OK(weft_cumsum(&y, x, 0, .exclusive = true));
#endif
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&count);
  weft_array_release(&edges);
}

static weft_status fill(void *x) {
  return weft_fill(static_cast<weft_array *>(x), 1);
}

static void timing(weft_context *context) {
  weft_array *x = nullptr;
  weft_timing t;
  weft_usage usage;
  weft_timeit_params params = {};
  char *text = nullptr;
  params.runs = 2;
  params.loops = 3;
  OK(weft_zeros(&x, context, WEFT_F32, WEFT_SHAPE(10)));
  OK(weft_timeit(&t, context, fill, x, params));
  OK(weft_timeit_text(&text, &t));
  CHECK(std::strstr(text, "2 runs, 3 loops each"));
  OK(weft_usage_get(&usage, context));
  CHECK(usage.launches >= 8);
  weft_trace(false);
  weft_free(text);
  weft_array_release(&x);
}

int main() {
  const char *selector = std::getenv("WEFT_TEST_DEVICE"), *strict = std::getenv("WEFT_TEST_STRICT");
  int index = 0;
  weft_context *context = nullptr;
  weft_context_params params = {};
  shapes_and_scalars();
  if (weft_device_find(&index, selector) == WEFT_ERROR_NO_DEVICE) {
    const char *any = std::getenv("WEFT_TEST_ANY");
    int count = 0;
    bool fail = strict && *strict && std::strcmp(strict, "0") != 0;
    if (any && *any == '1' && weft_device_count(&count) == WEFT_OK && count > 0) fail = false;
    std::printf("headers_cxx: %s: %s\n", fail ? "FAIL (WEFT_TEST_STRICT)" : "SKIP", weft_error_last()->message);
    return fail ? EXIT_FAILURE : 77;
  }
  params.device = selector;
  OK(weft_context_create(&context, params));
  arrays(context);
  functions(context);
  options(context);
  launch(context);
  operands(context);
  items(context);

  timing(context);
  weft_thread_record *records = nullptr;
  uint64_t count = 0;
  OK(weft_introspect(&records, &count, context, WEFT_DIM3(2), WEFT_DIM3(4)));
  CHECK(count == 8 && records[5].block_idx[0] == 1 && records[5].thread_idx[0] == 1);
  weft_free(records);
  OK(weft_context_close(&context));
  std::printf("headers_cxx: %d checks\n", checks);
  return EXIT_SUCCESS;
}
