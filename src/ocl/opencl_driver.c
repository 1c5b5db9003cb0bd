// SPDX-License-Identifier: MIT
/// The table of OpenCL's functions. It calls them directly; core's quirks work around errors of drivers.
#include <string.h>

#include "base/log.h"
#include "ocl/driver.h"
#include "ocl/opencl_calls.h"
#include "ocl/opencl_image.h"

/* of OpenCL 2.0, missing in older headers */
#define ARG_TYPE_PIPE (1 << 3)

/// Vendor queries, by number so that no extension header is needed. Sources: cl_nv_device_attribute_query,
/// cl_khr_pci_bus_info,
/// cl_khr_device_uuid, cl_khr_external_memory.
enum {
  CAPABILITY_MAJOR_NV = 0x4000,
  CAPABILITY_MINOR_NV = 0x4001,
  WARP_SIZE_NV = 0x4003,
  PCI_BUS_NV = 0x4008,
  PCI_SLOT_NV = 0x4009,
  PCI_DOMAIN_NV = 0x400A,
  PCI_BUS_INFO_KHR = 0x410F,
  UUID_KHR = 0x106A,
  IL_VERSION = 0x105B,
  IMPORT_TYPES_KHR = 0x204F
};

/// A file descriptor as external memory. Source: cl_khr_external_memory_opaque_fd.
enum { OPAQUE_FILE_KHR = 0x2060 };

enum { PLATFORM_NOT_FOUND_KHR = -1001 };

_Static_assert(WEFT__CL_OUT_OF_DEVICE_MEMORY == CL_MEM_OBJECT_ALLOCATION_FAILURE &&
                   WEFT__CL_OUT_OF_RESOURCES == CL_OUT_OF_RESOURCES &&
                   WEFT__CL_OUT_OF_HOST_MEMORY == CL_OUT_OF_HOST_MEMORY && WEFT__CL_MAP_FAILURE == CL_MAP_FAILURE &&
                   WEFT__CL_INVALID_WORK_GROUP_SIZE == CL_INVALID_WORK_GROUP_SIZE &&
                   WEFT__CL_INVALID_ARG_SIZE == CL_INVALID_ARG_SIZE &&
                   WEFT__CL_INVALID_BUFFER_SIZE == CL_INVALID_BUFFER_SIZE,
               "the codes are OpenCL's");

/* ---- devices ---- */

static int platforms(weft__cl_platform *out, uint32_t room, uint32_t *count) {
  cl_uint found = 0;
  if (!weft__opencl_load()) {
    weft__log(WEFT_LOG_WARNING, "%s", weft__opencl_problem());
    return WEFT__CL_NO_LOADER;
  }
  cl_int code = CL(clGetPlatformIDs)(room, out, &found);
  if (code != CL_SUCCESS && code != PLATFORM_NOT_FOUND_KHR) return code;
  *count = found;
  return 0;
}

static int devices(weft__cl_device *out, uint32_t room, uint32_t *count, weft__cl_platform platform) {
  cl_uint found = 0;
  cl_int code = CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, room, out, &found);
  if (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND) return code;
  *count = found;
  return 0;
}

static weft_device_type type_of(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return WEFT_DEVICE_TYPE_GPU;
  if (type & CL_DEVICE_TYPE_CPU) return WEFT_DEVICE_TYPE_CPU;
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return WEFT_DEVICE_TYPE_ACCELERATOR;
  return WEFT_DEVICE_TYPE_OTHER;
}

static bool knows(void *value, size_t size_bytes, weft__cl_device device, cl_device_info what) {
  return CL(clGetDeviceInfo)(device, what, size_bytes, value, NULL) == CL_SUCCESS;
}

