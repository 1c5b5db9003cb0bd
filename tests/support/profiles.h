// SPDX-License-Identifier: MIT
/// Shared by the profile suites: the collected profile, and a slow kernel.
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

/// Collects the profile of `ctx`.
void collect(void);

/// The only row of that kind and name, at that line of the suite's file; line 0: at any line.
const weft_profile_row *row_at(weft_profile_kind kind, const char *name, int line);
bool has_row(weft_profile_kind kind);
const weft_profile_event *event_of(const weft_profile_row *row);

/// Returns a file's contents; the caller frees them.
char *read_file(const char *path);
void expect_text(const char *text, const char *part);

#endif
