// SPDX-License-Identifier: MIT
/// weft_recording_load (record/recorded_file.h). Every number of a file is checked before it is used: as an index, a
/// count or a place in memory.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/file.h"
#include "base/hash.h"
#include "kernel/assert.h"
#include "record/host_functions.h"
#include "record/recorded_file.h"

typedef struct reader {
  weft_recording *recording;
  const char *at, *end;
  bool is_bad;            /* a number is out of its range, or the file ends too early */
  uint64_t missing_bytes; /* the host has no memory for a text of this size; 0: it had for all */
  const weft__program **program;
  int programs;
  int arguments_taken; /* of the launches so far: launches have their arguments one behind the other */
  const char *site;
} reader;

/* ---- pieces ---- */

static void get(reader *f, void *to, size_t size) {
  if (f->is_bad || (size_t)(f->end - f->at) < size) {
    f->is_bad = true;
    memset(to, 0, size);
    return;
  }
  memcpy(to, f->at, size);
  f->at += size;
}

/// A number from `least` to `most`; otherwise the file is bad, and it is `least`.
static int64_t get_number(reader *f, int64_t least, int64_t most) {
  int64_t number;
  get(f, &number, sizeof number);
  if (number >= least && number <= most) return number;
  f->is_bad = true;
  return least;
}

static bool get_flag(reader *f) {
  return get_number(f, 0, 1) != 0;
}

static uint64_t get_size(reader *f) {
  return (uint64_t)get_number(f, 0, INT64_MAX);
}

/// A block in the file; "" and size 0 if it is bad.
static const char *get_block(reader *f, uint64_t *size) {
  *size = get_size(f);
  if (f->is_bad || (uint64_t)(f->end - f->at) < *size) {
    f->is_bad = true;
    *size = 0;
    return "";
  }
  const char *block = f->at;
  f->at += *size;
  return block;
}

/// Reads a text into `to`. False: the file has none here.
static bool get_text(reader *f, weft__text *to) {
  uint64_t size;
  weft__text_clear(to);
  if (!get_flag(f)) return false;
  const char *block = get_block(f, &size);
  if (memchr(block, 0, size)) f->is_bad = true;
  weft__text_add_bytes(to, block, size);
  if (to->failed) f->missing_bytes = size + 1;
  return true;
}

/// A text that lives as long as the context; NULL if the file has none.
static const char *get_lasting(reader *f) {
  weft__text text = {0};
  const char *lasting = NULL;
  if (get_text(f, &text) && !f->is_bad && !f->missing_bytes) {
    weft__text_clean(&text, false);
    lasting = weft__store_text(&f->recording->context->store, weft__text_chars(&text));
    if (!lasting) f->missing_bytes = text.length + 1;
  }
  weft__text_free(&text);
  return lasting;
}

/// The number of elements of a list. Each takes at least a byte of the file.
static int get_part(reader *f, weft__recorded_part part) {
  get_number(f, part, part);
  const int64_t left = f->end - f->at, most = INT32_MAX / 2; /* the room of a list doubles */
  return (int)get_number(f, 0, left < most ? left : most);
}

static weft_dim3 get_dim3(reader *f) {
  weft_dim3 v;
  v.x = get_size(f);
  v.y = get_size(f);
  v.z = get_size(f);
  return v;
}

static weft_status state_of(const reader *f) {
  if (f->missing_bytes) return weft__fail_host_memory(f->missing_bytes);
  return f->is_bad ? weft__fail(WEFT_ERROR_FILE, "file", "its parts do not fit each other") : WEFT_OK;
}

/* ---- lists ---- */

static weft_status read_device(reader *f) {
  const weft__device *device = f->recording->context->core.device;
  weft__text name = {0};
  get_part(f, WEFT__PART_DEVICE);
  const int64_t type = get_number(f, 0, INT32_MAX);
  const bool has_ptx = get_flag(f);
  get_text(f, &name);
  weft_status rc = state_of(f);
  if (rc == WEFT_OK && (type != (int64_t)device->info.type || has_ptx != device->has_ptx))
    rc = weft__fail(WEFT_ERROR_UNSUPPORTED, "file",
                    "it was recorded on %s, whose kernels do not serve %s: record the calls on this device",
                    weft__text_chars(&name), device->info.name);
  weft__text_free(&name);
  return rc;
}

