// SPDX-License-Identifier: MIT
/// Runs recorded calls of the primitives (reductions, scans, sorts, ...) and compares the results with NumPy's.
/// tests/judge/record.py describes the files of cases.
///
///   primitive_driver FILE [--only NAME] [--every N [--phase K]] [--worst] [--all] [--partial]
///
/// The options are driver.c's, except that --every takes one group of cases in N: the cases of a group need about the
/// same kernels.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "primitive.h"

/* ---- cases ---- */

static bool tried[MAX_FUNCTIONS];

static void run(int kind) {
  static primitive p;
  test_case *t = &p.t;
  if (kind != 3) fail("driver", "a case of kind %d", kind);
  /* scattered, because dtypes follow a pattern */
  long group = (long)(read_head(&p) * UINT32_C(2654435761) >> 12);
  const call_row *row = call_row_of(t->name);
  if (!row && !tried[t->function]) fail(t->name, "is not a function that the driver knows");
  tried[t->function] = true;
  t->skipped =
      !row || (judge.only && strcmp(judge.only, t->name) != 0) || group % judge.every != judge.phase % judge.every;
  bool unwanted = t->skipped;
  read_rest(&p);
  if (!t->skipped && !t->failed) {
    weft_status rc = row->call(&p);
    judge.cases++;
    if ((t->needs_fp64 || t->status) && is_no_fp64(rc)) {
      t->skipped = true;
      judge.refused++;
    } else if ((int)rc != t->status) {
      char what[512];
      describe_primitive(t, NULL, 0, what, sizeof what);
      fail(t->name, "%s: expected %s, we answer %s: %s; %s", t->label, weft_status_name((weft_status)t->status),
           weft_status_name(rc), rc ? weft_error_last()->message : "", what);
      t->failed = true;
    }
    if (t->status) judge.refused++;
  } else if (!unwanted && t->skipped) {
    judge.refused++; /* the device has no such array */
  }
  if (t->status == WEFT_OK)
    for (int k = 0; k < t->results; k++) check_result(t, k);
  free_case(t);
}

/// Every function of the table must have had a case, unless --only selects one or --partial says that some have none.
static void finish(void) {
  for (size_t s = 0; s < CALL_SUBJECTS && !judge.only && !judge.partial; s++)
    for (const call_row *row = call_subjects[s]; row->name; row++)
      if (!tried[function_number(row->name)])
        fail(row->name, "is not among the cases: judge.py --kind primitives --record");
}

int main(int argc, char **argv) {
  return judge_main(argc, argv, &(judge_program){"WEFTPR1\n", run, finish, describe_primitive});
}
