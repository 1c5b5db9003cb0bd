// SPDX-License-Identifier: MIT
/// weft_launch: checks the caller's arguments against the kernel's parameters and turns them into buffers, images and
/// numbers.
#include <weft/kernel.h>

#include <stdatomic.h>

#include "array/array.h"
#include "array/numbers.h"
#include "base/checked.h"
#include "base/log.h"
#include "base/scratch.h"
#include "context/objects.h"
#include "kernel/assert.h"
#include "launch/shadow.h"
#include "launch/user_launch.h"
#include "mem/recorder.h"

typedef struct launch {
  weft_kernel *kernel;
  int slot;
  weft__value value[WEFT_MAX_KERNEL_ARGUMENTS];
  const weft_array *array[WEFT_MAX_KERNEL_ARGUMENTS]; /* NULL if the argument is not an array */
  weft__use use[WEFT_MAX_KERNEL_ARGUMENTS];           /* the storages passed to the kernel, of arrays and images */
  int parameter[WEFT_MAX_KERNEL_ARGUMENTS];           /* of each use */
  int uses;
  uint64_t bytes;                                     /* of the arrays and images */
  weft__cl_mem sub_buffer[WEFT_MAX_KERNEL_ARGUMENTS]; /* made for this launch */
  int sub_buffers;
  weft__shadows shadows; /* shadow copies of guard mode */
} launch;

static bool accepts(const weft__parameter *p, weft_dtype dtype) {
  if (p->dtype == WEFT_DTYPE_NONE || p->dtype == dtype || p->dtype == weft__dtype(dtype)->argument) return true;
  return p->lanes == 2 && weft_dtype_kind(dtype) == 'c' && p->dtype == weft__real_dtype(dtype);
}

static void add_use(launch *l, weft__storage *storage, bool writes, uint64_t bytes, int index) {
  l->parameter[l->uses] = index;
  l->use[l->uses++] = (weft__use){storage, writes};
  l->bytes += bytes;
}

/// Makes a sub-buffer of the bytes that a view covers: kernels take buffers without an offset.
static weft_status make_sub_buffer(launch *l, const weft_array *x, const weft__storage *storage, int index) {
  const weft__parameter *p = &l->kernel->kernel.parameter[index];
  uint64_t align = x->context->core.device->info.address_align_bytes;
  if ((uint64_t)x->offset_bytes % align)
    return weft__fail(WEFT_ERROR_LAYOUT, p->name,
                      "%s: argument %d `%s` is a view that starts %lld bytes into its buffer; this device passes "
                      "multiples of %llu, so "
                      "weft_copy it first",
                      l->kernel->kernel.name, index, p->name, (long long)x->offset_bytes, (unsigned long long)align);
  uint64_t begin;
  weft__cl_mem mem, whole = weft__guard_whole(storage, &begin);
  int code = weft__driver->sub_buffer_create(&mem, whole, x->storage->read_only, begin + (uint64_t)x->offset_bytes,
                                             (uint64_t)weft_array_size_bytes(x));
  if (code)
    return weft__while(weft__core_failed(&x->context->core, code, "clCreateSubBuffer", false),
                       "passing a view as argument %d `%s` of %s", index, p->name, l->kernel->kernel.name);
  l->sub_buffer[l->sub_buffers++] = mem;
  l->value[index].part_offset_bytes = (uint64_t)x->offset_bytes;
  l->value[index].part_bytes = (uint64_t)weft_array_size_bytes(x);
  l->value[index].room.mem = mem;
  l->value[index].data = &l->value[index].room.mem;
  return WEFT_OK;
}

