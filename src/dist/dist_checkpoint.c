// SPDX-License-Identifier: MIT
/// A program's state in a folder: checkpoint.json names the files of the arrays. Their names have the checkpoint's
/// number, so that the old files stay until the new checkpoint.json is in its place.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "dist/dist_array.h"

enum { NAME_BYTES = 64, FILE_BYTES = NAME_BYTES + 32, WORDS = 11 };

/// An item of checkpoint.json.
typedef struct saved_item {
  char name[NAME_BYTES], file[FILE_BYTES];
  weft_dtype dtype;
  weft_shape shape;
  int axis;
  bool is_array, is_rng, is_integer, is_number;
  weft_rng_state state;
  int64_t integer;
  double number;
} saved_item;

typedef struct saved_list {
  int64_t serial;
  int count;
  saved_item *item;
} saved_list;

/* ---- what the caller gives ---- */

static bool is_name(const char *name) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return name && name[0] && strlen(name) < NAME_BYTES && strspn(name, allowed) == strlen(name);
}

static weft_status check_name(const char *name) {
  if (is_name(name)) return WEFT_OK;
  return weft__dist_fail(WEFT_ERROR_ARGUMENT, "items",
                         "an item's name is `%s`; expected 1 to %d letters, digits, `-` and `_`", name ? name : "NULL",
                         NAME_BYTES - 1);
}

static weft_status check_item(const weft_dist *grid, const weft_dist_item *item, bool saves) {
  WEFT__TRY_RETURN(check_name(item->name));
  if (!!item->array + !!item->rng + !!item->integer + !!item->number != 1)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "items",
                           "item `%s` has %d of .array, .rng, .integer and .number; expected one", item->name,
                           !!item->array + !!item->rng + !!item->integer + !!item->number);
  if (!item->array) return WEFT_OK;
  if (!saves && *item->array)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "items", "item `%s` has an array; expected a NULL handle", item->name);
  if (!saves) return WEFT_OK;
  WEFT__TRY_RETURN(weft__dist_check(*item->array, item->name));
  if ((*item->array)->grid != grid)
    return weft__dist_fail(WEFT_ERROR_CONTEXT, "items", "item `%s` is an array of another grid", item->name);
  return WEFT_OK;
}

static weft_status check_items(const char *folder, const weft_dist *grid, const weft_dist_item *items, int count,
                               bool saves) {
  if (!folder || !folder[0])
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "folder", "`folder` is %s", folder ? "empty" : "NULL");
  if (count < 1 || !items)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "items", "`items` is a list of %d items; expected 1 at least", count);
  for (int k = 0; k < count; k++) {
    WEFT__TRY_RETURN(check_item(grid, &items[k], saves));
    for (int other = 0; other < k; other++)
      if (strcmp(items[k].name, items[other].name) == 0)
        return weft__dist_fail(WEFT_ERROR_ARGUMENT, "items", "two items are called `%s`", items[k].name);
  }
  return WEFT_OK;
}

static weft_status fail_memory(const char *what) {
  return weft__dist_fail(WEFT_ERROR_HOST_MEMORY, NULL, "the host has no memory for %s", what);
}

static weft_status add_path(weft__text *path, const char *folder, const char *file) {
  weft__text_clear(path);
  weft__text_add(path, "%s/%s", folder, file);
  return path->failed ? fail_memory("the path of a checkpoint's file") : WEFT_OK;
}

/* ---- checkpoint.json ---- */

/// The name of an array's file, "NAME.SERIAL.npy". The next checkpoint removes it, so that no other name is believed.
static void write_file_name(char file[FILE_BYTES], const char *name, int64_t serial) {
  snprintf(file, FILE_BYTES, "%s.%" PRId64 ".npy", name, serial);
}

static void write_rng(weft__text *text, const weft_rng_state *s) {
  const uint64_t words[WORDS] = {s->version, s->generator, s->key[0],   s->key[1], s->jumps,   s->position,
                                 s->splits,  s->spare,     s->has_kept, s->kept,   s->reserved};
  weft__text_add(text, ", \"rng\": [");
  for (int k = 0; k < WORDS; k++) weft__text_add(text, "%s\"%" PRIu64 "\"", k ? ", " : "", words[k]);
  weft__text_add(text, "]");
}

