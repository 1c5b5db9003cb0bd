// SPDX-License-Identifier: MIT
/// Regions of an image, with the names and results of scipy.ndimage: connected components, and distances to the
/// background.
///
///     rc = weft_label(&labels, mask, .count = &count);
///     rc = weft_distance_transform(&distance, mask);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_REGIONS_H
#define WEFT_REGIONS_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* x is real; its nonzero elements are the regions, its zeros the background. WEFT_ERROR_DTYPE: complex.
   WEFT_ERROR_SHAPE: 2^31 elements or more. Results are new arrays, or given ones as for all functions. */

/// Options of weft_label.
typedef struct weft_label_params {
  const weft_array *structure; /* 3 along each axis, symmetric: which neighbours touch; default those along the axes */
  weft_array **count;          /* also the number of regions, an i64 without axes */
  const char *site;            /* set by the macro */
} weft_label_params;
/// scipy.ndimage.label: numbers the connected regions from 1 on, in the order of their first elements, as i32; the
/// background is 0. Four launches and a scan, which link the elements in a forest (union-find, Komura 2015) whatever
/// the regions' shapes; on CPU devices the host may do it. The call waits for the structure.
/// WEFT_ERROR_SHAPE, WEFT_ERROR_ARGUMENT: of the structure.
WEFT_API WEFT_NODISCARD weft_status weft_label(weft_array **out, const weft_array *x, const weft_label_params *params);

/// Options of weft_distance_transform.
typedef struct weft_distance_params {
  const weft_array *sampling; /* the distance of neighbours along each axis, positive; default 1 */
  weft_array **indices;       /* also the nearest zeros' indices: i32, an axis for x's axes in front of x's */
  const char *site;           /* set by the macro */
} weft_distance_params;
/// scipy.ndimage.distance_transform_edt: each element's Euclidean distance to the nearest zero, exact, as f64 (without
/// fp64 f32); of several nearest zeros any one is taken. A pass along each axis, by lower envelopes of parabolas
/// (Felzenszwalb and Huttenlocher 2012), on GPUs by bounded searches. Without a zero distances are infinite and indices
/// -1. Waits for the sampling. WEFT_ERROR_ARGUMENT, WEFT_ERROR_SHAPE: of the sampling.
WEFT_API WEFT_NODISCARD weft_status weft_distance_transform(weft_array **out, const weft_array *x,
                                                            const weft_distance_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__label_at(weft_operand out, weft_operand x, const weft_label_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__distance_transform_at(weft_operand out, weft_operand x,
                                                                const weft_distance_params *params);

#define weft_label(out, ...)                                                 \
  weft__label_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                 WEFT__OPTIONS(weft_label_params, __VA_ARGS__))
#define weft_distance_transform(out, ...)                                                 \
  weft__distance_transform_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                              WEFT__OPTIONS(weft_distance_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
