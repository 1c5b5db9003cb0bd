// SPDX-License-Identifier: MIT
/// Shared by the files of the weft command: the definition of a subcommand, exit statuses, and the beginning and end of
/// every run.
#ifndef WEFT_CLI_CLI_H
#define WEFT_CLI_CLI_H

#include <weft/weft.h>

#include "base/text.h"

/// Exit statuses of every subcommand.
enum {
  CLI_OK = 0,
  CLI_FAILED = 1, /* the run failed, or its output could not be written */
  CLI_USAGE = 2,  /* the command line is wrong; nothing was run */
};

/* The tables below are the one place for what the command takes: the parser, the help, the completion of the shells and
   the man pages use them (packaging/command/). The placeholder of an argument defines its values: FILE, or a name that
   begins with it (FILE.npy), a file; DIR a folder; SEL a device; COMMAND a subcommand; a|b one of these words; all
   others are free. */

/// An option of a subcommand. A list of options ends with one that has no name.
typedef struct cli_option {
  const char *name;     /* "--svg" */
  const char *argument; /* the placeholder of its value: "FILE"; NULL for a flag */
  const char *help;     /* its effect in one line */
} cli_option;

/// A name that a subcommand takes as its first word. A list of names ends with one that has no name.
typedef struct cli_name {
  const char *name;
  const char *help; /* in one line; neighbours with equal texts share a line of the help */
} cli_name;

typedef struct cli_args cli_args;

/// A subcommand. `weft help` prints these texts.
typedef struct cli_command {
  const char *name;
  const char *synopsis;    /* the placeholders of its words: "NAME GRID BLOCK", "[COMMAND]", "FILE..." */
  const char *summary;     /* one line for the list of subcommands; NULL hides it */
  const char *description; /* the body of the help; every line ends with \n */
  const cli_option *options;
  const cli_name *names;            /* those that cli_choose accepts; NULL: the first word is free */
  const char *names_are;            /* "demo": what a name names */
  int max_words;                    /* number of words allowed besides the options */
  int (*run)(const cli_args *args); /* returns an exit status */
} cli_command;

extern const cli_command cli_devices;
extern const cli_command cli_doctor;
extern const cli_command cli_limits;
extern const cli_command cli_compile;
extern const cli_command cli_cache;
extern const cli_command cli_prepare;
extern const cli_command cli_pack;
extern const cli_command cli_info;
extern const cli_command cli_print_array;
extern const cli_command cli_stats;
extern const cli_command cli_demo;
extern const cli_command cli_bench;
extern const cli_command cli_mpi;
extern const cli_command cli_verify;
extern const cli_command cli_top;
extern const cli_command cli_ways;
extern const cli_command cli_version;
extern const cli_command cli_help;
/// Hidden: prints these tables as JSON, for completion.py and manual.py.
extern const cli_command cli_tables;

/// All subcommands in the order of `weft help`; NULL at the end.
extern const cli_command *const cli_commands[];

/// Opens a context on the device that --device names, or on Weft's choice. On failure prints the reason on stderr.
weft_status cli_open(weft_context **context, const cli_args *args);
/// cli_open on the device that `selector` names; NULL: Weft's choice. `profiling` as of weft_context_create.
weft_status cli_open_on(weft_context **context, const cli_args *args, const char *selector, bool profiling);

/// Describes the device that cli_open would use. On failure prints the reason on stderr.
weft_status cli_find_device(weft_device_info *info, const cli_args *args);

/// Replaces the file `path` by `content`, completely or not at all. Returns CLI_OK, or CLI_FAILED after printing the
/// reason on stderr.
int cli_write_file(const cli_args *args, const char *path, const weft__text *content);

/// Checks that cli_write_file could write `path`, before work that takes long.
int cli_check_file(const cli_args *args, const char *path);

/// Prints the library's last error on stderr, with a remedy if one is known. Returns CLI_FAILED.
int cli_report(const cli_args *args);

/// Prints "weft COMMAND: message" and a newline on stderr. Names of files, and what files contain, are cleaned.
void cli_complain(const cli_args *args, const char *format, va_list list) WEFT_PRINTF(2, 0);
/// cli_complain. Returns CLI_FAILED.
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