static weft_status read_storage(reader *f) {
  weft_recording *r = f->recording;
  weft__storage *storage;
  const uint64_t bytes = get_size(f);
  const bool writes = get_flag(f), is_made = get_flag(f), has_content = get_flag(f);
  int number;
  if (has_content && (uint64_t)(f->end - f->at) < bytes) f->is_bad = true;
  WEFT__TRY_RETURN(state_of(f));
  WEFT__TRY_RETURN(weft__storage_create(&storage, &r->context->pool, bytes, f->site));
  weft_status rc = weft__recorded_add_storage(&number, r, storage, is_made);
  weft__storage_release(storage); /* the recording's remains */
  WEFT__TRY_RETURN(rc);
  r->buffer_count--; /* the file's buffers follow */
  r->storage[number].writes = writes;
  r->storage[number].is_used = true;
  if (!has_content) return WEFT_OK;
  WEFT__TRY_RETURN(weft__transfer_to_device(storage, weft__slot_now(&r->context->core), 0, bytes, f->at));
  f->at += bytes;
  return WEFT_OK;
}

static weft_status read_memory(reader *f) {
  weft_recording *r = f->recording;
  const int storages = get_part(f, WEFT__PART_STORAGES);
  for (int k = 0; k < storages && !f->is_bad; k++) WEFT__TRY_RETURN(read_storage(f));
  const int buffers = get_part(f, WEFT__PART_BUFFERS);
  for (int k = 0; k < buffers && !f->is_bad; k++) {
    weft__recorded_buffer *buffer = WEFT__RECORDED_ADD(r, buffer);
    if (!buffer) return WEFT_ERROR_HOST_MEMORY;
    buffer->storage = (int)get_number(f, 0, storages - 1);
    buffer->is_made = get_flag(f);
    buffer->writes = get_flag(f);
    if (get_flag(f) && !f->is_bad) r->storage[buffer->storage].buffer = k;
  }
  WEFT__TRY_RETURN(state_of(f));
  for (int k = 0; k < storages; k++)
    if (r->storage[k].buffer >= buffers || r->buffer[r->storage[k].buffer].storage != k) f->is_bad = true;
  return state_of(f);
}

static weft_status read_program(reader *f) {
  weft__text options = {0}, text = {0};
  bool was_cached;
  weft_status rc;
  get_text(f, &options);
  get_text(f, &text);
  const weft__source source = {.name = "a recording",
                               .text = weft__text_chars(&text),
                               .options = weft__text_chars(&options),
                               .is_expanded = true,
                               .is_generated = true,
                               .is_for_90a = strstr(weft__text_chars(&text), "\"//90a ") != NULL};
  WEFT__TRY(state_of(f));
  WEFT__TRY(options.failed || text.failed ? weft__fail_host_memory(text.length) : WEFT_OK);
  rc = weft__program_get(&f->program[f->programs], &was_cached, &f->recording->context->store, &source);
  f->programs += rc == WEFT_OK;
done:
  weft__text_free(&options);
  weft__text_free(&text);
  return rc;
}

static weft_status read_kernels(reader *f) {
  weft_recording *r = f->recording;
  const int programs = get_part(f, WEFT__PART_PROGRAMS);
  if (!(f->program = weft__new(((size_t)programs + 1) * sizeof(void *)))) return WEFT_ERROR_HOST_MEMORY;
  for (int k = 0; k < programs && !f->is_bad; k++) WEFT__TRY_RETURN(read_program(f));
  const int kernels = get_part(f, WEFT__PART_KERNELS);
  /* commands point to them: all room at once */
  if (!(r->kernel = weft__new(((size_t)kernels + 1) * sizeof *r->kernel))) return WEFT_ERROR_HOST_MEMORY;
  r->kernel_room = kernels + 1;
  for (int k = 0; k < kernels && !f->is_bad; k++) {
    const int program = (int)get_number(f, 0, programs - 1);
    const char *name = get_lasting(f), *prefix = get_lasting(f);
    if (!name || !prefix) f->is_bad = true;
    WEFT__TRY_RETURN(state_of(f));
    WEFT__TRY_RETURN(weft__kernel_open(&r->kernel[k], &r->context->core, f->program[program], name));
    r->kernel[k].prefix = prefix;
    r->kernel_count++;
  }
  return state_of(f);
}

