// SPDX-License-Identifier: MIT
// Files of recordings with changed fields. Each is refused, or loads and is released; none is replayed, as its kernels
// are code. The texts of the programs stay: another text would be compiled. Unlike the other targets it opens a device.
#include <inttypes.h>
#include <unistd.h>
#include <weft/weft.h>

#include "base/file.h"
#include "base/hash.h"
#include "fuzz_fields.h"
#include "record/recorded_file.h"

const size_t fuzz_head = 0;
uint64_t fuzz_accepted;

enum { MOST_FIELDS = 4096, LONGEST_TEXT = 4096 };

static weft_context *context;
static char path[64];
static weft__text valid, changed; /* whole files */
static size_t field[MOST_FIELDS];
static size_t fields;

/* ---- the valid file ---- */

static void must(weft_status rc) {
  if (rc) fuzz_fail("no valid file", weft_error_last()->message);
}

static int64_t number_at(const char *at) {
  int64_t number;
  memcpy(&number, at, sizeof number);
  return number;
}

/// The bytes of a text and of what says that there is one; 0: none is here.
static size_t text_at(const char *at, const char *end) {
  if (end - at < 16 || number_at(at) != 1) return 0;
  const int64_t length = number_at(at + 8);
  if (length < 1 || length > LONGEST_TEXT || length > end - at - 16) return 0;
  for (int64_t k = 0; k < length; k++)
    if ((unsigned char)at[16 + k] < 32 && !strchr("\n\t", at[16 + k])) return 0;
  return 16 + (size_t)length;
}

/// Where the mark of a list is; the file's end: nowhere.
static const char *mark_at(weft__recorded_part part) {
  const char *end = valid.chars + valid.length;
  for (const char *at = valid.chars + WEFT__RECORDED_FIRST_BYTES; end - at >= 8; at++)
    if (number_at(at) == part) return at;
  fuzz_fail("a list is missing", path);
}

/// Notes where the numbers of a list are: eight bytes each, with texts between them.
static void find_fields(const char *at, const char *end) {
  while (end - at >= 8 && fields + 2 <= MOST_FIELDS) {
    const size_t text = text_at(at, end);
    field[fields++] = (size_t)(at - valid.chars);
    if (text) field[fields++] = (size_t)(at - valid.chars) + 8;
    at += text ? text : 8;
  }
}

static void record(weft_recording **recording, weft_array *x, weft_array *index, weft_kernel *kernel) {
  weft_array *y = NULL, *t = NULL;
  const float v[4] = {1, 2, 3, 4};
  must(weft_record_begin(context));
  must(weft_eval(&t, context, "sin(x) + 1", WEFT_VAR(x)));
  must(weft_cumsum(&y, t, 0));
  must(weft_take(&t, y, index, 0));
  must(weft_fill(y, 3));
  must(weft_copy(&y, t));
  must(weft_launch(kernel, WEFT_DIM3(2), WEFT_DIM3(8), y, x, 0.5f, (uint64_t)12, WEFT_LOCAL(32), WEFT_STRUCT(v)));
  must(weft_record_end(recording));
  must(weft_recording_name(*recording, x, "x"));
  must(weft_recording_name(*recording, y, "result"));
  weft_release(&y, &t);
}

static void begin(void) {
  weft_array *x = NULL, *index = NULL;
  weft_kernel *kernel = NULL;
  weft_recording *recording = NULL;
  must(weft_context_default(&context));
  must(weft_arange(&x, context, WEFT_F32, 0, 16, 1));
  must(weft_arange(&index, context, WEFT_I64, 15, -1, -1));
  must(weft_kernel_create(&kernel, context,
                          .source = "kernel void each(global float *y, global const float *x, float a, ulong n,\n"
                                    "                 local float *t, float4 v) {\n"
                                    "  size_t i = get_global_id(0);\n"
                                    "  t[get_local_id(0)] = x[i < n ? i : 0] + v.x;\n"
                                    "  if (i < n) y[i] += a * t[get_local_id(0)];\n"
                                    "}\n"));
  record(&recording, x, index, kernel);
  snprintf(path, sizeof path, "/tmp/weft-fuzz-recording-%ld", (long)getpid());
  must(weft_recording_save(recording, path));
  if (weft__file_text(&valid, path)) fuzz_fail("no valid file", path);
  weft_release(&recording, &kernel, &x, &index);
  for (int part = WEFT__PART_DEVICE; part < WEFT__PART_END; part++)
    if (part != WEFT__PART_PROGRAMS)
      find_fields(mark_at((weft__recorded_part)part), mark_at((weft__recorded_part)(part + 1)));
}

/* ---- changed ones ---- */

static void write_changed(void) {
  char first[WEFT__RECORDED_FIRST_BYTES + 1];
  const size_t rest = changed.length - WEFT__RECORDED_FIRST_BYTES;
  snprintf(first, sizeof first, WEFT__RECORDED_FIRST, weft__hash(changed.chars + WEFT__RECORDED_FIRST_BYTES, rest, 1),
           (uint64_t)rest);
  memcpy(changed.chars, first, WEFT__RECORDED_FIRST_BYTES);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(changed.chars, 1, changed.length, file) != changed.length || fclose(file) != 0)
    fuzz_fail("the file cannot be written", path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  edit edits[MOST_EDITS];
  weft_recording *recording = NULL;
  weft_array *x = NULL;
  weft_recording_info info;
  if (!context) begin();
  weft__text_clear(&changed);
  weft__text_add_bytes(&changed, valid.chars, valid.length);
  const int count = read_edits(edits, data, size);
  for (int k = 0; k < count; k++) {
    char *at = changed.chars + field[edits[k].field % fields];
    const int64_t value = edited(&edits[k], number_at(at), number_at(changed.chars + field[edits[k].value % fields]));
    memcpy(at, &value, sizeof value);
  }
  if (count && edits[0].how >= 0xf0) changed.length -= edits[0].value % (changed.length - WEFT__RECORDED_FIRST_BYTES);
  write_changed();
  if (weft_recording_load(&recording, context, path) == WEFT_OK) {
    fuzz_accepted++;
    must(weft_recording_get(&info, recording));
    if (weft_recording_array(&x, recording, "x") == WEFT_OK) weft_array_release(&x);
  } else if (!weft_error_last()->message[0]) {
    fuzz_fail("no message", path);
  }
  weft_recording_release(&recording);
  unlink(path);
  return 0;
}
