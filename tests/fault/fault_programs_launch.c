// SPDX-License-Identifier: MIT
// The programs about devices, contexts, kernels, streams and foreign OpenCL objects.
#include <CL/cl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/weft.h>

#include "dlpack_peer.h"
#include "fault_driver.h"
#include "fault_programs.h"

const fault_program fault_programs[] = {
#define FAULT_ROW(of, whole) {.name = #of, .run = program_##of, .is_silent = true, .from_mark = !whole},
    FAULT_PROGRAMS(FAULT_ROW)
#undef FAULT_ROW
        {.name = NULL},
};

enum { N = 64 };

static const char saxpy_source[] =
    "#include \"weft/prelude.clh\"\n"
    "__kernel void saxpy(__global float *y, __global const float *x, float a, ulong n) {\n"
    "  ulong i = weft_global_id();\n"
    "  if (i < n) y[i] += a * x[i];\n"
    "}\n";

static void ignore_message(void *user, weft_log_level level, const char *message) {
  (void)user, (void)level, (void)message;
}

int program_devices(int argc, char **argv) {
  int status = 0, count = 0, best = -1, selected = -1;
  weft_device_info info;
  weft_engine_info engine;
  (void)argc, (void)argv;

  KEPT(strlen(weft_version()) > 0 && weft_status_band(WEFT_ERROR_SHAPE) == 100 && weft_status_name(WEFT_OK) != NULL);
  KEPT(strcmp(weft_cl_code_name(-5), "CL_OUT_OF_RESOURCES") == 0 &&
       weft_device_type_name(WEFT_DEVICE_TYPE_CPU) != NULL);
  weft_log_set(WEFT_LOG_DEBUG, ignore_message, NULL);
  fault_expect(true); /* a message is lost if memory is out */
  weft_log_write(WEFT_LOG_INFO, "of a program");
  fault_expect(false);
  TRY(weft_device_count(&count));
  for (int i = 0; i < count; i++) TRY(weft_device_get(&info, i));
  TRY(weft_device_find(&best, NULL));
  TRY(weft_device_use(best));
  TRY(weft_device_used(&selected));
  KEPT(selected == best);
  FAILS(WEFT_ERROR_NO_DEVICE, weft_device_get(&info, count));
  weft_error_enter("library_call", "here:1");
  TRY(weft_error_leave(weft_device_count(&count)));
  weft_error_enter("library_call", "here:2");
  FAILS(WEFT_ERROR_SHAPE, weft_error_leave(weft_error_while(weft_error_record(WEFT_ERROR_SHAPE, "x", "no rows"), "y")));
  TRY(weft_engine_count(&count));
  for (int i = 0; i < count; i++) TRY(weft_engine_get(&engine, i));
  FAILS(WEFT_ERROR_ARGUMENT, weft_engine_get(&engine, count));

done:
  fault_leave();
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  if (status != 0) weft_error_print(stdout);
  return status;
}

/// Writes the source to a new file; the caller removes it.
static bool write_source(char path[64], const char *source) {
  size_t length = strlen(source);
  int fd;
  strcpy(path, "fault_saxpy_XXXXXX");
  fd = mkstemp(path);
  if (fd < 0) return false;
  if (write(fd, source, length) != (ssize_t)length) path[0] = '\0';
  close(fd);
  return path[0] != '\0';
}

static weft_status run_saxpy(weft_kernel *kernel, weft_dim3 block, void *user) {
  weft_array **y_x = user;
  return weft_launch(kernel, WEFT_DIM3(N / 16), block, y_x[0], y_x[1], 0.0f, N);
}

