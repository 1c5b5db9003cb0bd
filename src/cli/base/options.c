// SPDX-License-Identifier: MIT
#include "cli/base/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/base/progress.h"

const cli_option cli_global_options[] = {
    {"--device", "SEL",
     "the device to use: its number, part of its name, gpu or cpu (default: WEFT_DEVICE, else the best)"},
    {"--help", NULL, "print this help"},
    {0},
};

const cli_option cli_lone_options[] = {{"--version", NULL, "print the version"}, {0}};

/* ---- messages ---- */

int cli_usage_error(const cli_args *args, const char *format, ...) {
  va_list list;
  va_start(list, format);
  cli_complain(args, format, list);
  va_end(list);
  fprintf(stderr, "`weft help %s` shows its usage.\n", args->command->name);
  return CLI_USAGE;
}

/// Levenshtein distance, ignoring case; 99 for words longer than any name here.
static int distance(const char *a, const char *b) {
  enum { MAX = 32 };
  size_t rows = strlen(a), columns = strlen(b);
  if (rows > MAX || columns > MAX) return 99;
  int row[MAX + 1];
  for (size_t j = 0; j <= columns; j++) row[j] = (int)j;
  for (size_t i = 1; i <= rows; i++) {
    int diagonal = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= columns; j++) {
      int best = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[columns];
}

const char *cli_nearest(const char *word, const char *const *names) {
  const char *nearest = NULL;
  /* Up to a third of the letters may be wrong; beyond that a suggestion would be a guess. */
  int best = (int)strlen(word) / 3 + 1;
  for (; *names; names++) {
    int d = distance(word, *names);
    /* An abbreviated name is more likely than changed letters: "dev" for "devices". */
    if (strlen(word) >= 3 && strncasecmp(word, *names, strlen(word)) == 0) d = 1;
    if (d <= best && (!nearest || d < best)) {
      best = d;
      nearest = *names;
    }
  }
  return nearest;
}

/* ---- options and words ---- */

/// Option `i` of the command: its own first, then the global ones; NULL after the last.
static const cli_option *option_at(const cli_command *command, int i) {
  const cli_option *option = command->options;
  for (; option && option->name; option++)
    if (i-- == 0) return option;
  for (option = cli_global_options; option->name; option++)
    if (i-- == 0) return option;
  return NULL;
}

static int find_option(const cli_command *command, const char *name, size_t length) {
  const cli_option *option;
  for (int i = 0; (option = option_at(command, i)); i++)
    if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) return i;
  return -1;
}

static int unknown_option(const cli_args *args, const char *word) {
  const char *names[CLI_MAX_OPTIONS + 1];
  const cli_option *option;
  int count = 0;
  for (; count < CLI_MAX_OPTIONS && (option = option_at(args->command, count)); count++) names[count] = option->name;
  names[count] = NULL;
  const char *nearest = cli_nearest(word, names);
  if (nearest) return cli_usage_error(args, "no option '%s': did you mean %s?", word, nearest);
  return cli_usage_error(args, "no option '%s'", word);
}

/// Checks a value whose placeholder lists the words: "bars|lines".
static int check_value(const cli_args *args, const cli_option *option, const char *value) {
  if (!strchr(option->argument, '|')) return CLI_OK;
  size_t length = strlen(value);
  for (const char *word = option->argument; word; word = strchr(word, '|')) {
    if (*word == '|') word++;
    if (length > 0 && strncmp(word, value, length) == 0 && (word[length] == '|' || word[length] == 0)) return CLI_OK;
  }
  return cli_usage_error(args, "%s is '%s'; expected %s", option->name, value, option->argument);
}

