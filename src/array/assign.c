// SPDX-License-Identifier: MIT
/// Copies and fills arrays with the kernels of the core program.
#include <string.h>

#include "array/strided_move.h"
#include "array/strides.h"
#include "base/wide.h"
#include "dtype/scalar.h"
#include "mem/at_once.h"

weft_status weft__run_own(weft__kernel *kernel, uint64_t threads, weft_array *to, const weft_array *from,
                          const void *arguments, size_t argument_bytes, const char *site) {
  weft__value values[3];
  weft__use use[2];
  int n = 0, uses = 0;
  values[n++] = (weft__value){.size_bytes = sizeof(weft__cl_mem), .data = &to->storage->mem};
  if (from) values[n++] = (weft__value){.size_bytes = sizeof(weft__cl_mem), .data = &from->storage->mem};
  values[n] = (weft__value){.size_bytes = argument_bytes, .data = arguments};
  if (from) use[uses++] = (weft__use){from->storage, false};
  use[uses++] = (weft__use){to->storage, true};
  uint64_t block = weft__own_block(&to->context->core), bytes = (uint64_t)weft_array_size_bytes(to);
  weft__submission launch = {
      .slot = weft__slot_now(&to->context->core),
      .command = &(weft__command){.grid = weft__own_grid(threads, block), .block = weft__dim3(block, 1, 1)},
      .uses = uses,
      .use = use,
      .bytes = from && from != to ? 2 * bytes : bytes,
      .site = site};
  return weft__launch(kernel, values, NULL, &launch);
}

/// Without kernels: one copy command for each run of bytes that is contiguous in both arrays.
static weft_status copy_runs(weft_array *to, const weft_array *from, weft__layout *l) {
  int64_t run_bytes = (int64_t)weft_dtype_size_bytes(to->dtype);
  if (l->ndim && l->stride[0][l->ndim - 1] == run_bytes && l->stride[1][l->ndim - 1] == run_bytes)
    run_bytes *= l->length[--l->ndim];
  int64_t runs = to->size * (int64_t)weft_dtype_size_bytes(to->dtype) / run_bytes;
  for (int64_t run = 0; run < runs; run++) {
    int64_t to_at = l->offset[0], from_at = l->offset[1], rest = run;
    for (int d = l->ndim - 1; d >= 0; rest /= l->length[d--]) {
      to_at += rest % l->length[d] * l->stride[0][d];
      from_at += rest % l->length[d] * l->stride[1][d];
    }
    WEFT__TRY_RETURN(weft__transfer_copy(to->storage, (uint64_t)to_at, from->storage, (uint64_t)from_at,
                                         weft__slot_now(&to->context->core), (uint64_t)run_bytes));
  }
  return WEFT_OK;
}

/// Without kernels: writes one element, then copies the written part until the array is full.
static weft_status fill_by_doubling(weft_array *x, const uint64_t element[2]) {
  const int slot = weft__slot_now(&x->context->core);
  uint64_t begin = (uint64_t)x->offset_bytes, done = weft_dtype_size_bytes(x->dtype), all = (uint64_t)x->size * done;
  WEFT__TRY_RETURN(weft__transfer_to_device(x->storage, slot, begin, done, element));
  for (; done < all; done *= 2)
    WEFT__TRY_RETURN(
        weft__transfer_copy(x->storage, begin + done, x->storage, begin, slot, done < all - done ? done : all - done));
  return WEFT_OK;
}

/// Moves few elements, or stores `value` in them, without a launch.
static weft_status move_at_once(bool *is_done, weft_array *to, const weft_array *from, const uint64_t *value,
                                weft__layout *l) {
  const weft__use use[] = {{to->storage, true}, {from ? from->storage : to->storage, false}};
  const size_t size = weft_dtype_size_bytes(to->dtype);
  char *place[2];
  *is_done = false;
  if ((uint64_t)to->size * size > weft__at_once_bytes(&to->context->core) / 2) return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &to->context->core, from ? 2 : 1, use));
  if (!*is_done) return WEFT_OK;
  if (from) {
    weft__move_elements(place[0] + l->offset[0], place[1] + l->offset[1], l, size);
    return WEFT_OK;
  }
  memset(l->stride[1], 0, sizeof l->stride[1]); /* every element is the value */
  weft__move_elements(place[0] + l->offset[0], (const char *)value, l, size);
  return WEFT_OK;
}

