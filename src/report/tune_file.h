// SPDX-License-Identifier: MIT
/// The file that keeps the winners of weft_tune.
#ifndef WEFT_REPORT_TUNE_FILE_H
#define WEFT_REPORT_TUNE_FILE_H

#include <weft/tune.h>

#include "base/text.h"

/// What a winner is kept for.
typedef struct weft__tune_key {
  uint64_t hash; /* of source, options and lists */
  const char *kernel, *device, *driver;
} weft__tune_key;

/// A file, made of the list of its winners.
#define WEFT__TUNE_FILE "{\"weft-tune\": 1, \"winners\": [%s\n]}\n"

/// Reads the text of a file, which messages call `path`. The winner of the key goes to *found and *tuning, the list of
/// all others to `others`. Errors: FILE.
weft_status weft__tune_parse(bool *found, weft_tuning *tuning, weft__text *others, const char *text, const char *path,
                             const weft__tune_key *key);
/// Finds the winner of a key. A file that is not there has none. Errors: FILE (not such a file), HOST_MEMORY.
weft_status weft__tune_find(bool *found, weft_tuning *tuning, const char *path, const weft__tune_key *key);
/// Writes the winner of a key into the file, beside the winners of other keys. Errors: FILE, HOST_MEMORY.
weft_status weft__tune_keep(const char *path, const weft__tune_key *key, const weft_tuning *tuning);

#endif