int cli_parse(cli_args *args, const cli_command *command, int argc, char *const *argv) {
  *args = (cli_args){.command = command};
  bool options_ended = false;
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i];
    /* "-4" is a wrong number, not an option, and a lone "-" is a word. */
    bool is_option = !options_ended && word[0] == '-' && word[1] != 0 && !isdigit((unsigned char)word[1]);
    if (!is_option) {
      if (args->word_count >= command->max_words || args->word_count >= CLI_MAX_WORDS)
        return cli_usage_error(args, "'%s' is one word too many: expected `weft %s%s%s`", word, command->name,
                               *command->synopsis ? " " : "", command->synopsis);
      args->word[args->word_count++] = word;
      continue;
    }
    if (strcmp(word, "--") == 0) {
      options_ended = true;
      continue;
    }
    if (strcmp(word, "-h") == 0) word = "--help";
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    int found = find_option(command, word, length);
    if (found < 0) return unknown_option(args, word);
    const cli_option *option = option_at(command, found);
    if (!option->argument && equals)
      return cli_usage_error(args, "%s takes no value, but '%s' gives one", option->name, word);
    if (!option->argument)
      args->value[found] = "";
    else if (equals)
      args->value[found] = equals + 1;
    else if (i + 1 < argc)
      args->value[found] = argv[++i];
    else
      return cli_usage_error(args, "%s needs a value: %s %s", option->name, option->name, option->argument);
    if (option->argument && check_value(args, option, args->value[found]) != CLI_OK) return CLI_USAGE;
    if (args->given_count == CLI_MAX_GIVEN) return cli_usage_error(args, "over %d options", CLI_MAX_GIVEN);
    args->given[args->given_count].option = found;
    args->given[args->given_count++].value = args->value[found];
  }
  return CLI_OK;
}

const char *cli_value(const cli_args *args, const char *name) {
  int found = find_option(args->command, name, strlen(name));
  return found < 0 ? NULL : args->value[found];
}

const char *cli_next_value(int *next, const cli_args *args, const char *name) {
  const int found = find_option(args->command, name, strlen(name));
  while (*next < args->given_count)
    if (args->given[(*next)++].option == found) return args->given[*next - 1].value;
  return NULL;
}

bool cli_flag(const cli_args *args, const char *name) {
  return cli_value(args, name) != NULL;
}

/// "launch, memory, ufunc or primitives", with `last` for the last comma.
static void add_names(weft__text *text, const cli_name *names, const char *last) {
  for (const cli_name *name = names; name->name; name++)
    weft__text_add(text, "%s%s", name == names ? "" : name[1].name ? ", " : last, name->name);
}

int cli_choose(int *index, const cli_args *args) {
  enum { MOST = 32 };
  const char *list[MOST + 1] = {0}, *what = args->command->names_are;
  const cli_name *names = args->command->names;
  weft__text all = {0};
  for (int i = 0; names[i].name && i < MOST; i++) list[i] = names[i].name;
  for (*index = 0; args->word_count > 0 && names[*index].name; ++*index)
    if (strcmp(names[*index].name, args->word[0]) == 0) return CLI_OK;
  const char *nearest = args->word_count > 0 ? cli_nearest(args->word[0], list) : NULL;
  add_names(&all, names, args->word_count > 0 ? " and " : " or ");
  if (args->word_count == 0)
    cli_usage_error(args, "which %s? %s", what, weft__text_chars(&all));
  else if (nearest)
    cli_usage_error(args, "no %s '%s': did you mean %s?", what, args->word[0], nearest);
  else
    cli_usage_error(args, "no %s '%s': there are %s", what, args->word[0], weft__text_chars(&all));
  weft__text_free(&all);
  return CLI_USAGE;
}

/* ---- numbers ---- */

typedef enum number_fault { NUMBER_OK, NUMBER_NOT_ONE, NUMBER_TOO_LARGE } number_fault;

/// Reads decimal digits at *at and moves *at behind them.
static number_fault read_digits(uint64_t *value, const char **at) {
  const char *p = *at;
  if (!isdigit((unsigned char)*p)) return NUMBER_NOT_ONE;
  number_fault fault = NUMBER_OK;
  *value = 0;
  for (; isdigit((unsigned char)*p); p++) {
    uint64_t digit = (uint64_t)(*p - '0');
    if (*value > (UINT64_MAX - digit) / 10)
      fault = NUMBER_TOO_LARGE;
    else
      *value = *value * 10 + digit;
  }
  *at = p;
  return fault;
}

