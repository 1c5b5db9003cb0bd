// SPDX-License-Identifier: MIT
// Steps of a simulation, recorded once and replayed: a string that is plucked and swings. A replay makes the calls of a
// step without their checks, with WEFT_BIND on another string; then the recording goes through a file, as if another
// program loaded it.
//   v += (roll(y, 1) - 2 * y + roll(y, -1)) / 4;  y += v
#include <inttypes.h>
#include <stdio.h>

#include "example.h"

#define FILE_NAME "string.weft"

typedef struct string {
  weft_context *context;
  weft_array *y, *v;  // [n]: displacement and velocity of each point
  uint64_t n, steps;
} string;

// A string of zeros, plucked at one point.
static weft_status pluck(string *s, int64_t point) {
  weft_array *there = NULL;
  weft_status rc;
  WEFT_TRY(rc = weft_zeros(&s->y, s->context, WEFT_F32, WEFT_SHAPE(s->n)), done);
  WEFT_TRY(rc = weft_zeros(&s->v, s->context, WEFT_F32, WEFT_SHAPE(s->n)), done);
  WEFT_TRY(rc = weft_slice(&there, s->y, 0, point, point + 1), done);
  rc = weft_fill(there, 1);
done:
  weft_array_release(&there);
  return rc;
}

// One step. The arrays that it makes are the recording's.
static weft_status swing(string *s) {
  weft_array *left = NULL, *right = NULL;
  weft_status rc;
  WEFT_TRY(rc = weft_roll(&left, s->y, 1, 0), done);
  WEFT_TRY(rc = weft_roll(&right, s->y, -1, 0), done);
  WEFT_TRY(rc = weft_eval(&s->v, s->context, "v + (left - 2 * y + right) * f32(0.25)", WEFT_NAMED("v", s->v),
                          WEFT_NAMED("y", s->y), WEFT_VAR(left), WEFT_VAR(right)),
           done);
  rc = weft_add(&s->y, s->y, s->v);
done:
  weft_release(&left, &right);
  return rc;
}

static weft_status record_step(weft_recording **recording, string *s) {
  weft_status rc;
  WEFT_TRY(rc = weft_record_begin(s->context), done);
  WEFT_TRY(rc = swing(s), done);  // the first step: it runs, too
  rc = weft_record_end(recording);
done:
  weft_record_cancel();  // after a failure; the error stays
  return rc;
}

// The displacements add up to 1 in every step.
static weft_status tell(const char *what, const string *s) {
  float sum;
  weft_status rc = weft_sum(WEFT_HOST_OUT(&sum, WEFT_F32, WEFT_SHAPE_0D), s->y, WEFT_ALL_AXES);
  if (rc == WEFT_OK) printf("%s: %" PRIu64 " steps, displacements add up to %.3f.\n", what, s->steps, (double)sum);
  return rc;
}

int main(int argc, char **argv) {
  string s = {.n = 1000, .steps = 100}, other;
  const example_option options[] = {
      {"-n", &s.n, 4, (uint64_t)1 << 28, "points of the string"},
      {"--steps", &s.steps, 1, 1000000, "steps"},
  };
  int status = example_arguments(argc, argv, "Records a step of a swinging string and replays it.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_recording *recording = NULL, *loaded = NULL;
  weft_array *y = NULL;
  bool is_same = false;
  other = s;
  WEFT_TRY(weft_context_default(&s.context), done);
  other.context = s.context;
  WEFT_TRY(pluck(&s, 1), done);
  WEFT_TRY(record_step(&recording, &s), done);
  for (uint64_t k = 1; k < s.steps; k++) WEFT_TRY(weft_replay(recording), done);
  WEFT_TRY(tell("The recorded string", &s), done);

  WEFT_TRY(pluck(&other, 2), done);
  for (uint64_t k = 0; k < s.steps; k++)
    WEFT_TRY(weft_replay(recording, WEFT_BIND(s.y, other.y), WEFT_BIND(s.v, other.v)), done);
  WEFT_TRY(tell("Another, by WEFT_BIND", &other), done);

  WEFT_TRY(weft_recording_name(recording, s.y, "y"), done);
  WEFT_TRY(weft_recording_save(recording, FILE_NAME), done);
  WEFT_TRY(weft_recording_load(&loaded, s.context, FILE_NAME), done);
  WEFT_TRY(weft_recording_array(&y, loaded, "y"), done);
  WEFT_TRY(weft_replay(loaded), done);  // on the string as it was saved
  WEFT_TRY(weft_replay(recording), done);
  WEFT_TRY(weft_array_equal(&is_same, y, s.y), done);
  printf("A step of the string from the file: %s elements.\n", is_same ? "the same" : "other");
  status = is_same ? EXIT_SUCCESS : EXIT_FAILURE;

done:
  remove(FILE_NAME);
  weft_release(&recording, &loaded, &y, &s.y, &s.v, &other.y, &other.v);
  return example_close(&s.context, status);
}
