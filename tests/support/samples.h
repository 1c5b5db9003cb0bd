// SPDX-License-Identifier: MIT
/// Arrays of a given shape in random layouts, and checks of calls that move elements, with every form of result.
#ifndef WEFT_TESTS_SAMPLES_H
#define WEFT_TESTS_SAMPLES_H

#include "views.h"

/// A view of a base with random contents.
typedef struct sample {
  weft_dtype dtype;
  weft_array *base, *view;
  model model; /* describes the view */
  int64_t base_count;
  unsigned char *base_data, *values; /* elements of the base; elements of the view, in order */
} sample;

/// `plain`: contiguous, somewhere in a larger base. Otherwise axes in any order, with steps, flips and gaps.
void sample_make(sample *s, harness_random *random, weft_dtype dtype, weft_shape shape, bool plain);
/// Asserts that the view holds `elements` and that the rest of the base is unchanged.
void sample_check(const sample *s, const void *elements, const char *what);
void sample_release(sample *s);

/// Lengths whose product is at most `most`, occasionally 0 or 1.
weft_shape random_shape(harness_random *random, int ndim, int64_t most);
/// Usually one dtype for each size, occasionally another.
weft_dtype random_dtype(harness_random *random);
void shape_text(char *text, size_t size, weft_shape shape);

/// A call that moves elements of one operand. `source` gives, for a place of the result, the number of x's element (in
/// order), or -1 for `fill`.
typedef struct moving {
  const char *what;
  weft_shape from, to;
  const void *arguments;
  weft_status (*call)(weft_operand out, weft_operand x, const void *arguments);
  int64_t (*source)(const int64_t *place, weft_shape from, const void *arguments);
  unsigned char fill[16];
} moving;
/// Tries the call with a random layout of x. The result is a new array, an array in its own layout, x itself, or host
/// memory.
void try_moving(const moving *m, harness_random *random, weft_dtype dtype);

/// Converts a row-major number to a place, and back.
void place_of(int64_t *place, weft_shape shape, int64_t i);
int64_t number_of(const int64_t *place, weft_shape shape);

#endif
