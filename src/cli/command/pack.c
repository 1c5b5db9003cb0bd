// SPDX-License-Identifier: MIT
/// `weft pack`: writes C source with built kernels inside, from the folder of a run's cache. No device is needed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cache_files.h"
#include "cli/base/options.h"

#define BYTES_PER_LINE 32

/// Whether the file's device has a name that contains one of the words in `names`, which commas separate. NULL: any.
static bool is_wanted(const cache_file *file, const char *names) {
  const weft__part device = weft__part_line(&file->parts.key, "device");
  char name[256];
  snprintf(name, sizeof name, "%.*s", (int)device.size, device.bytes ? device.bytes : "");
  for (const char *word = names; word && *word;) {
    char one[256];
    const size_t length = strcspn(word, ",");
    snprintf(one, sizeof one, "%.*s", (int)length, word);
    if (one[0] && strstr(name, one)) return true;
    word += length + (word[length] == ',');
  }
  return names == NULL;
}

/// "device NAME, driver VERSION", as a comment may have it.
static void add_device(weft__text *out, const cache_file *file) {
  const weft__part device = weft__part_line(&file->parts.key, "device");
  const weft__part driver = weft__part_line(&file->parts.key, "driver");
  weft__text_add(out, "// %.*s, driver %.*s\n", (int)device.size, device.bytes ? device.bytes : "", (int)driver.size,
                 driver.bytes ? driver.bytes : "");
}

static void add_bytes(weft__text *out, const cache_file *file, int number) {
  const unsigned char *bytes = (const unsigned char *)file->bytes.chars;
  add_device(out, file);
  weft__text_add(out, "static const unsigned char program_%d[] = {", number);
  for (size_t k = 0; k < file->bytes.length; k++)
    weft__text_add(out, "%s%u,", k % BYTES_PER_LINE ? "" : "\n    ", bytes[k]);
  weft__text_add(out, "\n};\n\n");
}

/// Returns the number of programs in it.
static int add_source(weft__text *out, const cache_files *files, const char *names) {
  int count = 0;
  weft__text_add(out,
                 "// Made by `weft pack`, Weft %s. Compile and link this file with a program that uses Weft: on these\n"
                 "// devices, with these drivers, it then needs no compiler for these kernels.\n"
                 "#include <weft/cache.h>\n\n",
                 weft_version());
  for (int k = 0; k < files->count; k++)
    if (is_wanted(&files->file[k], names)) add_bytes(out, &files->file[k], count++);
  weft__text_add(
      out,
      "// A failure is no error of the program: the kernel is built from its source.\n"
      "#define ADD(program) \\\n  if (weft_cache_add(program, sizeof program) != WEFT_OK) weft_error_clear()\n\n"
      "__attribute__((constructor)) static void add_programs(void) {\n");
  for (int k = 0; k < count; k++) weft__text_add(out, "  ADD(program_%d);\n", k);
  weft__text_add(out, "}\n");
  return count;
}

static int run(const cli_args *args) {
  const char *path = cli_value(args, "--output"), *names = cli_value(args, "--devices");
  cache_files files;
  weft__text out = {0};
  if (args->word_count != 1) return cli_usage_error(args, "expected the DIR of a run with WEFT_CACHE_DIR");
  if (!path) return cli_usage_error(args, "expected --output FILE.c");
  int status = cli_check_file(args, path);
  if (status != CLI_OK) return status;
  status = cache_files_read(&files, args, args->word[0]);
  if (status == CLI_OK) {
    const int count = add_source(&out, &files, names);
    if (out.failed)
      status = cli_fail(args, "not enough memory");
    else if (count == 0)
      status = cli_fail(args, "no program is for a device with `%s` in its name", names);
    else
      status = cli_write_file(args, path, &out);
    if (status == CLI_OK) fprintf(stderr, "%d programs written to %s\n", count, path);
  }
  weft__text_free(&out);
  cache_files_free(&files);
  return status;
}

static const cli_option options[] = {
    {"--output", "FILE.c", "the C source to write"},
    {"--devices", "TEXT", "only for devices with these words in their names, separated by commas"},
    {0},
};

const cli_command cli_pack = {
    .name = "pack",
    .synopsis = "DIR",
    .summary = "Writes C source with built kernels inside, to link into a program",
    .description =
        "A run with WEFT_CACHE_DIR=DIR, a folder that is empty before, notes there what it builds. `weft\n"
        "pack DIR` turns these files into one C source. A program that is linked with it needs no compiler\n"
        "for these kernels, and no cache, on the same devices with the same drivers; elsewhere it builds\n"
        "them from their sources. Runs on several machines may write to one folder. No device is needed.\n"
        "\n"
        "Example:\n"
        "  WEFT_CACHE_DIR=$PWD/kernels ./simulation\n"
        "  weft pack kernels --output kernels.c && cc -c kernels.c\n",
    .options = options,
    .max_words = 1,
    .run = run,
};
