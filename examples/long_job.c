// SPDX-License-Identifier: MIT
// A job that may take hours. It reports progress, ends soon after Ctrl-C with its state in a file, and resumes from
// there. Launches return before the device has done the work: the number of launches does not measure progress, and a
// loop that only launches could leave minutes of queued work when it should end. Here
//   progress   is an event after every leg of steps; the loop waits for it once the next leg is enqueued, so that the
//              device always has work,
//   Ctrl-C     sets a flag that the loop checks; Weft limits how far the host runs ahead to half a second
//              (weft_context_params),
//   the state  is written to a file after Ctrl-C, and every ten minutes in case the job is killed.
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "example.h"

enum { BLOCK = 16, INTERRUPTED = 130 };      // threads per axis; a shell's exit status after Ctrl-C
static const double CHECKPOINT_S = 10 * 60;  // between two checkpoints

static volatile sig_atomic_t told_to_stop;

static void ask_to_stop(int number) {
  told_to_stop = 1;
  signal(number, SIG_DFL);  // a second Ctrl-C ends the program at once
}

typedef struct job {
  weft_context *context;
  weft_kernel *spread;
  weft_array *now, *next;  // [side, side]
  uint64_t side, done;     // enqueued steps
  char file[64];           // the newest checkpoint; "": none
} job;

static weft_status step(job *j) {
  const uint64_t blocks = weft_ceil_div(j->side, BLOCK);
  weft_status status = weft_launch(j->spread, WEFT_DIM3(blocks, blocks), WEFT_DIM3(BLOCK, BLOCK), j->next, j->now, 0.2f,
                                   (uint32_t)j->side);
  weft_array *before = j->now;
  if (status != WEFT_OK) return status;
  j->now = j->next;
  j->next = before;
  j->done++;
  return WEFT_OK;
}

// Each checkpoint gets its own file, and the previous one is removed only after the new one is complete.
static weft_status save(job *j) {
  char before[sizeof j->file];
  memcpy(before, j->file, sizeof before);
  snprintf(j->file, sizeof j->file, "long_job-%" PRIu64 ".npy", j->done);
  weft_status status = weft_npy_save(j->file, j->now);  // waits for the enqueued steps
  if (status == WEFT_OK && before[0] != '\0' && strcmp(before, j->file) != 0) remove(before);
  return status;
}

// The initial state: a hot spot, or a checkpoint's state.
static weft_status begin(job *j, uint64_t from) {
  weft_status status =
      weft_kernel_create(&j->spread, j->context, .file = EXAMPLE_KERNEL("long_job.cl"), .name = "spread");
  if (status == WEFT_OK) status = weft_empty(&j->next, j->context, WEFT_F32, WEFT_SHAPE(j->side, j->side));
  if (status == WEFT_OK && from == 0) {
    weft_array *spot = NULL;
    status = weft_zeros(&j->now, j->context, WEFT_F32, WEFT_SHAPE(j->side, j->side));
    if (status == WEFT_OK) status = weft_slice(&spot, j->now, 0, 0, (int64_t)(j->side + 3) / 4);
    if (status == WEFT_OK) status = weft_fill(spot, 1.0f);
    weft_array_release(&spot);
  } else if (status == WEFT_OK) {
    snprintf(j->file, sizeof j->file, "long_job-%" PRIu64 ".npy", from);
    status = weft_empty_like(&j->now, j->next);
    if (status == WEFT_OK) status = weft_npy_load(&j->now, j->context, j->file);  // a file of another size is an error
  }
  j->done = from;
  return status;
}

int main(int argc, char **argv) {
  uint64_t side = 512, steps = 1000, leg = 100, from = 0;
  const example_option options[] = {
      {"--side", &side, 2, 1 << 14, "cells along each side"},
      {"--steps", &steps, 1, 1000000000000, "steps in all"},
      {"--leg", &leg, 1, 1000000000000, "steps from one line of progress to the next"},
      {"--from", &from, 0, 1000000000000, "resume after this many steps, from the file written then"},
  };
  int status = example_arguments(argc, argv, "Lets heat spread for a long time; can be interrupted.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  job j = {.side = side};
  weft_event *end_of_leg = NULL;
  uint64_t marked = 0;  // the step that end_of_leg marks
  float mean = 0, hottest = 0;
  told_to_stop = 0;
  signal(SIGINT, ask_to_stop);
  REQUIRE(from <= steps, "there are %" PRIu64 " steps, and --from is %" PRIu64, steps, from);
  WEFT_TRY(weft_context_create(&j.context), done);
  WEFT_TRY(begin(&j, from), done);
  printf("%" PRIu64 " x %" PRIu64 " cells, steps %" PRIu64 " to %" PRIu64 "\n", side, side, from, steps);
  fflush(stdout);

  const double start_s = example_clock_s();
  double saved_s = start_s;
  while (j.done < steps && !told_to_stop) {
    WEFT_TRY(step(&j), done);
    if (j.done % leg != 0) continue;
    if (end_of_leg != NULL) {
      WEFT_TRY(weft_event_wait(end_of_leg), done);  // the previous leg; the device works on this one meanwhile
      double passed_s = example_clock_s() - start_s,
             left_s = passed_s * (double)(steps - marked) / (double)(marked - from);
      printf("step %" PRIu64 " of %" PRIu64 ", %.1f%%, after %.1f s; %.1f s left\n", marked, steps,
             100 * (double)marked / (double)steps, passed_s, left_s);
      fflush(stdout);
    }
    WEFT_TRY(weft_event_record(&end_of_leg, j.context, NULL), done);
    marked = j.done;
    if (example_clock_s() - saved_s > CHECKPOINT_S) {
      WEFT_TRY(save(&j), done);
      saved_s = example_clock_s();
    }
  }

  if (told_to_stop) {
    double told_s = example_clock_s();
    WEFT_TRY(save(&j), done);
    printf("interrupted: %" PRIu64 " steps are done and saved in %s, %.2f s after Ctrl-C was noticed; --from %" PRIu64
           " resumes\n",
           j.done, j.file, example_clock_s() - told_s, j.done);
    status = INTERRUPTED;
  } else {
    WEFT_TRY(weft_mean(WEFT_HOST_OUT(&mean, WEFT_F32, WEFT_SHAPE_0D), j.now, WEFT_ALL_AXES), done);
    WEFT_TRY(weft_max(WEFT_HOST_OUT(&hottest, WEFT_F32, WEFT_SHAPE_0D), j.now, WEFT_ALL_AXES), done);
    printf("%" PRIu64 " steps: mean %.4f, hottest %.9g\n", j.done, (double)mean, (double)hottest);
    if (j.file[0] != '\0') remove(j.file);
    status = EXIT_SUCCESS;
  }

done:
  signal(SIGINT, SIG_DFL);
  weft_release(&end_of_leg, &j.next, &j.now, &j.spread);
  return example_close(&j.context, status);
}