/// Launches the kernel for any strides, unless elements are few. `from` NULL: stores `value`.
static weft_status run_strided(weft_array *to, const weft_array *from, const uint64_t *value, weft__layout *l,
                               const char *site) {
  weft__kernel *kernel;
  bool is_done;
  WEFT__TRY_RETURN(move_at_once(&is_done, to, from, value, l));
  if (is_done) return WEFT_OK;
  WEFT__TRY_RETURN(weft__own_kernel_get(&kernel, &to->context->store, WEFT__OWN_COPY_STRIDED));
  weft__strided s = {.size = l->size, .to_offset = l->offset[0], .ndim = l->ndim, .fills = !from};
  s.element_bytes = (int32_t)weft_dtype_size_bytes(to->dtype);
  if (from)
    s.from_offset = l->offset[1];
  else
    memcpy(s.value, value, sizeof s.value);
  for (int d = 0; d < l->ndim; d++) {
    s.shape[d] = l->length[d];
    s.to_stride[d] = l->stride[0][d];
    if (from) s.from_stride[d] = l->stride[1][d];
  }
  return weft__run_own(kernel, (uint64_t)to->size, to, from ? from : to, &s, sizeof s, site);
}

/// `to` and `from` share no memory and have one dtype.
static weft_status assign_apart(weft_array *to, const weft_array *from, const char *site) {
  if (weft__is_contiguous(to) && weft__is_contiguous(from))
    return weft__transfer_copy(to->storage, (uint64_t)to->offset_bytes, from->storage, (uint64_t)from->offset_bytes,
                               weft__slot_now(&to->context->core),
                               (uint64_t)to->size * weft_dtype_size_bytes(to->dtype));
  weft__layout l;
  weft__layout_of(&l, weft__array_shape(to), 2, (const weft_array *const[]){to, from}, false);
  return weft__driver->runs_kernels ? run_strided(to, from, NULL, &l, site) : copy_runs(to, from, &l);
}

weft_status weft__assign(weft_array *to, const weft_array *from, const char *site) {
  weft_array *apart = NULL;
  weft_status rc;
  if (to->size == 0) return WEFT_OK;
  if (!weft__arrays_overlap(to, from)) return assign_apart(to, from, site);
  /* overlap: as if `from` had been read first */
  WEFT__TRY(weft__array_create(&apart, from->context, from->dtype, weft__array_shape(from), site));
  WEFT__TRY(assign_apart(apart, from, site));
  WEFT__TRY(assign_apart(to, apart, site));
done:
  weft_array_release(&apart);
  return rc;
}

#define FILL_BYTES 256
#define FILL_BLOCK (16 << 10)
#if defined(__GNUC__)
typedef uint64_t __attribute__((aligned(1), may_alias)) fill_word;
#else
typedef uint64_t fill_word; /* where processors read any address */
#endif
/// Repeats a word. `n`: a multiple of FILL_BYTES.
#define FILL_LOOP(TARGET, NAME, words)                         \
  TARGET static void NAME(char *to, uint64_t word, size_t n) { \
    for (size_t at = 0; at < n; at += 8 * (words)) {           \
      fill_word *y = (fill_word *)(void *)(to + at);           \
      for (size_t k = 0; k < (words); k++) y[k] = word;        \
    }                                                          \
  }
WEFT__BOTH(FILL_LOOP, fill_loop, FILL_BYTES / 8)
static void (*const fill_blocks[2])(char *to, uint64_t word, size_t n) = WEFT__PAIR(fill_loop);

/* As many bytes at once as of other loops: memset does not read what it overwrites, so that one thread has all the
   bandwidth. PoCL 3.1, two cores, 4 MiB: 30 us, launched 35 to 42. */
#define MOST_ZEROS 2