/* Words of 64 bits are strings: JSON's numbers do not hold them. */
static void read_rng(weft__json *json, weft_rng_state *s) {
  uint64_t words[WORDS] = {0};
  int count = 0;
  for (weft__json_open(json, '['); weft__json_item(json); count++) {
    char text[24];
    weft__json_string(json, text, sizeof text);
    if (count < WORDS) words[count] = strtoull(text, NULL, 10);
  }
  json->failed |= count != WORDS;
  *s = (weft_rng_state){.version = (uint32_t)words[0],
                        .generator = (uint32_t)words[1],
                        .key = {words[2], words[3]},
                        .jumps = words[4],
                        .position = words[5],
                        .splits = words[6],
                        .spare = (uint32_t)words[7],
                        .has_kept = (uint32_t)words[8],
                        .kept = (uint32_t)words[9],
                        .reserved = (uint32_t)words[10]};
}

static weft_status write_item(weft__text *text, const weft_dist_item *item, int64_t serial) {
  weft__text_add(text, "    {\"name\": \"%s\"", item->name);
  if (item->array) {
    const weft_dist_array *x = *item->array;
    char file[FILE_BYTES];
    write_file_name(file, item->name, serial);
    weft__text_add(text, ", \"file\": \"%s\", \"dtype\": \"%s\", \"shape\": [", file,
                   weft_dtype_name(weft_array_dtype(x->local)));
    for (int d = 0; d < x->shape.ndim; d++) weft__text_add(text, "%s%" PRId64, d ? ", " : "", x->shape.dim[d]);
    weft__text_add(text, "], \"axis\": %d", x->axis);
  } else if (item->rng) {
    weft_rng_state state;
    WEFT__TRY_RETURN(weft_rng_get_state(&state, item->rng));
    write_rng(text, &state);
  } else if (item->integer) {
    weft__text_add(text, ", \"integer\": %" PRId64, *item->integer);
  } else {
    weft__text_add(text, ", \"number\": \"%.17g\"", *item->number);
  }
  weft__text_add(text, "}");
  return WEFT_OK;
}

static void read_shape(weft__json *json, weft_shape *shape) {
  for (weft__json_open(json, '['); weft__json_item(json);) {
    const int64_t length = weft__json_integer(json);
    if (shape->ndim < WEFT_MAX_NDIM)
      shape->dim[shape->ndim++] = length;
    else
      json->failed = true;
  }
}

static void read_item(weft__json *json, saved_item *item) {
  char key[16], text[32];
  weft__json_open(json, '{');
  while (weft__json_key(json, key, sizeof key)) {
    if (strcmp(key, "name") == 0) {
      weft__json_string(json, item->name, sizeof item->name);
    } else if (strcmp(key, "file") == 0) {
      weft__json_string(json, item->file, sizeof item->file);
      item->is_array = true;
    } else if (strcmp(key, "dtype") == 0) {
      weft__json_string(json, text, sizeof text);
      for (int dtype = WEFT_DTYPE_NONE + 1; !item->dtype && dtype < WEFT_DTYPE_COUNT; dtype++)
        if (strcmp(text, weft_dtype_name((weft_dtype)dtype)) == 0) item->dtype = (weft_dtype)dtype;
    } else if (strcmp(key, "shape") == 0) {
      read_shape(json, &item->shape);
    } else if (strcmp(key, "axis") == 0) {
      const int64_t axis = weft__json_integer(json);
      json->failed |= axis < WEFT_DIST_WHOLE || axis >= WEFT_MAX_NDIM;
      item->axis = json->failed ? WEFT_DIST_WHOLE : (int)axis;
    } else if (strcmp(key, "rng") == 0) {
      read_rng(json, &item->state);
      item->is_rng = true;
    } else if (strcmp(key, "integer") == 0) {
      item->integer = weft__json_integer(json);
      item->is_integer = true;
    } else if (strcmp(key, "number") == 0) {
      weft__json_string(json, text, sizeof text);
      item->number = strtod(text, NULL);
      item->is_number = true;
    } else {
      weft__json_skip(json);
    }
  }
}

