// SPDX-License-Identifier: MIT
/// Arrays of a given shape in random layouts, and calls that move elements tried on them: the result in every form it
/// can be asked for.
#ifndef WEFT_TESTS_SAMPLES_H
#define WEFT_TESTS_SAMPLES_H

#include "views.h"

/// A view of a base with random contents.
typedef struct sample {
  weft_dtype dtype;
  weft_array *base, *view;
  model model; /* of the view */
  int64_t base_count;
  unsigned char *base_data, *values; /* elements: of the base; of the view, in order */
} sample;

/// `plain`: contiguous, at some place of a larger base. Else axes in any order, steps, flips and gaps.
void sample_make(sample *s, harness_random *random, weft_dtype dtype, weft_shape shape, bool plain);
/// The base is as it was but for the view, which holds these elements.
void sample_check(const sample *s, const void *elements, const char *what);
void sample_release(sample *s);

/// Lengths whose product is at most `most`, now and then 0 or 1.
weft_shape random_shape(harness_random *random, int ndim, int64_t most);
/// A dtype of each size, the others now and then.
weft_dtype random_dtype(harness_random *random);
void shape_text(char *text, size_t size, weft_shape shape);

/// A call that moves elements of one operand: `source` says which of x's (in order) is at a place of the result; -1
/// where `fill` is.
typedef struct moving {
  const char *what;
  weft_shape from, to;
  const void *arguments;
  weft_status (*call)(weft_operand out, weft_operand x, const void *arguments);
  int64_t (*source)(const int64_t *place, weft_shape from, const void *arguments);
  unsigned char fill[16];
} moving;
/// Tries it with a random layout of x, and the result made, given in a layout of its own, x itself, or in host memory.
void try_moving(const moving *m, harness_random *random, weft_dtype dtype);

/// A place in row-major order, and back.
void place_of(int64_t *place, weft_shape shape, int64_t i);
int64_t number_of(const int64_t *place, weft_shape shape);

#endif
