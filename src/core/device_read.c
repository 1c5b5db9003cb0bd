// SPDX-License-Identifier: MIT
/// One device's properties, from the driver's data and the quirk table.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/environment.h"
#include "core/device.h"
#include "machine/nvml.h"
#include "ocl/codes.h"

/// CUDA's limits of a grid. Weft applies them on every device.
#define MAX_GRID_X 2147483647u
#define MAX_GRID_YZ 65535u

enum { TEXT_NAME, TEXT_VENDOR, TEXT_PLATFORM, TEXT_OPENCL, TEXT_DRIVER, TEXT_EXTENSIONS };

static bool has_extension(const weft__device *device, const char *name) {
  size_t length = strlen(name);
  for (const char *p = device->text[TEXT_EXTENSIONS]; (p = strstr(p, name)); p += length)
    if (p[length] == 0 || p[length] == ' ') return true;
  return false;
}

static weft_status read_text(weft__device *device, int text) {
  static const weft__text_kind kind[] = {
      [TEXT_NAME] = WEFT__TEXT_DEVICE_NAME,       [TEXT_VENDOR] = WEFT__TEXT_DEVICE_VENDOR,
      [TEXT_PLATFORM] = WEFT__TEXT_PLATFORM_NAME, [TEXT_OPENCL] = WEFT__TEXT_DEVICE_VERSION,
      [TEXT_DRIVER] = WEFT__TEXT_DRIVER_VERSION,  [TEXT_EXTENSIONS] = WEFT__TEXT_EXTENSIONS,
  };
  const weft__text_of of = {.kind = kind[text], .platform = device->platform, .device = device->id};
  int code = weft__driver_text(&device->text[text], &of);
  return code ? weft__cl_fail(code, text == TEXT_PLATFORM ? "clGetPlatformInfo" : "clGetDeviceInfo") : WEFT_OK;
}

/// From the driver, else from WEFT_PCI_BUS_ID, for drivers that do not report it.
static void set_pci_bus_id(weft__device *device, const weft__device_facts *facts) {
  char *text = device->info.pci_bus_id;
  const size_t room = sizeof device->info.pci_bus_id;
  const char *given = weft__environment_text(WEFT__ENV_PCI_BUS_ID);
  const uint32_t *pci = facts->pci;
  if (facts->has_pci)
    snprintf(text, room, "%04x:%02x:%02x.%x", pci[0] & 0xffffu, pci[1] & 0xffu, pci[2] & 0xffu, pci[3] & 0xfu);
  else if (given && strlen(given) < room)
    snprintf(text, room, "%s", given);
}

static void set_limits(weft__device *device, const weft__device_facts *facts) {
  weft_device_info *info = &device->info;
  info->max_block_threads = facts->max_block_threads;
  info->max_grid_blocks = UINT64_MAX;
  for (int i = 0; i < 3; i++) {
    info->max_block[i] =
        facts->max_block[i] < facts->max_block_threads ? facts->max_block[i] : facts->max_block_threads;
    info->max_grid[i] = i == 0 ? MAX_GRID_X : MAX_GRID_YZ;
  }
  weft__multiply_u64(&info->max_grid_blocks, (uint64_t)MAX_GRID_X * MAX_GRID_YZ, MAX_GRID_YZ);
  if (device->quirks.few_blocks) info->max_grid_blocks = UINT32_MAX;
  /* a 32-bit device counts work-items in 32 bits */
  if (facts->address_bits < 64) info->max_grid_blocks = UINT32_MAX / info->max_block_threads;
}

static void set_properties(weft__device *device, const weft__device_facts *facts) {
  weft_device_info *info = &device->info;
  const weft__quirks *quirks = &device->quirks;
  info->is_discrete = info->type == WEFT_DEVICE_TYPE_GPU && !facts->unified_memory;
  info->compute_units = facts->compute_units;
  info->clock_mhz = facts->clock_mhz;
  info->warp_size = facts->warp_size;
  info->memory_size_bytes = facts->memory_size_bytes;
  info->max_allocation_bytes = facts->max_allocation_bytes;
  info->allocation_is_hint = quirks->allocation_is_hint;
  info->local_memory_bytes = quirks->small_local && facts->local_memory_bytes > 4096 ? 4096 : facts->local_memory_bytes;
  info->has_images = facts->has_images && !quirks->no_images;
  for (int d = 0; d < 3 && info->has_images; d++) {
    if (d < 2) info->max_image_2d[d] = facts->max_image_2d[d];
    info->max_image_3d[d] = facts->max_image_3d[d];
    info->max_image_layers = facts->max_image_layers;
  }
  info->address_align_bytes = facts->address_align_bits / 8 ? facts->address_align_bits / 8 : 1;
  info->has_fp16 = has_extension(device, "cl_khr_fp16") || quirks->unlisted_fp16;
  info->has_fp64 = facts->has_fp64 && !quirks->no_fp64;
  info->has_int64_atomics = has_extension(device, "cl_khr_int64_base_atomics") && !quirks->no_int64_atomics;
  device->has_ptx = has_extension(device, "cl_nv_pragma_unroll"); /* the kernels test for the macro of this extension */
  device->capability = device->has_ptx ? facts->capability : 0;
  device->divides_rounded = facts->divides_rounded;
  device->has_denormals = facts->has_denormals;
  device->imports_memory = facts->imports_memory && !quirks->no_imports;
  device->takes_il = facts->takes_il;
  device->has_uuid = facts->has_uuid;
  memcpy(device->uuid, facts->uuid, sizeof device->uuid);
  set_pci_bus_id(device, facts);
  if (strstr(info->vendor, "NVIDIA") && info->pci_bus_id[0])
    info->memory_bandwidth = weft__nvml_bandwidth(info->pci_bus_id);
  set_limits(device, facts);
}

weft_status weft__device_read(weft__device *device, weft__cl_device id, int index) {
  weft__device_facts facts;
  weft_device_info *info = &device->info;
  weft_status rc;
  *device = (weft__device){.id = id, .info.index = index};
  WEFT__TRY(read_text(device, TEXT_EXTENSIONS));
  int code = weft__driver->device_facts(&facts, id, device->text[TEXT_EXTENSIONS]);
  if (code) {
    rc = weft__while(weft__cl_fail(code, "clGetDeviceInfo"), "asking the device for %s", facts.asked);
    goto done;
  }
  device->platform = facts.platform;
  for (int t = 0; t < TEXT_EXTENSIONS; t++) WEFT__TRY(read_text(device, t));
  info->type = facts.type;
  info->name = device->text[TEXT_NAME];
  info->vendor = device->text[TEXT_VENDOR];
  info->platform = device->text[TEXT_PLATFORM];
  info->opencl_version = device->text[TEXT_OPENCL];
  info->driver_version = device->text[TEXT_DRIVER];
  WEFT__TRY(weft__quirks_find(&device->quirks, info->platform, info->type));
  set_properties(device, &facts);
done:
  if (rc == WEFT_OK) return WEFT_OK;
  weft__while(rc, "reading the properties of device %d", index);
  for (size_t i = 0; i < sizeof device->text / sizeof *device->text; i++) free(device->text[i]);
  *device = (weft__device){0};
  return rc;
}
