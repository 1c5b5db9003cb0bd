// SPDX-License-Identifier: MIT
/// Inside libweft-mpi: kernels of its own, which a grid keeps: to ask the context again means to read the source again.
#ifndef WEFT_DIST_KERNELS_H
#define WEFT_DIST_KERNELS_H

#include "dist/grid.h"

struct weft__dist_kernel {
  const char *name;
  uint64_t variant;
  weft_kernel *kernel;
  weft_dim3 block; /* that it requires, or 1 */
  weft__dist_kernel *next;
};

/// The kernel that was added; NULL: none. `variant`: which macros its text has, as its caller numbers them.
const weft__dist_kernel *weft__dist_kernel_find(const weft_dist *grid, const char *name, uint64_t variant);
/// Builds one. `params->name` is kept.
weft_status weft__dist_kernel_add(const weft__dist_kernel **out, weft_dist *grid, uint64_t variant,
                                  const weft_kernel_params *params);

/// OpenCL C's type of the elements; NULL: narrow floats.
const char *weft__dist_type_of(weft_dtype dtype);

/// What sort/key.clh must know of real numbers that have such a type: the macros ELEMENT, SORT_KEY_BYTES and SORT_KIND,
/// and the argument flip_top of its functions.
enum { WEFT__DIST_KEY_MACROS = 3, WEFT__DIST_MACRO_BYTES = 32 };
void weft__dist_key_macros(char text[][WEFT__DIST_MACRO_BYTES], weft_dtype dtype);
uint32_t weft__dist_key_flip(weft_dtype dtype);

#endif
