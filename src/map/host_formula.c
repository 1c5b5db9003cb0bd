// SPDX-License-Identifier: MIT
#include "map/host_formula.h"

#include <string.h>

#include "array/strided_move.h"
#include "base/scratch.h"
#include "map/run.h"
#include "map/tuning.h"
#include "mem/at_once.h"

#define ROOMS (WEFT__HOST_FORMULA_NODES + 1)
#define ROOM_BYTES (WEFT__HOST_FORMULA_BLOCK * 16) /* of a node's block of elements, at least; of a number's */
#define MOST_ROOM_BYTES (16 * ROOM_BYTES)  /* at most: all of them stay in the first-level cache */
#define ROOMS_BYTES (3 * ROOMS * ROOM_BYTES)
#define MOST_ARRAYS (WEFT__HOST_FORMULA_NODES + 1)

/* ---- formulas ---- */

/// Whether AVX2 has no instruction for a cast.
static bool is_slow_cast(weft_dtype to, weft_dtype from) {
  const bool is_long = to == WEFT_I64 || to == WEFT_U64 || from == WEFT_I64 || from == WEFT_U64;
  return is_long && (weft_dtype_kind(to) == 'f') != (weft_dtype_kind(from) == 'f');
}

/// Whether a node is an exponent of 32 bits, cast to the i64 that ldexp takes, and used for nothing else.
static bool is_exponent(const weft__formula *f, int number) {
  const weft__node *node = &f->node[number];
  if (node->kind != WEFT__NODE_CAST || node->dtype != WEFT_I64 || f->node[node->argument[0]].dtype != WEFT_I32 ||
      f->result[0] == number)
    return false;
  for (int k = number + 1; k < f->count; k++)
    for (int i = 0; i < f->node[k].argument_count; i++)
      if (f->node[k].argument[i] == number &&
          (f->node[k].kind != WEFT__NODE_APPLY || f->node[k].op != WEFT_UFUNC_LDEXP || i != 1))
        return false;
  return true;
}

static bool add_loop(weft__host_node *to, size_t *most, const weft__formula *f, const weft__node *node) {
  weft__signature signature;
  to->kind = WEFT__HOST_NODE_LOOP;
  if (node->argument_count > WEFT__HOST_FORMULA_OPERANDS) return false;
  for (int k = 0; k < node->argument_count; k++) to->from[k] = (uint8_t)node->argument[k];
  for (int k = node->argument_count; k < WEFT__HOST_FORMULA_OPERANDS; k++) to->from[k] = to->from[0];
  if (node->kind == WEFT__NODE_CAST) {
    to->loop = weft__host_cast_of(most, node->dtype, f->node[node->argument[0]].dtype);
    return to->loop != NULL;
  }
  to->loop = weft__host_loop_of(most, node->op, node->type);
  weft__op_signature(&signature, weft__op_row(node->op), node->type);
  for (int k = 0; k < node->argument_count; k++) {
    const bool casts = is_exponent(f, node->argument[k]);
    if (casts) to->from[k] = (uint8_t)f->node[node->argument[k]].argument[0];
    if (f->node[node->argument[k]].dtype != signature.operand[k]) return false; /* compared exactly */
    if (node->op == WEFT_UFUNC_LDEXP && k == 1 && !casts) return false;
  }
  return to->loop != NULL;
}

/// The number of an input among the call's arrays.
static uint8_t array_of(const weft__formula *f, int input) {
  int array = f->results;
  for (int k = 0; k < input; k++) array += !f->input[k].is_scalar;
  return (uint8_t)array;
}

