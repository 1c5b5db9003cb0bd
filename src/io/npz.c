// SPDX-License-Identifier: MIT
/// .npz files: zip archives (io/zip.h) of .npy files.
#include <weft/npz.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "call/call.h"
#include "context/leaks.h"
#include "dtype/scalar.h"
#include "io/elements.h"
#include "io/zip.h"

#define SUFFIX ".npy"
#define FRONT_BYTES ((size_t)128 << 10) /* of a member; its header must end within them */

struct weft_npz {
  weft__object object;
  weft__ledger_entry entry; /* listed if the user holds the handle */
  weft__text file;
  /* reading */
  weft__zip zip; /* its bytes are mapped; the members' names have lost SUFFIX */
  /* writing */
  bool writes, is_finished;
  weft__zip_writer writer;
  weft__text names; /* of the members so far, each with its zero byte */
};

static void destroy(weft_npz *npz) {
  if (!npz) return;
  weft__ledger_remove(weft__leaks_ledger(), &npz->entry);
  if (npz->zip.bytes) munmap((void *)(uintptr_t)npz->zip.bytes, (size_t)npz->zip.size_bytes);
  weft__zip_clear(&npz->zip);
  weft__zip_writer_clear(&npz->writer);
  weft__text_free(&npz->names);
  weft__text_free(&npz->file);
  weft__object_free(&npz->object);
}

WEFT__DEFINE_RELEASE(weft_npz, WEFT__MAGIC_NPZ, destroy)

/// The caller destroys *out, even on failure.
static weft_status make(weft_npz **out, const char *file) {
  if (!file) return weft__fail(WEFT_ERROR_ARGUMENT, "file", "`file` is NULL");
  if (!file[0]) return weft__fail(WEFT_ERROR_ARGUMENT, "file", "`file` is empty; expected a path");
  weft_npz *npz = *out = weft__new(sizeof *npz);
  if (!npz) return WEFT_ERROR_HOST_MEMORY;
  weft__object_begin(&npz->object, WEFT__MAGIC_NPZ, WEFT__ANY_PROCESS);
  npz->writer = WEFT__NO_ZIP_WRITER;
  weft__text_add(&npz->file, "%s", file);
  npz->zip.file = weft__text_chars(&npz->file);
  return npz->file.failed ? weft__fail_host_memory(strlen(file)) : WEFT_OK;
}

static void hand_out(weft_npz **out, weft_npz *npz, const char *site) {
  weft__ledger_add(weft__leaks_ledger(), &npz->entry, WEFT__LEDGER_NPZ, npz, npz->zip.size_bytes, site);
  *out = npz;
}

static weft_status fail_system(const char *call, const char *file, int why) {
  return weft__fail(WEFT_ERROR_FILE, "file", "cannot %s `%s`: %s", call, file, weft__file_error(why));
}

/* ---- reading ---- */

static weft_status map(weft__zip *zip, int descriptor, off_t size_bytes) {
  if ((uint64_t)size_bytes > SIZE_MAX)
    return weft__fail(WEFT_ERROR_OVERFLOW, "file", "`%s` does not fit the address space", zip->file);
  /* an empty file cannot be mapped; weft__zip_list refuses it */
  void *bytes = size_bytes ? mmap(NULL, (size_t)size_bytes, PROT_READ, MAP_SHARED, descriptor, 0) : NULL;
  if (bytes == MAP_FAILED) return fail_system("map", zip->file, errno);
  zip->bytes = bytes;
  zip->size_bytes = (uint64_t)size_bytes;
  return WEFT_OK;
}

