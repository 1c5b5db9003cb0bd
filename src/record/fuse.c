// SPDX-License-Identifier: MIT
/// Fuses elementwise launches when a recording ends. Launches wait in a window for those after them. Launches of it
/// that share memory which one of them writes, element by element, are a chain: one kernel computes for an element what
/// they compute for it, one after the other, with every value rounded as if it were stored. A chain stores what someone
/// can see or a later command reads. Its kernel is launched before a command that shares such memory otherwise; a
/// command that shares nothing with the window goes before it. Chains of one shape that are small share a kernel,
/// because their launches would take longer than their work.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/strides.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/scratch.h"
#include "base/trace.h"
#include "record/recording.h"

/* One kernel's share. The numbers keep its arguments near 1 KiB, which OpenCL 1.2 requires, and builds short. */
enum { MOST_LAUNCHES = 64, MOST_ARRAYS = 16, MOST_SCALARS = 32, MOST_NODES = 160, MOST_VALUES = 96 };
/* The share of a kernel that several chains have together. */
enum { MOST_CHAINS = 16, MOST_SHARED_ARRAYS = 48, MOST_ARGUMENT_BYTES = 1024 };
/* A chain is small if it moves at most this, in less time than its launch takes: NVIDIA's driver launches in 4 us, in
   which an H100 moves 12 MB; PoCL launches in 1 to 3 us, in which a core moves 20 to 60 KB. */
#define SMALL_BYTES (UINT64_C(4) << 20)
#define SMALL_CPU_BYTES (UINT64_C(64) << 10)

/// How the arrays of a chain lie in memory: chains may share a kernel if theirs lie alike.
typedef enum form {
  FORM_FLAT, /* contiguous, or one element for all */
  FORM_ROWS, /* contiguous along the last axis, or one element for all of that */
  FORM_OTHER
} form;

/// Elements that launches of a chain share.
typedef struct value {
  const weft__recorded_view *view;
  bool is_read; /* before the chain writes it: an input */
  bool is_written;
  bool is_result; /* written, and needed afterwards */
  int node;
} value;

/// A chain, or several that share a kernel.
typedef struct chain {
  int chains;
  int first[MOST_CHAINS]; /* the places of their first launches in the window */
  int launches;
  int launch[MOST_LAUNCHES]; /* numbers of commands */
  int values;
  value value[MOST_VALUES];
  int nodes, scalars, arrays;
  bool has_result;
  form form;
  uint64_t bytes; /* moved */
} chain;

typedef struct fusion {
  weft_recording *recording;
  int *last_use;                /* by buffer: the last command that uses it */
  weft__recorded_command *kept; /* the commands as they will be */
  int kept_count;
  int end;                     /* the first command that is not in the window or before it */
  int places;                  /* of the window: */
  int launch[MOST_LAUNCHES];   /* by place: the command */
  int chain_of[MOST_LAUNCHES]; /* by place: the place of its chain's first launch */
  uint64_t small_bytes;
  int of_chains, of_several; /* kernels made of one chain of several launches, and of several chains */
  chain now, other;
} fusion;

/* ---- views ---- */

static const weft__recorded_map *map_of(const fusion *f, int command) {
  const int map = f->recording->command[command].map;
  return map < 0 ? NULL : &f->recording->map[map];
}

static weft__storage *storage_of(const weft_recording *r, const weft__recorded_view *view) {
  return r->storage[r->buffer[view->buffer].storage].storage;
}

/// The view as a handle that nobody owns.
static weft_array array_of(const weft_recording *r, const weft__recorded_view *view, const weft_shape *shape) {
  weft_array x = {.context = r->context,
                  .storage = storage_of(r, view),
                  .dtype = view->dtype,
                  .ndim = shape->ndim,
                  .offset_bytes = view->offset_bytes,
                  .size = 1};
  for (int d = 0; d < shape->ndim; d++) {
    x.shape[d] = shape->dim[d];
    x.stride_bytes[d] = view->stride_bytes[d];
    if (view->stride_bytes[d]) x.size *= shape->dim[d];
  }
  return x;
}