/// Reads the PCI address through the vendor-neutral extension, else through NVIDIA's: a slot is device * 8 + function,
/// and older drivers do not report the domain.
static void read_pci(weft__device_facts *facts, weft__cl_device device, bool has_pci_info, bool is_nvidia) {
  cl_uint pci[4] = {0}, slot = 0; /* domain, bus, device, function */
  facts->has_pci = has_pci_info && knows(pci, sizeof pci, device, PCI_BUS_INFO_KHR);
  if (!facts->has_pci && is_nvidia) {
    pci[0] = 0;
    facts->has_pci =
        knows(&pci[1], sizeof pci[1], device, PCI_BUS_NV) && knows(&slot, sizeof slot, device, PCI_SLOT_NV);
    knows(&pci[0], sizeof pci[0], device, PCI_DOMAIN_NV);
    pci[2] = slot >> 3;
    pci[3] = slot & 7;
  }
  for (int i = 0; i < 4; i++) facts->pci[i] = pci[i];
}

static uint32_t read_capability(weft__cl_device device) {
  cl_uint major = 0, minor = 0;
  const bool is_known = knows(&major, sizeof major, device, CAPABILITY_MAJOR_NV) &&
                        knows(&minor, sizeof minor, device, CAPABILITY_MINOR_NV);
  return is_known ? major * 10 + minor : 0;
}

/// Whether the device takes programs in SPIR-V.
static bool takes_il(weft__cl_device device) {
  char versions[256] = "";
  return knows(versions, sizeof versions - 1, device, IL_VERSION) && strstr(versions, "SPIR-V") &&
         weft__opencl_optional("clCreateProgramWithIL");
}

/// Whether the device takes memory of other APIs as file descriptors.
static bool imports_memory(weft__cl_device device) {
  cl_uint types[16] = {0};
  size_t size_bytes = 0;
  if (CL(clGetDeviceInfo)(device, IMPORT_TYPES_KHR, sizeof types, types, &size_bytes) != CL_SUCCESS) return false;
  for (size_t i = 0; i < size_bytes / sizeof *types; i++)
    if (types[i] == OPAQUE_FILE_KHR) return weft__opencl_optional("clCreateBufferWithProperties") != NULL;
  return false;
}

/// Reads a value that every device has, into a variable of OpenCL's type. Returns from the function on failure.
#define ASK(variable, what)                                                            \
  do {                                                                                 \
    facts->asked = #what;                                                              \
    cl_int code = CL(clGetDeviceInfo)(device, what, sizeof variable, &variable, NULL); \
    if (code != CL_SUCCESS) return code;                                               \
  } while (0)

