// SPDX-License-Identifier: MIT
/* Runs Weft's kernels, except introspection (which the example thread_index runs), on odd sizes and views, under
   Oclgrind. With the word `maps` it runs the elementwise kernels, with `moves` the kernels of cl/rearrange, with
   `primitives` reductions, scans, sorts and similar ones, with one more word selection, with a third one partitions,
   with `products` the kernels of cl/matmul, with `solvers` the small matrices of cl/linalg, with `sparse` the kernels
   of cl/sparse. The groups are separate processes, because Oclgrind 21.10 takes values from another program for
   uninitialised. */
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#define TRY(call)               \
  do {                          \
    if ((call) != WEFT_OK) {    \
      weft_error_print(stderr); \
      status = EXIT_FAILURE;    \
      goto done;                \
    }                           \
  } while (0)

/// weft_add and similar functions in every kernel of cl/map: contiguous arrays, whole and in parts, with one value for
/// all elements; strides; a transposed operand; two results. Sizes end inside a block and inside a chunk.
static int run_maps(weft_context *context) {
  int status = EXIT_SUCCESS;
  weft_array *x = NULL, *y = NULL, *part = NULL, *other = NULL, *table = NULL, *turned = NULL, *bytes = NULL,
             *one = NULL, *reals = NULL, *rest = NULL;
  TRY(weft_arange(&x, context, WEFT_I32, 0, 35 * 29, 1));
  TRY(weft_add(&y, x, x));
  TRY(weft_multiply(&y, y, 3));
  TRY(weft_slice(&part, x, 0, 1, 530));
  TRY(weft_slice(&other, y, 0, 2, 531));
  TRY(weft_subtract(&other, part, other)); /* shifted, in place */
  TRY(weft_full(&one, context, WEFT_I32, WEFT_SHAPE(1), 7));
  TRY(weft_add(&other, one, part));
  TRY(weft_less(&bytes, part, other)); /* results narrower than the operands */
  TRY(weft_full(&reals, context, WEFT_F32, WEFT_SHAPE(529), 2.75));
  TRY(weft_modf(&reals, &rest, reals)); /* Oclgrind 21.10 lacks the instructions of integer division */
  weft_array_release(&part);
  weft_array_release(&other);
  TRY(weft_reshape(&table, x, WEFT_SHAPE(35, 29)));
  TRY(weft_transpose(&turned, table, WEFT_ALL_AXES));
  TRY(weft_add(&part, turned, 1)); /* a whole tile and a partial one */
  TRY(weft_pick(&other, table, 1, 3));
  TRY(weft_add(&part, turned, other));
  weft_array_release(&part);
  weft_array_release(&other);
  TRY(weft_slice(&part, table, 1, 4, 24, .step = 2));
  TRY(weft_negative(&part, part));
  TRY(weft_slice(&other, table, 0, 0, 35, .step = 3));
  TRY(weft_add(&other, other, other));
  TRY(weft_context_wait(context));
done:
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&part);
  weft_array_release(&other);
  weft_array_release(&table);
  weft_array_release(&turned);
  weft_array_release(&bytes);
  weft_array_release(&one);
  weft_array_release(&reals);
  weft_array_release(&rest);
  return status;
}

