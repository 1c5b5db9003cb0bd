// SPDX-License-Identifier: MIT
/// What a kernel's parameters are, by the driver's own account, and fitting a caller's values to them.
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
  WEFT__PARAMETER_UNKNOWN, /* the driver cannot say: taken as the caller has it, and the driver checks the size */
} weft__parameter_kind;

typedef struct weft__parameter {
  weft__parameter_kind kind;
  weft_dtype dtype;   /* of the number or the pointed-to elements; NONE: any */
  unsigned lanes;     /* 2 for float2 */
  bool is_const;      /* a pointer to const */
  size_t size_bytes;  /* of a vector; 0: unknown */
  bool reads, writes; /* what the kernel may do with an image */
  char *type;         /* as the kernel spells it: "float*" */
  char *name;
} weft__parameter;

/// Asks the driver, where it can say. Strings belong to the parameter.
weft_status weft__parameter_read(weft__parameter *parameter, weft__cl_kernel kernel, uint32_t index, bool has_arg_info);
void weft__parameter_clear(weft__parameter *parameter);

/// One argument as clSetKernelArg takes it. `data` NULL with a size is local memory.
typedef struct weft__value {
  size_t size_bytes;
  const void *data;
  bool any_width; /* an integer for an unknown parameter: room.i64 has all of it, and the driver will say which size it
                     takes */
  union {
    weft__cl_mem mem;
    struct _cl_sampler *sampler;
    int64_t i64;
    float f32;
    double f64;
    uint64_t words[2]; /* an element of any dtype */
  } room;              /* where `data` points for what Weft converts */
} weft__value;

/// Converts a number to a parameter's type: integers where the value fits, floats only to the same kind. `kernel` and
/// `index` are for the message. Errors: WEFT_ERROR_KERNEL_ARGUMENT.
weft_status weft__parameter_set_scalar(weft__value *value, const weft__parameter *parameter, weft_scalar scalar,
                                       const char *kernel, int index);
weft_status weft__parameter_set_local(weft__value *value, const weft__parameter *parameter, weft_local local,
                                      const char *kernel, int index);
weft_status weft__parameter_set_bytes(weft__value *value, const weft__parameter *parameter, weft_bytes bytes,
                                      const char *kernel, int index);
/// NULL for a pointer; any other pointer is an error.
weft_status weft__parameter_set_pointer(weft__value *value, const weft__parameter *parameter, const void *pointer,
                                        const char *kernel, int index);
/// An image of `context` whose kind and flags fit the parameter. Errors: KERNEL_ARGUMENT, CONTEXT, READ_ONLY, DRIVER.
weft_status weft__parameter_set_image(weft__value *value, const weft__parameter *parameter, weft__cl_mem image,
                                      weft__cl_context context, const char *kernel, int index);
weft_status weft__parameter_set_sampler(weft__value *value, const weft__parameter *parameter,
                                        struct _cl_sampler *sampler, weft__cl_context context, const char *kernel,
                                        int index);
/// Says that an argument is `what` ("an array") where the parameter is not one. Returns WEFT_ERROR_KERNEL_ARGUMENT.
weft_status weft__parameter_mismatch(const weft__parameter *parameter, const char *what, const char *kernel, int index);

#endif
