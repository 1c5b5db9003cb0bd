// SPDX-License-Identifier: MIT
/// `weft print`: an array of a file, or a part of it, as text.
#include <stdlib.h>

#include "cli/base/array_file.h"

/// The form that the options ask for.
static int read_form(weft_print_params *form, const cli_args *args) {
  int64_t precision = 0, width = 0;
  int status = cli_parse_number(&precision, args, "--precision", 0, 17);
  if (status == CLI_OK) status = cli_parse_number(&width, args, "--width", 1, 100000);
  *form = (weft_print_params){
      .precision = precision == 0 && cli_flag(args, "--precision") ? -1 : (int)precision, /* -1: none */
      .line_width = (int)width,
      .threshold = cli_flag(args, "--all") ? -1 : 0,
  };
  return status;
}

static int print_array(const cli_args *args, const weft_array *x, const weft_print_params *form) {
  char *text = NULL;
  if (weft_array_to_text(&text, x, .precision = form->precision, .line_width = form->line_width,
                         .threshold = form->threshold) != WEFT_OK)
    return cli_report(args);
  cli_print(text);
  cli_print("\n");
  free(text);
  return CLI_OK;
}

static int print_slice(const cli_args *args, const weft_array *x, const weft_print_params *form) {
  weft_array *part = NULL;
  const char *slice = cli_value(args, "--slice");
  if (!slice) return print_array(args, x, form);
  if (weft_view(&part, x, slice) != WEFT_OK) {
    cli_report(args);
    return CLI_USAGE;
  }
  const int status = print_array(args, part, form);
  weft_array_release(&part);
  return status;
}

static int run(const cli_args *args) {
  array_choice choice;
  weft_print_params form;
  weft_context *context = NULL;
  weft_array *x = NULL;
  int status = read_form(&form, args);
  if (status == CLI_OK) status = array_choose(&choice, args);
  if (status != CLI_OK) return status;
  if (cli_open(&context, args) != WEFT_OK)
    status = CLI_FAILED;
  else if (array_load(&x, context, &choice) != WEFT_OK)
    status = cli_report(args);
  else
    status = print_slice(args, x, &form);
  weft_array_release(&x);
  weft_context_release(&context);
  array_file_close(&choice.file);
  return status;
}

static const cli_option options[] = {
    ARRAY_MEMBER_OPTION,
    {"--slice", "TEXT", "only this part, as NumPy's x[TEXT]: --slice \"1:3, ::2, -1\""},
    {"--precision", "N", "at most N digits after the point; default 8"},
    {"--width", "N", "lines of at most N characters; default 75"},
    {"--all", NULL, "every element; without it, more than 1000 are summarised"},
    {0},
};

const cli_command cli_print_array = {
    .name = "print",
    .synopsis = "FILE",
    .summary = "Prints an array of an .npy or .npz file as NumPy does",
    .description =
        "The array is read to the device, and only the elements shown are copied back.\n"
        "\n"
        "Examples:\n"
        "  weft print weights.npy --slice \"0, :10\"\n"
        "  weft print model.npz --member bias --precision 3\n",
    .options = options,
    .max_words = 1,
    .run = run,
};
