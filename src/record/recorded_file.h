// SPDX-License-Identifier: MIT
/// The form of a recording's file, which record/save.c writes and record/load.c reads: a line "weft-recording 2 HASH
/// BYTES", and behind it the bytes: numbers as they are in the memory of this machine, texts and blocks with their
/// length before them. The lists follow in the order of weft__recorded_part.
#ifndef WEFT_RECORD_RECORDED_FILE_H
#define WEFT_RECORD_RECORDED_FILE_H

#include "record/recording.h"

#define WEFT__RECORDED_MAGIC "weft-recording 2 "
#define WEFT__RECORDED_FIRST WEFT__RECORDED_MAGIC "%016" PRIx64 " %020" PRIu64 "\n"
#define WEFT__RECORDED_FIRST_BYTES (sizeof WEFT__RECORDED_MAGIC - 1 + 16 + 1 + 20 + 1)

/// The lists of a file. Each begins with its mark, so that a reader that lost its place finds out.
typedef enum weft__recorded_part {
  WEFT__PART_DEVICE = 0x52454301,
  WEFT__PART_STORAGES,
  WEFT__PART_BUFFERS,
  WEFT__PART_PROGRAMS,
  WEFT__PART_KERNELS,
  WEFT__PART_BYTES,
  WEFT__PART_ARGUMENTS,
  WEFT__PART_USES,
  WEFT__PART_CHECKS,
  WEFT__PART_COMMANDS,
  WEFT__PART_NAMES,
  WEFT__PART_END,
} weft__recorded_part;

#endif
