// SPDX-License-Identifier: MIT
/// The door to the driver: all of Weft's calls into a driver go through one table of functions, `weft__driver`.
/// OpenCL's table is `weft__opencl`; a program may put another table in its place, or one around it.
///
/// For every function of the table:
/// - The result is a code: 0 for success, else one of OpenCL's codes (below zero). A driver of another kind answers the
///   code that fits
/// best.
/// - Results come first, as pointers. After a failure their content means nothing, but a create function sets *out to
///   NULL.
/// - Any thread may call it at any time, but Weft never runs kernel_set and a launch of the same kernel object at the
///   same time.
/// - No argument is NULL unless a comment says so. Sizes and offsets lie inside of their buffer: the caller has
///   checked.
/// Handles count references: a create function gives one, retain adds one, release drops one. An object lives as long
/// as a reference, a command that uses it, or an object made of it (a queue keeps its context, a sub-buffer its buffer,
/// a kernel its program). So the caller may release all objects that a command uses as soon as it is enqueued.
#ifndef WEFT_OCL_DRIVER_H
#define WEFT_OCL_DRIVER_H

#include <weft/device.h>
#include <weft/shape.h>

struct _cl_sampler;
/// Handles. They are OpenCL's own types, so that the objects of <weft/opencl.h> need no conversion; a driver without
/// OpenCL completes the structures as it likes.
typedef struct _cl_platform_id *weft__cl_platform;
typedef struct _cl_device_id *weft__cl_device;
typedef struct _cl_context *weft__cl_context;
typedef struct _cl_command_queue *weft__cl_queue;
typedef struct _cl_mem *weft__cl_mem; /* a buffer; of others also an image */
typedef struct _cl_program *weft__cl_program;
typedef struct _cl_kernel *weft__cl_kernel;
typedef struct _cl_event *weft__cl_event;

typedef enum weft__cl_kind {
  WEFT__CL_CONTEXT,
  WEFT__CL_QUEUE,
  WEFT__CL_MEM,
  WEFT__CL_PROGRAM,
  WEFT__CL_KERNEL,
  WEFT__CL_EVENT
} weft__cl_kind;

/// The codes that Weft itself looks at. Their values are OpenCL's, whose names weft__cl_code_name has.
enum {
  WEFT__CL_OUT_OF_DEVICE_MEMORY = -4, /* CL_MEM_OBJECT_ALLOCATION_FAILURE; at an enqueue: for a buffer that the command
                                         uses */
  WEFT__CL_OUT_OF_RESOURCES = -5,     /* at a launch: too many threads or too much local memory; at a wait: the device
                                     failed */
  WEFT__CL_OUT_OF_HOST_MEMORY = -6,
  WEFT__CL_MAP_FAILURE = -12,
  WEFT__CL_INVALID_WORK_GROUP_SIZE = -54,
  WEFT__CL_INVALID_ARG_SIZE = -51,
  WEFT__CL_INVALID_BUFFER_SIZE = -61, /* no buffer may be so large */
};

/* ---- what is asked ---- */

/// What a driver says of a device.
typedef struct weft__device_facts {
  const char *asked; /* after a failure: the question that failed, a literal ("CL_DEVICE_TYPE") */
  weft__cl_platform platform;
  weft_device_type type;
  uint32_t compute_units, clock_mhz;
  uint32_t warp_size;    /* 1: not known */
  uint32_t address_bits; /* 32 or 64 */
  uint64_t memory_size_bytes, max_allocation_bytes, local_memory_bytes;
  uint64_t address_align_bits; /* of the beginning of a sub-buffer */
  size_t max_block_threads, max_block[3];
  bool unified_memory;  /* with the host */
  bool has_fp64;        /* in kernels */
  bool divides_rounded; /* -cl-fp32-correctly-rounded-divide-sqrt may be asked for */
  bool has_pci;         /* `pci` is known */
  uint32_t pci[4];      /* domain, bus, device, function */
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
} weft__mem_info;

/// What a kernel needs and may have on a device. 0: not known, or nothing.
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

/// A kernel's parameter. Its type and name are texts.
typedef struct weft__parameter_info {
  weft__parameter_space space; /* of what a pointer points to, else PRIVATE */
  bool is_const;               /* a pointer to const */
  bool is_pipe;
  bool reads, writes; /* what the kernel may do with an image; neither: it is none */
} weft__parameter_info;

typedef enum weft__text_kind {
  WEFT__TEXT_PLATFORM_NAME, /* of .platform */
  WEFT__TEXT_DEVICE_NAME,   /* of .device */
  WEFT__TEXT_DEVICE_VENDOR,
  WEFT__TEXT_DEVICE_VERSION, /* "OpenCL 3.0 ...": of its API */
  WEFT__TEXT_DRIVER_VERSION,
  WEFT__TEXT_EXTENSIONS,     /* names of OpenCL's extensions, with blanks between them */
  WEFT__TEXT_BUILD_LOG,      /* of .program for .device */
  WEFT__TEXT_KERNEL_NAMES,   /* of .program: with ';' between them; "" where it has none */
  WEFT__TEXT_PARAMETER_TYPE, /* of .kernel, .index: "float*" */
  WEFT__TEXT_PARAMETER_NAME
} weft__text_kind;

