// SPDX-License-Identifier: MIT
#include "map/twin.h"

#include <math.h>
#include <string.h>

#include "array/array.h"
#include "map/run.h"
#include "map/twins.h"
#include "mem/recorder.h"

/// Bytes of all arrays of a call, in cache. PoCL 3.1, two cores, add of f32: 8192 elements 1.4 us, launched 3.4; 16384
/// 2.7 and 4.5; 32768 9 and 6.
#define MOST_BYTES (192 << 10)
#define OPERANDS 2
#define BLOCK 16 /* elements: a loop of this constant length becomes vector code */

/// An operand: consecutive elements, or BLOCK copies of a scalar.
typedef struct operand {
  const char *data;
  size_t all; /* SIZE_MAX; 0: the elements are a scalar's */
} operand;

typedef void twin_function(void *to, const operand in[OPERANDS], size_t n);

struct weft__twin {
  int id;
  weft_dtype type; /* of the operands */
  int operands;
  twin_function *function;
};

/* ---- the loops ---- */

#define fabs(x) _Generic((x), float : fabsf, double : fabs)(x) /* as in OpenCL C */

/// `b` of a function of one operand is unused. The result may be an operand: a block is read before it is written.
#define TWIN_FUNCTION(ID, D, operands, T, R, text)                                    \
  static void twin_##ID##_##D(void *to, const operand in[OPERANDS], size_t n) {       \
    R y[BLOCK];                                                                       \
    size_t i = 0;                                                                     \
    for (; i + BLOCK <= n; i += BLOCK) {                                              \
      const T *x = (const T *)in[0].data + (i & in[0].all);                           \
      const T *other = (const T *)in[operands - 1].data + (i & in[operands - 1].all); \
      for (size_t k = 0; k < BLOCK; k++) {                                            \
        const T a = x[k], b = other[k];                                               \
        y[k] = (R)(text);                                                             \
        (void)b;                                                                      \
      }                                                                               \
      memcpy((R *)to + i, y, sizeof y);                                               \
    }                                                                                 \
    for (; i < n; i++) {                                                              \
      const T a = ((const T *)in[0].data)[i & in[0].all],                             \
              b = ((const T *)in[operands - 1].data)[i & in[operands - 1].all];       \
      ((R *)to)[i] = (R)(text);                                                       \
      (void)b;                                                                        \
    }                                                                                 \
  }

#define TWINS(X)                                   \
  WEFT__TWINS_INTEGERS(X, I8, int8_t, uint32_t)    \
  WEFT__TWINS_INTEGERS(X, U8, uint8_t, uint32_t)   \
  WEFT__TWINS_INTEGERS(X, I16, int16_t, uint32_t)  \
  WEFT__TWINS_INTEGERS(X, U16, uint16_t, uint32_t) \
  WEFT__TWINS_INTEGERS(X, I32, int32_t, uint32_t)  \
  WEFT__TWINS_INTEGERS(X, U32, uint32_t, uint32_t) \
  WEFT__TWINS_INTEGERS(X, I64, int64_t, uint64_t)  \
  WEFT__TWINS_INTEGERS(X, U64, uint64_t, uint64_t) \
  WEFT__TWINS_FLOATS(X, F32, float)                \
  WEFT__TWINS_FLOATS(X, F64, double)

TWINS(TWIN_FUNCTION)

#define TWIN_ROW(ID, D, operands, T, R, text) {WEFT_UFUNC_##ID, WEFT_##D, operands, twin_##ID##_##D},
static const struct weft__twin table[] = {TWINS(TWIN_ROW)};

/* ---- which calls ---- */

/// Whether the node is a value of `type` as an array has it or a launch passes it.
static bool is_plain(const weft__formula *f, const weft__node *node, weft_dtype type) {
  if (node->dtype != type) return false;
  if (node->kind == WEFT__NODE_SCALAR) return !node->weak;
  return node->kind == WEFT__NODE_INPUT && f->input[node->index].dtype == type && !f->input[node->index].is_scalar;
}

const struct weft__twin *weft__twin_of(const weft__formula *f) {
  if (f->results != 1 || f->axes || f->body) return NULL;
  const weft__node *apply = &f->node[f->result[0]];
  if (apply->kind != WEFT__NODE_APPLY || apply->argument_count > OPERANDS) return NULL;
  for (int k = 0; k < apply->argument_count; k++)
    if (!is_plain(f, &f->node[apply->argument[k]], apply->type)) return NULL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].id == apply->op && table[i].type == apply->type && table[i].operands == apply->argument_count)
      return &table[i];
  return NULL;
}

