// SPDX-License-Identifier: MIT
// Transforms of LENGTH values, a power of two, each whole in the registers and the local memory of a work-group: one
// pass over global memory. A work-item holds EACH values of one transform; COLUMNS transforms are in a work-group.
// Between two passes the work-items exchange their values through local memory: with WHOLE at once, else first the real
// parts, then the imaginary ones. A longer transform, of `whole` values, is two such steps: the first along columns,
// times exp(-2 pi i column k / whole) with FACTORS, the second along rows, whose result k is column k. In three steps
// the rows of the second one are again such a transform.
//
// PASSES: one PASS(radix, length transformed already, FROM_ACROSS) for each pass but the last, whose radix is LAST; the
// last of them has TO_ACROSS. FROM_ACROSS, TO_ACROSS: neighbouring work-items load, and store, values of neighbouring
// transforms, else of one transform. FROM_STEP, TO_STEP: between a transform's values, 1 or a.from_step and a.to_step.
// KIND: 0 complex; 1 rows of 2 * LENGTH real numbers, as LENGTH complex ones, to the first LENGTH + 1 values of their
// transforms; 2 the inverse of that. INVERSE: real and imaginary parts are exchanged before and after, which makes the
// exponent's sign positive.
// lint: -DLENGTH=64 -DEACH=16 -DCOLUMNS=8 -DPASSES=PASS(8,1,1) -DLAST=8 -DFROM_ACROSS=1 -DTO_ACROSS=1 -DFACTORS=1 -DINVERSE=0 -DFROM_STEP=a.from_step -DTO_STEP=a.to_step -DWHOLE=0 -DKIND=0
// lint: -DLENGTH=512 -DEACH=16 -DCOLUMNS=1 -DPASSES=PASS(8,1,0)PASS(8,8,0) -DLAST=8 -DFROM_ACROSS=0 -DTO_ACROSS=0 -DFACTORS=0 -DINVERSE=1 -DFROM_STEP=1 -DTO_STEP=1 -DWHOLE=0 -DKIND=2
// lint: -DLENGTH=512 -DEACH=16 -DCOLUMNS=1 -DPASSES=PASS(8,1,0)PASS(8,8,0) -DLAST=8 -DFROM_ACROSS=0 -DTO_ACROSS=0 -DFACTORS=0 -DINVERSE=0 -DFROM_STEP=1 -DTO_STEP=1 -DWHOLE=0 -DKIND=1
// lint: -DLENGTH=16 -DEACH=4 -DCOLUMNS=32 -DPASSES=PASS(4,1,0) -DLAST=4 -DFROM_ACROSS=0 -DTO_ACROSS=0 -DFACTORS=0 -DINVERSE=0 -DFROM_STEP=1 -DTO_STEP=1 -DWHOLE=1 -DKIND=1
#include "fft/complex.clh"

#define THREADS (LENGTH / EACH) /* of a transform */
// Local memory of a transform: a gap behind every 16 values, and another between transforms, against bank conflicts.
#define BARE (LENGTH + LENGTH / 16 + (KIND == 1))
#define BANKS (WHOLE ? 16 : 32)
#define ROOM (COLUMNS == 1 ? BARE : BARE + (2 * BANKS - BARE % BANKS + BANKS / COLUMNS) % BANKS)
#define PLACE(k) ((k) + (k) / 16)
#define UNROLL _Pragma("unroll")

// x times exp(-2 pi i k / 32) for a constant k, 0 to 15
inline PAIR weft_turned(PAIR x, const int k) {
  const REAL cosine[] = {1,
                         (REAL)0.98078528040323044913,
                         (REAL)0.92387953251128675613,
                         (REAL)0.83146961230254523708,
                         (REAL)0.70710678118654752440,
                         (REAL)0.55557023301960222474,
                         (REAL)0.38268343236508977173,
                         (REAL)0.19509032201612826785,
                         0};
  PAIR y;
  if (k == 0) return x;
  if (k == 4) {
    y.x = (x.x + x.y) * cosine[4];
    y.y = (x.y - x.x) * cosine[4];
    return y;
  }
  const REAL c = k < 8 ? cosine[k] : -cosine[16 - k], s = k < 8 ? cosine[8 - k] : cosine[k - 8];
  y.x = k == 8 ? x.y : fma(x.x, c, x.y * s);
  y.y = k == 8 ? -x.x : fma(x.y, c, -x.x * s);
  return y;
}

// The place of a result in the order in which the butterflies leave them: its bits reversed.
#define REVERSED(v, radix) \
  (((((v)&1) << 4) | (((v)&2) << 2) | ((v)&4) | (((v)&8) >> 2) | (((v)&16) >> 4)) * (radix) / 32)

// A work-item's value q of its transform b of a pass is x[b + q * APART(radix)].
#define APART(radix) (EACH / (radix))

