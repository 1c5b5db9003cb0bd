// SPDX-License-Identifier: MIT
/// `weft devices`: lists the devices, and finds the driver at fault if the listing kills its process.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command/devices.h"
#include "cli/base/options.h"
#include "cli/base/progress.h"
#include "cli/base/text_table.h"

static const table_column columns[] = {
    {"number", "NR"},         {"used", ""},         {"name", "NAME"},     {"type", "TYPE"}, {"memory_bytes", "MEMORY"},
    {"compute_units", "CU"},  {"opencl", "OPENCL"}, {"driver", "DRIVER"}, {"fp16", "FP16"}, {"fp64", "FP64"},
    {"platform", "PLATFORM"},
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

/// A driver that failed the listing.
typedef struct culprit {
  const icd *driver;
  child_end end;
} culprit;

/// The result of the search.
typedef struct findings {
  probe_listing listing; /* of the drivers that work */
  child_end first;       /* how the listing of all drivers ended */
  icd_list drivers;      /* only filled if the listing of all drivers failed */
  culprit *culprits;
  int culprit_count;
  bool cannot_part; /* the loader ignores OCL_ICD_VENDORS, so the drivers cannot be tried one by one */
} findings;

/* ---- the search for the culprit ---- */

/// Tries each driver alone, then lists the devices of all working drivers together. So the devices have the numbers
/// that they get without the other drivers.
static bool find_culprits(findings *f, const char *selector) {
  child_end end;
  if (!icd_find(&f->drivers)) return false;
  f->culprits = calloc((size_t)f->drivers.count + 1, sizeof *f->culprits);
  if (!f->culprits) return false;
  for (int i = 0; i < f->drivers.count; i++) f->drivers.icds[i].excluded = true;
  if (!probe_devices(&f->listing, &end, &f->drivers, NULL, -1)) return false;
  f->cannot_part = !end.answered || f->listing.count > 0; /* seen with the loader of CUDA 13 */
  probe_free(&f->listing);
  if (f->cannot_part) return true;
  cli_progress_begin("trying each driver", (uint64_t)f->drivers.count, "drivers");
  for (int i = 0; i < f->drivers.count; i++) {
    cli_progress_at((uint64_t)i, f->drivers.icds[i].library);
    for (int j = 0; j < f->drivers.count; j++) f->drivers.icds[j].excluded = j != i;
    if (!probe_devices(&f->listing, &end, &f->drivers, NULL, -1)) return false;
    probe_free(&f->listing);
    if (!end.answered) f->culprits[f->culprit_count++] = (culprit){&f->drivers.icds[i], end};
  }
  for (int i = 0; i < f->drivers.count; i++) f->drivers.icds[i].excluded = false;
  for (int i = 0; i < f->culprit_count; i++) f->drivers.icds[f->culprits[i].driver - f->drivers.icds].excluded = true;
  return f->culprit_count == f->drivers.count || probe_devices(&f->listing, &end, &f->drivers, selector, -1);
}

static void explain_death(const cli_args *args, const findings *f) {
  weft__text how = {0};
  char shown[WEFT__SHOWN_BYTES];
  for (int i = 0; i < f->culprit_count; i++) {
    const icd *driver = f->culprits[i].driver;
    weft__text_clear(&how);
    child_describe_end(&how, &f->culprits[i].end);
    cli_fail(args, "the OpenCL driver %s%s%s%s fails while it lists its devices: %s", driver->library,
             driver->file ? " (of " : "", driver->file ? driver->file : "", driver->file ? ")" : "",
             weft__text_chars(&how));
    weft__text_clear(&how);
    icd_exclusion(&how, driver);
    weft__text_clean(&how, false);
    fprintf(stderr, "  to leave it out%s: %s\n", driver->file ? " for good" : "", weft__text_chars(&how));
    weft__text_clear(&how);
    if (icd_exclusion_here(&how, &f->drivers, driver)) {
      weft__text_clean(&how, false);
      fprintf(stderr, "  to leave it out in this shell: %s\n", weft__text_chars(&how));
    }
  }
  if (f->culprit_count == 0) {
    weft__text_clear(&how);
    child_describe_end(&how, &f->first);
    cli_fail(args, "the process that lists the devices fails: %s", weft__text_chars(&how));
    if (f->drivers.count == 0) {
      fputs("  No driver is installed, so the OpenCL loader (libOpenCL.so.1) itself must be at fault.\n", stderr);
    } else {
      fputs(f->cannot_part ? "  The loader (libOpenCL.so.1) ignores OCL_ICD_VENDORS, so the drivers cannot be tried "
                             "one by one. One of these is at fault:\n"
                           : "  Each of these drivers alone lists its devices. Two may disturb each other, or one "
                             "fails only sometimes:\n",
            stderr);
      for (int i = 0; i < f->drivers.count; i++) {
        const icd *driver = &f->drivers.icds[i];
        fprintf(stderr, "    %s\n", weft__text_shown(shown, driver->file ? driver->file : driver->library));
      }
    }
  }
  weft__text_free(&how);
}

/* ---- the listing ---- */

/// Shows "3.0" for "OpenCL 3.0 CUDA 13.0.98": the text after the number is the vendor's, and long.
static void add_version(table *t, const char *version) {
  static const char prefix[] = "OpenCL ";
  char number[16];
  const char *from = strncmp(version, prefix, strlen(prefix)) == 0 ? version + strlen(prefix) : version;
  snprintf(number, sizeof number, "%.*s", (int)strcspn(from, " "), from);
  table_add_text_as(t, number, version);
}

static void fill_table(table *t, const probe_listing *listing) {
  for (int i = 0; i < listing->count; i++) {
    const weft_device_info *d = &listing->devices[i];
    table_add_number(t, (uint64_t)d->index);
    table_add_mark(t, i == listing->used);
    table_add_text(t, d->name);
    table_add_text(t, weft_device_type_name(d->type));
    table_add_size(t, d->memory_size_bytes);
    table_add_number(t, d->compute_units);
    add_version(t, d->opencl_version);
    table_add_text(t, d->driver_version);
    table_add_bool(t, d->has_fp16);
    table_add_bool(t, d->has_fp64);
    table_add_text(t, d->platform);
    if (i == listing->used) table_mark_row(t);
  }
}

static void write_json(weft__text *text, const table *t, const findings *f) {
  weft__text how = {0};
  weft__text_add(text, "{\n  \"devices\": ");
  table_write_json(text, t);
  weft__text_add(text, ",\n  \"failed_drivers\": [");
  for (int i = 0; i < f->culprit_count; i++) {
    const culprit *c = &f->culprits[i];
    weft__text_add(text, "%s\n    {\"icd\": ", i ? "," : "");
    if (c->driver->file)
      weft__text_add_json(text, c->driver->file);
    else
      weft__text_add(text, "null");
    weft__text_add(text, ", \"library\": ");
    weft__text_add_json(text, c->driver->library);
    weft__text_add(text, ", \"signal\": %d, \"how\": ", c->end.signal);
    weft__text_clear(&how);
    child_describe_end(&how, &c->end);
    weft__text_add_json(text, weft__text_chars(&how));
    weft__text_add(text, "}");
  }
  weft__text_add(text, "%s]\n}\n", f->culprit_count ? "\n  " : "");
  weft__text_free(&how);
}

static int show(const cli_args *args, const findings *f) {
  table t = {.columns = columns, .column_count = COLUMN_COUNT};
  weft__text text = {0};
  int status = CLI_OK;
  fill_table(&t, &f->listing);
  if (cli_flag(args, "--json")) {
    write_json(&text, &t, f);
  } else if (f->listing.count > 0) {
    table_write(&text, &t, table_has_colour(STDOUT_FILENO));
    if (f->listing.used >= 0) weft__text_add(&text, "* is used unless --device or WEFT_DEVICE names another\n");
  }
  if (text.failed)
    status = cli_fail(args, "not enough memory");
  else
    cli_print(weft__text_chars(&text));
  cli_flush(); /* before later output on stderr */
  table_free(&t);
  weft__text_free(&text);
  return status;
}

static int run(const cli_args *args) {
  findings f = {.listing = {.used = -1, .error = ""}};
  const char *selector = cli_value(args, "--device");
  int status = CLI_FAILED;
  cli_progress_begin("looking for devices", 0, NULL);
  bool fine = probe_devices(&f.listing, &f.first, NULL, selector, STDERR_FILENO);
  if (fine && !f.first.answered) fine = find_culprits(&f, selector);
  int reason = errno;
  cli_progress_end();
  if (!fine) {
    cli_fail(args, "cannot look for devices in a process of their own: %s", strerror(reason));
    goto done;
  }
  const bool has_links = cli_flag(args, "--links") && f.first.answered && f.listing.count > 0 && !*f.listing.error;
  status = has_links ? devices_links(args, &f.listing) : show(args, &f);
  if (*f.listing.error) status = cli_fail(args, "%s", f.listing.error);
  if (!f.first.answered) {
    explain_death(args, &f);
    status = CLI_FAILED;
  } else if (f.listing.count == 0 && !*f.listing.error) {
    status = cli_fail(args, "no OpenCL device: no driver is installed, or none of those installed finds its hardware");
    cli_advise_install();
  }
done:
  probe_free(&f.listing);
  icd_free(&f.drivers);
  free(f.culprits);
  return status;
}

static const cli_option options[] = {
    {"--json", NULL, "prints JSON, with sizes in bytes"},
    {"--links", NULL, "measures the copies between each two devices instead"},
    {0},
};

const cli_command cli_devices = {
    .name = "devices",
    .synopsis = "",
    .summary = "Lists the OpenCL devices and marks the one that is used",
    .description =
        "--device, WEFT_DEVICE and weft_device_use accept the number. MEMORY is the device's whole memory; CU is the "
        "number of its\n"
        "compute units (CUDA: multiprocessors); FP16 and FP64 show whether it computes in half and double.\n"
        "--links measures weft_copy from each device to each other one: the rate of a large copy, the time of 4 KB, "
        "and "
        "the way that\n"
        "the bytes take. With --device only the links of that device.\n"
        "If a driver kills the process, the devices of the other drivers are listed, the driver is named, and the exit "
        "status is 1.\n",
    .options = options,
    .run = run,
};
