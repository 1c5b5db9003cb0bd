// SPDX-License-Identifier: MIT
/// Kernels written in OpenCL C, launched as in CUDA: a grid of blocks of threads.
///
///     rc = weft_launch(saxpy, WEFT_DIM3(weft_ceil_div(n, 256)), WEFT_DIM3(256), y, x, 2.0f, n);
///
/// A source that begins with `#include "weft/prelude.clh"` may use threadIdx, blockIdx, blockDim, gridDim (with .x .y
/// .z), __syncthreads() and weft_global_id() (64-bit, x fastest), and WEFT_ASSERT; "weft/cuda.clh" adds atomicAdd,
/// __shfl_sync, weft_block_sum and others. Both are embedded in the library. Other #include "name" are looked up beside
/// the file that includes, beside the kernel's file, in `include_path`, in the folders of -I in `options`, and in the
/// current folder; #include <name> not beside files. (A folder whose name has a colon: -I.) A header that has changed
/// makes a new kernel.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_KERNEL_H
#define WEFT_KERNEL_H

#include <weft/array.h>
#include <weft/image.h>
#include <weft/map.h>
#include <weft/opencl.h>
#include <weft/stream.h>

WEFT_BEGIN_DECLS

/// A kernel built for the device of its context.
typedef struct weft_kernel weft_kernel;

#define WEFT_MAX_KERNEL_ARGUMENTS 128 /* of one launch */

/// Options of weft_kernel_create. One of source, file, binary and il is required; zero is the default of the others.
typedef struct weft_kernel_params {
  const char *source; /* OpenCL C; or ... */
  const char *file;   /* ... a file with OpenCL C, a binary or SPIR-V; a pipe or a device is refused; or ... */
  const void *binary; /* ... binary_bytes bytes of weft_kernel_binary or `weft compile`; or ... */
  const void *il;     /* ... il_bytes bytes of SPIR-V, where the device takes it */
  size_t binary_bytes, il_bytes;
  const char *name;           /* the kernel function; may be NULL if the source has only one */
  const char *const *defines; /* NULL-terminated, each "NAME", "NAME=VALUE" or "NAME(X)=VALUE", as -D */
  const char *options;        /* further OpenCL build options */
  const char *include_path;   /* folders for #include, with colons between them: "a:b/c" */
  const char *source_name;    /* the source's name in messages; default: the file, or "kernel.cl" */
  const char *site;           /* set by the macro */
} weft_kernel_params;

/// Builds a kernel: weft_kernel_create(&k, context, .source = text), or .file, and .name. *out must be NULL; `context`
/// may be NULL. Waits for the compiler; the context caches programs, so the same source and options are compiled once.
/// WEFT_ERROR_BUILD: the error's detail has the log and the numbered source. WEFT_ERROR_KERNEL_NAME: the message lists
/// the source's kernels. WEFT_ERROR_FILE: .file cannot be read. Of code, WEFT_ERROR_ARGUMENT: not whole or changed;
/// WEFT_ERROR_UNSUPPORTED: of another device or driver, or SPIR-V that the device does not take.
WEFT_API WEFT_NODISCARD weft_status weft_kernel_create(weft_kernel **out, weft_context *context,
                                                       const weft_kernel_params *params);

/// Adds a reference and returns the kernel. NULL is allowed.
WEFT_API weft_kernel *weft_kernel_retain(weft_kernel *kernel);
/// Drops a reference and sets *kernel to NULL; unfinished launches still complete. NULL is allowed.
WEFT_API void weft_kernel_release(weft_kernel **kernel);

/// The compiler's figures for a kernel on its device. `name` lives as long as the kernel.
typedef struct weft_kernel_info {
  const char *name;
  int argument_count;
  uint64_t max_block_threads;  /* this kernel's own limit; at most the device's */
  uint64_t required_block[3];  /* reqd_work_group_size; 0 0 0 without one */
  uint64_t preferred_multiple; /* block sizes should be multiples of it */
  uint64_t local_memory_bytes; /* static local memory */
  uint64_t private_memory_bytes;
  bool was_cached;        /* this context had already built its program */
  uint64_t build_time_ns; /* the duration of the build */
} weft_kernel_info;