static weft_status open_existing(weft_npz **out, const char *file) {
  struct stat about;
  int descriptor;
  WEFT__TRY_RETURN(make(out, file));
  weft__zip *zip = &(*out)->zip;
  const int why = weft__file_open(&descriptor, &about, AT_FDCWD, file, 0);
  if (why == WEFT__NOT_A_FILE)
    return weft__fail(WEFT_ERROR_FILE, "file", "`%s` is no file; expected one that can be mapped", file);
  if (why) return fail_system("open", file, why);
  const weft_status rc = map(zip, descriptor, about.st_size);
  close(descriptor);
  WEFT__TRY_RETURN(rc);
  WEFT__TRY_RETURN(weft__zip_list(zip));
  for (int i = 0; i < zip->count; i++) {
    char *name = zip->members[i].name;
    const size_t length = strlen(name), suffix = strlen(SUFFIX);
    if (length > suffix && strcmp(name + length - suffix, SUFFIX) == 0) name[length - suffix] = 0;
  }
  return WEFT_OK;
}

weft_status weft__npz_open_at(weft_npz **out, const char *file, const char *site) {
  weft_npz *npz = NULL;
  weft_status rc;
  weft__enter("weft_npz_open", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(open_existing(&npz, file));
  hand_out(out, npz, site);
done:
  if (rc) destroy(npz);
  return weft__leave(rc);
}

int weft_npz_count(const weft_npz *npz) {
  return weft__handle_is(npz, WEFT__MAGIC_NPZ) ? npz->zip.count : 0;
}

static weft_status check_reads(const weft_npz *npz) {
  WEFT__TRY_RETURN(weft__handle_check(npz, WEFT__MAGIC_NPZ, "npz"));
  return npz->writes
             ? weft__fail(WEFT_ERROR_ARGUMENT, "npz", "`%s` is being written; expected an archive from weft_npz_open",
                          weft__text_chars(&npz->file))
             : WEFT_OK;
}

/// A member from its first byte on: its .npy header, and behind it the elements.
typedef struct opened {
  weft__npy_header header;
  weft__zip_reader *reader;
  unsigned char *front; /* the bytes from the first on */
  size_t front_bytes;
  size_t used; /* of them */
} opened;

static void close_member(opened *o) {
  weft__zip_reader_release(&o->reader);
  free(o->front);
}

/// The caller closes *o, even on failure.
static weft_status open_member(opened *o, const weft_npz *npz, const weft__zip_member *member) {
  weft__text name = {0};
  char shown[WEFT__SHOWN_BYTES];
  weft_status rc;
  o->front_bytes = member->size_bytes < FRONT_BYTES ? (size_t)member->size_bytes : FRONT_BYTES;
  WEFT__TRY(weft__zip_reader_create(&o->reader, &npz->zip, member));
  if (!(o->front = weft__new(o->front_bytes + 1))) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__zip_read(o->reader, o->front, o->front_bytes));
  weft__text_add(&name, "%s[%s]", npz->zip.file, weft__text_shown(shown, member->name));
  rc = weft__npy_read(&o->header, o->front, o->front_bytes, member->size_bytes, weft__text_chars(&name));
  o->used = (size_t)o->header.offset_bytes;
done:
  weft__text_free(&name);
  return rc;
}

weft_status weft_npz_get(weft_npz_member *out, const weft_npz *npz, int index) {
  opened o = {0};
  weft_status rc;
  weft__enter("weft_npz_get", NULL);
  if (!out) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "member", "`member` is NULL"));
  WEFT__TRY(check_reads(npz));
  if (index < 0 || index >= npz->zip.count)
    WEFT__TRY(weft__fail(WEFT_ERROR_INDEX, "index", "`index` is %d; `%s` has %d member%s", index, npz->zip.file,
                         npz->zip.count, npz->zip.count == 1 ? "" : "s"));
  const weft__zip_member *m = &npz->zip.members[index];
  *out = (weft_npz_member){.name = m->name,
                           .size_bytes = m->size_bytes,
                           .stored_bytes = m->stored_bytes,
                           .compressed = m->method != WEFT__ZIP_STORED};
  rc = open_member(&o, npz, m);
  if (rc == WEFT_OK) {
    out->dtype = o.header.dtype;
    out->shape = o.header.shape;
  } else if (rc != WEFT_ERROR_HOST_MEMORY) {
    rc = WEFT_OK; /* a member that cannot be read has no dtype */
  }
done:
  close_member(&o);
  return weft__leave(rc);
}

