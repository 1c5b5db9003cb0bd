// SPDX-License-Identifier: MIT
/// One device's properties, from the driver's answers and the quirk table.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "core/device.h"
#include "ocl/info.h"
#include "watch/nvml.h"

/// Vendor queries, by number so that no extension header is needed. Sources: cl_nv_device_attribute_query, cl_khr_pci_bus_info.
enum { WARP_SIZE_NV = 0x4003, PCI_BUS_NV = 0x4008, PCI_SLOT_NV = 0x4009, PCI_DOMAIN_NV = 0x400A, PCI_BUS_INFO_KHR = 0x410F };

/// CUDA's limits on a grid, which Weft keeps on every device.
#define MAX_GRID_X 2147483647u
#define MAX_GRID_YZ 65535u

enum { TEXT_NAME, TEXT_VENDOR, TEXT_PLATFORM, TEXT_OPENCL, TEXT_DRIVER, TEXT_EXTENSIONS };

static bool has_extension(const weft__device *device, const char *name) {
  size_t length = strlen(name);
  for (const char *p = device->text[TEXT_EXTENSIONS]; (p = strstr(p, name)); p += length)
    if (p[length] == 0 || p[length] == ' ') return true;
  return false;
}

static weft_device_type type_of(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return WEFT_DEVICE_TYPE_GPU;
  if (type & CL_DEVICE_TYPE_CPU) return WEFT_DEVICE_TYPE_CPU;
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return WEFT_DEVICE_TYPE_ACCELERATOR;
  return WEFT_DEVICE_TYPE_OTHER;
}

static weft_status read_texts(weft__device *device) {
  weft_status rc;
  cl_device_id id = device->id;
  if ((rc = weft__device_text(&device->text[TEXT_NAME], id, CL_DEVICE_NAME))) return rc;
  if ((rc = weft__device_text(&device->text[TEXT_VENDOR], id, CL_DEVICE_VENDOR))) return rc;
  if ((rc = weft__platform_text(&device->text[TEXT_PLATFORM], device->platform, CL_PLATFORM_NAME))) return rc;
  if ((rc = weft__device_text(&device->text[TEXT_OPENCL], id, CL_DEVICE_VERSION))) return rc;
  if ((rc = weft__device_text(&device->text[TEXT_DRIVER], id, CL_DRIVER_VERSION))) return rc;
  if ((rc = weft__device_text(&device->text[TEXT_EXTENSIONS], id, CL_DEVICE_EXTENSIONS))) return rc;
  weft_device_info *info = &device->info;
  info->name = device->text[TEXT_NAME];
  info->vendor = device->text[TEXT_VENDOR];
  info->platform = device->text[TEXT_PLATFORM];
  info->opencl_version = device->text[TEXT_OPENCL];
  info->driver_version = device->text[TEXT_DRIVER];
  return WEFT_OK;
}

/// By the extension for all vendors, else by NVIDIA's own (a slot is a device's number times 8 and a function's; older drivers know no
/// domain), else by WEFT_PCI_BUS_ID, for drivers that tell nothing.
static void read_pci_bus_id(weft__device *device) {
  struct {
    cl_uint domain, bus, device, function;
  } pci = {0};
  char *text = device->info.pci_bus_id;
  const size_t room = sizeof device->info.pci_bus_id;
  const char *given = getenv("WEFT_PCI_BUS_ID");
  cl_uint slot = 0;
  bool known = has_extension(device, "cl_khr_pci_bus_info") && weft__device_has_value(&pci, sizeof pci, device->id, PCI_BUS_INFO_KHR);
  if (!known && has_extension(device, "cl_nv_device_attribute_query")) {
    pci.domain = 0;
    known = weft__device_has_value(&pci.bus, sizeof pci.bus, device->id, PCI_BUS_NV) &&
            weft__device_has_value(&slot, sizeof slot, device->id, PCI_SLOT_NV);
    weft__device_has_value(&pci.domain, sizeof pci.domain, device->id, PCI_DOMAIN_NV);
    pci.device = slot >> 3;
    pci.function = slot & 7;
  }
  if (known)
    snprintf(text, room, "%04x:%02x:%02x.%x", pci.domain & 0xffffu, pci.bus & 0xffu, pci.device & 0xffu, pci.function & 0xfu);
  else if (given && strlen(given) < room)
    snprintf(text, room, "%s", given);
}

