// SPDX-License-Identifier: MIT
// The programs about copies on streams and with strides, events, and memory that host and device share.
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "fault_programs.h"

enum { ROWS = 6, COLUMNS = 40, LARGE = 1 << 18 };

/// Whether the middle 4 x 32 of the table is `inner` and all else `outer`.
static bool is_framed(float table[ROWS][COLUMNS], float inner, float outer) {
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      if (table[i][j] != (i >= 1 && i < 5 && j >= 4 && j < 36 ? inner : outer)) return false;
  return true;
}

int program_transfers(int argc, char **argv) {
  int status = 0;
  float table[ROWS][COLUMNS], part[4][32], column[4];
  float *pinned = NULL;
  weft_context *context = NULL;
  weft_stream *stream = NULL;
  weft_array *x = NULL, *rows = NULL, *middle = NULL, *turned = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&stream, weft_stream_create(&stream, context));
  MAKE(&x, weft_full(&x, context, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS), 1));
  MAKE(&rows, weft_slice(&rows, x, 0, 1, 5));
  MAKE(&middle, weft_slice(&middle, rows, 1, 4, 36));
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) table[i][j] = 5;
  // Rectangles: the middle of one table to the middle of the other, and back.
  TRY(weft_write_strided(middle, &table[1][4], ((const int64_t[]){sizeof table[0], sizeof(float)})));
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 32; j++) table[1 + i][4 + j] = 0;
  {
    weft_status rc = weft_read_strided(&table[1][4], ((const int64_t[]){sizeof table[0], sizeof(float)}), middle);
    KEPT(rc != WEFT_OK || is_framed(table, 5, 5));
    KEPT(table[0][0] == 5 && table[1][3] == 5 && table[5][36] == 5);
    TRY(rc);
  }
  TRY(weft_to_host(table, sizeof table, x));
  KEPT(is_framed(table, 5, 1));
  // A layout that is no rectangle is gathered into a temporary array.
  for (int i = 0; i < 4; i++) column[i] = 7;
  MAKE(&turned, weft_transpose(&turned, middle, WEFT_AXES(1, 0)));
  TRY(weft_write_strided(turned, &column[3], ((const int64_t[]){0, -(int64_t)sizeof(float)})));
  TRY(weft_read_strided(part, ((const int64_t[]){sizeof(float), sizeof part[0]}), turned));
  KEPT(part[0][0] == 7 && part[3][31] == 7);
  // On a stream, from pinned memory and from other memory.
  MAKE(&pinned, weft_pinned_alloc(&pinned, context, sizeof part));
  for (int i = 0; i < 4 * 32; i++) pinned[i] = 9;
  TRY(weft_write_async(middle, pinned, sizeof part, stream));
  TRY(weft_read_async(pinned, sizeof part, middle, stream));
  TRY(weft_stream_wait(stream));
  KEPT(pinned[0] == 9 && pinned[127] == 9);
  TRY(weft_read_async(table, sizeof table, x, NULL));
  KEPT(is_framed(table, 9, 1));
  TRY(weft_write_async(x, table, sizeof table, stream));
  FAILS(WEFT_ERROR_SHAPE, weft_write_async(x, table, 1, stream));

done:
  fault_leave();
  weft_array_release(&turned);
  weft_array_release(&middle);
  weft_array_release(&rows);
  weft_array_release(&x);
  weft_stream_release(&stream);
  weft_pinned_free(&pinned);
  weft_context_release(&context);
  return status;
}

int program_events(int argc, char **argv) {
  int status = 0;
  float host[COLUMNS];
  bool is_done = false;
  weft_context *context = NULL;
  weft_stream *stream = NULL;
  weft_event *event = NULL, *second = NULL, *retained = NULL;
  weft_array *x = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context, .wait = WEFT_WAIT_SLEEP));
  fault_mark();
  MAKE(&stream, weft_stream_create(&stream, context));
  MAKE(&x, weft_full(&x, context, WEFT_F32, WEFT_SHAPE(COLUMNS), 3));
  MAKE(&event, weft_event_record(&event, context, NULL));
  TRY(weft_stream_after(stream, event));
  TRY(weft_stream_use(stream));
  TRY(weft_add(&x, x, 1));
  {
    weft_event *before = event;
    weft_status rc = weft_event_record(&event, context, stream);
    KEPT(event == before);
    TRY(rc);
  }
  TRY(weft_stream_use(NULL));
  MAKE(&second, weft_event_record(&second, context, stream));
  retained = weft_event_retain(event);
  TRY(weft_event_wait(event));
  TRY(weft_event_is_done(&is_done, event));
  KEPT(is_done);
  TRY(weft_to_host(host, sizeof host, x));
  KEPT(host[0] == 4 && host[COLUMNS - 1] == 4);

done:
  fault_leave();
  if (weft_stream_use(NULL) != WEFT_OK) status = FAULT_BROKEN;
  weft_event_release(&retained);
  weft_event_release(&second);
  weft_event_release(&event);
  weft_array_release(&x);
  weft_stream_release(&stream);
  weft_context_release(&context);
  return status;
}

