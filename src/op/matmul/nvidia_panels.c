// SPDX-License-Identifier: MIT
/// The row `nvidia_panels`: f32 products by tf32 instructions, if .precision permits them, and products of 8-bit
/// integers, by cl/matmul/nvidia_panels.cl. Worth it for large matrices, which are copied first.
#include "op/matmul/nvidia.h"

#include "cl/matmul/panels.h"

/// The option bytes of the kernels.
enum { TILE, KIND, A_IS_SIGNED, B_IS_SIGNED };
/// How elements are multiplied.
enum { TF32, TWO_TF32, EIGHT_BITS, KINDS };
/// The kernels.
enum { PACK, MULTIPLY, KERNELS };

#define TILES 3

/// Of each kind, by measurement on an H200.
static const weft__nvidia_tile tiles[KINDS][TILES] = {
    {{.m = 128, .n = 256, .k = 32, .stages = 4, .threads = 384, .blocks = 1, .rate = 1.0f},
     {.m = 128, .n = 128, .k = 32, .stages = 6, .threads = 384, .blocks = 1, .rate = 0.7f},
     {.m = 128, .n = 64, .k = 32, .stages = 8, .threads = 384, .blocks = 1, .rate = 0.45f}},
    {{.m = 128, .n = 256, .k = 16, .stages = 4, .threads = 384, .blocks = 1, .rate = 1.0f},
     {.m = 128, .n = 128, .k = 16, .stages = 6, .threads = 384, .blocks = 1, .rate = 0.7f},
     {.m = 128, .n = 64, .k = 16, .stages = 8, .threads = 384, .blocks = 1, .rate = 0.45f}},
    {{.m = 128, .n = 256, .k = 128, .stages = 4, .threads = 384, .blocks = 1, .rate = 1.0f},
     {.m = 128, .n = 128, .k = 128, .stages = 6, .threads = 384, .blocks = 1, .rate = 0.7f},
     {.m = 128, .n = 64, .k = 128, .stages = 8, .threads = 384, .blocks = 1, .rate = 0.45f}},
};
static const struct {
  int planes, element_bytes;
  double rate, other_rate; /* operations a second on an H200, of this row and of the row that does it otherwise */
} kinds[KINDS] = {{1, 4, 3.5e14, 4.1e13}, {2, 4, 1.3e14, 4.1e13}, {1, 1, 6e14, 1e13}};

/// An operand in panels.
typedef struct panels {
  uint64_t panels, blocks; /* of a matrix, and of a panel */
  uint64_t block_bytes, matrices;
  uint64_t at; /* in the storage of all panels */
} panels;

static void define(weft__text *text, const weft__matmul_task *task, const uint8_t *option) {
  (void)task;
  const int kind = option[KIND];
  const weft__nvidia_tile *tile = &tiles[kind][option[TILE]];
  weft__nvidia_define(text, tile);
  weft__text_add(text, "#define PLANES %d\n#define ROW_BYTES %d\n", kinds[kind].planes,
                 tile->k * kinds[kind].element_bytes);
  if (kind == EIGHT_BITS)
    weft__text_add(text, "#define TYPES_8 \"%s.%s\"\n", option[A_IS_SIGNED] ? "s8" : "u8",
                   option[B_IS_SIGNED] ? "s8" : "u8");
}

static bool is_real(weft_dtype dtype) {
  return dtype == WEFT_F32 || dtype == WEFT_F16 || dtype == WEFT_BF16;
}

static bool is_8_bit(weft_dtype dtype) {
  return dtype == WEFT_I8 || dtype == WEFT_U8;
}

/// The kind of a task, -1: none.
static int kind_of(const weft__matmul_task *t) {
  if (t->product == WEFT_F32 && t->precision != WEFT_PRECISION_EXACT && is_real(t->a.dtype) && is_real(t->b.dtype))
    return t->precision == WEFT_PRECISION_F32 ? TWO_TF32 : TF32;
  const bool wraps = t->accumulator == WEFT_U32 && t->product != WEFT_BOOL;
  return wraps && is_8_bit(t->a.dtype) && is_8_bit(t->b.dtype) ? EIGHT_BITS : -1;
}

static double padded(int64_t length, int block) {
  return (double)weft_ceil_div((uint64_t)length, (uint64_t)block) * block;
}

/// Whether the faster product makes up for the copies, which are padded: in seconds on an H200.
static bool pays(const weft__matmul_task *t, int kind) {
  const double m = (double)t->m, n = (double)t->n, k = (double)t->k, batches = (double)t->batches;
  const double saved = 2 * m * n * k * (1 / kinds[kind].other_rate - 1 / kinds[kind].rate);
  const double written = padded(t->k, tiles[kind][0].k) *
                         (padded(t->m, WEFT__PANEL_LINES) + padded(t->n, WEFT__PANEL_LINES)) * kinds[kind].planes;
  const double copied = (k * (m + n) + written) * kinds[kind].element_bytes / 2.5e12;
  return batches * (saved - copied) > 6e-6;
}

bool weft__matmul_nvidia_panels_fits(const void *task) {
  const weft__matmul_task *t = task;
  const int kind = kind_of(t);
  return weft__nvidia_capability(t) == 90 && kind >= 0 && t->split == 0 && pays(t, kind);
}