/// A text: its kind, and the objects that it belongs to. The other members are not read.
typedef struct weft__text_of {
  weft__text_kind kind;
  weft__cl_platform platform;
  weft__cl_device device;
  weft__cl_program program;
  weft__cl_kernel kernel;
  uint32_t index;
} weft__text_of;

/* ---- what is made ---- */

typedef enum weft__buffer_kind {
  WEFT__BUFFER_PLAIN,  /* of the device's memory, with any content */
  WEFT__BUFFER_COPIED, /* the same with the content of `host` */
  WEFT__BUFFER_PINNED, /* of host memory that the device reaches by itself, to be mapped for copies */
  WEFT__BUFFER_AROUND, /* `host` itself, which lives as long; the host sees what the device wrote there once it is
                          mapped */
} weft__buffer_kind;

typedef struct weft__buffer_params {
  weft__buffer_kind kind;
  bool read_only;    /* for kernels */
  size_t size_bytes; /* 1 or more */
  void *host;        /* COPIED, AROUND: `size_bytes` of it; else NULL */
} weft__buffer_params;

/* ---- commands ---- */

typedef enum weft__command_kind {
  WEFT__COMMAND_LAUNCH,     /* kernel, with the arguments it has now; grid, block */
  WEFT__COMMAND_READ,       /* size_bytes of mem at offset_bytes to host */
  WEFT__COMMAND_WRITE,      /* and the other way */
  WEFT__COMMAND_READ_RECT,  /* rect of mem to host */
  WEFT__COMMAND_WRITE_RECT, /* and the other way */
  WEFT__COMMAND_COPY,       /* size_bytes of from at from_offset_bytes to mem at offset_bytes; they do not overlap */
  WEFT__COMMAND_FILL,       /* size_bytes of mem at offset_bytes become byte */
  WEFT__COMMAND_MAP,   /* size_bytes of mem at offset_bytes: host becomes its address, without `blocking` too at once */
  WEFT__COMMAND_UNMAP, /* mem, from host, where it was mapped; what was written there is in mem then */
  WEFT__COMMAND_MARKER, /* nothing: its event is done once all commands before it are */
  WEFT__COMMAND_BARRIER /* nothing: later commands wait for `after` too. Without `after` it is a marker */
} weft__command_kind;

/// Rows of a slice, slices of a box: `row_bytes` bytes of each row, in a buffer and at the host. No pitch is smaller
/// than what it steps over, and a slice's is a multiple of the row's.
typedef struct weft__rect {
  uint64_t row_bytes, rows, slices;
  uint64_t offset_bytes, row_pitch, slice_pitch; /* in the buffer */
  uint64_t host_row_pitch, host_slice_pitch;     /* from `host` on */
} weft__rect;

/// A command for a queue. The members that its kind does not name are zero.
typedef struct weft__command {
  weft__command_kind kind;
  bool blocking;    /* of READ, WRITE, their rectangles and MAP: returns when it is done, and with the failure of work
                    before it. Else `host` is used until the command is done */
  bool read, write; /* of MAP: what the host does there. Without `read` the content is lost */
  unsigned char byte;
  weft__cl_queue queue;
  weft__cl_event *event; /* becomes the command's event, with a reference; NULL: none is wanted */
  weft__cl_event after;
  /* the struct stays within 96 bytes: each launch clears one, and a larger one takes a loop */
  union {
    struct {
      weft__cl_mem mem, from;
      uint64_t offset_bytes, from_offset_bytes, size_bytes;
      void *host;
      const weft__rect *rect;
    };
    struct {
      weft__cl_kernel kernel;
      weft_dim3 grid, block; /* blocks in the grid, threads in a block */
    };
  };
} weft__command;

/* ---- the table ---- */

