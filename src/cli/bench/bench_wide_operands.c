// SPDX-License-Identifier: MIT
/// Operands of `weft bench wide`: made when the text of a call names them, and kept for the rows after it.
#include <stddef.h>
#include <string.h>

#include "cli/bench/bench_wide.h"

static weft_status too_small(void) {
  weft_error_enter("weft bench wide", NULL);
  return weft_error_leave(weft_error_record(WEFT_ERROR_UNSUPPORTED, NULL, "the size is too small for this row"));
}

weft_status wide_part(weft_array **out, const weft_array *x, weft_shape shape) {
  weft_array *flat = NULL, *part = NULL;
  int64_t count = 1;
  weft_status rc;
  for (int i = 0; i < shape.ndim; i++) count *= shape.dim[i];
  if (count == 0) return too_small();
  WEFT__TRY(weft_ravel(&flat, x));
  WEFT__TRY(weft_slice(&part, flat, 0, 0, count));
  rc = weft_reshape(out, part, shape);
done:
  weft_release(&flat, &part);
  return rc;
}

weft_status wide_turned(weft_array **out, const weft_array *x, weft_shape shape, weft_axes axes) {
  weft_array *part = NULL;
  weft_status rc;
  WEFT__TRY(wide_part(&part, x, shape));
  rc = weft_transpose(out, part, axes);
done:
  weft_array_release(&part);
  return rc;
}

weft_status wide_system(weft_array **out, const wide *w, weft_shape shape, bool is_symmetric) {
  const int64_t n = shape.dim[shape.ndim - 1];
  weft_array *raw = NULL, *eye = NULL, *square = NULL;
  weft_status rc;
  if (shape.dim[0] == 0) return too_small();
  WEFT__TRY(weft_uniform(&raw, w->rng, WEFT_F32, shape, 0, 1));
  WEFT__TRY(weft_eye(&eye, w->context, WEFT_F32, n));
  WEFT__TRY(weft_multiply(&eye, eye, (float)n));
  if (is_symmetric) {
    WEFT__TRY(weft_einsum(&square, "...ij,...kj->...ik", raw, raw));
    rc = weft_add(out, square, eye);
  } else {
    rc = weft_add(out, raw, eye);
  }
done:
  weft_release(&raw, &eye, &square);
  return rc;
}

/* ---- the table ---- */

#define MAKE(type, name, ...)               \
  static weft_status make_##name(wide *w) { \
    type **out = &w->name;                  \
    return __VA_ARGS__;                     \
  }
#define OPERAND(type, name, ...) {#name, #type, #__VA_ARGS__, make_##name, offsetof(wide, name)},

WIDE_OPERANDS(MAKE)

static const struct operand {
  const char *name, *type, *call;
  weft_status (*make)(wide *w);
  size_t offset; /* of its handle */
} operands[] = {WIDE_OPERANDS(OPERAND)};

enum { OPERANDS = sizeof operands / sizeof *operands };

static void *handle_of(const wide *w, int i) {
  void *handle;
  memcpy(&handle, (const char *)w + operands[i].offset, sizeof handle);
  return handle;
}

/// The next operand that a call's text names, from *at on; -1: no further one.
static int next_operand(const char **at) {
  while ((*at = strstr(*at, "w->"))) {
    *at += 3;
    const size_t length = strspn(*at, "abcdefghijklmnopqrstuvwxyz_0123456789");
    for (int i = 0; i < OPERANDS; i++)
      if (strlen(operands[i].name) == length && strncmp(operands[i].name, *at, length) == 0) return i;
  }
  return -1;
}

weft_status wide_need(wide *w, const char *call) {
  for (int i; (i = next_operand(&call)) >= 0;) {
    if (handle_of(w, i)) continue;
    WEFT__TRY_RETURN(wide_need(w, operands[i].call));
    WEFT__TRY_RETURN(operands[i].make(w));
  }
  return WEFT_OK;
}

uint64_t wide_csr_bytes(const weft_csr *matrix) {
  weft_csr_info info;
  if (!matrix || weft_csr_get(&info, matrix) != WEFT_OK) return 0;
  const uint64_t element = weft_dtype_size_bytes(info.dtype), index = weft_dtype_size_bytes(info.index_dtype);
  return (uint64_t)info.count * (element + index) + (uint64_t)(info.rows + 1) * index;
}

uint64_t wide_operand_bytes(const wide *w, const char *call) {
  bool is_counted[OPERANDS] = {false};
  uint64_t bytes = 0;
  for (int i; (i = next_operand(&call)) >= 0; is_counted[i] = true) {
    if (is_counted[i]) continue;
    if (strcmp(operands[i].type, "weft_array") == 0)
      bytes += weft_array_size_bytes((const weft_array *)handle_of(w, i));
    else if (strcmp(operands[i].type, "weft_csr") == 0)
      bytes += wide_csr_bytes((const weft_csr *)handle_of(w, i));
  }
  return bytes;
}

void wide_release_operands(wide *w) {
  for (int i = 0; i < OPERANDS; i++) (weft_release)(1, (void *[]){(char *)w + operands[i].offset});
  weft_array_release(&w->pivots);
}
