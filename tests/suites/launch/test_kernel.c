// SPDX-License-Identifier: MIT
/// Kernels from source and from files: building, errors with a numbered source and the log, names, defines, includes,
/// the cache.
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

static const char DOUBLE_IT[] =
    "kernel void twice(global int *y, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < n) y[i] = 2 * y[i];\n"
    "}\n";

static const char TWO_KERNELS[] =
    "kernel void first(global int *y) { y[get_global_id(0)] = 1; }\n"
    "kernel void second(global int *y) { y[get_global_id(0)] = 2; }\n";

/* Runs a kernel whose only argument is an int array of one block of `n` threads; returns element 0. */
static int32_t run_on_ints(weft_kernel *kernel, int n) {
  weft_array *y = NULL;
  int32_t data[64] = {0};
  ck_assert_int_le(n, 64);
  ok(weft_full(&y, ctx, WEFT_I32, WEFT_SHAPE(n), -1));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(n), y));
  ok(weft_to_host(data, (size_t)n * 4, y));
  weft_array_release(&y);
  return data[0];
}

static int32_t build_and_run(const weft_kernel_params *params) {
  weft_kernel *kernel = NULL;
  ok((weft_kernel_create)(&kernel, ctx, params));
  int32_t result = run_on_ints(kernel, 1);
  weft_kernel_release(&kernel);
  harness_count(1);
  return result;
}

/* ---- building ---- */

START_TEST(from_source)
{
  weft_kernel *kernel = NULL;
  weft_array *y = NULL;
  int32_t data[100] = {0};
  ok(weft_kernel_create(&kernel, ctx, .source = DOUBLE_IT, .name = "twice"));
  ok(weft_arange(&y, ctx, WEFT_I32, 0, 100, 1));
  ok(weft_launch(kernel, WEFT_DIM3(weft_ceil_div(100, 32)), WEFT_DIM3(32), y, 100));
  ok(weft_to_host(data, sizeof data, y));
  for (int i = 0; i < 100; i++) ck_assert_int_eq(data[i], 2 * i);
  weft_array_release(&y);
  weft_kernel_release(&kernel);
  ck_assert_ptr_null(kernel);
}
END_TEST

START_TEST(name_may_be_left_out_where_there_is_one)
{
  weft_kernel *kernel = NULL;
  weft_kernel_info info;
  ok(weft_kernel_create(&kernel, ctx, .source = DOUBLE_IT));
  ok(weft_kernel_get(&info, kernel));
  ck_assert_str_eq(info.name, "twice");
  weft_kernel_release(&kernel);
  expect_error(weft_kernel_create(&kernel, ctx, .source = TWO_KERNELS), WEFT_ERROR_KERNEL_NAME, "weft_kernel_create",
               "first", "second");
  ck_assert_ptr_null(kernel);
}
END_TEST

START_TEST(one_of_several)
{
  ck_assert_int_eq(build_and_run(&(weft_kernel_params){.source = TWO_KERNELS, .name = "first"}), 1);
  ck_assert_int_eq(build_and_run(&(weft_kernel_params){.source = TWO_KERNELS, .name = "second"}), 2);
}
END_TEST

START_TEST(a_name_that_is_not_there)
{
  weft_kernel *kernel = NULL;
  const char *names[] = {"third", "", "firs", "first ", "First"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    expect_error(weft_kernel_create(&kernel, ctx, .source = TWO_KERNELS, .name = names[i]), WEFT_ERROR_KERNEL_NAME,
                 "weft_kernel_create", names[i], "first", "second");
    ck_assert_ptr_null(kernel);
    harness_count(1);
  }
  expect_error(weft_kernel_create(&kernel, ctx, .source = "int helper(int x) { return x; }\n"), WEFT_ERROR_KERNEL_NAME,
               "weft_kernel_create", "kernel");
  ck_assert_ptr_null(kernel);
}
END_TEST

