// SPDX-License-Identifier: MIT
/// The log: warnings and notes of the library, sent to a function of the program. It is off by default.
///
///     static void show(void *user, weft_log_level level, const char *message) {
///       fprintf(user, "weft: %d: %s\n", (int)level, message);
///     }
///
/// weft_log_set(WEFT_LOG_WARNING, show, stderr) shows errors and warnings.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_LOG_H
#define WEFT_LOG_H

#include <weft/api.h>

WEFT_BEGIN_DECLS

/// How grave a message is. A log at one level gets the messages of this and of all graver levels.
typedef enum weft_log_level {
  WEFT_LOG_NONE = 0,
  WEFT_LOG_ERROR,
  WEFT_LOG_WARNING,
  WEFT_LOG_INFO,
  WEFT_LOG_DEBUG,
} weft_log_level;

/// Receives a message, which is valid during the call. It may be called from any thread that calls Weft and from
/// threads of the driver, but never twice at the same time. It must not call Weft. It should not throw either: the log
/// stays usable, but the call of Weft that wrote the message ends unfinished.
typedef void weft_log_callback(void *user, weft_log_level level, const char *message);

/// Sends messages up to `level` to `callback`, for the whole process; NULL turns the log off.
WEFT_API void weft_log_set(weft_log_level level, weft_log_callback *callback, void *user);
/// Sends a message to the log: of the program, or of a library on top of Weft.
WEFT_API void weft_log_write(weft_log_level level, const char *message);

WEFT_END_DECLS

#endif
