// SPDX-License-Identifier: MIT
/// The interface to the driver: all of Weft's driver calls go through one table of functions, `weft__driver`. The table
/// for OpenCL is `weft__opencl`. A program may replace or wrap it.
///
/// Rules for every function of the table:
/// - It returns a code: 0 for success, or one of OpenCL's codes (below zero). A driver of another kind returns the code
///   that fits best.
/// - Results come first, as pointers. Their content is undefined after a failure, except that a create function sets
///   *out to NULL.
/// - Any thread may call it at any time. Weft never runs kernel_set and a launch of one kernel object at the same time.
/// - No argument is NULL unless a comment allows it. Sizes and offsets lie inside their buffer: the caller checks them.
/// Handles count references: a create function gives one, retain adds one, release drops one. An object lives as long
/// as a reference, a command that uses it, or an object made from it (a queue keeps its context, a sub-buffer its
/// buffer, a kernel its program). The caller may therefore release a command's objects as soon as it is enqueued.
#ifndef WEFT_OCL_DRIVER_H
#define WEFT_OCL_DRIVER_H

#include <stdatomic.h>
#include <weft/device.h>
#include <weft/dtype.h>
#include <weft/shape.h>

/// Handles. They have OpenCL's own types, so that the objects of <weft/opencl.h> need no conversion. A driver without
/// OpenCL defines the structures itself.
typedef struct _cl_platform_id *weft__cl_platform;
typedef struct _cl_device_id *weft__cl_device;
typedef struct _cl_context *weft__cl_context;
typedef struct _cl_command_queue *weft__cl_queue;
typedef struct _cl_mem *weft__cl_mem; /* a buffer or an image */
typedef struct _cl_program *weft__cl_program;
typedef struct _cl_kernel *weft__cl_kernel;
typedef struct _cl_event *weft__cl_event;
typedef struct _cl_sampler *weft__cl_sampler;

typedef enum weft__cl_kind {
  WEFT__CL_CONTEXT,
  WEFT__CL_QUEUE,
  WEFT__CL_MEM,
  WEFT__CL_PROGRAM,
  WEFT__CL_KERNEL,
  WEFT__CL_SAMPLER,
  WEFT__CL_EVENT
} weft__cl_kind;

/// The codes that Weft itself compares with. The values are OpenCL's; weft__cl_code_name has the names.
enum {
  WEFT__CL_OUT_OF_DEVICE_MEMORY = -4, /* CL_MEM_OBJECT_ALLOCATION_FAILURE, also of an enqueue */
  WEFT__CL_OUT_OF_RESOURCES = -5,     /* at a launch: too many threads or local memory; at a wait: the device failed */
  WEFT__CL_OUT_OF_HOST_MEMORY = -6,
  WEFT__CL_MAP_FAILURE = -12,
  WEFT__CL_INVALID_WORK_GROUP_SIZE = -54,
  WEFT__CL_INVALID_ARG_SIZE = -51,
  WEFT__CL_INVALID_BUFFER_SIZE = -61, /* the size is over the maximum of a buffer */
  WEFT__CL_NO_LOADER = -20001,        /* Weft's own code: platforms and queue_info find no OpenCL loader */
};

/* ---- queries ---- */

/// A driver's description of a device.
typedef struct weft__device_facts {
  const char *asked; /* after a failure: the query that failed, a literal ("CL_DEVICE_TYPE") */
  weft__cl_platform platform;
  weft_device_type type;
  uint32_t compute_units, clock_mhz;
  uint32_t warp_size;    /* 1: unknown */
  uint32_t address_bits; /* 32 or 64 */
  uint64_t memory_size_bytes, max_allocation_bytes, local_memory_bytes;
  uint64_t address_align_bits; /* alignment of a sub-buffer's offset */
  size_t max_block_threads, max_block[3];
  bool unified_memory;  /* with the host */
  bool has_fp64;        /* in kernels */
  bool divides_rounded; /* the option -cl-fp32-correctly-rounded-divide-sqrt is supported */
  bool has_denormals;   /* f32 has denormals */
  bool has_pci;         /* `pci` is known */
  uint32_t capability;  /* NVIDIA's compute capability times 10: 90; 0: another vendor's device */
  uint32_t pci[4];      /* domain, bus, device, function */
  bool imports_memory;  /* WEFT__BUFFER_IMPORTED works */
  bool takes_il;        /* program_load takes SPIR-V */
  bool has_images;
  /* with images: the largest widths, heights and depths, and the most layers */
  uint64_t max_image_2d[2], max_image_3d[3], max_image_layers;
  bool has_uuid;        /* `uuid` is known */
  unsigned char uuid[16];
} weft__device_facts;

