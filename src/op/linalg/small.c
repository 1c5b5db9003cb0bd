// SPDX-License-Identifier: MIT
/// The row `small` of the steps: stacks of matrices up to 64 by 64, the whole stack in one launch of a kernel of
/// cl/linalg/small_*.cl. A team of threads works on a matrix in local memory; on CPUs a work-item works on a matrix
/// where it is, and so does a team if local memory is too small.
#include "op/linalg/small.h"

#include <string.h>

#include "cl/linalg/small_args.h"
#include "op/linalg/block.h"
#include "op/linalg/tuning.h"
#include "store/kernel_set.h"

/* ---- the shape of a launch ---- */

/// Room for matrices of these sides in local memory: a kernel for each is built at its first use.
static const uint8_t sides[] = {4, 8, 16, 32, 48, 64};
/// Room for this many right-hand sides.
static const uint8_t rights[] = {1, 8, 32, 64};
enum { SIDES = sizeof sides, RIGHTS = sizeof rights };

/// Local memory of a block on devices that give more than they report (quirk roomy_local).
#define ROOMY_BYTES (80u << 10)
/// Threads of a warp.
#define WARP 32

typedef struct small_key {
  uint8_t dtype, team, teams, local, side, which, right, wants;
  uint8_t sharers; /* threads that rotate a pair */
} small_key;

typedef struct small_kernel {
  const char *file, *name, *what;
  uint8_t which;
} small_kernel;

typedef enum small_name { POTRF, GETRF, GESV, GETRS, TRSM, GEQRF, GESDD, SYEVD, WARP_SYEVD } small_name;
static const small_kernel kernels[] = {
    [POTRF] = {"linalg/small_cholesky.cl", "weft_small_potrf", "cholesky", 0},
    [GETRF] = {"linalg/small_lu.cl", "weft_small_getrf", "lu", 0},
    [GESV] = {"linalg/small_lu.cl", "weft_small_gesv", "solve", 1},
    [GETRS] = {"linalg/small_lu.cl", "weft_small_getrs", "lu_solve", 2},
    [TRSM] = {"linalg/small_lu.cl", "weft_small_trsm", "solve_triangular", 3},
    [GEQRF] = {"linalg/small_qr.cl", "weft_small_geqrf", "qr", 0},
    [GESDD] = {"linalg/small_jacobi.cl", "weft_small_gesdd", "svd", 0},
    [SYEVD] = {"linalg/small_jacobi.cl", "weft_small_syevd", "eigh", 1},
    [WARP_SYEVD] = {"linalg/warp_eigh.cl", "weft_warp_syevd", "eigh", 0},
};

static void write_small(weft__text *text, const void *data) {
  const small_key *key = data;
  weft__define_number(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define TEAM %d\n#define TEAMS %d\n#define LOCAL %d\n#define SIDE %d\n", key->team, key->teams,
                 key->local, key->side);
  weft__text_add(text, "#define WHICH %d\n#define RIGHT %d\n#define WANTS %d\n#define SHARERS %d\n", key->which,
                 key->right, key->wants, key->sharers);
}

/// Bytes of local memory of a team.
static uint64_t team_bytes(small_name name, const small_key *key) {
  const weft_dtype dtype = (weft_dtype)key->dtype;
  const uint64_t real = weft_dtype_size_bytes(weft__real_dtype(dtype)), element = weft_dtype_size_bytes(dtype);
  const uint64_t side = key->side;
  const uint64_t matrix = side * (side | 1) * element, vectors = side * (2 * real + element + 4) + key->team * real;
  switch (name) {
    case GESV:
    case GETRS:
    case TRSM:
      return matrix + side * ((uint64_t)key->right | 1) * element;
    case SYEVD:
      return matrix + vectors;
    case GEQRF:
    case GESDD:
      return (key->wants ? 2 : 1) * matrix + vectors;
    default:
      return matrix;
  }
}

static uint64_t local_bytes(const weft_context *context) {
  const weft__device *device = context->core.device;
  const bool is_roomy = device->quirks.roomy_local && !device->quirks.small_local;
  return is_roomy ? ROOMY_BYTES : device->info.local_memory_bytes;
}

static uint8_t room_for(const uint8_t *list, int count, int64_t n) {
  int k = 0;
  while (k + 1 < count && list[k] < n) k++;
  return list[k];
}