/// Builds as weft_kernel_create does, and lists the kernels with their parameters, or the one .name names, one per
/// line: "saxpy(float* y, float a)\n". Free *text with weft_free. Errors: as weft_kernel_create's.
WEFT_API WEFT_NODISCARD weft_status weft_kernel_list(char **text, weft_context *context,
                                                     const weft_kernel_params *params);
/// Writes the program of a kernel to new memory, for .binary or for a file: weft_free(*bytes). It has all kernels of
/// the program, and works on the same kind of device with the same driver. Load only binaries that you trust: they are
/// programs, and the hash in them finds damage, not malice.
WEFT_API WEFT_NODISCARD weft_status weft_kernel_binary(void **bytes, size_t *size_bytes, const weft_kernel *kernel);

/// Returns the figures of a kernel.
WEFT_API WEFT_NODISCARD weft_status weft_kernel_get(weft_kernel_info *info, const weft_kernel *kernel);

/* ---- arguments ----
   A launch takes as many arguments as the kernel has parameters. They are checked before the driver sees them:

   __global pointer    an array of the pointer's dtype (WEFT_ERROR_DTYPE; `uchar *` and pointers to structs accept any),
                       contiguous and at the start of its buffer or at a multiple of the device's address_align_bytes
                       (WEFT_ERROR_LAYOUT; weft_copy makes such an array). NULL (C++: nullptr) is a null pointer. The
                       array counts as written unless the pointer is const (WEFT_ERROR_READ_ONLY).
   integer             any C integer whose value fits
   float, double       a C float for float, a C double for double
   __local pointer     WEFT_LOCAL(bytes)
   struct, typedef,    WEFT_STRUCT(x). Get its size right: OpenCL does not report the parameter's size, and not every
   vector              driver checks it.
   image, sampler      a weft_image, a weft_sampler (weft/image.h); of OpenCL's own: WEFT_CL_IMAGE, WEFT_CL_SAMPLER
                       (weft/opencl.h). A kernel cannot read and write one image.
   WEFT_ASSERTS        nothing: the launch passes the parameters that WEFT_ASSERT of weft/prelude.clh needs

   Any other argument is WEFT_ERROR_KERNEL_ARGUMENT. */

/// `size_bytes` of local (CUDA: shared) memory for a `__local` parameter.
typedef struct weft_local {
  size_t size_bytes;
} weft_local;
/// Any object by value, for a parameter of a struct, vector or typedef type.
typedef struct weft_bytes {
  const void *data;
  size_t size_bytes;
} weft_bytes;

static inline weft_local weft__local(size_t size_bytes) {
  weft_local l;
  l.size_bytes = size_bytes;
  return l;
}
static inline weft_bytes weft__bytes(const void *data, size_t size_bytes) {
  weft_bytes b;
  b.data = data;
  b.size_bytes = size_bytes;
  return b;
}
/// Local memory for a `__local` parameter.
#define WEFT_LOCAL(size_bytes) weft__local(size_bytes)
/// `x` must be an lvalue; the launch copies its bytes.
#define WEFT_STRUCT(x) weft__bytes(&(x), sizeof(x))

/// What a weft_arg holds.
typedef enum weft_arg_kind {
  WEFT_ARG_NONE = 0,
  WEFT_ARG_SCALAR,
  WEFT_ARG_ARRAY,
  WEFT_ARG_CONST_ARRAY,
  WEFT_ARG_LOCAL,
  WEFT_ARG_BYTES,
  WEFT_ARG_DIM3,
  WEFT_ARG_POINTER, /* NULL for a pointer; any other pointer is an error */
  WEFT_ARG_CL_IMAGE,
  WEFT_ARG_CL_SAMPLER,
  WEFT_ARG_IMAGE,
  WEFT_ARG_CONST_IMAGE,
  WEFT_ARG_SAMPLER,
} weft_arg_kind;

