// SPDX-License-Identifier: MIT
/// The checks of `weft doctor`. Each one adds rows to the report; the later ones use what the earlier ones found.
#ifndef WEFT_CLI_DOCTOR_H
#define WEFT_CLI_DOCTOR_H

#include "cli/base/options.h"
#include "cli/base/probe.h"

typedef enum doctor_state {
  DOCTOR_OK,
  DOCTOR_NONE, /* there is nothing to check on this machine */
  DOCTOR_WARNING,
  DOCTOR_FAILED
} doctor_state;

/// A line of the report.
typedef struct doctor_row {
  const char *check; /* NULL: there is no row */
  doctor_state state;
  weft__text text, cause, fix;
} doctor_row;

typedef struct doctor {
  const cli_args *args;
  /* what was found */
  bool loader_works;
  icd_list drivers; /* listed in vendor files that can be read */
  probe_listing listing;
  int tried, working; /* devices */
  bool kills;         /* a driver ends every process that lists the devices; it is excluded in `drivers` */
  /* the report */
  doctor_row row;         /* the last one, still open for a cause and a fix */
  weft__text json;        /* the rows so far */
  int warnings, failures; /* rows */
  doctor_row worst;       /* the first failure, else the first warning */
} doctor;

/* ---- the report (doctor.c) ---- */

/// Begins a row. Prints the previous one.
void doctor_add(doctor *d, const char *check, doctor_state state, const char *format, ...) WEFT_PRINTF(4, 5);
/// Adds the cause to the last row.
void doctor_cause(doctor *d, const char *format, ...) WEFT_PRINTF(2, 3);
/// Adds the fix to the last row: a command to type, or one sentence. Each line is a fix of its own.
void doctor_fix(doctor *d, const char *format, ...) WEFT_PRINTF(2, 3);

/* ---- the checks ---- */

void doctor_check_variables(doctor *d); /* doctor_variables.c */
void doctor_check_loader(doctor *d);    /* doctor_loader.c */
void doctor_check_system(doctor *d);    /* doctor_machine.c */
void doctor_check_nvidia(doctor *d);
void doctor_check_access(doctor *d);
void doctor_check_files(doctor *d); /* doctor_drivers.c */
void doctor_check_drivers(doctor *d);
void doctor_check_caches(doctor *d);  /* doctor_variables.c */
void doctor_check_devices(doctor *d); /* doctor_devices.c */
void doctor_check_cuda(doctor *d);    /* doctor_cuda.c */
void doctor_check_engines(doctor *d); /* doctor_engines.c */

/* ---- advice (doctor_advice.c) ---- */

typedef enum doctor_package {
  DOCTOR_LOADER,
  DOCTOR_POCL,
  DOCTOR_NVIDIA,
  DOCTOR_INTEL,
  DOCTOR_AMD,
  DOCTOR_LINKER
} doctor_package;

/// Adds the command that installs the package, for this machine's package manager.
void doctor_fix_by_package(doctor *d, doctor_package package, bool again);
/// "sudo ", or nothing for root; "as root: " where there is no sudo.
const char *doctor_as_root(void);
/// Adds the command that lists NVIDIA's driver in a vendor file.
void doctor_fix_by_nvidia_file(doctor *d);
/// Adds the options that a container needs for NVIDIA's driver.
void doctor_fix_by_container(doctor *d);
bool doctor_in_container(void);

/// The driver that a library's name stands for: pocl, nvidia, ...; false for any other.
bool doctor_package_of(doctor_package *package, const char *library);
bool doctor_has_driver(const doctor *d, doctor_package package);

/* ---- results of children, as lines "key=value" ---- */

/// Copies the value of `key` to `room`, cut to its size; "" if it is not there. Returns `room`.
char *doctor_value(char *room, size_t room_bytes, const weft__text *lines, const char *key);
/// Of what a child wrote to stderr: the first line that names an error, else the last line, at most 300 characters; ""
/// for an empty file or NULL. Closes the file.
char *doctor_message(char *room, size_t room_bytes, FILE *messages);

#endif
