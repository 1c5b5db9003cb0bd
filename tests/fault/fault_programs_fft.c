// SPDX-License-Identifier: MIT
// The programs about Fourier transforms: by the engine that the machine has, by Weft's own kernels, and by VkFFT.
#include <math.h>
#include <stdlib.h>
#include <weft/weft.h>

#include "fault_programs.h"

enum { N = 12 };

/// Whether y has what a transform makes of one 1 followed by zeros: ones.
static weft_status is_flat(bool *flat, const weft_array *y) {
  weft_c64 host[N];
  weft_status rc = weft_to_host(host, (size_t)weft_array_size_bytes(y), y);
  *flat = rc == WEFT_OK;
  for (int64_t i = 0; *flat && i < weft_array_size(y); i++)
    *flat = fabsf(host[i].re - 1) < 1e-5f && fabsf(host[i].im) < 1e-5f;
  return rc;
}

int program_transforms(int argc, char **argv) {
  int status = 0;
  bool flat;
  const float impulse[N] = {1};
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *z = NULL, *table = NULL, *plane = NULL, *half = NULL, *odd = NULL, *cosine = NULL,
             *order = NULL, *both = NULL, *long_row = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_from_host(&x, context, WEFT_F32, WEFT_SHAPE(N), impulse));
  MAKE(&y, weft_fft(&y, x, 0));
  TRY(is_flat(&flat, y));
  KEPT(flat);
  TRY(weft_ifft(&y, y, 0)); /* in place */
  TRY(weft_fft(&y, y, 0));
  TRY(is_flat(&flat, y));
  KEPT(flat);
  MAKE(&long_row, weft_fft(&long_row, x, 0, .n = 16384)); /* two steps */
  MAKE(&half, weft_rfft(&half, x, 0));
  MAKE(&z, weft_irfft(&z, half, 0));
  MAKE(&odd, weft_ihfft(&odd, x, 0, .n = 5));
  TRY(weft_hfft(&z, half, 0));
  MAKE(&table, weft_reshape(&table, x, WEFT_SHAPE(3, 4)));
  MAKE(&plane, weft_fft2(&plane, table));
  TRY(is_flat(&flat, plane));
  KEPT(flat);
  TRY(weft_ifft2(&plane, plane));
  TRY(weft_fftn(&plane, table, WEFT_AXES(0)));
  TRY(weft_ifftn(&plane, table, WEFT_AXES(1, 0), .norm = WEFT_FFT_ORTHO));
  weft_array_release(&half);
  MAKE(&half, weft_rfft2(&half, table));
  TRY(weft_irfft2(&table, half));
  TRY(weft_rfftn(&half, table, WEFT_AXES(0, 1)));
  TRY(weft_irfftn(&table, half, WEFT_AXES(0, 1)));
  MAKE(&cosine, weft_dct(&cosine, table, 0, .type = 4));
  TRY(weft_idct(&cosine, cosine, 1));
  TRY(weft_fftshift(&table, table, WEFT_ALL_AXES));
  TRY(weft_ifftshift(&table, table, WEFT_AXES(1)));
  MAKE(&order, weft_fftfreq(&order, context, WEFT_F32, N));
  weft_array_release(&order);
  MAKE(&order, weft_rfftfreq(&order, context, WEFT_F32, N, .d = 0.5));
  MAKE(&both, weft_convolve(&both, x, order));
  TRY(weft_correlate(&both, x, order, .mode = WEFT_CONVOLVE_FULL));
  weft_array_release(&both);
  MAKE(&both, weft_fftconvolve(&both, x, order, 0));
  FAILS(WEFT_ERROR_ARGUMENT, weft_fft(&y, x, 0, .n = -3));

done:
  fault_leave();
  weft_array_release(&long_row);
  weft_array_release(&both);
  weft_array_release(&order);
  weft_array_release(&cosine);
  weft_array_release(&odd);
  weft_array_release(&half);
  weft_array_release(&plane);
  weft_array_release(&table);
  weft_array_release(&z);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

/// Transforms of columns and of real rows, for which a CPU's threads have rooms: without a room another engine
/// transforms. That engine comes first: the process keeps its kernels' names.
int program_fft_rooms(int argc, char **argv) {
  static const char *const engines[] = {"own", "fftw,own"};
  int status = 0;
  bool flat;
  weft_context *context = NULL;
  weft_array *tall = NULL, *wide = NULL, *half = NULL, *part = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  for (int k = 0; k < 2; k++) {
    setenv("WEFT_ENGINE", engines[k], 1);
    MAKE(&tall, weft_zeros(&tall, context, WEFT_C64, WEFT_SHAPE(128, N)));
    MAKE(&part, weft_view(&part, tall, "0"));
    TRY(weft_fill(part, 1));
    weft_array_release(&part);
    MAKE(&wide, weft_zeros(&wide, context, WEFT_F32, WEFT_SHAPE(2, 128)));
    MAKE(&part, weft_view(&part, wide, ":, 0"));
    TRY(weft_fill(part, 1));
    weft_array_release(&part);
    fault_expect(true);
    TRY(weft_fft(&tall, tall, 0));
    MAKE(&half, weft_rfft(&half, wide, 1));
    TRY(weft_irfft(&wide, half, 1));
    TRY(weft_rfft(&half, wide, 1));
    fault_expect(false);
    MAKE(&part, weft_view(&part, tall, "77"));
    TRY(is_flat(&flat, part));
    KEPT(flat);
    weft_array_release(&part);
    MAKE(&part, weft_view(&part, half, "1, 50:62"));
    TRY(is_flat(&flat, part));
    KEPT(flat);
    weft_release(&part, &half, &wide, &tall);
  }

done:
  fault_leave();
  weft_release(&part, &half, &wide, &tall);
  weft_context_release(&context);
  return status;
}

/// Transforms of a length of small factors and of a prime, by one engine.
static int by_engine(const char *engine) {
  int status = 0;
  bool flat;
  const float impulse[N] = {1};
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL;
  setenv("WEFT_ENGINE", engine, 1);

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_from_host(&x, context, WEFT_F32, WEFT_SHAPE(N), impulse));
  for (int n = N; n <= N + 5; n += 5) {
    MAKE(&y, weft_rfft(&y, x, 0, .n = n));
    TRY(is_flat(&flat, y));
    KEPT(flat);
    weft_array_release(&y);
  }

done:
  fault_leave();
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

int program_own_fft(int argc, char **argv) {
  (void)argc, (void)argv;
  return by_engine("own");
}

int program_vkfft(int argc, char **argv) {
  (void)argc, (void)argv;
  return by_engine("vkfft");
}