static bool add_node(weft__host_node *to, size_t *most, const weft__formula *f, const weft__node *node) {
  to->size_bytes = (uint8_t)weft_dtype_size_bytes(node->dtype);
  switch (node->kind) {
    case WEFT__NODE_INPUT:
      to->kind = WEFT__HOST_NODE_ARRAY;
      to->from[0] = array_of(f, node->index);
      return node->dtype == f->input[node->index].dtype && !f->input[node->index].is_raw;
    case WEFT__NODE_SCALAR:
      to->kind = WEFT__HOST_NODE_NUMBER;
      to->is_passed = true;
      to->from[0] = (uint8_t)node->argument[0];
      return !weft__is_narrow(node->dtype);
    case WEFT__NODE_NUMBER:
      to->kind = WEFT__HOST_NODE_NUMBER;
      return !weft__is_narrow(node->dtype) && weft__scalar_bytes(to->number, node->dtype, node->number);
    case WEFT__NODE_CAST:
    case WEFT__NODE_APPLY:
      return add_loop(to, most, f, node);
    default:
      return false;
  }
}

void weft__host_formula_of(weft__host_formula *host, const weft__formula *f) {
  *host = (weft__host_formula){.nodes = 0, .most = SIZE_MAX};
  if (f->results != 1 || f->axes || f->body || f->reductions || f->count > WEFT__HOST_FORMULA_NODES) return;
  for (int k = 0; k < f->count; k++) {
    const weft__node *node = &f->node[k];
    if (node->weak && (node->kind == WEFT__NODE_SCALAR || node->kind == WEFT__NODE_NUMBER)) continue; /* not used */
    if (is_exponent(f, k)) continue;
    size_t most = SIZE_MAX;
    if (!add_node(&host->node[k], &most, f, node)) return;
    if (most < host->most) host->most = most;
    for (int i = 0; i < WEFT__HOST_FORMULA_OPERANDS && host->node[k].kind == WEFT__HOST_NODE_LOOP; i++)
      if (host->node[host->node[k].from[i]].kind == WEFT__HOST_NODE_NUMBER) host->node[k].repeated |= (uint8_t)(1 << i);
    host->loops += host->node[k].kind == WEFT__HOST_NODE_LOOP;
    host->is_slow |= node->kind == WEFT__NODE_CAST && is_slow_cast(node->dtype, f->node[node->argument[0]].dtype);
    if (host->node[k].size_bytes > host->widest_bytes) host->widest_bytes = host->node[k].size_bytes;
  }
  host->result = f->result[0];
  if (host->node[host->result].kind != WEFT__HOST_NODE_NUMBER) host->nodes = f->count; /* else blocks are not whole */
}

/* ---- elements ---- */

typedef struct walk {
  const weft__host_formula *host;
  weft__layout layout;
  char *place[MOST_ARRAYS];         /* of the arrays' first elements */
  bool is_flat[MOST_ARRAYS];        /* the elements are beside each other, in the layout's order, and aligned */
  bool is_apart;                    /* no operand has the result's storage (wrapped memory is launched) */
  size_t out_bytes;                 /* of an element of the result's array */
  weft__host_loop *store;           /* the cast to the result's array; NULL: none */
  const char *at[WEFT__HOST_FORMULA_NODES]; /* of a node's block */
  size_t few_bytes;                 /* of a room, if each has all elements; 0: they share what there is */
  char *room[ROOMS];                /* for a node's block that is not in an array, and for the result's cast */
} walk;

/// Moves elements `begin` to `begin + count` of array k to `room`, or from there (`stores`).
static void move_block(const walk *w, int k, char *room, size_t size, int64_t begin, int64_t count, bool stores) {
  const weft__layout *l = &w->layout;
  const int last = l->ndim - 1;
  int64_t index[WEFT_MAX_NDIM], rest = begin;
  char *place = w->place[k];
  for (int d = last; d >= 0; rest /= l->length[d--]) {
    index[d] = rest % l->length[d];
    place += index[d] * l->stride[k][d];
  }
  for (int64_t run; count > 0; count -= run) {
    const int64_t stride = last < 0 ? 0 : l->stride[k][last];
    run = last < 0 ? 1 : l->length[last] - index[last];
    if (run > count) run = count;
    if (stores)
      weft__move_run(place, stride, room, (int64_t)size, size, run);
    else
      weft__move_run(room, (int64_t)size, place, stride, size, run);
    room += run * (int64_t)size;
    place += run * stride;
    if (last < 0) return;
    index[last] += run;
    for (int d = last; d > 0 && index[d] == l->length[d]; d--) {
      place += l->stride[k][d - 1] - index[d] * l->stride[k][d];
      index[d] = 0;
      index[d - 1]++;
    }
  }
}

