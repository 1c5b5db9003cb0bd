// SPDX-License-Identifier: MIT
/// The OpenCL objects behind Weft's, and Weft around OpenCL objects of others; no copies. The types are OpenCL's own
/// (cl_context is `struct _cl_context *`), spelled so that this header does not need CL/cl.h.
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

/// A context around a foreign cl_context and an in-order cl_command_queue of it (WEFT_ERROR_UNSUPPORTED for an
/// out-of-order one). Both are retained, and released with the Weft context. Options: those of weft_context_create;
/// .device and .profiling are ignored.
WEFT_API WEFT_NODISCARD weft_status weft_context_adopt(weft_context **out, struct _cl_context *cl_context,
                                                       struct _cl_command_queue *cl_queue,
                                                       const weft_context_params *params);

/// An array around a foreign cl_mem of the context's cl_context: contiguous, starting `offset_bytes` into it. The
/// buffer is retained. One made with CL_MEM_READ_ONLY gives a read-only array. dlpack.h has arrays with strides, and
/// lenders that want to know of the release.
/// Errors: WEFT_ERROR_ARGUMENT (not a buffer), WEFT_ERROR_CONTEXT, WEFT_ERROR_SHAPE (buffer too small),
/// WEFT_ERROR_LAYOUT (offset not a multiple of the element size).
WEFT_API WEFT_NODISCARD weft_status weft_array_adopt(weft_array **out, weft_context *context, struct _cl_mem *cl_mem,
                                                     size_t offset_bytes, weft_dtype dtype, weft_shape shape);

/// A foreign image or sampler as an argument of weft_launch: WEFT_CL_IMAGE(image) for a parameter such as `read_only
/// image2d_t`, WEFT_CL_SAMPLER(sampler) for a `sampler_t`. It must belong to the context's cl_context. An image must be
/// of the parameter's kind (1D, 2D, array, ...), and its flags must allow the parameter's reads and writes. Weft copies
/// and retains nothing: the driver keeps images and samplers of unfinished launches alive. Launches on one stream use
/// an image in order; Weft does not order launches on different streams that share one (use weft/event.h). Guard mode
/// does not check images.
typedef struct weft_cl_image {
  struct _cl_mem *mem;
} weft_cl_image;
typedef struct weft_cl_sampler {
  struct _cl_sampler *sampler;
} weft_cl_sampler;

static inline weft_cl_image weft__cl_image(struct _cl_mem *mem) {
  weft_cl_image i;
  i.mem = mem;
  return i;
}
static inline weft_cl_sampler weft__cl_sampler(struct _cl_sampler *sampler) {
  weft_cl_sampler s;
  s.sampler = sampler;
  return s;
}
#define WEFT_CL_IMAGE(cl_mem) weft__cl_image(cl_mem)
#define WEFT_CL_SAMPLER(cl_sampler) weft__cl_sampler(cl_sampler)

/* Lending: borrowed, not retained; NULL for a handle that is not alive. Work that others enqueue on Weft's queue is
   ordered with Weft's on that queue; streams know nothing of it: weft_context_wait before an array that it uses goes to
   another stream. Two arrays around one cl_mem are not ordered across streams either. The profile may replace the
   queues at its start and stop, see weft_profile_start: ask for them again then. */
WEFT_API struct _cl_context *weft_context_cl_context(const weft_context *context);
WEFT_API struct _cl_device_id *weft_context_cl_device(const weft_context *context);
WEFT_API struct _cl_command_queue *weft_context_cl_queue(const weft_context *context);
WEFT_API struct _cl_command_queue *weft_stream_cl_queue(const weft_stream *stream);
/// The buffer that holds the array, and how far into it the first element is.
WEFT_API struct _cl_mem *weft_array_cl_mem(const weft_array *x, size_t *offset_bytes);

/// "CL_OUT_OF_RESOURCES" for -5; "CL error N" for codes unknown. Thread: any.
WEFT_API const char *weft_cl_code_name(int cl_code);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__context_adopt_at(weft_context **out, struct _cl_context *cl_context,
                                                           struct _cl_command_queue *cl_queue,
                                                           const weft_context_params *params, int header_version);
WEFT_API WEFT_NODISCARD weft_status weft__array_adopt_at(weft_array **out, weft_context *context,
                                                         struct _cl_mem *cl_mem, size_t offset_bytes, weft_dtype dtype,
                                                         weft_shape shape, const char *site);

#define weft_context_adopt(out, cl_context, ...)                        \
  weft__context_adopt_at((out), (cl_context), WEFT__FIRST(__VA_ARGS__), \
                         WEFT__OPTIONS(weft_context_params, __VA_ARGS__), WEFT_VERSION_NUMBER)
#define weft_array_adopt(out, context, cl_mem, offset_bytes, dtype, shape) \
  weft__array_adopt_at((out), (context), (cl_mem), (offset_bytes), (dtype), (shape), WEFT_SITE)

WEFT_END_DECLS

#endif
