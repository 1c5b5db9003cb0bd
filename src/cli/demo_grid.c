// SPDX-License-Identifier: MIT
// The demo grid: the document's picture of a launch, drawn from what the device recorded.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/picture.h"

/// Writes `content` to the file `path`. False with errno where that fails; what was written so far stays.
static bool write_file(const char *path, const weft__text *content) {
  FILE *file = fopen(path, "w");
  if (!file) return false;
  bool written = fwrite(weft__text_chars(content), 1, content->length, file) == content->length;
  int reason = errno;
  if (fclose(file) != 0) return false;
  if (!written) errno = reason;
  return written;
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
  if (svg_path && !write_file(svg_path, &svg)) {
    cli_fail(run->args, "cannot write '%s': %s", svg_path, strerror(errno));
    goto done;
  }
  status = CLI_OK;
done:
  picture_free(&p);
  weft__text_free(&text);
  weft__text_free(&svg);
  return status;
}