// The butterflies of values that are `half` apart.
#define BUTTERFLIES(radix, half)                                                               \
  UNROLL for (int b = 0; b < APART(radix); b++) UNROLL for (int g = 0; g < (radix) / 2; g++) { \
    const int low = b + (g / (half)*2 * (half) + g % (half)) * APART(radix);                   \
    const int high = low + (half)*APART(radix);                                                \
    const PAIR sum = x[low] + x[high];                                                         \
    x[high] = weft_turned(x[low] - x[high], g % (half) * (16 / (half)));                       \
    x[low] = sum;                                                                              \
  }

#define TRANSFORM(radix)                    \
  if ((radix) >= 32) BUTTERFLIES(radix, 16) \
  if ((radix) >= 16) BUTTERFLIES(radix, 8)  \
  if ((radix) >= 8) BUTTERFLIES(radix, 4)   \
  if ((radix) >= 4) BUTTERFLIES(radix, 2)   \
  BUTTERFLIES(radix, 1)

// Fills power[q], 1 to count - 1, with exp(-2 pi i q part / whole): few come from a series, and none is a product of
// more than six.
#define POWERS(count, part, whole)                              \
  UNROLL for (int q = 1; q < (count); q++) {                    \
    if (q == 1 || q == 4 || q == 16)                            \
      power[q] = weft_root((part)*q, whole);                    \
    else if (q & (q - 1))                                       \
      power[q] = weft_times(power[q & (q - 1)], power[q & -q]); \
    else                                                        \
      power[q] = weft_times(power[q / 2], power[q / 2]);        \
  }

// Value q times exp(-2 pi i q k / (radix * done)), k being the number of the work-item's transform modulo `done`. Where
// it is not the same for all transforms of the work-item, the rest is a constant turn.
#define TURN(radix, done)                                                                                           \
  {                                                                                                                 \
    PAIR power[radix];                                                                                              \
    POWERS(radix, t % (done), (radix) * (done))                                                                     \
    UNROLL for (int b = 0; b < APART(radix); b++) UNROLL for (int q = 1; q < (radix); q++) {                        \
      const int rest = (done) > THREADS ? b % ((done) / THREADS + ((done) < THREADS)) * q * TURNS(radix, done) : 0; \
      const PAIR turned = weft_turned(power[q], rest % 16);                                                         \
      x[b + q * APART(radix)] = weft_times(x[b + q * APART(radix)], rest % 32 < 16 ? turned : -turned);             \
    }                                                                                                               \
  }
#define TURNS(radix, done) (32 * THREADS / ((radix) * (done)))

// Value v of the transform j of a pass becomes value RANK(j) + v * done of the next. All numbers are powers of two,
// so a sum of t and a multiple of THREADS has no carry: the place of the second is a constant to add.
#define RANK(j, radix, done) (((j) - (j) % (done)) * (radix) + (j) % (done))
#define SEND(radix, done, part)                                                            \
  {                                                                                        \
    __local EXCHANGED *base = shared + column * ROOM + PLACE(RANK(t, radix, done));        \
    UNROLL for (int b = 0; b < APART(radix); b++) UNROLL for (int v = 0; v < (radix); v++) \
        base[PLACE(RANK(THREADS * b, radix, done)) + PLACE(v * (done))] =                  \
            x[b + REVERSED(v, radix) * APART(radix)] part;                                 \
  }
#define RECEIVE(part)                                                           \
  {                                                                             \
    __local EXCHANGED *base = shared + column * ROOM + PLACE(t);                \
    UNROLL for (int i = 0; i < EACH; i++) x[i] part = base[PLACE(THREADS * i)]; \
  }

// The work-item's place among the THREADS of its transform, and the transform's among the group's.
#define T_OF(across) ((across) ? (uint)get_local_id(0) / COLUMNS : (uint)get_local_id(0) % THREADS)
#define COLUMN_OF(across) ((across) ? (uint)get_local_id(0) % COLUMNS : (uint)get_local_id(0) / THREADS)
#define BE_OF(across) t = T_OF(across), column = COLUMN_OF(across);

// A pass in the place of FROM_ACROSS; the work-item receives the values of the place `next`.
#define PASS(radix, done, next)     \
  if ((done) > 1) TURN(radix, done) \
  TRANSFORM(radix)                  \
  EXCHANGES(radix, done, next)
#define EXCHANGE(radix, done, next, part) \
  BE_OF(FROM_ACROSS)                      \
  barrier(CLK_LOCAL_MEM_FENCE);           \
  SEND(radix, done, part)                 \
  barrier(CLK_LOCAL_MEM_FENCE);           \
  BE_OF(next)                             \
  RECEIVE(part)
#if WHOLE
#define EXCHANGED PAIR
#define EXCHANGES(radix, done, next) EXCHANGE(radix, done, next, )
#else
#define EXCHANGED REAL
#define EXCHANGES(radix, done, next) EXCHANGE(radix, done, next, .x) EXCHANGE(radix, done, next, .y)
#endif

