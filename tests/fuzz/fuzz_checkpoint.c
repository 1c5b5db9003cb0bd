// SPDX-License-Identifier: MIT
// Checkpoints whose checkpoint.json has changed fields: each is refused or loads, and a save over it works and removes
// no other file than a checkpoint's. One rank of MPI, on a device.
#include <mpi.h>
#include <unistd.h>
#include <weft/dist.h>

#include "base/file.h"
#include "fuzz_fields.h"

const size_t fuzz_head = 0;
uint64_t fuzz_accepted;

enum { MOST_FIELDS = 256 };

static weft_dist *grid;
static weft_dist_array *x, *whole;
static weft_rng *rng;
static int64_t step;
static double time_of;
static char folder[64], list_path[96], kept_path[96];
static weft__text valid, changed;
static size_t field[MOST_FIELDS], field_bytes[MOST_FIELDS];
static size_t fields;

static void must(weft_status rc) {
  if (rc) fuzz_fail("a call fails", weft_error_last()->message);
}

/// Notes where the numbers, the texts and the marks between them are.
static void find_fields(void) {
  const char *bytes = weft__text_chars(&valid);
  for (size_t at = 0; bytes[at] && fields < MOST_FIELDS;) {
    size_t length = strspn(bytes + at, "-0123456789.e");
    if (bytes[at] == '"') length = strcspn(bytes + at + 1, "\"") + 2;
    if (length == 0) length = 1;
    if (!strchr(" \n", bytes[at])) {
      field[fields] = at;
      field_bytes[fields++] = length;
    }
    at += length;
  }
}

static void write_text(const char *path, const weft__text *text) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(weft__text_chars(text), 1, text->length, file) != text->length || fclose(file) != 0)
    fuzz_fail("the file cannot be written", path);
}

static const weft_dist_item *items(weft_dist_array **first, weft_dist_array **second) {
  static weft_dist_item list[5];
  list[0] = (weft_dist_item){"x", .array = first};
  list[1] = (weft_dist_item){"whole", .array = second};
  list[2] = (weft_dist_item){"generator", .rng = rng};
  list[3] = (weft_dist_item){"step", .integer = &step};
  list[4] = (weft_dist_item){"time", .number = &time_of};
  return list;
}

static void begin(void) {
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) fuzz_fail("no MPI", "");
  must(weft_dist_create(&grid, MPI_COMM_WORLD));
  must(weft_rng_create(&rng, .seed = 11));
  must(weft_dist_full(&x, grid, WEFT_F64, WEFT_SHAPE(7), 0, 1));
  must(weft_dist_full(&whole, grid, WEFT_I32, WEFT_SHAPE(3, 2), WEFT_DIST_WHOLE, 5));
  snprintf(folder, sizeof folder, "/tmp/weft-fuzz-checkpoint-%ld", (long)getpid());
  snprintf(list_path, sizeof list_path, "%s/checkpoint.json", folder);
  snprintf(kept_path, sizeof kept_path, "%s/kept.npy", folder);
  must(weft_dist_checkpoint_save(folder, grid, items(&x, &whole), 5));
  if (weft__file_text(&valid, list_path)) fuzz_fail("no valid file", list_path);
  write_text(kept_path, &valid);
  find_fields();
}

/// What stands in a field's place: nothing, another field, a number, or a text that is no name.
static void add_changed(const edit *e, size_t which) {
  static const char *const texts[] = {"\"../kept.npy\"",
                                      "\"kept.npy\"",
                                      "\"x.1.npy\"",
                                      "\"/etc/passwd\"",
                                      "\"\"",
                                      "\"x\\u0000y\"",
                                      "null",
                                      "1e400",
                                      "99999999999999999999",
                                      "\"f32\"",
                                      "{",
                                      "]",
                                      "\"whole.1.npy/../../\"",
                                      "\"a\\u001b[31m\"",
                                      "-1",
                                      "\"nan\""};
  const char *bytes = weft__text_chars(&valid);
  const size_t other = e->value % fields;
  if (e->how % 8 == 6)
    weft__text_add(&changed, "%s", texts[e->which % (sizeof texts / sizeof *texts)]);
  else if (e->how % 8 == 7)
    weft__text_add_bytes(&changed, bytes + field[other], e->which % 2 ? 0 : field_bytes[other]);
  else
    weft__text_add(&changed, bytes[field[which]] == '"' ? "\"%lld\"" : "%lld",
                   (long long)edited(e, strtoll(bytes + field[which], NULL, 10), e->value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  edit edits[MOST_EDITS];
  if (!grid) begin();
  const int count = read_edits(edits, data, size);
  const char *bytes = weft__text_chars(&valid);
  size_t at = 0;
  weft__text_clear(&changed);
  for (size_t k = 0; k < fields; k++) {
    const edit *found = NULL;
    for (int i = 0; i < count; i++)
      if (edits[i].field % fields == k) found = &edits[i];
    weft__text_add_bytes(&changed, bytes + at, field[k] - at);
    if (found)
      add_changed(found, k);
    else
      weft__text_add_bytes(&changed, bytes + field[k], field_bytes[k]);
    at = field[k] + field_bytes[k];
  }
  weft__text_add_bytes(&changed, bytes + at, valid.length - at);
  write_text(list_path, &changed);
  weft_dist_array *loaded = NULL, *loaded_whole = NULL;
  if (weft_dist_checkpoint_load(folder, grid, items(&loaded, &loaded_whole), 5) == WEFT_OK) fuzz_accepted++;
  weft_dist_array_release(&loaded);
  weft_dist_array_release(&loaded_whole);
  if (count && edits[0].which % 4 == 0) {
    /* what cannot be read is replaced; then the files of the valid list are there again */
    must(weft_dist_checkpoint_save(folder, grid, items(&x, &whole), 5));
    must(weft_dist_checkpoint_load(folder, grid, items(&loaded, &loaded_whole), 5));
    weft_dist_array_release(&loaded);
    weft_dist_array_release(&loaded_whole);
    if (access(kept_path, F_OK) != 0) fuzz_fail("another file is removed", weft__text_chars(&changed));
    weft__text_clear(&valid);
    fields = 0;
    if (weft__file_text(&valid, list_path)) fuzz_fail("no list", list_path);
    find_fields();
  }
  return 0;
}
