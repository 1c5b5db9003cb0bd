// SPDX-License-Identifier: MIT
// Determinants from LU factors, a thread for each matrix: the product of the diagonal with its exponent apart, so that
// it overflows only if the determinant does; or its sign (its phase for complex numbers) and the logarithm of its size.
// Buffers: LU; pivots; determinants or signs; logarithms. Macros: see linalg/team.clh.
// lint: -DREAL=float -DCOMPLEX=1 -DTEAM=1 -DTEAMS=64 -DLOCAL=0 -DSIDE=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "linalg/team.clh"

__kernel __attribute__((reqd_work_group_size(TEAMS, 1, 1)))
void weft_determinant(const weft__small_args args, __global uchar *factors, __global uchar *pivots,
                      __global uchar *determinants, __global uchar *logarithms) {
  const ulong matrix = (ulong)get_group_id(0) * TEAMS + get_local_id(0);
  const int here = matrix < args.batch, n = args.rows;
  if (!here) return;
  __global const REAL *lu = (__global const REAL *)(factors + args.at[0]) + matrix * (ulong)n * (ulong)n * PARTS;
  __global const int *pivot = GLOBAL_INTS(pivots, 1, n);
  NUM product = of_real(1);
  REAL sum = 0;
  long exponent = 0;
  for (int k = 0; k < n; k++) {
    NUM d = GLOBAL_GET(lu, (ulong)k * (ulong)n + (ulong)k);
    if (pivot[k] != k) d = -d;
    const int power = power_of(largest_part(d));
    d = scaled(d, -power);
    exponent += power;
    if (args.flags & WEFT__SMALL_LOGARITHM) {
      const REAL size = sqrt(square_add(d, 0));
      sum += log(size);
      product = mul(product, size > 0 ? d / size : d);
    } else {
      const int more = power_of(largest_part(product = mul(product, d)));
      product = scaled(product, -more);
      exponent += more;
    }
  }
  if (args.flags & WEFT__SMALL_LOGARITHM) {
    const REAL size = sqrt(square_add(product, 0));
    GLOBAL_PLAIN(logarithms, 3, 1)[0] = fma((REAL)exponent, K(0.693147180559945309417232121458176568), sum);
    GLOBAL_PUT(GLOBAL_REALS(determinants, 2, 1), 0, size > 0 ? product / size : product);
  } else {
    GLOBAL_PUT(GLOBAL_REALS(determinants, 2, 1), 0, scaled(product, (int)clamp(exponent, -5000l, 5000l)));
  }
}