/// A kernel reads whole vectors, the last of which would reach over the array's end. A vector of three lies in memory
/// as four, so that rows of three are none.
static weft_status check_vectors(const weft__kernel *kernel, const weft_array *x, int index) {
  const weft__parameter *p = &kernel->parameter[index];
  static atomic_bool has_warned;
  const unsigned width = p->lanes == 3 ? 4 : p->lanes;
  const int64_t row = p->lanes == 3 && x->ndim > 0 ? x->shape[x->ndim - 1] : 0;
  if (p->kind != WEFT__PARAMETER_POINTER || p->dtype == WEFT_DTYPE_NONE || weft__dtype(x->dtype)->kind == 'c')
    return WEFT_OK;
  if (x->size % width == 0 && row % width == 0) {
    if (p->lanes == 3 && !atomic_exchange(&has_warned, true))
      weft__log(WEFT_LOG_WARNING,
                "%s: argument %d `%s` is %s, and each of its vectors takes four elements of the array, not three; "
                "vload3(i, p) reads rows of three from a pointer to numbers",
                kernel->name, index, p->name, p->type);
    return WEFT_OK;
  }
  weft__text shape = {0};
  weft__add_shape(&shape, x->dtype, weft__array_shape(x));
  const weft_status rc =
      weft__fail(WEFT_ERROR_SHAPE, p->name,
                 "%s: argument %d `%s` is %s here, the kernel takes %s, whose vectors take %u elements "
                 "each%s; pad it, or take a pointer to numbers and read with vload%u(i, p)",
                 kernel->name, index, p->name, weft__text_chars(&shape), p->type, width,
                 p->lanes == 3 ? " (three and a gap)" : "", p->lanes);
  weft__text_free(&shape);
  return rc;
}

static weft_status set_array(launch *l, const weft_array *x, bool is_const, int index) {
  weft__kernel *kernel = &l->kernel->kernel;
  const weft__parameter *p = &kernel->parameter[index];
  weft__storage *storage;
  weft_status rc;
  WEFT__TRY(weft__handle_check(x, WEFT__MAGIC_ARRAY, p->name));
  if (x->context != l->kernel->context) WEFT__TRY(weft__core_check(&x->context->core)); /* the kernel's was checked */
  if (p->kind != WEFT__PARAMETER_POINTER && p->kind != WEFT__PARAMETER_UNKNOWN)
    return weft__parameter_mismatch(p, "an array", kernel->name, index);
  if (x->context != l->kernel->context)
    return weft__fail(WEFT_ERROR_CONTEXT, p->name,
                      "%s: argument %d `%s` belongs to another context than the kernel" WEFT__COPY_HINT, kernel->name,
                      index, p->name);
  if (!accepts(p, x->dtype))
    return weft__fail(WEFT_ERROR_DTYPE, p->name, "%s: argument %d `%s` is an array of %s here, the kernel takes %s",
                      kernel->name, index, p->name, weft_dtype_name(x->dtype), p->type);
  if (p->lanes > 1) WEFT__TRY_RETURN(check_vectors(kernel, x, index));
  if (is_const && !p->is_const && p->kind == WEFT__PARAMETER_POINTER)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name,
                      "%s: argument %d `%s` is a const weft_array here, and the kernel may write through its %s",
                      kernel->name, index, p->name, p->type);
  /* without type information on the kernel, the caller's const decides */
  if (x->storage->read_only && !p->is_const && !is_const)
    return weft__fail(WEFT_ERROR_READ_ONLY, p->name,
                      "%s: argument %d `%s` is read-only (%s), and the kernel may write through its %s; weft_copy "
                      "makes one that can be "
                      "written",
                      kernel->name, index, p->name, x->storage->read_only, p->type);
  if (!weft__is_contiguous(x))
    return weft__fail(
        WEFT_ERROR_LAYOUT, p->name,
        "%s: argument %d `%s` is a view with gaps, which a kernel cannot see; weft_copy makes a contiguous array",
        kernel->name, index, p->name);
  WEFT__TRY(weft__shadow_get(&storage, &l->shadows, x, l->slot));
  l->array[index] = x;
  weft__value_set(&l->value[index], &storage->mem, sizeof storage->mem);
  add_use(l, storage, !p->is_const, (uint64_t)x->size * weft__dtype(x->dtype)->size_bytes, index);
  return x->offset_bytes && x->size ? make_sub_buffer(l, x, storage, index) : WEFT_OK;