/* On drivers that put `_cl_` in front of built-in names, kernels still have their own names. */
START_TEST(names_of_built_in_functions)
{
  weft_kernel *kernel = NULL;
  weft_kernel_info info;
  weft_array *x = NULL;
  int32_t got = 0;
  ok(weft_kernel_create(&kernel, ctx, .source = "kernel void mix(global int *step) { *step = 3; }", .name = "mix"));
  ok(weft_kernel_get(&info, kernel));
  ck_assert_str_eq(info.name, "mix");
  expect_error(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), 1.5f), WEFT_ERROR_KERNEL_ARGUMENT, "mix", "`step`");
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(1)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), x));
  ok(weft_to_host(&got, sizeof got, x));
  ck_assert_int_eq(got, 3);
  weft_array_release(&x);
  weft_kernel_release(&kernel);
}
END_TEST

/* On other drivers, the prefix is part of the user's own names. */
START_TEST(names_with_a_prefix)
{
  const char *quirks = getenv("WEFT_QUIRKS");
  const bool is_cut =
      strstr(device.platform, "Portable Computing Language") || (quirks && strstr(quirks, "prefixes_builtins"));
  weft_kernel *kernel = NULL;
  weft_kernel_info info;
  const char *source = "kernel void _cl_own(global int *x) { *x = 3; }";
  if (is_cut)
    ok(weft_kernel_create(&kernel, ctx, .source = source, .name = "own"));
  else
    expect_error(weft_kernel_create(&kernel, ctx, .source = source, .name = "own"), WEFT_ERROR_KERNEL_NAME, "`own`",
                 "_cl_own");
  weft_kernel_release(&kernel);
  ok(weft_kernel_create(&kernel, ctx, .source = source, .name = "_cl_own"));
  ok(weft_kernel_get(&info, kernel));
  ck_assert_str_eq(info.name, is_cut ? "own" : "_cl_own");
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(defines_and_options)
{
  const char source[] = "kernel void k(global int *y) { y[0] = VALUE + FLAG; }\n";
  const char *const defines[] = {"VALUE=40", "FLAG", NULL}; /* FLAG alone is 1 */
  const char *const spaced[] = {"VALUE=(40 + 2)", "FLAG=0", NULL};
  const char *const quoted[] = {"VALUE=(int)sizeof(\"a b\")", "FLAG=0", NULL};
  ck_assert_int_eq(build_and_run(&(weft_kernel_params){.source = source, .defines = defines}), 41);
  ck_assert_int_eq(build_and_run(&(weft_kernel_params){.source = source, .options = "-DVALUE=7 -DFLAG=1"}), 8);
  const char *const called[] = {"F(x, y)=((x) * (y))", "G()=2", NULL};
  const weft_kernel_params calls = {.source = "kernel void k(global int *y) { y[0] = F(2 + 3, G()); }\n",
                                    .defines = called};
  ck_assert_int_eq(build_and_run(&calls), 10);
  /* OpenCL C has no macros of any number of arguments, and NVIDIA's compiler takes none */
  const char *const any_number[] = {"H(...)=FIRST(__VA_ARGS__, 0)", "FIRST(a, ...)=a", NULL};
  const weft_kernel_params many = {.source = "kernel void k(global int *y) { y[0] = H(4, 5); }\n",
                                   .defines = any_number};
  if (device.type == WEFT_DEVICE_TYPE_CPU) ck_assert_int_eq(build_and_run(&many), 4);
  weft_kernel *kernel = NULL;
  weft_status rc = weft_kernel_create(&kernel, ctx, .source = source, .defines = spaced);
  if (rc == WEFT_OK) { /* a value with a space works or is refused, but is never cut */
    ck_assert_int_eq(run_on_ints(kernel, 1), 42);
  } else {
    ck_assert_int_eq(rc, WEFT_ERROR_ARGUMENT);
    ck_assert_msg(strstr(weft_error_last()->message, "VALUE=(40 + 2)") != NULL, "%s", harness_error_text());
  }
  weft_kernel_release(&kernel);
  rc = weft_kernel_create(&kernel, ctx, .source = source, .defines = quoted);
  if (rc == WEFT_OK) {
    ck_assert_int_eq(run_on_ints(kernel, 1), 4);
  } else {
    ck_assert_int_eq(rc, WEFT_ERROR_ARGUMENT);
  }
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(wrong_defines)
{
  weft_kernel *kernel = NULL;
  const char *const wrong[] = {"",        "=5",     "9LIVES=1", "A B",         "F(=1",  "F(x",
                               "F(x,)=1", "F(3)=3", "F(x y)=3", "F(..., x)=1", "F()x=1"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *const defines[] = {wrong[i], NULL};
    weft_kernel_params params = {.source = DOUBLE_IT, .defines = defines};
    expect_error((weft_kernel_create)(&kernel, ctx, &params), WEFT_ERROR_ARGUMENT, "weft_kernel_create", "define",
                 wrong[i]);
    ck_assert_ptr_null(kernel);
    harness_count(1);
  }
}
END_TEST

/* ---- errors ---- */

START_TEST(a_source_that_does_not_compile)
{
  const char broken[] =
      "kernel void broken(global float *y) {\n"
      "  int i = get_global_id(0);\n"
      "  y[i] = undeclared_thing * 2;\n"
      "}\n";
  weft_kernel *kernel = NULL;
  expect_error(weft_kernel_create(&kernel, ctx, .source = broken, .name = "broken"), WEFT_ERROR_BUILD,
               "weft_kernel_create");
  ck_assert_ptr_null(kernel);
  const weft_error *error = weft_error_last();
  ck_assert_msg(strstr(error->detail, "undeclared_thing") != NULL, "the log: %s", error->detail);
  ck_assert_msg(strstr(error->detail, device.name) != NULL || strstr(error->message, device.name) != NULL,
                "the device: %s", harness_error_text());
  /* the third line of the source, after its number */
  const char *listing = strstr(error->detail, "source:"); /* logs may quote the line too */
  const char *line = strstr(listing ? listing : error->detail, "  y[i] = undeclared_thing * 2;");
  ck_assert_msg(line != NULL, "the source: %s", error->detail);
  const char *start = line;
  while (start > error->detail && start[-1] != '\n') start--;
  ck_assert_msg(strtol(start, NULL, 10) == 3 || memchr(start, '3', (size_t)(line - start)), "no number in \"%.60s\"",
                start);
  ck_assert_msg(strstr(error->site, "test_kernel.c:") != NULL, "%s", error->site);
  harness_count(1);
}
END_TEST

START_TEST(the_source_has_a_name)
{
  weft_kernel *kernel = NULL;
  weft_kernel_params params = {.source = "kernel void k() { nonsense; }\n", .source_name = "my_source.cl"};
  expect_error((weft_kernel_create)(&kernel, ctx, &params), WEFT_ERROR_BUILD, "weft_kernel_create", "my_source.cl");
  params.source_name = NULL;
  expect_error((weft_kernel_create)(&kernel, ctx, &params), WEFT_ERROR_BUILD, "weft_kernel_create", "kernel.cl");
}
END_TEST

START_TEST(wrong_parameters)
{
  weft_kernel *kernel = NULL;
  weft_kernel_params none = {.name = "k"}, both = {.source = DOUBLE_IT, .file = "x.cl"}, good = {.source = DOUBLE_IT};
  weft_context *wrong[] = {harness_garbage(), harness_zeroed()};
  expect_error((weft_kernel_create)(&kernel, ctx, &none), WEFT_ERROR_ARGUMENT, "weft_kernel_create", "source", "file");
  expect_error((weft_kernel_create)(&kernel, ctx, &both), WEFT_ERROR_ARGUMENT, "weft_kernel_create", "source", "file");
  expect_error(weft_kernel_create(&kernel, ctx), WEFT_ERROR_ARGUMENT, "weft_kernel_create", "no source is given");
  expect_error((weft_kernel_create)(&kernel, ctx, NULL), WEFT_ERROR_ARGUMENT, "weft_kernel_create",
               "no source is given");
  expect_error(weft_kernel_create((weft_kernel **)NULL, ctx, .source = DOUBLE_IT), WEFT_ERROR_ARGUMENT,
               "weft_kernel_create", "@out", "NULL");
  expect_error((weft_kernel_create)(NULL, ctx, &good), WEFT_ERROR_ARGUMENT, "weft_kernel_create", "@out", "NULL");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error((weft_kernel_create)(&kernel, wrong[i], &good), WEFT_ERROR_HANDLE, "weft_kernel_create", "@context");
    expect_error(weft_kernel_create(&kernel, wrong[i], .source = DOUBLE_IT), WEFT_ERROR_HANDLE, "weft_kernel_create",
                 "@context");
    expect_error(weft_kernel_create(&kernel, wrong[i], .file = "x.cl"), WEFT_ERROR_HANDLE, "weft_kernel_create",
                 "@context");
    harness_count(3);
  }
  ck_assert_ptr_null(kernel);
}
END_TEST

START_TEST(wrong_kernels)
{
  weft_kernel *wrong[] = {NULL, harness_garbage(), harness_zeroed(), (weft_kernel *)ctx}, *kernel = NULL;
  weft_kernel_info info;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error(weft_kernel_get(&info, wrong[i]), WEFT_ERROR_HANDLE, "weft_kernel_get", "@kernel");
    expect_error(weft_launch(wrong[i], WEFT_DIM3(1), WEFT_DIM3(1), 5), WEFT_ERROR_HANDLE, "weft_launch", "@kernel");
    harness_count(2);
  }
  weft_kernel_release(NULL);
  weft_kernel_release(&kernel);
  ck_assert_ptr_null(weft_kernel_retain(NULL));
  ok(weft_kernel_create(&kernel, ctx, .source = DOUBLE_IT));
  expect_error(weft_kernel_get(NULL, kernel), WEFT_ERROR_ARGUMENT, "weft_kernel_get", "@info", "NULL");
  weft_kernel *stale = kernel;
  weft_kernel_release(&kernel);
  if (!HARNESS_SANITIZED) expect_error(weft_kernel_get(&info, stale), WEFT_ERROR_HANDLE, "weft_kernel_get");
}
END_TEST

