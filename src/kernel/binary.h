// SPDX-License-Identifier: MIT
/// Programs as bytes: what weft_kernel_binary writes, and SPIR-V. Drivers crash on bytes that they did not write, so
/// the driver's binary is in a file of Weft's own, with its length, a hash, and the device and driver that made it.
/// The file also has the kernels' parameters, which some drivers do not report of a loaded binary.
#ifndef WEFT_KERNEL_BINARY_H
#define WEFT_KERNEL_BINARY_H

#include <inttypes.h>

#include "core/core.h"
#include "kernel/parameter.h"

struct weft__program;

/// The first line: the hash of all behind it, and the lengths of head and code.
#define WEFT__BINARY_LINE "weft-binary 1 %016" PRIx64 " %zu %zu\n"

/// A program that is not text.
typedef struct weft__code {
  const void *bytes;
  size_t size_bytes;
  bool is_il;
  char *head; /* of a file of Weft's: describes the kernels' parameters; NULL: the driver does */
} weft__code;

/// Whether bytes begin as such a file, or as SPIR-V in the machine's byte order.
bool weft__is_binary(const void *bytes, size_t size_bytes);
bool weft__is_il(const void *bytes, size_t size_bytes);

/// Appends the lines of a head that name the device and its driver.
void weft__binary_identity(weft__text *head, const weft__core *core);

/// Appends the file of a program. Errors: DRIVER, HOST_MEMORY.
weft_status weft__binary_write(weft__text *out, const weft__core *core, const struct weft__program *program);
/// Checks a file, and finds its parts in it. `argument` is what messages call it. Errors: ARGUMENT (not a whole file,
/// or changed bytes), UNSUPPORTED (of another device or driver).
weft_status weft__binary_read(weft__code *code, const weft__core *core, const void *bytes, size_t size_bytes,
                              const char *argument);
/// Checks a module of SPIR-V: its header, and that its instructions end where the bytes do. Errors: ARGUMENT,
/// UNSUPPORTED (the device takes no SPIR-V).
weft_status weft__il_read(weft__code *code, const weft__core *core, const void *bytes, size_t size_bytes,
                          const char *argument);

/// A kernel of a module that weft__il_read found whole.
typedef struct weft__il_entry {
  size_t next; /* the word behind it; 0: begins with the first */
  const char *name;
  size_t length;
} weft__il_entry;

/// The module's next kernel; false at its end.
bool weft__il_next(weft__il_entry *entry, const weft__code *code);

/// Reads parameter `index` of a kernel from a file's head. Errors: HOST_MEMORY, ARGUMENT (the head lacks it).
weft_status weft__binary_parameter(weft__parameter *parameter, const char *head, const char *kernel, int index);

#endif
