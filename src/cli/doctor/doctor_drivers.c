// SPDX-License-Identifier: MIT
// The drivers: the vendor files that the loader reads, the libraries that they name, and each driver in a process of
// its own.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/secure.h"
#include "cli/doctor/doctor.h"

static const char *file_of(const icd *driver) {
  return driver->file ? driver->file : driver->origin == ICD_VENDORS_NAMED ? "OCL_ICD_VENDORS" : "OCL_ICD_FILENAMES";
}

/* ---- vendor files ---- */

/// The variables that replace the usual folder or add to it.
static void check_overrides(doctor *d) {
  static const char *const names[] = {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = weft__getenv_filled(names[i]);
    if (!value) continue;
    const bool adds = i == 2;
    const bool there = adds || strchr(value, '/') == NULL || access(value, F_OK) == 0;
    doctor_add(d, "override", there ? DOCTOR_OK : DOCTOR_FAILED, "%s=%s: %s", names[i], value,
               !there ? "there is no such file"
               : adds ? "the loader loads these drivers too"
                      : "the loader looks there, not in /etc/OpenCL/vendors");
    if (!there) doctor_fix(d, "unset %s", names[i]);
  }
}

static bool is_listed(const doctor *d, const char *file) {
  for (int i = 0; i < d->drivers.count; i++)
    if (d->drivers.icds[i].file && strcmp(d->drivers.icds[i].file, file) == 0) return true;
  return false;
}

/// Files that the loader skips without a message.
static void check_skipped(doctor *d, const char *folder) {
  DIR *dir = opendir(folder);
  if (!dir) {
    const int why = errno;
    if (why == ENOENT) return;
    doctor_add(d, "vendor file", DOCTOR_FAILED, "the folder %s cannot be read", folder);
    doctor_cause(d, "%s", strerror(why));
    doctor_fix(d, "%schmod a+rx %s", doctor_as_root(), folder);
    return;
  }
  const struct dirent *entry;
  while ((entry = readdir(dir))) {
    char path[1024];
    weft__text text = {0};
    size_t length = strlen(entry->d_name);
    if (length < 5 || strcmp(entry->d_name + length - 4, ".icd") != 0) continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path || is_listed(d, path)) continue;
    const int why = weft__file_text(&text, path);
    doctor_add(d, "vendor file", DOCTOR_FAILED, "%s %s", path, why ? "cannot be read" : "names no library");
    if (why) doctor_cause(d, "%s", weft__file_error(why));
    if (why == EACCES)
      doctor_fix(d, "%schmod a+r '%s'", doctor_as_root(), path);
    else
      doctor_fix(d, "%srm '%s'", doctor_as_root(), path);
    weft__text_free(&text);
  }
  closedir(dir);
}

/// Runs in the child: loads the library as the loader does.
static int load(int descriptor, const void *of) {
  const icd *driver = of;
  FILE *out = fdopen(descriptor, "w");
  if (!out) return CLI_FAILED;
  void *handle = weft__library_open(driver->library, RTLD_LAZY | RTLD_LOCAL);
  if (!handle)
    fprintf(out, "error=%s\n", dlerror());
  else if (!dlsym(handle, "clIcdGetPlatformIDsKHR") && !dlsym(handle, "clGetExtensionFunctionAddress"))
    fprintf(out, "foreign=1\n");
  return fclose(out) == 0 ? CLI_OK : CLI_FAILED;
}

static void fix_by_exclusion(doctor *d, const icd *driver) {
  weft__text command = {0};
  icd_exclusion(&command, driver);
  doctor_fix(d, "%s  # leaves this driver out", weft__text_chars(&command));
  weft__text_clear(&command);
  if (icd_exclusion_here(&command, &d->drivers, driver))
    doctor_fix(d, "%s  # leaves it out in this shell", weft__text_chars(&command));
  weft__text_free(&command);
}