/* ---- files and includes ---- */

static char folder[] = "/tmp/weft-kernel-XXXXXX";

static const char *write_file(const char *name, const char *text) {
  static char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(text, 1, strlen(text), file), strlen(text));
  ck_assert_int_eq(fclose(file), 0);
  return path;
}

static void remove_folder(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ck_assert_int_eq(system(command), 0);
}

START_TEST(files_and_what_lies_beside_them)
{
  weft_kernel *kernel = NULL;
  char include_path[100];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(include_path, sizeof include_path, "%s/more", folder);
  ck_assert_int_eq(mkdir(include_path, 0700), 0);
  write_file("beside.clh", "#define BESIDE 30\n");
  write_file("more/further.clh", "#define FURTHER 5\n");
  const char *file = write_file("k.cl",
                                "#include \"weft/prelude.clh\"\n#include \"beside.clh\"\n#include \"further.clh\"\n"
                                "kernel void k(global int *y) { y[threadIdx.x] = BESIDE + FURTHER; }\n");
  ck_assert_int_eq(build_and_run(&(weft_kernel_params){.file = file, .include_path = include_path}), 35);
  file = write_file("plain.cl", "kernel void k(global int *y) { y[0] = 77; }\n");
  ok(weft_kernel_create(&kernel, ctx, .file = file, .name = "k"));
  ck_assert_int_eq(run_on_ints(kernel, 1), 77);
  weft_kernel_release(&kernel);
  file = write_file("broken.cl", "kernel void k(global int *y) { y[0] = oops; }\n");
  expect_error(weft_kernel_create(&kernel, ctx, .file = file, .name = "k"), WEFT_ERROR_BUILD, "weft_kernel_create",
               "broken.cl");
  ck_assert_ptr_nonnull(strstr(weft_error_last()->detail, "oops"));
  remove_folder();
}
END_TEST

