// SPDX-License-Identifier: MIT
#include "engine/ways.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/text.h"
#include "base/trace.h"

/// WEFT_WAY as it was when it was read: each call would spend 70 ns on it.
static char *wanted_ways;
static const char *unknown; /* the first item of these that names no operation */
static pthread_once_t reading = PTHREAD_ONCE_INIT;

static bool is_operation(const char *item) {
  static const char *const names[] = {
#define NAME(operation) #operation,
      WEFT__OPERATIONS(NAME)};
  const size_t length = strcspn(item, ":,");
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strlen(names[k]) == length && strncmp(names[k], item, length) == 0) return item[length] == ':';
  return false;
}

void weft__ways_read(void) {
  const char *text = weft__environment_text(WEFT__ENV_WAY);
  free(wanted_ways);
  wanted_ways = text ? strdup(text) : NULL;
  unknown = NULL;
  for (const char *at = wanted_ways; at && !unknown; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (!is_operation(at)) unknown = at;
}

/// Why the device or the task rules the way out; NULL: it does not.
static const char *refusal_of(const weft__ways *ways, const weft__way *way, const weft_context *context,
                              const void *task) {
  const bool is_cpu = ways->is_exact ? context->store.has_loops : context->store.is_cpu;
  if (way->on == (is_cpu ? WEFT__ON_GPUS : WEFT__ON_CPUS)) return "other devices";
  if (way->groups_floats && context->core.reproducible) return "reproducible context";
  return !way->fits || way->fits(task) ? NULL : "does not fit";
}

/// The number of the way that WEFT_WAY names for the operation; -1: none. Errors: ARGUMENT.
static weft_status find_wanted(int *wanted, const weft__ways *ways) {
  const size_t length = strlen(ways->operation);
  pthread_once(&reading, weft__ways_read);
  const char *list = wanted_ways, *at = list;
  *wanted = -1;
  if (unknown)
    return weft__fail(
        WEFT_ERROR_ARGUMENT, "WEFT_WAY",
        "WEFT_WAY is `%s`, and `%.*s` names no operation and way; expected one as sort:tiles (`weft ways` "
        "lists them)",
        list, (int)strcspn(unknown, ","), unknown);
  for (; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    if (strncmp(at, ways->operation, length) != 0 || at[length] != ':') continue;
    const char *name = at + length + 1;
    const size_t size = strcspn(name, ",");
    for (int k = 0; k < ways->count; k++)
      if (strlen(ways->way[k].name) == size && strncmp(ways->way[k].name, name, size) == 0) *wanted = k;
    if (*wanted >= 0) return WEFT_OK;
    weft__text names = {0};
    for (int k = 0; k < ways->count; k++) weft__text_add(&names, "%s%s", k ? ", " : "", ways->way[k].name);
    const weft_status rc =
        weft__fail(WEFT_ERROR_ARGUMENT, "WEFT_WAY", "WEFT_WAY is `%s`, and %s has no way `%.*s`; expected one of %s",
                   list, ways->operation, (int)size, name, weft__text_chars(&names));
    weft__text_free(&names);
    return rc;
  }
  return WEFT_OK;
}

/* ---- what `weft ways` says of ways that did not run ---- */

enum { MOST_WATCHED = 256 };
static bool is_watching;
static struct {
  const weft__way *way;
  const char *why_not;
} watched[MOST_WATCHED]; /* each way once: of the latest task */
static int watched_count;

void weft__ways_watch(bool on) {
  is_watching = on;
  if (on) watched_count = 0;
}

const char *weft__way_why_not(const weft__way *way) {
  for (int k = 0; k < watched_count; k++)
    if (watched[k].way == way) return watched[k].why_not;
  return NULL;
}

static void watch(const weft__way *way, const char *why_not) {
  int k = 0;
  while (k < watched_count && watched[k].way != way) k++;
  if (k == MOST_WATCHED) return;
  watched[k].way = way;
  watched[k].why_not = why_not;
  if (k == watched_count) watched_count++;
}

/* ---- a task ---- */

static weft_status run(bool *is_done, const weft__ways *ways, int number, const weft_context *context,
                       const void *task) {
  const weft__way *way = &ways->way[number];
  const char *why_not = refusal_of(ways, way, context, task);
  weft_status rc = WEFT_OK;
  if (!why_not) {
    const weft__way_name outer = weft__trace_way((weft__way_name){ways->operation, way->name});
    rc = way->run(is_done, task);
    weft__trace_way(outer);
  }
  if (is_watching) watch(way, why_not ? why_not : *is_done ? NULL : "declined");
  return rc;
}

weft_status weft__ways_run(const weft__ways *ways, const weft_context *context, const void *task) {
  int wanted;
  bool is_done = false;
  WEFT__TRY_RETURN(find_wanted(&wanted, ways));
  if (wanted >= 0) WEFT__TRY_RETURN(run(&is_done, ways, wanted, context, task));
  for (int k = 0; k < ways->count && !is_done; k++)
    if (k != wanted) WEFT__TRY_RETURN(run(&is_done, ways, k, context, task));
  return is_done ? WEFT_OK : weft__fail(WEFT_ERROR_INTERNAL, NULL, "no way of %s does this", ways->operation);
}
