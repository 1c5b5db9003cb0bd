// SPDX-License-Identifier: MIT
/// Keys as numbers in NumPy's order, as cl/sort/key.clh has it: all NaNs have one number, the greatest, and both zeros
/// have one. Where keys are made from numbers again, -0, 0 and NaNs, which keep the order of the source, are taken out.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <string.h>

#include "base/wide.h"
#include "dtype/opencl.h"
#include "op/sort/host.h"

#define LOOPS "op/sort/number_types.h"
#include "base/each_width.h"

/* ---- complex numbers ---- */

/* Parts of numbers with NaNs, which follow all others: a NaN imaginary part, a NaN real part, both. No part of another
   number has such upper bits. */
enum { NAN_IMAGINARY = -3, NAN_REAL = -2, NAN_BOTH = -1 };

/// The number of a part whose sign bit is form->zero.
static uint64_t part_number(bool *is_nan, uint64_t x, const weft__sort_form *f) {
  const uint64_t number = x & f->zero ? ~x & (2 * f->zero - 1) : x | f->zero;
  *is_nan = number < f->least || number > f->most;
  return number == f->zero - 1 ? f->zero : number;
}

/// The two numbers of a complex number, the more significant one first.
static void complex_numbers(uint64_t number[2], uint64_t real, uint64_t imaginary, const weft__sort_form *f) {
  bool nan_real, nan_imaginary;
  const uint64_t a = part_number(&nan_real, real, f), b = part_number(&nan_imaginary, imaginary, f);
  const uint32_t class = (uint32_t)(nan_real ? nan_imaginary ? NAN_BOTH : NAN_REAL : NAN_IMAGINARY);
  const bool is_wide = f->zero >> 32 != 0;
  number[0] = nan_real || nan_imaginary ? is_wide ? (uint64_t) class << 32 : class : a;
  number[1] = !nan_imaginary ? b : nan_real ? 0 : a;
}

static void pairs_of_c64(weft__sort_pair *to, const void *from, size_t n, size_t first, const weft__sort_form *f) {
  const uint32_t *x = from;
  uint64_t number[2];
  for (size_t i = 0; i < n; i++) {
    complex_numbers(number, x[2 * i], x[2 * i + 1], f);
    to[i] = (weft__sort_pair){(number[0] << 32 | number[1]) ^ f->flip, first + i};
  }
}
static void pairs_of_c128(weft__sort_pair *to, const void *from, size_t n, size_t first, const weft__sort_form *f) {
  const uint64_t *x = from;
  uint64_t number[2];
  for (size_t i = 0; i < n; i++) {
    complex_numbers(number, x[2 * i], x[2 * i + 1], f);
    to[i] = (weft__sort_pair){number[0] ^ f->flip, first + i};
  }
}
static void more_of_c128(weft__sort_pair *pairs, const void *from, size_t n, bool first, const weft__sort_form *f) {
  const uint64_t *x = from;
  uint64_t number[2];
  for (size_t i = 0; i < n; i++) {
    complex_numbers(number, x[2 * pairs[i].place], x[2 * pairs[i].place + 1], f);
    pairs[i].number = number[first ? 0 : 1] ^ f->flip;
  }
}
/// Of numbers alone; true: some have a NaN or -0.
static bool numbers_of_c64(void *to, const void *from, size_t n, const weft__sort_form *f) {
  const uint32_t *x = from, top = (uint32_t)f->zero, most = (uint32_t)f->most;
  uint64_t *y = to;
  uint32_t others = 0;
  for (size_t i = 0; i < n; i++) {
    const uint32_t real = x[2 * i], imaginary = x[2 * i + 1];
    const uint32_t a = real ^ (real & top ? UINT32_MAX : top), b = imaginary ^ (imaginary & top ? UINT32_MAX : top);
    others |= ((real | top) > most) | ((imaginary | top) > most) | (real == top) | (imaginary == top);
    y[i] = ((uint64_t)a << 32 | b) ^ f->flip;
  }
  return others != 0;
}
static void keys_of_c64(void *to, const void *from, size_t n, const weft__sort_form *f) {
  const uint64_t *x = from;
  const uint32_t top = (uint32_t)f->zero;
  uint32_t *y = to;
  for (size_t i = 0; i < n; i++) {
    const uint64_t number = x[i] ^ f->flip;
    const uint32_t a = (uint32_t)(number >> 32), b = (uint32_t)number;
    y[2 * i] = a ^ (a & top ? top : UINT32_MAX);
    y[2 * i + 1] = b ^ (b & top ? top : UINT32_MAX);
  }
}
static const weft__sort_loops loops_c64 = {numbers_of_c64, NULL, NULL, keys_of_c64, NULL, pairs_of_c64, NULL};
static const weft__sort_loops loops_c128 = {NULL, NULL, NULL, NULL, NULL, pairs_of_c128, more_of_c128};

