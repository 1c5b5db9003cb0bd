// SPDX-License-Identifier: MIT
/// The weft command: finds the subcommand, prints help, and checks that all output was written.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/options.h"

/// In the order of `weft help`. A new subcommand needs a file that defines a cli_command, a line in cli.h and one here.
const cli_command *const cli_commands[] = {
    &cli_devices, &cli_doctor,  &cli_limits, &cli_top,    &cli_compile, &cli_cache, &cli_prepare,
    &cli_pack,    &cli_demo,    &cli_bench,  &cli_verify, &cli_ways, &cli_mpi,     &cli_info,  &cli_print_array,
    &cli_stats,   &cli_version, &cli_help,   &cli_tables, NULL,
};
enum { COMMAND_COUNT = sizeof cli_commands / sizeof *cli_commands - 1 };

static const cli_command *find_command(const char *name) {
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
  return NULL;
}

/* ---- help ---- */

static void print_option(const cli_option *option) {
  int width = printf("  %s%s%s", option->name, option->argument ? " " : "", option->argument ? option->argument : "");
  printf("%*s%s\n", width < 20 ? 20 - width : 2, "", option->help);
}

/// The names with their texts; neighbours with equal texts share them.
static void print_names(const cli_name *name) {
  printf("Names:\n");
  while (name->name) {
    int width = printf("  %s", name->name);
    const char *text = name->help;
    for (name++; name->name && strcmp(name->help, text) == 0; name++) width += printf(", %s", name->name);
    if (width > 12) printf("\n");
    printf("%*s%s\n", width > 12 ? 14 : 14 - width, "", text);
  }
  printf("\n");
}

static int print_command_help(const cli_command *command) {
  printf("weft %s%s%s [options]\n%s.\n\n", command->name, *command->synopsis ? " " : "", command->synopsis,
         command->summary);
  if (command->names) print_names(command->names);
  printf("%s\nOptions:\n", command->description);
  for (const cli_option *option = command->options; option && option->name; option++) print_option(option);
  for (const cli_option *option = cli_global_options; option->name; option++) print_option(option);
  return CLI_OK;
}

static void print_help(FILE *stream) {
  fputs(
      "weft COMMAND [options]\n"
      "Arrays and kernels on OpenCL devices: looks at the devices, and shows how a launch is laid out.\n\n"
      "Commands:\n",
      stream);
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (cli_commands[i]->summary) fprintf(stream, "  %-10s%s\n", cli_commands[i]->name, cli_commands[i]->summary);
  fputs(
      "\nEvery command takes --help and --device SEL; `weft --version` prints the version. Exit status: 0 done, 1 the "
      "run "
      "failed,\n2 wrong usage.\n",
      stream);
}

/// The message for an unknown subcommand.
static int unknown_command(const char *word) {
  char shown[WEFT__SHOWN_BYTES];
  const char *names[COMMAND_COUNT + 1];
  int count = 0;
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (cli_commands[i]->summary) names[count++] = cli_commands[i]->name;
  names[count] = NULL;
  const char *nearest = cli_nearest(word, names);
  if (nearest)
    fprintf(stderr, "weft: no command '%s': did you mean `weft %s`?\n", weft__text_shown(shown, word), nearest);
  else
    fprintf(stderr, "weft: no command '%s': `weft help` lists them.\n", weft__text_shown(shown, word));
  return CLI_USAGE;
}

static int help(const cli_args *args) {
  if (args->word_count == 0) {
    print_help(stdout);
    return CLI_OK;
  }
  const cli_command *command = find_command(args->word[0]);
  return command && command->summary ? print_command_help(command) : unknown_command(args->word[0]);
}

const cli_command cli_help = {
    .name = "help",
    .synopsis = "[COMMAND]",
    .summary = "Prints this list, or the help of a command: weft help demo",
    .description = "Without a word: the list of all commands.\n",
    .max_words = 1,
    .run = help,
};

/* ---- the run ---- */

/// The subcommand's index in argv: the first word that is neither an option nor the value of --device; argc if there is
/// no such word.
static int command_place(int argc, char *const *argv) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++)
    if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) i++;
  return i < argc ? i : argc;
}

static int run(int argc, char **argv) {
  char shown[WEFT__SHOWN_BYTES];
  int place = command_place(argc, argv);
  if (place == argc) {
    for (int i = 1; i < argc; i++) {
      if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return help(&(cli_args){.command = &cli_help});
      if (strcmp(argv[i], cli_lone_options[0].name) == 0) return cli_version.run(&(cli_args){.command = &cli_version});
    }
    if (argc > 1)
      fprintf(stderr, "weft: no command follows '%s': `weft help` lists them.\n",
              weft__text_shown(shown, argv[argc - 1]));
    else
      print_help(stderr);
    return CLI_USAGE;
  }
  const cli_command *command = find_command(argv[place]);
  if (!command) return unknown_command(argv[place]);

  /* Options may precede the subcommand: remove its name from the line and parse the rest as one. */
  memmove(argv + place, argv + place + 1, (size_t)(argc - place) * sizeof *argv);
  cli_args args;
  int status = cli_parse(&args, command, argc - 2, argv + 1);
  if (status != CLI_OK) return status;
  return cli_flag(&args, "--help") && command->summary ? print_command_help(command) : command->run(&args);
}

/// Fills the descriptors of standard streams that the caller closed; otherwise the next pipe would take them and
/// receive the output. They are filled so that reading and writing still fail.
static void fill_standard_streams(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      return;
}

int main(int argc, char **argv) {
  fill_standard_streams();
  /* A closed pipe becomes a failed write, which is reported below, not a fatal signal. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a file at its size limit becomes a failed write too */
  return cli_finish(run(argc, argv));
}
