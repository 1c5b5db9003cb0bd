// SPDX-License-Identifier: MIT
// Shared by the examples: the exit at the first failure, the command line, a clock, and Python's float format.
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

// Declared because the tests rename main (-Dmain=...) to run an example inside their own program.
int main(int argc, char **argv);

// The path of an example's kernel file: in the directory that the build defines, otherwise in the current one.
#ifndef EXAMPLE_KERNELS
#define EXAMPLE_KERNELS ""
#endif
#define EXAMPLE_KERNEL(name) EXAMPLE_KERNELS name

// An example has one exit, its label `done`, where everything is released. WEFT_TRY(call, done) goes there when a Weft
// call fails; example_close then prints the error. REQUIRE goes there when anything else fails, and prints its own
// message.
#define REQUIRE(condition, ...)               \
  do {                                        \
    if (!(condition)) {                       \
      fprintf(stderr, "error: " __VA_ARGS__); \
      fputc('\n', stderr);                    \
      weft_error_clear();                     \
      goto done;                              \
    }                                         \
  } while (0)

// Prints the error of the last failed Weft call, if any, and returns the exit status 1.
int example_failed(void);

// Prints any failure, closes *context, which reports anything left unreleased, and returns the example's exit status:
// `status`, or 1 if closing fails.
int example_close(weft_context **context, int status);

// An option. `value` is the address of a uint64_t, which holds the default and receives the user's number. If `most` is
// 0, it is the address of a const char *, which receives the name of a file.
typedef struct example_option {
  const char *name;  // "--iterations"
  void *value;
  uint64_t least, most;
  const char *help;
} example_option;

// Reads the command line; numbers may be written as 1024 or 2^10. Returns -1 if the example should run, otherwise its
// exit status: 0 after --help, 2 after wrong usage.
int example_arguments(int argc, char **argv, const char *purpose, const example_option *options, size_t option_count);

// numba's cuda.select_device(number), for an example that can also run without it. The selection stays unchanged, with
// a message, if there is no such device or its type differs from the best one's, or if WEFT_DEVICE in the environment
// selects a device. *selected may be NULL.
weft_status example_select_device(bool *selected, uint64_t number);

// Seconds on a monotonic clock.
double example_clock_s(void);

// Python's repr() of a float: the fewest digits that read back as the same double. (For a few powers of two Python
// prints one digit less.)
#define EXAMPLE_REPR_SIZE 32
const char *example_repr(char text[EXAMPLE_REPR_SIZE], double value);

#endif
