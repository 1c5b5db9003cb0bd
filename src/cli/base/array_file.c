// SPDX-License-Identifier: MIT
#include "cli/base/array_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/base/progress.h"

enum { MOST_LISTED = 20 /* members named by a message */ };

/// Reads the first bytes, by which an archive (a local file header, or the end of an empty one) is known.
static int look(bool *is_archive, const cli_args *args, const char *path) {
  char magic[6] = "";
  size_t count = 0;
  int descriptor = -1, why = weft__file_open(&descriptor, NULL, AT_FDCWD, path, 0);
  if (why == 0) why = weft__file_read(descriptor, magic, sizeof magic, &count);
  if (descriptor >= 0) close(descriptor);
  if (why) return cli_fail(args, "cannot open '%s': %s", path, weft__file_error(why));
  *is_archive = count >= 4 && (memcmp(magic, "PK\3\4", 4) == 0 || memcmp(magic, "PK\5\6", 4) == 0);
  if (*is_archive || (count == 6 && memcmp(magic, "\x93NUMPY", 6) == 0)) return CLI_OK;
  return cli_fail(args, "'%s' holds no arrays: it begins neither as an .npy file nor as an .npz file", path);
}

int array_file_open(array_file *file, const cli_args *args, const char *path) {
  *file = (array_file){.path = path};
  if (look(&file->is_archive, args, path) != CLI_OK) return CLI_FAILED;
  const weft_status rc = file->is_archive ? weft_npz_open(&file->npz, path) : weft_npy_get(&file->npy, path);
  return rc == WEFT_OK ? CLI_OK : cli_report(args);
}

void array_file_close(array_file *file) {
  weft_npz_release(&file->npz);
}

/* ---- one array ---- */

static void add_members(weft__text *text, const weft_npz *npz) {
  const int count = weft_npz_count(npz);
  weft_npz_member member;
  char shown[WEFT__SHOWN_BYTES];
  for (int i = 0; i < count && i < MOST_LISTED; i++)
    if (weft_npz_get(&member, npz, i) == WEFT_OK)
      weft__text_add(text, "%s%s", i ? ", " : "", weft__text_shown(shown, member.name));
  if (count > MOST_LISTED) weft__text_add(text, ", and %d more", count - MOST_LISTED);
}

/// The message for a member that is missing or not named.
static int refuse_member(const cli_args *args, const array_file *file, const char *name) {
  weft__text list = {0};
  const int count = weft_npz_count(file->npz);
  add_members(&list, file->npz);
  const char *members = weft__text_chars(&list);
  int status = CLI_FAILED;
  if (count == 0)
    status = cli_fail(args, "'%s' has no members", file->path);
  else if (name)
    status = cli_fail(args, "'%s' has no member '%s'; its members: %s", file->path, name, members);
  else
    status = cli_usage_error(args, "'%s' has %d members: choose one with --member; its members: %s", file->path, count,
                             members);
  weft__text_free(&list);
  return status;
}

/// The message for a member that is no array of Weft's dtypes. Only reading it yields the reason.
static int refuse_content(const cli_args *args, const array_file *file, const char *name) {
  weft_context *context = NULL;
  weft_array *x = NULL;
  int status = CLI_FAILED;
  if (cli_open(&context, args) == WEFT_OK)
    status = weft_npz_read(&x, context, file->npz, name)
                 ? cli_report(args)
                 : cli_fail(args, "the member '%s' of '%s' changed while it was read", name, file->path);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

static int choose_member(array_choice *choice, const cli_args *args) {
  const weft_npz *npz = choice->file.npz;
  const char *name = cli_value(args, "--member");
  const int count = weft_npz_count(npz);
  weft_npz_member member;
  if (!name && count != 1) return refuse_member(args, &choice->file, NULL);
  for (int i = 0; i < count; i++) {
    if (weft_npz_get(&member, npz, i) != WEFT_OK) return cli_report(args);
    if (name && strcmp(member.name, name) != 0) continue;
    if (member.dtype == WEFT_DTYPE_NONE) return refuse_content(args, &choice->file, member.name);
    choice->member = member.name;
    choice->dtype = member.dtype;
    choice->shape = member.shape;
    return CLI_OK;
  }
  return refuse_member(args, &choice->file, name);
}

static int choose(array_choice *choice, const cli_args *args) {
  if (choice->file.is_archive) return choose_member(choice, args);
  if (cli_flag(args, "--member"))
    return cli_usage_error(args, "'%s' is an .npy file, one array: --member is for .npz files", choice->file.path);
  choice->dtype = choice->file.npy.dtype;
  choice->shape = choice->file.npy.shape;
  return CLI_OK;
}

int array_choose(array_choice *choice, const cli_args *args) {
  *choice = (array_choice){.dtype = WEFT_DTYPE_NONE};
  if (args->word_count == 0)
    return cli_usage_error(args, "the file is missing: expected `weft %s FILE`", args->command->name);
  if (array_file_open(&choice->file, args, args->word[0]) != CLI_OK) return CLI_FAILED;
  const int status = choose(choice, args);
  if (status != CLI_OK) array_file_close(&choice->file);
  return status;
}

weft_status array_load(weft_array **out, weft_context *context, const array_choice *choice) {
  const array_file *file = &choice->file;
  cli_progress_begin("reading the file", 0, NULL);
  const weft_status rc = file->is_archive ? weft_npz_read(out, context, file->npz, choice->member)
                                          : weft_npy_load(out, context, file->path);
  cli_progress_end();
  return rc;
}
