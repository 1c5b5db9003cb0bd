// SPDX-License-Identifier: MIT
/// The size of the cache's folder: which files go when they are too many.
#ifndef WEFT_DISK_FILES_H
#define WEFT_DISK_FILES_H

#include "disk/folder.h"

/// Counts bytes that this process has written. From time to time it looks through the folder, and removes the least
/// recently used files above the limit and what ended processes left behind.
void weft__disk_written(const weft__disk *disk, uint64_t bytes);

#endif
