// SPDX-License-Identifier: MIT
/// A second driver behind the door (src/ocl/driver.h), in plain C and without OpenCL, to show that the door is the only
/// way. One platform with one device, "host": its memory is this process's, each queue is a thread, programs are
/// refused.
///
/// It is a checker too, and stricter than drivers of OpenCL are. It ends the process with a message at a use after the
/// release, a command outside of its buffer or inside of what is mapped, a wait for what was never flushed. Fresh
/// memory, and a map that does not read, hold 0xa5; a buffer around host memory keeps a copy of its own between maps,
/// as OpenCL allows; a queue begins nothing before it is flushed.
///
/// A program linked with it has no libOpenCL, which it checks when its platforms are asked for.
#ifndef WEFT_TESTS_HOST_DRIVER_H
#define WEFT_TESTS_HOST_DRIVER_H

#include "ocl/driver.h"

#define HOST_PLATFORM "Host memory" /* the platform's name */

/// The alignment of sub-buffers, the largest buffer, and all memory: what is beyond is refused.
enum { HOST_ALIGN_BYTES = 128, HOST_MAX_BUFFER_BYTES = 1 << 30 };
#define HOST_MEMORY_BYTES (UINT64_C(2) << 30)

extern const weft__driver_table host_driver;

/// Objects that are not gone yet.
long host_driver_alive(void);
/// Whether an OpenCL loader is among the process's libraries.
bool host_driver_sees_opencl(void);

#endif
