// SPDX-License-Identifier: MIT
// The demo grid: a picture of a launch, drawn from what the device recorded.
#include <fcntl.h>

#include "base/file.h"
#include "cli/options.h"
#include "cli/picture.h"

/// Replaces the file `path` by `content`, completely or not at all.
static int write_file(const cli_args *args, const char *path, const weft__text *content) {
  weft__new_file file;
  int why = weft__new_file_begin(&file, AT_FDCWD, path, WEFT__ANY_FILE);
  if (why == 0) why = weft__new_file_write(&file, weft__text_chars(content), content->length);
  if (why == 0) why = weft__new_file_end(&file, true);
  weft__new_file_drop(&file);
  return why ? cli_fail(args, "cannot %s '%s': %s", file.step, path, weft__file_error(why)) : CLI_OK;
}

int demo_grid(const demo_run *run) {
  const char *svg_path = cli_value(run->args, "--svg");
  picture p;
  weft__text text = {0}, svg = {0};
  int status = CLI_FAILED;
  if (picture_make(&p, run) != CLI_OK) return CLI_FAILED;
  if (cli_flag(run->args, "--json"))
    picture_write_json(&text, &p);
  else
    picture_write_text(&text, &p);
  if (svg_path) picture_write_svg(&svg, &p);
  if (text.failed || svg.failed) {
    cli_fail(run->args, "not enough memory");
    goto done;
  }
  cli_print(weft__text_chars(&text));
  status = svg_path ? write_file(run->args, svg_path, &svg) : CLI_OK;
done:
  picture_free(&p);
  weft__text_free(&text);
  weft__text_free(&svg);
  return status;
}