/// Chooses team, block and local memory. `side`: the longest side; `right`: right-hand sides, or 0.
static small_key choose(const weft_context *context, small_name name, weft_dtype dtype, int64_t side, int64_t right,
                        bool wants) {
  const bool rotates = name == GESDD || name == SYEVD;
  small_key key = {.dtype = (uint8_t)dtype,
                   .team = 1,
                   .teams = 1,
                   .side = room_for(sides, SIDES, side),
                   .which = kernels[name].which,
                   .wants = wants,
                   .sharers = 1};
  if (weft__linalg_sizes_of(context)->threads == 1) {
    key.side = WEFT__SMALL_MATRIX;
    return key;
  }
  const uint64_t room = local_bytes(context);
  for (key.team = 4; key.team < (rotates ? key.side / 2 : key.side);) key.team = (uint8_t)(key.team * 2);
  key.teams = (uint8_t)(key.team < WEFT__SMALL_BLOCK_THREADS ? WEFT__SMALL_BLOCK_THREADS / key.team : 1);
  if (right > 0) key.right = room_for(rights, RIGHTS, right);
  while (key.right > 8 && team_bytes(name, &key) > room) key.right /= 2;
  while (key.teams > 1 && key.teams * team_bytes(name, &key) > room) key.teams /= 2;
  key.local = key.teams * team_bytes(name, &key) <= room;
  if (!key.local) key.right = 0;
  return key;
}

static weft_status check_blocks(uint64_t blocks) {
  if (blocks <= INT32_MAX) return WEFT_OK;
  return weft__fail(WEFT_ERROR_UNSUPPORTED, "a", "the matrices make %llu blocks; 2^31 - 1 are the most",
                    (unsigned long long)blocks);
}

/// Launches a kernel on the arrays, which its buffers are in this order; NULL: the buffer is not used.
static weft_status launch(small_name name, small_key key, weft__small_args args, int uses, weft_array *const *array,
                          unsigned written, const char *site) {
  const small_kernel *row = &kernels[name];
  weft_context *context = array[0]->context;
  weft__kernel *kernel;
  weft__use use[7];
  const weft__kernel_source source = {
      .name = row->what,
      .key = {.file = row->file, .kernel = &row->name, .kernels = 1, WEFT__KEY_BYTES(small_key, &key)},
      .write = write_small};
  args.chunks = key.right && args.others > key.right ? weft_ceil_div((uint64_t)args.others, key.right) : 1;
  const uint64_t units = args.batch * args.chunks;
  const uint64_t enough = 4 * (uint64_t)context->core.device->info.compute_units;
  args.share = weft__linalg_sizes_of(context)->elements / (uint64_t)(args.rows * args.columns);
  if (args.share > units / enough) args.share = units / enough;
  if (args.share == 0) args.share = 1;
  const uint64_t blocks = weft_ceil_div(units, args.share * key.teams);
  WEFT__TRY_RETURN(check_blocks(blocks));
  for (int k = 0; k < uses; k++) {
    const weft_array *x = array[k] ? array[k] : array[0];
    use[k] = (weft__use){x->storage, (array[k] ? written >> k : written) & 1};
    args.at[k] = (uint64_t)x->offset_bytes;
  }
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &context->store, &source));
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3((uint64_t)key.team * key.teams),
                                              &args, sizeof args, uses, use, .what = row->what, .site = site});
}

static weft__small_args args_of(const weft_array *a) {
  return (weft__small_args){
      .batch = (uint64_t)a->shape[0], .rows = (int32_t)a->shape[1], .columns = (int32_t)a->shape[2]};
}

static int64_t longer(const weft_array *a) {
  return a->shape[1] > a->shape[2] ? a->shape[1] : a->shape[2];
}

/* ---- the steps ---- */

weft_status weft__small_potrf(weft_array *a, weft_array *info, const char *site) {
  const small_key key = choose(a->context, POTRF, a->dtype, a->shape[1], 0, false);
  return launch(POTRF, key, args_of(a), 2, (weft_array *const[]){a, info}, 3, site);
}

weft_status weft__small_getrf(weft_array *a, weft_array *pivots, weft_array *info, const char *site) {
  const small_key key = choose(a->context, GETRF, a->dtype, longer(a), 0, false);
  return launch(GETRF, key, args_of(a), 3, (weft_array *const[]){a, pivots, info}, 7, site);
}

weft_status weft__small_getrs(weft_array *b, const weft_array *lu, const weft_array *pivots, const char *site) {
  const small_key key = choose(b->context, GETRS, b->dtype, lu->shape[1], b->shape[2], false);
  weft__small_args args = args_of(lu);
  args.others = (int32_t)b->shape[2];
  return launch(GETRS, key, args, 3, (weft_array *const[]){b, (weft_array *)lu, (weft_array *)pivots}, 1, site);
}