/// The panels of an operand, and the batch strides of `packed` in bytes: matrices that a batch repeats are there once.
static panels panels_of(weft__matmul_matrix *packed, const weft__matmul_task *t, const weft__nvidia_tile *tile,
                        int64_t lines, int tile_lines, int kind) {
  panels p = {.blocks = weft_ceil_div((uint64_t)t->k, (uint64_t)tile->k),
              .block_bytes = (uint64_t)(WEFT__PANEL_LINES * tile->k * kinds[kind].element_bytes * kinds[kind].planes),
              .matrices = 1};
  const int in_tile = tile_lines > WEFT__PANEL_LINES ? tile_lines / WEFT__PANEL_LINES : 1;
  p.panels = weft_ceil_div((uint64_t)lines, (uint64_t)(in_tile * WEFT__PANEL_LINES)) * (uint64_t)in_tile;
  for (int d = t->axes - 1; d >= 0; d--)
    if (packed->batch[d]) {
      packed->batch[d] = (int64_t)(p.matrices * p.panels * p.blocks * p.block_bytes);
      p.matrices *= (uint64_t)t->length[d];
    }
  return p;
}

static weft__panel_args args_of(const weft__matmul_task *t, const weft__matmul_matrix *x, bool is_a, const panels *p) {
  weft__panel_args args = {.from = x->offset_bytes,
                           .to = (int64_t)p->at,
                           .lines = (uint64_t)(is_a ? t->m : t->n),
                           .k = (uint64_t)t->k,
                           .line = is_a ? x->row : x->column,
                           .step = is_a ? x->column : x->row,
                           .panels = p->panels,
                           .blocks = p->blocks};
  for (int d = 0; d < t->axes; d++)
    if (x->batch[d]) {
      args.length[args.axes] = (uint64_t)t->length[d];
      args.batch[args.axes++] = x->batch[d];
    }
  return args;
}

static weft_status pack(weft__kernel *kernel, const weft__matmul_task *t, const panels *a, const panels *b,
                        weft__storage *storage) {
  const uint64_t a_groups = a->matrices * a->panels * a->blocks, b_groups = b->matrices * b->panels * b->blocks;
  const weft__pack_args args = {args_of(t, &t->a, true, a), args_of(t, &t->b, false, b), a_groups};
  const weft__use use[] = {{storage, true}, {t->a.storage, false}, {t->b.storage, false}};
  const uint64_t read = a->matrices * (uint64_t)(t->m * t->k) * weft_dtype_size_bytes(t->a.dtype) +
                        b->matrices * (uint64_t)(t->n * t->k) * weft_dtype_size_bytes(t->b.dtype);
  return weft__run_kernel(&(weft__kernel_run){.kernel = kernel,
                                              .grid = weft__dim3(a_groups + b_groups, 1, 1),
                                              .block = weft__dim3(256, 1, 1),
                                              .arguments = &args,
                                              .argument_bytes = sizeof args,
                                              .uses = 3,
                                              .use = use,
                                              .what = "matmul",
                                              .site = t->site,
                                              .bytes = read + (a_groups + b_groups) * a->block_bytes});
}

weft_status weft__matmul_nvidia_panels_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  static const char *const name[KERNELS] = {"weft_matmul_pack", "weft_matmul_panels"};
  const int kind = kind_of(t);
  const weft__nvidia_tile *tile = weft__nvidia_choose(tiles[kind], TILES, t);
  weft__matmul_source source = {
      .file = "matmul/nvidia_panels.cl", .kernel = name, .kernels = KERNELS, .define = define, .is_for_90a = true};
  weft__matmul_task product = *t;
  weft__kernel *kernel[KERNELS];
  weft_array *memory = NULL;
  bool refused;
  weft_status rc;
  panels a = panels_of(&product.a, t, tile, t->m, tile->m, kind);
  panels b = panels_of(&product.b, t, tile, t->n, tile->n, kind);
  const uint64_t a_bytes = a.matrices * a.panels * a.blocks * a.block_bytes;
  b.at = a_bytes;
  source.option[TILE] = (uint8_t)(tile - tiles[kind]);
  source.option[KIND] = (uint8_t)kind;
  source.option[A_IS_SIGNED] = t->a.dtype == WEFT_I8;
  source.option[B_IS_SIGNED] = t->b.dtype == WEFT_I8;
  source.elements = weft__matmul_store_elements(t) >= 2 ? 2 : 1;
  WEFT__TRY(weft__nvidia_kernels_get(kernel, &refused, t, &source));
  if (refused) goto done;
  rc = weft__array_create(&memory, t->context, WEFT_U8,
                          WEFT_SHAPE((int64_t)(a_bytes + b.matrices * b.panels * b.blocks * b.block_bytes)), t->site);
  if (weft__without_memory(&rc)) goto done; /* the next row needs none */
  WEFT__TRY(rc);
  a.at += memory->offset_bytes;
  b.at += memory->offset_bytes;
  WEFT__TRY(pack(kernel[PACK], t, &a, &b, memory->storage));
  product.a.storage = product.b.storage = memory->storage;
  product.a.offset_bytes = (int64_t)a.at;
  product.b.offset_bytes = (int64_t)b.at;
  rc = weft__nvidia_launch(&product, kernel[MULTIPLY], tile, a.blocks);
  *done = true;
done:
  weft_array_release(&memory);
  return rc;
}
