// SPDX-License-Identifier: MIT
/// Arrays of indices, and reference loops over host memory, for the suites about elements selected by indices.
#ifndef WEFT_TESTS_SELECTION_H
#define WEFT_TESTS_SELECTION_H

#include "views.h"

enum { PICKS_MOST = 4000 };

typedef struct picks {
  weft_dtype dtype;
  weft_shape shape;
  int64_t count, value[PICKS_MOST];
  unsigned char bytes[PICKS_MOST * 8];
} picks;

typedef struct around {
  int64_t outer, length, run;
} around;

void picks_store(picks *p, int64_t k, int64_t v);
void picks_make(picks *p, weft_shape shape, int64_t length, unsigned mode, harness_random *random);
weft_array *picks_upload(const picks *p);
int64_t picks_resolve(int64_t v, int64_t length, unsigned mode);
around around_of(weft_shape shape, int axis);
int64_t around_place(const around *a, int64_t e, const picks *p, int64_t count, bool along, unsigned mode);
const char *picks_describe(char *text, size_t size, const char *what, weft_dtype dtype, layout kind, int axis,
                           const picks *p, unsigned mode);

#endif
