// SPDX-License-Identifier: MIT
// The engines (weft/engine.h): libraries that compute a part of Weft's functions. A library may kill the process that
// loads it, so each is loaded in a child, which describes it in lines.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/child.h"
#include "cli/doctor/doctor.h"

static int describe(int descriptor, const void *of) {
  weft_engine_info info;
  FILE *out = fdopen(descriptor, "w");
  if (!out) return CLI_FAILED;
  if (weft_engine_get(&info, *(const int *)of) != WEFT_OK) {
    fprintf(out, "error=%s\n", weft_error_last()->message);
  } else {
    fprintf(out, "name=%s\npurpose=%s\nlibrary=%s\npath=%s\nversion=%s\nproblem=%s\npackage=%s\n", info.name,
            info.purpose, info.library, info.path, info.version, info.problem, info.package);
    fprintf(out, "found=%d\nallowed=%d\n", info.is_found, info.is_allowed);
  }
  return fclose(out) == 0 ? CLI_OK : CLI_FAILED;
}

/// What a child said of an engine.
typedef struct engine {
  char name[32], purpose[128], library[128], path[300], version[80], problem[500], package[64], found[4], allowed[4],
      error[500];
} engine;

static void read_engine(engine *e, const weft__text *lines) {
#define READ(member) doctor_value(e->member, sizeof e->member, lines, #member)
  READ(name), READ(purpose), READ(library), READ(path), READ(version), READ(problem), READ(package), READ(found),
      READ(allowed), READ(error);
#undef READ
}

static void add(doctor *d, const engine *e) {
  if (strcmp(e->found, "1") == 0)
    doctor_add(d, "engine", DOCTOR_OK, "%s: %s%s%s%s%s, %s", e->name, e->path[0] ? e->path : "part of Weft",
               e->version[0] ? " (" : "", e->version, e->version[0] ? ")" : "",
               strcmp(e->allowed, "1") == 0 ? "" : ", which WEFT_ENGINE does not allow", e->purpose);
  else
    doctor_add(d, "engine", DOCTOR_NONE, "%s: %s; %s has it, for %s", e->name, e->problem, e->package, e->purpose);
}

void doctor_check_engines(doctor *d) {
  int count;
  if (weft_engine_count(&count) != WEFT_OK) return;
  for (int i = 0; i < count; i++) {
    weft__text lines = {0}, how = {0};
    child_end end = {0};
    engine e;
    memset(&e, 0, sizeof e);
    if (!child_run(&lines, &end, &(child){describe, &i, .seconds = CHILD_SECONDS, .messages = -1})) {
      doctor_add(d, "engine", DOCTOR_WARNING, "no child process can be made: %s", strerror(errno));
    } else if (!end.answered) {
      child_describe_end(&how, &end);
      doctor_add(d, "engine", DOCTOR_WARNING, "number %d: loading its library fails: %s", i, weft__text_chars(&how));
      doctor_fix(d, "export WEFT_ENGINE=own  # Weft uses its own kernels then");
    } else {
      read_engine(&e, &lines);
      if (e.error[0]) {
        doctor_add(d, "environment", DOCTOR_FAILED, "%s", e.error);
        doctor_fix(d, "unset WEFT_ENGINE");
      } else {
        add(d, &e);
      }
    }
    weft__text_free(&lines);
    weft__text_free(&how);
    if (e.error[0]) return;
  }
}