static void fail_to_load(doctor *d, const icd *driver, const weft__text *lines, const child_end *end) {
  char error[1024];
  doctor_package package;
  weft__text how = {0};
  if (*doctor_value(error, sizeof error, lines, "foreign")) {
    doctor_add(d, "vendor file", DOCTOR_FAILED, "%s: %s is no OpenCL driver", file_of(driver), driver->library);
    doctor_cause(d, "it has neither clIcdGetPlatformIDsKHR nor clGetExtensionFunctionAddress");
  } else if (*doctor_value(error, sizeof error, lines, "error")) {
    doctor_add(d, "vendor file", DOCTOR_FAILED, "%s: %s does not load", file_of(driver), driver->library);
    doctor_cause(d, "%s", error);
    if (doctor_package_of(&package, driver->library)) {
      if (package == DOCTOR_NVIDIA && doctor_in_container()) doctor_fix_by_container(d);
      doctor_fix_by_package(d, package, true);
    }
  } else {
    child_describe_end(&how, end);
    doctor_add(d, "vendor file", DOCTOR_FAILED, "%s: loading %s ends the process", file_of(driver), driver->library);
    doctor_cause(d, "%s", weft__text_chars(&how));
    d->kills = true;
  }
  fix_by_exclusion(d, driver);
  weft__text_free(&how);
}

static void check_file(doctor *d, icd *driver) {
  weft__text lines = {0};
  child_end end;
  char word[8];
  if (child_run(&lines, &end, &(child){load, driver, .seconds = CHILD_SECONDS, .messages = -1})) {
    driver->excluded = !end.answered || *doctor_value(word, sizeof word, &lines, "error") ||
                       *doctor_value(word, sizeof word, &lines, "foreign");
    if (driver->excluded)
      fail_to_load(d, driver, &lines, &end);
    else
      doctor_add(d, "vendor file", DOCTOR_OK, "%s: %s loads", file_of(driver), driver->library);
  }
  weft__text_free(&lines);
}

void doctor_check_files(doctor *d) {
  const char *folder = icd_folder_used();
  check_overrides(d);
  if (!icd_find(&d->drivers)) {
    doctor_add(d, "vendor file", DOCTOR_FAILED, "not enough memory");
    return;
  }
  if (folder) check_skipped(d, folder);
  for (int i = 0; i < d->drivers.count; i++) check_file(d, &d->drivers.icds[i]);
}

/* ---- each driver alone ---- */

/// Appends the names of the devices.
static void add_names(weft__text *text, const probe_listing *listing) {
  for (int i = 0; i < listing->count; i++) weft__text_add(text, "%s%s", i ? ", " : "", listing->devices[i].name);
}

static void judge_driver(doctor *d, icd *driver, const probe_listing *listing, const child_end *end,
                         const char *message) {
  weft__text text = {0};
  if (!end->answered) {
    driver->excluded = true;
    d->kills = true;
    child_describe_end(&text, end);
    doctor_add(d, "driver", DOCTOR_FAILED, "%s fails while it lists its devices, and takes every program with it",
               driver->library);
    doctor_cause(d, "%s%s%s", weft__text_chars(&text), *message ? ": " : "", message);
    fix_by_exclusion(d, driver);
  } else if (listing->count == 0 && *listing->error) {
    doctor_add(d, "driver", DOCTOR_FAILED, "%s lists no device", driver->library);
    doctor_cause(d, "%.*s", (int)strcspn(listing->error, "\n"), listing->error);
    if (strstr(listing->error, "WEFT_QUIRKS names")) doctor_fix(d, "unset WEFT_QUIRKS");
  } else if (listing->count == 0 && driver->origin != ICD_FILENAMES_NAMED && weft__getenv_filled("OCL_ICD_FILENAMES")) {
    /* the loader of CUDA 13 then ignores the folder of vendor files */
    doctor_add(d, "driver", DOCTOR_NONE, "%s lists no device; the loader may read OCL_ICD_FILENAMES alone",
               driver->library);
  } else if (listing->count == 0) {
    doctor_add(d, "driver", DOCTOR_WARNING, "%s lists no device", driver->library);
    doctor_cause(d, "%s", *message ? message : "the driver finds no hardware that it can use");
    if (strstr(driver->library, "nvidia") && weft__getenv("CUDA_VISIBLE_DEVICES"))
      doctor_fix(d, "unset CUDA_VISIBLE_DEVICES  # it hides devices from NVIDIA's driver");
  } else {
    add_names(&text, listing);
    doctor_add(d, "driver", DOCTOR_OK, "%s lists %d device%s: %s", driver->library, listing->count,
               listing->count == 1 ? "" : "s", weft__text_chars(&text));
  }
  weft__text_free(&text);
}