static weft_status find_member(const weft__zip_member **out, const weft_npz *npz, const char *name) {
  const weft__zip *zip = &npz->zip;
  *out = NULL;
  if (!name) return weft__fail(WEFT_ERROR_ARGUMENT, "name", "`name` is NULL; expected a member's name");
  for (int i = 0; i < zip->count; i++) {
    if (strcmp(zip->members[i].name, name) != 0) continue;
    if (*out) return weft__fail(WEFT_ERROR_INDEX, "name", "`%s` has two members `%s`", zip->file, name);
    *out = &zip->members[i];
  }
  if (*out) return WEFT_OK;
  weft__text names = {0};
  char shown[WEFT__SHOWN_BYTES];
  for (int i = 0; i < zip->count && i < 10; i++)
    weft__text_add(&names, "%s`%s`", i ? ", " : "", weft__text_shown(shown, zip->members[i].name));
  const weft_status rc = weft__fail(WEFT_ERROR_INDEX, "name", "`%s` has no member `%s`; it has %s%s", zip->file, name,
                                    zip->count ? weft__text_chars(&names) : "none", zip->count > 10 ? " ..." : "");
  weft__text_free(&names);
  return rc;
}

/// The source of elements that is a member.
static weft_status read_member(void *user, void *bytes, size_t count) {
  opened *o = user;
  const size_t ready = o->front_bytes - o->used, first = ready < count ? ready : count;
  memcpy(bytes, o->front + o->used, first);
  o->used += first;
  return count > first ? weft__zip_read(o->reader, (char *)bytes + first, count - first) : WEFT_OK;
}

/// Reads the member into a new array: the checksum is known only behind the last element.
static weft_status load_member(weft_array **out, weft_context *context, const weft_npz *npz, const char *name,
                               const char *site) {
  const weft__zip_member *member;
  opened o = {0};
  weft_array *made = NULL;
  weft_status rc;
  WEFT__TRY(find_member(&member, npz, name));
  WEFT__TRY(open_member(&o, npz, member));
  WEFT__TRY(weft__elements_read(&made, context, &o.header, read_member, &o, site));
  WEFT__TRY(weft__zip_reader_finish(o.reader));
  if (*out) {
    rc = weft__copy_at(out, made, &(weft_copy_params){.site = site});
  } else {
    *out = made;
    made = NULL;
  }
done:
  weft_array_release(&made);
  close_member(&o);
  return rc;
}

weft_status weft__npz_read_at(weft_array **out, weft_context *context, const weft_npz *npz, const char *name,
                              const char *site) {
  weft_status rc;
  weft__enter("weft_npz_read", site);
  WEFT__NEED(out);
  WEFT__TRY(check_reads(npz));
  WEFT__TRY(weft__array_context(&context, context, out));
  rc = load_member(out, context, npz, name, site);
done:
  return weft__leave(rc);
}

/* ---- writing ---- */

static weft_status create_new(weft_npz **out, const char *file, bool compressed) {
  WEFT__TRY_RETURN(make(out, file));
  (*out)->writes = true;
  return weft__zip_writer_begin(&(*out)->writer, file, compressed);
}