/// One argument of a launch. WEFT_ARG makes it.
typedef struct weft_arg {
  weft_arg_kind kind;
  union {
    weft_scalar scalar;
    const weft_array *array;
    weft_local local;
    weft_bytes bytes;
    const void *pointer;
    weft_cl_image image;
    weft_cl_sampler sampler;
    const weft_image *own_image;
    const weft_sampler *own_sampler;
    weft_dim3 dim;
  } as;
} weft_arg;

#define WEFT__ARG_TYPES(X)                                              \
  X(array, weft_array *, WEFT_ARG_ARRAY, array)                         \
  X(const_array, const weft_array *, WEFT_ARG_CONST_ARRAY, array)       \
  X(local, weft_local, WEFT_ARG_LOCAL, local)                           \
  X(bytes, weft_bytes, WEFT_ARG_BYTES, bytes)                           \
  X(pointer, void *, WEFT_ARG_POINTER, pointer)                         \
  X(image, weft_image *, WEFT_ARG_IMAGE, own_image)                     \
  X(const_image, const weft_image *, WEFT_ARG_CONST_IMAGE, own_image)   \
  X(sampler, weft_sampler *, WEFT_ARG_SAMPLER, own_sampler)             \
  X(const_sampler, const weft_sampler *, WEFT_ARG_SAMPLER, own_sampler) \
  X(cl_image, weft_cl_image, WEFT_ARG_CL_IMAGE, image)                  \
  X(cl_sampler, weft_cl_sampler, WEFT_ARG_CL_SAMPLER, sampler)          \
  X(dim3, weft_dim3, WEFT_ARG_DIM3, dim)                                \
  X(self_scalar, weft_scalar, WEFT_ARG_SCALAR, scalar)

#define WEFT__DEFINE_ARG(name, type, kind_, field)      \
  static inline weft_arg weft__arg_##name(type value) { \
    weft_arg a;                                         \
    a.kind = kind_;                                     \
    a.as.field = value;                                 \
    return a;                                           \
  }
WEFT__ARG_TYPES(WEFT__DEFINE_ARG)
#undef WEFT__DEFINE_ARG

#define WEFT__DEFINE_SCALAR_ARG(name, type, ...)              \
  static inline weft_arg weft__arg_##name(type value) {       \
    return weft__arg_self_scalar(weft__scalar_##name(value)); \
  }
WEFT__SCALAR_TYPES(WEFT__DEFINE_SCALAR_ARG)
WEFT__OTHER_SCALAR_TYPES(WEFT__DEFINE_SCALAR_ARG)
#undef WEFT__DEFINE_SCALAR_ARG

/// weft_launch(kernel, grid, block, arguments...) enqueues grid.x * grid.y * grid.z blocks of block.x * block.y *
/// block.z threads; weft_launch_on does so on a stream (NULL: the thread's, else the context's own). Several threads
/// may launch one kernel. The functions take the block as arguments[0]. Waits only if the stream is over
/// ahead_limit_ns (weft/context.h), or with WEFT_SYNC=1. WEFT_ERROR_LAUNCH_LIMIT: a zero or too large grid, block or
/// local memory. WEFT_ERROR_KERNEL_ARGUMENT, WEFT_ERROR_DTYPE, WEFT_ERROR_READ_ONLY, WEFT_ERROR_LAYOUT: an argument,
/// see above.
WEFT_API WEFT_NODISCARD weft_status weft_launch(weft_kernel *kernel, weft_dim3 grid, int argument_count,
                                                const weft_arg *arguments);