typedef struct weft__queue_info {
  weft__cl_context context;
  weft__cl_device device;
  bool out_of_order, records_times;
} weft__queue_info;

typedef struct weft__mem_info {
  weft__cl_context context;
  size_t size_bytes;
  bool is_buffer;             /* else an image or a pipe */
  bool read_only, write_only; /* for kernels */
  weft__cl_mem whole;         /* the buffer of which it is a sub-buffer; NULL: it is none */
  size_t begin_bytes;         /* where it begins in `whole` */
} weft__mem_info;

/// The requirements and limits of a kernel on a device. 0: unknown or none.
typedef struct weft__kernel_limits {
  uint32_t parameters;
  size_t max_block_threads, preferred_multiple;
  size_t required_block[3]; /* 0, 0, 0: any */
  uint64_t local_memory_bytes, private_memory_bytes;
} weft__kernel_limits;

typedef enum weft__parameter_space {
  WEFT__SPACE_PRIVATE,
  WEFT__SPACE_LOCAL,
  WEFT__SPACE_GLOBAL,
  WEFT__SPACE_CONSTANT
} weft__parameter_space;

/// A kernel's parameter. Its type and name are queried as texts.
typedef struct weft__parameter_info {
  weft__parameter_space space; /* address space of a pointer's target; other parameters: PRIVATE */
  bool is_const;               /* a pointer to const */
  bool is_pipe;
  bool reads, writes; /* the kernel's access to an image; neither: not an image */
} weft__parameter_info;

typedef enum weft__text_kind {
  WEFT__TEXT_PLATFORM_NAME, /* of .platform */
  WEFT__TEXT_PLATFORM_VERSION,
  WEFT__TEXT_DEVICE_NAME,   /* of .device */
  WEFT__TEXT_DEVICE_VENDOR,
  WEFT__TEXT_DEVICE_VERSION, /* of its API: "OpenCL 3.0 ..." */
  WEFT__TEXT_DRIVER_VERSION,
  WEFT__TEXT_EXTENSIONS,     /* names of OpenCL extensions, separated by blanks */
  WEFT__TEXT_BUILD_LOG,      /* of .program for .device */
  WEFT__TEXT_KERNEL_NAMES,   /* of .program: separated by ';'; "" without kernels */
  WEFT__TEXT_CODE,           /* of .program, built for one device: its binary, which is PTX text on NVIDIA */
  WEFT__TEXT_PARAMETER_TYPE, /* of .kernel, .index: "float*" */
  WEFT__TEXT_PARAMETER_NAME
} weft__text_kind;

/// Identifies a text: its kind, and the objects that it belongs to. Other members are not read.
typedef struct weft__text_of {
  weft__text_kind kind;
  weft__cl_platform platform;
  weft__cl_device device;
  weft__cl_program program;
  weft__cl_kernel kernel;
  uint32_t index;
} weft__text_of;

/* ---- buffers ---- */

typedef enum weft__buffer_kind {
  WEFT__BUFFER_PLAIN,    /* device memory, with indeterminate content */
  WEFT__BUFFER_COPIED,   /* device memory, with a copy of `host` */
  WEFT__BUFFER_PINNED,   /* host memory that the device accesses directly, to be mapped for copies */
  WEFT__BUFFER_AROUND,   /* `host` itself, which must outlive it; the host sees the device's writes after a map */
  WEFT__BUFFER_IMPORTED, /* memory that another API exported as `file` */
} weft__buffer_kind;

