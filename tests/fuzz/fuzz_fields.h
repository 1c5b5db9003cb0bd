// SPDX-License-Identifier: MIT
/// Edits of a valid file's fields, chosen by a fuzzer's bytes, for targets whose files are refused as a whole when a
/// byte of them is changed blindly. An edit is EDIT_BYTES of the input.
#ifndef WEFT_TESTS_FUZZ_FIELDS_H
#define WEFT_TESTS_FUZZ_FIELDS_H

#include <string.h>

#include "fuzz.h"

enum { EDIT_BYTES = 6, MOST_EDITS = 8 };

typedef struct edit {
  unsigned field; /* of as many as there are */
  unsigned how, which;
  unsigned value;
} edit;

/// The edits of an input.
static inline int read_edits(edit edits[MOST_EDITS], const uint8_t *data, size_t size) {
  int count = 0;
  for (; count < MOST_EDITS && size >= EDIT_BYTES; size -= EDIT_BYTES, data += EDIT_BYTES)
    edits[count++] = (edit){data[0] | (unsigned)data[1] << 8, data[2], data[3], data[4] | (unsigned)data[5] << 8};
  return count;
}

/// The value in the place of `old`: far ones, near ones, another field's.
static inline int64_t edited(const edit *e, int64_t old, int64_t other) {
  static const int64_t far[] = {0,         1,         -1,         2,         INT64_MAX,      INT64_MIN,
                                INT32_MAX, INT32_MIN, UINT32_MAX, 1LL << 33, INT64_MAX / 2,  INT64_MAX / 8,
                                1LL << 62, -8,        4096,       7,         INT64_MAX - 15, 1LL << 40};
  switch (e->how % 6) {
    case 0:
      return far[e->which % (sizeof far / sizeof *far)];
    case 1:
      return (int64_t)((uint64_t)old + (uint64_t)(int64_t)(int8_t)e->which);
    case 2:
      return e->value;
    case 3:
      return other;
    case 4:
      return (int64_t)((uint64_t)old ^ UINT64_C(1) << e->which % 64);
    default:
      return (int64_t)((uint64_t)old * (1 + e->value));
  }
}

#endif
