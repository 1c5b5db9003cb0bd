// SPDX-License-Identifier: MIT
/// `weft demo`: chooses the demo and opens the device.
#include "cli/command/demo.h"

#include <string.h>

#include "cli/base/options.h"

static const char each_thread[] = "a line for each thread, block by block: the value that it read";

static const cli_name names[] = {
    {"threadIdx", each_thread},
    {"blockIdx", each_thread},
    {"blockDim", each_thread},
    {"gridDim", each_thread},
    {"grid", "a picture: each block a row, each thread a cell with its global index"},
    {"empty", "launches a kernel that does nothing, waits, prints Running Success! and the time from launch to finish"},
    {0},
};

typedef struct demo {
  int (*run)(const demo_run *run);
  const char *option; /* an option that only demos of this kind accept */
} demo;

/// In the order of `names`.
static const demo demos[] = {
    {demo_index, "--device-printf"},
    {demo_index, "--device-printf"},
    {demo_index, "--device-printf"},
    {demo_index, "--device-printf"},
    {demo_grid, "--svg"},
    {demo_empty, NULL},
};
_Static_assert(sizeof demos / sizeof *demos + 1 == sizeof names / sizeof *names, "a demo for each name");

/* ---- shared by the demos ---- */

static uint64_t saturated_product(uint64_t a, uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

uint64_t demo_count(weft_dim3 dim) {
  return saturated_product(saturated_product(dim.x, dim.y), dim.z);
}

bool demo_is_flat(const demo_run *run) {
  return run->grid.y == 1 && run->grid.z == 1 && run->block.y == 1 && run->block.z == 1;
}

void demo_add_index(weft__text *text, const demo_run *run, const uint32_t index[3]) {
  if (demo_is_flat(run))
    weft__text_add(text, "%u", index[0]);
  else
    weft__text_add(text, "(%u, %u, %u)", index[0], index[1], index[2]);
}

static void add_dim3_json(weft__text *text, const char *key, weft_dim3 dim) {
  weft__text_add(text, ", \"%s\": [%llu, %llu, %llu]", key, (unsigned long long)dim.x, (unsigned long long)dim.y,
                 (unsigned long long)dim.z);
}

void demo_add_json(weft__text *text, const demo_run *run) {
  weft__text_add(text, "\"demo\": \"%s\", \"device\": ", run->name);
  weft__text_add_json(text, run->device.name);
  add_dim3_json(text, "grid", run->grid);
  add_dim3_json(text, "block", run->block);
}

/* ---- the subcommand ---- */

/// Refuses options that the demo does not use.
static int check_options(const cli_args *args, int which) {
  static const char *const special[] = {"--device-printf", "--svg"};
  for (int i = 0; i < 2; i++) {
    if (cli_flag(args, special[i]) && (!demos[which].option || strcmp(demos[which].option, special[i]) != 0))
      return cli_usage_error(args, "the demo %s does not take %s", names[which].name, special[i]);
  }
  if (cli_flag(args, "--json") && cli_flag(args, "--device-printf"))
    return cli_usage_error(args,
                           "--json and --device-printf exclude each other: the device's lines are passed on unchanged");
  return CLI_OK;
}

static int run(const cli_args *args) {
  int which;
  demo_run r = {.args = args};
  int status = cli_choose(&which, args);
  if (status != CLI_OK) return status;
  if (args->word_count < 3)
    return cli_usage_error(args,
                           "the %s is missing: expected `weft demo %s GRID BLOCK`, for example `weft demo %s 2 4`",
                           args->word_count == 1 ? "grid" : "block", args->word[0], args->word[0]);
  if ((status = check_options(args, which)) != CLI_OK) return status;
  if ((status = cli_parse_dim3(&r.grid, args, "grid", args->word[1])) != CLI_OK) return status;
  if ((status = cli_parse_dim3(&r.block, args, "block", args->word[2])) != CLI_OK) return status;

  r.name = names[which].name;
  if (cli_open(&r.context, args) != WEFT_OK) return CLI_FAILED;
  if (weft_context_get_device(&r.device, r.context) != WEFT_OK)
    status = cli_report(args);
  else
    status = cli_flag(args, "--device-printf") ? demo_printf(&r) : demos[which].run(&r);
  weft_context_release(&r.context);
  return status;
}

static const cli_option options[] = {
    {"--json", NULL, "the device's records, the picture or the time as JSON"},
    {"--device-printf", NULL, "threadIdx, blockIdx, blockDim, gridDim: let the device print, in its own order"},
    {"--svg", "FILE", "grid: write the picture to FILE too"},
    {0},
};

const cli_command cli_demo = {
    .name = "demo",
    .synopsis = "NAME GRID BLOCK",
    .summary = "Launches a grid of blocks of threads and shows what each thread saw",
    .description =
        "GRID is the number of blocks, BLOCK the number of threads in each: a number such as 4, a power such as 2^30, "
        "or two or\n"
        "three of them with an x between, as in 2x2x1. None may be 0. If a launch has more than one dimension, "
        "numbers are\n"
        "shown as tuples (x, y, z), blocks and threads are ordered with x fastest, and cells of the picture show the\n"
        "flat number. A picture that is too large shows the first and last three of its blocks or threads.\n"
        "\n"
        "The time of empty includes compiling, if the driver leaves it to the first launch.\n"
        "\n"
        "The device writes all values. With --device-printf the device's own printf writes the lines: the device "
        "chooses their\n"
        "order, and drivers may garble lines, or lose them when a buffer is full. A message on stderr then reports "
        "it, and the\n"
        "exit status is 1.\n"
        "\n"
        "Examples:\n"
        "  weft demo threadIdx 2 4\n"
        "  weft demo grid 2x2 4x2 --svg grid.svg\n"
        "  weft demo empty 2^30 2^10\n",
    .options = options,
    .names = names,
    .names_are = "demo",
    .max_words = 3,
    .run = run,
};
