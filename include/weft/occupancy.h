// SPDX-License-Identifier: MIT
/// Launches over a number of elements: Weft chooses the block from the kernel's own numbers, and shows them.
///
///     rc = weft_launch_n(saxpy, n, y, x, 2.0f, n);
///     rc = weft_launch_2d(blur, rows, columns, to, from, rows, columns);
///
/// The grid has at least that many threads. The kernel checks its bounds, as `if (i < n)`.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_OCCUPANCY_H
#define WEFT_OCCUPANCY_H

#include <weft/kernel.h>

WEFT_BEGIN_DECLS

/// weft_launch_n(kernel, n, arguments...) launches n threads or more along x, on the thread's stream. The function
/// takes n, an integer, as arguments[0]. A block has Weft's usual number of threads, within the kernel's limit and as a
/// multiple of its preferred number; fewer if compute units would have no block. 0 launches nothing. Arguments and
/// errors: weft_launch. WEFT_ERROR_LAUNCH_LIMIT: also a kernel that requires a block with rows.
WEFT_API WEFT_NODISCARD weft_status weft_launch_n(weft_kernel *kernel, int argument_count, const weft_arg *arguments);
/// weft_launch_2d(kernel, rows, columns, arguments...) launches `columns` threads or more along x and `rows` or more
/// along y, otherwise as weft_launch_n. The function takes rows and columns as arguments[0] and [1].
WEFT_API WEFT_NODISCARD weft_status weft_launch_2d(weft_kernel *kernel, int argument_count, const weft_arg *arguments);

/// What a kernel needs on its device.
typedef struct weft_occupancy {
  uint64_t block_threads;        /* as weft_launch_n chooses for many elements, or those given */
  uint64_t max_block_threads;    /* a block of this kernel has no more */
  uint64_t preferred_multiple;   /* block sizes should be multiples of it */
  uint64_t local_memory_bytes;   /* of a block, with .local_bytes */
  uint64_t private_memory_bytes; /* of a thread: arrays, and registers that the compiler moved to memory */
  uint32_t registers;            /* of a thread; 0: unknown */
  uint32_t compute_units;        /* of the device */
  uint32_t blocks_per_unit;      /* how many blocks a compute unit runs at once; 0: unknown */
  double occupancy;              /* their threads, as a share of the most that it holds; 0: unknown */
} weft_occupancy;

/// Options of weft_kernel_occupancy; zero is the default.
typedef struct weft_occupancy_params {
  uint64_t block_threads; /* 0: as weft_launch_n chooses */
  uint64_t local_bytes;   /* of WEFT_LOCAL arguments */
  const char *site;       /* set by the macro */
} weft_occupancy_params;

/// Describes a kernel's launch: weft_kernel_occupancy(&o, kernel, .block_threads = 512). On NVIDIA, registers and what
/// follows from them are known if the kernel was made with .options = "-cl-nv-verbose", which puts them into the
/// compiler's log. Errors: WEFT_ERROR_LAUNCH_LIMIT (the kernel cannot have such a block).
WEFT_API WEFT_NODISCARD weft_status weft_kernel_occupancy(weft_occupancy *out, const weft_kernel *kernel,
                                                          const weft_occupancy_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__launch_n_at(weft_kernel *kernel, int argument_count,
                                                      const weft_arg *arguments, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__launch_2d_at(weft_kernel *kernel, int argument_count,
                                                       const weft_arg *arguments, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__kernel_occupancy_at(weft_occupancy *out, const weft_kernel *kernel,
                                                              const weft_occupancy_params *params);
#define weft_kernel_occupancy(out, ...) \
  weft__kernel_occupancy_at((out), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_occupancy_params, __VA_ARGS__))

WEFT_END_DECLS

#ifdef __cplusplus
template <typename... Args>
inline weft_status weft__launch_n(weft_kernel *kernel, const char *site, Args... args) {
  const weft_arg list[] = {weft__arg_of(args)...};
  return weft__launch_n_at(kernel, static_cast<int>(sizeof...(args)), list, site);
}
template <typename... Args>
inline weft_status weft__launch_2d(weft_kernel *kernel, const char *site, Args... args) {
  const weft_arg list[] = {weft__arg_of(args)...};
  return weft__launch_2d_at(kernel, static_cast<int>(sizeof...(args)), list, site);
}
#define weft_launch_n(kernel, ...) weft__launch_n((kernel), WEFT_SITE, __VA_ARGS__)
#define weft_launch_2d(kernel, ...) weft__launch_2d((kernel), WEFT_SITE, __VA_ARGS__)
#else
#define WEFT__ARG_LIST(...)                           \
  (int)WEFT__COUNT(__VA_ARGS__), (const weft_arg[]) { \
    WEFT__MAP(WEFT_ARG, __VA_ARGS__)                  \
  }
#define weft_launch_n(kernel, ...) weft__launch_n_at((kernel), WEFT__ARG_LIST(__VA_ARGS__), WEFT_SITE)
#define weft_launch_2d(kernel, ...) weft__launch_2d_at((kernel), WEFT__ARG_LIST(__VA_ARGS__), WEFT_SITE)
#endif

#endif
