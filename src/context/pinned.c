// SPDX-License-Identifier: MIT
/// Pinned memory for users: maps each pointer to its context.
#include <weft/pinned.h>

#include <stdlib.h>

#include "base/log.h"
#include "context/context.h"

/// A block retains its context, as arrays do.
typedef struct holder {
  struct holder *next;
  const void *data;
  weft_context *context;
} holder;

static pthread_mutex_t holders_lock = PTHREAD_MUTEX_INITIALIZER;
static holder *holders;

static void hold(holder *h, const void *data, weft_context *context) {
  h->data = data;
  h->context = weft_context_retain(context);
  pthread_mutex_lock(&holders_lock);
  h->next = holders;
  holders = h;
  pthread_mutex_unlock(&holders_lock);
}

/// Removes the first holder of this block or, if `data` is NULL, of this context.
static holder *take(const void *data, const weft_context *context) {
  pthread_mutex_lock(&holders_lock);
  holder **at = &holders;
  while (*at && (data ? (*at)->data != data : (*at)->context != context)) at = &(*at)->next;
  holder *h = *at;
  if (h) *at = h->next;
  pthread_mutex_unlock(&holders_lock);
  return h;
}

void weft__pinned_forget(weft_context *context) {
  holder *h;
  while ((h = take(NULL, context))) {
    weft_context_release(&h->context);
    free(h);
  }
}

/// Makes a block, around `host` if that is not NULL.
static weft_status make(void **data, weft_context *context, void *host, size_t size_bytes, const char *site) {
  holder *h = weft__new(sizeof *h);
  if (!h) return WEFT_ERROR_HOST_MEMORY;
  const weft_status rc = weft__pinned_create(data, &context->pinned, &context->core, host, size_bytes, site);
  if (rc == WEFT_OK)
    hold(h, *data, context);
  else
    free(h);
  return rc;
}

weft_status weft__pinned_alloc_at(void **data, weft_context *context, size_t size_bytes, const char *site) {
  weft_status rc;
  weft__enter("weft_pinned_alloc", site);
  WEFT__NEED_NULL_RESULT(data);
  WEFT__TRY(weft__context_resolve(&context, context));
  rc = make(data, context, NULL, size_bytes, site);
done:
  return weft__leave(rc);
}

weft_status weft__pinned_register_at(void *data, weft_context *context, size_t size_bytes, const char *site) {
  weft_status rc;
  void *mapped;
  weft__enter("weft_pinned_register", site);
  WEFT__NEED(data);
  WEFT__TRY(weft__context_resolve(&context, context));
  if (size_bytes == 0)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "size_bytes", "`size_bytes` is 0; expected the bytes to pin"));
  if (weft__pinned_holds(&context->pinned, data, 1))
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "data",
                         "`data` lies in memory that is pinned already; expected other memory, or weft_pinned_free"));
  rc = make(&mapped, context, data, size_bytes, site);
done:
  return weft__leave(rc);
}

void weft__pinned_free_at(void **data) {
  if (!data || !*data) return;
  holder *h = take(*data, NULL);
  *data = NULL;
  if (!h) {
    weft__log(WEFT_LOG_WARNING,
              "weft_pinned_free: no block of pinned memory begins at this address; it was left as it is");
    return;
  }
  weft_context *context = h->context;
  if (weft__core_is_of_this_process(&context->core)) {
    /* if the device has failed, this marks the context lost, and the next call reports it */
    if (!atomic_load(&context->core.lost)) weft__core_wait(&context->core);
    weft__pinned_release(&context->pinned, &context->core, h->data);
    weft_context_release(&context);
  }
  free(h);
}

bool weft_is_pinned(const weft_context *context, const void *data, size_t size_bytes) {
  if (!weft__handle_is(context, WEFT__MAGIC_CONTEXT) || !weft__core_is_of_this_process(&context->core)) return false;
  return weft__pinned_holds((weft__pinned_blocks *)&context->pinned, data, size_bytes);
}