typedef struct weft__buffer_params {
  weft__buffer_kind kind;
  bool read_only;    /* for kernels */
  size_t size_bytes; /* 1 or more */
  void *host;        /* COPIED, AROUND: points to `size_bytes` bytes; else NULL */
  int file;          /* IMPORTED: a file descriptor, which the buffer owns from a success on */
} weft__buffer_params;

/* ---- images ---- */

/// The form of an image. `kind` is its type in OpenCL C, a literal: "image1d_t", "image2d_t", "image3d_t",
/// "image1d_array_t" or "image2d_array_t"; image_form reports others too, and NULL for an unknown one.
typedef struct weft__image_form {
  const char *kind;
  uint64_t extent[3]; /* width, height or layers, depth or layers; 1 where the kind has no such axis */
  weft_dtype dtype;   /* of a channel's stored number; NONE: no dtype fits */
  int channels;       /* 1, 2 or 4: red, green, blue, alpha; 0: in another order */
  bool normalized;    /* kernels read and write integers as floats from 0 (signed: -1) to 1 */
} weft__image_form;

typedef enum weft__sampler_address {
  WEFT__ADDRESS_CLAMP_TO_EDGE,
  WEFT__ADDRESS_CLAMP, /* to a border of zeros */
  WEFT__ADDRESS_REPEAT,
  WEFT__ADDRESS_MIRRORED_REPEAT,
  WEFT__ADDRESS_NONE
} weft__sampler_address;

typedef struct weft__sampler_form {
  bool linear; /* else the nearest pixel */
  bool normalized_coordinates;
  weft__sampler_address address;
} weft__sampler_form;

/* ---- commands ---- */

#define WEFT__FILL_WORD 4u

typedef enum weft__command_kind {
  WEFT__COMMAND_LAUNCH,     /* kernel with its current arguments; grid, block */
  WEFT__COMMAND_READ,       /* size_bytes of mem at offset_bytes to host */
  WEFT__COMMAND_WRITE,      /* the reverse of READ */
  WEFT__COMMAND_READ_RECT,  /* rect of mem to host */
  WEFT__COMMAND_WRITE_RECT, /* the reverse of READ_RECT */
  WEFT__COMMAND_COPY, /* size_bytes of from at from_offset_bytes to mem at offset_bytes; the ranges do not overlap */
  WEFT__COMMAND_FILL, /* set size_bytes of mem at offset_bytes to `word`; parts of words: equal bytes, below 2 GiB */
  WEFT__COMMAND_MAP,    /* map size_bytes of mem at offset_bytes; sets host at once, even without `blocking` */
  WEFT__COMMAND_UNMAP,  /* unmap mem, mapped at host; the host's writes are in mem then */
  WEFT__COMMAND_MARKER, /* no work; its event is done when all earlier commands are */
  WEFT__COMMAND_BARRIER, /* no work; later commands also wait for `after`. Without `after` it is a marker */
  /* bytes of from at from_offset_bytes, without gaps, to a part of the image mem; and the reverse: a part of the image
     from to mem at offset_bytes */
  WEFT__COMMAND_COPY_TO_IMAGE,
  WEFT__COMMAND_COPY_FROM_IMAGE,
  WEFT__COMMAND_HOST /* no driver's: a step of the host in a recording (engine/host_step.h) */
} weft__command_kind;

/// A box of bytes in a buffer and at the host: slices of rows of `row_bytes` bytes. A pitch is at least as large as the
/// row or slice it steps over. A slice pitch is a multiple of the row pitch.
typedef struct weft__rect {
  uint64_t row_bytes, rows, slices;
  uint64_t offset_bytes, row_pitch, slice_pitch; /* in the buffer */
  uint64_t host_row_pitch, host_slice_pitch;     /* from `host` */
} weft__rect;

/// A box of pixels in an image, in the order of weft__image_form's extent.
typedef struct weft__image_part {
  uint64_t origin[3], extent[3];
  bool by_host; /* the copy goes through host memory, and is done when the call returns */
} weft__image_part;

