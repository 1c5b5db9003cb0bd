// SPDX-License-Identifier: MIT
// The demo grid: a picture of a launch, drawn from what the device recorded.
#include "cli/base/options.h"
#include "cli/command/picture.h"
#include "cli/base/progress.h"

int demo_grid(const demo_run *run) {
  const char *svg_path = cli_value(run->args, "--svg");
  picture p;
  weft__text text = {0}, svg = {0};
  int status = CLI_FAILED;
  cli_progress_begin("demo grid", 0, NULL);
  if (picture_make(&p, run) != CLI_OK) return CLI_FAILED;
  cli_progress_end();
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
  status = svg_path ? cli_write_file(run->args, svg_path, &svg) : CLI_OK;
done:
  picture_free(&p);
  weft__text_free(&text);
  weft__text_free(&svg);
  return status;
}