/// The kernels of cl/rearrange: positions that wrap around, repeat, are constant; rows that end inside a chunk and
/// inside a piece.
static int run_moves(weft_context *context) {
  int status = EXIT_SUCCESS;
  const int64_t counts[] = {3, 0, 40, 1, 300};
  weft_array *x = NULL, *table = NULL, *part = NULL, *y = NULL, *framed = NULL, *low = NULL, *both = NULL, *some = NULL,
             *bits = NULL, *wide = NULL, *ones = NULL;
  TRY(weft_full(&x, context, WEFT_U16, WEFT_SHAPE(35 * 29), 7));
  TRY(weft_slice(&part, x, 0, 1, 530));
  TRY(weft_roll(&y, part, 13, 0));
  TRY(weft_reshape(&table, x, WEFT_SHAPE(35, 29)));
  TRY(weft_pad(&framed, table, WEFT_SHAPE(3, 40), WEFT_SHAPE(1, 2), .mode = WEFT_PAD_REFLECT));
  TRY(weft_tril(&low, table, .k = 3));
  TRY(weft_tri(&ones, context, WEFT_I16, 35, .columns = 29));
  weft_array *const parts[] = {part, x, part};
  TRY(weft_concatenate(&both, parts, 3, 0));
  weft_array_release(&both);
  weft_array *const tables[] = {table, low};
  TRY(weft_concatenate(&both, tables, 2, 1));
  weft_array_release(&part);
  TRY(weft_slice(&part, table, 0, 0, 5));
  /* before memory is released: Oclgrind 21.10 takes bytes beyond a released buffer's size for uninitialised in the next
     buffer */
  TRY(weft_packbits(&bits, table, 0));
  TRY(weft_unpackbits(&wide, bits, 0, .count = 35));
  TRY(weft_repeat(&some, part, WEFT_HOST(counts, WEFT_I64, WEFT_SHAPE(5)), 0));
  TRY(weft_context_wait(context));
done:
  weft_array_release(&x);
  weft_array_release(&table);
  weft_array_release(&part);
  weft_array_release(&y);
  weft_array_release(&framed);
  weft_array_release(&low);
  weft_array_release(&both);
  weft_array_release(&some);
  weft_array_release(&bits);
  weft_array_release(&wide);
  weft_array_release(&ones);
  return status;
}

/// Random numbers: whole blocks and the rest, at unaligned offsets; by rejection; permutations and samples of both
/// kinds.
static int run_random(weft_context *context) {
  int status = EXIT_SUCCESS;
  weft_rng *rng = NULL;
  static const float alpha[5] = {1, 2, 0.5f, 3, 1};
  weft_array *x = NULL, *part = NULL, *y = NULL, *weights = NULL, *rows = NULL, *points = NULL;
  TRY(weft_rng_create(&rng, .seed = 1, .context = context));
  TRY(weft_uniform(&x, rng, WEFT_F32, WEFT_SHAPE(2100), 0, 1));
  TRY(weft_slice(&part, x, 0, 1, 2097));
  TRY(weft_normal(&part, rng, WEFT_F32, WEFT_SHAPE(2096), 0, 1));
  weft_array_release(&x);
  TRY(weft_gamma(&x, rng, WEFT_F32, WEFT_SHAPE(600), 0.5, 1));
  TRY(weft_beta(&x, rng, WEFT_F32, WEFT_SHAPE(600), 0.5, 2));
  TRY(weft_laplace(&x, rng, WEFT_F32, WEFT_SHAPE(600), 0, 1));
  TRY(weft_sobol(&points, rng, WEFT_F32, 300, 5));
  TRY(weft_dirichlet(&points, rng, WEFT_F32, WEFT_SHAPE(300), WEFT_HOST(alpha, WEFT_F32, WEFT_SHAPE(5))));
  TRY(weft_sobol(&y, rng, WEFT_F32, 300, 3));
  weft_array_release(&y);
  TRY(weft_permutation(&y, rng, 40));
  weft_array_release(&y);
  TRY(weft_permutation(&y, rng, 1100));
  TRY(weft_ones(&weights, context, WEFT_F64, WEFT_SHAPE(1100)));
  TRY(weft_choice(&rows, rng, y, 300, .weights = weights));
  TRY(weft_context_wait(context));
done:
  weft_array_release(&points);
  weft_array_release(&rows);
  weft_array_release(&weights);
  weft_array_release(&y);
  weft_array_release(&part);
  weft_array_release(&x);
  weft_rng_release(&rng);
  return status;
}

