// SPDX-License-Identifier: MIT
/// LAPACK's functions, by their Fortran names, for f32, f64, c64 and c128. The lengths of the texts come last, as
/// Fortran compilers pass them.
#ifndef WEFT_OP_LINALG_LAPACK_LIBRARY_H
#define WEFT_OP_LINALG_LAPACK_LIBRARY_H

#include "engine/host_step.h"
#include "op/linalg/lapack.h"

#define WEFT__LAPACK_TYPES 4

/// One function per dtype. Pointers to elements have no type here, since one call serves the four dtypes.
typedef struct weft__lapack_functions {
  void (*potrf[WEFT__LAPACK_TYPES])(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t);
  void (*getrf[WEFT__LAPACK_TYPES])(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info);
  void (*trsm[WEFT__LAPACK_TYPES])(const char *side, const char *uplo, const char *trans, const char *diag,
                                   const int *m, const int *n, const void *alpha, const void *t, const int *ldt,
                                   void *b, const int *ldb, size_t, size_t, size_t, size_t);
  void (*gelqf[WEFT__LAPACK_TYPES])(const int *m, const int *n, void *a, const int *lda, void *tau, void *work,
                                    const int *lwork, int *info);
  void (*orglq[WEFT__LAPACK_TYPES])(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau,
                                    void *work, const int *lwork, int *info);
  void (*geqrf[WEFT__LAPACK_TYPES])(const int *m, const int *n, void *a, const int *lda, void *tau, void *work,
                                    const int *lwork, int *info);
  void (*orgqr[WEFT__LAPACK_TYPES])(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau,
                                    void *work, const int *lwork, int *info);
  void (*syevd[2])(const char *jobz, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work,
                   const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
  void (*heevd[2])(const char *jobz, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work,
                   const int *lwork, void *rwork, const int *lrwork, int *iwork, const int *liwork, int *info, size_t,
                   size_t);
  void (*gesdd[2])(const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                   const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, int *iwork, int *info,
                   size_t);
  void (*gesdd_complex[2])(const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                           const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, void *rwork,
                           int *iwork, int *info, size_t);
  /* OpenBLAS's own; may be NULL */
  int (*get_parallel)(void);
  int (*get_threads)(void);
  void (*set_threads)(int);
} weft__lapack_functions;

/// Complete once weft__lapack_is_there has returned true.
extern weft__lapack_functions weft__lapack;

/// The place of a dtype in the tables above.
static inline int weft__lapack_type(weft_dtype dtype) {
  return dtype == WEFT_F32 ? 0 : dtype == WEFT_F64 ? 1 : dtype == WEFT_C64 ? 2 : 3;
}
static inline bool weft__lapack_is_complex(int type) {
  return type >= 2;
}

#define WEFT__LAPACK_ARRAYS 5

/// What is computed of each matrix of a batch.
typedef enum weft__lapack_work {
  WEFT__LAPACK_POTRF,
  WEFT__LAPACK_GETRF,
  WEFT__LAPACK_TRSM,
  WEFT__LAPACK_ZERO_PIVOT,
  WEFT__LAPACK_GETRS,
  WEFT__LAPACK_GELQF,
  WEFT__LAPACK_GEQRF,
  WEFT__LAPACK_SYEVD,
  WEFT__LAPACK_GESDD,
  WEFT__LAPACK_WORKS
} weft__lapack_work;

/// A call for each matrix of a batch: the task of a host step.
typedef struct weft__lapack_task {
  weft__lapack_work work;
  int type;                /* of the matrices */
  int m, n, k;             /* sizes, as the function defines them */
  bool flag;               /* the function's own */
  weft__triangle triangle; /* of a triangular solve */
  /* set by weft__lapack_each: */
  int64_t count;                           /* matrices */
  bool is_there[WEFT__LAPACK_ARRAYS];      /* the array is wanted */
  int64_t step_bytes[WEFT__LAPACK_ARRAYS]; /* from a matrix's part of it to the next one's */
} weft__lapack_task;

/// Computes one matrix; `data` are the addresses of its part of each array (NULL: not wanted). Returns 0, or a code.
typedef int weft__lapack_one(void *const *data, const weft__lapack_task *task);
weft__lapack_one weft__potrf_one, weft__getrf_one, weft__trsm_one, weft__zero_pivot_one, weft__getrs_one,
    weft__gelqf_one, weft__geqrf_one, weft__syevd_one, weft__gesdd_one;

/// An array of a batch, along its first axis.
typedef struct weft__lapack_array {
  weft_array *array; /* NULL: not wanted */
  enum { WEFT__LAPACK_IN_OUT = 0, WEFT__LAPACK_IN, WEFT__LAPACK_OUT } use;
} weft__lapack_array;

/// Calls the task's function for each matrix, in order with the device's work. `arrays`: of the first `count`. Errors:
/// UNSUPPORTED (sizes beyond LAPACK's 32-bit integers), HOST_MEMORY, and as weft__host_step.
weft_status weft__lapack_each(weft__lapack_task *task, int count, const weft__lapack_array *arrays, const char *site);

/// A code of failure beside LAPACK's, which are negative: its integers do not count the workspace.
#define WEFT__LAPACK_TOO_LARGE WEFT__HOST_REFUSED

/// The optimal length that a query of the workspace stored as an element's real part.
int weft__lapack_length(const void *element, int type);
/// The size of an element.
static inline size_t weft__lapack_bytes(int type) {
  return type == 0 ? 4 : type == 3 ? 16 : 8;
}
/// Memory for `count` elements of this type, at least one.
void *weft__lapack_new(int type, int64_t count);
/// Whether none of the elements is NaN or infinite.
bool weft__lapack_is_finite(const void *data, int type, int64_t count);
void weft__lapack_fill_nan(void *data, int type, int64_t count);
/// Stores the transposed matrix of a row-major one, whose rows are `apart` elements from each other.
void weft__lapack_turn(void *to, const void *from, int rows, int columns, int apart, int type);

#endif
