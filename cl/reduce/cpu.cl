// SPDX-License-Identifier: MIT
// Reductions for CPUs. A work-item reads its part in one plain loop over an array of accumulators, which the compiler
// vectorizes. There is an accumulator per column; if columns are few, `merge` consecutive rows without gaps are treated
// as one. Needs the macros of reduce/common.clh, and:
//   R_LANES   the most accumulators
//   R_STEPS   whether columns are inner_stride apart, or merged rows of one column length_stride
// A work-item has `rows` indices of the outer axis, one of `tiles` ranges of `lanes` columns and one of `splits` ranges
// of `per` rows.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=2 -DWEFT_DEVICE_SCOPE=1
// lint: -DWEFT_LINT=3
// lint: -DWEFT_LINT=4 -DWEFT_DEVICE_SCOPE=1
// lint: -DWEFT_LINT=1 -DR_STEPS=1
#ifdef WEFT_LINT
#include "reduce/lint.clh"
#endif
#ifndef WEFT_BLOCK
#define WEFT_BLOCK 32 // for warp.clh, which exchange.clh includes
#endif
#include "constant.clh"
#include "reduce/common.clh"
#include "reduce/lanes.clh"

#define R_TOGETHER 4 // rows that are added before the accumulators are stored

// Where accumulators are wider than values, they are multiplied by the product of four, which cannot overflow in them:
// denormal accumulators take 100 cycles for each multiplication.
#if R_OP == WEFT__GATHER_PROD && !R_SKIP_NAN
#define R_ADD_TOGETHER                                                                                \
  if (sizeof(R_CELL) > sizeof(R_VALUE))                                                               \
    acc = R_MUL(acc, R_MUL(R_MUL(R_TERM(v[0]), R_TERM(v[1])), R_MUL(R_TERM(v[2]), R_TERM(v[3]))));      \
  else                                                                                                \
    weft_r_add_many(&acc, v, R_TOGETHER, 0, 0 R_ARGS);
#else
#define R_ADD_TOGETHER weft_r_add_many(&acc, v, R_TOGETHER, begin + m * merge + LINE(l), merge R_ARGS);
#endif

// Lanes of a row without gaps: enough of them that an addition need not wait for the one before.
#if R_OP == WEFT__GATHER_SUM && (R_PAIR || R_TWO)
#define R_SETS 2
#else
#define R_SETS 4
#endif
#define R_WIDE (R_SETS * R_SIDE)

// Some operations work on a row without gaps by blocks.
// - argmin and argmax of numbers: a lane notes where in the block its best value is, in 32 bits.
// - variances: the mean of a block, then the distances from it, read from the first-level cache. No division for each
//   element.
// - any and all end with the first block that decides.
#if R_OP == WEFT__GATHER_WHERE && !R_COMPLEX
#define R_BLOCK 65536u
#elif R_OP == WEFT__GATHER_VARIANCE && !R_SKIP_NAN
#define R_BLOCK 1024u
#elif R_OP == WEFT__GATHER_ANY || R_OP == WEFT__GATHER_ALL
#define R_BLOCK 4096u
#endif

#define IN_TYPED(k, type, raw, place) __global const type *restrict from##k = (__global const type *)x##k;
#define IN_AT(k) from##k[at]
#define R_IN_TYPED(k, type, raw, place) , __global const type *from##k
#define R_IN_PASSED(k, type, raw, place) , from##k
#define BESIDE_TYPED(k, type, step, place) , const type beside##k
#define BESIDE_PASSED(k, type, step, place) , beside##k
/// Declares the elements that belong to the result (o, column).
#define BESIDE_GET(k, type, step, place) const type beside##k = from##k[(o * args.inner + column) * step];
/// Declares the elements that belong to the result (o, column + l).
#define BESIDE_LANE(k, type, step, place) const type beside##k = from##k[(o * args.inner + column + l) * step];
/// Declares the elements beside `lanes` lanes of `wide` columns each.
#define BESIDE_LANES(k, type, step, place)                                                          \
  type lanes##k[R_LANES] __attribute__((aligned(64)));                                              \
  for (uint l = 0; l < (uint)wide; l++) lanes##k[l] = from##k[(o * args.inner + column + l) * step]; \
  for (uint l = (uint)wide; l < lanes; l++) lanes##k[l] = lanes##k[l - (uint)wide];

