// SPDX-License-Identifier: MIT
#include "selection.h"

void picks_store(picks *p, int64_t k, int64_t v) {
  size_t size = weft_dtype_size_bytes(p->dtype);
  p->value[k] = v;
  memcpy(p->bytes + (size_t)k * size, &v, size); /* little-endian, like all machines that the suite runs on */
}

/* The index dtype follows from the mode, so that there are few kernels. In ERROR mode all indices are in range, half of
   them counted from the end. */
void picks_make(picks *p, weft_shape shape, int64_t length, unsigned mode, harness_random *random) {
  p->shape = shape;
  p->count = shape_count(shape);
  p->dtype = (mode & 3) == WEFT_INDEX_ERROR ? WEFT_I32 : (mode & 3) == WEFT_INDEX_CLIP ? WEFT_I64 : WEFT_I32;
  ck_assert_int_le(p->count, PICKS_MOST);
  for (int64_t k = 0; k < p->count; k++) {
    bool from_end = harness_bits(random) & 1;
    int64_t v = harness_between(random, 0, length - 1);
    if ((mode & 3) == WEFT_INDEX_ERROR)
      v -= from_end ? length : 0;
    else
      v = harness_between(random, -2 * length - 3, 2 * length + 3);
    picks_store(p, k, v);
  }
}

weft_array *picks_upload(const picks *p) {
  weft_array *x = NULL;
  ok(weft_from_host(&x, ctx, p->dtype, p->shape, p->bytes));
  return x;
}

int64_t picks_resolve(int64_t v, int64_t length, unsigned mode) {
  switch (mode & 3) {
    case WEFT_INDEX_CLIP:
      return v < 0 ? 0 : v >= length ? length - 1 : v;
    case WEFT_INDEX_WRAP:
      return (v % length + length) % length;
    default:
      return v < 0 ? v + length : v;
  }
}

around around_of(weft_shape shape, int axis) {
  around a = {1, 1, 1};
  if (axis == WEFT__EVERY_AXIS) {
    a.length = shape_count(shape);
    return a;
  }
  for (int d = 0; d < shape.ndim; d++) *(d < axis ? &a.outer : d == axis ? &a.length : &a.run) *= shape.dim[d];
  return a;
}

/* The element of x for element e of the dense side; `along`: each e has its own index. */
int64_t around_place(const around *a, int64_t e, const picks *p, int64_t count, bool along, unsigned mode) {
  int64_t i = e % a->run, k = e / a->run % count, o = e / a->run / count;
  return (o * a->length + picks_resolve(p->value[along ? e : k], a->length, mode)) * a->run + i;
}

const char *picks_describe(char *text, size_t size, const char *what, weft_dtype dtype, layout kind, int axis,
                           const picks *p, unsigned mode) {
  snprintf(text, size, "%s %s %s axis %d, %" PRId64 " indices of %s, mode %x", what, weft_dtype_name(dtype),
           LAYOUT_NAMES[kind], axis == WEFT__EVERY_AXIS ? -1 : axis, p->count, weft_dtype_name(p->dtype), mode);
  return text;
}
