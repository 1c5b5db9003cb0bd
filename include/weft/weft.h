// SPDX-License-Identifier: MIT
/// Weft: arrays on the device and CUDA-style kernel launches for C, on any OpenCL device. This header includes all
/// others.
///
///     weft_array *y = NULL;
///     rc = weft_arange(&y, NULL, WEFT_F32, 0, 1000, 1);
///     rc = weft_sqrt(&y, y);
///     rc = weft_array_print(stdout, y);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <weft/api.h>
#include <weft/array.h>
#include <weft/axes.h>
#include <weft/cache.h>
#include <weft/context.h>
#include <weft/create.h>
#include <weft/cuda.h>
#include <weft/device.h>
#include <weft/differences.h>
#include <weft/dlpack.h>
#include <weft/dtype.h>
#include <weft/elementwise.h>
#include <weft/engine.h>
#include <weft/eval.h>
#include <weft/event.h>
#include <weft/fft.h>
#include <weft/filter.h>
#include <weft/group.h>
#include <weft/histogram.h>
#include <weft/image.h>
#include <weft/index.h>
#include <weft/interpolate.h>
#include <weft/introspect.h>
#include <weft/kernel.h>
#include <weft/linalg.h>
#include <weft/log.h>
#include <weft/matmul.h>
#include <weft/memory.h>
#include <weft/monitor.h>
#include <weft/normalize.h>
#include <weft/npy.h>
#include <weft/npz.h>
#include <weft/occupancy.h>
#include <weft/opencl.h>
#include <weft/operand.h>
#include <weft/options.h>
#include <weft/pinned.h>
#include <weft/polynomial.h>
#include <weft/print.h>
#include <weft/products.h>
#include <weft/profile.h>
#include <weft/random.h>
#include <weft/rearrange.h>
#include <weft/record.h>
#include <weft/reduce.h>
#include <weft/regions.h>
#include <weft/release.h>
#include <weft/rolling.h>
#include <weft/scan.h>
#include <weft/scope.h>
#include <weft/search.h>
#include <weft/select.h>
#include <weft/shape.h>
#include <weft/sort.h>
#include <weft/sparse.h>
#include <weft/statistics.h>
#include <weft/status.h>
#include <weft/stencil.h>
#include <weft/stream.h>
#include <weft/timeit.h>
#include <weft/trace.h>
#include <weft/transfer.h>
#include <weft/tune.h>
#include <weft/ufunc.h>
#include <weft/usage.h>
#include <weft/version.h>
#include <weft/view.h>

#endif