int program_kernels(int argc, char **argv) {
  static const char blend_source[] =
      "typedef struct { int a; float b; } pair;\n"
      "__kernel void blend(__global int *out, __local int *tile, pair p, char c, int n) {\n"
      "  int i = (int)get_global_id(0);\n"
      "  tile[get_local_id(0)] = p.a + (int)p.b + c;\n"
      "  if (i < n) out[i] = tile[get_local_id(0)] + OFFSET;\n"
      "}\n"
      "#include \"weft/prelude.clh\"\n"
      "__kernel void check(__global const int *x, int most, WEFT_ASSERTS) {\n"
      "  WEFT_ASSERT(x[get_global_id(0)] < most);\n"
      "}\n";
  static const char *const defines[] = {"OFFSET=4", NULL};
  static const weft_kernel_params blend_params = {.source = blend_source, .name = "blend", .defines = defines};
  int status = 0;
  float host[N];
  int32_t numbers[N];
  char path[64] = "";
  weft_context *context = NULL;
  weft_kernel *saxpy = NULL, *same = NULL, *from_file = NULL, *blend = NULL, *check = NULL;
  weft_array *x = NULL, *y = NULL, *out = NULL, *tail = NULL;
  weft_kernel_info info;
  weft_occupancy occupancy;
  weft_kernel *binary = NULL, *tuned = NULL;
  void *bytes = NULL;
  size_t size_bytes = 0;
  char *text = NULL;
  struct {
    cl_int a;
    cl_float b;
  } pair = {1, 2.0f};
  (void)argc, (void)argv;

  KEPT(write_source(path, saxpy_source));
  MAKE(&context, weft_context_create(&context, .pool_off = true));
  fault_mark();
  MAKE(&saxpy, weft_kernel_create(&saxpy, context, .source = saxpy_source));
  MAKE(&same, weft_kernel_create(&same, context, .source = saxpy_source, .name = "saxpy"));
  MAKE(&from_file, weft_kernel_create(&from_file, context, .file = path, .name = "saxpy"));
  MAKE(&blend, (weft_kernel_create)(&blend, context, &blend_params));
  TRY(weft_kernel_get(&info, blend));
  KEPT(info.argument_count == 5);

  MAKE(&x, weft_ones(&x, context, WEFT_F32, WEFT_SHAPE(N)));
  MAKE(&y, weft_zeros(&y, context, WEFT_F32, WEFT_SHAPE(N)));
  MAKE(&out, weft_zeros(&out, context, WEFT_I32, WEFT_SHAPE(N)));
  TRY(weft_launch(saxpy, WEFT_DIM3(weft_ceil_div(N, 16)), WEFT_DIM3(16), y, x, 2.0f, N));
  const weft_arg list[] = {WEFT_ARG(WEFT_DIM3(4, 4, 1)), WEFT_ARG(y), WEFT_ARG(x), WEFT_ARG(3.0f), WEFT_ARG(N)};
  TRY(weft__launch_at(from_file, WEFT_DIM3(2, 2), 5, list, WEFT_SITE));
  TRY(weft_launch(blend, WEFT_DIM3(4), WEFT_DIM3(16), out, WEFT_LOCAL(16 * sizeof(int32_t)), WEFT_STRUCT(pair), (char)3,
                  N));
  MAKE(&bytes, weft_kernel_binary(&bytes, &size_bytes, saxpy));
  MAKE(&binary, weft_kernel_create(&binary, context, .binary = bytes, .binary_bytes = size_bytes));
  MAKE(&text, weft_kernel_list(&text, context, .source = saxpy_source));
  KEPT(strncmp(text, "saxpy(", 6) == 0);
  TRY(weft_launch_n(binary, N, y, x, 0.0f, N));
  const weft_dim3 block = WEFT_DIM3(16);
  MAKE(&tuned, weft_tune(&tuned, NULL, context, run_saxpy, ((weft_array *[]){y, x}), .kernel = {.source = saxpy_source},
                         .blocks = &block, .block_count = 1, .runs = 1, .loops = 1));
  TRY(weft_launch_2d(saxpy, 1, N, y, x, 0.0f, N));
  TRY(weft_kernel_occupancy(&occupancy, saxpy, .block_threads = 1));
  // A view that starts inside its buffer: a sub-buffer if the device's alignment allows, otherwise an error that names
  // the reason.
  MAKE(&tail, weft_slice(&tail, x, 0, N / 2, WEFT_END));
  {
    weft_status rc = weft_launch(saxpy, WEFT_DIM3(1), WEFT_DIM3(16), y, tail, 0.0f, 16);
    if (rc != WEFT_ERROR_LAYOUT) TRY(rc);
  }
  FAILS(WEFT_ERROR_LAUNCH_LIMIT, weft_launch(saxpy, WEFT_DIM3(1), WEFT_DIM3(0), y, x, 2.0f, N));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == 5 && host[N - 1] == 5);
  TRY(weft_to_host(numbers, sizeof numbers, out));
  KEPT(numbers[0] == 10 && numbers[N - 1] == 10);
  MAKE(&check, weft_kernel_create(&check, context, .source = blend_source, .name = "check", .defines = defines));
  TRY(weft_launch(check, WEFT_DIM3(4), WEFT_DIM3(16), out, 11));
  TRY(weft_context_wait(context));

