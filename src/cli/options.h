// SPDX-License-Identifier: MIT
/// The command line: options and words of a subcommand, and the numbers and sizes they spell.
#ifndef WEFT_CLI_OPTIONS_H
#define WEFT_CLI_OPTIONS_H

#include "cli/cli.h"

enum { CLI_MAX_OPTIONS = 16, CLI_MAX_WORDS = 8 };

/// A parsed command line. The strings are main()'s argv.
struct cli_args {
  const cli_command *command;
  const char *word[CLI_MAX_WORDS]; /* what is no option, in order */
  int word_count;
  const char *value[CLI_MAX_OPTIONS]; /* of the command's options, then of the global ones; NULL where not given */
};

/// What every subcommand takes: --device and --help.
extern const cli_option cli_global_options[];

/// Sorts `argc` words of `argv` into options and words for `command`. Options may stand anywhere up to "--". Returns
/// CLI_OK, or CLI_USAGE after saying on stderr which word is wrong.
int cli_parse(cli_args *args, const cli_command *command, int argc, char *const *argv);

/// The value of the option `name` ("--svg"): NULL where it was not given, "" for a flag that was.
const char *cli_value(const cli_args *args, const char *name);
bool cli_flag(const cli_args *args, const char *name);

/// Prints "weft COMMAND: message" and where to read more on stderr. Returns CLI_USAGE.
int cli_usage_error(const cli_args *args, const char *format, ...) WEFT_PRINTF(2, 3);

/// Reads a grid or a block: one to three numbers from 1 to 2^64-1 with `x` between them, each decimal or a power, as in
/// "4", "2^30", "2x2x1", "2^3x2". `what` ("grid") is for the message. Returns CLI_OK, or CLI_USAGE after saying on
/// stderr what is wrong.
int cli_parse_dim3(weft_dim3 *dim, const cli_args *args, const char *what, const char *word);

/// The one of `names` (NULL at the end) that `word` was probably meant to be; NULL where none is near.
const char *cli_nearest(const char *word, const char *const *names);

#endif
