// SPDX-License-Identifier: MIT
/// Candidates are all blocks with all sets of definitions. Each kernel is built once and timed with every block.
#include <weft/tune.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <weft/timeit.h>

#include "base/hash.h"
#include "base/log.h"
#include "context/objects.h"
#include "launch/user_launch.h"
#include "report/tune_file.h"

#define DEFAULT_RUNS 3

typedef struct tuner {
  weft_context *context;
  weft_tune_function *run;
  void *user;
  const weft_tune_params *params;
  weft_kernel *kernel, *best_kernel;
  weft_tuning tried, best; /* best.time_ns below 0: none yet */
  weft_status refusal;     /* of the last candidate that was passed over */
  int done, all;
} tuner;

static int count_sets(const weft_tune_params *p) {
  return p->define_sets ? p->define_set_count : 1;
}

static weft_status make_kernel(weft_kernel **kernel, const tuner *t, int set) {
  weft_kernel_params p = t->params->kernel;
  if (t->params->define_sets) p.defines = t->params->define_sets[set];
  p.site = t->params->site;
  return weft__kernel_create_at(kernel, t->context, &p);
}

static weft_status check(const weft_tune_params *p, weft_tune_function *run) {
  if (!run) return weft__fail(WEFT_ERROR_ARGUMENT, "run", "`run` is NULL; expected a function that launches");
  if (!p->blocks || p->block_count < 1)
    return weft__fail(WEFT_ERROR_ARGUMENT, "blocks", "`blocks` is %s and `block_count` %d; expected one block or more",
                      p->blocks ? "given" : "NULL", p->block_count);
  if (p->define_sets && p->define_set_count < 1)
    return weft__fail(WEFT_ERROR_ARGUMENT, "define_set_count", "`define_set_count` is %d; expected 1 or more",
                      p->define_set_count);
  if (p->define_sets && p->kernel.defines)
    return weft__fail(WEFT_ERROR_ARGUMENT, "kernel",
                      "`.kernel.defines` and `.define_sets` are given; expected one of them");
  for (int k = 0; p->define_sets && k < p->define_set_count; k++)
    if (!p->define_sets[k])
      return weft__fail(WEFT_ERROR_ARGUMENT, "define_sets", "list %d of `define_sets` is NULL", k);
  return WEFT_OK;
}

/* ---- the file ---- */

/// The hash of the source with each set of definitions, and of the blocks.
static weft_status find_hash(uint64_t *hash, const tuner *t) {
  *hash = 1;
  for (int set = 0; set < count_sets(t->params); set++) {
    weft_kernel_params p = t->params->kernel;
    if (t->params->define_sets) p.defines = t->params->define_sets[set];
    WEFT__TRY_RETURN(weft__kernel_source_hash(hash, t->context, &p));
  }
  for (int k = 0; k < t->params->block_count; k++) {
    const weft_dim3 b = t->params->blocks[k];
    const uint64_t lengths[] = {b.x, b.y, b.z};
    *hash = weft__hash(lengths, sizeof lengths, *hash);
  }
  return WEFT_OK;
}

/// Takes the winner of the file if it is one of the candidates.
static weft_status take_kept(tuner *t, const weft__tune_key *key) {
  weft_tuning kept;
  bool found, is_candidate = false;
  WEFT__TRY_RETURN(weft__tune_find(&found, &kept, t->params->file, key));
  for (int k = 0; k < t->params->block_count && found; k++) {
    const weft_dim3 b = t->params->blocks[k];
    is_candidate = is_candidate || (b.x == kept.block.x && b.y == kept.block.y && b.z == kept.block.z);
  }
  if (!is_candidate || kept.define_set < 0 || kept.define_set >= count_sets(t->params)) return WEFT_OK;
  WEFT__TRY_RETURN(make_kernel(&t->best_kernel, t, kept.define_set));
  t->best = kept;
  t->best.was_kept = true;
  return WEFT_OK;
}

/* ---- the measurement ---- */

static weft_status call_run(void *argument) {
  const tuner *t = argument;
  return t->run(t->kernel, t->tried.block, t->user);
}

