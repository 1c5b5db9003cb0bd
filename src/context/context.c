// SPDX-License-Identifier: MIT
/// A context's life: creation, adoption, sharing, closing.
#include "context/context.h"

#include <stdlib.h>

#include "context/leaks.h"
#include "context/objects.h"
#include "core/at_exit.h"
#include "core/reproducible.h"
#include "mem/lifetime.h"
#include "mem/timeline.h"

static pthread_mutex_t default_lock = PTHREAD_MUTEX_INITIALIZER;
static weft_context *default_context[64]; /* by device number; each keeps a reference permanently, because making a
                                             context costs 0.4 s on some drivers */

#define DEFAULT_CONTEXTS ((int)(sizeof default_context / sizeof *default_context))

static weft_status check_version(int header_version) {
  /* before 1.0 a new minor version may be incompatible */
  if (header_version / 1000 == WEFT_VERSION_NUMBER / 1000) return WEFT_OK;
  return weft__fail(WEFT_ERROR_VERSION, NULL,
                    "the program was compiled with Weft's headers %d.%d.%d, and runs with the library %s",
                    header_version / 1000000, header_version / 1000 % 1000, header_version % 1000, WEFT_VERSION_STRING);
}

static void close_sampler(weft_sampler *sampler) {
  weft__release(sampler->sampler);
  sampler->sampler = NULL;
}

/// Releases all device memory and driver objects, also of handles that are still held.
static void close_device_side(weft_context *context) {
  weft__core *core = &context->core;
  weft__ledger *ledger = &core->ledger;
  void *object;
  for (int k = 0; k < weft__follower_count; k++) weft__followers[k].end(context);
  weft__at_exit_forget(&context->core);
  atomic_store(&core->closed, true);
  while ((object = weft__ledger_take(ledger, WEFT__LEDGER_EVENT))) weft__event_close(object);
  while ((object = weft__ledger_take(ledger, WEFT__LEDGER_TIMER))) weft__timer_close(object);
  while ((object = weft__ledger_take(ledger, WEFT__LEDGER_STREAM))) weft__stream_close(object);
  while ((object = weft__ledger_take(ledger, WEFT__LEDGER_KERNEL)))
    weft__kernel_close(&((weft_kernel *)object)->kernel);
  while (weft__ledger_take(ledger, WEFT__LEDGER_PINNED)) {
    /* weft__pinned_close frees them from its own list */
  }
  while (weft__ledger_take(ledger, WEFT__LEDGER_RNG)) {
    /* generators have no driver objects */
  }
  while (weft__ledger_take(ledger, WEFT__LEDGER_CSR)) {
    /* nor have sparse matrices besides their arrays */
  }
  while ((object = weft__ledger_take(ledger, WEFT__LEDGER_SAMPLER))) close_sampler(object);
  while (weft__ledger_take(ledger, WEFT__LEDGER_IMAGE)) {
    /* an image owns no driver objects: its storage is closed below */
  }
  while (weft__ledger_take(ledger, WEFT__LEDGER_ARRAY)) {
    /* nor does an array */
  }
  while ((object = weft__ledger_take(ledger, WEFT__LEDGER_STORAGE))) weft__storage_close(object);
  weft__store_close(&context->store);
  weft__pool_trim(&context->pool);
  weft__ring_close(&context->ring, &context->pinned);
  weft__pinned_close(&context->pinned);
  weft__cuda_close(core);
  weft__core_close(core);
}

/// Frees the rest after the last reference is gone.
static void destroy(weft_context *context) {
  if (!atomic_load(&context->core.closed)) {
    weft__core_wait(&context->core);
    close_device_side(context);
  }
  weft__store_destroy(&context->store);
  weft__queues_destroy(&context->queues);
  weft__timeline_free(&context->core);
  weft__pool_destroy(&context->pool);
  weft__ring_destroy(&context->ring);
  weft__pinned_destroy(&context->pinned);
  weft__core_destroy(&context->core);
  weft__object_free(&context->object);
}

/// Called at the process's end for an open context.
static void last_words(weft__core *core) {
  weft_context *context = (weft_context *)((char *)core - offsetof(weft_context, core));
  for (int k = 0; k < weft__follower_count; k++)
    if (weft__followers[k].at_exit) weft__followers[k].at_exit(context);
  weft__leaks_at_exit(context);
}

static void keep(weft__core *core) {
  weft__store_keep(&((weft_context *)((char *)core - offsetof(weft_context, core)))->store);
}