/// Computes elements `begin` to `begin + count`. `is_whole`: the count is a multiple of the loops' blocks; otherwise
/// all is computed in the rooms, whose blocks are.
static void compute(walk *w, int64_t begin, int64_t count, bool is_whole) {
  const weft__host_formula *host = w->host;
  const size_t n = is_whole ? (size_t)count : WEFT__HOST_FORMULA_BLOCK;
  char *const out = w->place[0] + begin * (int64_t)w->out_bytes;
  const bool is_direct = is_whole && w->is_flat[0];
  for (int k = 0; k < host->nodes; k++) {
    const weft__host_node *node = &host->node[k];
    if (node->kind == WEFT__HOST_NODE_ARRAY) {
      const int array = node->from[0];
      w->at[k] = w->room[k];
      if (is_whole && w->is_flat[array])
        w->at[k] = w->place[array] + begin * (int64_t)node->size_bytes;
      else
        move_block(w, array, w->room[k], node->size_bytes, begin, count, false);
      if (!is_whole) memset(w->room[k] + count * node->size_bytes, 0, (n - (size_t)count) * node->size_bytes);
    } else if (node->kind == WEFT__HOST_NODE_LOOP) {
      const void *from[WEFT__HOST_FORMULA_OPERANDS];
      char *to = is_direct && k == host->result && !w->store ? out : w->room[k];
      for (int i = 0; i < WEFT__HOST_FORMULA_OPERANDS; i++) from[i] = w->at[node->from[i]];
      node->loop(to, from, n, node->repeated);
      w->at[k] = to;
    }
  }
  const char *result = w->at[host->result];
  if (w->store) {
    const void *from[WEFT__HOST_FORMULA_OPERANDS] = {result, result, result};
    char *to = is_direct ? out : w->room[host->nodes];
    w->store(to, from, n, 0);
    result = to;
  }
  if (!is_direct)
    move_block(w, 0, (char *)result, w->out_bytes, begin, count, true);
  else if (result != out)
    memcpy(out, result, (size_t)count * w->out_bytes);
}

/// Fills the blocks of numbers, which are in `rooms`.
static void fill_numbers(walk *w, char *rooms, const uint64_t *scalars) {
  for (int k = 0; k < w->host->nodes; k++) {
    const weft__host_node *node = &w->host->node[k];
    if (node->kind != WEFT__HOST_NODE_NUMBER) continue;
    const void *number = node->is_passed ? (const void *)&scalars[2 * node->from[0]] : node->number;
    weft__move_run(rooms + k * ROOM_BYTES, node->size_bytes, number, 0, node->size_bytes, WEFT__HOST_FORMULA_BLOCK);
    w->at[k] = rooms + k * ROOM_BYTES;
  }
}

/// Shares `rooms` among the nodes whose blocks are not in the arrays, or among all but numbers. Returns the elements of
/// a block.
static int64_t share_rooms(walk *w, char *rooms, size_t rooms_bytes, bool all) {
  const weft__host_formula *host = w->host;
  const size_t widest = w->out_bytes > host->widest_bytes ? w->out_bytes : host->widest_bytes;
  const bool is_direct = w->is_flat[0] && !all;
  bool needs[ROOMS];
  size_t count = needs[host->nodes] = w->store && !is_direct;
  for (int k = 0; k < host->nodes; k++) {
    const weft__host_node *node = &host->node[k];
    needs[k] = (node->kind == WEFT__HOST_NODE_ARRAY && (all || !w->is_flat[node->from[0]])) ||
               (node->kind == WEFT__HOST_NODE_LOOP && (!is_direct || k != host->result || w->store));
    count += needs[k];
  }
  size_t bytes = w->few_bytes;
  if (!bytes) bytes = count ? rooms_bytes / count / ROOM_BYTES * ROOM_BYTES : WEFT__HOST_FORMULA_DIRECT_BYTES;
  if (count && bytes > MOST_ROOM_BYTES) bytes = MOST_ROOM_BYTES;
  for (int k = 0; k <= host->nodes; k++) {
    w->room[k] = needs[k] ? rooms : NULL;
    rooms += needs[k] ? bytes : 0;
  }
  return w->few_bytes ? w->layout.size : (int64_t)(bytes / widest);
}