static uint64_t bytes_of(const weft_recording *r, int buffer) {
  return r->storage[r->buffer[buffer].storage].storage->size_bytes;
}

static bool fits(uint64_t begin, uint64_t size, uint64_t all) {
  return begin <= all && size <= all - begin;
}

static weft_status read_arguments(reader *f) {
  weft_recording *r = f->recording;
  uint64_t size;
  get_part(f, WEFT__PART_BYTES);
  const char *bytes = get_block(f, &size);
  weft__text_add_bytes(&r->bytes, bytes, size);
  if (r->bytes.failed) return weft__fail_host_memory(size);
  const int arguments = get_part(f, WEFT__PART_ARGUMENTS);
  for (int k = 0; k < arguments && !f->is_bad; k++) {
    weft__recorded_argument *a = WEFT__RECORDED_ADD(r, argument);
    if (!a) return WEFT_ERROR_HOST_MEMORY;
    a->buffer = (int)get_number(f, WEFT__RECORDED_CHECKS, r->buffer_count - 1);
    a->any_width = get_flag(f);
    a->at = get_size(f);
    a->size_bytes = get_size(f);
    a->part_offset_bytes = get_size(f);
    a->part_bytes = get_size(f);
    const bool has_size = a->buffer == WEFT__RECORDED_BYTES || a->buffer == WEFT__RECORDED_LOCAL;
    if (has_size && (a->size_bytes == 0 || a->size_bytes > INT32_MAX)) f->is_bad = true; /* PoCL asserts on 0 */
    if (a->buffer == WEFT__RECORDED_BYTES && !fits(a->at, a->size_bytes, size)) f->is_bad = true;
    if (a->any_width && (a->buffer != WEFT__RECORDED_BYTES || a->size_bytes != sizeof(int64_t))) f->is_bad = true;
    if (a->buffer >= 0 && !fits(a->part_offset_bytes, a->part_bytes, bytes_of(r, a->buffer))) f->is_bad = true;
  }
  const int uses = get_part(f, WEFT__PART_USES);
  for (int k = 0; k < uses && !f->is_bad; k++) {
    weft__recorded_use *use = WEFT__RECORDED_ADD(r, use);
    if (!use) return WEFT_ERROR_HOST_MEMORY;
    use->buffer = (int)get_number(f, 0, r->buffer_count - 1);
    use->writes = get_flag(f);
    use->reads = get_flag(f);
    use->has_gaps = get_flag(f);
    use->restores = get_flag(f);
    use->begin_bytes = get_number(f, 0, INT64_MAX);
    use->end_bytes = get_number(f, use->begin_bytes, INT64_MAX);
    use->at_bytes = get_number(f, use->begin_bytes, use->end_bytes);
    WEFT__TRY_RETURN(state_of(f));
    if (!use->writes) continue;
    r->buffer[use->buffer].writes = true;
    r->storage[r->buffer[use->buffer].storage].writes = true;
  }
  return state_of(f);
}

static weft_status read_checks(reader *f) {
  weft_recording *r = f->recording;
  const int checks = get_part(f, WEFT__PART_CHECKS);
  for (int k = 0; k < checks && !f->is_bad; k++) {
    weft__recorded_check *c = WEFT__RECORDED_ADD(r, check);
    if (!c) return WEFT_ERROR_HOST_MEMORY;
    c->check.tell = get_flag(f) ? weft__assert_tell : NULL;
    c->check.function = get_lasting(f);
    c->check.site = get_lasting(f);
    c->check.argument = get_lasting(f);
    c->check.axis = (int)get_number(f, WEFT__DEFERRED_FLAT, WEFT_MAX_NDIM - 1);
    c->check.length = get_number(f, 0, INT64_MAX);
    c->check.is_unsigned = get_flag(f);
    c->check.grid = get_dim3(f);
    c->check.block = get_dim3(f);
    c->at.parameter = (int)get_number(f, 0, INT16_MAX);
    c->at.record_at = get_size(f);
    c->at.epoch_at = get_size(f);
    if (!c->check.function || !c->check.site || !c->check.argument) f->is_bad = true;
  }
  return state_of(f);
}

/* ---- commands ---- */

