// SPDX-License-Identifier: MIT
/// Sizes that measurements chose, of transforms and convolutions, with the machine and the date.
/// `weft bench ways` measures anew.
#ifndef WEFT_OP_FFT_TUNING_H
#define WEFT_OP_FFT_TUNING_H

/* GPUs: H200, 2026-11 */
#define WEFT__VKFFT_FEW (1 << 16)          /* elements, for which launches count */
#define WEFT__VKFFT_ROOMY_LOCAL (81 << 10) /* bytes of a plan at most: two work-groups then fit on a multiprocessor */
#define WEFT__CONVOLVE_WINDOW_MOST 49      /* elements of an operand of fftconvolve that are added one by one */
#define WEFT__WINDOW_HALVES_SIZE (1 << 16) /* elements, at least: another launch writes the one in the middle */

/* CPUs: 2 cores with AVX2, 2026-11 */
#define WEFT__CONVOLVE_SHARE 4096 /* elements that a work-item adds directly */
/* Columns by Weft's loops. FFTW is faster for some shorter ones: irfftn of 64 x 64 x 256, 1.97 ms and 2.20. */
#define WEFT__COLUMNS_LEAST_LENGTH 128
#define WEFT__COLUMNS_MOST_LENGTH 4096 /* whose room the second cache holds */
#define WEFT__COLUMNS_LEAST 8
#define WEFT__COLUMNS_SHARE_BYTES (512 << 10) /* that are worth a thread */
/* Rows of a prime length by a product. FFTW has code of its own for shorter rows. */
#define WEFT__PRIME_LEAST 17
#define WEFT__PRIME_MOST 200 /* Rader's algorithm takes as long; of complex rows, with four times the products, at: */
#define WEFT__PRIME_MOST_COMPLEX 128
#define WEFT__PRIME_LEAST_ROWS 32

/* FFTW 3.3.10. From SHARED_SIZE elements of the result on rows with a large prime factor are shared among threads, and
   from SHARED_BYTES on all transforms. Threads cost one 8 us (an EPYC of 2024) to 50 us (a Xeon with 2 virtual cores,
   where a row of 10^5 floats took 155 us on one thread and 200 on two). */
#define WEFT__FFTW_SHARED_BYTES (512 << 10)
#define WEFT__FFTW_SHARED_SIZE 32768
#define WEFT__FFTW_THREAD_SIZE 16384 /* elements of a thread, at least */
#define WEFT__FFTW_ROWS 16           /* each thread gets a multiple of these */
/* Elements of a column that are a multiple of a large power of two apart share sets of the first cache, which hold 8 to
   12 each. From CROWD elements for a set on, columns are transformed in a copy whose rows have PADDING_BYTES more: 2^20
   c64 in columns of 1024 took 20 ms, and take 1.3; 10^5 c64 in columns of 390, 2 KiB apart, 1.4 and 0.25. */
#define WEFT__FFTW_WAY_BYTES 4096
#define WEFT__FFTW_CROWD 32
#define WEFT__FFTW_PADDING_BYTES 64
/* Columns in strips as rows of a room, of these lengths. */
#define WEFT__FFTW_STRIP_BYTES 128
#define WEFT__FFTW_LEAST_COLUMN 128
#define WEFT__FFTW_MOST_COLUMN 4096
/* Rows of reals as complex rows of half the length, in groups that a cache holds. */
#define WEFT__FFTW_LONGEST_GROUPED 8192
#define WEFT__FFTW_GROUP_SIZE 8192

#endif