/// A command for a queue. Members that its kind does not use are zero.
typedef struct weft__command {
  weft__command_kind kind;
  /* READ, WRITE, their rectangles, MAP: returns when the command is done, and with failures of earlier work. Otherwise
     `host` is in use until the command is done */
  bool blocking;
  bool read, write; /* MAP: the host's accesses. Without `read` the old content is lost */
  uint32_t word;    /* FILL */
  weft__cl_queue queue;
  weft__cl_event *event; /* receives the command's event, with a reference; NULL: no event */
  weft__cl_event after;
  /* at most 96 bytes: each launch clears one, and a larger struct is cleared by a loop */
  union {
    struct {
      weft__cl_mem mem, from;
      uint64_t offset_bytes, from_offset_bytes, size_bytes;
      void *host;
      union {
        const weft__rect *rect;
        const weft__image_part *part; /* COPY_TO_IMAGE, COPY_FROM_IMAGE; size_bytes is its size */
      };
    };
    struct {
      weft__cl_kernel kernel;
      weft_dim3 grid, block; /* blocks in the grid, threads in a block */
    };
  };
} weft__command;

/* ---- the table ---- */

typedef struct weft__driver_table {
  /// False: no program can be built. The functions of programs and kernels are then never called and may be NULL; the
  /// functions of images and samplers are called only where a device has_images.
  bool runs_kernels;

  /// Store the first `room` platforms, or devices of a platform, into the array (NULL if room is 0). *count receives
  /// the number of all; zero is a success. The handles and their order stay unchanged during the process.
  int (*platforms)(weft__cl_platform *platforms, uint32_t room, uint32_t *count);
  int (*devices)(weft__cl_device *devices, uint32_t room, uint32_t *count, weft__cl_platform platform);
  /// `extensions`: the device's WEFT__TEXT_EXTENSIONS.
  int (*device_facts)(weft__device_facts *facts, weft__cl_device device, const char *extensions);
  /// *size_bytes receives the size of the text with its final NUL. If `room_bytes` is at least that large, `room` (else
  /// NULL) receives the text.
  int (*text)(char *room, size_t room_bytes, size_t *size_bytes, const weft__text_of *of);

  int (*context_create)(weft__cl_context *out, weft__cl_platform platform, weft__cl_device device);
  /// A queue runs its commands one after the other, in the order of their enqueuing. `records_times`: event_times works
  /// for them.
  int (*queue_create)(weft__cl_queue *out, weft__cl_context context, weft__cl_device device, bool records_times);
  int (*queue_info)(weft__queue_info *info, weft__cl_queue queue);
  /// Starts the commands enqueued so far, without a wait. finish and blocking commands flush too. event_wait does not
  /// flush. A command of another queue that waits for an event of this one (`after`) does not flush either.
  int (*flush)(weft__cl_queue queue);
  /// Waits for all commands of the queue. Returns the code of one that failed.
  int (*finish)(weft__cl_queue queue);
  int (*retain)(weft__cl_kind kind, void *object);
  int (*release)(weft__cl_kind kind, void *object);

  int (*buffer_create)(weft__cl_mem *out, weft__cl_context context, const weft__buffer_params *params);
  /// Makes a sub-buffer of a buffer that is not a sub-buffer. `offset_bytes` is a multiple of the device's alignment.
  int (*sub_buffer_create)(weft__cl_mem *out, weft__cl_mem mem, bool read_only, uint64_t offset_bytes,
                           uint64_t size_bytes);
  int (*mem_info)(weft__mem_info *info, weft__cl_mem mem);
  /// The OpenCL C type of an image, a literal: "image2d_t"; NULL for another kind.
  int (*image_kind)(const char **kind, weft__cl_mem image);
  /// Whether the device has this kind of image with this format, for kernels that read or write it.
  int (*image_supported)(bool *is, weft__cl_context context, const weft__image_form *form);
  int (*image_create)(weft__cl_mem *out, weft__cl_context context, const weft__image_form *form);
  int (*image_form)(weft__image_form *form, weft__cl_mem image);
  int (*sampler_create)(weft__cl_sampler *out, weft__cl_context context, const weft__sampler_form *form);
  int (*sampler_context)(weft__cl_context *context, weft__cl_sampler sampler);

  int (*program_create)(weft__cl_program *out, weft__cl_context context, const char *text);
  /// Makes a program of a WEFT__TEXT_CODE, or with `is_il` of SPIR-V for a device that takes it; to be built.
  int (*program_load)(weft__cl_program *out, weft__cl_context context, weft__cl_device device, const void *code,
                      size_t size_bytes, bool is_il);
  /// Compiles and blocks. `options` as for clBuildProgram.
  int (*program_build)(weft__cl_program program, weft__cl_device device, const char *options);
  int (*kernel_create)(weft__cl_kernel *out, weft__cl_program program, const char *name);
  int (*kernel_limits)(weft__kernel_limits *limits, weft__cl_kernel kernel, weft__cl_device device);
  int (*parameter_info)(weft__parameter_info *info, weft__cl_kernel kernel, uint32_t index);
  /// Sets an argument and copies it: a number, a handle (a buffer, an image, a sampler), the bytes of a structure.
  /// `data` NULL: `size_bytes` of local memory.
  int (*kernel_set)(weft__cl_kernel kernel, uint32_t index, size_t size_bytes, const void *data);

  /// Enqueues a command. After a failure it is not enqueued and its event is NULL. A blocking command that failed may
  /// have done a part of its work.
  int (*enqueue)(weft__command *command);
  /// Makes an event that the caller completes, with 0 or a code below zero, and that commands can wait for.
  int (*event_create)(weft__cl_event *out, weft__cl_context context);
  int (*event_complete)(weft__cl_event event, int state);
  /// *state: above zero while the command is pending, 0 when it is done, and a code below zero if it failed.
  int (*event_state)(int *state, weft__cl_event event);
  int (*event_wait)(weft__cl_event event);
  /// The begin and end of a finished command on the device's clock. Its queue must record times.
  int (*event_times)(uint64_t *start_ns, uint64_t *end_ns, weft__cl_event event);
} weft__driver_table;

