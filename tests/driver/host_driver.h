// SPDX-License-Identifier: MIT
/// A second driver behind the driver table (src/ocl/driver.h), in plain C and without OpenCL, to show that the table is
/// the library's only access. It has one platform with one device, "host": its memory is the process's, each queue is a
/// thread, and programs are refused.
///
/// It is also a checker, stricter than OpenCL drivers. It ends the process with a message at a use after release, a
/// command outside its buffer or inside a mapped range, or a wait for a command that was never flushed. Fresh memory,
/// and a map that does not read, hold 0xa5. A buffer around host memory keeps its own copy between maps, as OpenCL
/// allows. A queue begins nothing before it is flushed.
///
/// A program linked with it has no libOpenCL; the driver checks that when its platforms are listed.
#ifndef WEFT_TESTS_HOST_DRIVER_H
#define WEFT_TESTS_HOST_DRIVER_H

#include "ocl/driver.h"

#define HOST_PLATFORM "Host memory" /* the platform's name */

/// The alignment of sub-buffers, the largest buffer, and the total memory. Larger requests are refused.
enum { HOST_ALIGN_BYTES = 128, HOST_MAX_BUFFER_BYTES = 1 << 30 };
#define HOST_MEMORY_BYTES (UINT64_C(2) << 30)

extern const weft__driver_table host_driver;

/// The number of objects still alive.
long host_driver_alive(void);
/// Whether an OpenCL loader is among the process's libraries.
bool host_driver_sees_opencl(void);

#endif
