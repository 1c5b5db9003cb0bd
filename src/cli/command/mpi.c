// SPDX-License-Identifier: MIT
/// `weft mpi`: runs the program weft-mpi, which lies beside the command where libweft-mpi was built: the command itself
/// does not link MPI.
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/base/options.h"

static const cli_name names[] = {
    {"info", "the ranks, their hosts and devices, and how fast they reach each other"},
    {"bench", "the rate of each operation, and its efficiency against one device"},
    {NULL, NULL},
};

/// Goes on as weft-mpi; comes back on failure alone.
static int start(const cli_args *args, const char *report, const char *elements) {
  char path[PATH_MAX] = "", program[PATH_MAX + 16];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  snprintf(program, sizeof program, "%s/weft-mpi", length > 0 ? dirname(path) : ".");
  const char *device = cli_value(args, "--device"), *only = cli_value(args, "--only");
  if (device && setenv("WEFT_DEVICE", device, 1)) return cli_fail(args, "no memory for WEFT_DEVICE");
  cli_flush();
  execl(program, "weft-mpi", report, cli_flag(args, "--json") ? "json" : "text", elements ? elements : "0",
        only ? only : "", (char *)NULL);
  return cli_fail(args, "cannot run %s: %s. It comes with libweft-mpi, which Weft's build makes where it finds an MPI",
                  program, strerror(errno));
}

static int run(const cli_args *args) {
  int index;
  const int status = cli_choose(&index, args);
  return status == CLI_OK ? start(args, names[index].name, cli_value(args, "--n")) : status;
}

int bench_mpi(const cli_args *args) {
  int64_t elements = 1 << 20;
  char text[24];
  if (cli_value(args, "--svg")) return cli_usage_error(args, "--svg is not for mpi, which draws no plot");
  const int status = cli_parse_number(&elements, args, "--size", 64, (int64_t)1 << 40);
  snprintf(text, sizeof text, "%lld", (long long)elements);
  return status == CLI_OK ? start(args, "bench", text) : status;
}

static const cli_option options[] = {
    {"--json", NULL, "prints JSON"},
    {"--n", "ELEMENTS", "bench: elements on each rank; below 64: a power of 2; default 20"},
    {"--only", "NAMES", "bench: these operations, as sum,sort; default all"},
    {NULL, NULL, NULL}};

const cli_command cli_mpi = {
    .name = "mpi",
    .synopsis = "NAME",
    .summary = "Shows MPI's ranks, their devices and links, or times operations over them",
    .description =
        "Start it by mpirun, once for each device: mpirun -np 4 weft mpi info. Without mpirun there is one rank.\n"
        "Rank 0 prints. The figures of a pair of ranks are of one direction, with the pair alone.\n"
        "bench: each rank has n elements. ONE DEVICE is the time of Weft's ordinary call on n elements of rank 0\n"
        "alone (of resplit and allreduce the time of a copy); EFFICIENCY compares the two: 1 is linear. SENT is what\n"
        "a rank has to send, divided by the time; of allreduce 2 (p - 1) / p of the array, as NCCL's tests count.\n"
        "bus: n elements are copied to pinned memory while n others come back: the most for an exchange through the\n"
        "host's memory. SENT is of one direction.\n"
        "weft bench mpi is the same, with --size for --n.\n",
    .options = options,
    .names = names,
    .names_are = "report",
    .max_words = 1,
    .run = run,
};