/// Reductions, scans, selection, sorts, indexing and counts, at sizes of several tiles and a partial one.
static int run_primitives(weft_context *context, bool with_selection, bool with_partitions) {
  static const bool every_other[4] = {true, false, true, false};
  int status = EXIT_SUCCESS;
  weft_array *x = NULL, *y = NULL, *z = NULL, *inside = NULL, *starts = NULL, *count = NULL, *table = NULL,
             *index = NULL, *few = NULL, *two[2] = {NULL, NULL};
  uint32_t words[1300];
  bool begins[1300];
  for (uint32_t i = 0; i < 1300; i++) {
    words[i] = i * 2654435 % 1009;
    begins[i] = words[i] < 9;
  }
  TRY(weft_from_host(&x, context, WEFT_U32, WEFT_SHAPE(1300), words));
  TRY(weft_reshape(&table, x, WEFT_SHAPE(4, 325)));
  TRY(weft_sum(&count, x, WEFT_ALL_AXES));
  weft_array_release(&count);
  TRY(weft_max(&y, table, 0));
  weft_array_release(&y);
  TRY(weft_sum(&y, table, 1));
  weft_array_release(&y);
  for (int axis = 0; axis < 2; axis++) { /* arrays beside the results */
    TRY(weft_eval(&y, context, axis ? "sum(x - max(x, axis=1), axis=1)" : "sum(x - max(x, axis=0), axis=0)",
                  WEFT_NAMED("x", table)));
    weft_array_release(&y);
  }
  TRY(weft_eval(&y, context, "x - max(x, axis=1)", WEFT_NAMED("x", table))); /* rows in one launch on GPUs */
  weft_array_release(&y);
  TRY(weft_cumsum(&y, x, 0));
  weft_array_release(&y);
  TRY(weft_cumsum(&y, table, 0));
  weft_array_release(&y);
  TRY(weft_rolling(&y, table, 16, 1));
  weft_array_release(&y);
  TRY(weft_from_host(&starts, context, WEFT_BOOL, WEFT_SHAPE(1300), begins));
  TRY(weft_scan(&y, x, 0, .flags = starts, .exclusive = true));
  weft_array_release(&y);
  TRY(weft_reduce_segments(&y, x, WEFT_HOST(((const int64_t[]){0, 7, 7, 1300}), WEFT_I64, WEFT_SHAPE(4))));
  weft_array_release(&y);
  if (with_selection) {
    TRY(weft_select(&y, context, "x > 500", WEFT_NAMED("x", x), WEFT_SELECTION(.count = &count)));
    weft_array_release(&y);
    TRY(weft_compress(&y, starts, x, WEFT_ALL_AXES));
    weft_array_release(&y);
    TRY(weft_compress(&y, WEFT_HOST(every_other, WEFT_BOOL, WEFT_SHAPE(4)), table, 0));
    weft_array_release(&y);
  }
  TRY(weft_arange(&index, context, WEFT_I32, 0, 1200, 7));
  TRY(weft_take(&y, x, index, 0, .mode = WEFT_INDEX_CLIP));
  TRY(weft_scatter_add(x, index, y, 0));
  const weft_array *const both[2] = {x, x};
  TRY(weft_take_many(two, both, 2, index));
  weft_array_release(&y);
  TRY(weft_at(&y, table, 0, WEFT_HOST(((const int32_t[]){1, 0}), WEFT_I32, WEFT_SHAPE(2))));
  weft_array_release(&y);
  TRY(weft_at(&y, table, 0, WEFT_HOST(((const int64_t[]){1, 0}), WEFT_I64, WEFT_SHAPE(2))));
  weft_array_release(&y);
  TRY(weft_sort(&y, x, 0));
  TRY(weft_unique(&z, x));
  weft_array_release(&z);
  TRY(weft_unique(NULL, x, .inverse = &inside, .counts = &z));
  weft_release(&inside, &z);
  TRY(weft_searchsorted(&z, y, x));
  weft_array_release(&z);
  TRY(weft_merge(&z, y, y));
  weft_array_release(&z);
  TRY(weft_arange(&z, context, WEFT_U32, 0, 4096, 1));
  TRY(weft_isin(&inside, z, y));
  weft_array_release(&y);
  TRY(weft_searchsorted(&y, z, z)); /* by a tree on GPUs */
  weft_release(&inside, &z);
  weft_array_release(&y);
  TRY(weft_argsort(&y, x, 0));
  weft_array_release(&y);
  TRY(weft_sort(&y, table, 0, .descending = true));
  weft_array_release(&y);
  TRY(weft_median(&y, table, 1)); /* sorted on CPUs */
  weft_array_release(&y);
  TRY(weft_zeros(&z, context, WEFT_U8, WEFT_SHAPE(7000))); /* one pass, which takes Oclgrind three seconds */
  TRY(weft_sort(&y, z, 0));
  weft_release(&y, &z);
  TRY(weft_full(&z, context, WEFT_F32, WEFT_SHAPE(2, 4100), 1.5));
  TRY(weft_slice(&few, z, 1, 0, with_partitions ? 4100 : 40)); /* long rows on CPUs, which GPUs sort */
  TRY(weft_nanmedian(&y, few, 1));
  weft_array_release(&few);
  weft_array_release(&y);
  if (with_partitions) { /* on GPUs the median's sort again */
    TRY(weft_partition_kth(&y, z, 7, 1));
    weft_array_release(&y);
    TRY(weft_partition_kth(&y, z, WEFT_SHAPE(7, 4000), 1));
    weft_array_release(&y);
  }
  TRY(weft_topk(&y, NULL, z, 3, 1));
  weft_array_release(&y);
  weft_array_release(&z);
  TRY(weft_softmax(&y, table, 1));
  weft_array_release(&y);
  TRY(weft_stencil(&y, context, "t[-1, 0] + t[0, 1]", WEFT_NAMED("t", table)));
  weft_array_release(&y);
  TRY(weft_uniform_filter(&y, table, WEFT_SHAPE(3), WEFT_ALL_AXES));
  TRY(weft_laplace_filter(&y, table, WEFT_ALL_AXES));
  TRY(weft_correlate_nd(&y, table, WEFT_HOST(((const float[]){1, 2, 3, 4}), WEFT_F32, WEFT_SHAPE(2, 2)),
                        WEFT_ALL_AXES));
  TRY(weft_median_filter(&y, table, WEFT_SHAPE(3), WEFT_ALL_AXES));
  weft_array_release(&y);
  TRY(weft_cast(&z, table, WEFT_U8));
  TRY(weft_median_filter(&y, z, WEFT_SHAPE(50), 1)); /* a pass for each bit of an element */
  weft_release(&y, &z);
  TRY(weft_shift(&y, table, 0.5));
  weft_array_release(&y);
  TRY(weft_shift(&y, x, 0.5)); /* in parts */
  weft_array_release(&y);
  TRY(weft_interp(&y, 3.5f, x, x));
  weft_array_release(&y);
  TRY(weft_label(&y, table));
  weft_array_release(&y);
  TRY(weft_distance_transform(&y, table, .indices = &z));
  weft_array_release(&z);
  weft_array_release(&y);
  TRY(weft_histogram(&y, x, 7, .range = WEFT_RANGE(0, 1009)));
  weft_array_release(&y);
  TRY(weft_arange(&z, context, WEFT_I32, 0, 100, 1));
  TRY(weft_bincount(&y, z, .minlength = 5000)); /* few elements for many bins */
  weft_array_release(&z);
  TRY(weft_context_wait(context));
done:
  weft_release(&x, &y, &z, &inside, &starts, &count, &table, &index);
  weft_release(&few, &two[0], &two[1]);
  return status;
}