/// `memory`: for the numbers of each node, and behind them for the rooms.
static void compute_all(walk *w, char *memory, size_t size, const uint64_t *scalars) {
  const size_t before = (size_t)w->host->nodes * ROOM_BYTES;
  char *rooms = memory + before;
  const int64_t n = w->layout.size, whole = n - n % WEFT__HOST_FORMULA_BLOCK;
  const int64_t block = share_rooms(w, rooms, size - before, false),
                blocks = whole <= block ? whole > 0 : (whole + block - 1) / block;
  const bool is_backward = blocks > 1 && weft__goes_backward();
  fill_numbers(w, memory, scalars);
  for (int64_t k = 0; k < blocks; k++) {
    const int64_t begin = (is_backward ? blocks - 1 - k : k) * block;
    compute(w, begin, begin + block < whole ? block : whole - begin, true);
  }
  if (whole == n) return;
  if (whole > 0 && w->is_apart) { /* some elements again, which takes less than a rest in the rooms */
    compute(w, n - WEFT__HOST_FORMULA_BLOCK, WEFT__HOST_FORMULA_BLOCK, true);
    return;
  }
  share_rooms(w, rooms, size - before, true);
  compute(w, whole, n - whole, false);
}

/// The bytes of a room that has all elements, if WEFT__HOST_FORMULA_FEW_BYTES suffice for the rooms of all nodes; else
/// 0.
static size_t few_bytes(const walk *w) {
  const size_t widest = w->out_bytes > w->host->widest_bytes ? w->out_bytes : w->host->widest_bytes;
  const size_t nodes = (size_t)w->host->nodes, n = (size_t)w->layout.size;
  const size_t bytes = n <= WEFT__HOST_FORMULA_FEW_BYTES ? (n * widest + ROOM_BYTES) / ROOM_BYTES * ROOM_BYTES
                                                         : WEFT__HOST_FORMULA_FEW_BYTES;
  return nodes * ROOM_BYTES + (nodes + 1) * bytes <= WEFT__HOST_FORMULA_FEW_BYTES ? bytes : 0;
}

/// Apart, so that its memory is on the stack only in a call of few elements.
__attribute__((noinline)) static void compute_few(walk *w, const uint64_t *scalars) {
  _Alignas(64) char memory[WEFT__HOST_FORMULA_FEW_BYTES];
  compute_all(w, memory, sizeof memory, scalars);
}

static weft_status compute_many(walk *w, const uint64_t *scalars) {
  const size_t size = ROOMS * ROOM_BYTES + ROOMS_BYTES;
  char *memory = weft__scratch_begin(size);
  if (!memory) return WEFT_ERROR_HOST_MEMORY;
  compute_all(w, memory, size, scalars);
  weft__scratch_end(memory);
  return WEFT_OK;
}

/* ---- calls ---- */

/// Whether the elements of array k follow each other in the layout's order, and are aligned for a loop.
static bool is_flat(const weft__layout *l, int k, size_t size) {
  int64_t stride = (int64_t)size;
  bool follow = (l->offset[k] & (stride - 1)) == 0; /* sizes are powers of 2, and a division takes longer */
  for (int d = l->ndim - 1; d >= 0 && follow; stride *= l->length[d--]) follow = l->stride[k][d] == stride;
  return follow;
}

