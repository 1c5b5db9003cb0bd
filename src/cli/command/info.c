// SPDX-License-Identifier: MIT
/// `weft info`: the headers of .npy files and the members of .npz files. No device is needed.
#include <unistd.h>

#include "cli/base/array_file.h"
#include "cli/base/text_table.h"

static const table_column npy_columns[] = {{"file", "FILE"},           {"dtype", "DTYPE"},    {"shape", "SHAPE"},
                                           {"size_bytes", "SIZE"},     {"order", "ORDER"},    {"byte_order", "BYTES"},
                                           {"offset_bytes", "OFFSET"}, {"version", "VERSION"}};
static const table_column npz_columns[] = {{"member", "MEMBER"},       {"dtype", "DTYPE"},
                                           {"shape", "SHAPE"},         {"size_bytes", "SIZE"},
                                           {"stored_bytes", "STORED"}, {"compressed", "COMPRESSED"}};
enum { NPY_COLUMNS = sizeof npy_columns / sizeof *npy_columns, NPZ_COLUMNS = sizeof npz_columns / sizeof *npz_columns };

/// The output: .npy files are rows of one table; each archive has a table of its own, in `archives`.
typedef struct listing {
  const cli_args *args;
  bool is_json;
  table files;
  weft__text archives;
  int archive_count;
} listing;

static void add_npy(table *t, const char *path, const weft_npy_info *npy) {
  const bool has_one_order = weft_dtype_size_bytes(npy->dtype) == 1;
  char version[8];
  snprintf(version, sizeof version, "%d.0", npy->version);
  table_add_text(t, path);
  table_add_text(t, weft_dtype_name(npy->dtype));
  table_add_shape(t, npy->shape);
  table_add_size(t, npy->size_bytes);
  table_add_text(t, npy->is_fortran ? "Fortran" : "C");
  if (has_one_order)
    table_add_none(t);
  else
    table_add_text(t, npy->is_swapped ? "big-endian" : "little-endian");
  table_add_number(t, npy->offset_bytes);
  table_add_text(t, version);
}

static void add_member(table *t, const weft_npz_member *member) {
  table_add_text(t, member->name);
  if (member->dtype == WEFT_DTYPE_NONE) {
    table_add_none(t);
    table_add_none(t);
  } else {
    table_add_text(t, weft_dtype_name(member->dtype));
    table_add_shape(t, member->shape);
  }
  table_add_size(t, member->size_bytes);
  table_add_size(t, member->stored_bytes);
  table_add_bool(t, member->compressed);
}

static void write_archive(listing *l, const char *path, const table *members, int count) {
  weft__text *text = &l->archives;
  if (l->is_json) {
    weft__text_add(text, "%s\n    {\"file\": ", l->archive_count ? "," : "");
    weft__text_add_json(text, path);
    weft__text_add(text, ", \"members\": ");
    table_write_json(text, members);
    weft__text_add(text, "}");
  } else {
    char shown[WEFT__SHOWN_BYTES];
    weft__text_add(text, "%s%s: %d member%s\n", l->archive_count || l->files.cell_count ? "\n" : "",
                   weft__text_shown(shown, path), count, count == 1 ? "" : "s");
    if (count) table_write(text, members, table_has_colour(STDOUT_FILENO));
  }
  l->archive_count++;
}

static int add_archive(listing *l, const array_file *file) {
  table members = {.columns = npz_columns, .column_count = NPZ_COLUMNS};
  const int count = weft_npz_count(file->npz);
  weft_npz_member member;
  int status = CLI_OK;
  for (int i = 0; i < count && status == CLI_OK; i++) {
    if (weft_npz_get(&member, file->npz, i) == WEFT_OK)
      add_member(&members, &member);
    else
      status = cli_report(l->args);
  }
  if (status == CLI_OK) write_archive(l, file->path, &members, count);
  table_free(&members);
  return status;
}

static int add_file(listing *l, const char *path) {
  array_file file;
  int status = array_file_open(&file, l->args, path);
  if (status != CLI_OK) return status;
  if (file.is_archive)
    status = add_archive(l, &file);
  else
    add_npy(&l->files, path, &file.npy);
  array_file_close(&file);
  return status;
}

static int show(listing *l) {
  weft__text text = {0};
  int status = CLI_OK;
  if (l->is_json) {
    weft__text_add(&text, "{\n  \"npy\": ");
    table_write_json(&text, &l->files);
    weft__text_add(&text, ",\n  \"npz\": [%s%s]\n}\n", weft__text_chars(&l->archives), l->archive_count ? "\n  " : "");
  } else {
    if (l->files.cell_count) table_write(&text, &l->files, table_has_colour(STDOUT_FILENO));
    weft__text_add(&text, "%s", weft__text_chars(&l->archives));
  }
  if (text.failed || l->archives.failed)
    status = cli_fail(l->args, "not enough memory");
  else
    cli_print(weft__text_chars(&text));
  weft__text_free(&text);
  return status;
}

static int run(const cli_args *args) {
  listing l = {.args = args, .is_json = cli_flag(args, "--json"), .files = {npy_columns, NPY_COLUMNS}};
  int status = CLI_OK;
  if (args->word_count == 0) return cli_usage_error(args, "the file is missing: expected `weft info FILE...`");
  /* A file that cannot be read does not hide the others. */
  for (int i = 0; i < args->word_count; i++)
    if (add_file(&l, args->word[i]) != CLI_OK) status = CLI_FAILED;
  const int shown = show(&l);
  table_free(&l.files);
  weft__text_free(&l.archives);
  return status == CLI_OK ? shown : status;
}

static const cli_option options[] = {{"--json", NULL, "prints JSON, with sizes in bytes"}, {0}};

const cli_command cli_info = {
    .name = "info",
    .synopsis = "FILE...",
    .summary = "Shows what .npy and .npz files hold",
    .description =
        "SIZE is the size of the elements of an .npy file; in an .npz file the size of the member, and\n"
        "STORED the bytes that it takes there. OFFSET is the place of the first element in the file. ORDER:\n"
        "C has the last axis fastest, Fortran the first one. A member without a dtype is one that Weft\n"
        "cannot read. No device is needed.\n"
        "\n"
        "Example:\n"
        "  weft info model.npz weights.npy\n",
    .options = options,
    .max_words = CLI_MAX_WORDS,
    .run = run,
};
