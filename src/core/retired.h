// SPDX-License-Identifier: MIT
/// Kernels that were released while launches of them may be under way, for drivers that need them until then (quirk
/// late_release).
#ifndef WEFT_CORE_RETIRED_H
#define WEFT_CORE_RETIRED_H

#include <pthread.h>

#include "ocl/driver.h"

enum {
  WEFT__RETIRED_BATCH = 256 /* kernels that are marked at once, at the least */
};

typedef struct weft__retired {
  pthread_mutex_t lock;
  uint64_t released; /* so far: the number of kernel[0] */
  int count, room;
  weft__cl_kernel *kernel;
  int marked; /* the launches of the first ones are done once all marks are */
  int marks;
  weft__cl_event *mark; /* room for one of each slot */
} weft__retired;

void weft__retired_init(weft__retired *r);
/// Frees the lists. All kernels must have been released.
void weft__retired_destroy(weft__retired *r);
/// The number of the next kernel.
uint64_t weft__retired_so_far(weft__retired *r);
/// Releases the kernels below number `until`, whose launches are done.
void weft__retired_release(weft__retired *r, uint64_t until);

#endif
