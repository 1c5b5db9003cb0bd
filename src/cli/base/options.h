// SPDX-License-Identifier: MIT
/// The command line: options and words of a subcommand, and the numbers and sizes in them.
#ifndef WEFT_CLI_OPTIONS_H
#define WEFT_CLI_OPTIONS_H

#include "cli/base/cli.h"

enum { CLI_MAX_OPTIONS = 16, CLI_MAX_GIVEN = 256, CLI_MAX_WORDS = 1024 /* files that a shell names */ };

/// A parsed command line. The strings are main()'s argv.
struct cli_args {
  const cli_command *command;
  const char *word[CLI_MAX_WORDS]; /* the words that are not options, in order */
  int word_count;
  struct {
    int option;
    const char *value;
  } given[CLI_MAX_GIVEN]; /* the options, in order */
  int given_count;
  const char *value[CLI_MAX_OPTIONS]; /* of the command's options, then of the global ones; NULL if not given */
};

/// Options that every subcommand accepts: --device and --help.
extern const cli_option cli_global_options[];
/// Options that need no subcommand: --version.
extern const cli_option cli_lone_options[];

/// Sorts `argc` words of `argv` into options and words for `command`. Options may stand anywhere before "--". Returns
/// CLI_OK, or CLI_USAGE after printing the wrong word on stderr.
int cli_parse(cli_args *args, const cli_command *command, int argc, char *const *argv);

/// The value of the option `name` ("--svg"): NULL if it was not given, "" for a flag that was given.
const char *cli_value(const cli_args *args, const char *name);
/// The values of an option that may be given several times: returns the one behind *next, which begins at 0 and moves
/// on; NULL behind the last.
const char *cli_next_value(int *next, const cli_args *args, const char *name);
bool cli_flag(const cli_args *args, const char *name);

/// Finds the first word among the command's names. Returns CLI_OK and the index in command->names, or CLI_USAGE after
/// printing the error on stderr.
int cli_choose(int *index, const cli_args *args);

/// Prints "weft COMMAND: message" on stderr, and where to read more. Returns CLI_USAGE.
int cli_usage_error(const cli_args *args, const char *format, ...) WEFT_PRINTF(2, 3);

/// Reads a grid or a block: one to three numbers from 1 to 2^64-1 separated by `x`, each decimal or a power, as in "4",
/// "2^30", "2x2x1", "2^3x2". `what` ("grid") is for the message. Returns CLI_OK, or CLI_USAGE after printing the error
/// on stderr.
int cli_parse_dim3(weft_dim3 *dim, const cli_args *args, const char *what, const char *word);

/// Reads the value of the option `name`, a whole number from `least` to `greatest`, decimal or a power as in "2^28".
/// Without the option *number stays.
/// Returns CLI_OK, or CLI_USAGE after printing the error on stderr.
int cli_parse_number(int64_t *number, const cli_args *args, const char *name, int64_t least, int64_t greatest);

/// Reads the value of the option `name`, up to `most` numbers with commas between them, each from `least` to
/// `greatest`; without the option *count stays. Returns CLI_OK, or CLI_USAGE after printing the error on stderr.
int cli_parse_sizes(int64_t *sizes, int *count, int most, const cli_args *args, const char *name, int64_t least,
                    int64_t greatest);

/// The name in `names` (NULL at the end) that `word` probably means; NULL if none is similar.
const char *cli_nearest(const char *word, const char *const *names);

#endif
