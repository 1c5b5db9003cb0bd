// SPDX-License-Identifier: MIT
// Cosine transforms of rows of n real numbers, before and after a Fourier transform of `length`. A work-item computes
// one value; on CPUs WEFT__DCT_SHARE of a row.
//
// TYPE: 1 even extension, 2 n/2+1 values of a permuted row, 3 the reverse of 2, 4 an even n as n/2 complex numbers, 5
// type 4 of an odd n, by 2 n complex numbers. The rest: see fft/complex.clh.
// lint: -DTYPE=1 -DINVERSE=0
// lint: -DTYPE=2 -DINVERSE=0 -DWIDE=1 -DWEFT_FP64=1
// lint: -DTYPE=3 -DINVERSE=1 -DWEFT_CPU=1 -DWEFT_FP64=1
// lint: -DTYPE=4 -DINVERSE=0
// lint: -DTYPE=5 -DINVERSE=0
#include "fft/complex.clh"

// exp(-+ pi i part / whole); part < 2 whole
#if WEFT_CPU
#define TURN(part, whole) weft_unit(part, 2 * (whole))
#else
#define TURN(part, whole) weft_unit((part) % (2 * (whole)), 2 * (whole))
#endif

// BEGIN, in front of a block that makes value k of a row, which is value `thread` of all. SHARE on CPUs: the values
// `first` to `last` of a row.
#if WEFT_CPU
#define APART restrict
#define TOGETHER 64
#undef LOAD // by parts, so that the loop becomes vector code
#undef STORE
#define LOAD(at, i) ((PAIR)((at)[2 * (i)], (at)[2 * (i) + 1]))
#define STORE(at, i, value)                                  \
  {                                                          \
    const PAIR stored = value;                               \
    (at)[2 * (i)] = stored.x, (at)[2 * (i) + 1] = stored.y; \
  }
#define SHARE(per_row)                                                                                              \
  const ulong n = a.n;                                                                                              \
  __global const REAL *from = (__global const REAL *)(from_buffer + a.from_offset);                                 \
  __global REAL *to = (__global REAL *)(to_buffer + a.to_offset);                                                   \
  const ulong id = get_global_id(0), parts = ((per_row) + WEFT__DCT_SHARE - 1) / WEFT__DCT_SHARE, row = id / parts; \
  if (row >= a.rows) return;                                                                                        \
  const ulong first = id % parts * WEFT__DCT_SHARE, last = min(first + WEFT__DCT_SHARE, (ulong)(per_row));
#define BEGIN(per_row) \
  SHARE(per_row)       \
  for (ulong k = first, thread = row * (per_row) + first; k < last; k++, thread++)
#else
#define APART
#define BEGIN(per_row)                                                               \
  const ulong n = a.n;                                                               \
  const ulong thread = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0); \
  __global const REAL *from = (__global const REAL *)(from_buffer + a.from_offset);  \
  __global REAL *to = (__global REAL *)(to_buffer + a.to_offset);                    \
  if (thread >= a.rows * (per_row)) return;                                          \
  const ulong row = thread / (per_row), k = thread % (per_row);                      \
  (void)row;
#endif

__kernel void weft_dct_before(const weft__dct_args a, __global const uchar *APART from_buffer,
                            __global uchar *APART to_buffer) {
#if TYPE == 1
  BEGIN(a.length) {
    const ulong source = k < n ? k : 2 * n - 2 - k;
    to[thread] = from[row * n + source] * (source == 0 || source == n - 1 ? REAL_OF(a.in_edge) : REAL_OF(a.in_rest));
  }
#elif TYPE == 2 && WEFT_CPU
  SHARE(n)
  const ulong middle = (n + 1) / 2; // two loops, so that both become vector code
  from += row * n;
  to += row * n;
  for (ulong k = first; k < min(last, middle); k++) to[k] = from[2 * k];
  for (ulong k = max(first, middle); k < last; k++) to[k] = from[2 * (n - 1 - k) + 1];
#elif TYPE == 2
  BEGIN(n) {
    to[thread] = from[row * n + (k < (n + 1) / 2 ? 2 * k : 2 * (n - 1 - k) + 1)];
  }
#elif TYPE == 3
  BEGIN(n / 2 + 1) {
    PAIR value;
    value.x = from[row * n + k] * (k ? REAL_OF(a.in_rest) : REAL_OF(a.in_edge));
    value.y = k ? -from[row * n + n - k] * REAL_OF(a.in_rest) : 0;
    STORE(to, thread, weft_times(value, TURN(k, 2 * n)));
  }
#elif TYPE == 4
  BEGIN(n / 2) {
    PAIR value;
    value.x = from[row * n + 2 * k];
    value.y = from[row * n + n - 1 - 2 * k];
    STORE(to, thread, weft_times(value, TURN(8 * k + 1, 8 * n)));
  }
#else
  BEGIN(2 * n) {
    PAIR value = (PAIR)(0, 0);
    if (k < n) value = TURN(k, 2 * n) * from[row * n + k];
    STORE(to, thread, value);
  }
#endif
}