static bool is_same_view(const weft__recorded_view *a, const weft__recorded_view *b, int ndim) {
  return a->buffer == b->buffer && a->dtype == b->dtype && a->offset_bytes == b->offset_bytes &&
         memcmp(a->stride_bytes, b->stride_bytes, (size_t)ndim * sizeof a->stride_bytes[0]) == 0;
}

/* ---- windows ---- */

typedef enum relation { UNRELATED, CHAINED, APART } relation;

/// How two views relate of which one at least is written.
static relation relate_views(const weft_recording *r, const weft__recorded_map *a, const weft__recorded_view *in_a,
                             const weft__recorded_map *b, const weft__recorded_view *in_b) {
  const weft__storage *of_a = storage_of(r, in_a), *of_b = storage_of(r, in_b);
  if (of_a != of_b) return weft__storages_may_share(of_a, of_b) ? APART : UNRELATED;
  const weft_array x = array_of(r, in_a, &a->shape), y = array_of(r, in_b, &b->shape);
  if (!weft__arrays_overlap(&x, &y)) return UNRELATED;
  /* buffers of one storage have no values in common: there, element by element is enough */
  const bool is_same =
      in_a->buffer == in_b->buffer ? is_same_view(in_a, in_b, a->shape.ndim) : weft__arrays_same(&x, &y);
  return is_same && weft__same_shape(a->shape, b->shape) ? CHAINED : APART;
}

static relation relate(const fusion *f, int one, int other) {
  const weft_recording *r = f->recording;
  const weft__recorded_map *a = map_of(f, one), *b = map_of(f, other);
  relation all = UNRELATED;
  for (int i = 0; i < a->views; i++)
    for (int j = 0; j < b->views; j++) {
      if (i >= a->plan->formula.results && j >= b->plan->formula.results) continue;
      const relation now = relate_views(r, a, &r->view[a->first_view + i], b, &r->view[b->first_view + j]);
      if (now > all) all = now;
    }
  return all;
}

/// Whether the user has an array of the buffer, by which to see or bind it.
static bool is_seen(const weft_recording *r, int buffer) {
  const weft__recorded_storage *s = &r->storage[r->buffer[buffer].storage];
  return !s->is_made || (s->buffer == buffer && atomic_load(&s->storage->references) > 1);
}

/// Finds the value of a view; adds it if the chain does not have it. NULL: the chain has too many.
static value *find_value(chain *c, const weft__recorded_view *view, int ndim) {
  for (int k = 0; k < c->values; k++)
    if (is_same_view(c->value[k].view, view, ndim)) return &c->value[k];
  if (c->values == MOST_VALUES) return NULL;
  c->value[c->values] = (value){.view = view};
  return &c->value[c->values++];
}

/// How an array lies that is broadcast to the launch's shape.
static form form_of(const weft_array *x) {
  int varying = 0;
  for (int d = 0; d < x->ndim; d++) varying += x->stride_bytes[d] != 0;
  if (varying == 0 || weft__is_contiguous(x)) return FORM_FLAT;
  const int64_t last = x->stride_bytes[x->ndim - 1];
  return last == 0 || last == (int64_t)weft_dtype_size_bytes(x->dtype) ? FORM_ROWS : FORM_OTHER;
}

/// Adds what a kernel reads and writes of a value.
static void add_value(chain *c, const fusion *f, const value *v, const weft_shape *shape) {
  const weft_array x = array_of(f->recording, v->view, shape);
  const form now = form_of(&x);
  const int uses = v->is_read + v->is_result;
  if (uses && now > c->form) c->form = now;
  c->arrays += uses;
  c->bytes += (uint64_t)uses * (uint64_t)x.size * weft_dtype_size_bytes(x.dtype);
  c->has_result |= v->is_result;
}

