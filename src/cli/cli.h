// SPDX-License-Identifier: MIT
/// What the files of the weft command share: what a subcommand is, its exit statuses, and the ends that every run has
/// in common.
#ifndef WEFT_CLI_CLI_H
#define WEFT_CLI_CLI_H

#include <weft/weft.h>

/// The exit statuses, the same for every subcommand.
enum {
  CLI_OK = 0,
  CLI_FAILED = 1, /* the run failed, or its output could not be written */
  CLI_USAGE = 2,  /* the command line is wrong; nothing was run */
};

/// An option of a subcommand. A list of them ends with one without a name.
typedef struct cli_option {
  const char *name;     /* "--svg" */
  const char *argument; /* "FILE"; NULL for a flag */
  const char *help;     /* what it does, one line */
} cli_option;

typedef struct cli_args cli_args;

/// A subcommand. `weft help` is made from these texts.
typedef struct cli_command {
  const char *name;
  const char *synopsis;    /* what follows the name, without the options: "NAME GRID BLOCK" */
  const char *summary;     /* one line for the list of subcommands; NULL hides it */
  const char *description; /* the help's body; every line ends with \n */
  const cli_option *options;
  int max_words;                    /* words it takes beside its options */
  int (*run)(const cli_args *args); /* returns an exit status */
} cli_command;

extern const cli_command cli_devices;
extern const cli_command cli_limits;
extern const cli_command cli_demo;
extern const cli_command cli_bench;
extern const cli_command cli_top;
extern const cli_command cli_version;
/// Hidden: lists the devices to a pipe for `weft devices`, which must survive a driver that kills its process.
extern const cli_command cli_list_devices;

/// Opens a context on the device that --device names, else on the one Weft would choose. On failure it says why on
/// stderr.
weft_status cli_open(weft_context **context, const cli_args *args);

/// Describes the device that cli_open would use. On failure it says why on stderr.
weft_status cli_find_device(weft_device_info *info, const cli_args *args);

/// Prints the last error of the library on stderr, with what to do about it where that is known. Returns CLI_FAILED.
int cli_report(const cli_args *args);

/// Prints "weft COMMAND: message" on stderr, colon and newline included. Returns CLI_FAILED.
int cli_fail(const cli_args *args, const char *format, ...) WEFT_PRINTF(2, 3);

/// Says on stderr what to install where there is no device at all.
void cli_advise_install(void);

/* Standard output is written through these two, so that the reason of a failed write is known when the run ends. */

void cli_print(const char *text);
void cli_flush(void);
/// True once standard output took no more: a long run may stop there.
bool cli_output_failed(void);
/// Closes standard output, says on stderr what of it could not be written, and returns the run's exit status, `status`
/// where all was.
int cli_finish(int status);

#endif