/// Copies an array to another context and back, and a view into a view.
static int copy_across(const char *on_a_cpu) {
  enum { COUNT = 150000 };
  weft_device_info info;
  int status = 0;
  const char *way = NULL;
  int32_t *data = malloc(COUNT * sizeof *data);
  weft_context *context = NULL, *other = NULL;
  weft_array *x = NULL, *y = NULL, *z = NULL, *two = NULL, *column = NULL, *row = NULL, *one = NULL;

  setenv("WEFT_CUDA_LIBRARY", "/none", 1); /* CUDA's memory would be the way; program_cuda_memory has it */
  MAKE(&context, weft_context_create(&context));
  MAKE(&other, weft_context_create(&other));
  fault_mark();
  if (!data) goto done;
  TRY(weft_copy_way(&way, other, context));
  TRY(weft_context_get_device(&info, context));
  KEPT(strcmp(way, info.type == WEFT_DEVICE_TYPE_CPU ? on_a_cpu : "pinned ring") == 0);
  for (int i = 0; i < COUNT; i++) data[i] = i;
  MAKE(&x, weft_from_host(&x, context, WEFT_I32, WEFT_SHAPE(COUNT), data));
  MAKE(&y, weft_copy(&y, x, .context = other));
  MAKE(&z, weft_copy(&z, y, .context = context));
  for (int i = 0; i < COUNT; i++) data[i] = 0;
  TRY(weft_to_host(data, COUNT * sizeof *data, z));
  for (int i = 0; i < COUNT; i++) KEPT(data[i] == i);
  // Small, from a view and into a view.
  MAKE(&two, weft_zeros(&two, other, WEFT_I32, WEFT_SHAPE(4, 2)));
  MAKE(&column, weft_slice(&column, two, 1, 0, 1));
  TRY(weft_fill(two, 3));
  MAKE(&row, weft_view(&row, x, "::37500"));
  MAKE(&one, weft_expand(&one, row, WEFT_AXES(1)));
  TRY(weft_copy(&column, one));
  TRY(weft_to_host(data, sizeof(int32_t[4][2]), two));
  for (int i = 0; i < 4; i++) KEPT(data[2 * i] == i * (COUNT / 4) && data[2 * i + 1] == 3);
  FAILS(WEFT_ERROR_CONTEXT, weft_copy(&column, one, .context = context));

done:
  fault_leave();
  weft_array_release(&one);
  weft_array_release(&row);
  weft_array_release(&column);
  weft_array_release(&two);
  weft_array_release(&z);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&other);
  weft_context_release(&context);
  free(data);
  return status;
}

int program_context_copy(int argc, char **argv) {
  (void)argc, (void)argv;
  return copy_across("in place");
}

int program_context_copy_ring(int argc, char **argv) {
  (void)argc, (void)argv;
  setenv("WEFT_QUIRKS", "stages_slowly", 1);
  return copy_across("pinned ring");
}

static void count(void *user) {
  ++*(int *)user;
}

int program_host_memory(int argc, char **argv) {
  int status = 0, lent = 0;
  void *mapped = NULL;
  float *data = NULL, *more = NULL;
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *wrapped = NULL;
  weft_device_info info;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  TRY(weft_context_get_device(&info, context));
  if (posix_memalign((void **)&data, 4096, sizeof(float[LARGE])) ||
      posix_memalign((void **)&more, 4096, sizeof(float[LARGE]))) {
    status = FAULT_BROKEN;
    goto done;
  }
  fault_mark();
  for (int i = 0; i < LARGE; i++) data[i] = more[i] = 1;
  MAKE(&x, weft_full(&x, context, WEFT_F32, WEFT_SHAPE(LARGE), 2));
  // Large operands, which a CPU device uses in place. `data` is the caller's again in every case.
  MAKE(&y, weft_add(&y, x, WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(LARGE))));
  KEPT(data[0] == 1 && data[LARGE - 1] == 1);
  TRY(weft_multiply(WEFT_HOST_OUT(more, WEFT_F32, WEFT_SHAPE(LARGE)), y, WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(LARGE))));
  KEPT(more[0] == 3 && more[LARGE - 1] == 3);
  // Maps.
  {
    weft_status rc = weft_map(&mapped, y, WEFT_MAP_READ | WEFT_MAP_WRITE);
    KEPT((mapped != NULL) == (rc == WEFT_OK));
    TRY(rc);
    KEPT(*(float *)mapped == 3);
    *(float *)mapped = 4;
    FAILS(WEFT_ERROR_ARGUMENT, weft_fill(y, 0));
    TRY(weft_unmap(y));
  }
  TRY(weft_map(&mapped, y, WEFT_MAP_READ));
  KEPT(*(float *)mapped == 4);
  if (info.type != WEFT_DEVICE_TYPE_CPU) {
    FAILS(WEFT_ERROR_UNSUPPORTED, weft_wrap_host(&wrapped, context, WEFT_F32, WEFT_SHAPE(LARGE), data));
    goto done;
  }
  MAKE(&wrapped,
       weft_wrap_host(&wrapped, context, WEFT_F32, WEFT_SHAPE(LARGE), data, .give_back = count, .user = &lent));
  TRY(weft_add(&wrapped, wrapped, 1));
  TRY(weft_to_host(data, sizeof(float[LARGE]), wrapped));
  KEPT(data[0] == 2 && data[LARGE - 1] == 2);
  weft_array_release(&wrapped);
  KEPT(lent == 1);
  MAKE(&wrapped, weft_wrap_host(&wrapped, context, WEFT_F32, WEFT_SHAPE(LARGE), data));

done:
  fault_leave();
  weft_array_release(&wrapped);
  weft_array_release(&y); /* it may be mapped */
  weft_array_release(&x);
  weft_context_release(&context);
  free(data);
  free(more);
  return status;
}