/// Lists the values of a chain's launches. False: there are too many.
static bool list_values(chain *c, const fusion *f) {
  const weft_recording *r = f->recording;
  c->values = c->arrays = 0;
  c->bytes = 0;
  c->form = FORM_FLAT;
  c->has_result = false;
  for (int n = 0; n < c->launches; n++) {
    const weft__recorded_map *map = map_of(f, c->launch[n]);
    const int results = map->plan->formula.results;
    for (int k = results; k < results + map->views; k++) { /* inputs first */
      const weft__recorded_view *view = &r->view[map->first_view + k % map->views];
      value *v = find_value(c, view, map->shape.ndim);
      if (!v) return false;
      if (k < map->views)
        v->is_read |= !v->is_written;
      else
        v->is_written = true;
    }
  }
  for (int k = 0; k < c->values; k++) {
    value *v = &c->value[k];
    v->is_result = v->is_written && (is_seen(r, v->view->buffer) || f->last_use[v->view->buffer] >= f->end);
    add_value(c, f, v, &map_of(f, c->launch[0])->shape);
  }
  return true;
}

/// Lists the launches of the chains c->first, one chain after the other, so that recordings of the same chains have the
/// same kernels. False: they are too large for one kernel.
static bool list_chains(chain *c, const fusion *f, const int *chain_of) {
  c->launches = c->nodes = c->scalars = 0;
  for (int n = 0; n < c->chains; n++)
    for (int p = c->first[n]; p < f->places; p++) {
      if (chain_of[p] != c->first[n]) continue;
      const weft__formula *formula = &map_of(f, f->launch[p])->plan->formula;
      c->launch[c->launches++] = f->launch[p];
      c->nodes += formula->count + formula->results;
      c->scalars += formula->scalars;
    }
  return list_values(c, f) && c->nodes <= MOST_NODES && c->scalars <= MOST_SCALARS &&
         c->arrays <= (c->chains > 1 ? MOST_SHARED_ARRAYS : MOST_ARRAYS);
}

static bool list_chain(chain *c, const fusion *f, const int *chain_of, int first) {
  c->chains = 1;
  c->first[0] = first;
  return list_chains(c, f, chain_of);
}

/// Adds the next command to the window, and its chain. False: the chain *before must be taken from the window first.
static bool join(fusion *f, int *before) {
  const int place = f->places;
  int chain_of[MOST_LAUNCHES], first = place;
  *before = 0;
  if (place == MOST_LAUNCHES) return false;
  memcpy(chain_of, f->chain_of, sizeof chain_of);
  chain_of[place] = place;
  for (int p = 0; p < place; p++) {
    const relation how = relate(f, f->launch[p], f->end);
    *before = f->chain_of[p];
    if (how == APART) return false;
    if (how == UNRELATED || chain_of[p] == first) continue;
    const int low = chain_of[p] < first ? chain_of[p] : first, high = chain_of[p] < first ? first : chain_of[p];
    for (int q = 0; q <= place; q++)
      if (chain_of[q] == high) chain_of[q] = low;
    first = low;
  }
  *before = first;
  f->launch[f->places++] = f->end++;
  if (first == place || list_chain(&f->now, f, chain_of, first)) {
    memcpy(f->chain_of, chain_of, sizeof chain_of);
    return true;
  }
  f->places--;
  f->end--;
  return false;
}

/* ---- chains that share a kernel ---- */

/// Whether two chains have the same launches, whatever their arrays and numbers are.
static bool is_alike(const fusion *f, int one, int other) {
  int p = one, q = other;
  for (;; p++, q++) {
    while (p < f->places && f->chain_of[p] != one) p++;
    while (q < f->places && f->chain_of[q] != other) q++;
    if (p == f->places || q == f->places) return p == q;
    if (map_of(f, f->launch[p])->plan != map_of(f, f->launch[q])->plan) return false;
  }
}

/// Whether a chain is listed that others may share a kernel with.
static bool may_share(const fusion *f, const chain *c) {
  return c->has_result && c->bytes <= f->small_bytes && c->form != FORM_OTHER;
}