/// Whether the check is of such a launch, and its words are in an argument of it.
static bool check_fits(const weft_recording *r, const weft__recorded_command *c) {
  const weft__deferred_check *check = &r->check[c->check].check;
  const weft__checked *at = &r->check[c->check].at;
  if (at->parameter >= c->arguments) return false;
  /* an assertion's place is found by division */
  if (check->tell &&
      (memcmp(&check->grid, &c->grid, sizeof c->grid) || memcmp(&check->block, &c->block, sizeof c->block)))
    return false;
  const weft__recorded_argument *a = &r->argument[c->first_argument + at->parameter];
  return a->buffer == WEFT__RECORDED_BYTES && fits(at->record_at, sizeof(uint32_t), a->size_bytes) &&
         fits(at->epoch_at, sizeof(uint32_t), a->size_bytes);
}

/// Whether the command uses the buffer, and writes it if `writes`.
static bool uses_buffer(const weft_recording *r, const weft__recorded_command *c, int buffer, bool writes) {
  for (int k = 0; k < c->uses; k++) {
    const weft__recorded_use *use = &r->use[c->first_use + k];
    if (use->buffer == buffer && (use->writes || !writes)) return true;
  }
  return false;
}

/// Whether bytes of the file may be the parameter: never as a handle of the driver's, which they would forge.
static bool takes_bytes(const weft_recording *r, const weft__recorded_argument *a, const weft__parameter *p) {
  static const char null[sizeof(weft__cl_mem)];
  switch (p->kind) {
    case WEFT__PARAMETER_SCALAR:
      return !a->any_width && a->size_bytes == weft_dtype_size_bytes(p->dtype);
    case WEFT__PARAMETER_OTHER:
      return !a->any_width && (!p->size_bytes || a->size_bytes == p->size_bytes);
    case WEFT__PARAMETER_POINTER:
      return a->size_bytes == sizeof null && memcmp(weft__text_chars(&r->bytes) + a->at, null, sizeof null) == 0;
    default:
      return p->kind == WEFT__PARAMETER_UNKNOWN;
  }
}

/// Whether the kernel's parameter takes the argument, as weft_launch would pass it.
static bool takes(const weft_recording *r, const weft__recorded_command *c, const weft__recorded_argument *a,
                  const weft__parameter *p) {
  const bool is_pointer = p->kind == WEFT__PARAMETER_POINTER, is_unknown = p->kind == WEFT__PARAMETER_UNKNOWN;
  switch (a->buffer) {
    case WEFT__RECORDED_BYTES:
      return takes_bytes(r, a, p);
    case WEFT__RECORDED_LOCAL:
      return p->kind == WEFT__PARAMETER_LOCAL || is_unknown;
    case WEFT__RECORDED_CHECKS: /* the kernel writes records of this type into it */
      return c->check >= 0 && (is_unknown || (is_pointer && strstr(p->type, "weft__deferred_record")));
    default:
      return (is_pointer || is_unknown) && uses_buffer(r, c, a->buffer, false);
  }
}

static weft_status check_arguments(const weft_recording *r, const weft__recorded_command *c, uint64_t *local_bytes) {
  static const char *const kinds[] = {"the records of checks", "local memory", "bytes"};
  *local_bytes = 0;
  for (int k = 0; k < c->arguments; k++) {
    const weft__recorded_argument *a = &r->argument[c->first_argument + k];
    const weft__parameter *p = &c->of->parameter[k];
    if (!takes(r, c, a, p))
      return weft__fail(WEFT_ERROR_FILE, "file",
                        "a launch in it gives kernel `%s` %s of %" PRIu64 " bytes as argument %d `%s`, which is %s",
                        c->of->info.name, a->buffer < 0 ? kinds[a->buffer - WEFT__RECORDED_CHECKS] : "memory",
                        a->buffer < 0 ? a->size_bytes : bytes_of(r, a->buffer), k, p->name, p->type);
    if (a->buffer == WEFT__RECORDED_LOCAL) *local_bytes += a->size_bytes; /* at most INT32_MAX each */
  }
  return WEFT_OK;
}

