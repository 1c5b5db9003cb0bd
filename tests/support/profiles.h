// SPDX-License-Identifier: MIT
/// What the suites of the profile share: what was collected, and a kernel that takes its time.
#ifndef WEFT_TESTS_PROFILES_H
#define WEFT_TESTS_PROFILES_H

#include "harness.h"

/// `slow(y, steps)`: one thread's long loop, then a write; 10 million steps take 20 ms and more on any device.
extern const char profiles_slow[];

extern weft_profile_row *rows;
extern uint64_t row_count;
extern weft_profile_totals totals;
extern weft_profile_event *events;
extern uint64_t event_count;

/// Reads all of them from `ctx`.
void collect(void);

/// The only row of that kind and name, at that line of the suite's file; 0: at any.
const weft_profile_row *row_at(weft_profile_kind kind, const char *name, int line);
bool has_row(weft_profile_kind kind);
const weft_profile_event *event_of(const weft_profile_row *row);

/// A whole file; to be freed.
char *read_file(const char *path);
void expect_text(const char *text, const char *part);

#endif