/// The bytes that are moved, where the elements are not flat those that take as long.
static size_t cost(const walk *w, int k, size_t size) {
  const weft__layout *l = &w->layout;
  const int last = l->ndim - 1;
  const bool is_run = last < 0 || ((l->stride[k][last] == (int64_t)size || l->stride[k][last] == 0) &&
                                   l->length[last] >= WEFT__HOST_FORMULA_BLOCK);
  return (size_t)l->size * size *
         (w->is_flat[k] ? 1
          : is_run      ? WEFT__HOST_FORMULA_RUN_COST
                        : WEFT__HOST_FORMULA_GATHER_COST);
}

/// Whether the call only moves the elements of one array to another place.
static bool is_move(const walk *w, int arrays) {
  return arrays == 2 && !w->store && w->host->node[w->host->result].kind == WEFT__HOST_NODE_ARRAY;
}

/// Whether both arrays of a call that moves elements have the same ones.
static bool is_itself(const walk *w) {
  const weft__layout *l = &w->layout;
  bool same = w->place[0] == w->place[1];
  for (int d = 0; d < l->ndim; d++) same = same && l->stride[0][d] == l->stride[1][d];
  return same;
}

weft_status weft__host_formula_run(bool *is_done, const weft__map_run *map, char *to) {
  const weft__plan *plan = map->plan;
  const weft__formula *f = &plan->formula;
  weft_array *const *array = map->array;
  weft__use use[MOST_ARRAYS];
  char *place[MOST_ARRAYS];
  int arrays = 1;
  walk w; /* not zeroed: it is large */
  w.host = &plan->host;
  w.out_bytes = weft__dtype(array[0]->dtype)->size_bytes;
  w.store = NULL;
  *is_done = false;
  const size_t n = (size_t)array[0]->size;
  const weft__core *core = &array[0]->context->core;
  if (n * w.out_bytes > weft__at_once_bytes(core)) return WEFT_OK;
  size_t most = plan->host.most;
  if (array[0]->dtype != plan->result[0] && !(w.store = weft__host_cast_of(&most, array[0]->dtype, plan->result[0])))
    return WEFT_OK;
  if (n > most || n > plan->host.most) return WEFT_OK;
  for (int k = 0; k < f->inputs; k++) arrays += !f->input[k].is_scalar;
  if (arrays > MOST_ARRAYS) return WEFT_OK;
  weft__layout_of(&w.layout, map->shape, arrays, (const weft_array *const *)array, true);
  size_t bytes = plan->host.loops > 1 ? (size_t)(plan->host.loops - 1) * n * plan->host.widest_bytes : 0;
  bool is_one_loop = plan->host.loops + (w.store != NULL) <= 1 && !plan->host.is_slow &&
                     !is_slow_cast(array[0]->dtype, plan->result[0]);
  const bool moves = is_move(&w, arrays);
  is_one_loop = is_one_loop || moves;
  w.is_apart = true;
  for (int k = 0; k < arrays; k++) {
    const size_t size = weft__dtype(array[k]->dtype)->size_bytes;
    w.is_flat[k] = is_flat(&w.layout, k, size);
    is_one_loop = is_one_loop && (w.is_flat[k] || moves);
    bytes += moves ? n * size : cost(&w, k, size);
    use[k] = (weft__use){array[k]->storage, k == 0};
    w.is_apart = w.is_apart && (k == 0 || use[k].storage != use[0].storage);
  }
  if (bytes > (is_one_loop ? weft__at_once_bytes(core) : WEFT__AT_ONCE_BYTES)) return WEFT_OK;
  const int first = to != NULL;
  WEFT__TRY_RETURN(weft__at_once(is_done, place + first, &array[0]->context->core, arrays - first, use + first));
  if (!*is_done) return WEFT_OK;
  if (to) place[0] = to;
  for (int k = 0; k < arrays; k++) w.place[k] = place[k] + w.layout.offset[k];
  if (moves) {
    if (!is_itself(&w)) weft__move_elements(w.place[0], w.place[1], &w.layout, w.out_bytes);
    return WEFT_OK;
  }
  w.few_bytes = few_bytes(&w);
  if (!w.few_bytes) return compute_many(&w, map->scalars);
  compute_few(&w, map->scalars);
  return WEFT_OK;
}
