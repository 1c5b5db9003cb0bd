// SPDX-License-Identifier: MIT
/// Structs that the host and the kernels pass each other; both compilers read this file. The structs of one subject are
/// in cl/SUBJECT/args.h, each followed by WEFT__SHARED_SIZE. 64-bit members come first, so that there is no padding.
#ifndef WEFT_CL_SHARED_H
#define WEFT_CL_SHARED_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define WEFT__I64 long
#define WEFT__U64 ulong
#define WEFT__I32 int
#define WEFT__I8 char
#define WEFT__U32 uint
/// Asserts that the compiler put no padding into the struct.
#define WEFT__SHARED_SIZE(type, bytes) typedef char type##_has_its_size[sizeof(type) == (bytes) ? 1 : -1]
#else
#include <stdint.h>
#define WEFT__I64 int64_t
#define WEFT__U64 uint64_t
#define WEFT__I32 int32_t
#define WEFT__I8 int8_t
#define WEFT__U32 uint32_t
#define WEFT__SHARED_SIZE(type, bytes) \
  _Static_assert(sizeof(type) == (bytes), #type " has padding, or a size that its members do not say")
#endif

/// Elements of one or two arrays of equal shape, anywhere in their buffers. Offsets and strides are in bytes.
typedef struct weft__strided {
  WEFT__I64 size; /* elements */
  WEFT__I64 shape[8];
  WEFT__I64 to_stride[8];
  WEFT__I64 from_stride[8];
  WEFT__I64 to_offset;
  WEFT__I64 from_offset;
  WEFT__U64 value[2]; /* fills: the element's bytes */
  WEFT__I32 ndim;
  WEFT__I32 element_bytes;
  WEFT__U32 fills, unused; /* 1: stores `value`, and reads no array */
} weft__strided;
WEFT__SHARED_SIZE(weft__strided, 8 * 29 + 4 * 4);

/// A run of bytes to be filled. `pattern` is the content of each 16-byte aligned block of the buffer: 16 bytes for
/// every element size.
typedef struct weft__fill_run {
  WEFT__U64 begin; /* in bytes, from the start of the buffer */
  WEFT__U64 end;
  WEFT__U64 pattern[2];
} weft__fill_run;
WEFT__SHARED_SIZE(weft__fill_run, 8 * 4);

/// Which threads write a record.
typedef struct weft__record_window {
  WEFT__U64 first_block, block_count;
  WEFT__U64 first_thread, thread_count;
} weft__record_window;
WEFT__SHARED_SIZE(weft__record_window, 8 * 4);

/// 1: on NVIDIA look-back combines floats in the same order in every run; 0: in the order in which tiles are finished.
#define WEFT__LOOKBACK_FIXED 1

/// An argument of launches whose blocks exchange values (cl/lookback.clh).
typedef struct weft__lookback_use {
  WEFT__U32 first_ticket, epoch;
} weft__lookback_use;
WEFT__SHARED_SIZE(weft__lookback_use, 4 * 2);

/// An error that a kernel finds after the call that launched it has returned (cl/deferred.clh). 64-bit numbers are two
/// words, the low one first.
typedef struct weft__deferred_record {
  WEFT__U32 version; /* odd during a write */
  WEFT__U32 epoch;   /* launch of the last write */
  WEFT__U32 position[2], index[2];
  WEFT__U32 unused[2];
} weft__deferred_record;
WEFT__SHARED_SIZE(weft__deferred_record, 4 * 8);

#endif