// Fetches what a row needs soon: the processor's own prefetches come too late for arrays that its caches do not hold.
// PoCL's prefetch() does nothing, and Oclgrind has no such instruction.
#ifdef POCL_DEVICE_ADDRESS_BITS
#define R_AHEAD_BYTES 2048
#define R_FETCH(k, type, raw, place)                   \
  for (uint u = 0; u < R_WIDE * sizeof(type); u += 64) \
    __builtin_prefetch((const void *)((size_t)(from##k + start + m) + u + R_AHEAD_BYTES));
#else
#define R_FETCH(k, type, raw, place)
#endif

#if R_STEPS
#define LANE(l) ((l) * lane_stride)
#define COLUMN(c) ((c) * (ulong)args.inner_stride)
#else
#define LANE(l) (l)
#define COLUMN(c) (c)
#endif
#if R_NUMBERED
#define LINE(l) line[l]
#else
#define LINE(l) 0u
#endif

/// Sets v to the value of a row's element m.
#define R_ROW_VALUE(m)          \
  const ulong at = start + (m); \
  R_VALUE v;                    \
  R_MAP(IN_AT, base + (m), v)

// *result: the accumulator of a row without gaps; a pointer, because Oclgrind cannot inline functions that return
// structs. The row's `count` elements begin at `start` (as a number: `base`), and their first index is `begin`.
#define R_ROW_PARAMETERS                                                                         \
  __private weft_acc *result, const weft__reduce_args args, ulong count, ulong start, ulong base, \
      ulong begin R_INS(R_IN_TYPED) R_BESIDE(BESIDE_TYPED)

#if R_OP == WEFT__GATHER_WHERE && !R_COMPLEX

#if R_FLOAT
#define R_NOT_A_NUMBER (R_VALUE) NAN
#define R_IS_NO_NUMBER(v) ((v) != (v))  // a NaN; PoCL's isnan takes three more instructions
#else
#define R_NOT_A_NUMBER 0
#define R_IS_NO_NUMBER(v) 0
#endif

static inline __attribute__((always_inline)) void weft_r_row(R_ROW_PARAMETERS) {
  weft_acc acc = weft_r_neutral();
  for (ulong from = 0; from < count; from += R_BLOCK) {
    const ulong left = count - from;
    const uint size = (uint)min((ulong)R_BLOCK, left), whole = size / R_WIDE * R_WIDE;
    R_VALUE best[R_WIDE], first = R_WORST;
    uint round[R_WIDE], place = R_BLOCK;
    int nans[R_SIDE], any_nan = 0;
    for (uint l = 0; l < R_WIDE; l++) best[l] = R_WORST, round[l] = 0;
    for (uint s = 0; s < R_SIDE; s++) nans[s] = 0;
    for (uint k = 0; k < whole; k += R_WIDE)
#pragma unroll
      for (uint u = 0; u < R_WIDE; u += R_SIDE) R_SIDE_BY_SIDE
    for (uint s = 0; s < R_SIDE; s++) {
      R_ROW_VALUE(from + k + u + s)
      const int is_better = R_BETTER(v, best[u + s]);
      best[u + s] = is_better ? v : best[u + s];
      round[u + s] = is_better ? k : round[u + s];
      nans[s] = R_IS_NO_NUMBER(v) ? 1 : nans[s];
    }
    for (uint k = whole; k < size; k++) {
      R_ROW_VALUE(from + k)
      place = R_BETTER(v, first) ? k : place;
      first = R_BETTER(v, first) ? v : first;
      any_nan |= R_IS_NO_NUMBER(v);
    }
    for (uint s = 0; s < R_SIDE; s++) any_nan |= nans[s];
    R_VALUE most[R_SIDE];
    R_SIDE_BY_SIDE
    for (uint s = 0; s < R_SIDE; s++) {
      most[s] = R_BETTER(best[s + R_SIDE], best[s]) ? best[s + R_SIDE] : best[s];
      most[s] = R_BETTER(best[s + 2 * R_SIDE], most[s]) ? best[s + 2 * R_SIDE] : most[s];
      most[s] = R_BETTER(best[s + 3 * R_SIDE], most[s]) ? best[s + 3 * R_SIDE] : most[s];
    }
    for (uint apart = R_SIDE / 2; apart > 0; apart /= 2)
      for (uint s = 0; s < apart; s++) most[s] = R_BETTER(most[s + apart], most[s]) ? most[s + apart] : most[s];
    if (whole > 0 && !R_BETTER(first, most[0])) first = most[0], place = R_BLOCK;
    if (R_SKIP_NAN) any_nan = 0;
    if (acc.index != R_NOWHERE && !any_nan && !R_BETTER(first, acc.value)) continue;
    uint earliest = R_BLOCK;
    for (uint l = 0; l < R_WIDE; l++) earliest = min(earliest, best[l] == first ? round[l] + l : R_BLOCK);
    place = min(place, earliest);
    if (any_nan || !R_BETTER(first, R_WORST)) {  // the first NaN; or no element was better than the worst number
      place = R_BLOCK;
      for (uint k = 0; k < size; k++) {
        R_ROW_VALUE(from + k)
        place = min(place, (any_nan ? R_IS_NO_NUMBER(v) : v == first) ? k : R_BLOCK);
      }
      if (place == R_BLOCK) continue;  // nothing but NaNs, which are skipped
    }
    acc.value = any_nan ? R_NOT_A_NUMBER : first;
    acc.index = begin + from + place;
    if (any_nan) break;
  }
  *result = acc;
}

#elif R_OP == WEFT__GATHER_VARIANCE && !R_SKIP_NAN

#define R_SQUARED(v) \
  (R_REAL_PART(v) - x) * (R_REAL_PART(v) - x) + (R_IMAGINARY_PART(v) - y) * (R_IMAGINARY_PART(v) - y)

/// The sum of the lanes.
static inline R_REAL weft_r_total(__private R_REAL *lane) {
  for (uint apart = R_WIDE / 2; apart > 0; apart /= 2)
    for (uint l = 0; l < apart; l++) lane[l] += lane[l + apart];
  return lane[0];
}

static inline __attribute__((always_inline)) void weft_r_row(R_ROW_PARAMETERS) {
  weft_acc acc = weft_r_neutral();
  for (ulong from = 0; from < count; from += R_BLOCK) {
    const ulong left = count - from;
    const uint size = (uint)min((ulong)R_BLOCK, left), whole = size / R_WIDE * R_WIDE;
    R_REAL sums[R_WIDE], asides[R_WIDE], x, y;
    weft_acc block;
    { // sums of the distances from the first element: equal numbers have the variance 0
      R_ROW_VALUE(from)
      x = R_REAL_PART(v);
      y = R_IMAGINARY_PART(v);
    }
    for (uint l = 0; l < R_WIDE; l++) sums[l] = asides[l] = 0;
    for (uint k = 0; k < whole; k += R_WIDE)
#pragma unroll
      for (uint u = 0; u < R_WIDE; u += R_SIDE)
        R_SIDE_BY_SIDE
        for (uint s = 0; s < R_SIDE; s++) {
          R_ROW_VALUE(from + k + u + s)
          sums[u + s] += R_REAL_PART(v) - x;
          asides[u + s] += R_IMAGINARY_PART(v) - y;
        }
    for (uint l = 0; l < size - whole; l++) {
      R_ROW_VALUE(from + whole + l)
      sums[l] += R_REAL_PART(v) - x;
      asides[l] += R_IMAGINARY_PART(v) - y;
    }
    block = weft_r_neutral();
    weft_r_set_origin(&block, x, y);
    block.n = size;
    block.mean = weft_r_total(sums) / (R_REAL)size;
    x += block.mean;
#if R_COMPLEX
    block.imaginary = weft_r_total(asides) / (R_REAL)size;
    y += block.imaginary;
#endif
#if !R_SHIFTED
    block.mean = x;
#if R_COMPLEX
    block.imaginary = y;
#endif
#endif
    for (uint l = 0; l < R_WIDE; l++) sums[l] = 0;
    for (uint k = 0; k < whole; k += R_WIDE)
#pragma unroll
      for (uint u = 0; u < R_WIDE; u += R_SIDE)
        R_SIDE_BY_SIDE
        for (uint s = 0; s < R_SIDE; s++) {
          R_ROW_VALUE(from + k + u + s)
          sums[u + s] += R_SQUARED(v);
        }
    for (uint l = 0; l < size - whole; l++) {
      R_ROW_VALUE(from + whole + l)
      sums[l] += R_SQUARED(v);
    }
    block.squares = weft_r_total(sums);
    acc = weft_r_combine(acc, block);
  }
  *result = acc;
}

#elif R_OP == WEFT__GATHER_ANY || R_OP == WEFT__GATHER_ALL

static inline __attribute__((always_inline)) void weft_r_row(R_ROW_PARAMETERS) {
  uchar decided = 0;  // of a byte, like bools: the loop then takes 64 at once
  ulong m = 0;
  for (; m + R_BLOCK <= count && !decided; m += R_BLOCK)
    for (uint k = 0; k < R_BLOCK; k++) {
      R_ROW_VALUE(m + k)
      decided |= (uchar)(R_IS_TRUE(v) == (R_OP == WEFT__GATHER_ANY));
    }
  for (; m < count && !decided; m++) {
    R_ROW_VALUE(m)
    decided = R_IS_TRUE(v) == (R_OP == WEFT__GATHER_ANY);
  }
  *result = decided ? R_OP == WEFT__GATHER_ANY : weft_r_neutral();
}

#else

static inline __attribute__((always_inline)) void weft_r_row(R_ROW_PARAMETERS) {
  R_HOLD_LANES
  ulong m = 0;
  for (uint l = 0; l < R_WIDE; l++) {
    const weft_acc acc = weft_r_neutral(R_ARGS0);
    R_PUT_LANE
  }
  for (; m + R_WIDE <= count; m += R_WIDE) {
    R_INS(R_FETCH)
#pragma unroll
    for (uint u = 0; u < R_WIDE; u += R_SIDE)
      R_SIDE_BY_SIDE
      for (uint s = 0; s < R_SIDE; s++) {
        const uint l = u + s;
        R_ROW_VALUE(m + l)
        R_GET_LANE
        weft_r_add(&acc, v, begin + m + l R_ARGS);
        R_PUT_LANE
      }
  }
  for (uint l = 0; l < (uint)(count - m); l++) {
    R_ROW_VALUE(m + l)
    R_GET_LANE
    weft_r_add(&acc, v, begin + m + l R_ARGS);
    R_PUT_LANE
  }
  for (uint apart = R_WIDE / 2; apart > 0; apart /= 2)
    for (uint l = 0; l < apart; l++) R_COMBINE_LANES
  const uint l = 0;
  R_GET_LANE
  *result = acc;
}

#endif

/// Stores the accumulator of the result (o, column + l), or leaves it for who combines all splits.
#ifdef WEFT_DEVICE_SCOPE
#define DELIVER_LAST                                                                    \
  if (args.mode == WEFT__REDUCE_LAST)                                                   \
    weft_exchange_write(scratch, (uint)((result + l) * args.splits + split), acc,       \
                        args.lookback.epoch << 2 | EXCHANGE_PARTIAL);
#else
#define DELIVER_LAST
#endif
#define DELIVER                                                                         \
  if (args.mode == WEFT__REDUCE_DIRECT) weft_put(args, out, result + l, acc);           \
  if (args.mode == WEFT__REDUCE_SCRATCH) weft_leave(args, scratch, split, result + l, acc); \
  DELIVER_LAST

__kernel void weft_reduce_cpu(const weft__reduce_args args, __global uchar *restrict out,
                              __global uchar *restrict scratch R_INS(IN_PARAMETER) R_BESIDE(IN_PARAMETER)) {
  const ulong id = get_global_id(0), split = id % args.splits, rest = id / args.splits, tile = rest % args.tiles,
              group = rest / args.tiles;
  const ulong begin = split * args.per, end = min(begin + args.per, args.length);
  const ulong column = tile * args.lanes, wide = min((ulong)args.lanes, args.inner - column), merge = args.merge;
  const ulong last_o = min((group + 1) * args.rows, args.outer);
  R_INS(IN_OFFSET)
  R_INS(IN_TYPED)
  R_BESIDE(IN_OFFSET)
  R_BESIDE(IN_TYPED)
  R_HOLD_LANES
  WEFT_READ_CONSTANT
#if R_STEPS
  const ulong lane_stride = (ulong)(args.inner == 1 ? args.length_stride : args.inner_stride);
#endif
#if R_NUMBERED
  uint line[R_LANES];
  for (uint l = 0; l < R_LANES; l++) line[l] = wide == 1 ? l : l / (uint)wide;
#endif
  for (ulong o = group * args.rows; o < last_o; o++) {
    const ulong base = args.first + (o * args.length + begin) * args.inner + column;
    const ulong start = o * (ulong)args.outer_stride + begin * (ulong)args.length_stride + COLUMN(column);
    if (!R_STEPS && merge > 1 && args.inner == 1) {
      R_BESIDE(BESIDE_GET)
      weft_acc acc;
      weft_r_row(&acc, args, end - begin, start, base, begin R_INS(R_IN_PASSED) R_BESIDE(BESIDE_PASSED));
      const uint l = 0;
      R_PUT_LANE
    } else if (merge * wide == 1) { // a short row: one accumulator is enough
      R_BESIDE(BESIDE_GET)
      weft_acc acc = weft_r_neutral(R_ARGS0);
      for (ulong r = 0; r < end - begin; r++) {
        const ulong at = start + r * (ulong)args.length_stride;
        R_VALUE v;
        R_MAP(IN_AT, base + r * args.inner, v)
        weft_r_add(&acc, v, begin + r R_ARGS);
      }
      const uint l = 0;
      R_PUT_LANE
    } else {
      const ulong run = (end - begin) / merge, step = merge * (ulong)args.length_stride, number = merge * args.inner;
      const uint lanes = (uint)(merge * wide);
      R_BESIDE(BESIDE_LANES)
#undef R_OF_RESULT
#define R_OF_RESULT(k) lanes##k[l]
      ulong m = 0;
      for (uint l = 0; l < lanes; l++) {
        const weft_acc acc = weft_r_neutral(R_ARGS0);
        R_PUT_LANE
      }
      for (; m + R_TOGETHER <= run; m += R_TOGETHER) {
        R_IN_EIGHTS
        for (uint l = 0; l < lanes; l++) {
          R_GET_LANE
          R_VALUE v[R_TOGETHER];
#pragma unroll
          for (uint k = 0; k < R_TOGETHER; k++) {
            const ulong at = start + (m + k) * step + LANE(l);
            R_MAP(IN_AT, base + (m + k) * number + l, v[k])
          }
          R_ADD_TOGETHER
          R_PUT_LANE
        }
      }
      for (; m <= run; m++) { // the last one is incomplete
        const uint some = m < run ? lanes : (uint)((end - begin - run * merge) * wide);
        for (uint l = 0; l < some; l++) {
          const ulong at = start + m * step + LANE(l);
          R_VALUE v;
          R_MAP(IN_AT, base + m * number + l, v)
          R_GET_LANE
          weft_r_add(&acc, v, begin + m * merge + LINE(l) R_ARGS);
          R_PUT_LANE
        }
      }
      for (uint left = (uint)merge, upper; left > 1; left = upper) {
        upper = (left + 1) / 2;
        const uint pairs = (left - upper) * (uint)wide, apart = upper * (uint)wide;
        for (uint l = 0; l < pairs; l++) R_COMBINE_LANES
      }
    }
    const ulong result = o * args.inner + column;
    for (uint l = 0; l < (uint)wide; l++) {
      R_GET_LANE
#if R_FAR
      if (acc.re.s < R_LEAST || acc.re.s > R_MOST) { // not NaN
        R_BESIDE(BESIDE_LANE)
#undef R_OF_RESULT
#define R_OF_RESULT(k) beside##k
        acc = weft_r_neutral(R_ARGS0);
        for (ulong r = 0; r < end - begin; r++) {
          const ulong at = start + r * (ulong)args.length_stride + COLUMN(l);
          R_VALUE v;
          R_MAP(IN_AT, base + r * args.inner + l, v)
          weft_r_add_far(&acc, v);
        }
        DELIVER
        continue; // so that the accumulators of other rows have no scaled sums to look at
      }
#endif
      DELIVER
    }
  }
#ifdef WEFT_DEVICE_SCOPE
  if (args.mode == WEFT__REDUCE_LAST) {
    weft_fence_device();
    if (weft_exchange_ticket(scratch, args.lookback.first_ticket) == (uint)args.blocks - 1)
      for (ulong result = 0; result < args.outputs; result++) {
        weft_acc acc = weft_part(scratch, result * args.splits, args.lookback.epoch);
        for (ulong s = 1; s < args.splits; s++)
          acc = weft_r_combine(acc, weft_part(scratch, result * args.splits + s, args.lookback.epoch) R_ARGS);
        weft_put(args, out, result, acc);
      }
  }
#endif
}
