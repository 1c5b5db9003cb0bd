// SPDX-License-Identifier: MIT
#include "cli/base/cache_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static int is_ours(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length > 5 && strcmp(entry->d_name + length - 5, ".weft") == 0;
}

static int read_one(cache_file *file, const cli_args *args, const char *folder, const char *name) {
  char path[PATH_MAX];
  const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
  const int why = length < 0 || (size_t)length >= sizeof path ? ENAMETOOLONG : weft__file_text(&file->bytes, path);
  if (why) return cli_fail(args, "cannot read `%s/%s`: %s", folder, name, weft__file_error(why));
  const char *wrong = weft__entry_read(&file->parts, weft__text_chars(&file->bytes), file->bytes.length);
  return wrong ? cli_fail(args, "`%s` cannot be used: %s", path, wrong) : CLI_OK;
}

int cache_files_read(cache_files *files, const cli_args *args, const char *folder) {
  struct dirent **names = NULL;
  const int count = scandir(folder, &names, is_ours, alphasort);
  int status = CLI_OK;
  *files = (cache_files){0};
  if (count < 0) return cli_fail(args, "cannot read the folder `%s`: %s", folder, strerror(errno));
  if (count == 0) status = cli_fail(args, "`%s` has no built kernels: set WEFT_CACHE_DIR to it for a run", folder);
  if (count > 0 && !(files->file = calloc((size_t)count, sizeof *files->file)))
    status = cli_fail(args, "not enough memory");
  for (int k = 0; k < count; k++) {
    if (status == CLI_OK) status = read_one(&files->file[files->count++], args, folder, names[k]->d_name);
    free(names[k]);
  }
  free(names);
  return status;
}

void cache_files_free(cache_files *files) {
  for (int k = 0; k < files->count; k++) weft__text_free(&files->file[k].bytes);
  free(files->file);
  *files = (cache_files){0};
}
