// SPDX-License-Identifier: MIT
/// A kernel's parameters, as the driver reports them, and the conversion of a caller's values to them.
#ifndef WEFT_KERNEL_PARAMETER_H
#define WEFT_KERNEL_PARAMETER_H

#include <weft/kernel.h>

#include "base/error.h"
#include "ocl/driver.h"

typedef enum weft__parameter_kind {
  WEFT__PARAMETER_SCALAR,  /* one number of `dtype` */
  WEFT__PARAMETER_POINTER, /* to global or constant memory */
  WEFT__PARAMETER_LOCAL,   /* to local memory */
  WEFT__PARAMETER_IMAGE,
  WEFT__PARAMETER_SAMPLER,
  WEFT__PARAMETER_PIPE,    /* cannot be passed */
  WEFT__PARAMETER_OTHER,   /* a vector, a struct, a typedef: passed as bytes */
  WEFT__PARAMETER_UNKNOWN, /* not reported by the driver: passed as given, and the driver checks the size */
} weft__parameter_kind;

typedef struct weft__parameter {
  weft__parameter_kind kind;
  weft_dtype dtype;   /* of the number or the pointed-to elements; NONE: any */
  unsigned lanes;     /* 2 for float2 */
  bool is_const;      /* a pointer to const */
  size_t size_bytes;  /* of a vector; 0: unknown */
  bool reads, writes; /* the kernel's access to an image */
  char *type;         /* as the kernel spells it: "float*" */
  char *name;
} weft__parameter;

/// Reads the parameter from the driver, if the driver reports it. Strings belong to the parameter.
weft_status weft__parameter_read(weft__parameter *parameter, weft__cl_kernel kernel, uint32_t index, bool has_arg_info);
void weft__parameter_clear(weft__parameter *parameter);

/// One argument as clSetKernelArg takes it. A size with `data` NULL is local memory.
typedef struct weft__value {
  size_t size_bytes;
  const void *data;
  bool any_width;     /* an integer for an unknown parameter: room.i64 holds it, sizes are tried */
  bool is_set_always; /* local memory, of any width, or the handle of an object that other code may release */
  /* of a sub-buffer made for the launch, the part of its storage; set only by weft_launch, for recordings */
  uint64_t part_offset_bytes, part_bytes;
  union {
    weft__cl_mem mem;
    weft__cl_sampler sampler;
    int64_t i64;
    float f32;
    double f64;
    uint64_t words[2]; /* an element of any dtype */
  } room;              /* storage of converted values; `data` points here */
} weft__value;

static inline void weft__value_set(weft__value *value, const void *data, size_t size_bytes) {
  value->size_bytes = size_bytes;
  value->data = data;
  value->any_width = value->is_set_always = false;
  value->part_bytes = 0;
}

/// Converts a number to a parameter's type: integers if the value fits, floats only to an equal kind. `kernel` and
/// `index` are for the message. Errors: WEFT_ERROR_KERNEL_ARGUMENT.
weft_status weft__parameter_set_scalar(weft__value *value, const weft__parameter *parameter, weft_scalar scalar,
                                       const char *kernel, int index);
weft_status weft__parameter_set_local(weft__value *value, const weft__parameter *parameter, weft_local local,
                                      const char *kernel, int index);
weft_status weft__parameter_set_bytes(weft__value *value, const weft__parameter *parameter, weft_bytes bytes,
                                      const char *kernel, int index);
/// Passes NULL for a pointer. Any other pointer is an error.
weft_status weft__parameter_set_pointer(weft__value *value, const weft__parameter *parameter, const void *pointer,
                                        const char *kernel, int index);
/// Passes a foreign image of `context` whose kind and flags fit the parameter. Errors: KERNEL_ARGUMENT, CONTEXT,
/// READ_ONLY, DRIVER.
weft_status weft__parameter_set_image(weft__value *value, const weft__parameter *parameter, weft__cl_mem image,
                                      weft__cl_context context, const char *kernel, int index);
weft_status weft__parameter_set_sampler(weft__value *value, const weft__parameter *parameter, weft__cl_sampler sampler,
                                        weft__cl_context context, const char *kernel, int index);
/// An image of Weft's for a parameter.
typedef struct weft__image_value {
  weft__cl_mem mem;
  const char *kind;
  bool read_only, write_only; /* for kernels */
} weft__image_value;
/// As weft__parameter_set_image, for an image and a sampler of Weft's in the kernel's context.
weft_status weft__parameter_put_image(weft__value *value, const weft__parameter *parameter,
                                      const weft__image_value *image, const char *kernel, int index);
weft_status weft__parameter_put_sampler(weft__value *value, const weft__parameter *parameter, weft__cl_sampler sampler,
                                        const char *kernel, int index);
/// Records that an argument is `what` ("an array") but the parameter is not. Returns WEFT_ERROR_KERNEL_ARGUMENT.
weft_status weft__parameter_mismatch(const weft__parameter *parameter, const char *what, const char *kernel, int index);

#endif
