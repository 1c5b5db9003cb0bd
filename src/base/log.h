// SPDX-License-Identifier: MIT
/// Says something beside the return values, to whoever asked with weft_log_set.
#ifndef WEFT_BASE_LOG_H
#define WEFT_BASE_LOG_H

#include <weft/status.h>

void weft__log(weft_log_level level, const char *format, ...) WEFT_PRINTF(2, 3);

#endif
