// SPDX-License-Identifier: MIT
/// Families: the kernels of one embedded file for one choice of dtypes and options, built in one program when first asked for and kept in
/// the context. What the primitives (reduce, scan, sort, ...) are made of, as functions over arrays are made of plans.
///
/// A kernel of a family takes one structure by value, the same text on both sides or plain words, then buffers without offsets: where an array
/// begins in its buffer is a member of the structure, in bytes.
#ifndef WEFT_STORE_FAMILY_H
#define WEFT_STORE_FAMILY_H

#include "map/plan.h"

#define WEFT__FAMILY_KERNELS 10
#define WEFT__FAMILY_BUFFERS 26

/// What is to be built.
typedef struct weft__family_source {
  const char *name;          /* for messages and the trace: "sort" */
  const char *file;          /* in cl/: "sort/gpu.cl" */
  const char *const *kernel; /* names of the kernels in the file that are wanted, `kernels` of them */
  int kernels;
  const void *key; /* what distinguishes it from other families of this file: compared as bytes, so no padding inside */
  size_t key_size;
  void (*write)(weft__text *text, const void *data); /* what goes in front of the file's text: #define lines, functions; may be NULL */
  const void *data;                                  /* for write; NULL: key */
} weft__family_source;

typedef struct weft__family {
  struct weft__family *next;
  size_t key_size;
  const unsigned char *key;
  weft__kernel kernel[WEFT__FAMILY_KERNELS];
  int kernels;
} weft__family;

/// The family's kernels, in the order of source->kernel. They live as long as the context. fp64 is enabled where the device has it, and
/// contraction off; WEFT_CPU, WEFT_FP64 are defined as for plans, and WEFT_DEVICE_SCOPE where weft__device_scope holds.
weft_status weft__family_get(weft__kernel **kernels, weft_context *context, const weft__family_source *source);

/// Launches a kernel of a family: `arguments`, then the buffers in their order. `what` is for the usage and the trace ("sum"); a literal or
/// interned. Work is ordered with all other work on the buffers. Does not block.
weft_status weft__family_run(weft_context *context, weft__kernel *kernel, weft_dim3 grid, weft_dim3 block, const void *arguments,
                             size_t argument_bytes, int uses, const weft__use *use, const char *what, const char *site);

/// Part of a context's plans.
void weft__families_close(weft__plans *plans);
void weft__families_destroy(weft__plans *plans);

/// Whether the primitives' CPU texts are taken: on CPUs, unless the quirk gpu_kernels says otherwise.
weft_status weft__is_cpu(bool *is_cpu, weft_context *context);
/// Whether groups of a launch can talk to each other: device-scope loads and stores (PTX on NVIDIA) or 64-bit atomics, and groups that were
/// started make progress. Where it is false, single-pass kernels are not to be used.
bool weft__device_scope(const weft_context *context);

#endif