static weft_status begin_followers(weft_context *context) {
  weft_status rc = WEFT_OK;
  int begun = 0;
  while (begun < weft__follower_count && (rc = weft__followers[begun].begin(context)) == WEFT_OK) begun++;
  while (rc && begun > 0) weft__followers[--begun].end(context);
  return rc;
}

/// Adds the other parts to an opened core. On failure the core is closed too.
static weft_status put_together(weft_context *context, const weft_context_params *params) {
  weft_status rc;
  bool has_pool = false, has_store = false;
  weft__object_begin(&context->object, WEFT__MAGIC_CONTEXT, context->core.fork_generation);
  weft__ring_init(&context->ring);
  weft__pinned_init(&context->pinned);
  weft__queues_init(&context->queues);
  WEFT__TRY(weft__reproducible_begin(&context->core, params));
  WEFT__TRY(weft__pool_init(&context->pool, &context->core, params));
  has_pool = true;
  context->pool.ring = &context->ring;
  context->pool.pinned = &context->pinned;
  WEFT__TRY(weft__store_open(&context->store, &context->core, &context->pool));
  has_store = true;
  WEFT__TRY(begin_followers(context));
  /* a profile needs the times of all commands */
  weft__at_exit_watch(&context->core, context->profile_request != 0, keep, last_words);
  return WEFT_OK;
done:
  if (has_store) {
    weft__store_close(&context->store);
    weft__store_destroy(&context->store);
  }
  if (has_pool) {
    weft__pool_trim(&context->pool);
    weft__pool_destroy(&context->pool);
  }
  weft__queues_destroy(&context->queues);
  weft__ring_destroy(&context->ring);
  weft__pinned_destroy(&context->pinned);
  weft__cuda_close(&context->core);
  weft__core_close(&context->core);
  weft__core_destroy(&context->core);
  return rc;
}

static weft_status create(weft_context **out, weft__device *device, const weft_context_params *params) {
  if (weft__at_exit_is_over())
    return weft__fail(WEFT_ERROR_CLOSED, NULL, "the process is ending: no context can be made any more");
  weft_status rc;
  weft_context *context = weft__new(sizeof *context);
  if (!context) return WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__core_open(&context->core, device, params));
  WEFT__TRY(put_together(context, params));
  *out = context;
  context = NULL;
done:
  free(context);
  return rc;
}

static weft_status check_params(const weft_context_params *params) {
  if ((int)params->wait < WEFT_WAIT_AUTO || params->wait > WEFT_WAIT_SLEEP)
    return weft__fail(WEFT_ERROR_ARGUMENT, "wait", "`.wait` is %d, which is no weft_wait_policy", (int)params->wait);
  return WEFT_OK;
}

weft_status weft__context_create_at(weft_context **out, const weft_context_params *params, int header_version) {
  weft__device *device;
  const weft_context_params p = WEFT__PARAMS(params);
  weft__enter("weft_context_create", p.site);
  WEFT__NEED(out);
  *out = NULL;
  weft_status rc;
  WEFT__TRY(check_version(header_version));
  WEFT__TRY(check_params(&p));
  WEFT__TRY(weft__device_choose(&device, p.device));
  rc = create(out, device, &p);
done:
  return weft__leave(rc);
}

weft_status weft__context_adopt(weft_context **out, weft__cl_context cl, weft__cl_queue queue,
                                const weft_context_params *params, int header_version) {
  weft_status rc;
  weft_context *context = NULL;
  WEFT__TRY(check_version(header_version));
  WEFT__TRY(check_params(params));
  WEFT__TRY((context = weft__new(sizeof *context)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__core_adopt(&context->core, cl, queue, params));
  WEFT__TRY(put_together(context, params));
  *out = context;
  context = NULL;
done:
  free(context);
  return rc;
}

/// `retain`: the caller gets its own reference; otherwise it relies on the table's.
static weft_status get_default(weft_context **out, bool retain) {
  weft_status rc = WEFT_OK;
  weft__device *device;
  WEFT__TRY_RETURN(weft__device_choose(&device, NULL));
  int index = device->info.index;
  if (index >= DEFAULT_CONTEXTS)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, NULL,
                      "device %d has no default context, only the first %d have; make one with weft_context_create",
                      index, DEFAULT_CONTEXTS);
  const weft_context_params defaults = {0};
  pthread_mutex_lock(&default_lock);
  if (!default_context[index]) rc = create(&default_context[index], device, &defaults);
  *out = rc == WEFT_OK ? default_context[index] : NULL;
  if (retain) weft_context_retain(*out);
  pthread_mutex_unlock(&default_lock);
  return weft__while(rc, "making the default context");
}