/// Transforms by Weft's own kernels, and convolution.
static int run_transforms(weft_context *context) {
  int status = EXIT_SUCCESS;
  weft_array *x = NULL, *y = NULL, *z = NULL;
  TRY(weft_arange(&x, context, WEFT_F32, 0, 120, 1));
  TRY(weft_reshape(&y, x, WEFT_SHAPE(5, 24)));
  TRY(weft_fft(&z, y, 0));
  weft_array_release(&z);
  TRY(weft_rfft(&z, y, 1, .n = 17));
  weft_array_release(&y);
  TRY(weft_irfft(&y, z, 1));
  weft_array_release(&z);
  for (int type = 1; type <= 4; type++) TRY(weft_dct(&y, y, -1, .type = type));
  TRY(weft_dct(&z, y, 0, .type = 4));
  weft_array_release(&z);
  for (int n = 64; n <= 2048; n *= 32) {
    TRY(weft_fft(&z, x, 0, .n = n));
    weft_array_release(&z);
  }
  TRY(weft_rfft(&z, x, 0, .n = 512));
  weft_array_release(&y);
  TRY(weft_irfft(&y, z, 0));
  weft_array_release(&z);
  TRY(weft_rfft(&z, x, 0, .n = 1 << 15));
  weft_array_release(&y);
  TRY(weft_irfft(&y, z, 0));
  weft_array_release(&z);
  TRY(weft_convolve(&z, x, WEFT_HOST(((const float[]){1, 2, 3}), WEFT_F32, WEFT_SHAPE(3))));
  TRY(weft_context_wait(context));
done:
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&z);
  return status;
}