done:
  fault_leave();
  if (path[0] != '\0') unlink(path);
  weft_free(text);
  weft_free(bytes);
  weft_kernel_release(&tuned);
  weft_kernel_release(&binary);
  weft_array_release(&tail);
  weft_array_release(&out);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_kernel_release(&check);
  weft_kernel_release(&blend);
  weft_kernel_release(&from_file);
  weft_kernel_release(&same);
  weft_kernel_release(&saxpy);
  weft_context_release(&context);
  return status;
}

static weft_status time_fill(void *argument) {
  return weft_fill(argument, 1);
}

int program_timing(int argc, char **argv) {
  int status = 0;
  char *text = NULL;
  weft_context *context = NULL;
  weft_array *x = NULL;
  weft_timing timing = {.runs = -1};
  weft_usage usage;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_zeros(&x, context, WEFT_F32, WEFT_SHAPE(N)));
  {
    weft_status rc = weft_timeit(&timing, context, time_fill, x, .runs = 2, .loops = 2);
    KEPT((timing.runs == 2) == (rc == WEFT_OK));
    TRY(rc);
  }
  MAKE(&text, weft_timeit_text(&text, &timing));
  KEPT(strstr(text, "2 runs, 2 loops each") != NULL);
  TRY(weft_usage_get(&usage, context));
  KEPT(usage.launches >= 1 && usage.launches <= 6 && usage.builds == 1); /* a CPU's calling thread fills some */
  // Tracing waits before and after each step, and these waits may fail: its output is not checked here.
  {
    float host[N];
    int kept = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    KEPT(kept >= 0 && nowhere >= 0 && dup2(nowhere, STDERR_FILENO) >= 0);
    weft__way_row row;
    for (int k = 0; weft__way_at(&row, k);) k++;
    weft__ways_read_at();
    weft__ways_watch_at(true);
    weft__ways_watch_at(false);
    weft_trace(true);
    weft_status rc = weft_fill(x, 2);
    if (rc == WEFT_OK) rc = weft_to_host(host, sizeof host, x);
    weft_trace(false);
    KEPT(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    close(nowhere);
    TRY(rc);
    KEPT(host[0] == 2);
  }

done:
  fault_leave();
  weft_free(text);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

int program_build_error(int argc, char **argv) {
  int status = 0;
  weft_context *context = NULL;
  weft_kernel *bad = NULL, *good = NULL, *retained = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  FAILS(WEFT_ERROR_BUILD,
        weft_kernel_create(&bad, context, .source = "__kernel void bad(__global int *x) { x[0] = nothing; }\n",
                           .name = "bad"));
  FAILS(WEFT_ERROR_KERNEL_NAME, weft_kernel_create(&bad, context, .source = saxpy_source, .name = "daxpy"));
  KEPT(bad == NULL);
  MAKE(&good, weft_kernel_create(&good, context, .source = saxpy_source, .name = "saxpy"));
  retained = weft_kernel_retain(good);
  KEPT(retained == good);

done:
  fault_leave();
  weft_kernel_release(&retained);
  weft_kernel_release(&good);
  weft_kernel_release(&bad);
  weft_context_release(&context);
  return status;
}

int program_streams(int argc, char **argv) {
  int status = 0;
  float host[N];
  uint64_t time_ns = 0;
  weft_context *context = NULL;
  weft_stream *first = NULL, *second = NULL, *retained = NULL;
  weft_timer *timer = NULL;
  weft_kernel *saxpy = NULL;
  weft_array *x = NULL, *y = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context, .profiling = true));
  fault_mark();
  MAKE(&first, weft_stream_create(&first, context));
  MAKE(&second, weft_stream_create(&second, context));
  retained = weft_stream_retain(second);
  MAKE(&timer, weft_timer_create(&timer, context));
  MAKE(&saxpy, weft_kernel_create(&saxpy, context, .source = saxpy_source, .name = "saxpy"));
  MAKE(&x, weft_ones(&x, context, WEFT_F32, WEFT_SHAPE(N)));
  MAKE(&y, weft_zeros(&y, context, WEFT_F32, WEFT_SHAPE(N)));

  // Three streams write y in turn; each waits for the previous one.
  TRY(weft_timer_start(timer, first));
  TRY(weft_launch_on(saxpy, first, WEFT_DIM3(4), WEFT_DIM3(16), y, x, 1.0f, N));
  TRY(weft_timer_stop(timer));
  TRY(weft_launch_on(saxpy, second, WEFT_DIM3(4), WEFT_DIM3(16), y, x, 2.0f, N));
  TRY(weft_launch(saxpy, WEFT_DIM3(4), WEFT_DIM3(16), y, x, 4.0f, N));
  TRY(weft_stream_wait(first));
  TRY(weft_timer_get(&time_ns, timer));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == 7 && host[N - 1] == 7);
  // The array is released while a stream may still use it.
  TRY(weft_launch_on(saxpy, second, WEFT_DIM3(4), WEFT_DIM3(16), y, x, 2.0f, N));
  weft_array_release(&x);
  weft_stream_release(&first);
  MAKE(&x, weft_zeros(&x, context, WEFT_F32, WEFT_SHAPE(N)));
  // Elementwise functions and copies on a stream, of results from another stream.
  TRY(weft_stream_use(second));
  KEPT(weft_stream_used() == second);
  TRY(weft_fill(y, 2));
  TRY(weft_stream_use(NULL));
  KEPT(weft_stream_used() == NULL);
  TRY(weft_launch(saxpy, WEFT_DIM3(4), WEFT_DIM3(16), x, y, 3.0f, N));
  TRY(weft_stream_use(retained));
  TRY(weft_add(&x, x, 1.0f));
  TRY(weft_to_host(host, sizeof host, x));
  KEPT(host[0] == 7 && host[N - 1] == 7);
  // Enough launches that the host checks how far it runs ahead, and waits.
  for (int i = 0; i < 20; i++) TRY(weft_launch_on(saxpy, second, WEFT_DIM3(1), WEFT_DIM3(1), y, x, 0.0f, 0));
  TRY(weft_context_wait(context));