const weft__sort_loops *weft__sort_loops_of(weft_dtype dtype) {
  static const weft__sort_loops *const loops[2][4][3] = {
      {WEFT__ALL(&sort_loops_u8), WEFT__ALL(&sort_loops_u16), WEFT__ALL(&sort_loops_u32), WEFT__ALL(&sort_loops_u64)},
      {{NULL}, WEFT__ALL(&sort_loops_f16), WEFT__ALL(&sort_loops_f32), WEFT__ALL(&sort_loops_f64)}};
  const size_t bytes = weft_dtype_size_bytes(dtype);
  const char kind = weft_dtype_kind(dtype);
  if (kind == 'c') return bytes == 8 ? &loops_c64 : &loops_c128;
  return loops[kind == 'f'][bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3][WEFT__WIDTH];
}

void weft__sort_form_of(weft__sort_form *f, weft_dtype dtype, bool descending) {
  const bool is_complex = weft_dtype_kind(dtype) == 'c';
  const size_t bytes = weft_dtype_size_bytes(dtype) / (is_complex ? 2 : 1);
  const uint64_t infinity = bytes == 8   ? UINT64_C(0x7ff) << 52
                            : bytes == 4 ? UINT64_C(0xff) << 23
                            : bytes == 2 ? weft__infinity_bits(dtype)
                                         : 0;
  f->zero = UINT64_C(1) << (8 * bytes - 1);
  f->most = f->zero + infinity;
  f->least = f->zero - 1 - infinity;
  f->flip = !descending ? 0 : is_complex ? UINT64_MAX : UINT64_MAX >> (64 - 8 * bytes);
  if (weft_dtype_kind(dtype) == 'i') f->flip ^= f->zero;
}

/* ---- -0, 0 and NaNs ---- */

static uint64_t number_at(const weft__sort_rows *s, const void *numbers, size_t i) {
  return s->number_bytes == 8 ? ((const uint64_t *)numbers)[i] : ((const uint32_t *)numbers)[i];
}
static void set_number(const weft__sort_rows *s, void *numbers, size_t i, uint64_t number) {
  if (s->number_bytes == 8)
    ((uint64_t *)numbers)[i] = number;
  else
    ((uint32_t *)numbers)[i] = (uint32_t)number;
}
static bool is_nan(const weft__sort_form *f, uint64_t number) {
  return number < f->least || number > f->most;
}
static bool is_zero(const weft__sort_form *f, uint64_t number) {
  return number == f->zero || number == f->zero - 1;
}

weft__sort_others *weft__sort_take_others(const weft__sort_rows *s, void *numbers) {
  const weft__sort_form *f = &s->form;
  size_t zeros = 0, nans = 0, kept = 0;
  for (size_t i = 0; i < s->length; i++) {
    const uint64_t number = number_at(s, numbers, i) ^ f->flip;
    nans += is_nan(f, number);
    zeros += is_zero(f, number);
  }
  weft__sort_others *o = weft__new(sizeof *o + (zeros + nans) * sizeof *o->number);
  if (!o) return NULL;
  for (size_t i = 0; i < s->length; i++) {
    const uint64_t number = number_at(s, numbers, i) ^ f->flip;
    if (is_nan(f, number)) {
      o->number[zeros + o->nans++] = number;
    } else if (is_zero(f, number)) {
      o->number[o->zeros++] = number;
    } else {
      o->before += s->descending ? number > f->zero : number < f->zero;
      set_number(s, numbers, kept++, number ^ f->flip);
    }
  }
  return o;
}

