// SPDX-License-Identifier: MIT
/// {"weft-tune": 1, "winners": [{"hash": [1, 2], "kernel": "k", "device": "...", "driver": "...", "block": [256, 1, 1],
/// "define_set": 0, "time_ns": 1500}]}. The hash has a high and a low half.
#include "report/tune_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

typedef struct winner {
  uint64_t hash;
  char kernel[128], device[256], driver[256];
  weft_tuning tuning;
} winner;

static uint64_t read_number(weft__json *json) {
  const int64_t value = weft__json_integer(json);
  if (value < 0) json->failed = true;
  return value < 0 ? 0 : (uint64_t)value;
}

/// Reads a number that its variable holds exactly, so that it is written as it was.
static uint64_t read_up_to(weft__json *json, uint64_t most) {
  const uint64_t value = read_number(json);
  if (value > most) json->failed = true;
  return value > most ? 0 : value;
}

/// Reads [a, b, c] or its beginning.
static void read_numbers(weft__json *json, uint64_t *number, int room) {
  int count = 0;
  weft__json_open(json, '[');
  while (weft__json_item(json)) {
    const uint64_t value = read_number(json);
    if (count < room) number[count] = value;
    count++;
  }
  if (count != room) json->failed = true;
}

static void read_winner(weft__json *json, winner *w) {
  char key[16];
  uint64_t half[2] = {0, 0}, block[3] = {0, 0, 0};
  *w = (winner){.hash = 0};
  weft__json_open(json, '{');
  while (weft__json_key(json, key, sizeof key))
    if (strcmp(key, "hash") == 0)
      read_numbers(json, half, 2);
    else if (strcmp(key, "kernel") == 0)
      weft__json_string(json, w->kernel, sizeof w->kernel);
    else if (strcmp(key, "device") == 0)
      weft__json_string(json, w->device, sizeof w->device);
    else if (strcmp(key, "driver") == 0)
      weft__json_string(json, w->driver, sizeof w->driver);
    else if (strcmp(key, "block") == 0)
      read_numbers(json, block, 3);
    else if (strcmp(key, "define_set") == 0)
      w->tuning.define_set = (int)read_up_to(json, INT_MAX);
    else if (strcmp(key, "time_ns") == 0)
      w->tuning.time_ns = (double)read_up_to(json, (uint64_t)1 << 53);
    else
      weft__json_skip(json);
  w->hash = half[0] << 32 | (half[1] & UINT32_MAX);
  w->tuning.block = weft__dim3(block[0], block[1], block[2]);
}

static void add_winner(weft__text *out, const winner *w) {
  if (out->length > 0) weft__text_add(out, ",");
  weft__text_add(out, "\n  {\"hash\": [%" PRIu64 ", %" PRIu64 "], \"kernel\": ", w->hash >> 32, w->hash & UINT32_MAX);
  weft__text_add_json(out, w->kernel);
  weft__text_add(out, ", \"device\": ");
  weft__text_add_json(out, w->device);
  weft__text_add(out, ", \"driver\": ");
  weft__text_add_json(out, w->driver);
  weft__text_add(out,
                 ",\n   \"block\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "], \"define_set\": %d, \"time_ns\": %.0f}",
                 (uint64_t)w->tuning.block.x, (uint64_t)w->tuning.block.y, (uint64_t)w->tuning.block.z,
                 w->tuning.define_set, w->tuning.time_ns);
}

static bool is_for(const winner *w, const winner *key) {
  return w->hash == key->hash && strcmp(w->kernel, key->kernel) == 0 && strcmp(w->device, key->device) == 0 &&
         strcmp(w->driver, key->driver) == 0;
}

static winner winner_of(const weft__tune_key *key) {
  winner w = {.hash = key->hash};
  snprintf(w.kernel, sizeof w.kernel, "%s", key->kernel);
  snprintf(w.device, sizeof w.device, "%s", key->device);
  snprintf(w.driver, sizeof w.driver, "%s", key->driver);
  return w;
}

static weft_status parse(bool *found, winner *mine, weft__text *others, const char *text, const char *path) {
  char key[16];
  int64_t format = 0;
  weft__json json = {.at = text};
  *found = false;
  weft__json_open(&json, '{');
  while (weft__json_key(&json, key, sizeof key))
    if (strcmp(key, "weft-tune") == 0) {
      format = weft__json_integer(&json);
    } else if (strcmp(key, "winners") == 0) {
      weft__json_open(&json, '[');
      while (weft__json_item(&json)) {
        winner w;
        read_winner(&json, &w);
        if (json.failed) break;
        if (!is_for(&w, mine))
          add_winner(others, &w);
        else
          *found = true, mine->tuning = w.tuning;
      }
    } else {
      weft__json_skip(&json);
    }
  weft__json_end(&json);
  if (json.failed || format != 1)
    return weft__fail(WEFT_ERROR_FILE, "file", "`%s` is no file of weft_tune; remove it, or name another", path);
  return WEFT_OK;
}

weft_status weft__tune_parse(bool *found, weft_tuning *tuning, weft__text *others, const char *text, const char *path,
                             const weft__tune_key *key) {
  winner mine = winner_of(key);
  WEFT__TRY_RETURN(parse(found, &mine, others, text, path));
  if (*found) *tuning = mine.tuning;
  return WEFT_OK;
}

static weft_status read_file(bool *found, weft_tuning *tuning, weft__text *others, const char *path,
                             const weft__tune_key *key) {
  weft__text text = {0};
  weft_status rc = WEFT_OK;
  *found = false;
  const int why = weft__file_text(&text, path);
  if (why == ENOENT) goto done;
  if (why) WEFT__TRY(weft__fail(WEFT_ERROR_FILE, "file", "cannot read `%s`: %s", path, weft__file_error(why)));
  /* a zero byte would hide what is behind it */
  const bool has_zero = strlen(weft__text_chars(&text)) != text.length;
  WEFT__TRY(weft__tune_parse(found, tuning, others, has_zero ? "" : weft__text_chars(&text), path, key));
done:
  if (rc == WEFT_OK && text.failed) rc = weft__fail_host_memory(text.length);
  weft__text_free(&text);
  return rc;
}

weft_status weft__tune_find(bool *found, weft_tuning *tuning, const char *path, const weft__tune_key *key) {
  weft__text others = {0};
  const weft_status rc = read_file(found, tuning, &others, path, key);
  weft__text_free(&others);
  return rc;
}

weft_status weft__tune_keep(const char *path, const weft__tune_key *key, const weft_tuning *tuning) {
  winner mine = winner_of(key);
  weft_tuning kept;
  weft__text winners = {0}, text = {0};
  weft__new_file file = WEFT__NO_NEW_FILE;
  bool found;
  weft_status rc;
  WEFT__TRY(read_file(&found, &kept, &winners, path, key));
  mine.tuning = *tuning;
  add_winner(&winners, &mine);
  weft__text_add(&text, WEFT__TUNE_FILE, weft__text_chars(&winners));
  WEFT__TRY(text.failed || winners.failed ? weft__fail_host_memory(winners.length) : WEFT_OK);
  int why = weft__new_file_begin(&file, AT_FDCWD, path, WEFT__FILES_ONLY);
  if (!why) why = weft__new_file_write(&file, weft__text_chars(&text), text.length);
  if (!why) why = weft__new_file_end(&file, false);
  if (why) rc = weft__fail(WEFT_ERROR_FILE, "file", "cannot %s `%s`: %s", file.step, path, weft__file_error(why));
done:
  weft__new_file_drop(&file);
  weft__text_free(&text);
  weft__text_free(&winners);
  return rc;
}
