// SPDX-License-Identifier: MIT
/// `weft bench memory`: copies between host and device, fills, copies on the device, and allocation. Each stands beside
/// the bare driver's way to do the same work, in turns in the same run.
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cli/bench/bench.h"
#include "cli/bench/bench_opencl.h"

enum { RUNS = 9, SMALL_RUNS = 2001, SMALL_BYTES = 4096, CALL_ELEMENTS = 100000 };

typedef struct bench {
  const cli_args *args;
  weft_context *context;
  cl_command_queue queue;
  cl_int code; /* the first failure of a bare call */
  size_t size; /* bytes of the large arrays */
  unsigned char *host, *back, *pinned, *pinned_back;
  unsigned char *registered; /* memory that processes can share; NULL: none */
  weft_array *x, *y, *small; /* u8[size], u8[size], u8[SMALL_BYTES] */
  weft_array *a, *b, *sum;
  weft_stream *stream;
  table table;
} bench;

static void keep(bench *b, cl_int code) {
  if (b->code == CL_SUCCESS) b->code = code;
}

/* ---- a row: one operation done by Weft and by the driver ---- */

typedef struct work {
  const char *what;
  void *host;
  size_t bytes; /* bytes moved; 0: the row has the time of a call, not a rate */
  weft_status (*own)(bench *b, const struct work *w);
  void (*raw)(bench *b, const struct work *w); /* NULL: the driver has no equivalent */
  int runs, calls;                             /* calls between two readings of the clock */
} work;

static weft_status add_row(bench *b, const work *w) {
  double *raw = malloc((size_t)w->runs * sizeof *raw), *own = malloc((size_t)w->runs * sizeof *own);
  weft_status rc = WEFT_OK;
  if (!raw || !own) {
    keep(b, CL_OUT_OF_HOST_MEMORY);
    goto done;
  }
  for (int i = -1; i < w->runs; i++)
    for (int half = 0; half < 2; half++) {
      bool is_raw = (half + i) % 2 == 0;
      if (is_raw && !w->raw) continue;
      double start = bench_seconds();
      for (int c = 0; c < w->calls; c++) {
        if (is_raw)
          w->raw(b, w);
        else
          WEFT__TRY(w->own(b, w));
      }
      if (i >= 0) (is_raw ? raw : own)[i] = (bench_seconds() - start) / w->calls; /* the first run is not counted */
      keep(b, clFinish(b->queue));
    }
  double driver = w->raw ? bench_median(raw, w->runs) : -1, weft = bench_median(own, w->runs);
  table_add_text(&b->table, w->what);
  if (w->bytes) {
    bench_add_number(&b->table, driver > 0 ? 1e-9 * (double)w->bytes / driver : -1, 2);
    bench_add_number(&b->table, 1e-9 * (double)w->bytes / weft, 2);
  } else {
    bench_add_number(&b->table, driver > 0 ? 1e6 * driver : -1, 3);
    bench_add_number(&b->table, 1e6 * weft, 3);
  }
  bench_add_number(&b->table, driver > 0 ? driver / weft : -1, 2);
  table_add_text(&b->table, w->bytes ? "GB/s" : "us");
done:
  free(raw);
  free(own);
  return rc;
}

/* ---- the operations ---- */

static cl_mem mem_of(const weft_array *x) {
  return weft_array_cl_mem(x, NULL);
}

/// Copies of SMALL_BYTES use a separate array.
static weft_array *target_of(const bench *b, const work *w) {
  return w->bytes ? b->x : b->small;
}

static size_t bytes_of(const work *w) {
  return w->bytes ? w->bytes : SMALL_BYTES;
}

static weft_status own_write(bench *b, const work *w) {
  weft_array *to = target_of(b, w);
  weft_status rc = weft_from_host(&to, b->context, WEFT_U8, weft_array_shape(to), w->host);
  if (w->bytes) keep(b, clFinish(b->queue)); /* large copies may not be done yet */
  return rc;
}