typedef struct weft__driver_table {
  /// False: no program can be built. Then the functions of programs, kernels, images and samplers are never called, and
  /// may be NULL.
  bool runs_kernels;

  /// The first `room` platforms, and the devices of one, into the arrays (NULL where room is 0); *count becomes how
  /// many there are. None is a success. They are the same, in the same order, as long as the process lives.
  int (*platforms)(weft__cl_platform *platforms, uint32_t room, uint32_t *count);
  int (*devices)(weft__cl_device *devices, uint32_t room, uint32_t *count, weft__cl_platform platform);
  /// `extensions`: the device's WEFT__TEXT_EXTENSIONS.
  int (*device_facts)(weft__device_facts *facts, weft__cl_device device, const char *extensions);
  /// *size_bytes becomes the size of the text with the 0 at its end; where `room_bytes` is that large, `room` (else
  /// NULL) gets the text.
  int (*text)(char *room, size_t room_bytes, size_t *size_bytes, const weft__text_of *of);

  int (*context_create)(weft__cl_context *out, weft__cl_platform platform, weft__cl_device device);
  /// A queue runs its commands one after the other, in the order in which they were enqueued. `records_times`:
  /// event_times works for them.
  int (*queue_create)(weft__cl_queue *out, weft__cl_context context, weft__cl_device device, bool records_times);
  int (*queue_info)(weft__queue_info *info, weft__cl_queue queue);
  /// The commands enqueued so far begin, though nobody waits for them. finish and blocking commands flush too.
  /// event_wait does not, and neither does a command of another queue that waits for an event of this one (`after`).
  int (*flush)(weft__cl_queue queue);
  /// Waits for all commands of the queue. Answers the failure of one of them.
  int (*finish)(weft__cl_queue queue);
  int (*retain)(weft__cl_kind kind, void *object);
  int (*release)(weft__cl_kind kind, void *object);

  int (*buffer_create)(weft__cl_mem *out, weft__cl_context context, const weft__buffer_params *params);
  /// A part of a buffer that is no part itself. `offset_bytes` is a multiple of the device's alignment.
  int (*sub_buffer_create)(weft__cl_mem *out, weft__cl_mem mem, bool read_only, uint64_t offset_bytes,
                           uint64_t size_bytes);
  int (*mem_info)(weft__mem_info *info, weft__cl_mem mem);
  /// The type of OpenCL C that an image has, a literal: "image2d_t"; NULL for another kind.
  int (*image_kind)(const char **kind, weft__cl_mem image);
  int (*sampler_context)(weft__cl_context *context, struct _cl_sampler *sampler);

  int (*program_create)(weft__cl_program *out, weft__cl_context context, const char *text);
  /// Compiles; blocks. `options` as of clBuildProgram.
  int (*program_build)(weft__cl_program program, weft__cl_device device, const char *options);
  int (*kernel_create)(weft__cl_kernel *out, weft__cl_program program, const char *name);
  int (*kernel_limits)(weft__kernel_limits *limits, weft__cl_kernel kernel, weft__cl_device device);
  int (*parameter_info)(weft__parameter_info *info, weft__cl_kernel kernel, uint32_t index);
  /// An argument, copied: a number, a handle (a buffer, an image, a sampler), the bytes of a structure. `data` NULL: so
  /// much local memory.
  int (*kernel_set)(weft__cl_kernel kernel, uint32_t index, size_t size_bytes, const void *data);

  /// Enqueues a command. On failure it is not enqueued, and its event is NULL; a blocking one may have done a part of
  /// its work.
  int (*enqueue)(weft__command *command);
  /// *state: above zero while the command is not done, 0 when it is, and the code below zero with which it failed.
  int (*event_state)(int *state, weft__cl_event event);
  int (*event_wait)(weft__cl_event event);
  /// Of a command that is done, of a queue that records times: when it began and ended, on the device's clock.
  int (*event_times)(uint64_t *start_ns, uint64_t *end_ns, weft__cl_event event);
} weft__driver_table;

/// OpenCL's table (ocl/opencl_driver.c).
extern const weft__driver_table weft__opencl;
/// The process's driver. driver_choice.c defines it as `weft__opencl`. A program that defines it itself and links the
/// static library has another driver, and does not link OpenCL.
extern const weft__driver_table *const weft__driver;

/* ---- with the table: driver.c ---- */

/// A text of the driver, without blanks at its end; *text is to be freed. On failure *text is NULL.
int weft__driver_text(char **text, const weft__text_of *of);
/// OpenCL's name of the call behind a command, for messages: "clEnqueueReadBuffer".
const char *weft__command_call(const weft__command *command);

// clang-format off
#define WEFT__CL_KIND_OF(object) _Generic((object), \
  weft__cl_context: WEFT__CL_CONTEXT, \
  weft__cl_queue: WEFT__CL_QUEUE, \
  weft__cl_mem: WEFT__CL_MEM, \
  weft__cl_program: WEFT__CL_PROGRAM, \
  weft__cl_kernel: WEFT__CL_KERNEL, \
  weft__cl_event: WEFT__CL_EVENT)
// clang-format on
#define weft__retain(object) weft__driver->retain(WEFT__CL_KIND_OF(object), (object))
/// Accepts NULL. A release cannot fail: a code that it answers is an earlier error, which the next call reports.
#define weft__release(object) weft__driver_release(WEFT__CL_KIND_OF(object), (object))

static inline void weft__driver_release(weft__cl_kind kind, void *object) {
  if (object) weft__driver->release(kind, object);
}

#endif