weft_status weft__npz_create_at(weft_npz **out, const char *file, const weft_npz_params *params) {
  const weft_npz_params p = WEFT__PARAMS(params);
  weft_npz *npz = NULL;
  weft_status rc;
  weft__enter("weft_npz_create", p.site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(create_new(&npz, file, p.compressed));
  hand_out(out, npz, p.site);
done:
  if (rc) destroy(npz);
  return weft__leave(rc);
}

static weft_status check_writes(const weft_npz *npz) {
  WEFT__TRY_RETURN(weft__handle_check(npz, WEFT__MAGIC_NPZ, "npz"));
  const char *file = weft__text_chars(&npz->file);
  if (!npz->writes)
    return weft__fail(WEFT_ERROR_ARGUMENT, "npz", "`%s` is open for reading; expected an archive from weft_npz_create",
                      file);
  if (npz->is_finished) return weft__fail(WEFT_ERROR_ARGUMENT, "npz", "`%s` is finished; nothing can be added", file);
  if (npz->writer.failed)
    return weft__fail(WEFT_ERROR_FILE, "npz", "`%s` is incomplete: an earlier write failed; release it", file);
  return WEFT_OK;
}

static weft_status check_new_name(const weft_npz *npz, const char *name) {
  if (!name || !name[0])
    return weft__fail(WEFT_ERROR_ARGUMENT, "name", "`name` is %s; expected the member's name", name ? "empty" : "NULL");
  if (strlen(name) > 65535 - strlen(SUFFIX))
    return weft__fail(WEFT_ERROR_ARGUMENT, "name", "`name` has %zu bytes; %zu are the most", strlen(name),
                      65535 - strlen(SUFFIX));
  const char *names = weft__text_chars(&npz->names), *end = names + npz->names.length;
  for (const char *other = names; other < end; other += strlen(other) + 1)
    if (strcmp(other, name) == 0)
      return weft__fail(WEFT_ERROR_ARGUMENT, "name", "`%s` has a member `%s` already", weft__text_chars(&npz->file),
                        name);
  return WEFT_OK;
}

static weft_status write_bytes(void *writer, const void *bytes, size_t count) {
  return weft__zip_write(writer, bytes, count);
}

/// What a member is made of: an array, or elements in host memory.
typedef struct content {
  const weft_array *array;
  weft_host host;
  int64_t size;
  uint64_t scalar[2]; /* the element of a C number */
} content;

static weft_status find_elements(content *c, const weft_operand *x) {
  if (x->kind == WEFT_OPERAND_ARRAY) {
    WEFT__TRY_RETURN(weft__array_check(x->as.array, "x"));
    c->array = x->as.array;
    c->host = WEFT_HOST(NULL, c->array->dtype, weft__array_shape(c->array));
  } else if (x->kind == WEFT_OPERAND_SCALAR) {
    c->host = WEFT_HOST(c->scalar, x->as.scalar.dtype, WEFT_SHAPE_0D);
    c->size = 1;
    return weft__element_bytes(c->scalar, x->as.scalar.dtype, x->as.scalar, "x");
  } else if (x->kind == WEFT_OPERAND_HOST) {
    c->host = x->as.host;
  } else {
    return weft__fail(WEFT_ERROR_ARGUMENT, "x", "`x` is no operand; expected an array, a C number or WEFT_HOST(...)");
  }
  if (!weft__dtype(c->host.dtype))
    return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` has the dtype %d, which is no weft_dtype", (int)c->host.dtype);
  WEFT__TRY_RETURN(weft__shape_check(&c->size, c->host.shape, c->host.dtype, "x"));
  return c->array || c->host.data || c->size == 0 ? WEFT_OK
                                                  : weft__fail(WEFT_ERROR_ARGUMENT, "x", "`x` is host memory at NULL");
}

/// Writes one member. After a failure the archive is incomplete.
static weft_status add_member(weft_npz *npz, const char *name, const weft_operand *x, const char *site) {
  char front[WEFT__NPY_LONGEST];
  weft__text member = {0};
  weft__zip_writer *w = &npz->writer;
  content c = {0};
  weft_status rc;
  WEFT__TRY_RETURN(check_new_name(npz, name));
  WEFT__TRY_RETURN(find_elements(&c, x));
  weft__text_add(&member, "%s" SUFFIX, name);
  weft__text_add_bytes(&npz->names, name, strlen(name) + 1);
  if (member.failed || npz->names.failed) WEFT__TRY(weft__fail_host_memory(strlen(name)));
  WEFT__TRY(weft__zip_member_begin(w, member.chars));
  WEFT__TRY(weft__zip_write(w, front, weft__npy_write(front, c.host.dtype, c.host.shape)));
  if (c.array)
    WEFT__TRY(weft__elements_write(c.array, write_bytes, w, site));
  else
    WEFT__TRY(weft__zip_write(w, c.host.data, (size_t)c.size * weft_dtype_size_bytes(c.host.dtype)));
  rc = weft__zip_member_end(w, member.chars);
done:
  w->failed = w->failed || rc != WEFT_OK;
  weft__text_free(&member);
  return rc;
}

weft_status weft__npz_write_at(weft_npz *npz, const char *name, weft_operand x, const char *site) {
  weft_status rc;
  weft__enter("weft_npz_write", site);
  WEFT__TRY(check_writes(npz));
  rc = add_member(npz, name, &x, site);
done:
  return weft__leave(rc);
}

weft_status weft_npz_finish(weft_npz *npz) {
  weft_status rc;
  weft__enter("weft_npz_finish", NULL);
  WEFT__TRY(check_writes(npz));
  WEFT__TRY(weft__zip_writer_end(&npz->writer));
  npz->is_finished = true;
done:
  return weft__leave(rc);
}

/* ---- in one call ---- */

static weft_status check_list(const char *expected, int count, const weft_operand *variables) {
  if (count < 0 || (count > 0 && !variables))
    return weft__fail(WEFT_ERROR_ARGUMENT, "variables", "`variables` is NULL, or their number %d is negative", count);
  for (int k = 0; k < count; k++)
    if (!variables[k].name)
      return weft__fail(WEFT_ERROR_ARGUMENT, "variables", "argument %d behind the file has no name; expected %s", k + 1,
                        expected);
  return WEFT_OK;
}

static weft_status save(const char *file, bool compressed, int count, const weft_operand *variables, const char *site) {
  weft_npz *npz = NULL;
  weft_status rc;
  WEFT__TRY(check_list("WEFT_VAR(x) or WEFT_NAMED(\"x\", ...)", count, variables));
  WEFT__TRY(create_new(&npz, file, compressed));
  for (int k = 0; k < count; k++) WEFT__TRY(add_member(npz, variables[k].name, &variables[k], site));
  rc = weft__zip_writer_end(&npz->writer);
done:
  destroy(npz);
  return rc;
}

weft_status weft__npz_save_at(const char *file, int variable_count, const weft_operand *variables, const char *site) {
  weft__enter("weft_npz_save", site);
  return weft__leave(save(file, false, variable_count, variables, site));
}

weft_status weft__npz_save_compressed_at(const char *file, int variable_count, const weft_operand *variables,
                                         const char *site) {
  weft__enter("weft_npz_save_compressed", site);
  return weft__leave(save(file, true, variable_count, variables, site));
}

static weft_status load_all(weft_context *context, const weft_npz *npz, int count, const weft_operand *results,
                            const char *site) {
  for (int k = 0; k < count; k++) {
    weft_array **out = results[k].kind == WEFT_OPERAND_RESULT ? results[k].as.result : NULL;
    weft_context *chosen = NULL;
    if (!out)
      return weft__fail(WEFT_ERROR_ARGUMENT, results[k].name,
                        "`%s` is no result; expected WEFT_VAR(&x) or WEFT_NAMED(\"x\", &x), with weft_array *x",
                        results[k].name);
    WEFT__TRY_RETURN(weft__array_context(&chosen, context, out));
    WEFT__TRY_RETURN(load_member(out, chosen, npz, weft__plain_name(results[k].name), site));
  }
  return WEFT_OK;
}

weft_status weft__npz_load_at(weft_context *context, const char *file, int variable_count,
                              const weft_operand *variables, const char *site) {
  weft_npz *npz = NULL;
  bool *is_new = NULL;
  weft_status rc;
  weft__enter("weft_npz_load", site);
  WEFT__TRY(check_list("WEFT_VAR(&x) or WEFT_NAMED(\"x\", &x)", variable_count, variables));
  WEFT__TRY(open_existing(&npz, file));
  if (!(is_new = weft__new((size_t)variable_count + 1))) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  for (int k = 0; k < variable_count; k++)
    is_new[k] = variables[k].kind == WEFT_OPERAND_RESULT && variables[k].as.result && !*variables[k].as.result;
  rc = load_all(context, npz, variable_count, variables, site);
  for (int k = 0; k < variable_count && rc; k++)
    if (is_new[k]) weft_array_release(variables[k].as.result);
done:
  free(is_new);
  destroy(npz);
  return weft__leave(rc);
}