static void raw_write(bench *b, const work *w) {
  keep(b, clEnqueueWriteBuffer(b->queue, mem_of(target_of(b, w)), CL_TRUE, 0, bytes_of(w), w->host, 0, NULL, NULL));
  if (w->bytes) keep(b, clFinish(b->queue));
}

static weft_status own_read(bench *b, const work *w) {
  return weft_to_host(w->host, bytes_of(w), target_of(b, w));
}

static void raw_read(bench *b, const work *w) {
  keep(b, clEnqueueReadBuffer(b->queue, mem_of(target_of(b, w)), CL_TRUE, 0, bytes_of(w), w->host, 0, NULL, NULL));
}

static weft_status own_fill(bench *b, const work *w) {
  (void)w;
  for (int i = 0; i < 8; i++) WEFT__TRY_RETURN(weft_fill(b->x, 7));
  keep(b, clFinish(b->queue));
  return WEFT_OK;
}

static void raw_fill(bench *b, const work *w) {
  const cl_uint pattern = 0x07070707;
  (void)w;
  for (int i = 0; i < 8; i++)
    keep(b, clEnqueueFillBuffer(b->queue, mem_of(b->x), &pattern, sizeof pattern, 0, b->size, 0, NULL, NULL));
  keep(b, clFinish(b->queue));
}

static weft_status own_copy(bench *b, const work *w) {
  (void)w;
  for (int i = 0; i < 8; i++) WEFT__TRY_RETURN(weft_copy(&b->y, b->x));
  keep(b, clFinish(b->queue));
  return WEFT_OK;
}

static void raw_copy(bench *b, const work *w) {
  (void)w;
  for (int i = 0; i < 8; i++)
    keep(b, clEnqueueCopyBuffer(b->queue, mem_of(b->x), mem_of(b->y), 0, 0, b->size, 0, NULL, NULL));
  keep(b, clFinish(b->queue));
}

static weft_status own_allocate(bench *b, const work *w) {
  weft_array *x = NULL;
  (void)w;
  weft_status rc = weft_empty(&x, b->context, WEFT_F32, WEFT_SHAPE(CALL_ELEMENTS));
  weft_array_release(&x);
  return rc;
}

/// Does what an array needs: makes a buffer, touches it so that it is allocated, and releases it.
static void raw_allocate(bench *b, const work *w) {
  cl_int code;
  const cl_uchar zero = 0;
  (void)w;
  cl_mem mem = clCreateBuffer(weft_context_cl_context(b->context), CL_MEM_READ_WRITE, CALL_ELEMENTS * sizeof(float),
                              NULL, &code);
  keep(b, code);
  if (code != CL_SUCCESS) return;
  keep(b, clEnqueueFillBuffer(b->queue, mem, &zero, 1, 0, 1, 0, NULL, NULL));
  keep(b, clFinish(b->queue));
  clReleaseMemObject(mem);
}

/// An operation with a new output. The driver's column has the operation with an existing output.
static weft_status own_new_output(bench *b, const work *w) {
  weft_array *out = NULL;
  (void)w;
  weft_status rc = weft_add(&out, b->a, b->b);
  weft_array_release(&out);
  return rc;
}

static void same_output(bench *b, const work *w) {
  (void)w;
  if (weft_add(&b->sum, b->a, b->b) != WEFT_OK) keep(b, CL_INVALID_OPERATION);
}

/* ---- calls over host memory in chunks; the driver's column has their copies alone ---- */

static weft_shape floats_of(const bench *b) {
  return WEFT_SHAPE((int64_t)(b->size / sizeof(float)));
}

static weft_status evaluate(bench *b, void *in, void *out) {
  const weft_shape shape = floats_of(b);
  return weft_eval(WEFT_HOST_OUT(out, WEFT_F32, shape), b->context, "exp(x) * y + x",
                   WEFT_NAMED("x", WEFT_HOST(in, WEFT_F32, shape)), WEFT_NAMED("y", 0.5f));
}

