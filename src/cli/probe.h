// SPDX-License-Identifier: MIT
/// Lists the devices in a child process. Listing devices loads every OpenCL driver of the machine, and some drivers
/// kill the process that loads them. So the child may die, while this process makes no OpenCL call.
#ifndef WEFT_CLI_PROBE_H
#define WEFT_CLI_PROBE_H

#include "base/text.h"
#include "cli/cli.h"
#include "cli/icd.h"

/// How the child ended.
typedef struct probe_end {
  bool answered;   /* it listed the devices */
  int signal;      /* otherwise the signal that killed it; 0: none */
  int exit_status; /* or its exit status */
} probe_end;

typedef struct probe_listing {
  weft_device_info *devices; /* owned; their strings are in `bytes` */
  int count;
  int used;          /* the device that would be used; -1: none */
  const char *error; /* why no device is used or listed; "": no error */
  weft__text bytes;
} probe_listing;

/// Lists the devices of all drivers in a child (`drivers` NULL), or of the drivers in the list that are not excluded.
/// `selector` is --device's value or NULL. `quiet` hides what the drivers write to stderr. False if no child could be
/// made; errno says why.
bool probe_devices(probe_listing *listing, probe_end *end, const icd_list *drivers, const char *selector, bool quiet);
void probe_free(probe_listing *listing);

/// "killed by signal 6 (Aborted)", "no reply within 30 s", "it ended the process, with exit status 3".
void probe_describe_end(weft__text *text, const probe_end *end);

#endif