done:
  return weft__while(rc, "passing argument %d `%s` of %s", index, p->name, kernel->name);
}

/// Why recordings refuse a launch.
static const char passed_image[] = "it is passed an image", passed_sampler[] = "it is passed a sampler";

static weft_status check_owner(const launch *l, const weft_context *owner, const char *what, int index) {
  const weft__parameter *p = &l->kernel->kernel.parameter[index];
  if (owner == l->kernel->context) return WEFT_OK;
  return weft__fail(WEFT_ERROR_CONTEXT, p->name, "%s: argument %d `%s` is %s of another context than the kernel's",
                    l->kernel->kernel.name, index, p->name, what);
}

/// OpenCL leaves it undefined what a kernel sees that reads an image and writes it.
static weft_status check_other_images(const launch *l, const weft_image *image, int index) {
  const weft__kernel *kernel = &l->kernel->kernel;
  const weft__parameter *p = &kernel->parameter[index];
  for (int k = 0; k < l->uses; k++) {
    const int i = l->parameter[k];
    if (l->use[k].storage == image->storage && (p->writes || kernel->parameter[i].writes))
      return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name,
                        "%s: argument %d `%s` is the image that argument %d `%s` is too, and the kernel writes it; a "
                        "kernel that writes an image needs it to itself",
                        kernel->name, index, p->name, i, kernel->parameter[i].name);
  }
  return WEFT_OK;
}

static weft_status set_image(launch *l, const weft_image *image, bool is_const, int index) {
  const weft__kernel *kernel = &l->kernel->kernel;
  const weft__parameter *p = &kernel->parameter[index];
  weft_status rc;
  WEFT__TRY(weft__handle_check(image, WEFT__MAGIC_IMAGE, p->name));
  WEFT__TRY(check_owner(l, image->context, "an image", index));
  const weft__image_value value = {image->storage->mem, image->form.kind, image->storage->read_only != NULL,
                                   image->only_kernels_write};
  WEFT__TRY(weft__parameter_put_image(&l->value[index], p, &value, kernel->name, index));
  if (is_const && p->writes)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name,
                      "%s: argument %d `%s` is a const weft_image here, and the kernel may write its %s", kernel->name,
                      index, p->name, p->type);
  WEFT__TRY(check_other_images(l, image, index));
  WEFT__TRY(weft__recorder_refuse(kernel->core, passed_image));
  add_use(l, image->storage, p->writes || p->kind == WEFT__PARAMETER_UNKNOWN, image->storage->size_bytes, index);
done:
  return weft__while(rc, "passing argument %d `%s` of %s", index, p->name, kernel->name);
}

static weft_status set_sampler(launch *l, const weft_sampler *sampler, int index) {
  const weft__kernel *kernel = &l->kernel->kernel;
  const weft__parameter *p = &kernel->parameter[index];
  WEFT__TRY_RETURN(weft__while(weft__handle_check(sampler, WEFT__MAGIC_SAMPLER, p->name),
                               "passing argument %d `%s` of %s", index, p->name, kernel->name));
  WEFT__TRY_RETURN(check_owner(l, sampler->context, "a sampler", index));
  WEFT__TRY_RETURN(weft__recorder_refuse(kernel->core, passed_sampler));
  return weft__parameter_put_sampler(&l->value[index], p, sampler->sampler, kernel->name, index);
}

