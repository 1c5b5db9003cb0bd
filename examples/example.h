// SPDX-License-Identifier: MIT
// What the examples share: leaving at the first failure, the command line, a clock, and Python's way to write a float.
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

// Declared because the tests rename main (-Dmain=...) to run an example inside a program of theirs.
int main(int argc, char **argv);

// The path of an example's kernel file: in the directory that the build defines, else in the current one.
#ifndef EXAMPLE_KERNELS
#define EXAMPLE_KERNELS ""
#endif
#define EXAMPLE_KERNEL(name) EXAMPLE_KERNELS name

// An example has one exit, its label `done`, where everything is released: WEFT_TRY(call, done) goes there when a Weft
// call fails, and example_close says why. REQUIRE goes there when anything else fails, and says why itself.
#define REQUIRE(condition, ...)               \
  do {                                        \
    if (!(condition)) {                       \
      fprintf(stderr, "error: " __VA_ARGS__); \
      fputc('\n', stderr);                    \
      weft_error_clear();                     \
      goto done;                              \
    }                                         \
  } while (0)

// Prints the last failed Weft call's error, where there is one, and returns the exit status 1.
int example_failed(void);

// Says what failed, closes *context, which tells whether anything was forgotten, and returns the example's exit status:
// `status`, or 1 when closing fails.
int example_close(weft_context **context, int status);

// An option with a number. `value` holds the default and receives what the user gave.
typedef struct example_option {
  const char *name;  // "--iterations"
  uint64_t *value;
  uint64_t least, most;
  const char *help;
} example_option;

// Reads the command line; numbers may be written as 1024 or 2^10. Returns -1 when the example shall run, else its exit
// status: 0 after --help, 2 after wrong usage.
int example_arguments(int argc, char **argv, const char *purpose, const example_option *options, size_t option_count);

// numba's cuda.select_device(number), for an example that can also do without. Where there is no such device, or it is
// of another type than the best one, that is said and the choice stays as it was; so it does where the environment's
// WEFT_DEVICE has made it. *selected may be NULL.
weft_status example_select_device(bool *selected, uint64_t number);

// Seconds on a clock that only goes forward.
double example_clock_s(void);

// Python's repr() of a float: the fewest digits that read back as the same double. (For a few powers of two Python
// finds one digit less.)
#define EXAMPLE_REPR_SIZE 32
const char *example_repr(char text[EXAMPLE_REPR_SIZE], double value);

#endif