void weft__sort_put_others(const weft__sort_rows *s, void *numbers, const weft__sort_others *o, bool are_keys) {
  const size_t bytes = s->number_bytes, count = o->zeros + o->nans;
  const size_t nans = s->descending ? 0 : s->length - o->nans, lesser = s->descending ? o->nans : 0;
  const size_t zeros = lesser + o->before;
  char *x = numbers;
  memmove(x + (zeros + o->zeros) * bytes, x + o->before * bytes, (s->length - count - o->before) * bytes);
  memmove(x + lesser * bytes, x, o->before * bytes);
  for (size_t k = 0; k < count; k++)
    set_number(s, numbers, k < o->zeros ? zeros + k : nans + k - o->zeros, o->number[k] ^ s->form.flip);
  if (!are_keys) return;
  s->loops->keys_of(x + zeros * bytes, x + zeros * bytes, o->zeros, &s->form);
  s->loops->keys_of(x + nans * bytes, x + nans * bytes, o->nans, &s->form);
}

/* ---- complex numbers of two numbers ---- */

bool weft__sort_goes_on(const weft__sort_rows *s, const weft__sort_pair *pairs, const void *from, int round) {
  if (!s->loops->more_of) return false;
  bool goes_on = round > 0;
  for (size_t i = 1; i < s->length && !goes_on; i++) {
    if (pairs[i].number != pairs[i - 1].number) continue;
    weft__sort_pair two[] = {pairs[i - 1], pairs[i]};
    s->loops->more_of(two, from, 2, false, &s->form);
    goes_on = two[1].number < two[0].number;
  }
  return goes_on;
}

/* ---- results ---- */

/// to[i] = from[at[i]]
static void gather(char *to, const char *from, const uint64_t *at, size_t n, size_t bytes) {
  switch (bytes) {
    case 1:
      for (size_t i = 0; i < n; i++) to[i] = from[at[i]];
      break;
    case 2:
      for (size_t i = 0; i < n; i++) ((uint16_t *)to)[i] = ((const uint16_t *)from)[at[i]];
      break;
    case 4:
      for (size_t i = 0; i < n; i++) ((uint32_t *)to)[i] = ((const uint32_t *)from)[at[i]];
      break;
    case 8:
      for (size_t i = 0; i < n; i++) ((uint64_t *)to)[i] = ((const uint64_t *)from)[at[i]];
      break;
    default:
      for (size_t i = 0; i < n; i++) memcpy(to + i * bytes, from + at[i] * bytes, 16);
  }
}

static void find_places(uint64_t *place, const weft__sort_rows *s, const void *numbers, size_t first, size_t n) {
  if (s->kind == WEFT__SORT_PACKED)
    for (size_t i = 0; i < n; i++) place[i] = (uint32_t)((const uint64_t *)numbers)[first + i];
  else
    for (size_t i = 0; i < n; i++) place[i] = ((const weft__sort_pair *)numbers)[first + i].place;
}

void weft__sort_deliver(const weft__sort_rows *s, size_t row, size_t first, size_t end, const void *numbers) {
  enum { BLOCK = 256 };
  uint64_t some[BLOCK];
  const size_t begin = row * s->length;
  const bool gives_places = s->value_to && !s->value_from;
  if (s->kind == WEFT__SORT_ALONE) {
    s->loops->keys_of(s->key_to + (begin + first) * s->key_bytes, (const char *)numbers + first * s->number_bytes,
                      end - first, &s->form);
    return;
  }
  for (size_t i = first; i < end; i += BLOCK) {
    const size_t n = end - i < BLOCK ? end - i : BLOCK;
    uint64_t *place = gives_places ? (uint64_t *)s->value_to + begin + i : some;
    find_places(place, s, numbers, i, n);
    if (s->value_from)
      gather(s->value_to + (begin + i) * s->value_bytes, s->value_from + begin * s->value_bytes, place, n,
             s->value_bytes);
    if (s->key_to)
      gather(s->key_to + (begin + i) * s->key_bytes, s->key_from + begin * s->key_bytes, place, n, s->key_bytes);
  }
}

void *weft__sort_room(const weft__sort_rows *s, size_t row) {
  if (s->kind == WEFT__SORT_ALONE && s->number_bytes == s->key_bytes) return s->key_to + row * s->length * s->key_bytes;
  if (s->kind == WEFT__SORT_PACKED && !s->value_from) return s->value_to + row * s->length * 8;
  return NULL;
}
