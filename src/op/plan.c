// SPDX-License-Identifier: MIT
#include "op/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ocl/info.h"
#include "op/emit.h"
#include "op/family.h"

static void for_each_special(weft__plans *plans, void (*act)(weft__special *)) {
  for (int b = 0; b < WEFT__PLAN_BUCKETS; b++)
    for (weft__plan *plan = atomic_load(&plans->bucket[b]); plan; plan = plan->next)
      for (weft__special *special = atomic_load(&plan->specials), *next; special; special = next) {
        next = special->next;
        act(special);
      }
}

static void close_special(weft__special *special) {
  weft__kernel_close(&special->kernel);
}

static void destroy_special(weft__special *special) {
  weft__kernel_destroy(&special->kernel);
  free(special);
}

static void close_plans(weft__attachment *attachment) {
  weft__plans *plans = (weft__plans *)attachment;
  for_each_special(plans, close_special);
  weft__families_close(plans);
  for (int s = 0; s < WEFT__MAX_STREAMS; s++) weft__lookback_close(&plans->lookback[s]);
}

static void destroy_plans(weft__attachment *attachment) {
  weft__plans *plans = (weft__plans *)attachment;
  for_each_special(plans, destroy_special);
  weft__families_destroy(plans);
  for (int s = 0; s < WEFT__MAX_STREAMS; s++) weft__lookback_destroy(&plans->lookback[s]);
  weft__lanes_destroy(&plans->lanes);
  for (int b = 0; b < WEFT__PLAN_BUCKETS; b++)
    for (weft__plan *plan = atomic_load(&plans->bucket[b]), *next; plan; plan = next) {
      next = plan->next;
      weft__formula_free(&plan->formula);
      free(plan);
    }
  pthread_mutex_destroy(&plans->lock);
  free(plans);
}

static bool spare_lanes(weft__attachment *attachment) {
  weft__plans *plans = (weft__plans *)attachment;
  return weft__lanes_close(&plans->lanes, &plans->context->core);
}

weft_status weft__plans_of(weft__plans **out, weft_context *context) {
  weft__attachment *attached = atomic_load_explicit(&context->functions, memory_order_acquire);
  if (attached) {
    *out = (weft__plans *)attached;
    return WEFT_OK;
  }
  weft__plans *plans = weft__new(sizeof *plans);
  if (!plans) return WEFT_ERROR_HOST_MEMORY;
  const weft__device *device = context->core.device;
  cl_device_fp_config config = 0;
  plans->attachment = (weft__attachment){close_plans, destroy_plans, spare_lanes};
  plans->context = context;
  plans->is_cpu = !device->quirks.gpu_kernels && (device->info.type == WEFT_DEVICE_TYPE_CPU || device->quirks.cpu_kernels);
  plans->has_fp64 = device->info.has_fp64;
  weft_status rc = weft__device_value(&config, sizeof config, device->id, CL_DEVICE_SINGLE_FP_CONFIG, "CL_DEVICE_SINGLE_FP_CONFIG");
  if (rc) {
    free(plans);
    return rc;
  }
  snprintf(plans->options, sizeof plans->options, "%s%s%s", plans->is_cpu ? "-DWEFT_CPU=1 " : "", plans->has_fp64 ? "-DWEFT_FP64=1 " : "",
           config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? "-cl-fp32-correctly-rounded-divide-sqrt" : "");
  pthread_mutex_init(&plans->lock, NULL);
  for (int s = 0; s < WEFT__MAX_STREAMS; s++) weft__lookback_init(&plans->lookback[s]);
  weft__lanes_init(&plans->lanes);
  weft__attachment *none = NULL;
  if (!atomic_compare_exchange_strong(&context->functions, &none, &plans->attachment)) {
    destroy_plans(&plans->attachment);
    plans = (weft__plans *)none;
  }
  *out = plans;
  return WEFT_OK;
}

unsigned weft__plan_hash(const void *bytes, size_t size) {
  uint64_t h = weft__hash(bytes, size, 0);
  return (unsigned)(h ^ h >> 32) % WEFT__PLAN_BUCKETS;
}

static weft__plan *find_in(weft__plans *plans, unsigned bucket, const void *key, size_t key_size) {
  weft__plan *plan = atomic_load_explicit(&plans->bucket[bucket], memory_order_acquire);
  while (plan && (plan->key_size != key_size || memcmp(plan->key, key, key_size) != 0)) plan = plan->next;
  return plan;
}

weft__plan *weft__plan_find(weft__plans *plans, const void *key, size_t key_size) {
  return find_in(plans, weft__plan_hash(key, key_size), key, key_size);
}

weft_status weft__plan_add(weft__plan **out, weft__plans *plans, const void *key, size_t key_size, const char *name,
                           weft__formula *formula) {
  weft__plan *plan = weft__new(sizeof *plan + key_size);
  const char *interned = weft__intern(name);
  if (!plan || !interned) {
    free(plan);
    weft__formula_free(formula);
    return WEFT_ERROR_HOST_MEMORY;
  }
  plan->name = interned;
  plan->formula = *formula;
  plan->key_size = key_size;
  memcpy(plan->key, key, key_size);
  for (int k = 0; k < formula->results; k++) plan->result[k] = formula->node[formula->result[k]].dtype;
  for (int k = 0; k < formula->count; k++) plan->uses_index |= formula->node[k].kind == WEFT__NODE_INDEX;
  plan->is_slow = weft__emit_has_fast(formula, WEFT__OP_FAST_GPU);
  unsigned bucket = weft__plan_hash(key, key_size);
  pthread_mutex_lock(&plans->lock);
  weft__plan *other = find_in(plans, bucket, key, key_size);
  if (!other) {
    plan->next = atomic_load_explicit(&plans->bucket[bucket], memory_order_relaxed);
    atomic_store_explicit(&plans->bucket[bucket], plan, memory_order_release);
  }
  pthread_mutex_unlock(&plans->lock);
  *out = other ? other : plan;
  if (other) {
    weft__formula_free(&plan->formula);
    free(plan);
  }
  return WEFT_OK;
}

void weft__plans_visit(weft__plans *plans, void (*visit)(const weft__plan *plan, void *data), void *data) {
  for (int b = 0; b < WEFT__PLAN_BUCKETS; b++)
    for (const weft__plan *plan = atomic_load_explicit(&plans->bucket[b], memory_order_acquire); plan; plan = plan->next) visit(plan, data);
}

int weft__plan_kernels(const weft__plan *plan) {
  int count = 0;
  for (weft__special *special = atomic_load((_Atomic(weft__special *) *)&plan->specials); special; special = special->next) count++;
  return count;
}