static void read_items(weft__json *json, saved_list *list) {
  for (weft__json_open(json, '['); weft__json_item(json);) {
    saved_item *more = realloc(list->item, ((size_t)list->count + 1) * sizeof *more);
    if (!more) {
      json->failed = true;
      return;
    }
    list->item = more;
    if (list->count == INT_MAX / 2) json->failed = true;
    more[list->count] = (saved_item){.axis = WEFT_DIST_WHOLE};
    read_item(json, &more[list->count++]);
  }
}

/// False: the text is no checkpoint's.
static bool read_list(saved_list *list, const char *text) {
  weft__json json = {.at = text};
  int64_t version = 0;
  char key[20];
  weft__json_open(&json, '{');
  while (weft__json_key(&json, key, sizeof key)) {
    if (strcmp(key, "weft_checkpoint") == 0)
      version = weft__json_integer(&json);
    else if (strcmp(key, "serial") == 0)
      list->serial = weft__json_integer(&json);
    else if (strcmp(key, "items") == 0)
      read_items(&json, list);
    else
      weft__json_skip(&json);
  }
  weft__json_end(&json);
  for (int k = 0; k < list->count; k++) {
    char file[FILE_BYTES];
    write_file_name(file, list->item[k].name, list->serial);
    json.failed |= !is_name(list->item[k].name) || (list->item[k].is_array && strcmp(list->item[k].file, file) != 0);
  }
  return !json.failed && version == 1 && list->serial > 0;
}

static void free_list(saved_list *list) {
  free(list->item);
  *list = (saved_list){0};
}

/* ---- saving ---- */

/// On rank 0: the folder, and what it has.
static weft_status open_folder(saved_list *old, const char *folder) {
  weft__text path = {0}, text = {0};
  char *made = strdup(folder);
  weft_status rc = made ? add_path(&path, folder, "checkpoint.json") : fail_memory("the path of a checkpoint");
  const int why = rc ? 0 : weft__file_make_folders(made);
  if (why)
    rc = weft__dist_fail(WEFT_ERROR_FILE, "folder", "cannot make the folder %s: %s", folder, weft__file_error(why));
  /* what cannot be read is replaced */
  if (!rc && (weft__file_text(&text, weft__text_chars(&path)) || !read_list(old, weft__text_chars(&text))))
    free_list(old);
  free(made);
  weft__text_free(&path);
  weft__text_free(&text);
  return rc;
}

static weft_status write_list(const char *folder, const weft_dist *grid, const weft_dist_item *items, int count,
                              int64_t serial) {
  weft__text text = {0}, path = {0};
  weft__new_file file = WEFT__NO_NEW_FILE;
  weft_status rc;
  weft__text_add(&text, "{\n  \"weft_checkpoint\": 1,\n  \"serial\": %" PRId64 ",\n  \"ranks\": %d,\n  \"items\": [\n",
                 serial, grid->ranks);
  for (int k = 0; k < count; k++) {
    WEFT__TRY(write_item(&text, &items[k], serial));
    weft__text_add(&text, k + 1 < count ? ",\n" : "\n");
  }
  weft__text_add(&text, "  ]\n}\n");
  WEFT__TRY(add_path(&path, folder, "checkpoint.json"));
  if (text.failed) WEFT__TRY(fail_memory("the text of checkpoint.json"));
  int why = weft__new_file_begin(&file, AT_FDCWD, weft__text_chars(&path), WEFT__FILES_ONLY);
  if (!why) why = weft__new_file_write(&file, weft__text_chars(&text), text.length);
  if (!why) why = weft__new_file_end(&file, true);
  if (why) {
    rc = weft__dist_fail(WEFT_ERROR_FILE, "folder", "cannot %s %s: %s", file.step, weft__text_chars(&path),
                         weft__file_error(why));
    weft__new_file_drop(&file);
  }
done:
  weft__text_free(&text);
  weft__text_free(&path);
  return rc;
}