/// Repeats a word in blocks. `n`: a multiple of FILL_BYTES.
static void fill_words(char *to, uint64_t word, size_t n) {
  const size_t blocks = (n + FILL_BLOCK - 1) / FILL_BLOCK;
  const bool is_backward = blocks > 1 && weft__goes_backward();
  for (size_t k = 0; k < blocks; k++) {
    const size_t at = (is_backward ? blocks - 1 - k : k) * FILL_BLOCK;
    fill_blocks[WEFT__IS_WIDE](to + at, word, n - at < FILL_BLOCK ? n - at : FILL_BLOCK);
  }
}

/// Fills few bytes without a launch.
static weft_status fill_at_once(bool *is_done, weft_array *x, const uint64_t element[2]) {
  const weft__use use = {x->storage, true};
  const size_t size = weft_dtype_size_bytes(x->dtype), bytes = (size_t)x->size * size;
  char pattern[16], *to;
  uint64_t word;
  size_t done = 0;
  *is_done = false;
  const weft__core *core = &x->context->core;
  const bool are_few = bytes <= weft__at_once_bytes(core) / 2;
  const bool are_zeros = element[0] == 0 && (size <= sizeof *element || element[1] == 0);
  if (!are_few && !(are_zeros && bytes <= MOST_ZEROS * weft__at_once_bytes(core))) return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, &to, &x->context->core, 1, &use));
  if (!*is_done) return WEFT_OK;
  to += x->offset_bytes;
  if (!are_few) {
    memset(to, 0, bytes);
    return WEFT_OK;
  }
  for (size_t at = 0; at < sizeof pattern; at += size) memcpy(pattern + at, element, size);
  if (bytes >= FILL_BYTES && memcmp(pattern, pattern + sizeof word, sizeof word) == 0) {
    memcpy(&word, pattern, sizeof word);
    done = bytes - bytes % FILL_BYTES;
    fill_words(to, word, done);
  }
  for (; done + sizeof pattern <= bytes; done += sizeof pattern) memcpy(to + done, pattern, sizeof pattern);
  memcpy(to + done, pattern, bytes - done);
  return WEFT_OK;
}

/// Fills a contiguous array. The pattern of an aligned block of 16 bytes depends on where in its period the array
/// begins.
static weft_status fill_run(weft_array *x, const uint64_t element[2], const char *site) {
  bool is_done;
  if (!weft__driver->runs_kernels) return fill_by_doubling(x, element);
  WEFT__TRY_RETURN(fill_at_once(&is_done, x, element));
  if (is_done) return WEFT_OK;
  size_t size = weft_dtype_size_bytes(x->dtype);
  const unsigned char *from = (const unsigned char *)element;
  unsigned char pattern[16];
  weft__fill_run run = {.begin = (uint64_t)x->offset_bytes};
  run.end = run.begin + (uint64_t)x->size * size;
  for (size_t i = 0; i < sizeof pattern; i++) pattern[i] = from[(i + size - run.begin % size) % size];
  memcpy(run.pattern, pattern, sizeof pattern);
  return weft__run_fill(&x->context->store, x->storage, &run, site);
}

weft_status weft__fill(weft_array *x, weft_scalar value, const char *site) {
  uint64_t element[2];
  weft_array *one = NULL;
  weft_status rc;
  WEFT__TRY_RETURN(weft__element_bytes(element, x->dtype, value, "value"));
  if (x->size == 0) return WEFT_OK;
  if (weft__is_contiguous(x)) return fill_run(x, element, site);
  if (weft__driver->runs_kernels) {
    weft__layout l;
    weft__layout_of(&l, weft__array_shape(x), 1, (const weft_array *const[]){x}, false);
    return run_strided(x, NULL, element, &l, site);
  }
  /* copies one element, broadcast to x's shape */
  WEFT__TRY(weft__array_create(&one, x->context, x->dtype, WEFT_SHAPE_0D, site));
  WEFT__TRY(fill_run(one, element, site));
  const weft_array repeated = weft__array_broadcast(one, weft__array_shape(x));
  WEFT__TRY(assign_apart(x, &repeated, site));
done:
  weft_array_release(&one);
  return rc;
}
