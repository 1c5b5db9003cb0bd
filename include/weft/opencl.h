// SPDX-License-Identifier: MIT
/// The OpenCL objects inside Weft's, and Weft objects around foreign OpenCL objects; nothing is copied.
///
///     struct _cl_command_queue *queue = weft_context_cl_queue(context);      lent, not retained
///
/// The types are OpenCL's own (cl_context is `struct _cl_context *`), spelled so that this header does not need
/// CL/cl.h.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_OPENCL_H
#define WEFT_OPENCL_H

#include <weft/array.h>
#include <weft/stream.h>

struct _cl_context;
struct _cl_device_id;
struct _cl_command_queue;
struct _cl_mem;
struct _cl_sampler;

WEFT_BEGIN_DECLS

/// Makes a context around a foreign cl_context and an in-order cl_command_queue of it. Both are retained until the Weft
/// context is gone. Options: weft_context_create's; .device and .profiling are ignored. WEFT_ERROR_UNSUPPORTED: an
/// out-of-order queue.
WEFT_API WEFT_NODISCARD weft_status weft_context_adopt(weft_context **out, struct _cl_context *cl_context,
                                                       struct _cl_command_queue *cl_queue,
                                                       const weft_context_params *params);

/// Makes an array around a foreign cl_mem of the context's cl_context: contiguous, from `offset_bytes` on. The buffer
/// is retained. A buffer made with CL_MEM_READ_ONLY gives a read-only array. weft/dlpack.h has arrays with strides and
/// a callback for the release. WEFT_ERROR_ARGUMENT: not a buffer. WEFT_ERROR_CONTEXT: of another cl_context.
/// WEFT_ERROR_SHAPE: the buffer is too small. WEFT_ERROR_LAYOUT: the offset is not a multiple of the element size.
WEFT_API WEFT_NODISCARD weft_status weft_array_adopt(weft_array **out, weft_context *context, struct _cl_mem *cl_mem,
                                                     size_t offset_bytes, weft_dtype dtype, weft_shape shape);

/// A foreign image or sampler of the context's cl_context, as a launch argument: WEFT_CL_IMAGE(image) for a parameter
/// such as `read_only image2d_t`, WEFT_CL_SAMPLER(sampler) for a `sampler_t`. An image must be of the parameter's kind
/// (1D, 2D, array, ...), and its flags must allow the parameter's reads and writes. Weft copies and retains nothing:
/// the driver keeps them alive for unfinished launches. Launches on different streams that share an image are not
/// ordered (use weft/event.h, or weft_image_adopt). Guard mode does not check images.
typedef struct weft_cl_image {
  struct _cl_mem *mem;
} weft_cl_image;
/// A sampler, as an argument of a launch.
typedef struct weft_cl_sampler {
  struct _cl_sampler *sampler;
} weft_cl_sampler;

static inline weft_cl_image weft__from_cl_image(struct _cl_mem *mem) {
  weft_cl_image i;
  i.mem = mem;
  return i;
}
static inline weft_cl_sampler weft__from_cl_sampler(struct _cl_sampler *sampler) {
  weft_cl_sampler s;
  s.sampler = sampler;
  return s;
}
/// An image or a sampler of OpenCL as an argument of weft_launch.
#define WEFT_CL_IMAGE(cl_mem) weft__from_cl_image(cl_mem)
#define WEFT_CL_SAMPLER(cl_sampler) weft__from_cl_sampler(cl_sampler)

/* ---- lent objects ----
   They are not retained for the caller; NULL for a handle that is not alive. Foreign work on Weft's queue is
   ordered with Weft's work on that queue, but unknown to other streams: call weft_context_wait before another stream
   uses its arrays. Two arrays around one cl_mem are not ordered across streams either. The start and stop of a profile
   may replace the queues (weft_profile_start): get them again. */
/// The context's cl_context, cl_device_id and cl_command_queue.
WEFT_API struct _cl_context *weft_context_cl_context(const weft_context *context);
WEFT_API struct _cl_device_id *weft_context_cl_device(const weft_context *context);
WEFT_API struct _cl_command_queue *weft_context_cl_queue(const weft_context *context);
/// The stream's cl_command_queue.
WEFT_API struct _cl_command_queue *weft_stream_cl_queue(const weft_stream *stream);
/// Returns the buffer that holds the array, and the first element's offset in it.
WEFT_API struct _cl_mem *weft_array_cl_mem(const weft_array *x, size_t *offset_bytes);

/// Returns a code's name: "CL_OUT_OF_RESOURCES" for -5; "CL error N" for unknown codes.
WEFT_API const char *weft_cl_code_name(int cl_code);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__context_adopt_at(weft_context **out, struct _cl_context *cl_context,
                                                           struct _cl_command_queue *cl_queue,
                                                           const weft_context_params *params, int header_version);
WEFT_API WEFT_NODISCARD weft_status weft__array_adopt_at(weft_array **out, weft_context *context,
                                                         struct _cl_mem *cl_mem, size_t offset_bytes, weft_dtype dtype,
                                                         weft_shape shape, const char *site);

#define weft_context_adopt(out, cl_context, ...)                                                 \
  weft__context_adopt_at(WEFT__PLACE(weft_context, out), (cl_context), WEFT__FIRST(__VA_ARGS__), \
                         WEFT__OPTIONS(weft_context_params, __VA_ARGS__), WEFT_VERSION_NUMBER)
#define weft_array_adopt(out, context, cl_mem, offset_bytes, dtype, shape) \
  weft__array_adopt_at(WEFT__PLACE(weft_array, out), (context), (cl_mem), (offset_bytes), (dtype), (shape), WEFT_SITE)

WEFT_END_DECLS

#endif
