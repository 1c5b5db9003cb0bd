// SPDX-License-Identifier: MIT
/// Shared by the measurements of `weft bench`. Each is a file bench_NAME.c; these may call OpenCL, for their baselines.
#ifndef WEFT_CLI_BENCH_H
#define WEFT_CLI_BENCH_H

#include "base/error.h"
#include "cli/options.h"
#include "cli/text_table.h"

int bench_launch(const cli_args *args);
int bench_memory(const cli_args *args);
int bench_ufunc(const cli_args *args);
int bench_primitives(const cli_args *args);

double bench_seconds(void);
/// The median; sorts the values.
double bench_median(double *values, int count);
/// Adds a number with `digits` decimals to the table's next cell; a negative one is shown as missing.
void bench_add_number(table *t, double value, int digits);
/// Prints the table under a line that names the device, or as JSON under the key `name`.
void bench_print(const cli_args *args, const weft_context *context, const char *name, const table *t, const char *note);

#endif