done:
  fault_leave();
  if (weft_stream_use(NULL) != WEFT_OK) status = FAULT_BROKEN;
  weft_array_release(&y);
  weft_array_release(&x);
  weft_kernel_release(&saxpy);
  weft_timer_release(&timer);
  weft_stream_release(&retained);
  weft_stream_release(&second);
  weft_stream_release(&first);
  weft_context_release(&context);
  return status;
}

int program_introspect(int argc, char **argv) {
  int status = 0;
  uint64_t count = 0;
  weft_context *context = NULL;
  weft_thread_record *records = NULL, *few = NULL;
  weft_introspect_params window = {.first_block = 1, .block_count = 1, .first_thread = 2, .thread_count = 1};
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&records, weft_introspect(&records, &count, context, WEFT_DIM3(2), WEFT_DIM3(4)));
  KEPT(count == 8 && records[7].block_idx[0] == 1 && records[7].thread_idx[0] == 3);
  MAKE(&few, (weft_introspect)(&few, &count, context, WEFT_DIM3(2, 2), WEFT_DIM3(2, 2), &window));
  KEPT(count == 1 && few[0].block_idx[0] == 1 && few[0].flat_id == 6);

done:
  fault_leave();
  weft_free(few);
  weft_free(records);
  weft_context_release(&context);
  return status;
}