/// Products of matrices: tiles, a partial one, of several products, split along k; of vectors in both directions.
static int run_products(weft_context *context) {
  int status = EXIT_SUCCESS;
  weft_array *x = NULL, *deep = NULL, *turned = NULL, *stack = NULL, *y = NULL, *column = NULL;
  TRY(weft_ones(&x, context, WEFT_F32, WEFT_SHAPE(36, 20)));
  TRY(weft_transpose(&turned, x, WEFT_ALL_AXES));
  TRY(weft_matmul(&y, x, turned, .epilogue = WEFT_EPILOGUE("value * x", WEFT_NAMED("x", 2.0f))));
  TRY(weft_matmul(&y, x, turned, .accumulate = WEFT_SCALAR(0.5)));
  weft_array_release(&y);
  TRY(weft_ones(&stack, context, WEFT_C64, WEFT_SHAPE(3, 5, 5)));
  TRY(weft_matmul(&y, stack, stack));
  weft_array_release(&y);
  TRY(weft_ones(&column, context, WEFT_F32, WEFT_SHAPE(20)));
  TRY(weft_matmul(&y, x, column));
  weft_array_release(&y);
  TRY(weft_matmul(&y, column, turned));
  weft_array_release(&y);
  TRY(weft_ones(&deep, context, WEFT_F32, WEFT_SHAPE(2, 700)));
  weft_array_release(&turned);
  TRY(weft_transpose(&turned, deep, WEFT_ALL_AXES));
  TRY(weft_matmul(&y, deep, turned));
  weft_release(&deep, &turned);
  TRY(weft_ones(&deep, context, WEFT_F32, WEFT_SHAPE(2, 2100)));
  TRY(weft_transpose(&turned, deep, WEFT_ALL_AXES));
  TRY(weft_matmul(&y, deep, turned));
  TRY(weft_context_wait(context));
done:
  weft_release(&x, &deep, &turned, &stack, &y, &column);
  return status;
}

/// The kernels of small matrices, in teams of which some have no matrix.
static int run_solvers(weft_context *context) {
  int status = EXIT_SUCCESS;
  float host[75];
  weft_array *x = NULL, *square = NULL, *a = NULL, *b = NULL, *u = NULL, *s = NULL, *vh = NULL, *y = NULL,
             *pivots = NULL;
  for (int i = 0; i < 75; i++) host[i] = (float)i;
  TRY(weft_from_host(&square, context, WEFT_F32, WEFT_SHAPE(3, 5, 5), host));
  for (int i = 0; i < 75; i += i % 25 == 24 ? 1 : 6) host[i] += 500;
  TRY(weft_from_host(&a, context, WEFT_F32, WEFT_SHAPE(3, 5, 5), host));
  TRY(weft_ones(&b, context, WEFT_F32, WEFT_SHAPE(5, 2)));
  TRY(weft_cholesky(&y, a));
  TRY(weft_solve(&x, a, b));
  TRY(weft_solve_triangular(&x, a, b, .lower = true));
  TRY(weft_inv(&y, a));
  TRY(weft_lu(&u, NULL, NULL, a));
  TRY(weft_lu_factor(&y, &pivots, a)); /* into y */
  TRY(weft_lu_solve(&x, y, pivots, b));
  weft_release(&x, &u);
  TRY(weft_det(&x, a));
  TRY(weft_qr(&u, &y, a));
  weft_release(&x, &u, &a);
  TRY(weft_slice(&a, square, 2, 0, 3)); /* not of full rank: vectors are completed */
  TRY(weft_svd(&u, &s, &vh, a, .full_matrices = true));
  weft_release(&s);
  TRY(weft_eigh(&s, &y, square));
  TRY(weft_context_wait(context));
done:
  weft_release(&x, &square, &a, &b, &u, &s, &vh, &y, &pivots);
  return status;
}