/// OpenCL's table (ocl/opencl_driver.c).
extern const weft__driver_table weft__opencl;
/// The process's driver. driver_choice.c defines it as `weft__opencl`. A program that defines it itself and links the
/// static library uses another driver and does not link OpenCL.
extern const weft__driver_table *const weft__driver;

/* ---- helpers: driver.c ---- */

/// Gets a text of the driver without trailing blanks. The caller frees *text, which is NULL on failure.
int weft__driver_text(char **text, const weft__text_of *of);
/// The OpenCL function of a command, for messages: "clEnqueueReadBuffer".
const char *weft__command_call(const weft__command *command);

// clang-format off
#define WEFT__CL_KIND_OF(object) _Generic((object), \
  weft__cl_context: WEFT__CL_CONTEXT, \
  weft__cl_queue: WEFT__CL_QUEUE, \
  weft__cl_mem: WEFT__CL_MEM, \
  weft__cl_program: WEFT__CL_PROGRAM, \
  weft__cl_kernel: WEFT__CL_KERNEL, \
  weft__cl_sampler: WEFT__CL_SAMPLER, \
  weft__cl_event: WEFT__CL_EVENT)
// clang-format on
#define weft__retain(object) weft__driver->retain(WEFT__CL_KIND_OF(object), (object))
/// Accepts NULL. A release cannot fail: a code it returns is an earlier error, which the next call reports.
#define weft__release(object) weft__driver_release(WEFT__CL_KIND_OF(object), (object))

/// Releases so far of objects that kernels take as arguments: a later object may have the handle of a released one.
extern _Atomic(uint64_t) weft__released_arguments;

static inline void weft__driver_release(weft__cl_kind kind, void *object) {
  if (!object) return;
  if (kind == WEFT__CL_MEM || kind == WEFT__CL_SAMPLER)
    atomic_fetch_add_explicit(&weft__released_arguments, 1, memory_order_relaxed);
  weft__driver->release(kind, object);
}

#endif