static weft_status read_launch(reader *f, weft__recorded_command *c) {
  weft_recording *r = f->recording;
  const int kernel = (int)get_number(f, 0, r->kernel_count - 1);
  uint64_t local_bytes;
  c->grid = get_dim3(f);
  c->block = get_dim3(f);
  c->arguments = (int)get_number(f, 0, r->argument_count);
  c->first_argument = (int)get_number(f, 0, r->argument_count - c->arguments);
  c->check = (int)get_number(f, -1, r->check_count - 1);
  WEFT__TRY_RETURN(state_of(f));
  c->of = &r->kernel[kernel];
  /* an argument has one sub-buffer, which two launches must not share */
  if (c->first_argument < f->arguments_taken) f->is_bad = true;
  if (c->arguments != c->of->parameter_count || (c->check >= 0 && !check_fits(r, c))) f->is_bad = true;
  WEFT__TRY_RETURN(state_of(f));
  f->arguments_taken = c->first_argument + c->arguments;
  WEFT__TRY_RETURN(check_arguments(r, c, &local_bytes));
  if (c->check >= 0) r->check[c->check].check.text = c->of->text;
  return weft__launch_check(c->of, c->grid, c->block, local_bytes);
}

/// The bytes from the first to behind the last row, with these pitches. False: they do not fit.
static bool find_rect_bytes(uint64_t *bytes, const weft__rect *rect, uint64_t row_pitch, uint64_t slice_pitch) {
  uint64_t rows, slices;
  return rect->rows && rect->slices && weft__multiply_u64(&rows, rect->rows - 1, row_pitch) &&
         weft__multiply_u64(&slices, rect->slices - 1, slice_pitch) && weft__add_u64(bytes, rows, slices) &&
         weft__add_u64(bytes, *bytes, rect->row_bytes);
}

static weft_status read_copy(reader *f, weft__recorded_command *c) {
  weft_recording *r = f->recording;
  c->to = (int)get_number(f, 0, r->buffer_count - 1);
  c->from = (int)get_number(f, -1, r->buffer_count - 1);
  c->offset_bytes = get_size(f);
  c->from_offset_bytes = get_size(f);
  c->size_bytes = get_size(f);
  c->word = (uint32_t)get_number(f, 0, UINT32_MAX);
  get(f, &c->rect, sizeof c->rect);
  const char *data = get_block(f, &c->data_bytes);
  WEFT__TRY_RETURN(state_of(f));
  const bool is_write = c->kind == WEFT__COMMAND_WRITE, is_rect = c->kind == WEFT__COMMAND_WRITE_RECT;
  const weft__rect *rect = &c->rect;
  if (is_rect) {
    uint64_t reach, host_reach;
    f->is_bad |= !find_rect_bytes(&reach, rect, rect->row_pitch, rect->slice_pitch) ||
                 !fits(rect->offset_bytes, reach, bytes_of(r, c->to));
    f->is_bad |= !find_rect_bytes(&host_reach, rect, rect->host_row_pitch, rect->host_slice_pitch) ||
                 host_reach != c->data_bytes;
  } else {
    f->is_bad |= !fits(c->offset_bytes, c->size_bytes, bytes_of(r, c->to));
    f->is_bad |= c->data_bytes != (is_write ? c->size_bytes : 0);
  }
  if (c->kind == WEFT__COMMAND_COPY)
    f->is_bad |= c->from < 0 || !fits(c->from_offset_bytes, c->size_bytes, bytes_of(r, c->from)) ||
                 !uses_buffer(r, c, c->from, false);
  f->is_bad |= !uses_buffer(r, c, c->to, true);
  WEFT__TRY_RETURN(state_of(f));
  if (!is_write && !is_rect) return WEFT_OK;
  if (!(c->data = weft__new(c->data_bytes))) return WEFT_ERROR_HOST_MEMORY;
  memcpy(c->data, data, c->data_bytes);
  r->constant_bytes += c->data_bytes;
  return WEFT_OK;
}

