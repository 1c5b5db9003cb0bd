// SPDX-License-Identifier: MIT
/// Arrays over several processes: MPI's ranks, each with one device. In the library libweft-mpi (pkg-config: weft-mpi).
///
///     MPI_Init(&argc, &argv);
///     rc = weft_dist_create(&grid, MPI_COMM_WORLD);
///     rc = weft_dist_uniform(&x, grid, rng, WEFT_F32, WEFT_SHAPE(n, 3), 0, 1);      rows n r / p to n (r + 1) / p
///     rc = weft_dist_eval(&y, grid, "sqrt(x) * k", WEFT_DIST_VAR(x), WEFT_DIST_VAR(k));
///     rc = weft_dist_sum(&total, y, WEFT_ALL_AXES);                                 on every rank, the same bits
///     weft_array *mine = weft_dist_local(y);                                        this rank's rows: a plain array
///
/// A result has the same bits for every number of ranks of devices of one kind.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_DIST_H
#define WEFT_DIST_H

#include <mpi.h>
#include <weft/weft.h>

WEFT_BEGIN_DECLS

/* ---- all functions ----
   Functions with a grid or a distributed array are collective: all ranks call them in the same order, with the same
   arguments except for arrays. Before ranks exchange data they compare what they are about to do. If they differ, if a
   rank failed, or if one does not come within the time limit, all ranks return an error that names ranks, calls and
   places in the source: WEFT_ERROR_DIST, or the status of the rank that failed. After a time limit the grid can no
   longer be used (WEFT_ERROR_LOST), nor after the death of a rank, which an MPI with fault tolerance (ULFM) tells the
   others at once. No function ends the program.

   A grid and its arrays belong to one thread at a time; MPI_THREAD_FUNNELED is enough. Release them before
   MPI_Finalize. `*out` must be NULL or, where a function says so, an array of the result's shape, dtype and split. */

/// The ranks of a communicator, each with a context.
typedef struct weft_dist weft_dist;
/// An array that is split along one axis: rank r of p has the rows from n r / p to n (r + 1) / p - 1.
typedef struct weft_dist_array weft_dist_array;

/// The axis of an array that is not split: every rank has all of it.
#define WEFT_DIST_WHOLE (-1)

/// Options of weft_dist_create.
typedef struct weft_dist_params {
  weft_context *context; /* this rank's; NULL: a new one */
  const char *device;    /* of a new context, as weft_device_find; the ranks of a host take the devices that match it in
                            turns. NULL: WEFT_DEVICE, else the devices of the best kind */
  double timeout_s;      /* how long a rank waits for the others; 0: WEFT_DIST_TIMEOUT, else 300 */
  bool checks_off;  /* as WEFT_DIST_CHECKS=0: calls without files are not compared, and a failed rank leaves the others
                       waiting in them */
  const char *site; /* set by the macro */
} weft_dist_params;

/// Makes a grid of the communicator's ranks, on a duplicate of it; weft_dist_create(&grid) takes MPI_COMM_WORLD. *out
/// must be NULL. Errors: WEFT_ERROR_ARGUMENT (MPI is not initialised, or finalized; no communicator), WEFT_ERROR_DIST
/// (MPI failed; a rank does not come), WEFT_ERROR_LOST (a rank has died), others as weft_context_create.
WEFT_API WEFT_NODISCARD weft_status weft_dist_create(weft_dist **out, MPI_Comm comm, const weft_dist_params *params);
/// Drops a reference and sets *grid to NULL; NULL is allowed. Arrays hold their grid. The last reference waits for no
/// other rank; with the transport `nccl` it waits until all ranks release theirs, at most the time limit.
WEFT_API void weft_dist_release(weft_dist **grid);

/// A grid as one of its ranks sees it.
typedef struct weft_dist_info {
  int rank, ranks;
  int host_rank, host_ranks; /* among the ranks of this host */
  char host[64];
  char device[128];
  weft_context *context; /* borrowed */
  char mpi[96];          /* the MPI library and its version */
  const char *transport; /* how arrays are exchanged: "host memory", "pinned staging" ... (guide, section 15) */
} weft_dist_info;

/// Describes the grid. Not collective.
WEFT_API WEFT_NODISCARD weft_status weft_dist_get(weft_dist_info *info, const weft_dist *grid);

/* ---- arrays ---- */

/// A distributed array as one rank sees it.
typedef struct weft_dist_array_info {
  weft_dtype dtype;
  weft_shape shape; /* of the whole array */
  int axis;         /* along which it is split, or WEFT_DIST_WHOLE */
  int64_t first;    /* this rank's first row along `axis` */
  int64_t count;    /* of this rank's rows */
  weft_dist *grid;  /* borrowed */
} weft_dist_array_info;

