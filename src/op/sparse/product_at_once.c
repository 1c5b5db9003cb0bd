// SPDX-License-Identifier: MIT
/// Products of sparse matrices of few elements with vectors by the calling thread (mem/at_once.h): cl/sparse/cpu.cl in
/// C, tile after tile, with the same sums.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O2") /* with O3 the sums of a row are kept in other vectors, and take twice as long */
#endif
#include "mem/at_once.h"
#include "op/sparse/csr.h"

typedef struct multiplying {
  const int32_t *indptr, *column;
  const void *data, *x;
  void *to;
  int64_t apart; /* elements between two of the result */
  int64_t rows, tile;
} multiplying;

typedef void multiply_rows(const multiplying *m);

/// NAME_sum: of the elements from `from` to `end`. NAME: the product. The elements of a row in different tiles have
/// sums of their own, which `begun` adds up. A: the accumulator's type, which TO casts to T.
#define PRODUCT(NAME, T, A, TO, ADD, MULTIPLY)                                                   \
  static inline A NAME##_sum(const multiplying *m, int64_t from, int64_t end) {                  \
    const T *data = m->data, *x = m->x;                                                          \
    const int32_t *column = m->column;                                                           \
    A sum[4] = {0};                                                                              \
    int64_t k = from;                                                                            \
    for (; k + 4 <= end; k += 4)                                                                 \
      for (int j = 0; j < 4; j++) sum[j] = ADD(sum[j], MULTIPLY(data[k + j], x[column[k + j]])); \
    for (; k < end; k++) sum[0] = ADD(sum[0], MULTIPLY(data[k], x[column[k]]));                  \
    return ADD(ADD(sum[0], sum[1]), ADD(sum[2], sum[3]));                                        \
  }                                                                                              \
  static void NAME(const multiplying *m) {                                                       \
    const int32_t *indptr = m->indptr;                                                           \
    T *to = m->to;                                                                               \
    A begun = {0};                                                                               \
    bool has_begun = false;                                                                      \
    int64_t row = 0, element = 0;                                                                \
    for (int64_t behind = m->tile; row < m->rows; behind += m->tile) {                           \
      for (; row < m->rows && indptr[row + 1] + row < behind; element = indptr[++row]) {         \
        const A sum = NAME##_sum(m, element, indptr[row + 1]);                                   \
        to[row * m->apart] = TO(has_begun ? ADD(begun, sum) : sum);                              \
        has_begun = false;                                                                       \
      }                                                                                          \
      if (row == m->rows || element == behind - row) continue;                                   \
      const A sum = NAME##_sum(m, element, behind - row);                                        \
      begun = has_begun ? ADD(begun, sum) : sum;                                                 \
      has_begun = true;                                                                          \
      element = behind - row;                                                                    \
    }                                                                                            \
  }

#define EITHER(a, b) ((a) | (b))
#define BOTH(a, b) ((uint32_t)((a) != 0) & (uint32_t)((b) != 0))
#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
#define TIMES_U32(a, b) ((uint32_t)(a) * (uint32_t)(b))
#define BYTE(sum) (uint8_t)(sum)
#define HALF(sum) (uint16_t)(sum)
#define SAME(sum) (sum)
/* signed integers as unsigned ones, whose lowest bits they have */
PRODUCT(csr_rows_bool, uint8_t, uint32_t, BYTE, EITHER, BOTH)
PRODUCT(csr_rows_u8, uint8_t, uint32_t, BYTE, PLUS, TIMES_U32)
PRODUCT(csr_rows_u16, uint16_t, uint32_t, HALF, PLUS, TIMES_U32)
PRODUCT(csr_rows_u32, uint32_t, uint32_t, SAME, PLUS, TIMES)
PRODUCT(csr_rows_u64, uint64_t, uint64_t, SAME, PLUS, TIMES)
PRODUCT(csr_rows_f32, float, float, SAME, PLUS, TIMES)
PRODUCT(csr_rows_f64, double, double, SAME, PLUS, TIMES)

#define COMPLEX(D)                                                           \
  static inline weft_##D csr_plus_##D(weft_##D a, weft_##D b) {              \
    return (weft_##D){a.re + b.re, a.im + b.im};                             \
  }                                                                          \
  static inline weft_##D csr_times_##D(weft_##D a, weft_##D b) {             \
    return (weft_##D){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; \
  }                                                                          \
  PRODUCT(csr_rows_##D, weft_##D, weft_##D, SAME, csr_plus_##D, csr_times_##D)
COMPLEX(c64)
COMPLEX(c128)

static multiply_rows *loop_of(weft_dtype dtype) {
  switch (dtype) {
    case WEFT_BOOL:
      return csr_rows_bool;
    case WEFT_I8:
    case WEFT_U8:
      return csr_rows_u8;
    case WEFT_I16:
    case WEFT_U16:
      return csr_rows_u16;
    case WEFT_I32:
    case WEFT_U32:
      return csr_rows_u32;
    case WEFT_I64:
    case WEFT_U64:
      return csr_rows_u64;
    case WEFT_F32:
      return csr_rows_f32;
    case WEFT_F64:
      return csr_rows_f64;
    case WEFT_C64:
      return csr_rows_c64;
    case WEFT_C128:
      return csr_rows_c128;
    default:
      return NULL;
  }
}

weft_status weft__csr_product_at_once(bool *is_done, const weft_csr *m, const weft__matmul_task *t) {
  const weft__core *core = &t->context->core;
  const uint64_t bytes = (uint64_t)weft_array_size_bytes(m->data) + (uint64_t)weft_array_size_bytes(m->indices) +
                         (uint64_t)(t->m + t->k) * weft_dtype_size_bytes(t->product);
  const weft__use use[] = {{t->out.storage, true},
                           {t->b.storage, false},
                           {m->data->storage, false},
                           {m->indptr->storage, false},
                           {m->indices->storage, false}};
  multiply_rows *const multiply = loop_of(t->product);
  char *place[5];
  *is_done = false;
  if (!t->context->store.is_cpu || !multiply || t->n != 1 || t->has_scale || t->has_accumulate ||
      m->indices->dtype != WEFT_I32 || m->data->size == 0 || t->a.dtype != t->product || t->b.dtype != t->product ||
      t->out.dtype != t->product || bytes > weft__at_once_bytes(core))
    return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &t->context->core, 5, use));
  if (!*is_done) return WEFT_OK;
  multiply(&(const multiplying){.to = place[0] + t->out.offset_bytes,
                                .x = place[1] + t->b.offset_bytes,
                                .data = place[2] + m->data->offset_bytes,
                                .indptr = (const int32_t *)(const void *)(place[3] + m->indptr->offset_bytes),
                                .column = (const int32_t *)(const void *)(place[4] + m->indices->offset_bytes),
                                .apart = t->out.row,
                                .rows = m->rows,
                                .tile = weft__csr_tiling_of(t->context).tile});
  return WEFT_OK;
}
