// SPDX-License-Identifier: MIT
/// Instructions that exist only for NVIDIA's target sm_90a (wgmma, setmaxnreg). NVIDIA's OpenCL compiler builds
/// sources for sm_90 and its assembler refuses them there, but the driver loads PTX text for sm_90a. So a kernel has
/// such an instruction as a comment of inline assembly, for which the compiler still fills in the registers:
///
///     asm volatile("//90a wgmma.fence.sync.aligned;" ::: "memory");
///
/// The program is built, its PTX text edited and loaded again.
#ifndef WEFT_KERNEL_PTX_H
#define WEFT_KERNEL_PTX_H

#include "base/text.h"

/// Appends the PTX text of a program for sm_90, for sm_90a: the marks in front of instructions are gone, and each
/// kernel with a required block size has one block on a multiprocessor, without which the assembler ignores
/// setmaxnreg. False: no memory.
bool weft__ptx_for_90a(weft__text *out, const char *ptx);

#endif