/// Reads "N", "N^K" or, as in Python, "N**K".
static number_fault read_number(uint64_t *value, const char **at) {
  uint64_t exponent;
  number_fault fault = read_digits(value, at);
  size_t sign = **at == '^' ? 1 : strncmp(*at, "**", 2) == 0 ? 2 : 0;
  if (fault == NUMBER_NOT_ONE || sign == 0) return fault;
  *at += sign;
  number_fault exponent_fault = read_digits(&exponent, at);
  if (exponent_fault != NUMBER_OK || fault != NUMBER_OK) return exponent_fault != NUMBER_OK ? exponent_fault : fault;
  uint64_t base = *value;
  if (base <= 1) {
    *value = exponent == 0 ? 1 : base;
    return NUMBER_OK;
  }
  for (*value = 1; exponent > 0; exponent--) {
    if (*value > UINT64_MAX / base) return NUMBER_TOO_LARGE;
    *value *= base;
  }
  return NUMBER_OK;
}

int cli_parse_dim3(weft_dim3 *dim, const cli_args *args, const char *what, const char *word) {
  uint64_t part[3] = {1, 1, 1};
  const char *at = word;
  for (int i = 0;; i++) {
    uint64_t number;
    number_fault fault = read_number(&number, &at);
    if (fault == NUMBER_OK && *at != 0 && *at != 'x') fault = NUMBER_NOT_ONE;
    if (fault == NUMBER_NOT_ONE)
      return cli_usage_error(args, "the %s '%s' is not a size: expected numbers such as 4, 2^30, 2x2x1 or 2^3x2", what,
                             word);
    if (fault == NUMBER_TOO_LARGE)
      return cli_usage_error(args, "the %s '%s' is too large: the maximum is 2^64-1, %llu", what, word,
                             (unsigned long long)UINT64_MAX);
    if (number == 0)
      return cli_usage_error(args, "the %s '%s' has a 0 in it: a launch needs at least 1 in every direction", what,
                             word);
    if (i == 3)
      return cli_usage_error(args, "the %s '%s' has more than three parts: expected X, XxY or XxYxZ", what, word);
    part[i] = number;
    if (*at == 0) break;
    at++;
  }
  *dim = (weft_dim3){part[0], part[1], part[2]};
  return CLI_OK;
}

int cli_parse_number(int64_t *number, const cli_args *args, const char *name, int64_t least, int64_t greatest) {
  const char *text = cli_value(args, name), *at = text;
  if (!text) return CLI_OK;
  const bool is_negative = *at == '-';
  at += is_negative;
  uint64_t size = 0;
  const number_fault fault = read_number(&size, &at);
  const bool is_number = fault == NUMBER_OK && *at == 0 && size <= INT64_MAX;
  const int64_t value = !is_number ? 0 : is_negative ? -(int64_t)size : (int64_t)size;
  if (!is_number || value < least || value > greatest)
    return cli_usage_error(args, "%s is '%s'; expected a whole number from %lld to %lld", name, text, (long long)least,
                           (long long)greatest);
  *number = value;
  return CLI_OK;
}

int cli_parse_sizes(int64_t *sizes, int *count, int most, const cli_args *args, const char *name, int64_t least,
                    int64_t greatest) {
  const char *text = cli_value(args, name), *at = text;
  if (!text) return CLI_OK;
  for (*count = 0;; at++) {
    uint64_t number = 0;
    const number_fault fault = read_number(&number, &at);
    if (fault != NUMBER_OK || (*at && *at != ',') || number < (uint64_t)least || number > (uint64_t)greatest ||
        *count == most)
      return cli_usage_error(args, "%s is '%s'; expected numbers from %lld to %lld, at most %d, as 2^14,1000000", name,
                             text, (long long)least, (long long)greatest, most);
    sizes[(*count)++] = (int64_t)number;
    if (!*at) return CLI_OK;
  }
}
