// SPDX-License-Identifier: MIT
/// `weft cache`: the folder of built kernels: its size, and emptying it. No device is needed.
#include <inttypes.h>
#include <string.h>
#include <weft/cache.h>

#include "cli/base/options.h"

static void add_json(weft__text *out, const weft_cache_info *info) {
  weft__text_add(out, "{\"is_on\": %s, \"folder\": ", info->is_on ? "true" : "false");
  weft__text_add_json(out, info->folder);
  weft__text_add(out, ", \"why\": ");
  weft__text_add_json(out, info->why);
  weft__text_add(out, ", \"files\": %" PRIu64 ", \"size_bytes\": %" PRIu64 ", \"limit_bytes\": %" PRIu64 "}\n",
                 info->files, info->size_bytes, info->limit_bytes);
}

static void add_text(weft__text *out, const weft_cache_info *info) {
  if (info->folder[0]) weft__text_add(out, "%s\n", info->folder);
  if (!info->is_on) {
    weft__text_add(out, "not used: %s\n", info->why);
    return;
  }
  weft__text_add(out, "%" PRIu64 " built programs, ", info->files);
  weft__text_add_size(out, info->size_bytes);
  weft__text_add(out, " of at most ");
  weft__text_add_size(out, info->limit_bytes);
  weft__text_add(out, "\n");
}

static int show(const cli_args *args) {
  weft_cache_info info;
  weft__text out = {0};
  if (weft_cache_get(&info) != WEFT_OK) return cli_report(args);
  (cli_flag(args, "--json") ? add_json : add_text)(&out, &info);
  const int status = out.failed ? cli_fail(args, "not enough memory") : CLI_OK;
  if (status == CLI_OK) cli_print(weft__text_chars(&out));
  weft__text_free(&out);
  return status;
}

static int run(const cli_args *args) {
  if (args->word_count && strcmp(args->word[0], "clear") != 0)
    return cli_usage_error(args, "no '%s' here: expected `weft cache` or `weft cache clear`", args->word[0]);
  if (args->word_count && weft_cache_clear() != WEFT_OK) return cli_report(args);
  return show(args);
}

static const cli_option options[] = {{"--json", NULL, "prints JSON, with sizes in bytes"}, {0}};

const cli_command cli_cache = {
    .name = "cache",
    .synopsis = "[clear]",
    .summary = "Shows or clears the cache of built kernels",
    .description =
        "Programs with Weft keep the kernels that they built in one folder, so that the next one need not\n"
        "compile. Without a word: the folder, its files and their size. `clear` removes the files; programs\n"
        "that run meanwhile build what they miss. No device is needed.\n"
        "\n"
        "Example:\n"
        "  weft cache clear\n",
    .options = options,
    .max_words = 1,
    .run = run,
};