/// The widest elements, which need the most local memory: Oclgrind has 32 KiB, the least that OpenCL promises.
static int run_wide_elements(weft_context *context, const weft_array *matrix, const weft_array *table) {
  int status = EXIT_SUCCESS;
  weft_array *a = NULL, *b = NULL, *x = NULL, *q = NULL;
  TRY(weft_cast(&a, matrix, WEFT_C128));
  TRY(weft_full(&b, context, WEFT_C128, WEFT_SHAPE(65, 9), 2));
  TRY(weft_solve_triangular(&x, a, b));
  weft_array_release(&x);
  weft_array_release(&b);
  TRY(weft_cast(&b, table, WEFT_C128));
  TRY(weft_qr(&q, &x, b));
  TRY(weft_context_wait(context));
done:
  weft_release(&a, &b, &x, &q);
  return status;
}

/// Matrices too large for one group: a block of 64 and a rest. The matrix is nearly diagonal: rotations end soon. Its
/// eigenvalues take minutes with blocks of many threads.
static int run_large_matrices(weft_context *context, bool spectra) {
  int status = EXIT_SUCCESS;
  weft_array *a = NULL, *corner = NULL, *table = NULL, *x = NULL, *y = NULL, *z = NULL;
  TRY(weft_zeros(&a, context, WEFT_F32, WEFT_SHAPE(65, 65)));
  TRY(weft_reshape(&x, a, WEFT_SHAPE(65 * 65)));
  TRY(weft_slice(&y, x, 0, 0, WEFT_END, .step = 66));
  TRY(weft_fill(y, 3.0f));
  TRY(weft_view(&corner, a, "63:, 63:"));
  TRY(weft_add(&corner, corner, 1.0f));
  TRY(weft_view(&table, a, ":, 63:"));
  weft_release(&x, &y);
  TRY(weft_cholesky(&x, a));
  TRY(weft_solve(&y, a, table));
  weft_release(&x, &y);
  TRY(weft_solve_triangular(&x, a, table));
  weft_array_release(&x);
  TRY(weft_qr(&z, &x, table));
  weft_release(&x, &z);
  status = run_wide_elements(context, a, table);
  if (status) goto done;
  if (spectra) TRY(weft_eigh(&y, &z, a));
  weft_release(&y, &z);
  TRY(weft_svd(&x, &y, &z, table));
  TRY(weft_context_wait(context));
done:
  weft_release(&a, &corner, &table, &x, &y, &z);
  return status;
}

/// A sparse matrix from elements at equal places, which are sorted and added; back to elements, dense, transposed.
static int run_sums(weft_context *context) {
  int status = EXIT_SUCCESS;
  weft_csr *a = NULL, *b = NULL;
  weft_array *few = NULL, *rows = NULL, *columns = NULL, *values = NULL, *dense = NULL;
  TRY(weft_full(&few, context, WEFT_I32, WEFT_SHAPE(60), 3));
  TRY(weft_csr_from_coo(&a, NULL, few, few, few, WEFT_SHAPE(9, 9)));
  TRY(weft_csr_to_coo(&rows, NULL, NULL, a));
  TRY(weft_csr_to_coo(&rows, &columns, &values, a));
  TRY(weft_csr_to_dense(&dense, a));
  TRY(weft_csr_transpose(&b, a));
  TRY(weft_context_wait(context));
done:
  weft_release(&a, &b, &few, &rows, &columns, &values, &dense);
  return status;
}

