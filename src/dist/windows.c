// SPDX-License-Identifier: MIT
/// Memory of the GPUs of one host that the processes see of each other.
#include <stdlib.h>
#include <unistd.h>

#include "dist/transport.h"

/// Arrays of the other ranks' memory.
static weft_status import_all(weft_array **windows, const weft_dist *grid, const weft_cuda_handle *handles,
                              int64_t size_bytes) {
  for (int r = 0; r < grid->ranks; r++)
    if (handles[r].file >= 0)
      WEFT__TRY_RETURN(weft_cuda_import(&windows[r], grid->context, WEFT_U8, WEFT_SHAPE(size_bytes), &handles[r]));
  return WEFT_OK;
}

bool weft__dist_windows_open(weft_array **windows, weft_dist *grid, const weft_array *mine,
                             char why[WEFT__DIST_WHY_BYTES]) {
  weft_cuda_handle *handles = weft__dist_new((size_t)grid->ranks, sizeof *handles), own = {.file = -1};
  int64_t missing = !handles;
  if (grid->host_ranks != grid->ranks)
    snprintf(why, WEFT__DIST_WHY_BYTES, "the ranks are on several hosts");
  else if (missing || weft_cuda_export(&own, mine))
    snprintf(why, WEFT__DIST_WHY_BYTES, "%.190s", weft_error_last()->message);
  if (weft__dist_all_most(grid, &missing)) missing = 1;
  bool works = !missing && weft__dist_handles_trade(handles, grid, &own, why);
  if (works && import_all(windows, grid, handles, weft_array_size(mine))) {
    snprintf(why, WEFT__DIST_WHY_BYTES, "%.190s", weft_error_last()->message);
    works = false;
  }
  if (own.file >= 0) close(own.file);
  if (missing)
    free(handles);
  else
    weft__dist_handles_close(handles, grid);
  return works;
}
