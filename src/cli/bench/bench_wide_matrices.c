// SPDX-License-Identifier: MIT
/// Rows of `weft bench wide`: products, factorizations, transforms, sparse matrices, polynomials.
#include "cli/bench/bench_wide.h"

/* Products in place of a power, as in PyTorch's: `** 3` is a power of floats, of 40 instructions. */
#define GELU                                   \
  "0.5 * (value + x) * (1 + tanh(0.7978845608" \
  " * ((value + x) + 0.044715 * (value + x) * (value + x) * (value + x))))"

// clang-format off
#define ROWS(X) \
  X(matmul, weft_matmul(&w->y, w->sq, w->sq2)) \
  X(matmul_precision_f32, weft_matmul(&w->y, w->sq, w->sq2, .precision = WEFT_PRECISION_F32)) \
  X(matmul_precision_tf32, weft_matmul(&w->y, w->sq, w->sq2, .precision = WEFT_PRECISION_TF32)) \
  X(matmul_f16, weft_matmul(&w->y, w->sq_f16, w->sq_f16)) \
  X(matmul_bf16, weft_matmul(&w->y, w->sq_bf16, w->sq_bf16)) \
  X(matmul_f64, weft_matmul(&w->y, w->sq_f64, w->sq_f64)) \
  X(matmul_c64, weft_matmul(&w->y, w->sq_c64, w->sq_c64)) \
  X(matmul_i8, weft_matmul(&w->y, w->sq_i8, w->sq_i8, .dtype = WEFT_I32)) \
  X(matmul_many_16, weft_matmul(&w->y, w->many16, w->many16)) \
  X(matmul_many_64, weft_matmul(&w->y, w->many64, w->many64)) \
  X(matmul_many_256, weft_matmul(&w->y, w->many256, w->many256)) \
  X(matmul_bias_gelu, weft_matmul(&w->y, w->sq, w->sq2, .epilogue = WEFT_EPILOGUE(GELU, WEFT_NAMED("x", w->row)))) \
  X(matmul_bias_gelu_f16, weft_matmul(&w->y, w->sq_f16, w->sq_f16, \
    .epilogue = WEFT_EPILOGUE(GELU, WEFT_NAMED("x", w->row)))) \
  X(matvec, weft_matvec(&w->y, w->sq, w->row)) \
  X(einsum, weft_einsum(&w->y, "ij,jk->ki", w->sq, w->sq2)) \
  X(einsum_of_elements, weft_einsum(&w->y, "ij,ij->i", w->m, w->m2)) \
  X(tensordot, weft_tensordot(&w->y, w->sq, w->sq2, WEFT_AXES(1), WEFT_AXES(0))) \
  X(inner, weft_inner(&w->y, w->sq, w->sq2)) \
  X(outer, weft_outer(&w->y, w->column, w->row)) \
  X(kron, weft_kron(&w->y, w->sq_part, w->window)) \
  X(cross, weft_cross(&w->y, w->three, w->three2, 1)) \
  X(multi_dot, weft_multi_dot(&w->y, ((weft_array *[]){w->sq, w->sq2, w->row}), 3)) \
  X(matrix_trace, weft_matrix_trace(&w->y, w->sq, WEFT_AXES(0, 1))) \
  X(cholesky, weft_cholesky(&w->y, w->spd)) \
  X(lu, weft_lu(&w->y, &w->y2, &w->y3, w->full)) \
  X(lu_factor, weft_lu_factor(&w->y, &w->y2, w->full)) \
  X(lu_solve, weft_lu_solve(&w->y, w->factors, w->pivots, w->right)) \
  X(solve, weft_solve(&w->y, w->full, w->right)) \
  X(solve_triangular, weft_solve_triangular(&w->y, w->full, w->right)) \
  X(inv, weft_inv(&w->y, w->full)) \
  X(det, weft_det(&w->y, w->full)) \
  X(slogdet, weft_slogdet(&w->y, &w->y2, w->full)) \
  X(qr, weft_qr(&w->y, &w->y2, w->full_small)) \
  X(eigh, weft_eigh(&w->y, &w->y2, w->spd_small)) \
  X(svd, weft_svd(&w->y, &w->y2, &w->y3, w->full_small)) \
  X(lstsq, weft_lstsq(&w->y, w->tall, w->tall_right)) \
  X(pinv, weft_pinv(&w->y, w->full_small)) \
  X(matrix_rank, weft_matrix_rank(&w->y, w->full_small)) \
  X(matrix_power, weft_matrix_power(&w->y, w->full_small, 5)) \
  X(matrix_norm, weft_matrix_norm(&w->y, w->m, WEFT_AXES(0, 1))) \
  X(cond, weft_cond(&w->y, w->full_small)) \
  X(cholesky_many, weft_cholesky(&w->y, w->spd32)) \
  X(solve_many, weft_solve(&w->y, w->full32, w->right32)) \
  X(inv_many, weft_inv(&w->y, w->full32)) \
  X(eigh_many, weft_eigh(&w->y, &w->y2, w->spd32)) \
  X(fft, weft_fft(&w->y, w->c, 0)) \
  X(ifft, weft_ifft(&w->y, w->c, 0)) \
  X(hfft, weft_hfft(&w->y, w->c, 0, .n = w->n)) \
  X(rfft, weft_rfft(&w->y, w->a, 0)) \
  X(ihfft, weft_ihfft(&w->y, w->a, 0)) \
  X(irfft, weft_irfft(&w->y, w->c, 0, .n = w->n)) \
  X(fft_rows_of_256, weft_fft(&w->y, w->fft256, 1)) \
  X(fft_rows_of_4096, weft_fft(&w->y, w->fft4096, 1)) \
  X(fft_rows_of_65536, weft_fft(&w->y, w->fft65536, 1)) \
  X(fft2, weft_fft2(&w->y, w->mc)) \
  X(ifft2, weft_ifft2(&w->y, w->mc)) \
  X(irfft2, weft_irfft2(&w->y, w->mc, .lengths = WEFT_SHAPE(w->rows, w->s))) \
  X(rfft2, weft_rfft2(&w->y, w->m)) \
  X(fftn, weft_fftn(&w->y, w->cube_c64, WEFT_ALL_AXES)) \
  X(ifftn, weft_ifftn(&w->y, w->cube_c64, WEFT_ALL_AXES)) \
  X(irfftn, weft_irfftn(&w->y, w->cube_c64, WEFT_ALL_AXES, .lengths = w->cube_shape)) \
  X(rfftn, weft_rfftn(&w->y, w->cube, WEFT_ALL_AXES)) \
  X(fftshift, weft_fftshift(&w->y, w->m, WEFT_ALL_AXES)) \
  X(ifftshift, weft_ifftshift(&w->y, w->m, WEFT_ALL_AXES)) \
  X(fftfreq, weft_fftfreq(&w->y, w->context, WEFT_F32, w->n)) \
  X(rfftfreq, weft_rfftfreq(&w->y, w->context, WEFT_F32, w->n)) \
  X(dct, weft_dct(&w->y, w->a, 0)) \
  X(idct, weft_idct(&w->y, w->a, 0)) \
  X(convolve, weft_convolve(&w->y, w->a, w->kernel)) \
  X(correlate, weft_correlate(&w->y, w->a, w->kernel)) \
  X(fftconvolve, weft_fftconvolve(&w->y, w->m, w->window, WEFT_ALL_AXES)) \
  X(hanning, weft_hanning(&w->y, w->context, WEFT_F32, w->n)) \
  X(hamming, weft_hamming(&w->y, w->context, WEFT_F32, w->n)) \
  X(blackman, weft_blackman(&w->y, w->context, WEFT_F32, w->n)) \
  X(bartlett, weft_bartlett(&w->y, w->context, WEFT_F32, w->n)) \
  X(kaiser, weft_kaiser(&w->y, w->context, WEFT_F32, w->n, 14)) \
  X(csr_create, weft_csr_create(&w->matrix, w->context, w->starts, w->stored_in, w->values, WIDE_STORED)) \
  X(csr_from_coo, weft_csr_from_coo(&w->matrix, w->context, w->stored_at, w->stored_in, w->values, WIDE_STORED)) \
  X(csr_from_dense, weft_csr_from_dense(&w->matrix, w->context, w->mostly_zero)) \
  X(csr_to_dense, weft_csr_to_dense(&w->y, w->csr_m)) \
  X(csr_to_coo, weft_csr_to_coo(&w->y, &w->y2, &w->y3, w->csr)) \
  X(csr_transpose, weft_csr_transpose(&w->matrix, w->csr)) \
  X(csr_matmul, weft_csr_matmul(&w->y, w->csr, w->vector)) \
  X(csr_matmul_band, weft_csr_matmul(&w->y, w->band, w->vector)) \
  X(polyval, weft_polyval(&w->y, w->poly, w->x)) \
  X(vander, weft_vander(&w->y, w->x, .columns = 4)) \
  X(polyfit, weft_polyfit(&w->y, w->a, w->b, 3))
// clang-format on

WIDE_TABLE(wide_matrices)
