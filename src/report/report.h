// SPDX-License-Identifier: MIT
/// Shared by the reports.
#ifndef WEFT_REPORT_REPORT_H
#define WEFT_REPORT_REPORT_H

#include <weft/memory.h>

#include "base/error.h"

static inline weft_status weft__report_format_check(weft_report_format format) {
  if (format == WEFT_REPORT_TABLE || format == WEFT_REPORT_JSON) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "format", "`format` is %d, which is no weft_report_format", (int)format);
}

#endif
