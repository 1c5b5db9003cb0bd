// SPDX-License-Identifier: MIT
/// Images: device memory that kernels read through samplers, CUDA's textures and surfaces.
///
///     rc = weft_image_from_array(&image, x);                                 x: f32[height, width]
///     rc = weft_sampler_create(&sampler, context, .filter = WEFT_SAMPLER_LINEAR);
///     rc = weft_launch(kernel, WEFT_DIM3(n), WEFT_DIM3(64), image, sampler, y);   read_only image2d_t, sampler_t, ...
///     rc = weft_image_read(&y, image);                            or a part: .origin = WEFT_SHAPE(8, 0), .shape = ...
///
/// OpenCL orders coordinates as (x, y, z): the last axis first. An image belongs to one thread at a time, as an array.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_IMAGE_H
#define WEFT_IMAGE_H

#include <weft/opencl.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// An image of a context's device.
typedef struct weft_image weft_image;
/// How kernels read images: filter, addresses, coordinates.
typedef struct weft_sampler weft_sampler;

/// Options of weft_image_create and weft_image_from_array.
typedef struct weft_image_params {
  int channels;     /* the length of the last axis, 2 or 4; 0 or 1: the array has no axis of channels */
  bool layered;     /* the first axis counts layers, between which nothing is interpolated */
  bool normalized;  /* integers of 8 or 16 bits: kernels see floats from 0 (signed: -1) to 1, by read_imagef */
  const char *site; /* set by the macros */
} weft_image_params;

/// Makes an image for an array of this dtype (u8, i8, u16, i16, u32, i32, f16 or f32) and shape, with indeterminate
/// content: (w), (h, w) or (d, h, w), and the axes of the options. Kernels see image1d_t, image2d_t or image3d_t;
/// layered, image1d_array_t or image2d_array_t. Its memory counts as active. WEFT_ERROR_SHAPE: an empty axis, another
/// number of axes or channels, or larger than the device allows (weft_device_info). WEFT_ERROR_UNSUPPORTED: the device
/// has no images, or not this format (not all have 2 channels).
WEFT_API WEFT_NODISCARD weft_status weft_image_create(weft_image **out, weft_context *context, weft_dtype dtype,
                                                      weft_shape shape, const weft_image_params *params);

/// Makes an image with the content of `x`, an array with any strides or host memory, of its dtype and shape. Errors: as
/// weft_image_create.
WEFT_API WEFT_NODISCARD weft_status weft_image_from_array(weft_image **out, const weft_array *x,
                                                          const weft_image_params *params);

/// Makes an image around a foreign cl_mem of the context's cl_context, and retains it. What it holds, and whether
/// kernels may write it, is asked of OpenCL. WEFT_ERROR_ARGUMENT: not an image. WEFT_ERROR_CONTEXT: of another
/// cl_context. WEFT_ERROR_UNSUPPORTED: of depths, of a buffer, or of a format without an array's dtype and channels;
/// WEFT_CL_IMAGE passes such images to kernels.
WEFT_API WEFT_NODISCARD weft_status weft_image_adopt(weft_image **out, weft_context *context, struct _cl_mem *cl_mem);

/// Adds a reference and returns the image. NULL is allowed.
WEFT_API weft_image *weft_image_retain(weft_image *image);
/// Drops a reference and sets *image to NULL; unfinished work still completes. NULL is allowed.
WEFT_API void weft_image_release(weft_image **image);

/// Properties of an image. `kind` is its type in OpenCL C, "image2d_t", a literal.
typedef struct weft_image_info {
  const char *kind;
  weft_dtype dtype;
  weft_shape shape; /* of the array that weft_image_read makes */
  int channels;     /* 1, 2 or 4 */
  bool normalized;
  bool layered;
  uint64_t size_bytes;
} weft_image_info;

/// Returns the properties of an image.
WEFT_API WEFT_NODISCARD weft_status weft_image_get(weft_image_info *info, const weft_image *image);

/// Options of weft_image_write.
typedef struct weft_image_write_params {
  weft_shape origin; /* where x begins in the image: a number for each axis but the channels'; x is a part then */
  const char *site;  /* set by the macro */
} weft_image_write_params;

/// Copies `x`, of the image's shape, to the image, on the device: or, with .origin, to as large a part of it. Its dtype
/// is cast as for a result. Errors: of results, WEFT_ERROR_READ_ONLY (adopted, and made with CL_MEM_READ_ONLY),
/// WEFT_ERROR_INDEX (the part is not inside), WEFT_ERROR_ARGUMENT (.origin has another number of axes).
WEFT_API WEFT_NODISCARD weft_status weft_image_write(weft_image *image, const weft_array *x,
                                                     const weft_image_write_params *params);

