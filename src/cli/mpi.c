// SPDX-License-Identifier: MIT
/// `weft mpi`: runs the program weft-mpi, which lies beside the command where libweft-mpi was built: the command itself
/// does not link MPI.
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"

static const cli_name names[] = {
    {"info", "the ranks, their hosts and devices, and how fast they reach each other"},
    {"bench", "the rate of each operation, and its efficiency against one rank"},
    {NULL, NULL},
};

static int run(const cli_args *args) {
  char path[PATH_MAX] = "", program[PATH_MAX + 16];
  int index;
  const int status = cli_choose(&index, args);
  if (status != CLI_OK) return status;
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  snprintf(program, sizeof program, "%s/weft-mpi", length > 0 ? dirname(path) : ".");
  const char *device = cli_value(args, "--device"), *elements = cli_value(args, "--n");
  if (device && setenv("WEFT_DEVICE", device, 1)) return cli_fail(args, "no memory for WEFT_DEVICE");
  cli_flush();
  execl(program, "weft-mpi", names[index].name, cli_flag(args, "--json") ? "json" : "text", elements ? elements : "0",
        (char *)NULL);
  return cli_fail(args, "cannot run %s: %s. It comes with libweft-mpi, which Weft's build makes where it finds an MPI",
                  program, strerror(errno));
}

static const cli_option options[] = {{"--json", NULL, "prints JSON"},
                                     {"--n", "ELEMENTS", "bench: elements on each rank, default 1048576"},
                                     {NULL, NULL, NULL}};

const cli_command cli_mpi = {
    .name = "mpi",
    .synopsis = "NAME",
    .summary = "Shows MPI's ranks, their devices and links, or times operations over them",
    .description =
        "Start it by mpirun, once for each device: mpirun -np 4 weft mpi info. Without mpirun there is one rank.\n"
        "Rank 0 prints. The figures of a pair of ranks are of one direction, with the pair alone.\n",
    .options = options,
    .names = names,
    .names_are = "report",
    .max_words = 1,
    .run = run,
};