static weft_status own_eval(bench *b, const work *w) {
  return evaluate(b, w->host, w->host == b->pinned ? b->pinned_back : b->back);
}

static weft_status own_sum(bench *b, const work *w) {
  float sum;
  return weft_reduce(WEFT_HOST_OUT(&sum, WEFT_F32, WEFT_SHAPE_0D), b->context, "x", WEFT_ALL_AXES,
                     WEFT_NAMED("x", WEFT_HOST(w->host, WEFT_F32, floats_of(b))));
}

static void copy_in_alone(bench *b, const work *w) {
  if (own_write(b, w)) keep(b, CL_INVALID_OPERATION);
}

/// Pageable memory is copied by one set of threads for both directions, so one copy follows the other.
static void copies_alone(bench *b, const work *w) {
  copy_in_alone(b, w);
  if (weft_to_host(b->back, b->size, b->x)) keep(b, CL_INVALID_OPERATION);
}

/// Copies of pinned memory run in both directions at the same time.
static void copies_both_ways(bench *b, const work *w) {
  weft_status rc;
  WEFT__TRY(weft_write_async(b->x, w->host, b->size, NULL));
  WEFT__TRY(weft_read_async(b->pinned_back, b->size, b->y, b->stream));
  WEFT__TRY(weft_context_wait(b->context));
  return;
done:
  keep(b, CL_INVALID_OPERATION);
}

static weft_status run_all(bench *b) {
  const work works[] = {
      {"host to device, pageable", b->host, b->size, own_write, raw_write, RUNS, 1},
      {"device to host, pageable", b->back, b->size, own_read, raw_read, RUNS, 1},
      {"host to device, pinned", b->pinned, b->size, own_write, raw_write, RUNS, 1},
      {"device to host, pinned", b->pinned_back, b->size, own_read, raw_read, RUNS, 1},
      {"host to device, 4 KB", b->host, 0, own_write, raw_write, SMALL_RUNS, 1},
      {"device to host, 4 KB", b->back, 0, own_read, raw_read, SMALL_RUNS, 1},
      {"fill", NULL, 8 * b->size, own_fill, raw_fill, RUNS, 1},
      {"copy on the device, read and written", NULL, 16 * b->size, own_copy, raw_copy, RUNS, 1},
      {"exp(x) * 0.5 + x over pageable memory: copies, call", b->host, b->size, own_eval, copies_alone, RUNS, 1},
      {"exp(x) * 0.5 + x over pinned memory: copies, call", b->pinned, b->size, own_eval, copies_both_ways, RUNS, 1},
      {"sum of pageable memory: copy in, call", b->host, b->size, own_sum, copy_in_alone, RUNS, 1},
      {"sum of pinned memory: copy in, call", b->pinned, b->size, own_sum, copy_in_alone, RUNS, 1},
      {"host to device, registered shared memory", b->registered, b->size, own_write, raw_write, RUNS, 1},
      {"device to host, registered shared memory", b->registered, b->size, own_read, raw_read, RUNS, 1},
      {"an array of 400 KB made and released", NULL, 0, own_allocate, raw_allocate, 301, 1},
      {"the same from the pool, back to back", NULL, 0, own_allocate, NULL, 301, 100},
      {"f32[100000] + f32[100000]: given out, new out", NULL, 0, own_new_output, same_output, 301, 64},
  };
  enum { ROWS = sizeof works / sizeof *works };
  for (size_t i = 0; i < ROWS; i++) {
    bench_next(b->args, &b->table, i ? 0 : ROWS, works[i].what);
    WEFT__TRY_RETURN(add_row(b, &works[i]));
  }
  return WEFT_OK;
}