/// OpenCL objects made without Weft, by calls that never fail here.
typedef struct foreign {
  cl_context context;
  cl_command_queue queue;
  cl_mem buffer;
  cl_mem image; /* one pixel; NULL on devices without images */
  cl_sampler sampler;
} foreign;

/// The device with that number in Weft's order, which is OpenCL's.
static cl_device_id find_device(int index) {
  enum { ROOM = 16 };
  cl_platform_id platforms[ROOM];
  cl_device_id devices[ROOM];
  cl_uint platform_count = 0, count;
  clGetPlatformIDs(ROOM, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count && p < ROOM; p++) {
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, ROOM, devices, &count) != CL_SUCCESS) continue;
    if (index < (int)count && index < ROOM) return devices[index];
    index -= (int)count;
  }
  return NULL;
}

static bool open_foreign(foreign *of) {
  int index = -1;
  cl_device_id device;
  if (weft_device_find(&index, getenv("WEFT_DEVICE")) != WEFT_OK) return false;
  fault_own(true);
  device = find_device(index);
  if (device != NULL) of->context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  if (of->context != NULL) of->queue = clCreateCommandQueue(of->context, device, 0, NULL);
  if (of->context != NULL) of->buffer = clCreateBuffer(of->context, CL_MEM_READ_WRITE, N * sizeof(float), NULL, NULL);
  cl_bool has_images = CL_FALSE;
  float pixel[4] = {5, 0, 0, 0};
  if (of->context != NULL) clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL);
  if (has_images) {
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
    of->image = clCreateImage(of->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, pixel, NULL);
    of->sampler = clCreateSampler(of->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, NULL);
  }
  fault_own(false);
  return of->queue != NULL && of->buffer != NULL && (!has_images || (of->image != NULL && of->sampler != NULL));
}

static void close_foreign(foreign *of) {
  fault_own(true);
  if (of->sampler != NULL) clReleaseSampler(of->sampler);
  if (of->image != NULL) clReleaseMemObject(of->image);
  if (of->buffer != NULL) clReleaseMemObject(of->buffer);
  if (of->queue != NULL) clReleaseCommandQueue(of->queue);
  if (of->context != NULL) clReleaseContext(of->context);
  fault_own(false);
}

int program_adopt(int argc, char **argv) {
  int status = 0;
  float host[N];
  size_t offset_bytes = 1;
  foreign of = {NULL, NULL, NULL, NULL, NULL};
  weft_context *context = NULL;
  weft_kernel *look = NULL;
  weft_stream *stream = NULL;
  weft_array *x = NULL, *too_long = NULL;
  (void)argc, (void)argv;

  if (!open_foreign(&of)) {
    status = 1;
    goto done;
  }
  MAKE(&context, weft_context_adopt(&context, of.context, of.queue));
  fault_mark();
  KEPT(weft_context_cl_context(context) == of.context && weft_context_cl_queue(context) == of.queue);
  KEPT(weft_context_cl_device(context) != NULL);
  MAKE(&stream, weft_stream_create(&stream, context));
  KEPT(weft_stream_cl_queue(stream) != NULL);
  MAKE(&x, weft_array_adopt(&x, context, of.buffer, 0, WEFT_F32, WEFT_SHAPE(N)));
  KEPT(weft_array_cl_mem(x, &offset_bytes) == of.buffer && offset_bytes == 0);
  TRY(weft_fill(x, 2.0f));
  TRY(weft_to_host(host, sizeof host, x));
  KEPT(host[0] == 2 && host[N - 1] == 2);
  if (of.image != NULL) {
    MAKE(&look,
         weft_kernel_create(&look, context,
                            .source = "kernel void look(read_only image2d_t im, sampler_t s, global float *y) {\n"
                                      "  y[get_global_id(0)] = read_imagef(im, s, (int2)(0, 0)).x;\n"
                                      "}\n"));
    TRY(weft_launch(look, WEFT_DIM3(1), WEFT_DIM3(N), WEFT_CL_IMAGE(of.image), WEFT_CL_SAMPLER(of.sampler), x));
    TRY(weft_to_host(host, sizeof host, x));
    KEPT(host[0] == 5 && host[N - 1] == 5);
    FAILS(WEFT_ERROR_KERNEL_ARGUMENT, weft_launch(look, WEFT_DIM3(1), WEFT_DIM3(N), x, WEFT_CL_SAMPLER(of.sampler), x));
  }
  FAILS(WEFT_ERROR_SHAPE, weft_array_adopt(&too_long, context, of.buffer, 0, WEFT_F32, WEFT_SHAPE(N + 1)));
  KEPT(too_long == NULL);

done:
  fault_leave();
  weft_array_release(&too_long);
  weft_array_release(&x);
  weft_kernel_release(&look);
  weft_stream_release(&stream);
  weft_context_release(&context);
  close_foreign(&of);
  return status;
}

