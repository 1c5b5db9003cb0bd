// SPDX-License-Identifier: MIT
/// The registry of devices, and the reading of one device's properties.
#ifndef WEFT_CORE_DEVICE_H
#define WEFT_CORE_DEVICE_H

#include "core/quirks.h"
#include "ocl/driver.h"

typedef struct weft__device {
  weft_device_info info;
  weft__quirks quirks;
  weft__cl_platform platform;
  weft__cl_device id;
  bool has_ptx;                /* cl/warp.clh uses PTX */
  uint32_t capability;         /* NVIDIA's compute capability times 10: 90; 0: another vendor's device */
  _Atomic(bool) refuses_90a;   /* a program for sm_90a did not build (kernel/ptx.h) */
  bool imports_memory;         /* OpenCL takes memory of other APIs as file descriptors */
  bool takes_il;               /* programs of SPIR-V */
  bool has_uuid;               /* `uuid` is known */
  unsigned char uuid[16];      /* which CUDA has for the device too */
  bool divides_rounded;        /* -cl-fp32-correctly-rounded-divide-sqrt is supported */
  bool has_denormals;          /* f32 has denormals */
  _Atomic(uint64_t) copy_rate; /* bytes per second, measured by weft__copy_rate; 0: not measured yet */
  /* the strings that info points to, owned */
  char *text[6];
} weft__device;

/// The device with this id. If it is not registered (a sub-device, or one of a platform listed later), it is appended
/// permanently.
weft_status weft__device_of_id(weft__device **device, weft__cl_device id);
/// The device for a context of this thread: `selector`, else the thread's choice, else WEFT_DEVICE, else the best.
weft_status weft__device_choose(weft__device **device, const char *selector);

/// Fills `device` from the driver, with `index` as info.index. On failure nothing is kept.
weft_status weft__device_read(weft__device *device, weft__cl_device id, int index);

/// Whether a block can have local memory of `own` bytes of its kernel's and `given` bytes by arguments. Where a device
/// has more than it reports, for kernels alone, one that has built fits.
static inline bool weft__local_fits(const weft__device *of, uint64_t own, uint64_t given) {
  const uint64_t limit = of->info.local_memory_bytes;
  if (given == 0 && of->quirks.roomy_local && !of->quirks.small_local) return true;
  return own <= limit && given <= limit - own;
}

#endif