static weft_status set_argument(launch *l, const weft_arg *argument, int index) {
  weft__kernel *kernel = &l->kernel->kernel;
  const weft__parameter *p = &kernel->parameter[index];
  l->array[index] = NULL;
  switch (argument->kind) {
    case WEFT_ARG_ARRAY:
      return set_array(l, argument->as.array, false, index);
    case WEFT_ARG_CONST_ARRAY:
      return set_array(l, argument->as.array, true, index);
    case WEFT_ARG_SCALAR:
      return weft__parameter_set_scalar(&l->value[index], p, argument->as.scalar, kernel->name, index);
    case WEFT_ARG_LOCAL:
      return weft__parameter_set_local(&l->value[index], p, argument->as.local, kernel->name, index);
    case WEFT_ARG_BYTES:
      return weft__parameter_set_bytes(&l->value[index], p, argument->as.bytes, kernel->name, index);
    case WEFT_ARG_POINTER:
      return weft__parameter_set_pointer(&l->value[index], p, argument->as.pointer, kernel->name, index);
    case WEFT_ARG_IMAGE:
      return set_image(l, argument->as.own_image, false, index);
    case WEFT_ARG_CONST_IMAGE:
      return set_image(l, argument->as.own_image, true, index);
    case WEFT_ARG_SAMPLER:
      return set_sampler(l, argument->as.own_sampler, index);
    case WEFT_ARG_CL_IMAGE:
      WEFT__TRY_RETURN(weft__recorder_refuse(kernel->core, passed_image));
      return weft__parameter_set_image(&l->value[index], p, argument->as.image.mem, kernel->core->cl, kernel->name,
                                       index);
    case WEFT_ARG_CL_SAMPLER:
      WEFT__TRY_RETURN(weft__recorder_refuse(kernel->core, passed_sampler));
      return weft__parameter_set_sampler(&l->value[index], p, argument->as.sampler.sampler, kernel->core->cl,
                                         kernel->name, index);
    case WEFT_ARG_DIM3:
      return weft__parameter_mismatch(p, "a weft_dim3", kernel->name, index);
    default:
      return weft__parameter_mismatch(p, "nothing known", kernel->name, index);
  }
}

/// The local memory that the arguments request, if they have the right number.
static uint64_t local_bytes_of(const weft_kernel *kernel, int count, const weft_arg *arguments) {
  uint64_t bytes = 0;
  for (int i = 0; i < count && count == kernel->kernel.info.argument_count; i++)
    if (arguments[i].kind == WEFT_ARG_LOCAL && !weft__add_u64(&bytes, bytes, arguments[i].as.local.size_bytes))
      return UINT64_MAX;
  return bytes;
}

/// Sets all arguments after the block.
static weft_status set_arguments(launch *l, int count, const weft_arg *arguments) {
  weft__kernel *kernel = &l->kernel->kernel;
  const int takes = kernel->info.argument_count;
  if (count != takes) {
    weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, "arguments", "%s takes %d argument%s, %d %s given", kernel->name, takes,
               takes == 1 ? "" : "s", count, count == 1 ? "is" : "are");
    for (int i = 0; i < takes; i++)
      weft__text_add(weft__detail(), "  %d: %s %s\n", i, kernel->parameter[i].type, kernel->parameter[i].name);
    return WEFT_ERROR_KERNEL_ARGUMENT;
  }
  for (int i = 0; i < count; i++) WEFT__TRY_RETURN(set_argument(l, &arguments[i], i));
  return WEFT_OK;
}

/// In guard mode, copies the results from the shadow copies back to adopted memory, even if the kernel wrote out of
/// bounds.
static weft_status end_shadows(launch *l, weft_status rc) {
  for (int i = 0; i < l->kernel->kernel.info.argument_count && (rc == WEFT_OK || rc == WEFT_ERROR_BOUNDS); i++) {
    if (!l->array[i] || l->kernel->kernel.parameter[i].is_const) continue;
    weft_status copied = weft__shadow_copy_back(&l->shadows, l->array[i], l->slot);
    if (rc == WEFT_OK) rc = copied;
  }
  weft__shadows_release(&l->shadows);
  return rc;
}

static bool is_image(weft_arg_kind kind) {
  return kind == WEFT_ARG_IMAGE || kind == WEFT_ARG_CONST_IMAGE || kind == WEFT_ARG_CL_IMAGE;
}

