// SPDX-License-Identifier: MIT
/// Sorting on the host: the step (host.c), and what its ways share. Keys become numbers in the order of the keys:
/// alone, if nothing moves with them and they can be made from their numbers again; else with their places in the row,
/// by which keys and values are gathered at the end.
#ifndef WEFT_OP_SORT_HOST_H
#define WEFT_OP_SORT_HOST_H

#include "engine/host_step.h"
#include "engine/shares.h"
#include "op/sort/rows.h"

/// What a dtype's loops must know.
typedef struct weft__sort_form {
  uint64_t flip;        /* the bits to invert in numbers */
  uint64_t least, most; /* floats: the numbers of the infinities, not inverted; NaNs are beyond them */
  uint64_t zero;        /* floats: of 0; -0 comes before it */
} weft__sort_form;

/// A number and a place in the row.
typedef struct weft__sort_pair {
  uint64_t number, place;
} weft__sort_pair;

/// Loops over keys of one type. Numbers are of 4 bytes, or 8 for keys of 8.
typedef struct weft__sort_loops {
  /// Numbers that differ for -0 and NaNs; true: there are such. `to` may be `from` where both have one size.
  bool (*numbers_of)(void *to, const void *from, size_t n, const weft__sort_form *form);
  /// Numbers that are equal for both zeros and for all NaNs. NULL: complex numbers.
  void (*orders_of)(void *to, const void *from, size_t n, const weft__sort_form *form);
  /// Of less than 2^32 elements, which are not complex.
  size_t (*count_nans)(const void *from, size_t n, const weft__sort_form *form);
  void (*keys_of)(void *to, const void *from, size_t n, const weft__sort_form *form);
  /// Numbers above places, which begin with `first`. NULL: keys of more than 4 bytes.
  void (*packed_of)(uint64_t *to, const void *from, size_t n, size_t first, const weft__sort_form *form);
  void (*pairs_of)(weft__sort_pair *to, const void *from, size_t n, size_t first, const weft__sort_form *form);
  /// Complex numbers of 16 bytes, which pairs are of the first of two numbers: the first or the second number for each
  /// place. `from` is the row. NULL: there is one number.
  void (*more_of)(weft__sort_pair *pairs, const void *from, size_t n, bool first, const weft__sort_form *form);
} weft__sort_loops;

/// The loops for a dtype, for the processor at hand.
const weft__sort_loops *weft__sort_loops_of(weft_dtype dtype);
void weft__sort_form_of(weft__sort_form *form, weft_dtype dtype, bool descending);

typedef enum weft__sort_kind { WEFT__SORT_ALONE, WEFT__SORT_PACKED, WEFT__SORT_PAIRS } weft__sort_kind;

/// Rows to sort on the host.
typedef struct weft__sort_rows {
  const char *key_from, *value_from; /* not the results' memory where elements are gathered */
  char *key_to, *value_to;           /* as in weft__sort */
  size_t rows, length, key_bytes, value_bytes;
  weft__sort_kind kind;
  size_t number_bytes; /* of a number, with its place */
  int cores;
  weft_dtype dtype;
  bool descending, is_float;
  weft__sort_form form;
  const weft__sort_loops *loops;
} weft__sort_rows;

/// What moves with the keys of a sort.
weft__sort_kind weft__sort_kind_of(const weft__sort *sort);

/* Ways, which return 0 or WEFT__HOST_NO_MEMORY. */
int weft__sort_by_counts(const weft__sort_rows *rows);
int weft__sort_by_vectors(const weft__sort_rows *rows);
int weft__sort_by_sides(const weft__sort_rows *rows);
int weft__sort_by_digits(const weft__sort_rows *rows);

typedef enum weft__sort_host_way {
  WEFT__BY_COUNTS,
  WEFT__BY_VECTORS,
  WEFT__BY_SIDES,
  WEFT__BY_DIGITS
} weft__sort_host_way;
/// Does the step. Errors: as weft__host_step, HOST_MEMORY.
weft_status weft__sort_on_host(bool *is_done, const weft__sort *sort, weft__sort_host_way way);
extern const weft__host_function weft__host_sort, weft__host_divide;

/* ---- parts of the ways ---- */

/// -0, 0 and NaNs of a row that has such elements, in their order.
typedef struct weft__sort_others {
  size_t zeros, nans, before; /* before: how many other elements of the row come before zeros */
  uint64_t number[];          /* zeros, then NaNs */
} weft__sort_others;

/// Takes them out of a row of numbers alone; the others move together. NULL: no memory; free it.
weft__sort_others *weft__sort_take_others(const weft__sort_rows *rows, void *numbers);
/// Puts them back into the sorted numbers, or into the keys that were made of these.
void weft__sort_put_others(const weft__sort_rows *rows, void *numbers, const weft__sort_others *others, bool are_keys);
/// Whether sorted pairs of a row must be sorted by another number, first the second one (round 0), then again the first
/// one: some have the same first number.
bool weft__sort_goes_on(const weft__sort_rows *rows, const weft__sort_pair *pairs, const void *from, int round);
/// Writes the results of the places first to end - 1 of a row from its sorted numbers, which may be where the result's
/// keys alone or positions are.
void weft__sort_deliver(const weft__sort_rows *rows, size_t row, size_t first, size_t end, const void *numbers);
/// Where a row's numbers may be made: the result; NULL: it has no room for them.
void *weft__sort_room(const weft__sort_rows *rows, size_t row);

#endif
