// SPDX-License-Identifier: MIT
#include "base/log.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/text.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int wanted_level;
static weft_log_callback *callback;
static void *callback_user;

void weft_log_set(weft_log_level level, weft_log_callback *new_callback, void *user) {
  pthread_mutex_lock(&lock);
  callback = new_callback;
  callback_user = user;
  atomic_store(&wanted_level, new_callback ? (int)level : WEFT_LOG_NONE);
  pthread_mutex_unlock(&lock);
}

static void end_message(void *text) {
  pthread_mutex_unlock(&lock);
  weft__text_free(text);
}

void weft__log(weft_log_level level, const char *format, ...) {
  if ((int)level > atomic_load_explicit(&wanted_level, memory_order_relaxed)) return;
  weft__text text = {0};
  va_list arguments;
  va_start(arguments, format);
  weft__text_add_va(&text, format, arguments);
  va_end(arguments);
  pthread_mutex_lock(&lock);
  /* also where the callback ends by an exception of C++ (the library is compiled with -fexceptions) or its thread */
  pthread_cleanup_push(end_message, &text);
  if (callback) callback(callback_user, level, weft__text_chars(&text));
  pthread_cleanup_pop(1);
}

void weft_log_write(weft_log_level level, const char *message) {
  if (message) weft__log(level, "%s", message);
}
