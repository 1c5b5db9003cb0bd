// SPDX-License-Identifier: MIT
/// `weft compile`: builds a source of kernels for a device, lists its kernels, and writes the binary.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/options.h"

#define MOST_DEFINES 256

/// The values of --define, separated by blanks, as a list. `words` is cut in place.
static int read_defines(const char *defines[MOST_DEFINES + 1], char *words, const cli_args *args) {
  int count = 0;
  for (char *word = words ? strtok(words, " ") : NULL; word; word = strtok(NULL, " ")) {
    if (count == MOST_DEFINES) {
      cli_fail(args, "--define has more than %d definitions", MOST_DEFINES);
      return CLI_USAGE;
    }
    defines[count++] = word;
  }
  defines[count] = NULL;
  return CLI_OK;
}

static int write_binary(const cli_args *args, weft_context *context, weft_kernel_params *params, const char *list) {
  const char *path = cli_value(args, "--output");
  weft__text content = {0};
  weft_kernel *kernel = NULL;
  char *first = NULL;
  void *bytes = NULL;
  size_t size = 0;
  int status = CLI_OK;
  if (!path) return CLI_OK;
  if (!list[0]) return cli_fail(args, "`%s` has no kernel; there is no binary to write", params->file);
  /* the binary has all kernels, whichever is asked for it */
  weft__text_add_bytes(&content, list, strcspn(list, "("));
  first = weft__text_take(&content);
  params->name = first;
  if (!first)
    status = cli_fail(args, "not enough memory");
  else if ((weft_kernel_create)(&kernel, context, params) != WEFT_OK ||
           weft_kernel_binary(&bytes, &size, kernel) != WEFT_OK)
    status = cli_report(args);
  weft__text_add_bytes(&content, bytes ? bytes : "", size);
  if (status == CLI_OK) status = cli_write_file(args, path, &content);
  if (status == CLI_OK) fprintf(stderr, "%zu bytes written to %s\n", size, path);
  weft__text_free(&content);
  weft_free(bytes);
  free(first);
  weft_release(&kernel);
  return status;
}

/// All values of an option, with `joint` between them; NULL: it was not given. free() it.
static char *join_values(const cli_args *args, const char *name, const char *joint) {
  weft__text text = {0};
  const char *value;
  for (int next = 0; (value = cli_next_value(&next, args, name));)
    weft__text_add(&text, "%s%s", text.length ? joint : "", value);
  char *all = text.length ? weft__text_take(&text) : NULL;
  weft__text_free(&text);
  return all;
}

static int run(const cli_args *args) {
  const char *defines[MOST_DEFINES + 1], *output = cli_value(args, "--output");
  char *words = join_values(args, "--define", " "), *folders = join_values(args, "--include", ":"), *list = NULL;
  weft_context *context = NULL;
  int status = args->word_count == 1 ? CLI_OK : CLI_USAGE;
  if (status != CLI_OK) cli_fail(args, "expected a FILE with kernels, in OpenCL C");
  if (status == CLI_OK) status = read_defines(defines, words, args);
  weft_kernel_params params = {
      .file = args->word[0], .defines = defines, .options = cli_value(args, "--options"), .include_path = folders};
  if (status == CLI_OK && output) status = cli_check_file(args, output);
  if (status == CLI_OK && cli_open(&context, args) != WEFT_OK) status = CLI_FAILED;
  if (status == CLI_OK && (weft_kernel_list)(&list, context, &params) != WEFT_OK) status = cli_report(args);
  if (status == CLI_OK) cli_print(list);
  if (status == CLI_OK) status = write_binary(args, context, &params, list);
  weft_free(list);
  weft_context_release(&context);
  free(words);
  free(folders);
  return status;
}

static const cli_option options[] = {
    {"--output", "FILE", "writes the binary, for .file or .binary of weft_kernel_create"},
    {"--define", "TEXT", "definitions, separated by blanks: \"T=float BLOCK=256\"; may be given again"},
    {"--include", "DIR", "a folder for #include, or several with colons between them; may be given again"},
    {"--options", "TEXT", "further options of the OpenCL compiler"},
    {0},
};

const cli_command cli_compile = {
    .name = "compile",
    .synopsis = "FILE",
    .summary = "Compiles kernels for a device and lists them with their parameters",
    .description =
        "An error shows the compiler's log and the numbered source. A binary works on the\n"
        "same kind of device with the same driver, and is refused elsewhere.\n"
        "\n"
        "Examples:\n"
        "  weft compile saxpy.cl\n"
        "  weft compile scale.cl --define \"T=float FACTOR=3\" --output scale.bin\n",
    .options = options,
    .max_words = 1,
    .run = run,
};