/// Whether calls in this context may leave the device's queue out.
static bool may_skip_queue(const weft__core *core) {
  const weft__quirks *quirks = &core->device->quirks;
  return core->twins && !atomic_load_explicit(&core->is_lent, memory_order_relaxed) && quirks->wraps_in_place &&
         weft__host_reaches(core) && !core->untracked && !core->adopted && !core->guard && !core->sync &&
         !weft__profiling(&core->profile) && !weft__tracing() && !weft__recorder_of(core);
}

/// Whether the host may use the elements now, `n` of them in one piece.
static bool is_ready(const weft_array *x, size_t n, weft_dtype dtype, bool writes) {
  const weft__storage *storage = x->storage;
  return (size_t)x->size == n && x->dtype == dtype && weft__is_contiguous(x) && !storage->adopted && !storage->mapped &&
         x->offset_bytes % (int64_t)weft_dtype_size_bytes(dtype) == 0 && weft__storage_is_done(storage, writes);
}

/// Finds where the driver keeps the storage at its second use: this takes as long as several launches.
static weft_status find(weft__storage *storage) {
  if (!storage->is_wanted) {
    storage->is_wanted = true;
    return WEFT_OK;
  }
  const int slot = weft__slot_now(storage->pool->core);
  weft__reach reach = {.storage = storage, .size_bytes = storage->size_bytes, .reads = true};
  WEFT__TRY_RETURN(weft__reach_open(&reach, slot));
  return weft__reach_close(&reach, slot);
}

/// The arrays' places; *is_done stays false if one is not known yet.
static weft_status find_all(bool *are_known, weft_array *const *array, int arrays) {
  *are_known = true;
  for (int k = 0; k < arrays; k++)
    if (!atomic_load_explicit(&array[k]->storage->in_place, memory_order_relaxed)) {
      *are_known = false;
      WEFT__TRY_RETURN(find(array[k]->storage));
    }
  return WEFT_OK;
}

static char *place_of(const weft_array *x) {
  return atomic_load_explicit(&x->storage->in_place, memory_order_relaxed) + x->offset_bytes;
}

/// Operand k of the function; `room` is for a scalar's copies.
static operand operand_of(const weft__map_run *map, int k, char room[BLOCK * sizeof(uint64_t)]) {
  const weft__formula *f = &map->plan->formula;
  const weft__node *node = &f->node[f->node[f->result[0]].argument[k]];
  int at = 1;
  if (node->kind == WEFT__NODE_SCALAR) {
    const size_t size = weft_dtype_size_bytes(node->dtype);
    for (size_t j = 0; j < BLOCK; j++) memcpy(room + j * size, &map->scalars[2 * node->argument[0]], size);
    return (operand){room, 0};
  }
  for (int i = 0; i < node->index; i++) at += !f->input[i].is_scalar;
  return (operand){place_of(map->array[at]), SIZE_MAX};
}

weft_status weft__twin_run(bool *is_done, const weft__map_run *map) {
  const weft__formula *f = &map->plan->formula;
  const struct weft__twin *twin = map->plan->twin;
  weft_array *const *array = map->array;
  const size_t n = (size_t)array[0]->size;
  char scalar[OPERANDS][BLOCK * sizeof(uint64_t)];
  operand in[OPERANDS];
  size_t bytes = n * weft_dtype_size_bytes(array[0]->dtype);
  int arrays = 1;
  bool are_known;
  *is_done = false;
  if (!twin || bytes > MOST_BYTES || !may_skip_queue(&array[0]->context->core)) return WEFT_OK;
  if (!is_ready(array[0], n, map->plan->result[0], true)) return WEFT_OK;
  for (int i = 0; i < f->inputs; i++) {
    if (f->input[i].is_scalar) continue;
    if (!is_ready(array[arrays++], n, twin->type, false)) return WEFT_OK;
    bytes += n * weft_dtype_size_bytes(twin->type);
  }
  if (bytes > MOST_BYTES) return WEFT_OK;
  WEFT__TRY_RETURN(find_all(&are_known, array, arrays));
  if (!are_known) return WEFT_OK;
  for (int k = 0; k < twin->operands; k++) in[k] = operand_of(map, k, scalar[k]);
  twin->function(place_of(array[0]), in, n);
  *is_done = true;
  return WEFT_OK;
}