WEFT_API WEFT_NODISCARD weft_status weft_launch_on(weft_kernel *kernel, weft_stream *stream, weft_dim3 grid,
                                                   int argument_count, const weft_arg *arguments);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__kernel_create_at(weft_kernel **out, weft_context *context,
                                                           const weft_kernel_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__kernel_list_at(char **text, weft_context *context,
                                                         const weft_kernel_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__launch_at(weft_kernel *kernel, weft_dim3 grid, int argument_count,
                                                    const weft_arg *arguments, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__launch_on_at(weft_kernel *kernel, weft_stream *stream, weft_dim3 grid,
                                                       int argument_count, const weft_arg *arguments, const char *site);

#define weft_kernel_create(out, ...)                                              \
  weft__kernel_create_at(WEFT__PLACE(weft_kernel, out), WEFT__FIRST(__VA_ARGS__), \
                         WEFT__OPTIONS(weft_kernel_params, __VA_ARGS__))
#define weft_kernel_list(text, ...) \
  weft__kernel_list_at((text), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_kernel_params, __VA_ARGS__))

WEFT_END_DECLS

#define WEFT__NO_ARGUMENT                                                                            \
  "Weft: not a kernel argument: make an array of host memory with weft_from_host; pass a struct as " \
  "WEFT_STRUCT(x), local memory as WEFT_LOCAL(bytes), an image as a weft_image or WEFT_CL_IMAGE(cl_mem)"

#ifdef __cplusplus
#define WEFT__OVERLOAD_ARG(name, type, ...)  \
  inline weft_arg weft__arg_of(type value) { \
    return weft__arg_##name(value);          \
  }
WEFT__ARG_TYPES(WEFT__OVERLOAD_ARG)
WEFT__SCALAR_TYPES(WEFT__OVERLOAD_ARG)
WEFT__OTHER_SCALAR_TYPES(WEFT__OVERLOAD_ARG)
#undef WEFT__OVERLOAD_ARG
inline weft_arg weft__arg_of(decltype(nullptr)) {
  return weft__arg_pointer(nullptr);
}
/* These overloads refuse other types with a message: pointers, which would convert to bool; types without a conversion.
   They are written out because a macro would add a compiler note. */
template <typename T>
inline weft_arg weft__arg_of(const volatile T *) {
  static_assert(weft__never<T>::value, WEFT__NO_ARGUMENT);
  return weft_arg();
}
template <typename... Nothing>
inline weft_arg weft__arg_of(...) {
  static_assert(sizeof...(Nothing) != 0, WEFT__NO_ARGUMENT); /* it is empty */
  return weft_arg();
}
#define WEFT_ARG(x) weft__arg_of(x)
template <typename... Args>
inline weft_status weft__launch(weft_kernel *kernel, weft_stream *stream, weft_dim3 grid, const char *site,
                                Args... args) {
  const weft_arg list[] = {weft__arg_of(args)...};
  return weft__launch_on_at(kernel, stream, grid, static_cast<int>(sizeof...(args)), list, site);
}
#define weft_launch_on(kernel, stream, grid, ...) weft__launch((kernel), (stream), (grid), WEFT_SITE, __VA_ARGS__)
#define weft_launch(kernel, grid, ...) weft__launch((kernel), (weft_stream *)NULL, (grid), WEFT_SITE, __VA_ARGS__)
#else
WEFT__REFUSING_BEGINS
weft_arg weft__no_argument_see_WEFT_STRUCT(WEFT__A_POINTER) WEFT__REFUSED(WEFT__NO_ARGUMENT);
weft_arg weft__no_argument_see_WEFT_STRUCT(WEFT__ANYTHING) WEFT__REFUSED(WEFT__NO_ARGUMENT);
WEFT__REFUSING_ENDS
#define WEFT__ARG_CASE(name, type, ...) \
  type:                                 \
  weft__arg_##name,
/// Converts an argument: an array, an image, a sampler, any C scalar, WEFT_LOCAL, WEFT_STRUCT, NULL, WEFT_CL_IMAGE or
/// WEFT_CL_SAMPLER. Other types do not compile.
#define WEFT_ARG(x)                                                                \
  _Generic((x), WEFT__ARG_TYPES(WEFT__ARG_CASE) WEFT__SCALAR_TYPES(WEFT__ARG_CASE) \
                    WEFT__OTHER_SCALAR_TYPES(WEFT__ARG_CASE) default               \
           : weft__no_argument_see_WEFT_STRUCT)(x)
#define weft_launch_on(kernel, stream, grid, ...)                               \
  weft__launch_on_at((kernel), (stream), (grid), (int)WEFT__COUNT(__VA_ARGS__), \
                     (const weft_arg[]){WEFT__MAP(WEFT_ARG, __VA_ARGS__)}, WEFT_SITE)
#define weft_launch(kernel, grid, ...) weft_launch_on((kernel), (weft_stream *)NULL, (grid), __VA_ARGS__)
#endif

#endif