bool weft__small_gesv_reads(const weft_array *a, int64_t right) {
  return choose(a->context, GESV, a->dtype, a->shape[1], right, false).local;
}

weft_status weft__small_gesv(weft_array *b, weft_array *a, weft_array *info, bool inverts, const char *site) {
  const small_key key = choose(b->context, GESV, b->dtype, a->shape[1], b->shape[2], false);
  weft__small_args args = args_of(a);
  args.others = (int32_t)b->shape[2];
  args.flags = inverts ? WEFT__SMALL_IDENTITY : 0;
  return launch(GESV, key, args, 3, (weft_array *const[]){b, a, info}, key.local ? 5 : 7, site);
}

weft_status weft__small_trsm(weft_array *b, const weft_array *t, weft__triangle triangle, weft_array *info,
                             const char *site) {
  const small_key key = choose(b->context, TRSM, b->dtype, t->shape[1], b->shape[2], false);
  weft__small_args args = args_of(t);
  args.others = (int32_t)b->shape[2];
  args.flags = (triangle.is_upper ? WEFT__SMALL_UPPER : 0) | (triangle.is_unit ? WEFT__SMALL_UNIT : 0) |
               (triangle.transposes ? WEFT__SMALL_TRANSPOSE : 0) | (triangle.conjugates ? WEFT__SMALL_CONJUGATE : 0) |
               (info ? WEFT__SMALL_INFO : 0);
  return launch(TRSM, key, args, 3, (weft_array *const[]){b, (weft_array *)t, info}, 5, site);
}

weft_status weft__small_geqrf(weft_array *q, weft_array *r, weft_array *a, const char *site) {
  small_key key = choose(a->context, GEQRF, a->dtype, longer(a), 0, q != NULL);
  if (q && !key.local) key = choose(a->context, GEQRF, a->dtype, longer(a), 0, false);
  weft__small_args args = args_of(a);
  args.others = q ? (int32_t)q->shape[2] : 0;
  return launch(GEQRF, key, args, 3, (weft_array *const[]){a, q, r}, 7, site);
}

/// Memory for what the kernel keeps, if it does not work in local memory.
static weft_status scratch(weft_array **out, const small_key *key, const weft_array *a, int64_t rows, int64_t columns,
                           const char *site) {
  if (key->local) return WEFT_OK;
  return weft__array_create(out, a->context, a->dtype, WEFT_SHAPE(a->shape[0], rows, columns), site);
}

/// Few matrices: several threads for each pair of vectors, and a block for each matrix, as there are blocks to spare.
static void share_pairs(small_key *key, const weft_array *a) {
  const weft__device *device = a->context->core.device;
  if (!key->local || (uint64_t)a->shape[0] > WEFT__SMALL_FEW_PER_UNIT * (uint64_t)device->info.compute_units) return;
  small_key wide = *key;
  while (wide.sharers < WEFT__SMALL_SHARERS && wide.team < WEFT__SMALL_WIDE_TEAM)
    wide.team = (uint8_t)(2 * wide.team), wide.sharers *= 2;
  wide.teams = 1;
  if (wide.team <= device->info.max_block_threads && team_bytes(SYEVD, &wide) <= local_bytes(a->context)) *key = wide;
}

/// Whether a warp has a matrix in its registers: c128 would not fit, and of smaller matrices most threads would rest.
static bool fits_warp(const weft_array *a) {
  const weft_context *context = a->context;
  return weft__linalg_sizes_of(context)->threads > 1 && context->core.device->has_ptx &&
         weft__has_device_scope(&context->core) && a->dtype != WEFT_C128 && a->shape[1] > WARP / 2 &&
         a->shape[1] <= WARP;
}

weft_status weft__small_syevd(weft_array *w, weft_array *a, bool wants_vectors, weft_array *info, const char *site) {
  weft_status rc;
  weft_array *vectors = NULL;
  small_key key = choose(a->context, SYEVD, a->dtype, a->shape[1], 0, wants_vectors);
  if (fits_warp(a)) {
    key = (small_key){.dtype = (uint8_t)a->dtype, .team = WARP, .teams = 1, .side = WARP, .wants = wants_vectors};
    return launch(WARP_SYEVD, key, args_of(a), 3, (weft_array *const[]){a, w, info}, 7, site);
  }
  share_pairs(&key, a);
  WEFT__TRY(scratch(&vectors, &key, a, a->shape[1], a->shape[2], site));
  rc = launch(SYEVD, key, args_of(a), 4, (weft_array *const[]){a, w, info, vectors}, 15, site);
done:
  weft_array_release(&vectors);
  return rc;
}