/// Removes the arrays' files of one checkpoint.
static void remove_files(const char *folder, const saved_list *list, const weft_dist_item *items, int count,
                         int64_t serial) {
  weft__text path = {0};
  char name[FILE_BYTES];
  for (int k = 0; list && k < list->count; k++)
    if (list->item[k].is_array && !add_path(&path, folder, list->item[k].file)) unlink(weft__text_chars(&path));
  for (int k = 0; !list && k < count; k++) {
    write_file_name(name, items[k].name, serial);
    if (items[k].array && !add_path(&path, folder, name)) unlink(weft__text_chars(&path));
  }
  weft__text_free(&path);
}

static weft_status save_arrays(const char *folder, weft_dist *grid, const weft__dist_call *call,
                               const weft_dist_item *items, int count, int64_t serial) {
  weft__text path = {0};
  char name[FILE_BYTES];
  weft_status rc = WEFT_OK;
  for (int k = 0; k < count && !rc; k++) {
    if (!items[k].array) continue;
    write_file_name(name, items[k].name, serial);
    rc = weft__dist_rendezvous(grid, call, add_path(&path, folder, name));
    if (!rc) rc = weft__dist_save_at(weft__text_chars(&path), *items[k].array, call->site);
  }
  weft__text_free(&path);
  return rc;
}

weft_status weft__dist_checkpoint_save_at(const char *folder, weft_dist *grid, const weft_dist_item *items, int count,
                                          const char *site) {
  const weft__dist_call call = {
      .function = "weft_dist_checkpoint_save", .site = site, .numbers = {count}, .text = folder, .has_files = true};
  saved_list old = {0};
  int64_t serial = 0;
  weft_status rc;
  weft__dist_enter("weft_dist_checkpoint_save", site);
  WEFT__TRY(weft__dist_check_grid(grid));
  rc = check_items(folder, grid, items, count, true);
  if (!rc && grid->rank == 0) rc = open_folder(&old, folder);
  WEFT__TRY(weft__dist_rendezvous(grid, &call, rc));
  /* behind the greatest number comes the first: the old files have another one */
  if (grid->rank == 0) serial = old.serial < INT64_MAX ? old.serial + 1 : 1;
  WEFT__TRY(weft__dist_all_most(grid, &serial));
  rc = save_arrays(folder, grid, &call, items, count, serial);
  if (grid->rank == 0) {
    if (!rc) rc = write_list(folder, grid, items, count, serial);
    /* before the ranks meet, which may fail: checkpoint.json alone says which files are in use */
    remove_files(folder, rc ? NULL : &old, items, count, serial);
  }
  rc = weft__dist_rendezvous(grid, &call, rc);
done:
  free_list(&old);
  return weft__dist_leave(rc);
}

/* ---- loading ---- */

/// Rank 0 reads checkpoint.json, and all ranks get it.
static weft_status fetch_list(saved_list *list, const char *folder, weft_dist *grid, const weft__dist_call *call,
                              weft_status rc) {
  weft__text path = {0}, text = {0};
  char *bytes = NULL;
  if (!rc && grid->rank == 0 && !(rc = add_path(&path, folder, "checkpoint.json"))) {
    const int why = weft__file_text(&text, weft__text_chars(&path));
    if (why)
      rc = weft__dist_fail(WEFT_ERROR_FILE, "folder", "no checkpoint can be read: %s: %s", weft__text_chars(&path),
                           weft__file_error(why));
    else if (text.length >= INT_MAX) /* MPI's counts are ints */
      rc = weft__dist_fail(WEFT_ERROR_FILE, "folder", "%s has %zu bytes", weft__text_chars(&path), text.length);
  }
  WEFT__TRY(weft__dist_rendezvous(grid, call, rc));
  int64_t length = (int64_t)text.length;
  WEFT__TRY(weft__dist_all_most(grid, &length));
  bytes = weft__dist_new((size_t)length + 1, 1);
  if (bytes && grid->rank == 0) memcpy(bytes, weft__text_chars(&text), (size_t)length);
  WEFT__TRY(weft__dist_rendezvous(grid, call, bytes ? WEFT_OK : WEFT_ERROR_HOST_MEMORY));
  WEFT__TRY(weft__dist_broadcast(grid, bytes, (int)length, 0));
  rc = WEFT_OK;
  if (!read_list(list, bytes))
    rc = weft__dist_fail(WEFT_ERROR_FILE, "folder",
                         "%s/checkpoint.json is damaged; expected what weft_dist_checkpoint_save wrote", folder);
done:
  free(bytes);
  weft__text_free(&path);
  weft__text_free(&text);
  return rc;
}