__kernel void weft_dct_after(const weft__dct_args a, __global const uchar *APART from_buffer,
                            __global uchar *APART to_buffer) {
#if TYPE == 2 && WEFT_CPU
  // values k and n - k have the same factor, the product of a block's first one and one of TOGETHER
  SHARE(n / 2 + 1)
  REAL turn_x[TOGETHER], turn_y[TOGETHER];
  for (uint j = 0; j < TOGETHER; j++) {
    const PAIR turn = TURN(j, 2 * n);
    turn_x[j] = turn.x;
    turn_y[j] = turn.y;
  }
  const REAL factor = REAL_OF(a.out_rest);
  from += 2 * row * (n / 2 + 1);
  to += row * n;
  for (ulong begin = first; begin < last; begin += TOGETHER) {
    const uint count = (uint)min((ulong)TOGETHER, last - begin);
    const PAIR block = TURN(begin, 2 * n);
    REAL low[TOGETHER], high[TOGETHER];
    for (uint j = 0; j < count; j++) {
      const PAIR value = weft_times(LOAD(from, begin + j), weft_times(block, (PAIR)(turn_x[j], turn_y[j])));
      low[j] = value.x * factor;
      high[j] = -value.y * factor;
    }
    if (begin == 0) low[0] = from[0] * REAL_OF(a.out_edge);
    for (uint j = begin == 0; j < count; j++) to[n - begin - j] = high[j];
    for (uint j = 0; j < count; j++) to[begin + j] = low[j]; // of an even n, the middle again
  }
#elif TYPE == 3 && WEFT_CPU
  SHARE((n + 1) / 2)
  const REAL factor = REAL_OF(a.out_rest);
  from += row * n;
  to += row * n;
  for (ulong k = first; k < min(last, n / 2); k++) {
    to[2 * k] = from[k] * factor;
    to[2 * k + 1] = from[n - 1 - k] * factor;
  }
  if (last > n / 2) to[n - 1] = from[n / 2] * factor; // of an odd n
#else
#if TYPE == 4
  BEGIN(n / 2) {
#else
  BEGIN(n) {
#endif
#if TYPE == 1
    to[thread] = from[2 * thread] * (k == 0 || k == n - 1 ? REAL_OF(a.out_edge) : REAL_OF(a.out_rest));
#elif TYPE == 2
    const ulong given = n / 2 + 1;
    PAIR value = LOAD(from, row * given + (k < given ? k : n - k));
    value.y = k < given ? value.y : -value.y;
    to[thread] = weft_times(value, TURN(k, 2 * n)).x * (k ? REAL_OF(a.out_rest) : REAL_OF(a.out_edge));
#elif TYPE == 3
    to[thread] = from[row * n + (k % 2 ? n - 1 - k / 2 : k / 2)] * REAL_OF(a.out_rest);
#elif TYPE == 4
    const PAIR value = weft_times(LOAD(from, thread), TURN(8 * k + 1, 8 * n)) * REAL_OF(a.out_rest);
    to[row * n + 2 * k] = value.x;
    to[row * n + n - 1 - 2 * k] = -value.y;
#else
    to[thread] = weft_times(LOAD(from, row * 2 * n + k), TURN(2 * k + 1, 4 * n)).x * REAL_OF(a.out_rest);
#endif
  }
#endif
}