weft_status weft__small_gesdd(weft_array *u, weft_array *s, weft_array *vh, weft_array *a, weft_array *info,
                              const char *site) {
  weft_status rc;
  weft_array *vectors = NULL, *turns = NULL;
  const bool wants = u != NULL;
  const int64_t m = a->shape[1], n = a->shape[2], least = m < n ? m : n, most = longer(a);
  const small_key key = choose(a->context, GESDD, a->dtype, most, 0, wants);
  weft__small_args args = args_of(a);
  args.others = (int32_t)(!wants ? 0 : m < n ? vh->shape[1] : u->shape[2]);
  WEFT__TRY(scratch(&vectors, &key, a, wants ? args.others : least, most, site));
  WEFT__TRY(scratch(&turns, &key, a, least, least, site));
  rc = launch(GESDD, key, args, 7, (weft_array *const[]){a, u, s, vh, info, vectors, turns}, 127, site);
done:
  weft_array_release(&vectors);
  weft_array_release(&turns);
  return rc;
}

/* ---- determinants and permutations: a thread for each matrix, for determinants of larger ones all of a block ---- */

static weft_status launch_plain(const char *const *name, const char *file, small_key key, weft__small_args args,
                                int uses, const weft_array *const *array, unsigned written, const char *site) {
  weft_context *context = array[0]->context;
  weft__kernel *kernel;
  weft__use use[4];
  key.side = 1;
  const uint8_t threads = weft__linalg_sizes_of(context)->matrices;
  if (key.team == 0) key.team = 1;
  key.teams = (uint8_t)(threads / key.team);
  const weft__kernel_source source = {
      .name = "lu",
      .key = {.file = file, .kernel = name, .kernels = 1, WEFT__KEY_BYTES(small_key, &key)},
      .write = write_small};
  const uint64_t blocks = weft_ceil_div(args.batch, key.teams);
  if (blocks == 0) return WEFT_OK;
  WEFT__TRY_RETURN(check_blocks(blocks));
  for (int k = 0; k < uses; k++) {
    use[k] = (weft__use){array[k]->storage, (written >> k) & 1};
    args.at[k] = (uint64_t)array[k]->offset_bytes;
  }
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &context->store, &source));
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3((uint64_t)key.team * key.teams),
                                              &args, sizeof args, uses, use, .what = "lu", .site = site});
}

weft_status weft__determinant(weft_array *determinant, weft_array *logarithm, const weft_array *lu,
                              const weft_array *pivots, const char *site) {
  static const char *const name[] = {"weft_determinant"};
  const uint8_t threads = weft__linalg_sizes_of(lu->context)->matrices;
  const small_key key = {.dtype = (uint8_t)lu->dtype, .team = lu->shape[1] > WEFT__SMALL_MATRIX ? threads : 1};
  weft__small_args args = args_of(lu);
  args.flags = logarithm ? WEFT__SMALL_LOGARITHM : 0;
  const weft_array *const array[] = {lu, pivots, determinant, logarithm ? logarithm : determinant};
  return launch_plain(name, "linalg/determinant.cl", key, args, 4, array, 12, site);
}

weft_status weft__permutation_of(weft_array *out, const weft_array *pivots, int64_t rows, const char *site) {
  static const char *const name[] = {"weft_permutation"};
  weft_status rc = WEFT_OK;
  weft_array *order = NULL;
  const bool indices = out->dtype == WEFT_I64;
  const small_key key = {.dtype = (uint8_t)(indices ? WEFT_F32 : out->dtype), .wants = indices};
  const weft__small_args args = {
      .batch = (uint64_t)pivots->shape[0], .rows = (int32_t)rows, .columns = (int32_t)pivots->shape[1]};
  if (out->size == 0) return WEFT_OK;
  WEFT__TRY(weft__array_create(&order, out->context, WEFT_I32, WEFT_SHAPE(pivots->shape[0], rows), site));
  if (!indices) WEFT__TRY(weft__fill(out, WEFT_SCALAR(0), site));
  const weft_array *const array[] = {order, pivots, out};
  rc = launch_plain(name, "linalg/permutation.cl", key, args, 3, array, 5, site);
done:
  weft_array_release(&order);
  return rc;
}
