// SPDX-License-Identifier: MIT
/// `weft __tables`: the tables of commands and options as JSON. The build makes the completion and the man pages of it.
#include "cli/base/options.h"

static void add_member(weft__text *text, const char *key, const char *value) {
  weft__text_add(text, ", \"%s\": ", key);
  if (value)
    weft__text_add_json(text, value);
  else
    weft__text_add(text, "null");
}

static void add_options(weft__text *text, const char *key, const cli_option *options) {
  weft__text_add(text, ", \"%s\": [", key);
  for (const cli_option *option = options; option && option->name; option++) {
    weft__text_add(text, "%s\n    {\"name\": ", option == options ? "" : ",");
    weft__text_add_json(text, option->name);
    add_member(text, "argument", option->argument);
    add_member(text, "help", option->help);
    weft__text_add(text, "}");
  }
  weft__text_add(text, "]");
}

static void add_command(weft__text *text, const cli_command *command) {
  weft__text_add(text, "\n  {\"name\": ");
  weft__text_add_json(text, command->name);
  add_member(text, "synopsis", command->synopsis);
  add_member(text, "summary", command->summary);
  add_member(text, "description", command->description);
  add_options(text, "options", command->options);
  weft__text_add(text, ", \"max_words\": %d, \"names\": [", command->max_words);
  for (const cli_name *name = command->names; name && name->name; name++) {
    weft__text_add(text, "%s\n    {\"name\": ", name == command->names ? "" : ",");
    weft__text_add_json(text, name->name);
    add_member(text, "help", name->help);
    weft__text_add(text, "}");
  }
  weft__text_add(text, "]}");
}

static int run(const cli_args *args) {
  weft__text text = {0};
  bool is_first = true;
  weft__text_add(&text, "{\"version\": \"%s\"", weft_version());
  add_options(&text, "global_options", cli_global_options);
  add_options(&text, "lone_options", cli_lone_options);
  weft__text_add(&text, ", \"commands\": [");
  for (int i = 0; cli_commands[i]; i++) {
    if (!cli_commands[i]->summary) continue;
    if (!is_first) weft__text_add(&text, ",");
    is_first = false;
    add_command(&text, cli_commands[i]);
  }
  weft__text_add(&text, "]}\n");
  int status = text.failed ? cli_fail(args, "not enough memory") : CLI_OK;
  if (status == CLI_OK) cli_print(weft__text_chars(&text));
  weft__text_free(&text);
  return status;
}

const cli_command cli_tables = {.name = "__tables", .synopsis = "", .run = run};
