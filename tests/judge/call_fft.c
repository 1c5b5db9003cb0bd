// SPDX-License-Identifier: MIT
#include "primitive.h"

#define NORM(k) ((weft_fft_norm)I(k))
#define MODE(k) ((weft_convolve_mode)I(k))
#define ALONG(name) weft_##name(R(0), X(0), AXIS(0), .n = I(1), .norm = NORM(2))
#define LAST_TWO(name) weft_##name(R(0), X(0), .lengths = SHAPE(0), .norm = NORM(1))
#define SEVERAL(name) weft_##name(R(0), X(0), AXES(0), .lengths = SHAPE(1), .norm = NORM(2))

#define CALLS_FFT(C)                                                                     \
  C(fft, ALONG(fft))                                                                     \
  C(ifft, ALONG(ifft))                                                                   \
  C(rfft, ALONG(rfft))                                                                   \
  C(irfft, ALONG(irfft))                                                                 \
  C(hfft, ALONG(hfft))                                                                   \
  C(ihfft, ALONG(ihfft))                                                                 \
  C(fft2, LAST_TWO(fft2))                                                                \
  C(ifft2, LAST_TWO(ifft2))                                                              \
  C(rfft2, LAST_TWO(rfft2))                                                              \
  C(irfft2, LAST_TWO(irfft2))                                                            \
  C(fftn, SEVERAL(fftn))                                                                 \
  C(ifftn, SEVERAL(ifftn))                                                               \
  C(rfftn, SEVERAL(rfftn))                                                               \
  C(irfftn, SEVERAL(irfftn))                                                             \
  C(fftshift, weft_fftshift(R(0), X(0), AXES(0)))                                        \
  C(ifftshift, weft_ifftshift(R(0), X(0), AXES(0)))                                      \
  C(fftfreq, weft_fftfreq(R(0), judge.context, (weft_dtype)I(0), I(1), .d = F(2)))       \
  C(rfftfreq, weft_rfftfreq(R(0), judge.context, (weft_dtype)I(0), I(1), .d = F(2)))     \
  C(dct, weft_dct(R(0), X(0), AXIS(0), .type = (int)I(3), .n = I(1), .norm = NORM(2)))   \
  C(idct, weft_idct(R(0), X(0), AXIS(0), .type = (int)I(3), .n = I(1), .norm = NORM(2))) \
  C(convolve, weft_convolve(R(0), X(0), X(1), .mode = MODE(0)))                          \
  C(correlate, weft_correlate(R(0), X(0), X(1), .mode = MODE(0)))                        \
  C(fftconvolve, weft_fftconvolve(R(0), X(0), X(1), AXES(0), .mode = MODE(1)))

CALLS_FFT(DEFINE_CALL)
const call_row calls_of_fft[] = {CALLS_FFT(CALL_ROW){NULL, NULL}};