static weft_status open_bench(bench *b) {
  weft_device_info info;
  WEFT__TRY_RETURN(cli_open(&b->context, b->args));
  WEFT__TRY_RETURN(weft_context_get_device(&info, b->context));
  b->queue = weft_context_cl_queue(b->context);
  if (!b->size) b->size = (size_t)(info.type == WEFT_DEVICE_TYPE_GPU ? 512 : 64) << 20;
  b->host = malloc(b->size);
  b->back = malloc(b->size);
  if (!b->host || !b->back) {
    keep(b, CL_OUT_OF_HOST_MEMORY);
    return WEFT_OK;
  }
  b->registered = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (b->registered == MAP_FAILED) {
    b->registered = NULL;
    keep(b, CL_OUT_OF_HOST_MEMORY);
    return WEFT_OK;
  }
  memset(b->registered, 5, b->size);
  WEFT__TRY_RETURN(weft_pinned_register(b->registered, b->context, b->size));
  memset(b->host, 1, b->size);
  memset(b->back, 2, b->size);
  WEFT__TRY_RETURN(weft_pinned_alloc(&b->pinned, b->context, b->size));
  WEFT__TRY_RETURN(weft_pinned_alloc(&b->pinned_back, b->context, b->size));
  WEFT__TRY_RETURN(weft_zeros(&b->x, b->context, WEFT_U8, WEFT_SHAPE((int64_t)b->size)));
  WEFT__TRY_RETURN(weft_zeros_like(&b->y, b->x));
  WEFT__TRY_RETURN(weft_zeros(&b->small, b->context, WEFT_U8, WEFT_SHAPE(SMALL_BYTES)));
  WEFT__TRY_RETURN(weft_ones(&b->a, b->context, WEFT_F32, WEFT_SHAPE(CALL_ELEMENTS)));
  WEFT__TRY_RETURN(weft_ones_like(&b->b, b->a));
  WEFT__TRY_RETURN(weft_ones_like(&b->sum, b->a));
  WEFT__TRY_RETURN(weft_stream_create(&b->stream, b->context));
  memset(b->pinned, 3, b->size);
  memset(b->pinned_back, 4, b->size);
  return WEFT_OK;
}

static void close_bench(bench *b) {
  weft_array_release(&b->x);
  weft_array_release(&b->y);
  weft_array_release(&b->small);
  weft_array_release(&b->a);
  weft_array_release(&b->b);
  weft_array_release(&b->sum);
  weft_stream_release(&b->stream);
  weft_pinned_free(&b->pinned);
  weft_pinned_free(&b->pinned_back);
  unsigned char *registered = b->registered;
  if (registered && weft_is_pinned(b->context, registered, b->size)) weft_pinned_free(&registered);
  if (b->registered) munmap(b->registered, b->size);
  weft_context_release(&b->context);
  free(b->host);
  free(b->back);
  table_free(&b->table);
}

int bench_memory(const cli_args *args) {
  static const table_column columns[] = {
      {"what", "WHAT"}, {"driver", "DRIVER"}, {"weft", "WEFT"}, {"times", "TIMES"}, {"unit", "UNIT"}};
  bench b = {.args = args, .table = {.columns = columns, .column_count = sizeof columns / sizeof *columns}};
  int64_t size = 0;
  int status = cli_parse_number(&size, args, "--size", 1 << 20, INT64_C(1) << 36);
  if (status != CLI_OK) return status;
  b.size = (size_t)size;
  status = CLI_FAILED;
  if (open_bench(&b) || (b.code == CL_SUCCESS && run_all(&b))) {
    if (b.context) cli_report(args); /* cli_open has printed its own error */
  } else if (b.code != CL_SUCCESS) {
    cli_fail(args, "a bare OpenCL call returned %s", weft_cl_code_name(b.code));
  } else {
    char note[160];
    snprintf(note, sizeof note, "%zu MiB unless noted; medians, driver and Weft in turns", b.size >> 20);
    status = bench_finish(args, b.context, &b.table,
                          &(bench_report){.name = "memory",
                                          .note = note,
                                          .more = "TIMES: how much faster Weft is",
                                          .plot = {"weft", "driver", "the bare driver", NULL}});
  }
  close_bench(&b);
  return status;
}