START_TEST(an_included_file_that_changed_is_built_again)
{
  ck_assert_ptr_nonnull(mkdtemp(folder));
  char file[200];
  write_file("value.clh", "#define VALUE 1\n");
  snprintf(file, sizeof file, "%s",
           write_file("k.cl", "#include \"value.clh\"\nkernel void k(global int *y) { y[0] = VALUE; }\n"));
  ck_assert_int_eq(build_and_run(&(weft_kernel_params){.file = file}), 1);
  write_file("value.clh", "#define VALUE 2\n");
  ck_assert_int_eq(build_and_run(&(weft_kernel_params){.file = file}), 2);
  remove_folder();
}
END_TEST

/// A pipe as a source is refused; otherwise the driver's compiler would block on it, and the test on the compiler.
START_TEST(pipes_are_not_waited_for)
{
  static const char *const texts[] = {"#include \"%s\"\nkernel void k() {}\n", "#include <%s>\nkernel void k() {}\n"};
  weft_kernel *kernel = NULL;
  char file[80], pipe[80], text[200], here[400];
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_ptr_nonnull(getcwd(here, sizeof here));
  snprintf(pipe, sizeof pipe, "%s/pipe.clh", folder);
  ck_assert_int_eq(mkfifo(pipe, 0600), 0);
  expect_error(weft_kernel_create(&kernel, ctx, .file = pipe), WEFT_ERROR_FILE, "weft_kernel_create", "@file", pipe,
               "a pipe");
  expect_error(weft_kernel_create(&kernel, ctx, .file = "/dev/zero"), WEFT_ERROR_FILE, "weft_kernel_create",
               "/dev/zero", "a device");
  strcpy(file, write_file("k.cl", "\n#include \"pipe.clh\"\nkernel void k() {}\n"));
  expect_error(weft_kernel_create(&kernel, ctx, .file = file), WEFT_ERROR_FILE, "weft_kernel_create", pipe, "a pipe",
               "while reading line 2 of");
  weft_kernel_params params = {.source = "#include \"pipe.clh\"\nkernel void k() {}\n", .include_path = folder};
  expect_error((weft_kernel_create)(&kernel, ctx, &params), WEFT_ERROR_FILE, "weft_kernel_create", pipe, "a pipe");
  snprintf(text, sizeof text, "-cl-mad-enable -I %s -DX=1", folder);
  params = (weft_kernel_params){.source = "#include <pipe.clh>\nkernel void k() {}\n", .options = text};
  expect_error((weft_kernel_create)(&kernel, ctx, &params), WEFT_ERROR_FILE, "weft_kernel_create", pipe, "a pipe");
  snprintf(text, sizeof text, "-I%s", folder);
  expect_error((weft_kernel_create)(&kernel, ctx, &params), WEFT_ERROR_FILE, "weft_kernel_create", pipe, "a pipe");
  ck_assert_int_eq(chdir(folder), 0); /* compilers search the current folder too */
  for (size_t k = 0; k < 2; k++) {
    snprintf(text, sizeof text, texts[k], "pipe.clh");
    expect_error(weft_kernel_create(&kernel, ctx, .source = text), WEFT_ERROR_FILE, "pipe.clh", "a pipe",
                 "while reading line 1 of");
    snprintf(text, sizeof text, texts[k], pipe);
    expect_error(weft_kernel_create(&kernel, ctx, .source = text), WEFT_ERROR_FILE, pipe, "a pipe",
                 "while reading line 1 of");
  }
  ck_assert_int_eq(chdir(here), 0);
  ck_assert_ptr_null(kernel);
  remove_folder();
}
END_TEST

