// SPDX-License-Identifier: MIT
/// The files of a cache's folder, for the commands that take one as a list of what a run built.
#ifndef WEFT_CLI_CACHE_FILES_H
#define WEFT_CLI_CACHE_FILES_H

#include "cli/base/cli.h"
#include "disk/entry.h"

typedef struct cache_file {
  weft__text bytes;
  weft__entry_parts parts;
} cache_file;

typedef struct cache_files {
  cache_file *file;
  int count;
} cache_files;

/// Reads all files, in the order of their names. A damaged one is an error. Returns an exit status.
int cache_files_read(cache_files *files, const cli_args *args, const char *folder);
void cache_files_free(cache_files *files);

#endif
