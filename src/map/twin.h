// SPDX-License-Identifier: MIT
/// Native twins: on a CPU device whose buffers are the host's memory, a function of few elements is computed by the
/// calling thread, at once, instead of by a launch that takes longer than the work. The loops have the text of the
/// kernels (map/twins.h), and only operations that IEEE 754 or integers define: the same bits, except of a NaN.
#ifndef WEFT_MAP_TWIN_H
#define WEFT_MAP_TWIN_H

#include "expr/formula.h"

struct weft__map_run;
struct weft__twin;

/// The twin of a formula that is one function of the list, of operands of its dtype; NULL: it has none.
const struct weft__twin *weft__twin_of(const weft__formula *formula);
/// Computes the call and sets *is_done, unless the call must be a launch: its arrays are not all contiguous, have work
/// on them that may not be done, or are watched (profile, trace, guard mode, recordings). Errors: as weft__reach_open.
weft_status weft__twin_run(bool *is_done, const struct weft__map_run *map);

#endif
