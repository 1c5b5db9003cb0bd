// SPDX-License-Identifier: MIT
/// The number of a rank in a row, on the host. One pass over the row counts the numbers below two of a sample, between
/// which the rank's number nearly always is, and copies those between them (R. W. Floyd and R. L. Rivest, Expected time
/// bounds for selection, 1975); the number is selected among these.
#ifndef WEFT_OP_SORT_FIND_RANK_H
#define WEFT_OP_SORT_FIND_RANK_H

#include "op/sort/host.h"

enum { WEFT__RANK_BLOCK = 512, WEFT__RANK_GROUP = 64 };

/// Where a row, or some numbers, are divided by an element.
typedef struct weft__rank_found {
  uint64_t number;
  size_t lesser, equal; /* elements */
  uint64_t next;        /* if has_next: the number of rank lesser + equal */
  bool has_next;
} weft__rank_found;

/// Loops over numbers of 4 or of 8 bytes, at most 2^32 - 1.
typedef struct weft__rank_loops {
  /// Appends the numbers from bound[0] to bound[1] to `to`, whose numbers *inside counts, and returns how many are
  /// less. Writes up to 64 bytes beyond them.
  size_t (*between)(void *to, size_t *inside, const void *x, size_t n, const uint64_t bound[2]);
  /// Finds the number of a rank. x is overwritten.
  void (*select)(weft__rank_found *found, void *x, size_t n, size_t rank);
  /// Finds where a number divides the others.
  void (*compare)(weft__rank_found *found, const void *x, size_t n, uint64_t number);
  /// Whether one of WEFT__RANK_GROUP numbers is at or beyond the bound.
  bool (*any)(const void *x, uint64_t bound, bool greatest);
  /// Adds 1 to the class of a number equal to `number`, 2 to the class of a greater one.
  void (*classes)(uint8_t *classes, const void *x, size_t n, uint64_t number);
} weft__rank_loops;

/// Numbers of a block of elements.
typedef union weft__rank_block {
  uint32_t narrow[WEFT__RANK_BLOCK];
  uint64_t wide[WEFT__RANK_BLOCK];
} weft__rank_block;

/// A row of 1 to 2^32 - 1 elements of a real dtype.
typedef struct weft__ranked {
  const char *row;
  size_t length, bytes, number_bytes; /* of an element, of its number */
  bool is_float;
  int chunks; /* parts of the row, each of a thread */
  void *room; /* weft__rank_room_bytes */
  const weft__rank_loops *loops;
  const weft__sort_loops *of_keys;
  weft__sort_form form;
} weft__ranked;

typedef struct weft__rank_range {
  size_t first, end;
} weft__rank_range;

/// Fills in what a dtype and the processor tell.
void weft__rank_open(weft__ranked *ranked, weft_dtype dtype);
/// Divides the work on rows: *shares of rows, or chunks of each row. `ranked` has its length.
void weft__rank_split(int *shares, weft__ranked *ranked, uint64_t rows, int cores);
size_t weft__rank_room_bytes(const weft__ranked *ranked);
/// Ascending, with NaN last and zeros equal.
void weft__rank_find(weft__rank_found *found, const weft__ranked *ranked, size_t rank);
/// The elements of a chunk.
weft__rank_range weft__rank_chunk(const weft__ranked *ranked, size_t chunk);
/// Makes the numbers of the elements `first` to `first` + n - 1, at most a block.
void weft__rank_numbers(weft__rank_block *numbers, const weft__ranked *ranked, size_t first, size_t n);
uint64_t weft__rank_number(const weft__ranked *ranked, const weft__rank_block *numbers, size_t k);
/// Copies the element of the rank for which `found` was found: of equal ones, the one that a stable sort puts there.
void weft__rank_copy(void *to, const weft__ranked *ranked, const weft__rank_found *found, size_t rank);
/// The NaNs of the row, of a float dtype.
size_t weft__rank_count_nans(const weft__ranked *ranked);

#endif
