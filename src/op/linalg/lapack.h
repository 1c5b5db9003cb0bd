// SPDX-License-Identifier: MIT
/// The way `lapack` of the steps (steps.h): a LAPACK library on the host. Arguments and results are the steps'; no
/// matrix is empty.
///
/// LAPACK's matrices are column-major: it sees the transposed matrix in the memory of a row-major one. lapack_*.c call
/// the functions that solve the transposed problem, where there is one, so that nothing is copied.
#ifndef WEFT_OP_LINALG_LAPACK_H
#define WEFT_OP_LINALG_LAPACK_H

#include "op/linalg/steps.h"

/// The step of all functions below.
extern const struct weft__host_function weft__host_lapack;

/// Whether there is a LAPACK that WEFT_ENGINE allows.
bool weft__lapack_is_there(void);

weft_status weft__lapack_potrf(weft_array *a, weft_array *info, const char *site);
weft_status weft__lapack_getrf(weft_array *a, weft_array *pivots, weft_array *info, const char *site);
weft_status weft__lapack_zero_pivot(weft_array *info, const weft_array *t, const char *site);
weft_status weft__lapack_getrs(weft_array *b, const weft_array *lu, const weft_array *pivots, const char *site);
weft_status weft__lapack_trsm(weft_array *b, const weft_array *t, weft__triangle triangle, const char *site);
weft_status weft__lapack_geqrf(weft_array *q, weft_array *r, weft_array *a, const char *site);
weft_status weft__lapack_syevd(weft_array *w, weft_array *a, bool wants_vectors, weft_array *info, const char *site);
weft_status weft__lapack_gesdd(weft_array *u, weft_array *s, weft_array *vh, weft_array *a, weft_array *info,
                               const char *site);

#endif