static int device_facts(weft__device_facts *facts, weft__cl_device device, const char *extensions) {
  cl_device_type type;
  cl_uint align_bits, dimensions;
  cl_bool unified;
  cl_device_fp_config fp32, fp64;
  size_t sizes[64];
  *facts = (weft__device_facts){.warp_size = 1};
  ASK(facts->platform, CL_DEVICE_PLATFORM);
  ASK(type, CL_DEVICE_TYPE);
  ASK(facts->compute_units, CL_DEVICE_MAX_COMPUTE_UNITS);
  ASK(facts->clock_mhz, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  ASK(facts->memory_size_bytes, CL_DEVICE_GLOBAL_MEM_SIZE);
  ASK(facts->max_allocation_bytes, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  ASK(facts->local_memory_bytes, CL_DEVICE_LOCAL_MEM_SIZE);
  ASK(align_bits, CL_DEVICE_MEM_BASE_ADDR_ALIGN);
  ASK(unified, CL_DEVICE_HOST_UNIFIED_MEMORY);
  ASK(fp64, CL_DEVICE_DOUBLE_FP_CONFIG);
  ASK(fp32, CL_DEVICE_SINGLE_FP_CONFIG);
  ASK(facts->max_block_threads, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  ASK(dimensions, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
  ASK(facts->address_bits, CL_DEVICE_ADDRESS_BITS);
  ASK(sizes, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  for (cl_uint i = 0; i < 3; i++) facts->max_block[i] = i < dimensions ? sizes[i] : 1;
  facts->type = type_of(type);
  facts->address_align_bits = align_bits;
  facts->unified_memory = unified;
  facts->has_fp64 = fp64 != 0;
  facts->divides_rounded = (fp32 & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  facts->has_denormals = (fp32 & CL_FP_DENORM) != 0;
  bool is_nvidia = strstr(extensions, "cl_nv_device_attribute_query") != NULL;
  if (is_nvidia) knows(&facts->warp_size, sizeof facts->warp_size, device, WARP_SIZE_NV);
  if (is_nvidia) facts->capability = read_capability(device);
  facts->imports_memory = imports_memory(device);
  facts->takes_il = takes_il(device);
  weft__opencl_image_facts(facts, device);
  facts->has_uuid = knows(facts->uuid, sizeof facts->uuid, device, UUID_KHR);
  read_pci(facts, device, strstr(extensions, "cl_khr_pci_bus_info") != NULL, is_nvidia);
  return 0;
}

static int kernel_names(char *room, size_t room_bytes, size_t *size_bytes, weft__cl_program program) {
  size_t count = 0;
  *size_bytes = 0;
  cl_int code = CL(clGetProgramInfo)(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);
  /* NVIDIA's driver (580.159) crashes if a program without kernels is queried for their names */
  return code || !count ? code : CL(clGetProgramInfo)(program, CL_PROGRAM_KERNEL_NAMES, room_bytes, room, size_bytes);
}

/// The binary of a program that was built for one device, as a text.
static int program_code(char *room, size_t room_bytes, size_t *size_bytes, weft__cl_program program) {
  size_t size = 0;
  cl_int rc = CL(clGetProgramInfo)(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
  *size_bytes = size + 1;
  if (rc || !room) return rc;
  if (room_bytes <= size) return CL_INVALID_VALUE;
  room[size] = 0;
  return CL(clGetProgramInfo)(program, CL_PROGRAM_BINARIES, sizeof room, &room, NULL);
}

static int text(char *room, size_t room_bytes, size_t *size_bytes, const weft__text_of *of) {
  static const cl_uint what[] = {
      [WEFT__TEXT_PLATFORM_NAME] = CL_PLATFORM_NAME,         [WEFT__TEXT_DEVICE_NAME] = CL_DEVICE_NAME,
      [WEFT__TEXT_DEVICE_VENDOR] = CL_DEVICE_VENDOR,         [WEFT__TEXT_DEVICE_VERSION] = CL_DEVICE_VERSION,
      [WEFT__TEXT_DRIVER_VERSION] = CL_DRIVER_VERSION,       [WEFT__TEXT_EXTENSIONS] = CL_DEVICE_EXTENSIONS,
      [WEFT__TEXT_BUILD_LOG] = CL_PROGRAM_BUILD_LOG,         [WEFT__TEXT_KERNEL_NAMES] = CL_PROGRAM_KERNEL_NAMES,
      [WEFT__TEXT_PARAMETER_TYPE] = CL_KERNEL_ARG_TYPE_NAME, [WEFT__TEXT_PARAMETER_NAME] = CL_KERNEL_ARG_NAME,
      [WEFT__TEXT_PLATFORM_VERSION] = CL_PLATFORM_VERSION,
  };
  switch (of->kind) {
    case WEFT__TEXT_PLATFORM_NAME:
    case WEFT__TEXT_PLATFORM_VERSION:
      return CL(clGetPlatformInfo)(of->platform, what[of->kind], room_bytes, room, size_bytes);
    case WEFT__TEXT_BUILD_LOG:
      return CL(clGetProgramBuildInfo)(of->program, of->device, what[of->kind], room_bytes, room, size_bytes);
    case WEFT__TEXT_KERNEL_NAMES:
      return kernel_names(room, room_bytes, size_bytes, of->program);
    case WEFT__TEXT_CODE:
      return program_code(room, room_bytes, size_bytes, of->program);
    case WEFT__TEXT_PARAMETER_TYPE:
    case WEFT__TEXT_PARAMETER_NAME:
      return CL(clGetKernelArgInfo)(of->kernel, of->index, what[of->kind], room_bytes, room, size_bytes);
    default:
      return CL(clGetDeviceInfo)(of->device, what[of->kind], room_bytes, room, size_bytes);
  }
}

/* ---- contexts and queues ---- */

static void CL_CALLBACK driver_says(const char *words, const void *data, size_t size, void *user) {
  (void)data;
  (void)size;
  (void)user;
  weft__log(WEFT_LOG_INFO, "driver: %s", words);
}

static int context_create(weft__cl_context *out, weft__cl_platform platform, weft__cl_device device) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
  cl_int code;
  *out = CL(clCreateContext)(properties, 1, &device, driver_says, NULL, &code);
  WEFT__ANSWER(code);
}

static int queue_create(weft__cl_queue *out, weft__cl_context context, weft__cl_device device, bool records_times) {
  cl_int code;
  *out = CL(clCreateCommandQueue)(context, device, records_times ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
  WEFT__ANSWER(code);
}

static int queue_info(weft__queue_info *info, weft__cl_queue queue) {
  cl_command_queue_properties properties = 0;
  if (!weft__opencl_load()) return WEFT__CL_NO_LOADER; /* a foreign queue: nobody has asked for the platforms yet */
  cl_int code = CL(clGetCommandQueueInfo)(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &info->context, NULL);
  if (code == CL_SUCCESS)
    code = CL(clGetCommandQueueInfo)(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &info->device, NULL);
  if (code == CL_SUCCESS)
    code = CL(clGetCommandQueueInfo)(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
  info->out_of_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  info->records_times = properties & CL_QUEUE_PROFILING_ENABLE;
  return code;
}

// clang-format off
/// Calls the function of each kind of object: clRetain..., clRelease...
#define BY_KIND(call)                                          \
  switch (kind) {                                              \
    case WEFT__CL_CONTEXT: return CL(call##Context)(object);       \
    case WEFT__CL_QUEUE: return CL(call##CommandQueue)(object);    \
    case WEFT__CL_MEM: return CL(call##MemObject)(object);         \
    case WEFT__CL_PROGRAM: return CL(call##Program)(object);       \
    case WEFT__CL_KERNEL: return CL(call##Kernel)(object);         \
    case WEFT__CL_SAMPLER: return CL(call##Sampler)(object);       \
    default: return CL(call##Event)(object);                       \
  }
// clang-format on

static int flush(weft__cl_queue queue) {
  return CL(clFlush)(queue);
}

static int finish(weft__cl_queue queue) {
  return CL(clFinish)(queue);
}

static int retain(weft__cl_kind kind, void *object) {
  BY_KIND(clRetain)
}

static int release(weft__cl_kind kind, void *object) {
  BY_KIND(clRelease)
}

/* ---- memory ---- */

/// clCreateBufferWithProperties of OpenCL 3.0, which older headers lack.
typedef cl_mem create_with_properties(cl_context, const cl_ulong *, cl_mem_flags, size_t, void *, cl_int *);

static int buffer_import(weft__cl_mem *out, weft__cl_context context, const weft__buffer_params *params) {
  const cl_ulong properties[] = {OPAQUE_FILE_KHR, (cl_ulong)params->file, 0};
  cl_int code = CL_INVALID_OPERATION;
  create_with_properties *create = NULL;
  *(void **)&create = weft__opencl_optional("clCreateBufferWithProperties");
  *out = create ? create(context, properties, CL_MEM_READ_WRITE, params->size_bytes, NULL, &code) : NULL;
  WEFT__ANSWER(code);
}

static int buffer_create(weft__cl_mem *out, weft__cl_context context, const weft__buffer_params *params) {
  static const cl_mem_flags flags[] = {
      [WEFT__BUFFER_PLAIN] = 0,
      [WEFT__BUFFER_COPIED] = CL_MEM_COPY_HOST_PTR,
      [WEFT__BUFFER_PINNED] = CL_MEM_ALLOC_HOST_PTR,
      [WEFT__BUFFER_AROUND] = CL_MEM_USE_HOST_PTR,
  };
  cl_int code;
  if (params->kind == WEFT__BUFFER_IMPORTED) return buffer_import(out, context, params);
  cl_mem_flags access = params->read_only ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
  *out = CL(clCreateBuffer)(context, flags[params->kind] | access, params->size_bytes, params->host, &code);
  WEFT__ANSWER(code);
}

static int sub_buffer_create(weft__cl_mem *out, weft__cl_mem mem, bool read_only, uint64_t offset_bytes,
                             uint64_t size_bytes) {
  const cl_buffer_region region = {offset_bytes, size_bytes};
  cl_int code;
  *out = CL(clCreateSubBuffer)(mem, read_only ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                               &region, &code);
  WEFT__ANSWER(code);
}

static int mem_info(weft__mem_info *info, weft__cl_mem mem) {
  cl_mem_object_type type = 0;
  cl_mem_flags flags = 0;
  cl_int code = CL(clGetMemObjectInfo)(mem, CL_MEM_TYPE, sizeof type, &type, NULL);
  if (code == CL_SUCCESS) code = CL(clGetMemObjectInfo)(mem, CL_MEM_CONTEXT, sizeof(cl_context), &info->context, NULL);
  if (code == CL_SUCCESS)
    code = CL(clGetMemObjectInfo)(mem, CL_MEM_SIZE, sizeof info->size_bytes, &info->size_bytes, NULL);
  if (code == CL_SUCCESS) code = CL(clGetMemObjectInfo)(mem, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
  if (code == CL_SUCCESS)
    code = CL(clGetMemObjectInfo)(mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof info->whole, &info->whole, NULL);
  if (code == CL_SUCCESS)
    code = CL(clGetMemObjectInfo)(mem, CL_MEM_OFFSET, sizeof info->begin_bytes, &info->begin_bytes, NULL);
  info->is_buffer = type == CL_MEM_OBJECT_BUFFER;
  info->read_only = flags & CL_MEM_READ_ONLY;
  info->write_only = flags & CL_MEM_WRITE_ONLY;
  return code;
}

/* ---- programs and kernels ---- */

static int program_create(weft__cl_program *out, weft__cl_context context, const char *source) {
  cl_int code;
  *out = CL(clCreateProgramWithSource)(context, 1, &source, NULL, &code);
  WEFT__ANSWER(code);
}

typedef cl_program CL_API_CALL create_with_il(cl_context, const void *, size_t, cl_int *);

/// clCreateProgramWithIL of OpenCL 2.1, which older loaders lack.
static create_with_il *find_create_with_il(void) {
  create_with_il *create;
  *(void **)&create = weft__opencl_optional("clCreateProgramWithIL");
  return create;
}

static int program_load(weft__cl_program *out, weft__cl_context context, weft__cl_device device, const void *code_bytes,
                        size_t size, bool is_il) {
  cl_int code, state = CL_SUCCESS;
  const unsigned char *bytes = code_bytes;
  if (is_il) {
    create_with_il *create = find_create_with_il();
    *out = create ? create(context, bytes, size, &code) : NULL;
    if (!create) code = CL_INVALID_OPERATION;
    WEFT__ANSWER(code);
  }
  *out = CL(clCreateProgramWithBinary)(context, 1, &device, &size, &bytes, &state, &code);
  WEFT__ANSWER(code);
}

static int program_build(weft__cl_program program, weft__cl_device device, const char *options) {
  return CL(clBuildProgram)(program, 1, &device, options, NULL, NULL);
}

static int kernel_create(weft__cl_kernel *out, weft__cl_program program, const char *name) {
  cl_int code;
  *out = CL(clCreateKernel)(program, name, &code);
  WEFT__ANSWER(code);
}

static int kernel_limits(weft__kernel_limits *l, weft__cl_kernel kernel, weft__cl_device device) {
  cl_int code = CL(clGetKernelInfo)(kernel, CL_KERNEL_NUM_ARGS, sizeof l->parameters, &l->parameters, NULL);
#define AND_ASK(member, what) \
  if (code == CL_SUCCESS) code = CL(clGetKernelWorkGroupInfo)(kernel, device, what, sizeof l->member, &l->member, NULL)
  AND_ASK(max_block_threads, CL_KERNEL_WORK_GROUP_SIZE);
  AND_ASK(preferred_multiple, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  AND_ASK(required_block, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
  AND_ASK(local_memory_bytes, CL_KERNEL_LOCAL_MEM_SIZE);
  AND_ASK(private_memory_bytes, CL_KERNEL_PRIVATE_MEM_SIZE);
  return code;
}

static int parameter_info(weft__parameter_info *info, weft__cl_kernel kernel, uint32_t index) {
  cl_kernel_arg_address_qualifier address = 0;
  cl_kernel_arg_access_qualifier access = 0;
  cl_kernel_arg_type_qualifier type = 0;
  cl_int code = CL(clGetKernelArgInfo)(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL);
  if (code == CL_SUCCESS)
    code = CL(clGetKernelArgInfo)(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL);
  if (code == CL_SUCCESS)
    code = CL(clGetKernelArgInfo)(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, NULL);
  info->space = address == CL_KERNEL_ARG_ADDRESS_LOCAL      ? WEFT__SPACE_LOCAL
                : address == CL_KERNEL_ARG_ADDRESS_GLOBAL   ? WEFT__SPACE_GLOBAL
                : address == CL_KERNEL_ARG_ADDRESS_CONSTANT ? WEFT__SPACE_CONSTANT
                                                            : WEFT__SPACE_PRIVATE;
  info->is_const = type & CL_KERNEL_ARG_TYPE_CONST;
  info->is_pipe = type & ARG_TYPE_PIPE;
  info->reads = access != CL_KERNEL_ARG_ACCESS_NONE && access != CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
  info->writes = access != CL_KERNEL_ARG_ACCESS_NONE && access != CL_KERNEL_ARG_ACCESS_READ_ONLY;
  return code;
}

static int kernel_set(weft__cl_kernel kernel, uint32_t index, size_t size_bytes, const void *data) {
  return CL(clSetKernelArg)(kernel, index, size_bytes, data);
}

/* ---- commands and events ---- */

static int launch(const weft__command *c) {
  const size_t local[3] = {c->block.x, c->block.y, c->block.z};
  const size_t global[3] = {c->grid.x * c->block.x, c->grid.y * c->block.y, c->grid.z * c->block.z};
  cl_uint dimensions = global[2] > 1 ? 3 : global[1] > 1 ? 2 : 1;
  return CL(clEnqueueNDRangeKernel)(c->queue, c->kernel, dimensions, NULL, global, local, 0, NULL, c->event);
}

static int rectangle(const weft__command *c) {
  const weft__rect *r = c->rect;
  uint64_t rest = r->slices > 1 ? r->offset_bytes % r->slice_pitch : r->offset_bytes;
  const size_t origin[3] = {rest % r->row_pitch, rest / r->row_pitch,
                            r->slices > 1 ? r->offset_bytes / r->slice_pitch : 0};
  const size_t region[3] = {r->row_bytes, r->rows, r->slices}, host_origin[3] = {0};
  if (c->kind == WEFT__COMMAND_READ_RECT)
    return CL(clEnqueueReadBufferRect)(c->queue, c->mem, c->blocking, origin, host_origin, region, r->row_pitch,
                                       r->slice_pitch, r->host_row_pitch, r->host_slice_pitch, c->host, 0, NULL,
                                       c->event);
  return CL(clEnqueueWriteBufferRect)(c->queue, c->mem, c->blocking, origin, host_origin, region, r->row_pitch,
                                      r->slice_pitch, r->host_row_pitch, r->host_slice_pitch, c->host, 0, NULL,
                                      c->event);
}

static int map(weft__command *c) {
  cl_map_flags flags = !c->read ? CL_MAP_WRITE_INVALIDATE_REGION : c->write ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ;
  cl_int code;
  void *mapped = CL(clEnqueueMapBuffer)(c->queue, c->mem, c->blocking, flags, c->offset_bytes, c->size_bytes, 0, NULL,
                                        c->event, &code);
  if (code == CL_SUCCESS) c->host = mapped;
  return code;
}

/// In words where the size allows it: NVIDIA's driver fails, or writes nothing, where bytes are filled beyond 2 GiB.
static int fill(const weft__command *c) {
  const bool is_words = c->offset_bytes % WEFT__FILL_WORD == 0 && c->size_bytes % WEFT__FILL_WORD == 0;
  return CL(clEnqueueFillBuffer)(c->queue, c->mem, &c->word, is_words ? WEFT__FILL_WORD : 1, c->offset_bytes,
                                 c->size_bytes, 0, NULL, c->event);
}

static int do_enqueue(weft__command *c) {
  switch (c->kind) {
    case WEFT__COMMAND_LAUNCH:
      return launch(c);
    case WEFT__COMMAND_READ:
      return CL(clEnqueueReadBuffer)(c->queue, c->mem, c->blocking, c->offset_bytes, c->size_bytes, c->host, 0, NULL,
                                     c->event);
    case WEFT__COMMAND_WRITE:
      return CL(clEnqueueWriteBuffer)(c->queue, c->mem, c->blocking, c->offset_bytes, c->size_bytes, c->host, 0, NULL,
                                      c->event);
    case WEFT__COMMAND_READ_RECT:
    case WEFT__COMMAND_WRITE_RECT:
      return rectangle(c);
    case WEFT__COMMAND_COPY:
      return CL(clEnqueueCopyBuffer)(c->queue, c->from, c->mem, c->from_offset_bytes, c->offset_bytes, c->size_bytes, 0,
                                     NULL, c->event);
    case WEFT__COMMAND_COPY_TO_IMAGE:
    case WEFT__COMMAND_COPY_FROM_IMAGE:
      return weft__opencl_image_copy(c);
    case WEFT__COMMAND_FILL:
      return fill(c);
    case WEFT__COMMAND_MAP:
      return map(c);
    case WEFT__COMMAND_UNMAP:
      return CL(clEnqueueUnmapMemObject)(c->queue, c->mem, c->host, 0, NULL, c->event);
    case WEFT__COMMAND_MARKER:
      return CL(clEnqueueMarkerWithWaitList)(c->queue, 0, NULL, c->event);
    default:
      return CL(clEnqueueBarrierWithWaitList)(c->queue, c->after ? 1 : 0, c->after ? &c->after : NULL, c->event);
  }
}

static int enqueue(weft__command *c) {
  int code = do_enqueue(c);
  if (code && c->event) *c->event = NULL;
  return code;
}

static int event_create(weft__cl_event *out, weft__cl_context context) {
  cl_int code;
  *out = CL(clCreateUserEvent)(context, &code);
  WEFT__ANSWER(code);
}

static int event_complete(weft__cl_event event, int state) {
  return CL(clSetUserEventStatus)(event, state);
}

static int event_state(int *state, weft__cl_event event) {
  cl_int now = CL_QUEUED;
  cl_int code = CL(clGetEventInfo)(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL);
  if (code == CL_SUCCESS) *state = now;
  return code;
}

static int event_wait(weft__cl_event event) {
  return CL(clWaitForEvents)(1, &event);
}

static int event_times(uint64_t *start_ns, uint64_t *end_ns, weft__cl_event event) {
  cl_ulong start = 0, end = 0;
  cl_int code = CL(clGetEventProfilingInfo)(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
  if (code == CL_SUCCESS) code = CL(clGetEventProfilingInfo)(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  *start_ns = start;
  *end_ns = end;
  return code;
}

// clang-format off
const weft__driver_table weft__opencl = {
  .runs_kernels = true,
  .platforms = platforms, .devices = devices, .device_facts = device_facts, .text = text,
  .context_create = context_create, .queue_create = queue_create, .queue_info = queue_info,
  .flush = flush, .finish = finish,
  .retain = retain, .release = release,
  .buffer_create = buffer_create, .sub_buffer_create = sub_buffer_create, .mem_info = mem_info,
  .image_kind = weft__opencl_image_kind, .image_supported = weft__opencl_image_supported,
  .image_create = weft__opencl_image_create, .image_form = weft__opencl_image_form,
  .sampler_create = weft__opencl_sampler_create, .sampler_context = weft__opencl_sampler_context,
  .program_create = program_create, .program_load = program_load,
  .program_build = program_build, .kernel_create = kernel_create,
  .kernel_limits = kernel_limits,
  .parameter_info = parameter_info, .kernel_set = kernel_set,
  .enqueue = enqueue,
  .event_create = event_create, .event_complete = event_complete,
  .event_state = event_state, .event_wait = event_wait, .event_times = event_times,
};
// clang-format on