weft_status weft__context_default_at(weft_context **out, int header_version, const char *site) {
  weft__enter("weft_context_default", site);
  WEFT__NEED(out);
  *out = NULL;
  weft_status rc;
  WEFT__TRY(check_version(header_version));
  rc = get_default(out, true);
done:
  return weft__leave(rc);
}

weft_status weft__context_check(const weft_context *context) {
  WEFT__TRY_RETURN(weft__handle_check(context, WEFT__MAGIC_CONTEXT, "context"));
  return weft__core_check((weft__core *)&context->core);
}

weft_status weft__context_check_readable(const weft_context *context) {
  WEFT__TRY_RETURN(weft__handle_check(context, WEFT__MAGIC_CONTEXT, "context"));
  return weft__core_is_of_this_process(&context->core) ? WEFT_OK : weft__core_check((weft__core *)&context->core);
}

weft_status weft__context_resolve(weft_context **context, weft_context *given) {
  *context = given;
  if (!given) WEFT__TRY_RETURN(get_default(context, false));
  return weft__context_check(*context);
}

weft_status weft__context_peek(weft_context **context, weft_context *given) {
  weft__device *device;
  *context = given;
  if (given) return weft__context_check(given);
  WEFT__TRY_RETURN(weft__device_choose(&device, NULL));
  if (device->info.index >= DEFAULT_CONTEXTS) return WEFT_OK;
  pthread_mutex_lock(&default_lock);
  *context = default_context[device->info.index];
  pthread_mutex_unlock(&default_lock);
  return *context ? weft__context_check(*context) : WEFT_OK;
}

WEFT__DEFINE_COUNTED(weft_context, WEFT__MAGIC_CONTEXT, destroy)

/// Waits, and reports errors of kernels.
static weft_status wait_all(weft__core *core) {
  const weft__covered covered = weft__slot_covers(core, 0);
  WEFT__TRY_RETURN(weft__core_wait(core));
  WEFT__TRY_RETURN(weft__deferred_report(core, &covered));
  return core->guard ? weft__guard_check(core->guard) : WEFT_OK;
}

weft_status weft_context_close(weft_context **context) {
  weft__enter("weft_context_close", NULL);
  WEFT__NEED(context);
  weft_context *c = *context;
  if (!c) return weft__leave(WEFT_OK);
  weft_status rc = weft__handle_check(c, WEFT__MAGIC_CONTEXT, "*context");
  if (rc) return weft__leave(rc);
  *context = NULL;
  if (!weft__core_is_of_this_process(&c->core)) return weft__leave(weft__core_check(&c->core));
  if (atomic_load(&c->core.closed)) {
    rc = weft__fail(WEFT_ERROR_CLOSED, "context", "`*context` was closed before; this reference to it is dropped");
  } else {
    const bool ended = atomic_load(&c->core.ended); /* then all work was waited for */
    if (!ended) rc = weft__core_check(&c->core);
    if (!ended && rc == WEFT_OK) rc = wait_all(&c->core);
    weft__stream_unuse(c); /* a stream that this thread still uses is not a leak */
    weft_status leaked = weft__leaks_report(c);
    if (rc == WEFT_OK)
      rc = leaked;
    else if (leaked)
      rc = weft__while(rc, "closing a context with live objects (WEFT_LEAKS=1 lists them on stderr)");
    close_device_side(c);
    weft__pinned_forget(c);
  }
  bool was_default = false;
  pthread_mutex_lock(&default_lock);
  for (int i = 0; i < DEFAULT_CONTEXTS; i++)
    if (default_context[i] == c) {
      default_context[i] = NULL;
      was_default = true;
    }
  pthread_mutex_unlock(&default_lock);
  if (was_default) {
    weft_context *table = c;
    weft_context_release(&table);
  }
  weft_context_release(&c);
  return weft__leave(rc);
}

weft_status weft_context_wait(weft_context *context) {
  weft__enter("weft_context_wait", NULL);
  weft_status rc;
  WEFT__TRY(weft__context_check(context));
  rc = wait_all(&context->core);
done:
  return weft__leave(rc);
}

weft_status weft_context_get_device(weft_device_info *info, const weft_context *context) {
  weft__enter("weft_context_get_device", NULL);
  WEFT__NEED(info);
  weft_status rc;
  WEFT__TRY(weft__handle_check(context, WEFT__MAGIC_CONTEXT, "context"));
  *info = context->core.device->info;
done:
  return weft__leave(rc);
}
