// SPDX-License-Identifier: MIT
/// Lists the devices in a child process. Listing devices loads every OpenCL driver of the machine, and some drivers
/// kill the process that loads them.
#ifndef WEFT_CLI_PROBE_H
#define WEFT_CLI_PROBE_H

#include "cli/base/child.h"
#include "cli/base/cli.h"
#include "cli/base/icd.h"

typedef struct probe_listing {
  weft_device_info *devices; /* owned; their strings are in `bytes` */
  int count;
  int used;          /* the device that would be used; -1: none */
  const char *error; /* why no device is used or listed; "": no error */
  weft__text bytes;
} probe_listing;

/// Lists the devices of all drivers in a child (`drivers` NULL), or of the drivers in the list that are not excluded.
/// `selector` is --device's value or NULL. `messages`: a descriptor that receives what the drivers write to stderr; -1:
/// it is dropped. False if no child could be made; errno says why.
bool probe_devices(probe_listing *listing, child_end *end, const icd_list *drivers, const char *selector, int messages);
void probe_free(probe_listing *listing);

#endif
