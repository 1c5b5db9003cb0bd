// SPDX-License-Identifier: MIT
/// Shared by the drivers: reading files of cases (record.py describes them), the arrays and memory of a case, and
/// comparing results with NumPy's.
#ifndef WEFT_TESTS_JUDGE_CASES_H
#define WEFT_TESTS_JUDGE_CASES_H

#include <stdint.h>
#include <weft/weft.h>

/* ---- compare.c: when two elements agree ---- */

/// The allowed difference from NumPy's result. Integers and bools must be equal; NaN equals NaN with any bits.
typedef struct tolerance {
  float ulps;      /* of the result's dtype; for complex numbers, of the larger part */
  bool any_zero;   /* 0 and -0 are equal */
  double absolute; /* a difference that is always allowed */
} tolerance;

/// Whether an element is as expected. *ulps is the difference, or 0 if it is within `absolute` or not a difference of
/// numbers.
bool same_value(weft_dtype dtype, const void *expected, const void *got, const tolerance *allowed, double *ulps);
void value_text(char *text, size_t room, weft_dtype dtype, const void *value);

/// Records and prints the largest differences of each function and dtype. `function` is a function_number.
void worst_note(int function, weft_dtype dtype, double ulps);
void worst_print(void);

/* ---- cases.c ---- */

enum { MAX_STORAGES = 24, MAX_RESULTS = 8, MAX_OPERANDS = 16, MAX_FUNCTIONS = 512 };
typedef enum place_kind { PLACE_NEW, PLACE_VIEW, PLACE_SCALAR, PLACE_HOST, PLACE_HOST_RESULT } place_kind;

typedef struct storage {
  weft_dtype dtype;
  uint32_t count;
  int64_t kept;   /* the number of an existing array of a chain; -1: made for this call */
  uint8_t *bytes; /* contents before the call; NULL for a kept array */
  weft_array *array;
} storage;

typedef struct place {
  place_kind kind;
  int storage;
  weft_dtype dtype;
  weft_scalar scalar;
  weft_shape shape;
  weft_array *view;
  void *host;
} place;

typedef struct test_case {
  char name[32], label[160];
  int function; /* function_number of the name */
  int status;   /* the expected status */
  bool needs_fp64, skipped, failed;
  int results, operands, storages;
  tolerance tolerance[MAX_RESULTS];
  storage storage[MAX_STORAGES];
  place result[MAX_RESULTS], operand[MAX_OPERANDS];
} test_case;

/// The options, state and counts of the program.
typedef struct judge_state {
  weft_context *context;
  bool has_fp64;
  const char *only;
  bool partial; /* some functions have no cases */
  long every, phase;
  bool may_fail;                        /* OpenCL calls are made to fail: an array that cannot be made is no failure */
  weft_array *(*kept)(uint32_t number); /* borrowed; NULL: does not exist */
  long cases, elements, refused, failures;
} judge_state;
extern judge_state judge;

/// One of the programs: its file format, and its functions for cases.
typedef struct judge_program {
  const char *magic; /* 8 characters */
  void (*run)(int kind);
  void (*finish)(void); /* before the context is closed */
  /* describes a case at one element of a result of this shape (NULL: of a storage), for a message */
  void (*describe)(const test_case *t, const weft_shape *shape, int64_t element, char *text, size_t room);
} judge_program;
int judge_main(int argc, char **argv, const judge_program *program);
/// Makes judge.context, or a new one if it was lost or closed. Returns 0, or an exit status.
int judge_open(void);

void fail(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// A small number for each name, from 0.
int function_number(const char *name);
const char *function_name(int number);

const void *take(size_t bytes);
uint8_t read_u8(void);
uint32_t read_u32(void);
int64_t read_i64(void);
float read_f32(void);
double read_f64(void);
void read_text(char *text, size_t room);
weft_shape read_shape(void);

/// Whether the device has arrays of this dtype.
bool has_dtype(weft_dtype dtype);
/// Whether a device without f64 may return this status.
bool is_no_fp64(weft_status rc);

/// Reads results, operands and storages, in the numbers t->results, t->operands and t->storages; sets `t->skipped` if
/// the device has no such arrays.
void read_places(test_case *t);
/// Operand `k` and result `k` as passed to the call.
weft_operand operand_of(const test_case *t, int k);
weft_operand result_of(test_case *t, int k);
/// Compares one result with the file's. For a given place, compares all of its storage, so that stray writes are found.
/// For a chain's arrays, compares the dtype and the shape.
void check_result(test_case *t, int k);
/// Compares `count` elements of result k. `shape`: to describe the operands at an element; NULL: not described.
void compare_elements(test_case *t, int k, weft_dtype dtype, const weft_shape *shape, const uint8_t *expected,
                      const uint8_t *got, int64_t count);
void free_case(test_case *t);

#endif