/// Describes an array. Not collective.
WEFT_API WEFT_NODISCARD weft_status weft_dist_array_get(weft_dist_array_info *info, const weft_dist_array *x);
/// This rank's part: a plain contiguous array, borrowed, which all functions of Weft take; what is written there is in
/// `x`. NULL if x is NULL. Not collective.
WEFT_API weft_array *weft_dist_local(const weft_dist_array *x);
/// Releases an array and sets *x to NULL; NULL is allowed. Not collective.
WEFT_API void weft_dist_array_release(weft_dist_array **x);

/// Makes an array filled with `value`, split along `axis` (WEFT_DIST_WHOLE: not split). *out must be NULL.
WEFT_API WEFT_NODISCARD weft_status weft_dist_full(weft_dist_array **out, weft_dist *grid, weft_dtype dtype,
                                                   weft_shape shape, int axis, weft_scalar value);
/// numpy.arange with whole numbers: start, start + step, ..., below `stop` (above it if step is negative), split.
WEFT_API WEFT_NODISCARD weft_status weft_dist_arange(weft_dist_array **out, weft_dist *grid, weft_dtype dtype,
                                                     int64_t start, int64_t stop, int64_t step);
/// Joins the ranks' arrays `local` along `axis` in the order of the ranks; they may have any lengths there, also 0.
/// Rows move to the ranks that have them by the rule above. *out must be NULL. WEFT_ERROR_DIST: dtypes or other lengths
/// differ.
WEFT_API WEFT_NODISCARD weft_status weft_dist_from_local(weft_dist_array **out, weft_dist *grid,
                                                         const weft_array *local, int axis);
/// Splits the array of rank `root` along `axis`; the other ranks' `x` is not read, and may be NULL. *out must be NULL.
WEFT_API WEFT_NODISCARD weft_status weft_dist_scatter(weft_dist_array **out, weft_dist *grid, const weft_array *x,
                                                      int root, int axis);
/// Collects the whole array on rank `root`, where *out must be NULL; the other ranks' *out stays NULL.
WEFT_API WEFT_NODISCARD weft_status weft_dist_gather(weft_array **out, const weft_dist_array *x, int root);
/// A copy that is split along another axis, or that every rank has whole (WEFT_DIST_WHOLE). *out must be NULL.
WEFT_API WEFT_NODISCARD weft_status weft_dist_resplit(weft_dist_array **out, const weft_dist_array *x, int axis);

/* ---- element by element ---- */

/// weft_eval over distributed arrays, arrays that every rank has whole (also plain ones), and scalars: WEFT_DIST_VAR
/// and WEFT_DIST_NAMED. Shapes broadcast as in NumPy. Split operands must be split along the same axis of the result
/// (WEFT_ERROR_LAYOUT names the weft_dist_resplit that helps); no data moves. Without a split operand the result is
/// whole. A given result is written in place. `i`, `n`, `i0`, ... count in the whole array.
WEFT_API WEFT_NODISCARD weft_status weft_dist_eval(weft_dist_array **out, weft_dist *grid, const char *text,
                                                   int variable_count, const weft_operand *variables);

/* ---- reductions ----
   Along axes among which the split one is, the result is whole: every rank has it. Otherwise it is split as before.
   Dtypes and shapes are as in weft/reduce.h. Float sums and products are grouped by the position of
   the elements alone, f32 and narrower floats in f64: neither the number of ranks nor the device changes them. */

