// SPDX-License-Identifier: MIT
/// The table of rows: which kernel or engine computes a product.
#include "engine/engine.h"
#include "op/matmul/matmul.h"

/// In the order in which they are tried. The last one fits every task.
static const weft__matmul_row *const rows[] = {
    &weft__matmul_cblas,      &weft__matmul_cublas,     &weft__matmul_complex,    &weft__matmul_nvidia_panels,
    &weft__matmul_split,      &weft__matmul_vector,     &weft__matmul_narrow,     &weft__matmul_nvidia_16,
    &weft__matmul_batch,      &weft__matmul_nvidia_f32, &weft__matmul_nvidia_f64, &weft__matmul_cpu_vector,
    &weft__matmul_cpu,        &weft__matmul_tile};

weft_status weft__matmul_run(const weft__matmul_task *task) {
  bool done = false;
  WEFT__TRY_RETURN(weft__engine_check());
  if (task->context->core.reproducible) return weft__matmul_tile.run(&done, task); /* adds in the order of k */
  for (size_t r = 0; r < sizeof rows / sizeof *rows && !done; r++)
    if (rows[r]->fits(task)) WEFT__TRY_RETURN(rows[r]->run(&done, task));
  return WEFT_OK;
}
