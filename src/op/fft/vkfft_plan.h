// SPDX-License-Identifier: MIT
/// Plans of VkFFT, as plain data: the kernels' texts, the launches and the tables. VkFFT runs once to make a plan, on
/// stand-ins for the calls of OpenCL that it makes, which record what it would do. Nothing here touches the device: the
/// kernels are built and launched by Weft (vkfft.c), so that they pass through the pool, the order of streams, the
/// profile and the fault tests as all others do.
#ifndef WEFT_OP_FFT_VKFFT_PLAN_H
#define WEFT_OP_FFT_VKFFT_PLAN_H

#include "base/error.h"
#include "op/fft/fft.h"

#define WEFT__VKFFT_BUFFERS 64
#define WEFT__VKFFT_PROGRAMS 32
#define WEFT__VKFFT_LAUNCHES 32
#define WEFT__VKFFT_VALUES 6

/// The first buffers of a plan; VkFFT makes the others.
enum { WEFT__VKFFT_FROM = 0, WEFT__VKFFT_TO = 1, WEFT__VKFFT_OWN = 2 };

typedef struct weft__vkfft_request {
  weft__fft_kind kind;
  bool is_f64, inverse;
  bool scaled;                   /* by 1 / length; inverse transforms only */
  bool in_place;                 /* FROM and TO are the same memory; complex ones only */
  bool is_wide;                  /* positions need 64 bits */
  uint64_t batch, length, inner; /* inner is 1 for real ones */
} weft__vkfft_request;

/// NVIDIA's PCI vendor id.
#define WEFT__VKFFT_NVIDIA 0x10DE

/// The device as VkFFT asks for it.
typedef struct weft__vkfft_device {
  uint32_t vendor;
  uint64_t local_bytes, block_threads, max_block[3], max_grid[3];
} weft__vkfft_device;

/// An argument of a launch: a buffer, or a structure of two offsets: of the first and of the second argument, in
/// elements of element_bytes.
typedef struct weft__vkfft_value {
  int buffer; /* -1: the offsets */
  size_t size;
  uint64_t element_bytes[2]; /* 0: the buffer is VkFFT's own, and the offset is 0 */
} weft__vkfft_value;

typedef struct weft__vkfft_launch {
  int program;
  bool is_setup; /* runs once, when the plan is made: it fills tables */
  uint64_t grid[3], block[3];
  int values;
  weft__vkfft_value value[WEFT__VKFFT_VALUES];
} weft__vkfft_launch;

typedef struct weft__vkfft_buffer {
  uint64_t size_bytes;
  void *data;             /* its initial contents; NULL: none */
  bool in_setup, in_runs; /* launches that use it */
} weft__vkfft_buffer;

typedef struct weft__vkfft_plan {
  int programs, launches, buffers;
  char *program[WEFT__VKFFT_PROGRAMS]; /* texts, each with one kernel */
  weft__vkfft_launch launch[WEFT__VKFFT_LAUNCHES];
  weft__vkfft_buffer buffer[WEFT__VKFFT_BUFFERS];
  bool overwrites_from; /* the transform uses FROM as scratch */
} weft__vkfft_plan;

/// Makes a plan; *plan must be zeroed, and the caller clears it even after a failure. *made is false if VkFFT has no
/// plan for this transform, or is not part of this build. Errors: HOST_MEMORY.
weft_status weft__vkfft_plan_make(bool *made, weft__vkfft_plan *plan, const weft__vkfft_request *request,
                                  const weft__vkfft_device *device);
void weft__vkfft_plan_clear(weft__vkfft_plan *plan);

#endif
