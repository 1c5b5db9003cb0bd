// SPDX-License-Identifier: MIT
/// The registry of devices, and reading one device's properties.
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
  bool divides_rounded;        /* -cl-fp32-correctly-rounded-divide-sqrt may be asked for */
  _Atomic(uint64_t) copy_rate; /* bytes per second, of weft__copy_rate; 0: not measured yet */
  /* the texts behind info, owned */
  char *text[6];
} weft__device;

/// The one with this id, which may be a sub-device or of a platform listed later: then *device is a new one, appended
/// for good.
weft_status weft__device_of_id(weft__device **device, weft__cl_device id);
/// The device a context of this thread gets: `selector`, else the thread's, else WEFT_DEVICE, else the best.
weft_status weft__device_choose(weft__device **device, const char *selector);

/// Fills `device` from the driver. `index` is what info.index becomes. On failure nothing is kept.
weft_status weft__device_read(weft__device *device, weft__cl_device id, int index);

#endif