/// Lists the devices of the drivers that are not excluded. Returns false, with a row, if no process can be made.
static bool list(doctor *d, probe_listing *listing, child_end *end, char message[301]) {
  FILE *messages = tmpfile(); /* NULL: the messages are dropped */
  const bool made =
      probe_devices(listing, end, &d->drivers, cli_value(d->args, "--device"), messages ? fileno(messages) : -1);
  if (!made) doctor_add(d, "driver", DOCTOR_FAILED, "the drivers cannot be tried: %s", strerror(errno));
  doctor_message(message, 301, messages);
  return made;
}

/// Tries each driver alone. False if no process can be made.
static bool try_each(doctor *d) {
  const int count = d->drivers.count;
  bool *bad = calloc((size_t)count + 1, sizeof *bad), made = bad != NULL;
  for (int i = 0; i < count && made; i++) bad[i] = d->drivers.icds[i].excluded;
  for (int i = 0; i < count && made; i++) {
    probe_listing listing;
    child_end end;
    char message[301];
    if (bad[i]) continue;
    for (int j = 0; j < count; j++) d->drivers.icds[j].excluded = j != i;
    made = list(d, &listing, &end, message);
    for (int j = 0; j < count; j++) d->drivers.icds[j].excluded = bad[j];
    if (made) judge_driver(d, &d->drivers.icds[i], &listing, &end, message);
    bad[i] = d->drivers.icds[i].excluded;
    probe_free(&listing);
  }
  free(bad);
  return made;
}

/// Whether the loader ignores OCL_ICD_VENDORS, so that drivers cannot be tried one by one; seen with the loader of CUDA
/// 13.
static bool cannot_part(doctor *d) {
  icd_list none = {0};
  probe_listing listing;
  child_end end;
  const bool made = probe_devices(&listing, &end, &none, NULL, -1);
  const bool ignores = made && (!end.answered || listing.count > 0);
  probe_free(&listing);
  return ignores && d->drivers.count > 0;
}

static void advise_driver(doctor *d) {
  const char *folder = icd_folder_used();
  if (d->drivers.count)
    doctor_add(d, "driver", DOCTOR_FAILED, "no driver is left");
  else
    doctor_add(d, "driver", DOCTOR_FAILED, "no OpenCL driver is installed");
  if (d->drivers.count)
    doctor_cause(d, "no library that a vendor file names is a driver that loads");
  else if (folder)
    doctor_cause(d, "no file *.icd in %s names a driver", folder);
  else
    doctor_cause(d, "the variables above name no driver");
  if (weft__getenv_filled("OCL_ICD_VENDORS")) doctor_fix(d, "unset OCL_ICD_VENDORS");
  doctor_fix_by_package(d, DOCTOR_POCL, false);
}

void doctor_check_drivers(doctor *d) {
  child_end end;
  char message[301];
  int left = 0;
  for (int i = 0; i < d->drivers.count; i++) left += !d->drivers.icds[i].excluded;
  if (left == 0) {
    advise_driver(d);
    return;
  }
  if (!d->loader_works) {
    doctor_add(d, "driver", DOCTOR_NONE, "not tried: the loader does not work");
    return;
  }
  const bool together = cannot_part(d);
  if (!together && !try_each(d)) return;
  if (!list(d, &d->listing, &end, message)) return;
  if (end.answered) return;
  weft__text how = {0};
  child_describe_end(&how, &end);
  doctor_add(d, "driver", DOCTOR_FAILED,
             together ? "a driver fails, and the loader ignores OCL_ICD_VENDORS: they cannot be tried one by one"
                      : "each driver alone lists its devices, but all together fail");
  doctor_cause(d, "%s%s%s", weft__text_chars(&how), *message ? ": " : "", message);
  weft__text_free(&how);
}
