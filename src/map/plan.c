// SPDX-License-Identifier: MIT
#include "map/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "expr/emit.h"
#include "store/family.h"

#define MOST_WITH_NUMBERS 1024 /* entries */

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
  weft__queues_destroy(&plans->lanes);
  for (int b = 0; b < WEFT__PLAN_BUCKETS; b++)
    for (weft__plan *plan = atomic_load(&plans->bucket[b]), *next; plan; plan = next) {
      next = plan->next;
      weft__formula_free(&plan->formula);
      free(plan);
    }
  for (int b = 0; b < WEFT__PLAN_BUCKETS; b++)
    for (weft__plan_entry *entry = atomic_load(&plans->entry[b]), *next; entry; entry = next) {
      next = entry->next;
      free(entry);
    }
  pthread_mutex_destroy(&plans->lock);
  free(plans);
}

static bool spare_lanes(weft__attachment *attachment) {
  weft__plans *plans = (weft__plans *)attachment;
  return weft__queues_close(&plans->lanes, &plans->context->core);
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
  plans->attachment = (weft__attachment){close_plans, destroy_plans, spare_lanes};
  plans->context = context;
  plans->is_cpu = !device->quirks.gpu_kernels && (device->info.type == WEFT_DEVICE_TYPE_CPU || device->quirks.cpu_kernels);
  plans->has_fp64 = device->info.has_fp64;
  snprintf(plans->options, sizeof plans->options, "%s%s%s", plans->is_cpu ? "-DWEFT_CPU=1 " : "", plans->has_fp64 ? "-DWEFT_FP64=1 " : "",
           device->divides_rounded ? "-cl-fp32-correctly-rounded-divide-sqrt" : "");
  pthread_mutex_init(&plans->lock, NULL);
  for (int s = 0; s < WEFT__MAX_STREAMS; s++) weft__lookback_init(&plans->lookback[s]);
  weft__queues_init(&plans->lanes);
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

static weft__plan *find_plan(weft__plans *plans, unsigned bucket, const void *key, size_t key_size) {
  weft__plan *plan = atomic_load_explicit(&plans->bucket[bucket], memory_order_acquire);
  while (plan && (plan->key_size != key_size || memcmp(plan->key, key, key_size) != 0)) plan = plan->next;
  return plan;
}

static weft__plan_entry *find_entry(weft__plans *plans, unsigned bucket, const void *key, size_t key_size) {
  weft__plan_entry *entry = atomic_load_explicit(&plans->entry[bucket], memory_order_acquire);
  while (entry && (entry->key_size != key_size || memcmp(entry->key, key, key_size) != 0)) entry = entry->next;
  return entry;
}

const weft__plan_entry *weft__plan_find(weft__plans *plans, const void *key, size_t key_size) {
  return find_entry(plans, weft__plan_hash(key, key_size), key, key_size);
}

/// All that a plan depends on: its name, the dtypes, where scalars come from, and the text that its kernels are made of.
static void write_key(weft__text *key, const char *name, const weft__formula *f) {
  weft_dtype out[WEFT__MAX_ARRAYS];
  unsigned char head[3 + 3 * WEFT__MAX_ARRAYS + 2 * WEFT__MAX_SCALARS], *at = head;
  *at++ = (unsigned char)f->inputs;
  *at++ = (unsigned char)f->results;
  *at++ = (unsigned char)f->scalars;
  for (int k = 0; k < f->inputs; k++) *at++ = (unsigned char)f->input[k].dtype, *at++ = f->input[k].is_scalar;
  for (int k = 0; k < f->results; k++) *at++ = (unsigned char)(out[k] = f->node[f->result[k]].dtype);
  for (int k = 0; k < f->scalars; k++) *at++ = (unsigned char)f->scalar[k].input, *at++ = (unsigned char)f->scalar[k].dtype;
  weft__text_add_bytes(key, (const char *)head, (size_t)(at - head));
  weft__text_add_bytes(key, name, strlen(name) + 1);
  weft__emit_element(key, f, out, 0);
}

/// Takes the formula over if there is no such plan yet.
static weft_status get_plan(weft__plan **out, weft__plans *plans, const char *name, weft__formula *formula) {
  weft__text key = {0};
  write_key(&key, name, formula);
  const char *interned = weft__intern(name);
  weft__plan *plan = key.failed || !interned ? NULL : weft__new(sizeof *plan + key.length);
  if (!plan) {
    weft__text_free(&key);
    return weft__fail_host_memory(sizeof *plan);
  }
  plan->name = interned;
  plan->key_size = key.length;
  memcpy(plan->key, weft__text_chars(&key), key.length);
  weft__text_free(&key);
  unsigned bucket = weft__plan_hash(plan->key, plan->key_size);
  pthread_mutex_lock(&plans->lock);
  *out = find_plan(plans, bucket, plan->key, plan->key_size);
  if (!*out) {
    plan->formula = *formula;
    *formula = (weft__formula){0};
    for (int k = 0; k < plan->formula.results; k++) plan->result[k] = plan->formula.node[plan->formula.result[k]].dtype;
    for (int k = 0; k < plan->formula.count; k++) plan->uses_index |= plan->formula.node[k].kind == WEFT__NODE_INDEX;
    plan->is_slow = weft__emit_has_fast(&plan->formula, WEFT__OP_FAST_GPU);
    plan->next = atomic_load_explicit(&plans->bucket[bucket], memory_order_relaxed);
    atomic_store_explicit(&plans->bucket[bucket], plan, memory_order_release);
    *out = plan;
    plan = NULL;
  }
  pthread_mutex_unlock(&plans->lock);
  free(plan);
  return WEFT_OK;
}

static weft_status keep_entry(weft__plans *plans, weft__plan *plan, const uint64_t *numbers, int scalars, const void *key,
                              size_t key_size) {
  size_t number_bytes = 2 * (size_t)scalars * sizeof *numbers;
  weft__plan_entry *entry = weft__new(sizeof *entry + number_bytes + key_size);
  if (!entry) return WEFT_ERROR_HOST_MEMORY;
  unsigned char *own_key = (unsigned char *)entry + sizeof *entry + number_bytes;
  memcpy(entry->number, numbers, number_bytes);
  memcpy(own_key, key, key_size);
  entry->plan = plan;
  entry->key = own_key;
  entry->key_size = key_size;
  unsigned bucket = weft__plan_hash(key, key_size);
  pthread_mutex_lock(&plans->lock);
  bool keeps = !find_entry(plans, bucket, key, key_size);
  if (keeps && scalars) keeps = plans->entries_with_numbers++ < MOST_WITH_NUMBERS;
  if (keeps) {
    entry->next = atomic_load_explicit(&plans->entry[bucket], memory_order_relaxed);
    atomic_store_explicit(&plans->entry[bucket], entry, memory_order_release);
  }
  pthread_mutex_unlock(&plans->lock);
  if (!keeps) free(entry);
  return WEFT_OK;
}

weft_status weft__plan_add(weft__plan **plan, uint64_t *numbers, weft__plans *plans, const void *key, size_t key_size, const char *name,
                           weft__formula *formula) {
  int passed = 0, scalars = formula->scalars;
  for (int k = 0; k < scalars; k++) passed += formula->scalar[k].input == WEFT__NO_INPUT;
  weft__formula_numbers(numbers, formula);
  weft_status rc = get_plan(plan, plans, name, formula);
  weft__formula_free(formula);
  if (rc) return rc;
  return keep_entry(plans, *plan, numbers, passed ? scalars : 0, key, key_size);
}

void weft__plans_visit(weft__plans *plans, void (*visit)(const weft__plan_entry *entry, void *data), void *data) {
  for (int b = 0; b < WEFT__PLAN_BUCKETS; b++)
    for (const weft__plan_entry *entry = atomic_load_explicit(&plans->entry[b], memory_order_acquire); entry; entry = entry->next)
      visit(entry, data);
}

int weft__plan_kernels(const weft__plan *plan) {
  int count = 0;
  for (weft__special *special = atomic_load((_Atomic(weft__special *) *)&plan->specials); special; special = special->next) count++;
  return count;
}
