// SPDX-License-Identifier: MIT
/// `weft devices --links`: how fast weft_copy is between each two devices, and how the bytes travel.
#include "cli/command/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/base/progress.h"
#include "cli/bench/bench.h"

enum { RUNS = 7, SMALL_RUNS = 201, SMALL_BYTES = 4096 };
#define LARGE_BYTES ((int64_t)256 << 20)
#define LARGE_BYTES_OF_CPUS ((int64_t)32 << 20)

static const table_column columns[] = {
    {"from", "FROM"},     {"from_name", ""},         {"to", "TO"},   {"to_name", ""}, {"size_bytes", "OF"},
    {"gb_per_s", "GB/S"}, {"us_of_4_kb", "4 KB US"}, {"way", "WAY"},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

typedef struct end {
  const weft_device_info *device;
  weft_context *context;
} end;

/// The median time of a copy of `size_bytes`, with the wait for its arrival.
static weft_status time_copy(double *seconds, const end *to, const end *from, int64_t size_bytes, int runs) {
  weft_array *x = NULL, *y = NULL;
  weft_status rc;
  double took[SMALL_RUNS];
  WEFT__TRY(weft_zeros(&x, from->context, WEFT_U8, WEFT_SHAPE(size_bytes)));
  WEFT__TRY(weft_context_wait(from->context));
  for (int i = -1; i < runs; i++) { /* the first run makes the result and the ring, and does not count */
    double start = bench_seconds();
    WEFT__TRY(weft_copy(&y, x, .context = to->context));
    WEFT__TRY(weft_context_wait(to->context));
    if (i >= 0) took[i] = bench_seconds() - start;
  }
  *seconds = bench_median(took, runs);
done:
  weft_release(&x, &y);
  return rc;
}

static bool is_cpu(const end *e) {
  return e->device->type == WEFT_DEVICE_TYPE_CPU;
}

static weft_status add_link(table *t, const end *to, const end *from) {
  const char *way;
  double large, small;
  const int64_t size_bytes = is_cpu(to) || is_cpu(from) ? LARGE_BYTES_OF_CPUS : LARGE_BYTES;
  WEFT__TRY_RETURN(weft_copy_way(&way, to->context, from->context));
  WEFT__TRY_RETURN(time_copy(&large, to, from, size_bytes, RUNS));
  WEFT__TRY_RETURN(time_copy(&small, to, from, SMALL_BYTES, SMALL_RUNS));
  table_add_number(t, (uint64_t)from->device->index);
  table_add_text(t, from->device->name);
  table_add_number(t, (uint64_t)to->device->index);
  table_add_text(t, to->device->name);
  table_add_size(t, (uint64_t)size_bytes);
  table_add_decimal(t, 1e-9 * (double)size_bytes / large, 2);
  table_add_decimal(t, 1e6 * small, 1);
  table_add_text(t, way);
  return WEFT_OK;
}

/// Whether the pair is measured: with --device only the links of that device.
static bool is_asked(const cli_args *args, const probe_listing *listing, int to, int from) {
  return to != from && (!cli_value(args, "--device") || to == listing->used || from == listing->used);
}

static weft_status measure(table *t, const cli_args *args, const probe_listing *listing, const end *ends) {
  char link[64];
  uint64_t count = 0, done = 0;
  for (int k = 0; k < listing->count * listing->count; k++)
    count += is_asked(args, listing, k % listing->count, k / listing->count);
  cli_progress_begin("devices --links", count, "links");
  for (int from = 0; from < listing->count; from++)
    for (int to = 0; to < listing->count; to++) {
      if (!is_asked(args, listing, to, from)) continue;
      snprintf(link, sizeof link, "from %d to %d", from, to);
      cli_progress_at(done++, link);
      WEFT__TRY_RETURN(add_link(t, &ends[to], &ends[from]));
    }
  return WEFT_OK;
}

static int print(const cli_args *args, const table *t) {
  weft__text text = {0};
  int status = CLI_OK;
  if (cli_flag(args, "--json")) {
    weft__text_add(&text, "{\n  \"links\": ");
    table_write_json(&text, t);
    weft__text_add(&text, "\n}\n");
  } else if (t->cell_count == 0) {
    weft__text_add(&text, "one device: no links\n");
  } else {
    table_write(&text, t, table_has_colour(STDOUT_FILENO));
  }
  if (text.failed)
    status = cli_fail(args, "not enough memory");
  else
    cli_print(weft__text_chars(&text));
  weft__text_free(&text);
  return status;
}

int devices_links(const cli_args *args, const probe_listing *listing) {
  table t = {.columns = columns, .column_count = COLUMN_COUNT};
  char number[16];
  int status = CLI_FAILED;
  end *ends = calloc((size_t)listing->count, sizeof *ends);
  if (!ends) return cli_fail(args, "not enough memory");
  for (int i = 0; i < listing->count && listing->count > 1; i++) {
    ends[i].device = &listing->devices[i];
    snprintf(number, sizeof number, "%d", i);
    if (cli_open_on(&ends[i].context, args, number, false) != WEFT_OK) goto done;
  }
  weft_status rc = measure(&t, args, listing, ends);
  cli_progress_end();
  status = rc == WEFT_OK ? print(args, &t) : cli_report(args);
done:
  for (int i = 0; i < listing->count; i++)
    if (ends[i].context && weft_context_close(&ends[i].context) != WEFT_OK) status = cli_report(args);
  table_free(&t);
  free(ends);
  return status;
}