__kernel __attribute__((reqd_work_group_size(THREADS * COLUMNS, 1, 1))) void weft_fft_local(
    const weft__fft_local_args a, __global const uchar *from_buffer, __global uchar *to_buffer) {
  __local EXCHANGED shared[COLUMNS * ROOM];
  __global const PAIR *from = (__global const PAIR *)(from_buffer + a.from_offset); /* aligned to PAIR, for speed */
  __global PAIR *to = (__global PAIR *)(to_buffer + a.to_offset);
  const uint group = (uint)get_group_id(0), groups = (uint)a.groups, split = (uint)a.from_split;
  const ulong start = group / groups * a.columns * LENGTH;
  const uint first = group % groups * COLUMNS;
  PAIR x[EACH];
  uint t, column;
  BE_OF(FROM_ACROSS) {
    const uint mine = first + column;
    const ulong row = start + mine / split * a.from_far + mine % split * a.from_near;
    const bool is_there = mine < a.columns;
#if KIND == 2
    const PAIR root = weft_root(t, 2 * LENGTH);
#endif
    UNROLL for (int i = 0; i < EACH; i++) {
      x[i] = (PAIR)(0, 0);
      if (is_there) x[i] = from[row + (t + (ulong)i * THREADS) * FROM_STEP];
#if KIND == 2
      PAIR other = (PAIR)(0, 0);
      if (is_there) other = from[row + LENGTH - t - i * THREADS];
      if (i == 0 && t == 0) x[i].y = other.y = 0;
      x[i] = weft_joined(x[i], other, weft_turned(root, i * (16 / EACH)));
#endif
      if (INVERSE) x[i] = x[i].yx;
    }
  }
  PASSES
  if (LENGTH > LAST) TURN(LAST, LENGTH / LAST)
  TRANSFORM(LAST)
  const uint mine = first + column;
#if FACTORS
  {
    // of the results t + THREADS i
    PAIR power[EACH];
    const uint k = mine / split, whole = (uint)a.whole;
    const PAIR own = weft_root(k * t, whole);
    POWERS(EACH, k * THREADS, whole)
    UNROLL for (int b = 0; b < APART(LAST); b++) UNROLL for (int v = 0; v < LAST; v++) {
      const int at = b + REVERSED(v, LAST) * APART(LAST), i = b + v * APART(LAST);
      x[at] = weft_times(x[at], i ? weft_times(own, power[i]) : own);
    }
  }
#endif
#define RESULT(b, v) x[b + REVERSED(v, LAST) * APART(LAST)] /* t + THREADS * (b + v * APART(LAST)) */
  const ulong target = start + mine * a.to_column + t * TO_STEP;
  const REAL scale = REAL_OF(a.scale);
#if KIND == 1
  // value LENGTH - k, of which value LENGTH is value 0, is in a place of another work-item
  __local REAL *row = (__local REAL *)shared + column * ROOM;
  REAL mirrored[EACH];
  const PAIR root = weft_root(t, 2 * LENGTH);
#define SHOW(part)                                                                   \
  barrier(CLK_LOCAL_MEM_FENCE);                                                      \
  UNROLL for (int b = 0; b < APART(LAST); b++) UNROLL for (int v = 0; v < LAST; v++) \
      row[PLACE(t) + PLACE(THREADS * (b + v * APART(LAST)))] = RESULT(b, v).part;    \
  if (t == 0) row[PLACE(LENGTH)] = x[0].part;                                        \
  barrier(CLK_LOCAL_MEM_FENCE);
#if THREADS >= 16 // all sums have no carry
  __local REAL *back = row + PLACE(t ? THREADS - t : THREADS);
#define MIRRORED(i) back[PLACE(THREADS * (EACH - 1 - (i)))]
#else
#define MIRRORED(i) row[PLACE(LENGTH - THREADS * (i)-t)]
#endif
  SHOW(x)
  UNROLL for (int i = 0; i < EACH; i++) mirrored[i] = MIRRORED(i);
  SHOW(y)
  if (mine >= a.columns) return;
  UNROLL for (int b = 0; b < APART(LAST); b++) UNROLL for (int v = 0; v < LAST; v++) {
    const int i = b + v * APART(LAST);
    PAIR other;
    other.x = mirrored[i];
    other.y = MIRRORED(i);
    to[target + i * THREADS] = weft_parted(RESULT(b, v), other, weft_turned(root, i * (16 / EACH))) * scale;
  }
  if (t == 0) to[target + LENGTH] = (PAIR)(2 * (x[0].x - x[0].y) * scale, 0);
#else
  if (mine >= a.columns) return;
  UNROLL for (int b = 0; b < APART(LAST); b++) UNROLL for (int v = 0; v < LAST; v++) {
    const PAIR value = RESULT(b, v) * scale;
    to[target + (ulong)(b + v * APART(LAST)) * THREADS * TO_STEP] = INVERSE ? value.yx : value;
  }
#endif
}