/// Reads a value every device has into a variable of OpenCL's type, and returns where that fails.
#define READ(variable, what) \
  if ((rc = weft__device_value(&variable, sizeof variable, device->id, what, #what))) return rc

static weft_status read_limits(weft__device *device) {
  weft_device_info *info = &device->info;
  size_t block_threads, block[3] = {1, 1, 1};
  cl_uint dimensions, address_bits;
  weft_status rc;
  READ(block_threads, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  READ(dimensions, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
  READ(address_bits, CL_DEVICE_ADDRESS_BITS);
  size_t *sizes = weft__new(dimensions * sizeof *sizes);
  if (!sizes) return WEFT_ERROR_HOST_MEMORY;
  rc = weft__device_value(sizes, dimensions * sizeof *sizes, device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, "CL_DEVICE_MAX_WORK_ITEM_SIZES");
  for (cl_uint i = 0; i < 3 && i < dimensions; i++) block[i] = sizes[i];
  free(sizes);
  if (rc) return rc;

  info->max_block_threads = block_threads;
  info->max_grid_blocks = UINT64_MAX;
  for (int i = 0; i < 3; i++) {
    info->max_block[i] = block[i] < block_threads ? block[i] : block_threads;
    info->max_grid[i] = i == 0 ? MAX_GRID_X : MAX_GRID_YZ;
  }
  weft__multiply_u64(&info->max_grid_blocks, (uint64_t)MAX_GRID_X * MAX_GRID_YZ, MAX_GRID_YZ);
  if (device->quirks.few_blocks) info->max_grid_blocks = UINT32_MAX;
  /* a 32-bit device counts work-items in 32 bits */
  if (address_bits < 64) info->max_grid_blocks = UINT32_MAX / info->max_block_threads;
  return WEFT_OK;
}

static weft_status read_properties(weft__device *device) {
  weft_device_info *info = &device->info;
  cl_device_type type;
  cl_uint units, clock_mhz, align_bits, warp = 1;
  cl_ulong memory, allocation, local;
  cl_bool unified;
  cl_device_fp_config fp64;
  weft_status rc;
  READ(type, CL_DEVICE_TYPE);
  READ(units, CL_DEVICE_MAX_COMPUTE_UNITS);
  READ(clock_mhz, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  READ(memory, CL_DEVICE_GLOBAL_MEM_SIZE);
  READ(allocation, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  READ(local, CL_DEVICE_LOCAL_MEM_SIZE);
  READ(align_bits, CL_DEVICE_MEM_BASE_ADDR_ALIGN);
  READ(unified, CL_DEVICE_HOST_UNIFIED_MEMORY);
  READ(fp64, CL_DEVICE_DOUBLE_FP_CONFIG);
  info->type = type_of(type);
  if ((rc = weft__quirks_find(&device->quirks, info->platform, info->type))) return rc;
  const weft__quirks *quirks = &device->quirks;

  if (has_extension(device, "cl_nv_device_attribute_query")) weft__device_has_value(&warp, sizeof warp, device->id, WARP_SIZE_NV);
  info->is_discrete = info->type == WEFT_DEVICE_TYPE_GPU && !unified;
  info->compute_units = units;
  info->clock_mhz = clock_mhz;
  info->warp_size = warp;
  info->memory_size_bytes = memory;
  info->max_allocation_bytes = allocation;
  info->allocation_is_hint = quirks->allocation_is_hint;
  info->local_memory_bytes = quirks->small_local && local > 4096 ? 4096 : local;
  info->address_align_bytes = align_bits / 8 ? align_bits / 8 : 1;
  info->has_fp16 = has_extension(device, "cl_khr_fp16") || quirks->unlisted_fp16;
  info->has_fp64 = fp64 != 0 && !quirks->no_fp64;
  info->has_int64_atomics = has_extension(device, "cl_khr_int64_base_atomics") && !quirks->no_int64_atomics;
  device->has_ptx = has_extension(device, "cl_nv_pragma_unroll"); /* the kernels test its macro */
  read_pci_bus_id(device);
  if (strstr(info->vendor, "NVIDIA") && info->pci_bus_id[0]) info->memory_bandwidth = weft__nvml_bandwidth(info->pci_bus_id);
  return read_limits(device);
}

weft_status weft__device_read(weft__device *device, cl_platform_id platform, cl_device_id id, int index) {
  *device = (weft__device){.platform = platform, .id = id, .info.index = index};
  weft_status rc = read_texts(device);
  if (rc == WEFT_OK) rc = read_properties(device);
  if (rc == WEFT_OK) return WEFT_OK;
  weft__while(rc, "reading the properties of device %d", index);
  for (size_t i = 0; i < sizeof device->text / sizeof *device->text; i++) free(device->text[i]);
  *device = (weft__device){0};
  return rc;
}
