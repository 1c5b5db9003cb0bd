// SPDX-License-Identifier: MIT
/// Sends a message to the user's log function (weft_log_set).
#ifndef WEFT_BASE_LOG_H
#define WEFT_BASE_LOG_H

#include <weft/log.h>

void weft__log(weft_log_level level, const char *format, ...) WEFT_PRINTF(2, 3);

#endif
