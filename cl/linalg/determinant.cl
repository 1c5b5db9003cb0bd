// SPDX-License-Identifier: MIT
// Determinants from LU factors, a team of threads for each matrix: the product of the diagonal with its exponent apart,
// so that it overflows only if the determinant does; or its sign (its phase for complex numbers) and the logarithm of
// its size. A thread multiplies every TEAM-th element, the first thread the products of all.
// Buffers: LU; pivots; determinants or signs; logarithms. Macros: see linalg/team.clh.
// lint: -DREAL=float -DCOMPLEX=1 -DTEAM=1 -DTEAMS=64 -DLOCAL=0 -DSIDE=1
// lint: -DREAL=float -DCOMPLEX=0 -DTEAM=64 -DTEAMS=1 -DLOCAL=0 -DSIDE=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "linalg/team.clh"

// A product and its exponent.
typedef struct la_product {
  NUM value;
  long exponent;
} la_product;

WEFT_INLINE la_product la_times(la_product a, NUM d) {
  const int power = power_of(largest_part(d));
  a.value = mul(a.value, scaled(d, -power));
  const int more = power_of(largest_part(a.value));
  a.value = scaled(a.value, -more);
  a.exponent += power + more;
  return a;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_determinant(const weft__small_args args, __global uchar *factors, __global uchar *pivots,
                      __global uchar *determinants, __global uchar *logarithms) {
  TEAM_PLACE
  const ulong matrix = (ulong)get_group_id(0) * TEAMS + team;
  const int here = matrix < args.batch, n = here ? args.rows : 0, takes_logarithm = args.flags & WEFT__SMALL_LOGARITHM;
  __global const REAL *lu = GLOBAL_REALS(factors, 0, (ulong)args.rows * args.rows);
  __global const int *pivot = GLOBAL_INTS(pivots, 1, args.rows);
  la_product product = {of_real(1), 0};
  REAL sum = 0;
  for (int k = lane; k < n; k += TEAM) {
    NUM d = GLOBAL_GET(lu, (ulong)k * (ulong)n + (ulong)k);
    if (pivot[k] != k) d = -d;
    if (takes_logarithm) {
      const int power = power_of(largest_part(d));
      d = scaled(d, -power);
      product.exponent += power;
      const REAL size = sqrt(square_add(d, 0));
      sum += log(size);
      product.value = mul(product.value, size > 0 ? d / size : d);
    } else {
      product = la_times(product, d);
    }
  }
#if TEAM > 1
  __local NUM values[TEAM];
  __local long exponents[TEAM];
  __local REAL sums[TEAM];
  values[lane] = product.value, exponents[lane] = product.exponent, sums[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 1; k < TEAM && lane == 0; k++) {
    if (takes_logarithm)
      product.value = mul(product.value, values[k]);
    else
      product = la_times(product, values[k]);
    product.exponent += exponents[k];
    sum += sums[k];
  }
#endif
  if (lane > 0 || !here) return;
  if (takes_logarithm) {
    const REAL size = sqrt(square_add(product.value, 0));
    GLOBAL_PLAIN(logarithms, 3, 1)[0] = fma((REAL)product.exponent, K(0.693147180559945309417232121458176568), sum);
    GLOBAL_PUT(GLOBAL_REALS(determinants, 2, 1), 0, size > 0 ? product.value / size : product.value);
  } else {
    GLOBAL_PUT(GLOBAL_REALS(determinants, 2, 1), 0, scaled(product.value, (int)clamp(product.exponent, -5000l, 5000l)));
  }
}