/// Options of weft_image_read: a part of the image. Both count pixels along each axis but the channels'.
typedef struct weft_image_read_params {
  weft_shape origin; /* default: the first pixel */
  weft_shape shape;  /* default: up to the end */
  const char *site;  /* set by the macro */
} weft_image_read_params;

/// Copies the image, or a part of it, to an array of its shape and dtype, on the device. Normalized integers stay
/// integers. WEFT_ERROR_INDEX: the part is not inside. WEFT_ERROR_ARGUMENT: .origin or .shape has another number of
/// axes.
WEFT_API WEFT_NODISCARD weft_status weft_image_read(weft_array **out, const weft_image *image,
                                                    const weft_image_read_params *params);

/// The image's cl_mem, which is not retained for the caller; NULL for a handle that is not alive.
WEFT_API struct _cl_mem *weft_image_cl_mem(const weft_image *image);

/// How a sampler computes a value between pixels. The centre of pixel 0 is at 0.5.
typedef enum weft_sampler_filter {
  WEFT_SAMPLER_NEAREST = 0, /* of the pixel that the coordinates lie in */
  WEFT_SAMPLER_LINEAR,      /* interpolated; for read_imagef, so not for integers that are not normalized */
} weft_sampler_filter;

/// What a sampler reads outside of an image.
typedef enum weft_sampler_address {
  WEFT_ADDRESS_CLAMP_TO_EDGE = 0,
  WEFT_ADDRESS_CLAMP,           /* zeros; a channel that is missing in the image is 1 if it is the alpha */
  WEFT_ADDRESS_REPEAT,          /* the image again and again; with .normalized_coordinates only */
  WEFT_ADDRESS_MIRRORED_REPEAT, /* every other one mirrored; with .normalized_coordinates only */
  WEFT_ADDRESS_NONE,            /* the kernel reads inside only; anything else is undefined */
} weft_sampler_address;

/// Options of weft_sampler_create.
typedef struct weft_sampler_params {
  weft_sampler_filter filter;
  weft_sampler_address address;
  bool normalized_coordinates; /* from 0 to 1 over the image; else in pixels */
  const char *site;            /* set by the macro */
} weft_sampler_params;

/// Makes a sampler; `context` NULL: the thread's default one. Several threads may use it.
/// WEFT_ERROR_UNSUPPORTED: the device has no images.
WEFT_API WEFT_NODISCARD weft_status weft_sampler_create(weft_sampler **out, weft_context *context,
                                                        const weft_sampler_params *params);
/// Adds a reference and returns the sampler. NULL is allowed.
WEFT_API weft_sampler *weft_sampler_retain(weft_sampler *sampler);
/// Drops a reference and sets *sampler to NULL. NULL is allowed.
WEFT_API void weft_sampler_release(weft_sampler **sampler);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__image_create_at(weft_image **out, weft_context *context, weft_dtype dtype,
                                                          weft_shape shape, const weft_image_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__image_from_array_at(weft_image **out, weft_operand x,
                                                              const weft_image_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__image_adopt_at(weft_image **out, weft_context *context,
                                                         struct _cl_mem *cl_mem, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__image_write_at(weft_image *image, weft_operand x,
                                                         const weft_image_write_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__image_read_at(weft_operand out, const weft_image *image,
                                                        const weft_image_read_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__sampler_create_at(weft_sampler **out, weft_context *context,
                                                            const weft_sampler_params *params);

#define weft_image_create(out, context, dtype, ...)                                                 \
  weft__image_create_at(WEFT__PLACE(weft_image, out), (context), (dtype), WEFT__FIRST(__VA_ARGS__), \
                        WEFT__OPTIONS(weft_image_params, __VA_ARGS__))
#define weft_image_from_array(out, ...)                                                            \
  weft__image_from_array_at(WEFT__PLACE(weft_image, out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                            WEFT__OPTIONS(weft_image_params, __VA_ARGS__))
#define weft_image_adopt(out, context, cl_mem) \
  weft__image_adopt_at(WEFT__PLACE(weft_image, out), (context), (cl_mem), WEFT_SITE)
#define weft_image_write(image, ...)                                     \
  weft__image_write_at((image), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_image_write_params, __VA_ARGS__))
#define weft_image_read(out, ...) \
  weft__image_read_at(WEFT__RESULT(out), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_image_read_params, __VA_ARGS__))
#define weft_sampler_create(out, ...)                                               \
  weft__sampler_create_at(WEFT__PLACE(weft_sampler, out), WEFT__FIRST(__VA_ARGS__), \
                          WEFT__OPTIONS(weft_sampler_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
