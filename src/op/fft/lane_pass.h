// SPDX-License-Identifier: MIT
/// A pass of lanes.c. To define before including, beside what lane_passes.h needs: R, the radix; PASS(name), the names
/// of its functions; BUTTERFLY, statements that transform xr and xi, unless the radix is odd.
#ifndef BUTTERFLY
/// Values j and R - j are u -+ i v: u and v are sums over the sums and the differences of values k and R - k.
TARGET static inline __attribute__((always_inline)) void PASS(odd)(vector *restrict xr, vector *restrict xi,
                                                                   const T *cosine, const T *sine) {
  const vector re = xr[0], im = xi[0];
  vector sum_re[R / 2 + 1], sum_im[R / 2 + 1], apart_re[R / 2 + 1], apart_im[R / 2 + 1];
  UNROLL for (int k = 1; k <= R / 2; k++) {
    sum_re[k] = xr[k] + xr[R - k], sum_im[k] = xi[k] + xi[R - k];
    apart_re[k] = xr[k] - xr[R - k], apart_im[k] = xi[k] - xi[R - k];
    xr[0] += sum_re[k], xi[0] += sum_im[k];
  }
  UNROLL for (int j = 1; j <= R / 2; j++) {
    vector ur = re + sum_re[1] * cosine[j], ui = im + sum_im[1] * cosine[j];
    vector vr = apart_re[1] * sine[j], vi = apart_im[1] * sine[j];
    UNROLL for (int k = 2; k <= R / 2; k++) {
      ur += sum_re[k] * cosine[j * k % R], ui += sum_im[k] * cosine[j * k % R];
      vr += apart_re[k] * sine[j * k % R], vi += apart_im[k] * sine[j * k % R];
    }
    xr[j] = ur + vi, xi[j] = ui - vr;
    xr[R - j] = ur - vi, xi[R - j] = ui + vr;
  }
}
#define BUTTERFLY PASS(odd)(xr, xi, root_of_radix, root_of_radix + R);
#endif

TARGET static void PASS(pass)(void *to, const void *from, ptrdiff_t rest, ptrdiff_t done, const void *factors) {
  const T *restrict root = factors, *restrict root_of_radix = root + 2 * (R - 1) * rest;
  const ptrdiff_t value = 2 * LANES(T);
  (void)root_of_radix;
  for (ptrdiff_t p = 0; p < rest; p++, root += 2 * (R - 1))
    for (ptrdiff_t q = 0; q < done; q++)
      for (ptrdiff_t lane = 0; lane < LANES(T); lane += BYTES / (ptrdiff_t)sizeof(T)) {
        const T *restrict x = (const T *)from + value * (q + done * p) + lane;
        T *restrict y = (T *)to + value * (q + done * R * p) + lane;
        vector xr[R], xi[R];
        UNROLL for (int k = 0; k < R; k++) {
          xr[k] = *(const vector *)(const void *)(x + value * done * rest * k);
          xi[k] = *(const vector *)(const void *)(x + value * done * rest * k + LANES(T));
        }
        BUTTERFLY
        UNROLL for (int k = 0; k < R; k++) {
          vector *restrict to_re = (vector *)(void *)(y + value * done * k);
          vector *restrict to_im = (vector *)(void *)(y + value * done * k + LANES(T));
          if (k == 0 || p == 0) {
            *to_re = xr[k];
            *to_im = xi[k];
          } else {
            const T c = root[2 * k - 2], d = root[2 * k - 1];
            *to_re = xr[k] * c - xi[k] * d;
            *to_im = xr[k] * d + xi[k] * c;
          }
        }
      }
}
#undef BUTTERFLY
#undef PASS
#undef R