START_TEST(files_that_are_not_there)
{
  weft_kernel *kernel = NULL;
  expect_error(weft_kernel_create(&kernel, ctx, .file = "/no/such/file.cl"), WEFT_ERROR_FILE, "weft_kernel_create",
               "/no/such/file.cl", "No such file");
  expect_error(weft_kernel_create(&kernel, ctx, .file = "/"), WEFT_ERROR_FILE, "weft_kernel_create");
  expect_error(weft_kernel_create(&kernel, ctx, .file = ""), WEFT_ERROR_FILE, "weft_kernel_create");
  expect_error(weft_kernel_create(&kernel, ctx, .source = "#include \"no_such_header.clh\"\nkernel void k() {}\n"),
               WEFT_ERROR_BUILD, "weft_kernel_create");
  ck_assert_ptr_nonnull(strstr(weft_error_last()->detail, "no_such_header.clh"));
  ck_assert_ptr_null(kernel);
}
END_TEST

/* CUDA names in a source that does not compile: the error ends with hints. */
START_TEST(words_of_cuda)
{
  static const struct {
    const char *source, *hints[3], *not_hint;
  } cases[] = {
      {"__global__ void k(float *x) { x[0] = 1; }\n",
       {"hint: `__global__` is CUDA's: write `kernel void"},
       "__shared__"},
      {"kernel void k(global int *x) { __shared__ int t; atomicAdd(x, t); }\n",
       {"hint: `__shared__` needs #include \"weft/cuda.clh\""},
       "__global__"},
      {"kernel void k(global float *x) { atomicAdd(x, 1.0f); }\n",
       {"hint: `atomicAdd` needs #include \"weft/cuda.clh\" at the top of the source"},
       "__global__"},
      {"kernel void k(global int *x, float y) { x[0] = int(y); }\n",
       {"hint: `int(x)` is C++: write (int)(x)"},
       "__global__"},
      {"template <typename T> T f(T x) { return x; }\nkernel void k() {}\n",
       {"hint: `template` is C++: use macros"},
       "#include"},
      {"#define sqrtf sqrt\nkernel void k(global float *x) { x[0] = sqrtf(x[1]) + erfcf(x[2]); }\n",
       {"hint: `erfcf` needs #include \"weft/cuda.clh\""},
       "sqrtf"},
      {"#include \"weft/cuda.clh\"\n__global__ void k(float *x) { __shared__ float t; x[threadIdx.x] = t; }\n",
       {"hint: `__global__` is CUDA's: write `kernel void"},
       "#include"},
      {"#include \"weft/cuda.clh\"\nkernel void k(global float *x) { x[0] = weft_block_sum(x[0]); }\n",
       {"WEFT_BLOCK_ROOM(threads);"},
       "#include"},
      {"#include \"weft/prelude.clh\"\nkernel void k(global float *x) { WEFT_ASSERT(x[0] > 0); }\n",
       {"hint: WEFT_ASSERT needs the parameter WEFT_ASSERTS"},
       "WEFT_BLOCK_ROOM"},
      {"kernel void k(global float *x) { x[threadIdx.x] = 1; /* atomicAdd */ }\n",
       {"`threadIdx` comes with #include"},
       "atomicAdd"},
      {"#include \"weft/prelude.clh\"\nkernel void k(global int64_t *x) { x[threadIdx.x] = 1; }\n",
       {"`int64_t` needs #include \"weft/cuda.clh\""},
       "threadIdx` comes"},
      {"#include \"weft/cuda.clh\"\nkernel void k(global float *y, global half *x) { y[0] = __half2float(x[0]); }\n",
       {"hint: `__half2float` is weft_load_f16(p, i)"},
       "#include"},
      {"kernel void k(global float *y) { y[0] = tex2D(y, 1.0f, 2.0f) + __reduce_add_sync(~0u, 1); }\n",
       {"hint: `tex2D` is read_imagef(image, sampler", "hint: `__reduce_add_sync` is not in weft/cuda.clh"},
       "#include"},
      {"kernel void k(global float *y, int n) { y[0] = max(n, 3u); }\n", {"take arguments of one type"}, "#include"},
      {"kernel void k(global float *y, int n) { assert(n); y[0] = static_cast<float>(n); }\n",
       {"`assert` is WEFT_ASSERT(condition)", "`static_cast` is C++: write (float)x"},
       "#include"},
      {"#define __shared__ local\nkernel void k(global float *x) { __shared__ float t; x[0] = t + nothing; }\n",
       {"nothing"},
       "hint"},
      {"kernel void k(global float *x) { x[0] = \"sqrtf( 'a \\\" expf\" + nothing; // __ldg\n}\n", {"nothing"}, "hint"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_kernel *kernel = NULL;
    expect_error(weft_kernel_create(&kernel, ctx, .source = cases[i].source), WEFT_ERROR_BUILD, "does not compile");
    const char *detail = weft_error_last()->detail;
    for (int k = 0; k < 3 && cases[i].hints[k]; k++)
      ck_assert_msg(strstr(detail, cases[i].hints[k]) != NULL, "no %s in\n%s", cases[i].hints[k], detail);
    const char *hints = strstr(detail, "\nhint: ");
    ck_assert_msg(!hints || !strstr(hints, cases[i].not_hint), "%s", detail);
    harness_count(1);
  }
}
END_TEST

START_TEST(prelude_names)
{
  const char source[] =
      "#include \"weft/prelude.clh\"\n"
      "kernel void k(global uint *y, global ulong *id) {\n"
      "  local uint shared[8];\n"
      "  uint t = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;\n"
      "  shared[t] = 100u * (blockIdx.x + 10u * blockIdx.y + 100u * blockIdx.z) + t;\n"
      "  __syncthreads();\n"
      "  ulong at = weft_global_id();\n"
      "  y[at] = shared[7u - t] + 100000u * (gridDim.x + 10u * gridDim.y + 100u * gridDim.z);\n"
      "  id[at] = at;\n"
      "}\n";
  /* a grid of 3 x 2 x 2 blocks of 2 x 2 x 2 */
  weft_kernel *kernel = NULL;
  weft_array *y = NULL, *id = NULL;
  uint32_t got[96];
  uint64_t ids[96];
  bool seen[96] = {false};
  ok(weft_kernel_create(&kernel, ctx, .source = source, .name = "k"));
  ok(weft_zeros(&y, ctx, WEFT_U32, WEFT_SHAPE(96)));
  ok(weft_full(&id, ctx, WEFT_U64, WEFT_SHAPE(96), UINT64_MAX));
  ok(weft_launch(kernel, WEFT_DIM3(3, 2, 2), WEFT_DIM3(2, 2, 2), y, id));
  ok(weft_to_host(got, sizeof got, y));
  ok(weft_to_host(ids, sizeof ids, id));
  for (uint32_t at = 0; at < 96; at++) {
    ck_assert_uint_eq(ids[at], at); /* every id once, in 64 bits */
    seen[ids[at]] = true;
  }
  for (int at = 0; at < 96; at++) ck_assert(seen[at]);
  uint64_t sum = 0, expected = 0;
  for (uint32_t at = 0; at < 96; at++) {
    ck_assert_uint_eq(got[at] / 100000, 3 + 20 + 200);
    sum += got[at] % 100000;
  }
  for (uint32_t z = 0; z < 2; z++) {
    for (uint32_t y_ = 0; y_ < 2; y_++) {
      for (uint32_t x = 0; x < 3; x++) {
        for (uint32_t t = 0; t < 8; t++) expected += 100 * (x + 10 * y_ + 100 * z) + t;
      }
    }
  }
  ck_assert_uint_eq(sum, expected);
  weft_array_release(&y);
  weft_array_release(&id);
  weft_kernel_release(&kernel);
}
END_TEST

/* ---- a kernel's description; the cache ---- */

START_TEST(what_is_known_of_a_kernel)
{
  const char source[] =
      "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void shaped(global int *a, int b, local float *c, float "
      "d) {\n"
      "  local int kept[16];\n"
      "  kept[get_local_id(0)] = b;\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  c[get_local_id(0)] = d;\n"
      "  a[get_local_id(0)] = kept[7 - get_local_id(0)] + (int)c[get_local_id(0)];\n"
      "}\n";
  weft_kernel *kernel = NULL;
  weft_kernel_info info;
  weft_device_info limits;
  ok(weft_context_get_device(&limits, ctx));
  ok(weft_kernel_create(&kernel, ctx, .source = source));
  memset(&info, 0xa5, sizeof info);
  ok(weft_kernel_get(&info, kernel));
  ck_assert_str_eq(info.name, "shaped");
  ck_assert_int_eq(info.argument_count, 4);
  ck_assert_uint_eq(info.required_block[0], 8);
  ck_assert_uint_eq(info.required_block[1], 2);
  ck_assert_uint_eq(info.required_block[2], 1);
  /* PoCL 5 does not count a kernel's own local memory */
  if (limits.type != WEFT_DEVICE_TYPE_CPU) ck_assert_uint_ge(info.local_memory_bytes, 64);
  ck_assert_uint_ge(info.max_block_threads, 16);
  ck_assert_uint_ge(info.preferred_multiple, 1);
  weft_kernel_release(&kernel);
  ok(weft_kernel_create(&kernel, ctx, .source = DOUBLE_IT));
  ok(weft_kernel_get(&info, kernel));
  ck_assert_int_eq(info.argument_count, 2);
  ck_assert_uint_eq(info.required_block[0], 0);
  ck_assert_uint_eq(info.required_block[1], 0);
  ck_assert_uint_eq(info.required_block[2], 0);
  ck_assert_uint_ge(info.max_block_threads, 1);
  ck_assert_uint_le(info.max_block_threads, limits.max_block_threads);
  weft_kernel_release(&kernel);
}
END_TEST

START_TEST(same_source_is_compiled_once)
{
  weft_kernel *first = NULL, *second = NULL, *third = NULL;
  weft_kernel_info info;
  const char *const defines[] = {"X=1", NULL};
  weft_kernel_params other = {.source = DOUBLE_IT, .defines = defines};
  ok(weft_kernel_create(&first, ctx, .source = DOUBLE_IT, .name = "twice"));
  ok(weft_kernel_get(&info, first));
  ck_assert(!info.was_cached);
  ck_assert_uint_gt(info.build_time_ns, 0);
  ok(weft_kernel_create(&second, ctx, .source = DOUBLE_IT));
  ok(weft_kernel_get(&info, second));
  ck_assert(info.was_cached);
  ok((weft_kernel_create)(&third, ctx, &other));
  ok(weft_kernel_get(&info, third));
  ck_assert(!info.was_cached);
  weft_kernel_release(&first);
  ck_assert_int_eq(weft_kernel_get(&info, second), WEFT_OK); /* each is independent */
  weft_kernel_release(&second);
  weft_kernel_release(&third);
}
END_TEST

START_TEST(strings_are_copied)
{
  weft_kernel *kernel = NULL;
  weft_kernel_info info;
  char *source = strdup(TWO_KERNELS), *name = strdup("second");
  ok(weft_kernel_create(&kernel, ctx, .source = source, .name = name));
  memset(source, 'x', strlen(source));
  memset(name, 'x', strlen(name));
  free(source);
  free(name);
  ok(weft_kernel_get(&info, kernel));
  ck_assert_str_eq(info.name, "second");
  ck_assert_int_eq(run_on_ints(kernel, 3), 2);
  weft_kernel *again = weft_kernel_retain(kernel);
  ck_assert_ptr_eq(again, kernel);
  weft_kernel_release(&kernel);
  ck_assert_int_eq(run_on_ints(again, 3), 2);
  weft_kernel_release(&again);
}
END_TEST

START_TEST(a_forgotten_kernel_is_named_at_close)
{
  weft_kernel *kernel = NULL;
  char site[64];
  harness_context_open();
  ok(weft_kernel_create(&kernel, ctx, .source = DOUBLE_IT));
  snprintf(site, sizeof site, "test_kernel.c:%d", __LINE__ - 1);
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close", site);
  expect_error(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), 1, 1), WEFT_ERROR_CLOSED, "weft_launch");
  weft_kernel_release(&kernel);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "build");
  tcase_add_test(tc, from_source);
  tcase_add_test(tc, name_may_be_left_out_where_there_is_one);
  tcase_add_test(tc, one_of_several);
  tcase_add_test(tc, a_name_that_is_not_there);
  tcase_add_test(tc, names_of_built_in_functions);
  tcase_add_test(tc, names_with_a_prefix);
  tcase_add_test(tc, defines_and_options);
  tcase_add_test(tc, wrong_defines);
  tc = harness_context_case(suite, "errors");
  tcase_add_test(tc, a_source_that_does_not_compile);
  tcase_add_test(tc, the_source_has_a_name);
  tcase_add_test(tc, wrong_parameters);
  tcase_add_test(tc, wrong_kernels);
  tc = harness_context_case(suite, "files");
  tcase_add_test(tc, files_and_what_lies_beside_them);
  tcase_add_test(tc, an_included_file_that_changed_is_built_again);
  tcase_add_test(tc, pipes_are_not_waited_for);
  tcase_add_test(tc, files_that_are_not_there);
  tcase_add_test(tc, words_of_cuda);
  tcase_add_test(tc, prelude_names);
  tc = harness_context_case(suite, "kernel");
  tcase_add_test(tc, what_is_known_of_a_kernel);
  tcase_add_test(tc, same_source_is_compiled_once);
  tcase_add_test(tc, strings_are_copied);
  tc = harness_case(suite, "close");
  tcase_add_test(tc, a_forgotten_kernel_is_named_at_close);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "kernel", .add = add});
}