/// Products of a sparse matrix with a vector and matrices; one row lies in several tiles.
static int run_sparse(weft_context *context) {
  enum { LONG = 9000 };
  static const int64_t columns[] = {0, 3, 12};
  static const int32_t indptr[] = {0, 0, LONG - 5, LONG};
  static int32_t column[LONG];
  int status = EXIT_SUCCESS;
  weft_csr *a = NULL;
  weft_array *x = NULL, *y = NULL, *starts = NULL, *places = NULL;
  for (int k = 0; k < LONG; k++) column[k] = k;
  TRY(weft_from_host(&starts, context, WEFT_I32, WEFT_SHAPE(4), indptr));
  TRY(weft_from_host(&places, context, WEFT_I32, WEFT_SHAPE(LONG), column));
  TRY(weft_ones(&x, context, WEFT_F32, WEFT_SHAPE(LONG)));
  TRY(weft_csr_create(&a, NULL, starts, places, x, WEFT_SHAPE(3, LONG)));
  for (int k = 0; k < 3; k++) {
    weft_array_release(&x);
    TRY(weft_ones(&x, context, WEFT_F32, columns[k] ? WEFT_SHAPE(LONG, columns[k]) : WEFT_SHAPE(LONG)));
    TRY(weft_csr_matmul(&y, a, x));
    weft_array_release(&y);
  }
  TRY(weft_context_wait(context));
done:
  weft_release(&a, &x, &y, &starts, &places);
  return status;
}

int main(int argc, char **argv) {
  int status = EXIT_SUCCESS;
  weft_context *context = NULL;
  weft_array *bytes = NULL, *range = NULL, *square = NULL, *turned = NULL, *copy = NULL, *wide = NULL, *part = NULL;
  setenv("WEFT_ENGINE", "own", 0); /* no kernels run in other libraries */
  TRY(weft_context_create(&context));
  if (argc > 1 && strcmp(argv[1], "maps") == 0) {
    status = run_maps(context);
    goto done;
  }
  if (argc > 1 && strcmp(argv[1], "moves") == 0) {
    status = run_moves(context);
    goto done;
  }
  if (argc > 1 && strcmp(argv[1], "primitives") == 0) {
    status = run_primitives(context, argc > 2, argc > 3);
    if (status == EXIT_SUCCESS) status = run_sums(context);
    goto done;
  }
  if (argc > 1 && strcmp(argv[1], "transforms") == 0) {
    status = run_transforms(context);
    goto done;
  }
  if (argc > 1 && strcmp(argv[1], "products") == 0) {
    status = run_products(context);
    goto done;
  }
  if (argc > 1 && strcmp(argv[1], "solvers") == 0) {
    status = run_solvers(context);
    goto done;
  }
  if (argc > 1 && strcmp(argv[1], "large_matrices") == 0) {
    status = run_large_matrices(context, argc > 2);
    goto done;
  }
  if (argc > 1 && strcmp(argv[1], "sparse") == 0) {
    status = run_sparse(context);
    goto done;
  }
  if (argc > 1 && strcmp(argv[1], "random") == 0) {
    status = run_random(context);
    goto done;
  }
  TRY(weft_ones(&bytes, context, WEFT_U8, WEFT_SHAPE(1037))); /* a run that ends inside a block of 16 */
  TRY(weft_slice(&part, bytes, 0, 3, -2));                    /* and one that begins there */
  TRY(weft_fill(part, 7));
  weft_array_release(&part);
  TRY(weft_arange(&range, context, WEFT_F32, 0, 35 * 29, 1));
  TRY(weft_reshape(&square, range, WEFT_SHAPE(35, 29)));
  TRY(weft_transpose(&turned, square, WEFT_ALL_AXES));
  TRY(weft_copy(&copy, turned));
  TRY(weft_slice(&part, square, 1, 1, WEFT_END, .step = 3));
  TRY(weft_fill(part, 2.5f));
  /* Not to f16: Oclgrind 21.10 takes the output of vstore_half for uninitialised. Nor to integers: elements beyond a
     partial tile are computed and not stored, and their conversion has branches. */
  TRY(weft_cast(&wide, turned, WEFT_F64));
  TRY(weft_context_wait(context));
done:
  weft_array_release(&bytes);
  weft_array_release(&range);
  weft_array_release(&square);
  weft_array_release(&turned);
  weft_array_release(&copy);
  weft_array_release(&wide);
  weft_array_release(&part);
  weft_context_release(&context);
  return status;
}