/// Whether the arguments of a kernel of these chains are few enough for every device.
static bool has_room(const fusion *f, const chain *c) {
  const int axes = c->form == FORM_FLAT ? 0 : map_of(f, c->launch[0])->shape.ndim;
  const size_t words = (size_t)WEFT__MAP_WORDS(c->arrays, 2 * c->scalars, axes);
  return offsetof(weft__map_args, tail) + 8 * words + (size_t)c->arrays * sizeof(weft__cl_mem) <= MOST_ARGUMENT_BYTES;
}

/// Adds to the listed chain other chains of the window that its kernel can compute too: first the ones like it, so that
/// recordings of many calls have few different kernels.
static void add_chains(fusion *f) {
  chain *c = &f->now;
  const int first = c->first[0];
  const form wanted = c->form;
  const weft_shape *shape = &map_of(f, f->launch[first])->shape;
  if (!may_share(f, c)) return;
  for (int others = 0; others < 2; others++)
    for (int q = 0; q < f->places && c->chains < MOST_CHAINS; q++) {
      if (q == first || f->chain_of[q] != q || is_alike(f, first, q) == (others > 0)) continue;
      if (!weft__same_shape(map_of(f, f->launch[q])->shape, *shape)) continue;
      if (!list_chain(&f->other, f, f->chain_of, q) || !may_share(f, &f->other) || f->other.form != wanted) continue;
      c->first[c->chains++] = q;
      if (!list_chains(c, f, f->chain_of) || !has_room(f, c)) c->chains--;
    }
  list_chains(c, f, f->chain_of);
}

/* ---- kernels ---- */

/// Makes the formula of all launches of a chain, and collects their scalars.
static weft_status make_formula(weft__formula *formula, uint64_t *words, chain *c, const fusion *f) {
  const weft_recording *r = f->recording;
  for (int k = 0; k < c->values; k++) {
    if (!c->value[k].is_read) continue;
    formula->input[formula->inputs].dtype = c->value[k].view->dtype;
    c->value[k].node = weft__formula_input(formula, formula->inputs++);
  }
  for (int n = 0; n < c->launches && !formula->failed; n++) {
    const weft__recorded_map *map = map_of(f, c->launch[n]);
    const weft__formula *from = &map->plan->formula;
    const weft__recorded_view *view = &r->view[map->first_view];
    int input[WEFT__MAX_INPUTS], result[WEFT__MAX_INPUTS];
    for (int k = 0; k < 2 * from->scalars; k++) words[2 * formula->scalars + k] = r->word[map->first_word + k];
    for (int i = 0, k = from->results; i < from->inputs; i++)
      if (!from->input[i].is_scalar) input[i] = find_value(c, &view[k++], map->shape.ndim)->node;
    if (!weft__formula_append(formula, from, input, result)) break;
    for (int k = 0; k < from->results; k++)
      find_value(c, &view[k], map->shape.ndim)->node = weft__formula_stored(formula, result[k], view[k].dtype);
  }
  for (int k = 0; k < c->values; k++)
    if (c->value[k].is_result) formula->result[formula->results++] = c->value[k].node;
  return formula->failed ? weft__fail_host_memory(sizeof(weft__node)) : WEFT_OK;
}

/// The launches' names: "multiply_add", "add_multiply_sin_and_7_more"; "multiply_add_x16" of 16 chains alike.
static void add_name(weft__text *name, const chain *c, const fusion *f) {
  int named = 0, launches = c->launches;
  bool are_alike = c->chains > 1;
  for (int n = 1; n < c->chains && are_alike; n++) are_alike = is_alike(f, c->first[0], c->first[n]);
  if (are_alike) launches /= c->chains;
  for (; named < launches && (named == 0 || name->length < 32); named++)
    weft__text_add(name, "%s%s", named ? "_" : "", map_of(f, c->launch[named])->plan->name);
  if (named < launches) weft__text_add(name, "_and_%d_more", launches - named);
  if (are_alike) weft__text_add(name, "_x%d", c->chains);
}