/// Exports and imports tensors with both structs: a failure must leave the tensor intact and give back the array
/// exactly once.
int program_dlpack(int argc, char **argv) {
  int status = 0;
  float host[N];
  char *text = NULL;
  foreign of = {NULL, NULL, NULL, NULL, NULL};
  weft_context *context = NULL;
  weft_array *x = NULL, *view = NULL, *back = NULL, *again = NULL;
  DLManagedTensorVersioned *tensor = NULL;
  DLManagedTensor *unversioned = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_F32, 0, N, 1));
  MAKE(&view, weft_slice(&view, x, 0, 3, WEFT_END, .step = 2));
  MAKE(&text, weft_array_interface(&text, view));
  KEPT(strstr(text, "'offset': 12") != NULL && !weft_array_is_read_only(view));
  fault_own(true);
  of.queue = clCreateCommandQueue(weft_context_cl_context(context), weft_context_cl_device(context), 0, NULL);
  fault_own(false);
  KEPT(of.queue != NULL);
  MAKE(&tensor, weft_to_dlpack(&tensor, view, .cl_queue = of.queue));
  MAKE(&back, weft_from_dlpack(&back, context, tensor));
  tensor = NULL;
  MAKE(&unversioned, weft_to_dlpack_unversioned(&unversioned, back));
  MAKE(&again, weft_from_dlpack_unversioned(&again, context, unversioned));
  unversioned = NULL;
  TRY(weft_fill(again, 7));
  TRY(weft_to_host(host, sizeof host, x));
  KEPT(host[2] == 2 && host[3] == 7 && host[4] == 4 && host[5] == 7);
  weft_array_release(&x);
  weft_array_release(&view);
  MAKE(&tensor, weft_to_dlpack(&tensor, again));

done:
  fault_leave();
  weft_free(text);
  if (unversioned) unversioned->deleter(unversioned);
  if (tensor) tensor->deleter(tensor);
  weft_array_release(&again);
  weft_array_release(&back);
  weft_array_release(&view);
  weft_array_release(&x);
  weft_context_release(&context);
  close_foreign(&of);
  return status;
}

int program_default(int argc, char **argv) {
  int status = 0;
  int32_t host[4];
  weft_context *context = NULL, *same = NULL, *retained = NULL;
  weft_array *x = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_default(&context));
  fault_mark();
  MAKE(&same, weft_context_default(&same));
  KEPT(same == context);
  retained = weft_context_retain(context);
  MAKE(&x, weft_arange(&x, NULL, WEFT_I32, 0, 4, 1));
  KEPT(weft_array_context(x) == context);
  weft_context_release(&same);
  weft_context_release(&retained);
  TRY(weft_to_host(host, sizeof host, x));
  KEPT(host[3] == 3);

done:
  weft_array_release(&x);
  weft_context_release(&retained);
  weft_context_release(&same);
  // The process keeps its default context until it is closed.
  if (weft_context_close(&context) != WEFT_OK && status == 0) status = 1;
  return status;
}
