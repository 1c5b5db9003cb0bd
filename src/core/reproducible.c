// SPDX-License-Identifier: MIT
#include "core/reproducible.h"

#include "base/environment.h"

/* About the number of a large GPU. Reductions divide long rows into this many parts times a small number, so that CPUs
   have short parts, of the length that GPUs need. */
#define UNITS 128

weft_status weft__reproducible_begin(weft__core *core, const weft_context_params *params) {
  const weft__device *device = core->device;
  const bool divides_rounded = device->divides_rounded || device->quirks.unlisted_rounding;
  core->reproducible = params->reproducible || weft__environment_flag(WEFT__ENV_REPRODUCIBLE);
  if (!core->reproducible || (device->info.has_fp64 && divides_rounded && device->has_denormals)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_UNSUPPORTED, "reproducible",
                    "device %d, %s, %s; a reproducible context needs doubles, correctly rounded quotients of f32, and "
                    "denormals",
                    device->info.index, device->info.name,
                    !device->info.has_fp64 ? "has no doubles"
                    : !divides_rounded     ? "does not round quotients of f32 correctly"
                                           : "replaces denormals of f32 by 0");
}

uint64_t weft__grouping_units(const weft__core *core) {
  const uint64_t units = core->device->info.compute_units;
  if (core->reproducible) return UNITS;
  return units ? units : 1;
}
