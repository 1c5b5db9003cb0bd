// SPDX-License-Identifier: MIT
/// Shared by the files of the weft command: the definition of a subcommand, exit statuses, and the beginning and end of
/// every run.
#ifndef WEFT_CLI_CLI_H
#define WEFT_CLI_CLI_H

#include <weft/weft.h>

/// Exit statuses of every subcommand.
enum {
  CLI_OK = 0,
  CLI_FAILED = 1, /* the run failed, or its output could not be written */
  CLI_USAGE = 2,  /* the command line is wrong; nothing was run */
};

/// An option of a subcommand. A list of options ends with one that has no name.
typedef struct cli_option {
  const char *name;     /* "--svg" */
  const char *argument; /* "FILE"; NULL for a flag */
  const char *help;     /* its effect in one line */
} cli_option;

typedef struct cli_args cli_args;

/// A subcommand. `weft help` prints these texts.
typedef struct cli_command {
  const char *name;
  const char *synopsis;    /* the words after the name, without the options: "NAME GRID BLOCK" */
  const char *summary;     /* one line for the list of subcommands; NULL hides it */
  const char *description; /* the body of the help; every line ends with \n */
  const cli_option *options;
  int max_words;                    /* number of words allowed besides the options */
  int (*run)(const cli_args *args); /* returns an exit status */
} cli_command;

extern const cli_command cli_devices;
extern const cli_command cli_doctor;
extern const cli_command cli_limits;
extern const cli_command cli_demo;
extern const cli_command cli_bench;
extern const cli_command cli_top;
extern const cli_command cli_version;

/// Opens a context on the device that --device names, or on Weft's choice. On failure prints the reason on stderr.
weft_status cli_open(weft_context **context, const cli_args *args);

/// Describes the device that cli_open would use. On failure prints the reason on stderr.
weft_status cli_find_device(weft_device_info *info, const cli_args *args);

/// Prints the library's last error on stderr, with a remedy if one is known. Returns CLI_FAILED.
int cli_report(const cli_args *args);

/// Prints "weft COMMAND: message" and a newline on stderr. Returns CLI_FAILED.
int cli_fail(const cli_args *args, const char *format, ...) WEFT_PRINTF(2, 3);

/// Prints on stderr what to install if there is no device at all.
void cli_advise_install(void);

/* All output to standard output passes through these two, so that the end of the run knows why a write failed. */

void cli_print(const char *text);
void cli_flush(void);
/// True once a write to standard output has failed: a long run may stop then.
bool cli_output_failed(void);
/// Closes standard output, prints on stderr why output was lost, and returns the run's exit status: `status` if no
/// output was lost.
int cli_finish(int status);

#endif