static const saved_item *find_item(const saved_list *list, const weft_dist_item *wanted) {
  for (int k = 0; k < list->count; k++)
    if (strcmp(list->item[k].name, wanted->name) == 0) return &list->item[k];
  return NULL;
}

static weft_status check_saved(const char *folder, const saved_list *list, const weft_dist_item *wanted) {
  const saved_item *item = find_item(list, wanted);
  if (!item)
    return weft__dist_fail(WEFT_ERROR_ARGUMENT, "items", "%s/checkpoint.json has no item `%s`", folder, wanted->name);
  if (wanted->array     ? item->is_array
      : wanted->rng     ? item->is_rng
      : wanted->integer ? item->is_integer
                        : item->is_number)
    return WEFT_OK;
  return weft__dist_fail(WEFT_ERROR_ARGUMENT, "items", "item `%s` of %s/checkpoint.json is %s", wanted->name, folder,
                         item->is_array     ? "an array"
                         : item->is_rng     ? "a generator"
                         : item->is_integer ? "an integer"
                                            : "a number");
}

static weft_status load_array(weft_dist_array **out, const char *folder, weft_dist *grid, const weft__dist_call *call,
                              const saved_item *item) {
  weft__text path = {0};
  weft_status rc;
  WEFT__TRY(weft__dist_rendezvous(grid, call, add_path(&path, folder, item->file)));
  WEFT__TRY(
      weft__dist_load_at(out, grid, weft__text_chars(&path), item->axis, &(weft_dist_load_params){.site = call->site}));
  const weft_shape shape = (*out)->shape;
  if (weft_array_dtype((*out)->local) != item->dtype || shape.ndim != item->shape.ndim ||
      memcmp(shape.dim, item->shape.dim, (size_t)shape.ndim * sizeof shape.dim[0]) != 0)
    rc = weft__dist_fail(WEFT_ERROR_FILE, "folder", "%s has another dtype or shape than checkpoint.json says",
                         weft__text_chars(&path));
done:
  weft__text_free(&path);
  return rc;
}

/// Gives the items their values; nothing fails any more but a state that is none.
static weft_status give_values(const saved_list *list, const weft_dist_item *items, int count, weft_dist_array **made) {
  for (int k = 0; k < count; k++)
    if (items[k].rng) WEFT__TRY_RETURN(weft_rng_set_state(items[k].rng, &find_item(list, &items[k])->state));
  for (int k = 0; k < count; k++) {
    const saved_item *item = find_item(list, &items[k]);
    if (items[k].integer) *items[k].integer = item->integer;
    if (items[k].number) *items[k].number = item->number;
    if (!items[k].array) continue;
    *items[k].array = made[k];
    made[k] = NULL;
  }
  return WEFT_OK;
}

weft_status weft__dist_checkpoint_load_at(const char *folder, weft_dist *grid, const weft_dist_item *items, int count,
                                          const char *site) {
  const weft__dist_call call = {
      .function = "weft_dist_checkpoint_load", .site = site, .numbers = {count}, .text = folder, .has_files = true};
  saved_list list = {0};
  weft_dist_array **made = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_checkpoint_load", site);
  WEFT__TRY(weft__dist_check_grid(grid));
  rc = check_items(folder, grid, items, count, false);
  rc = fetch_list(&list, folder, grid, &call, rc);
  for (int k = 0; k < count && !rc; k++) rc = check_saved(folder, &list, &items[k]);
  if (!rc && !(made = weft__dist_new((size_t)count, sizeof *made))) rc = WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__dist_rendezvous(grid, &call, rc));
  for (int k = 0; k < count && !rc; k++)
    if (items[k].array) rc = load_array(&made[k], folder, grid, &call, find_item(&list, &items[k]));
  WEFT__TRY(weft__dist_rendezvous(grid, &call, rc));
  rc = give_values(&list, items, count, made);
done:
  for (int k = 0; k < count && made; k++) weft_dist_array_release(&made[k]);
  free(made);
  free_list(&list);
  return weft__dist_leave(rc);
}