/// In the check mode for numbers: whether all arrays and floats given to the kernel are finite. Images, whose numbers
/// are not looked at, count as if they were not.
static weft_status look_before(bool *was_finite, const launch *l, const weft_arg *arguments, const char *site) {
  int64_t special = 0, first;
  for (int i = 0; i < l->kernel->kernel.info.argument_count && special == 0; i++) {
    if (l->array[i]) WEFT__TRY_RETURN(weft__array_count_special(&special, &first, l->array[i], site));
    if (arguments[i].kind == WEFT_ARG_SCALAR) special = weft__is_special(arguments[i].as.scalar);
    if (is_image(arguments[i].kind)) special = 1;
  }
  *was_finite = special == 0;
  return WEFT_OK;
}

static weft_status look_after(const launch *l, const char *site) {
  for (int i = 0; i < l->kernel->kernel.info.argument_count; i++) {
    const weft__parameter *p = &l->kernel->kernel.parameter[i];
    int64_t special, first;
    if (!l->array[i] || p->is_const) continue;
    WEFT__TRY_RETURN(weft__array_count_special(&special, &first, l->array[i], site));
    if (special)
      return weft__while(weft__fail_special(p->name, special, l->array[i]->size, first), "running %s",
                         l->kernel->kernel.name);
  }
  return WEFT_OK;
}

weft_status weft__launch_user(weft_kernel *kernel, weft_stream *stream, weft_dim3 grid, weft_dim3 block,
                              int argument_count, const weft_arg *arguments, const char *site) {
  weft_status rc;
  launch *l = weft__scratch_begin(sizeof *l); /* only initialised parts are read */
  bool was_finite = false;
  if (!l) return WEFT_ERROR_HOST_MEMORY;
  l->kernel = kernel;
  l->uses = l->sub_buffers = l->shadows.count = 0;
  l->bytes = 0;
  WEFT__TRY(weft__core_check(&kernel->context->core));
  WEFT__TRY(weft__stream_slot(&l->slot, stream, kernel->context));
  WEFT__TRY(weft__launch_check(&kernel->kernel, grid, block, local_bytes_of(kernel, argument_count, arguments)));
  WEFT__TRY(set_arguments(l, argument_count, arguments));
  weft__submission submission = {.slot = l->slot,
                                 .command = &(weft__command){.grid = grid, .block = block},
                                 .uses = l->uses,
                                 .use = l->use,
                                 .bytes = l->bytes,
                                 .site = site};
  if (kernel->context->core.checks_numbers) WEFT__TRY(look_before(&was_finite, l, arguments, site));
  WEFT__TRY(kernel->kernel.hidden ? weft__launch_asserting(&kernel->kernel, l->value, l->parameter, &submission)
                                  : weft__launch(&kernel->kernel, l->value, l->parameter, &submission));
  weft__counters_launch(&kernel->context->core.usage, grid, block, kernel->kernel.name);
done:
  if (l->shadows.count) rc = end_shadows(l, rc);
  if (rc == WEFT_OK && was_finite) rc = look_after(l, site);
  /* the driver keeps them until the launch is done */
  for (int i = 0; i < l->sub_buffers; i++) weft__release(l->sub_buffer[i]);
  weft__scratch_end(l);
  return rc;
}

weft_status weft__launch_on_at(weft_kernel *kernel, weft_stream *stream, weft_dim3 grid, int argument_count,
                               const weft_arg *arguments, const char *site) {
  weft_status rc;
  weft__enter("weft_launch", site);
  WEFT__TRY(weft__handle_check(kernel, WEFT__MAGIC_KERNEL, "kernel"));
  if (argument_count < 1 || !arguments || arguments[0].kind != WEFT_ARG_DIM3)
    WEFT__TRY(weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, "block",
                         "%s: the block is missing; expected weft_launch(kernel, grid, block, arguments...)",
                         kernel->kernel.name));
  rc = weft__launch_user(kernel, stream, grid, arguments[0].as.dim, argument_count - 1, arguments + 1, site);
done:
  return weft__leave(rc);
}

weft_status weft__launch_at(weft_kernel *kernel, weft_dim3 grid, int argument_count, const weft_arg *arguments,
                            const char *site) {
  return weft__launch_on_at(kernel, NULL, grid, argument_count, arguments, site);
}
