// SPDX-License-Identifier: MIT
/// The devices as a child process sees them. Listing devices loads every OpenCL driver of the machine, and some drivers
/// kill the process that loads them: the child may die, this process makes no OpenCL call.
#ifndef WEFT_CLI_PROBE_H
#define WEFT_CLI_PROBE_H

#include "base/text.h"
#include "cli/cli.h"
#include "cli/icd.h"

/// How the child ended.
typedef struct probe_end {
  bool answered;   /* it listed the devices */
  int signal;      /* else: the signal that killed it, 0 if none */
  int exit_status; /* or the status with which it went */
} probe_end;

typedef struct probe_listing {
  weft_device_info *devices; /* owned; their strings are in `bytes` */
  int count;
  int used;          /* which one would be used, -1 for none */
  const char *error; /* why none is used or nothing is listed; "" if there is nothing to say */
  weft__text bytes;
} probe_listing;

/// Lists the devices in a child: those of all drivers (`drivers` NULL), or of those in the list that are not excluded.
/// `selector` is --device's or NULL. `quiet` hides what the drivers write to stderr. False where no child could be
/// made; errno says why.
bool probe_devices(probe_listing *listing, probe_end *end, const icd_list *drivers, const char *selector, bool quiet);
void probe_free(probe_listing *listing);

/// "killed by signal 6 (Aborted)", "no answer within 30 s", "it ended the process, with exit status 3".
void probe_describe_end(weft__text *text, const probe_end *end);

#endif
