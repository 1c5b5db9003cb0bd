// SPDX-License-Identifier: MIT
/// `weft version`
#include <stdio.h>

#include "cli/base/cli.h"

static int run(const cli_args *args) {
  (void)args;
  printf("weft %s\n", weft_version());
  return CLI_OK;
}

const cli_command cli_version = {
    .name = "version",
    .synopsis = "",
    .summary = "Prints the version of the library",
    .description = "One line: weft, and the number.\n",
    .run = run,
};
