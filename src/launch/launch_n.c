// SPDX-License-Identifier: MIT
/// Launches over a number of elements: Weft chooses the block.
#include <weft/occupancy.h>

#include "context/objects.h"
#include "launch/occupancy.h"
#include "launch/user_launch.h"

/// Reads the number of elements among the arguments.
static weft_status count_of(uint64_t *count, const weft_kernel *kernel, const char *name, const weft_arg *argument) {
  const weft_scalar *s = &argument->as.scalar;
  const char kind = argument->kind == WEFT_ARG_SCALAR ? weft_dtype_kind(s->dtype) : 0;
  if (kind != 'i' && kind != 'u')
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, name, "%s: `%s` is %s; expected a number of elements, an integer",
                      kernel->kernel.name, name, kind ? weft_dtype_name(s->dtype) : "no number");
  if (kind == 'i' && s->value.i < 0)
    return weft__fail(WEFT_ERROR_LAUNCH_LIMIT, name, "%s: `%s` is %lld; expected 0 or more", kernel->kernel.name, name,
                      (long long)s->value.i);
  *count = s->value.u;
  return WEFT_OK;
}

static weft_status launch(weft_kernel *kernel, const uint64_t *rows, uint64_t columns, int argument_count,
                          const weft_arg *arguments, const char *site) {
  weft_dim3 block;
  WEFT__TRY_RETURN(weft__core_check(&kernel->context->core));
  WEFT__TRY_RETURN(weft__choose_block(&block, &kernel->kernel, rows, columns));
  if (columns == 0 || (rows && *rows == 0)) return WEFT_OK;
  const weft_dim3 grid = weft__dim3(weft_ceil_div(columns, block.x), rows ? weft_ceil_div(*rows, block.y) : 1, 1);
  return weft__launch_user(kernel, NULL, grid, block, argument_count, arguments, site);
}

weft_status weft__launch_n_at(weft_kernel *kernel, int argument_count, const weft_arg *arguments, const char *site) {
  uint64_t n;
  weft_status rc;
  weft__enter("weft_launch_n", site);
  WEFT__TRY(weft__handle_check(kernel, WEFT__MAGIC_KERNEL, "kernel"));
  WEFT__TRY(argument_count > 0 && arguments
                ? WEFT_OK
                : weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, "n",
                             "%s: `n` is missing; expected weft_launch_n(kernel, n, arguments...)",
                             kernel->kernel.name));
  WEFT__TRY(count_of(&n, kernel, "n", &arguments[0]));
  rc = launch(kernel, NULL, n, argument_count - 1, arguments + 1, site);
done:
  return weft__leave(rc);
}

weft_status weft__launch_2d_at(weft_kernel *kernel, int argument_count, const weft_arg *arguments, const char *site) {
  uint64_t rows, columns;
  weft_status rc;
  weft__enter("weft_launch_2d", site);
  WEFT__TRY(weft__handle_check(kernel, WEFT__MAGIC_KERNEL, "kernel"));
  WEFT__TRY(argument_count > 1 && arguments
                ? WEFT_OK
                : weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, "rows",
                             "%s: `rows` or `columns` is missing; expected weft_launch_2d(kernel, rows, columns, "
                             "arguments...)",
                             kernel->kernel.name));
  WEFT__TRY(count_of(&rows, kernel, "rows", &arguments[0]));
  WEFT__TRY(count_of(&columns, kernel, "columns", &arguments[1]));
  rc = launch(kernel, &rows, columns, argument_count - 2, arguments + 2, site);
done:
  return weft__leave(rc);
}
