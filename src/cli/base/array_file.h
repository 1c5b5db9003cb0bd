// SPDX-License-Identifier: MIT
/// A FILE of the command line that holds arrays, .npy or .npz: found out by its first bytes, not by its name.
#ifndef WEFT_CLI_ARRAY_FILE_H
#define WEFT_CLI_ARRAY_FILE_H

#include "cli/base/options.h"

typedef struct array_file {
  const char *path;
  bool is_archive;
  weft_npy_info npy; /* of an .npy file */
  weft_npz *npz;     /* of an archive, open */
} array_file;

/// Opens `path` and reads its header or its list of members. No device is needed. On failure prints the reason on
/// stderr and returns CLI_FAILED; nothing remains open.
int array_file_open(array_file *file, const cli_args *args, const char *path);
void array_file_close(array_file *file);

/// The one FILE of a subcommand, and its array: the file itself, or the member that --member names.
typedef struct array_choice {
  array_file file;
  const char *member; /* NULL in an .npy file */
  weft_dtype dtype;
  weft_shape shape;
} array_choice;

/// The option of the subcommands that work on one array.
#define ARRAY_MEMBER_OPTION \
  { "--member", "NAME", "the array of this name in an .npz file; not needed if it has only one" }

/// Opens the first word and chooses the array. Returns CLI_OK, or CLI_USAGE or CLI_FAILED after printing the reason on
/// stderr; then nothing remains open.
int array_choose(array_choice *choice, const cli_args *args);

/// Reads the chosen array to the device of `context`, with a progress line.
weft_status array_load(weft_array **out, weft_context *context, const array_choice *choice);

#endif