/// The sum, the product, the greatest and the least element.
WEFT_API WEFT_NODISCARD weft_status weft_dist_sum(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_dist_prod(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_dist_max(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_dist_min(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
/// The mean: f64 of integers and bool, else x's dtype.
WEFT_API WEFT_NODISCARD weft_status weft_dist_mean(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
/// The index of the first greatest or least element, i64: along one axis, or in the whole array in row-major order
/// (WEFT_ALL_AXES). A NaN counts as the greatest and as the least. WEFT_ERROR_SHAPE: no elements.
WEFT_API WEFT_NODISCARD weft_status weft_dist_argmax(weft_dist_array **out, const weft_dist_array *x, weft_axes axis);
WEFT_API WEFT_NODISCARD weft_status weft_dist_argmin(weft_dist_array **out, const weft_dist_array *x, weft_axes axis);
/// The like without the elements that are NaN; -1 where all are. WEFT_ERROR_DTYPE: complex numbers.
WEFT_API WEFT_NODISCARD weft_status weft_dist_nanargmax(weft_dist_array **out, const weft_dist_array *x,
                                                        weft_axes axis);
WEFT_API WEFT_NODISCARD weft_status weft_dist_nanargmin(weft_dist_array **out, const weft_dist_array *x,
                                                        weft_axes axis);

/// Whether any element is nonzero, whether all are, and how many are.
WEFT_API WEFT_NODISCARD weft_status weft_dist_any(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_dist_all(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_dist_count_nonzero(weft_dist_array **out, const weft_dist_array *x,
                                                            weft_axes axes);
/// The variance and its square root, with `ddof` as in NumPy: f64 of integers and bool, else x's dtype. They need
/// memory for the squares in f64. WEFT_ERROR_DTYPE: complex numbers.
WEFT_API WEFT_NODISCARD weft_status weft_dist_var(weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                                                  const weft_var_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_dist_std(weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                                                  const weft_var_params *params);
/// The greatest element minus the least, in x's dtype.
WEFT_API WEFT_NODISCARD weft_status weft_dist_ptp(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
/// The like without the elements that are NaN; where all are, the extrema, the mean and the variance are NaN. They need
/// memory for a copy of x, the last three for the numbers in f64. WEFT_ERROR_DTYPE: complex numbers.
WEFT_API WEFT_NODISCARD weft_status weft_dist_nansum(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_dist_nanprod(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_dist_nanmax(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_dist_nanmin(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_dist_nanmean(weft_dist_array **out, const weft_dist_array *x, weft_axes axes);
WEFT_API WEFT_NODISCARD weft_status weft_dist_nanvar(weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                                                     const weft_var_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_dist_nanstd(weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                                                     const weft_var_params *params);

/* ---- running sums ---- */

/// Options of scans.
typedef struct weft_dist_scan_params {
  bool exclusive;   /* element i combines those before i; the first is neutral, as in weft/scan.h */
  const char *site; /* set by the macros */
} weft_dist_scan_params;
/// numpy.cumsum along one axis. Float sums are grouped by position, as above.
WEFT_API WEFT_NODISCARD weft_status weft_dist_cumsum(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                                     const weft_dist_scan_params *params);
/// numpy.cumprod, grouped likewise, and numpy.maximum.accumulate and minimum.accumulate, in x's dtype.
WEFT_API WEFT_NODISCARD weft_status weft_dist_cumprod(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                                      const weft_dist_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_dist_cummax(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                                     const weft_dist_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_dist_cummin(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                                     const weft_dist_scan_params *params);

/* ---- products of matrices ---- */

/// a @ b of matrices, split in any way; the result is split by rows, or whole if both are. Dtypes as in weft_matmul.
/// Float sums are grouped by position; of f16 and bf16 they are in f32. A rank has its rows of `a` and of the result,
/// and a panel of `b` at a time. WEFT_ERROR_SHAPE: inner lengths differ. WEFT_ERROR_DTYPE: bool.
WEFT_API WEFT_NODISCARD weft_status weft_dist_matmul(weft_dist_array **out, const weft_dist_array *a,
                                                     const weft_dist_array *b);

/* ---- sorting ---- */

/// Sorts an array of one axis, or along an axis that is not split, as weft_sort. Each rank gets its share of the
/// result, also of equal elements. With .descending the elements move once or twice more.
WEFT_API WEFT_NODISCARD weft_status weft_dist_sort(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                                   const weft_sort_params *params);
/// The indices that sort an array of one axis, i64; equal elements keep their order.
WEFT_API WEFT_NODISCARD weft_status weft_dist_argsort(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                                      const weft_sort_params *params);

/// The `k` largest (.smallest: least) elements of an array of one axis and their indices, as weft_topk: whole arrays.
WEFT_API WEFT_NODISCARD weft_status weft_dist_topk(weft_dist_array **values_out, weft_dist_array **indices_out,
                                                   const weft_dist_array *x, int64_t k, const weft_topk_params *params);

/* ---- selection and counts ----
   Arrays of one axis are split (WEFT_ERROR_LAYOUT). Each rank gets its share of the result. */

/// Options of weft_dist_compress and weft_dist_take.
typedef struct weft_dist_axis_params {
  int axis;         /* of x; if x is not split along it, each rank holds all of `mask` or `indices` for a while */
  const char *site; /* set by the macros */
} weft_dist_axis_params;

/// The rows of x where `mask` (bool, one axis) is true, in their order: numpy.compress(mask, x, axis). Split as x.
WEFT_API WEFT_NODISCARD weft_status weft_dist_compress(weft_dist_array **out, const weft_dist_array *mask,
                                                       const weft_dist_array *x, const weft_dist_axis_params *params);
/// The distinct elements of an array of one axis, sorted, as weft_unique.
WEFT_API WEFT_NODISCARD weft_status weft_dist_unique(weft_dist_array **out, const weft_dist_array *x);
/// numpy.take(x, indices, axis): rows by their index in the whole array, from any rank. `indices` has one axis and an
/// integer dtype; negative ones count from the end. Split as x. WEFT_ERROR_INDEX: an index is out of range; nothing is
/// made.
WEFT_API WEFT_NODISCARD weft_status weft_dist_take(weft_dist_array **out, const weft_dist_array *x,
                                                   const weft_dist_array *indices, const weft_dist_axis_params *params);
/// Counts of `bins` equal bins from `low` to `high`, i64, on every rank: weft_histogram with .range. x has any shape,
/// split along any axis or none.
WEFT_API WEFT_NODISCARD weft_status weft_dist_histogram(weft_dist_array **out, const weft_dist_array *x, int64_t bins,
                                                        double low, double high);
/// How often each number from 0 on is there, at least `minlength` counts, i64, on every rank: numpy.bincount. x has any
/// shape, split along any axis or none.
WEFT_API WEFT_NODISCARD weft_status weft_dist_bincount(weft_dist_array **out, const weft_dist_array *x,
                                                       int64_t minlength);

/* ---- neighbours ---- */

/// What stands beyond the ends of an array.
typedef enum weft_dist_border {
  WEFT_DIST_ZERO = 0, /* zeros */
  WEFT_DIST_WRAP,     /* the other end */
  WEFT_DIST_EDGE,     /* the last row again */
} weft_dist_border;

/// Options of weft_dist_halo.
typedef struct weft_dist_halo_params {
  int64_t width; /* rows on either side; 0: 1 */
  weft_dist_border border;
  bool edges_only;  /* the result has the neighbours' rows alone: 2 width rows, those before first */
  const char *site; /* set by the macros */
} weft_dist_halo_params;

/// This rank's rows with `width` rows of its neighbours on either side along the split axis: a plain array of count + 2
/// width rows. With `.edges_only` x is not copied: the inside is computed from weft_dist_local, the first and the last
/// rows with these. *out must be NULL, or such an array, which is written. A rank without rows gets 0 rows.
/// WEFT_ERROR_SHAPE: a rank has fewer rows than `width`, but some.
WEFT_API WEFT_NODISCARD weft_status weft_dist_halo(weft_array **out, const weft_dist_array *x,
                                                   const weft_dist_halo_params *params);

/// A halo exchange under way.
typedef struct weft_dist_exchange weft_dist_exchange;

/// weft_dist_halo in two halves, so that the inside can be computed while the neighbours' rows travel. *out has this
/// rank's rows in the middle at once; the rows around them come with weft_dist_halo_end and must not be used before.
/// x may be written or released meanwhile. Every exchange must be ended, on all ranks. *exchange must be NULL. Until
/// then the grid exchanges no other arrays (WEFT_ERROR_ARGUMENT); expressions and what stays on a rank are possible.
WEFT_API WEFT_NODISCARD weft_status weft_dist_halo_begin(weft_dist_exchange **exchange, weft_array **out,
                                                         const weft_dist_array *x, const weft_dist_halo_params *params);
/// Waits for the neighbours' rows, and sets *exchange to NULL, also on failure.
WEFT_API WEFT_NODISCARD weft_status weft_dist_halo_end(weft_dist_exchange **exchange);

/* ---- text ---- */

/// Prints the whole array on rank 0, as weft_array_print prints it on one device; `stream` of the other ranks is not
/// used. Of a summarised array only the elements that are shown move. WEFT_ERROR_FILE: `stream` cannot be written.
WEFT_API WEFT_NODISCARD weft_status weft_dist_array_print(FILE *stream, const weft_dist_array *x,
                                                          const weft_print_params *params);
/// The text of weft_dist_array_print, without a newline at the end, on rank 0, which frees it with weft_free. *text
/// must be NULL, and stays NULL on other ranks.
WEFT_API WEFT_NODISCARD weft_status weft_dist_array_to_text(char **text, const weft_dist_array *x,
                                                            const weft_print_params *params);

/* ---- files ---- */

/// Options of weft_dist_load.
typedef struct weft_dist_load_params {
  int64_t first;    /* of the rows to read: indices of the file's first axis */
  int64_t count;    /* of the rows; 0: all from `first` on */
  const char *site; /* set by the macro */
} weft_dist_load_params;

/// Reads a .npy file, or some of its rows, each rank its part; split along `axis`. *out must be NULL. Errors: as
/// weft_npy_load, on all ranks; WEFT_ERROR_INDEX (the file has fewer rows).
WEFT_API WEFT_NODISCARD weft_status weft_dist_load(weft_dist_array **out, weft_dist *grid, const char *file, int axis,
                                                   const weft_dist_load_params *params);
/// Writes a .npy file, each rank its part. The new file replaces the old one when all of it is on the disk; on failure
/// the old one is unchanged. WEFT_ERROR_FILE.
WEFT_API WEFT_NODISCARD weft_status weft_dist_save(const char *file, const weft_dist_array *x);

/* ---- checkpoints ---- */

/// A part of a checkpoint: a name of letters, digits, `-` and `_`, and one of the other members.
typedef struct weft_dist_item {
  const char *name;
  weft_dist_array **array; /* saved: the array; loaded: must be NULL, gets the array, split as it was */
  weft_rng *rng;           /* its state */
  int64_t *integer;        /* saved: rank 0's number */
  double *number;          /* likewise */
} weft_dist_item;

/// Saves a program's state in a folder, which is made if need be: checkpoint.json, and a .npy file for each array. The
/// new checkpoint replaces the old one when all of it is on the disk: after a failure, or the death of a rank, the
/// folder has one of the two. Errors: WEFT_ERROR_FILE.
WEFT_API WEFT_NODISCARD weft_status weft_dist_checkpoint_save(const char *folder, weft_dist *grid,
                                                              const weft_dist_item *items, int count);
/// Loads what weft_dist_checkpoint_save saved, with any number of ranks: with the same list of items, or with some of
/// them. Nothing is written if an item is missing or differs in kind. Errors: WEFT_ERROR_FILE (no checkpoint; damaged),
/// WEFT_ERROR_ARGUMENT (no such item).
WEFT_API WEFT_NODISCARD weft_status weft_dist_checkpoint_load(const char *folder, weft_dist *grid,
                                                              const weft_dist_item *items, int count);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__dist_create_at(weft_dist **out, MPI_Comm comm,
                                                         const weft_dist_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_full_at(weft_dist_array **out, weft_dist *grid, weft_dtype dtype,
                                                       weft_shape shape, int axis, weft_scalar value, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_arange_at(weft_dist_array **out, weft_dist *grid, weft_dtype dtype,
                                                         int64_t start, int64_t stop, int64_t step, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_from_local_at(weft_dist_array **out, weft_dist *grid,
                                                             const weft_array *local, int axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_scatter_at(weft_dist_array **out, weft_dist *grid, const weft_array *x,
                                                          int root, int axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_gather_at(weft_array **out, const weft_dist_array *x, int root,
                                                         const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_resplit_at(weft_dist_array **out, const weft_dist_array *x, int axis,
                                                          const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_eval_at(weft_dist_array **out, weft_dist *grid, const char *text,
                                                       int variable_count, const weft_operand *variables,
                                                       const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_reduce_at(weft_reduction_id id, weft_dist_array **out,
                                                         const weft_dist_array *x, weft_axes axes, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_cumsum_at(weft_dist_array **out, const weft_dist_array *x,
                                                         weft_axes axis, const weft_dist_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_cumprod_at(weft_dist_array **out, const weft_dist_array *x,
                                                          weft_axes axis, const weft_dist_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_cummax_at(weft_dist_array **out, const weft_dist_array *x,
                                                         weft_axes axis, const weft_dist_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_cummin_at(weft_dist_array **out, const weft_dist_array *x,
                                                         weft_axes axis, const weft_dist_scan_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_nonzero_at(weft_reduction_id id, weft_dist_array **out,
                                                          const weft_dist_array *x, weft_axes axes, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_var_at(weft_reduction_id id, weft_dist_array **out,
                                                      const weft_dist_array *x, weft_axes axes,
                                                      const weft_var_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_nan_at(weft_reduction_id id, weft_dist_array **out,
                                                      const weft_dist_array *x, weft_axes axes, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_nanvar_at(weft_reduction_id id, weft_dist_array **out,
                                                         const weft_dist_array *x, weft_axes axes,
                                                         const weft_var_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_ptp_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                                                      const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_matmul_at(weft_dist_array **out, const weft_dist_array *a,
                                                         const weft_dist_array *b, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_sort_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axis,
                                                       const weft_sort_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_argsort_at(weft_dist_array **out, const weft_dist_array *x,
                                                          weft_axes axis, const weft_sort_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_topk_at(weft_dist_array **values_out, weft_dist_array **indices_out,
                                                       const weft_dist_array *x, int64_t k,
                                                       const weft_topk_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_compress_at(weft_dist_array **out, const weft_dist_array *mask,
                                                           const weft_dist_array *x,
                                                           const weft_dist_axis_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_unique_at(weft_dist_array **out, const weft_dist_array *x,
                                                         const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_take_at(weft_dist_array **out, const weft_dist_array *x,
                                                       const weft_dist_array *indices,
                                                       const weft_dist_axis_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_histogram_at(weft_dist_array **out, const weft_dist_array *x,
                                                            int64_t bins, double low, double high, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_bincount_at(weft_dist_array **out, const weft_dist_array *x,
                                                           int64_t minlength, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_halo_at(weft_array **out, const weft_dist_array *x,
                                                       const weft_dist_halo_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_halo_begin_at(weft_dist_exchange **exchange, weft_array **out,
                                                             const weft_dist_array *x,
                                                             const weft_dist_halo_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_halo_end_at(weft_dist_exchange **exchange, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_array_print_at(FILE *stream, const weft_dist_array *x,
                                                              const weft_print_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_array_to_text_at(char **text, const weft_dist_array *x,
                                                                const weft_print_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_checkpoint_save_at(const char *folder, weft_dist *grid,
                                                                  const weft_dist_item *items, int count,
                                                                  const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_checkpoint_load_at(const char *folder, weft_dist *grid,
                                                                  const weft_dist_item *items, int count,
                                                                  const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dist_load_at(weft_dist_array **out, weft_dist *grid, const char *file,
                                                       int axis, const weft_dist_load_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__dist_save_at(const char *file, const weft_dist_array *x, const char *site);

/* A weft_operand holds a distributed array for the functions of this header alone. */
static inline weft_operand weft__operand_dist(const weft_dist_array *x) {
  weft_operand o = weft__operand_nothing(NULL);
  o.kind = WEFT_OPERAND_DIST;
  o.as.dist = x;
  return o;
}

WEFT_END_DECLS

#ifdef __cplusplus
inline weft_operand weft__operand_of(weft_dist_array *x) {
  return weft__operand_dist(x);
}
inline weft_operand weft__operand_of(const weft_dist_array *x) {
  return weft__operand_dist(x);
}
#define WEFT__DIST_CONVERSION(x) weft__operand_of
#else
#define WEFT__DIST_CONVERSION(x) \
  _Generic((x), weft_dist_array *                            \
           : weft__operand_dist, const weft_dist_array *     \
           : weft__operand_dist, default                     \
           : WEFT__CONVERSION(x))
#endif
/// A variable of weft_dist_eval under its own name: a distributed array, a plain array that every rank has, a scalar.
#define WEFT_DIST_VAR(x) weft__operand_named(#x, WEFT__DIST_CONVERSION(x)(x))
/// A variable of weft_dist_eval under another name.
#define WEFT_DIST_NAMED(name, x) weft__operand_named((name), WEFT__DIST_CONVERSION(x)(x))

#define WEFT__DIST_CREATE(out, ...)                                           \
  weft__dist_create_at(WEFT__PLACE(weft_dist, out), WEFT__FIRST(__VA_ARGS__), \
                       WEFT__OPTIONS(weft_dist_params, __VA_ARGS__))
#define WEFT__DIST_CREATE_WORLD(out) WEFT__DIST_CREATE(out, MPI_COMM_WORLD)
#define WEFT__DIST_CREATE_FORM(a, b, c, d, e, f, g, form, ...) form /* a place, a communicator, up to five options */
#define weft_dist_create(...)                                                                                     \
  WEFT__DIST_CREATE_FORM(__VA_ARGS__, WEFT__DIST_CREATE, WEFT__DIST_CREATE, WEFT__DIST_CREATE, WEFT__DIST_CREATE, \
                         WEFT__DIST_CREATE, WEFT__DIST_CREATE, WEFT__DIST_CREATE_WORLD, WEFT__DIST_CREATE)        \
  (__VA_ARGS__)
#define WEFT__DIST_PLACE(out) WEFT__PLACE(weft_dist_array, out)
#define weft_dist_full(out, grid, dtype, shape, axis, value) \
  weft__dist_full_at(WEFT__DIST_PLACE(out), (grid), (dtype), (shape), (axis), WEFT_SCALAR(value), WEFT_SITE)
#define weft_dist_arange(out, grid, dtype, start, stop, step) \
  weft__dist_arange_at(WEFT__DIST_PLACE(out), (grid), (dtype), (start), (stop), (step), WEFT_SITE)
#define weft_dist_from_local(out, grid, local, axis) \
  weft__dist_from_local_at(WEFT__DIST_PLACE(out), (grid), (local), (axis), WEFT_SITE)
#define weft_dist_scatter(out, grid, x, root, axis) \
  weft__dist_scatter_at(WEFT__DIST_PLACE(out), (grid), (x), (root), (axis), WEFT_SITE)
#define weft_dist_gather(out, x, root) weft__dist_gather_at(WEFT__PLACE(weft_array, out), (x), (root), WEFT_SITE)
#define weft_dist_resplit(out, x, axis) weft__dist_resplit_at(WEFT__DIST_PLACE(out), (x), (axis), WEFT_SITE)
#define weft_dist_eval(out, grid, ...)                                                                           \
  weft__dist_eval_at(WEFT__DIST_PLACE(out), (grid), WEFT__FIRST(__VA_ARGS__), WEFT__NAMED_OPERANDS(__VA_ARGS__), \
                     WEFT_SITE)
#define weft_dist_sum(out, x, axes) \
  weft__dist_reduce_at(WEFT_REDUCE_SUM, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_prod(out, x, axes) \
  weft__dist_reduce_at(WEFT_REDUCE_PROD, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_max(out, x, axes) \
  weft__dist_reduce_at(WEFT_REDUCE_MAX, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_min(out, x, axes) \
  weft__dist_reduce_at(WEFT_REDUCE_MIN, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_mean(out, x, axes) \
  weft__dist_reduce_at(WEFT_REDUCE_MEAN, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_argmax(out, x, axis) \
  weft__dist_reduce_at(WEFT_REDUCE_ARGMAX, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axis), WEFT_SITE)
#define weft_dist_argmin(out, x, axis) \
  weft__dist_reduce_at(WEFT_REDUCE_ARGMIN, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axis), WEFT_SITE)
#define weft_dist_nanargmax(out, x, axis) \
  weft__dist_reduce_at(WEFT_REDUCE_NANARGMAX, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axis), WEFT_SITE)
#define weft_dist_nanargmin(out, x, axis) \
  weft__dist_reduce_at(WEFT_REDUCE_NANARGMIN, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axis), WEFT_SITE)
#define weft_dist_cumsum(out, x, ...)                                                    \
  weft__dist_cumsum_at(WEFT__DIST_PLACE(out), (x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_dist_scan_params, __VA_ARGS__))
#define weft_dist_cumprod(out, x, ...)                                                    \
  weft__dist_cumprod_at(WEFT__DIST_PLACE(out), (x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__OPTIONS(weft_dist_scan_params, __VA_ARGS__))
#define weft_dist_cummax(out, x, ...)                                                    \
  weft__dist_cummax_at(WEFT__DIST_PLACE(out), (x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_dist_scan_params, __VA_ARGS__))
#define weft_dist_cummin(out, x, ...)                                                    \
  weft__dist_cummin_at(WEFT__DIST_PLACE(out), (x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_dist_scan_params, __VA_ARGS__))
#define weft_dist_any(out, x, axes) \
  weft__dist_nonzero_at(WEFT_REDUCE_ANY, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_all(out, x, axes) \
  weft__dist_nonzero_at(WEFT_REDUCE_ALL, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_count_nonzero(out, x, axes) \
  weft__dist_nonzero_at(WEFT_REDUCE_COUNT_NONZERO, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_var(out, x, ...)                                                                     \
  weft__dist_var_at(WEFT_REDUCE_VAR, WEFT__DIST_PLACE(out), (x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_var_params, __VA_ARGS__))
#define weft_dist_std(out, x, ...)                                                                     \
  weft__dist_var_at(WEFT_REDUCE_STD, WEFT__DIST_PLACE(out), (x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_var_params, __VA_ARGS__))
#define weft_dist_nansum(out, x, axes) \
  weft__dist_nan_at(WEFT_REDUCE_NANSUM, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_nanprod(out, x, axes) \
  weft__dist_nan_at(WEFT_REDUCE_NANPROD, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_nanmax(out, x, axes) \
  weft__dist_nan_at(WEFT_REDUCE_NANMAX, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_nanmin(out, x, axes) \
  weft__dist_nan_at(WEFT_REDUCE_NANMIN, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_nanmean(out, x, axes) \
  weft__dist_nan_at(WEFT_REDUCE_NANMEAN, WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_nanvar(out, x, ...)                                                                        \
  weft__dist_nanvar_at(WEFT_REDUCE_NANVAR, WEFT__DIST_PLACE(out), (x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_var_params, __VA_ARGS__))
#define weft_dist_nanstd(out, x, ...)                                                                        \
  weft__dist_nanvar_at(WEFT_REDUCE_NANSTD, WEFT__DIST_PLACE(out), (x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_var_params, __VA_ARGS__))
#define weft_dist_ptp(out, x, axes) weft__dist_ptp_at(WEFT__DIST_PLACE(out), (x), WEFT__AXES(axes), WEFT_SITE)
#define weft_dist_matmul(out, a, b) weft__dist_matmul_at(WEFT__DIST_PLACE(out), (a), (b), WEFT_SITE)
#define weft_dist_sort(out, x, ...)                                                    \
  weft__dist_sort_at(WEFT__DIST_PLACE(out), (x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__OPTIONS(weft_sort_params, __VA_ARGS__))
#define weft_dist_argsort(out, x, ...)                                                    \
  weft__dist_argsort_at(WEFT__DIST_PLACE(out), (x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__OPTIONS(weft_sort_params, __VA_ARGS__))
#define weft_dist_topk(values_out, indices_out, x, ...)                                                          \
  weft__dist_topk_at(WEFT__DIST_PLACE(values_out), WEFT__DIST_PLACE(indices_out), (x), WEFT__FIRST(__VA_ARGS__), \
                     WEFT__OPTIONS(weft_topk_params, __VA_ARGS__))
#define weft_dist_compress(out, mask, ...)                                        \
  weft__dist_compress_at(WEFT__DIST_PLACE(out), (mask), WEFT__FIRST(__VA_ARGS__), \
                         WEFT__OPTIONS(weft_dist_axis_params, __VA_ARGS__))
#define weft_dist_unique(out, x) weft__dist_unique_at(WEFT__DIST_PLACE(out), (x), WEFT_SITE)
#define weft_dist_take(out, x, ...)                                        \
  weft__dist_take_at(WEFT__DIST_PLACE(out), (x), WEFT__FIRST(__VA_ARGS__), \
                     WEFT__OPTIONS(weft_dist_axis_params, __VA_ARGS__))
#define weft_dist_histogram(out, x, bins, low, high) \
  weft__dist_histogram_at(WEFT__DIST_PLACE(out), (x), (bins), (low), (high), WEFT_SITE)
#define weft_dist_bincount(out, x, minlength) weft__dist_bincount_at(WEFT__DIST_PLACE(out), (x), (minlength), WEFT_SITE)
#define weft_dist_halo(out, ...)                                             \
  weft__dist_halo_at(WEFT__PLACE(weft_array, out), WEFT__FIRST(__VA_ARGS__), \
                     WEFT__OPTIONS(weft_dist_halo_params, __VA_ARGS__))
#define weft_dist_halo_begin(exchange, out, ...)                                                    \
  weft__dist_halo_begin_at(WEFT__PLACE(weft_dist_exchange, exchange), WEFT__PLACE(weft_array, out), \
                           WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_dist_halo_params, __VA_ARGS__))
#define weft_dist_halo_end(exchange) weft__dist_halo_end_at(WEFT__PLACE(weft_dist_exchange, exchange), WEFT_SITE)
#define weft_dist_array_print(stream, ...) \
  weft__dist_array_print_at((stream), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_print_params, __VA_ARGS__))
#define weft_dist_array_to_text(text, ...) \
  weft__dist_array_to_text_at((text), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_print_params, __VA_ARGS__))
#define weft_dist_checkpoint_save(folder, grid, items, count) \
  weft__dist_checkpoint_save_at((folder), (grid), (items), (count), WEFT_SITE)
#define weft_dist_checkpoint_load(folder, grid, items, count) \
  weft__dist_checkpoint_load_at((folder), (grid), (items), (count), WEFT_SITE)
#define weft_dist_load(out, grid, file, ...)                                          \
  weft__dist_load_at(WEFT__DIST_PLACE(out), (grid), (file), WEFT__FIRST(__VA_ARGS__), \
                     WEFT__OPTIONS(weft_dist_load_params, __VA_ARGS__))
#define weft_dist_save(file, x) weft__dist_save_at((file), (x), WEFT_SITE)

#include <weft/dist_random.h>

#endif
