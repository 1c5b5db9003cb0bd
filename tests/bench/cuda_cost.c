// SPDX-License-Identifier: MIT
// What memory shared with CUDA costs (weft/cuda.h): arrays, kernels and launches with it beside the same without it, in
// turns in one process; the order between both sides; copies between two contexts of the device. A line for each
// figure: the median and the fastest of the rounds. It is skipped (77) where there is no CUDA.
//   cuda_cost [E]                 one device; arrays of 2^E f32, by default 2^28
//   cuda_cost --devices A B [E]   copies between two devices
//   cuda_cost --contexts N        opens and closes N contexts, and prints the device's memory in use
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <CL/cl.h>
#include <weft/weft.h>

enum { ROUNDS = 21, CALLS = 500, SKIP = 77, SMALL = 100000, SUBJECTS = 2 };

typedef struct subject {
  const char *name;
  weft_context *context;
  weft_array *x, *y, *small, *sum;
  int64_t size;
} subject;

static double now_us(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void show(const char *what, const char *who, double *us) {
  qsort(us, ROUNDS, sizeof *us, compare);
  printf("%-32s %-10s %12.2f %12.2f us\n", what, who, us[ROUNDS / 2], us[0]);
}

// ---- what is timed: one call, of one subject ----

typedef void timed(subject *s);

static void add_large(subject *s) {
  WEFT_CHECK(weft_add(&s->y, s->x, 1));
  WEFT_CHECK(weft_context_wait(s->context));
}

static void launch_small(subject *s) {
  for (int i = 0; i < CALLS; i++) WEFT_CHECK(weft_add(&s->sum, s->small, 1));
  WEFT_CHECK(weft_context_wait(s->context));
}

static void make_arrays(subject *s) {
  for (int i = 0; i < CALLS; i++) {
    weft_array *a = NULL;
    WEFT_CHECK(weft_empty(&a, s->context, WEFT_F32, WEFT_SHAPE(SMALL)));
    weft_array_release(&a);
  }
}

static void make_contexts(subject *s) {
  weft_context *context = NULL;
  WEFT_CHECK(weft_context_create(&context, .cuda = strcmp(s->name, "shared") == 0));
  WEFT_CHECK(weft_context_close(&context));
}

static void round_trip(subject *s) {
  struct CUstream_st *stream;
  WEFT_CHECK(weft_context_cuda_stream(&stream, s->context));
  WEFT_CHECK(weft_add(&s->sum, s->small, 1));
  WEFT_CHECK(weft_cuda_stream_after(stream, s->context));
  WEFT_CHECK(weft_context_after_cuda(s->context, stream));
  WEFT_CHECK(weft_add(&s->sum, s->sum, 1));
  WEFT_CHECK(weft_context_wait(s->context));
}

static void without_trip(subject *s) {
  WEFT_CHECK(weft_add(&s->sum, s->small, 1));
  WEFT_CHECK(weft_add(&s->sum, s->sum, 1));
  WEFT_CHECK(weft_context_wait(s->context));
}

static void in_turns(const char *what, timed *call, subject *subjects, int count) {
  double us[SUBJECTS][ROUNDS];
  for (int round = -1; round < ROUNDS; round++)  // the first one is not counted
    for (int k = 0; k < count; k++) {
      const double begin = now_us();
      call(&subjects[k]);
      if (round >= 0) us[k][round] = now_us() - begin;
    }
  for (int k = 0; k < count; k++) show(what, subjects[k].name, us[k]);
}

// ---- copies between contexts ----

/// What the drivers alone take for 4 KiB between two contexts: through the host, and by one copy of memory that both
/// have.
static void driver_copies(subject *from, subject *to) {
  size_t at = 0, peer_at = 0, to_at = 0;
  enum { BYTES = 4096 };
  char host[BYTES];
  weft_array *peer = NULL;
  double us[ROUNDS];
  cl_command_queue here = weft_context_cl_queue(from->context), there = weft_context_cl_queue(to->context);
  cl_mem target = weft_array_cl_mem(to->sum, &to_at), source = weft_array_cl_mem(from->small, &at);
  for (int round = 0; round < ROUNDS; round++) {
    const double begin = now_us();
    clEnqueueReadBuffer(here, source, CL_TRUE, at, BYTES, host, 0, NULL, NULL);
    clEnqueueWriteBuffer(there, target, CL_FALSE, to_at, BYTES, host, 0, NULL, NULL);
    clFinish(there);
    us[round] = now_us() - begin;
  }
  show("4 KiB, the driver, by the host", from->name, us);
  if (weft_peer_array(&peer, to->context, from->small) != WEFT_OK) return;
  source = weft_array_cl_mem(peer, &peer_at);
  for (int round = 0; round < ROUNDS; round++) {
    const double begin = now_us();
    clEnqueueCopyBuffer(there, source, target, peer_at, to_at, BYTES, 0, NULL, NULL);
    clFinish(there);
    us[round] = now_us() - begin;
  }
  show("4 KiB, the driver, peer memory", from->name, us);
  weft_array_release(&peer);
}

static void copies(subject *subjects) {
  const char *way = NULL;
  weft_array *there = NULL, *small_there = NULL;
  double us[ROUNDS];
  char what[64];
  WEFT_CHECK(weft_copy_way(&way, subjects[0].context, subjects[1].context));
  for (int k = 0; k < SUBJECTS; k++) {
    subject *from = &subjects[k], *to = &subjects[!k];
    for (int round = 0; round < ROUNDS; round++) {
      const double begin = now_us();
      WEFT_CHECK(weft_copy(&there, from->x, .context = to->context));
      us[round] = now_us() - begin;
    }
    snprintf(what, sizeof what, "copy of %.0f MiB, %s", (double)from->size * 4 / (1 << 20), way);
    show(what, from->name, us);
    for (int round = 0; round < ROUNDS; round++) {
      weft_array *part = NULL;
      WEFT_CHECK(weft_slice(&part, from->small, 0, 0, 1024));
      const double begin = now_us();
      WEFT_CHECK(weft_copy(&small_there, part, .context = to->context));
      us[round] = now_us() - begin;
      weft_array_release(&part);
    }
    show("copy of 4 KiB", from->name, us);
    driver_copies(from, to);
    weft_release(&there, &small_there);
  }
}

/// Opens and closes contexts, one after the other; the device's memory in use should stay where it was.
static int open_and_close(int count) {
  for (int n = 1; n <= count; n++) {
    weft_context *context = NULL;
    weft_array *x = NULL;
    weft_device_info info;
    weft_monitor_reading reading;
    if (weft_context_create(&context, .cuda = true) != WEFT_OK) {
      printf("skipped: %s\n", weft_error_last()->message);
      return SKIP;
    }
    WEFT_CHECK(weft_ones(&x, context, WEFT_F32, WEFT_SHAPE(SMALL)));
    WEFT_CHECK(weft_context_get_device(&info, context));
    weft_release(&x);
    WEFT_CHECK(weft_context_close(&context));
    if (n != 1 && n != count && n % 100 != 0) continue;
    WEFT_CHECK(weft_monitor_get(&reading, info.index));
    printf("%5d contexts closed: %.1f MiB of the device in use\n", n, (double)reading.memory_used_bytes / 1048576);
    weft_monitor_free(&reading);
    fflush(stdout);
  }
  return 0;
}

/// Makes a subject's context and arrays. `device`: as weft_device_find; NULL: the best. False: there is no CUDA.
static bool open_subject(subject *s, const char *device, bool is_shared) {
  if (weft_context_create(&s->context, .device = device, .cuda = is_shared) != WEFT_OK) {
    printf("skipped: %s\n", weft_error_last()->message);
    return false;
  }
  WEFT_CHECK(weft_ones(&s->x, s->context, WEFT_F32, WEFT_SHAPE(s->size)));
  WEFT_CHECK(weft_ones(&s->small, s->context, WEFT_F32, WEFT_SHAPE(SMALL)));
  WEFT_CHECK(weft_add(&s->sum, s->small, 1));
  WEFT_CHECK(weft_context_wait(s->context));
  return true;
}

static void close_subject(subject *s) {
  weft_release(&s->x, &s->y, &s->small, &s->sum);
  if (s->context) WEFT_CHECK(weft_context_close(&s->context));
}

static void compare_memories(subject *subjects) {
  in_turns("add of a large array", add_large, subjects, SUBJECTS);
  in_turns("500 adds of 100000", launch_small, subjects, SUBJECTS);
  in_turns("500 arrays made and released", make_arrays, subjects, SUBJECTS);
  /* one context alone: the device takes long to change between two */
  in_turns("two adds", without_trip, &subjects[1], 1);
  in_turns("two adds, CUDA in between", round_trip, &subjects[1], 1);
  in_turns("context made and closed", make_contexts, subjects, SUBJECTS);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "--contexts") == 0) return open_and_close(atoi(argv[2]));
  const bool is_pair = argc > 3 && strcmp(argv[1], "--devices") == 0;
  const char *exponent = argc > (is_pair ? 4 : 1) ? argv[argc - 1] : "28"; /* 1 GiB */
  const int64_t size = (int64_t)1 << atoi(exponent);
  subject subjects[SUBJECTS] = {{.name = is_pair ? argv[2] : "ordinary", .size = size},
                                {.name = is_pair ? argv[3] : "shared", .size = size}};
  weft_device_info info;
  const bool works = open_subject(&subjects[0], is_pair ? argv[2] : NULL, is_pair) &&
                     open_subject(&subjects[1], is_pair ? argv[3] : NULL, true);
  if (works) {
    WEFT_CHECK(weft_context_get_device(&info, subjects[0].context));
    printf("%s, driver %s; arrays of 2^%s f32\n", info.name, info.driver_version, exponent);
    if (!is_pair) compare_memories(subjects);
    copies(subjects);
  }
  for (int k = 0; k < SUBJECTS; k++) close_subject(&subjects[k]);
  return works ? 0 : SKIP;
}