/// Adds the arguments and uses of a command from its launch. buffer[]: of the launch's arrays.
static weft_status add_arguments(weft__recorded_command *to, weft_recording *r, const weft__map_launch *launch,
                                 const int *buffer) {
  const weft__kernel_run *run = &launch->run;
  to->first_argument = r->argument_count;
  to->first_use = r->use_count;
  to->arguments = run->uses + 1;
  to->uses = run->uses;
  weft__recorded_argument *a = WEFT__RECORDED_ADD(r, argument);
  if (!a) return WEFT_ERROR_HOST_MEMORY;
  *a = (weft__recorded_argument){
      .buffer = WEFT__RECORDED_BYTES, .at = r->bytes.length, .size_bytes = run->argument_bytes};
  weft__text_add_bytes(&r->bytes, run->arguments, run->argument_bytes);
  for (int k = 0; k < run->uses; k++) {
    weft__recorded_use *use = WEFT__RECORDED_ADD(r, use);
    if (!use || !(a = WEFT__RECORDED_ADD(r, argument))) return WEFT_ERROR_HOST_MEMORY;
    a->buffer = use->buffer = buffer[launch->array[k]];
    use->writes = run->use[k].writes;
  }
  return r->bytes.failed ? weft__fail_host_memory(run->argument_bytes) : WEFT_OK;
}

/// What add_launch needs of the chain's launch.
typedef struct fused_launch {
  weft_array room[MOST_SHARED_ARRAYS], *array[MOST_SHARED_ARRAYS];
  weft__map_launch launch;
} fused_launch;