/// A step of the host. What its function does with its task is the file's word, as kernels are.
static weft_status read_host(reader *f, weft__recorded_command *c) {
  const weft_recording *r = f->recording;
  weft__text name = {0};
  char shown[WEFT__SHOWN_BYTES];
  weft_status rc;
  c->to = c->from = -1;
  c->check = (int)get_number(f, -1, r->check_count - 1);
  get_text(f, &name);
  const char *task = get_block(f, &c->data_bytes);
  WEFT__TRY(state_of(f));
  c->function = weft__host_function_find(weft__text_chars(&name));
  if (c->check >= 0 && r->check[c->check].check.tell) f->is_bad = true;
  if (!c->function || !c->what || c->function->task_bytes != c->data_bytes || c->uses == 0 || c->uses > WEFT__HOST_USES)
    f->is_bad = true;
  for (int k = 0; k < c->uses; k++) {
    const weft__recorded_use *use = &r->use[c->first_use + k];
    f->is_bad |= use->begin_bytes == use->end_bytes || (uint64_t)use->end_bytes > bytes_of(r, use->buffer);
  }
  WEFT__TRY(state_of(f));
  if (c->function->is_there && !c->function->is_there())
    WEFT__TRY(weft__fail(WEFT_ERROR_UNSUPPORTED, "file",
                         "a step of it, %s, needs the engine %s, whose library is not here or which WEFT_ENGINE does "
                         "not allow",
                         weft__text_shown(shown, c->what), weft__engine_name(c->function->library)));
  WEFT__TRY((c->data = weft__new(c->data_bytes)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  memcpy(c->data, task, c->data_bytes);
done:
  weft__text_free(&name);
  return rc;
}

static weft_status read_commands(reader *f) {
  weft_recording *r = f->recording;
  const int commands = get_part(f, WEFT__PART_COMMANDS);
  r->recorded_launches = get_size(f);
  for (int k = 0; k < commands && !f->is_bad; k++) {
    weft__recorded_command *c = WEFT__RECORDED_ADD(r, command);
    if (!c) return WEFT_ERROR_HOST_MEMORY;
    c->kind = (weft__command_kind)get_number(f, 0, WEFT__COMMAND_HOST);
    c->uses = (int)get_number(f, 0, r->use_count);
    c->first_use = (int)get_number(f, 0, r->use_count - c->uses);
    c->what = get_lasting(f);
    c->bytes = get_size(f);
    c->check = c->map = -1;
    const bool is_host = c->kind == WEFT__COMMAND_HOST;
    f->is_bad |= c->kind == WEFT__COMMAND_READ || c->kind == WEFT__COMMAND_READ_RECT;
    f->is_bad |= c->kind > WEFT__COMMAND_FILL && !is_host;
    f->is_bad |= c->uses > WEFT_MAX_KERNEL_ARGUMENTS + WEFT__RUN_BUFFERS;
    WEFT__TRY_RETURN(state_of(f));
    WEFT__TRY_RETURN((c->kind == WEFT__COMMAND_LAUNCH ? read_launch : is_host ? read_host : read_copy)(f, c));
  }
  return state_of(f);
}

/// The bytes that the elements of a named array reach. False: they do not fit 63 bits, or are not at multiples of the
/// element's size.
static bool find_reach(int64_t *begin, int64_t *end, const weft__recorded_name *n) {
  const int64_t element = (int64_t)weft_dtype_size_bytes(n->dtype);
  bool fits = n->offset_bytes % element == 0;
  *begin = *end = n->offset_bytes;
  for (int d = 0; d < n->shape.ndim; d++) {
    const int64_t stride = n->stride_bytes[d], steps = n->shape.dim[d] ? n->shape.dim[d] - 1 : 0;
    int64_t *side = stride < 0 ? begin : end, reach;
    fits = fits && stride % element == 0 && stride > INT64_MIN && weft__multiply_i64(&reach, steps, llabs(stride)) &&
           weft__add_i64(side, *side, stride < 0 ? -reach : reach);
  }
  return fits && weft__add_i64(end, *end, element);
}

/// Whether the elements of a named array are in the memory of its buffer.
static weft_status check_place(const weft_recording *r, const weft__recorded_name *n) {
  char shown[WEFT__SHOWN_BYTES];
  int64_t size, begin, end;
  WEFT__TRY_RETURN(weft__shape_check(&size, n->shape, n->dtype, "file"));
  const uint64_t bytes = bytes_of(r, n->buffer);
  if (size == 0 && (uint64_t)n->offset_bytes <= bytes) return WEFT_OK;
  if (size && find_reach(&begin, &end, n) && begin >= 0 && (uint64_t)end <= bytes) return WEFT_OK;
  return weft__fail(WEFT_ERROR_FILE, "file",
                    "the array `%s` in it, from byte %" PRId64 " on, does not lie in its memory of %" PRIu64 " bytes",
                    weft__text_shown(shown, n->name), n->offset_bytes, bytes);
}

static weft_status read_name(reader *f, weft__text *text) {
  weft_recording *r = f->recording;
  weft__recorded_name *n = WEFT__RECORDED_ADD(r, name);
  if (!n) return WEFT_ERROR_HOST_MEMORY;
  if (!get_text(f, text) || text->length == 0 || text->length >= sizeof n->name) f->is_bad = true;
  WEFT__TRY_RETURN(state_of(f));
  memcpy(n->name, weft__text_chars(text), text->length + 1);
  n->buffer = (int)get_number(f, 0, r->buffer_count - 1);
  n->dtype = (weft_dtype)get_number(f, 1, WEFT_DTYPE_COUNT - 1);
  n->shape.ndim = (int)get_number(f, 0, WEFT_MAX_NDIM);
  for (int d = 0; d < n->shape.ndim; d++) {
    n->shape.dim[d] = get_number(f, 0, INT64_MAX);
    n->stride_bytes[d] = get_number(f, INT64_MIN, INT64_MAX);
  }
  n->offset_bytes = get_number(f, 0, INT64_MAX);
  WEFT__TRY_RETURN(state_of(f));
  return check_place(r, n);
}

static weft_status read_names(reader *f) {
  const int names = get_part(f, WEFT__PART_NAMES);
  weft__text text = {0};
  weft_status rc = WEFT_OK;
  for (int k = 0; k < names && rc == WEFT_OK; k++) rc = read_name(f, &text);
  weft__text_free(&text);
  WEFT__TRY_RETURN(rc);
  get_part(f, WEFT__PART_END);
  return state_of(f);
}

/* ---- the file ---- */

/// Checks the first line and the hash, and finds the rest.
static weft_status open_bytes(reader *f, const weft__text *file) {
  const char *bytes = weft__text_chars(file);
  uint64_t hash, length;
  if (file->length < WEFT__RECORDED_FIRST_BYTES ||
      memcmp(bytes, WEFT__RECORDED_MAGIC, sizeof WEFT__RECORDED_MAGIC - 1) != 0 ||
      sscanf(bytes + sizeof WEFT__RECORDED_MAGIC - 1, "%16" SCNx64 " %20" SCNu64 "\n", &hash, &length) != 2)
    return weft__fail(WEFT_ERROR_FILE, "file", "it does not begin as a recording of this version of Weft");
  f->at = bytes + WEFT__RECORDED_FIRST_BYTES;
  f->end = bytes + file->length;
  if ((uint64_t)(f->end - f->at) != length)
    return weft__fail(WEFT_ERROR_FILE, "file", "it has %" PRIu64 " bytes behind its first line, which says %" PRIu64,
                      (uint64_t)(f->end - f->at), length);
  if (weft__hash(f->at, length, 1) != hash)
    return weft__fail(WEFT_ERROR_FILE, "file", "its bytes were changed: their hash is not the one in its first line");
  return WEFT_OK;
}

static weft_status read_all(reader *f) {
  WEFT__TRY_RETURN(read_device(f));
  WEFT__TRY_RETURN(read_memory(f));
  WEFT__TRY_RETURN(read_kernels(f));
  WEFT__TRY_RETURN(read_arguments(f));
  WEFT__TRY_RETURN(read_checks(f));
  WEFT__TRY_RETURN(read_commands(f));
  WEFT__TRY_RETURN(read_names(f));
  return weft__recording_finish(f->recording);
}

weft_status weft__recording_load_at(weft_recording **recording, weft_context *context, const char *file,
                                    const char *site) {
  weft_status rc;
  weft__text bytes = {0};
  reader f = {.site = site};
  weft__enter("weft_recording_load", site);
  WEFT__NEED_NULL_RESULT(recording);
  WEFT__NEED(file);
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(weft__recorder_refuse(&context->core, "it makes a recording"));
  const int why = weft__file_text(&bytes, file);
  if (why == ENOMEM) WEFT__TRY(weft__fail_host_memory(bytes.length));
  if (why) WEFT__TRY(weft__fail(WEFT_ERROR_FILE, "file", "cannot read `%s`: %s", file, weft__file_error(why)));
  WEFT__TRY(bytes.failed ? weft__fail_host_memory(bytes.length) : WEFT_OK);
  WEFT__TRY(open_bytes(&f, &bytes));
  WEFT__TRY(weft__recording_create(&f.recording, context, site));
  WEFT__TRY(read_all(&f));
  *recording = f.recording;
  f.recording = NULL;
done:
  weft_recording_release(&f.recording);
  free(f.program);
  weft__text_free(&bytes);
  return weft__leave(weft__while(rc, "loading the recording `%s`", file));
}