static bool is_refusal(weft_status rc) {
  return rc == WEFT_ERROR_LAUNCH_LIMIT || rc == WEFT_ERROR_BUILD || rc == WEFT_ERROR_UNSUPPORTED;
}

static void tell(tuner *t) {
  const weft_dim3 b = t->tried.block;
  t->done++;
  if (t->tried.time_ns < 0)
    weft__log(WEFT_LOG_INFO, "weft_tune: %d of %d: definitions %d, block %llu x %llu x %llu: refused", t->done, t->all,
              t->tried.define_set, (unsigned long long)b.x, (unsigned long long)b.y, (unsigned long long)b.z);
  else
    weft__log(WEFT_LOG_INFO, "weft_tune: %d of %d: definitions %d, block %llu x %llu x %llu: %.3f us", t->done, t->all,
              t->tried.define_set, (unsigned long long)b.x, (unsigned long long)b.y, (unsigned long long)b.z,
              t->tried.time_ns * 1e-3);
  if (t->params->progress) t->params->progress(t->user, &t->tried, t->done, t->all);
}

/// Times the kernel with a block; `made` is why there is no kernel.
static weft_status try_block(tuner *t, weft_dim3 block, weft_status made) {
  weft_timing timing = {0};
  const weft_timeit_params how = {
      .runs = t->params->runs ? t->params->runs : DEFAULT_RUNS, .loops = t->params->loops, .site = t->params->site};
  t->tried.block = block;
  const weft_status rc = made ? made : weft__timeit_at(&timing, t->context, call_run, t, &how);
  t->tried.time_ns = rc ? -1 : timing.best_ns;
  if (rc && !is_refusal(rc)) return rc;
  if (rc) t->refusal = rc;
  tell(t);
  if (rc || (t->best_kernel && t->best.time_ns <= timing.best_ns)) return WEFT_OK;
  t->best = t->tried;
  weft_kernel_release(&t->best_kernel);
  t->best_kernel = weft_kernel_retain(t->kernel);
  return WEFT_OK;
}

static weft_status measure(tuner *t) {
  weft_status rc = WEFT_OK;
  t->all = count_sets(t->params) * t->params->block_count;
  for (int set = 0; set < count_sets(t->params); set++) {
    t->tried = (weft_tuning){.define_set = set};
    const weft_status made = make_kernel(&t->kernel, t, set);
    if (made && !is_refusal(made)) return made;
    for (int k = 0; k < t->params->block_count; k++) WEFT__TRY(try_block(t, t->params->blocks[k], made));
    weft_kernel_release(&t->kernel);
  }
  if (!t->best_kernel) rc = weft__while(t->refusal, "trying the last of %d candidates, all of them refused", t->all);
done:
  weft_kernel_release(&t->kernel);
  return rc;
}

static weft_status tune(tuner *t) {
  uint64_t hash = 0;
  const char *file = t->params->file;
  WEFT__TRY_RETURN(check(t->params, t->run));
  WEFT__TRY_RETURN(weft__context_resolve(&t->context, t->context));
  const weft_device_info *device = &t->context->core.device->info;
  if (file) WEFT__TRY_RETURN(find_hash(&hash, t));
  const weft__tune_key key = {.hash = hash,
                              .kernel = t->params->kernel.name ? t->params->kernel.name : "",
                              .device = device->name,
                              .driver = device->driver_version};
  if (file) WEFT__TRY_RETURN(take_kept(t, &key));
  if (t->best_kernel) return WEFT_OK;
  WEFT__TRY_RETURN(measure(t));
  return file ? weft__tune_keep(file, &key, &t->best) : WEFT_OK;
}

weft_status weft__tune_at(weft_kernel **out, weft_tuning *tuning, weft_context *context, weft_tune_function *run,
                          void *user, const weft_tune_params *params) {
  const weft_tune_params p = WEFT__PARAMS(params);
  tuner t = {.context = context, .run = run, .user = user, .params = &p};
  weft_status rc;
  weft__enter("weft_tune", p.site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(tune(&t));
  if (tuning) *tuning = t.best;
  *out = t.best_kernel;
  t.best_kernel = NULL;
done:
  weft_kernel_release(&t.best_kernel);
  return weft__leave(rc);
}