/// Adds the command of a chain's kernel. The formula's inputs and results are in the order of the values.
static weft_status add_launch(fusion *f, const chain *c, const weft__plan *plan, const uint64_t *words) {
  weft_recording *r = f->recording;
  const weft__recorded_command *first = &r->command[c->launch[0]];
  const weft_shape *shape = &map_of(f, c->launch[0])->shape;
  int buffer[MOST_SHARED_ARRAYS], arrays = 0;
  weft_status rc;
  fused_launch *of = weft__scratch_begin(sizeof *of);
  WEFT__TRY(of ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  weft__map_launch *launch = &of->launch;
  for (int inputs = 0; inputs < 2; inputs++)
    for (int k = 0; k < c->values; k++) {
      if (!(inputs ? c->value[k].is_read : c->value[k].is_result)) continue;
      of->room[arrays] = array_of(r, c->value[k].view, shape);
      of->array[arrays] = &of->room[arrays];
      buffer[arrays++] = c->value[k].view->buffer;
    }
  const weft__map_run map = {plan, *shape, of->array, words};
  WEFT__TRY(weft__plan_launch(launch, &map, NULL, first->site));
  WEFT__TRY(weft__launch_check(launch->run.kernel, launch->run.grid, launch->run.block, 0));
  weft__recorded_command *to = &f->kept[f->kept_count++];
  *to = (weft__recorded_command){.kind = WEFT__COMMAND_LAUNCH,
                                 .what = plan->name,
                                 .site = first->site,
                                 .bytes = launch->run.bytes,
                                 .of = launch->run.kernel,
                                 .grid = launch->run.grid,
                                 .block = launch->run.block,
                                 .check = -1,
                                 .map = -1};
  rc = add_arguments(to, r, launch, buffer);
done:
  weft__scratch_end(of);
  return rc;
}

static weft_status fuse(fusion *f, chain *c) {
  weft_context *context = f->recording->context;
  uint64_t words[2 * MOST_SCALARS];
  weft__text name = {0};
  weft__plan *plan;
  weft_status rc;
  weft__formula *formula = weft__scratch_begin_zeroed(sizeof *formula);
  WEFT__TRY(formula ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  formula->has_fp64 = context->core.device->info.has_fp64;
  add_name(&name, c, f);
  WEFT__TRY(make_formula(formula, words, c, f));
  WEFT__TRY(name.failed ? weft__fail_host_memory(name.length) : WEFT_OK);
  WEFT__TRY(weft__plan_of(&plan, &context->store, weft__text_chars(&name), formula));
  WEFT__TRY(add_launch(f, c, plan, words));
  *(c->chains > 1 ? &f->of_several : &f->of_chains) += 1;
done:
  weft__text_free(&name);
  if (formula) weft__formula_free(formula);
  weft__scratch_end(formula);
  return weft__while(rc, "making one kernel of %d recorded launches", c->launches);
}

/// Takes the listed chains from the window.
static void drop_places(fusion *f) {
  const chain *c = &f->now;
  int to[MOST_LAUNCHES], left = 0;
  for (int p = 0; p < f->places; p++) {
    bool goes = false;
    for (int n = 0; n < c->chains; n++) goes |= f->chain_of[p] == c->first[n];
    if (goes) continue;
    to[p] = left; /* a chain's first launch is the first of it to move */
    f->chain_of[left] = to[f->chain_of[p]];
    f->launch[left++] = f->launch[p];
  }
  f->places = left;
}

/// Takes a chain from the window, and others that its kernel can compute: keeps the kernel, or nothing if nobody can
/// see what the chain computes.
static weft_status take(fusion *f, int first) {
  chain *c = &f->now;
  const bool fits = list_chain(c, f, f->chain_of, first);
  if (fits) add_chains(f);
  if (c->launches > 1 && c->has_result)
    WEFT__TRY_RETURN(fuse(f, c));
  else if (c->has_result || !fits) /* a single launch may be too large to be listed */
    f->kept[f->kept_count++] = f->recording->command[c->launch[0]];
  drop_places(f);
  return WEFT_OK;
}

/* ---- the recording ---- */

static weft_status find_last_uses(fusion *f) {
  const weft_recording *r = f->recording;
  f->last_use = weft__new(((size_t)r->buffer_count + 1) * sizeof *f->last_use);
  if (!f->last_use) return WEFT_ERROR_HOST_MEMORY;
  for (int k = 0; k < r->command_count; k++)
    for (int u = 0; u < r->command[k].uses; u++) f->last_use[r->use[r->command[k].first_use + u].buffer] = k;
  return WEFT_OK;
}

/// Whether a use of a command shares memory with a launch of the window, and one of the two writes it.
static bool is_shared(const fusion *f, const weft__recorded_use *use, const weft__recorded_map *map) {
  const weft_recording *r = f->recording;
  const weft__storage *used = r->storage[r->buffer[use->buffer].storage].storage;
  for (int k = 0; k < map->views; k++) {
    const weft__storage *of_view = storage_of(r, &r->view[map->first_view + k]);
    if (!use->writes && k >= map->plan->formula.results) continue;
    if (weft__storages_may_share(used, of_view)) return true;
  }
  return false;
}

/// Puts the next command, which is not elementwise, before the window's kernels. False: the chain *before must be taken
/// from the window first.
static bool pass(fusion *f, int *before) {
  const weft_recording *r = f->recording;
  const weft__recorded_command *command = &r->command[f->end];
  for (int p = 0; p < f->places; p++)
    for (int u = 0; u < command->uses; u++)
      if (is_shared(f, &r->use[command->first_use + u], map_of(f, f->launch[p]))) {
        *before = f->chain_of[p];
        return false;
      }
  f->kept[f->kept_count++] = *command;
  f->end++;
  return true;
}

static weft_status fuse_all(fusion *f) {
  int before;
  while (f->end < f->recording->command_count)
    if (!(map_of(f, f->end) ? join(f, &before) : pass(f, &before))) WEFT__TRY_RETURN(take(f, before));
  while (f->places) WEFT__TRY_RETURN(take(f, 0));
  return WEFT_OK;
}

/// Takes the kept commands, and drops the other commands' arguments and uses.
static weft_status take_kept(fusion *f) {
  weft_recording *r = f->recording;
  weft__recorded_argument *argument = weft__new(((size_t)r->argument_count + 1) * sizeof *argument);
  weft__recorded_use *use = weft__new(((size_t)r->use_count + 1) * sizeof *use);
  if (!argument || !use) {
    free(argument);
    free(use);
    return WEFT_ERROR_HOST_MEMORY;
  }
  int arguments = 0, uses = 0;
  for (int k = 0; k < f->kept_count; k++) {
    weft__recorded_command *c = &f->kept[k];
    if (c->arguments)
      memcpy(&argument[arguments], &r->argument[c->first_argument], (size_t)c->arguments * sizeof *argument);
    if (c->uses) memcpy(&use[uses], &r->use[c->first_use], (size_t)c->uses * sizeof *use);
    c->first_argument = arguments;
    c->first_use = uses;
    arguments += c->arguments;
    uses += c->uses;
  }
  free(r->argument);
  free(r->use);
  r->argument = argument;
  r->argument_room = r->argument_count + 1;
  r->use = use;
  r->use_room = r->use_count + 1;
  r->argument_count = arguments;
  r->use_count = uses;
  memcpy(r->command, f->kept, (size_t)f->kept_count * sizeof *f->kept);
  r->command_count = f->kept_count;
  return WEFT_OK;
}

/// Gives back the memory of arrays that nobody can see and no command uses any more.
static void release_unused(weft_recording *r) {
  for (int k = 0; k < r->storage_count; k++)
    if (r->storage[k].is_made && atomic_load(&r->storage[k].storage->references) == 1) r->storage[k].is_used = false;
  for (int k = 0; k < r->use_count; k++) r->storage[r->buffer[r->use[k].buffer].storage].is_used = true;
  for (int k = 0; k < r->storage_count; k++) {
    weft__recorded_storage *s = &r->storage[k];
    if (s->is_used || atomic_load(&s->storage->references) > 1) continue;
    weft__storage_release(s->storage);
    s->storage = NULL;
  }
}

/// Frees the lists that only fusing needs.
static void free_maps(weft_recording *r) {
  free(r->map);
  free(r->view);
  free(r->word);
  r->map = NULL;
  r->view = NULL;
  r->word = NULL;
  r->map_count = r->view_count = r->word_count = r->map_room = r->view_room = r->word_room = 0;
  for (int k = 0; k < r->command_count; k++) r->command[k].map = -1;
}

/// Tells the log and the trace what became of the launches.
static void tell(const fusion *f, int commands, uint64_t start_ns) {
  const int fewer = commands - f->recording->command_count;
  const long long before = (long long)f->recording->recorded_launches;
  char what[200];
  if (fewer == 0) return;
  snprintf(
      what, sizeof what,
      "%lld launches of the calls became %lld: %d kernels have a chain of elementwise ones, %d several small chains",
      before, before - fewer, f->of_chains, f->of_several);
  weft__log(WEFT_LOG_INFO, "weft_record_end: %s", what);
  if (weft__tracing()) weft__trace_step(WEFT__STEP_COMPILE, weft__now_ns() - start_ns, 0, "%s", what);
}

weft_status weft__recording_fuse(weft_recording *r) {
  weft_status rc;
  const uint64_t start_ns = weft__tracing() ? weft__now_ns() : 0;
  const int commands = r->command_count;
  fusion *f = weft__new(sizeof *f); /* large */
  if (!f) return WEFT_ERROR_HOST_MEMORY;
  f->recording = r;
  f->small_bytes = r->context->store.is_cpu ? SMALL_CPU_BYTES : SMALL_BYTES;
  for (int k = 0; k < commands; k++) r->recorded_launches += r->command[k].kind == WEFT__COMMAND_LAUNCH;
  WEFT__TRY(find_last_uses(f));
  f->kept = weft__new(((size_t)commands + 1) * sizeof *f->kept);
  WEFT__TRY(f->kept ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(fuse_all(f));
  if (f->kept_count < commands) {
    WEFT__TRY(take_kept(f));
    release_unused(r);
  }
  free_maps(r);
  tell(f, commands, start_ns);
done:
  free(f->kept);
  free(f->last_use);
  free(f);
  return rc;
}
