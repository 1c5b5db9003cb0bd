// SPDX-License-Identifier: MIT
// Variables of the environment, and the folders in which drivers keep compiled kernels.
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <weft/cache.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/secure.h"
#include "cli/doctor/doctor.h"
#include "core/pocl_cache.h"

/* ---- Weft's variables ---- */

static const char *const known[] = {
#define NAME(name, grammar, example, effect) "WEFT_" #name,
    WEFT__VARIABLES(NAME)
#undef NAME
        NULL};

static bool is_known(const char *name) {
  for (int i = 0; known[i]; i++)
    if (strcmp(known[i], name) == 0) return true;
  return false;
}

/// Wrong values are found by the library when a device is opened (doctor_devices.c).
void doctor_check_variables(doctor *d) {
  weft__text set = {0};
  for (char *const *variable = weft__getenv_all(); *variable; variable++) {
    char name[64];
    const size_t length = strcspn(*variable, "=");
    if (strncmp(*variable, "WEFT_", 5) != 0 || length >= sizeof name) continue;
    snprintf(name, sizeof name, "%.*s", (int)length, *variable);
    if (is_known(name)) {
      if ((*variable)[length]) weft__text_add(&set, "%s%s", set.length ? ", " : "", *variable);
    } else if (strncmp(name, "WEFT_TEST_", 10) != 0 && strncmp(name, "WEFT_FAULT_", 11) != 0) {
      const char *nearest = cli_nearest(name, known);
      doctor_add(d, "environment", DOCTOR_WARNING, "%s is set, but Weft has no such variable", name);
      if (nearest) doctor_cause(d, "%s may be meant", nearest);
      doctor_fix(d, "unset %s", name);
    }
  }
  doctor_add(d, "environment", DOCTOR_OK, "%s", set.length ? weft__text_chars(&set) : "no variable of Weft is set");
  weft__text_free(&set);
}

/* ---- caches ---- */

static void check_home(doctor *d) {
  struct stat about;
  const struct passwd *user = getpwuid(getuid());
  const char *home = weft__getenv_filled("HOME");
  if (!home) {
    doctor_add(d, "home", DOCTOR_WARNING, "HOME is not set");
    doctor_cause(d, "drivers keep compiled kernels below it; without it PoCL uses /tmp, NVIDIA's driver compiles anew");
    doctor_fix(d, "export HOME=%s", user && stat(user->pw_dir, &about) == 0 ? user->pw_dir : "$(mktemp -d)");
  } else if (stat(home, &about) != 0) {
    const int why = errno;
    doctor_add(d, "home", DOCTOR_WARNING, "HOME is %s, which cannot be used", home);
    doctor_cause(d, "%s", strerror(why));
    doctor_fix(d, "export HOME=$(mktemp -d)");
  }
}

static void check_pocl(doctor *d) {
  weft__text why = {0};
  char folder[PATH_MAX];
  struct statvfs disk;
  if (!doctor_has_driver(d, DOCTOR_POCL)) {
    doctor_add(d, "cache", DOCTOR_NONE, "PoCL's: PoCL is not installed");
  } else if (!weft__cache_works(&why)) {
    doctor_add(d, "cache", DOCTOR_FAILED, "PoCL cannot keep compiled kernels, and does not work without");
    doctor_cause(d, "%s", weft__text_chars(&why));
    doctor_fix(d, "export POCL_CACHE_DIR=/tmp/pocl-$(id -u)");
  } else if (weft__cache_folder(folder)) {
    doctor_add(d, "cache", DOCTOR_OK, "PoCL's: %s", folder);
    if (statvfs(folder, &disk) == 0) {
      weft__text_add(&d->row.text, ", ");
      weft__text_add_size(&d->row.text, (uint64_t)disk.f_bavail * disk.f_frsize);
      weft__text_add(&d->row.text, " free");
    }
  }
  weft__text_free(&why);
}

/// NVIDIA's cache. Source: the CUDA C programming guide, environment variables.
static void check_nvidia(doctor *d) {
  char folder[PATH_MAX];
  const char *disabled = weft__getenv_filled("CUDA_CACHE_DISABLE"), *home = weft__getenv_filled("HOME");
  const char *named = weft__getenv_filled("CUDA_CACHE_PATH");
  if (!doctor_has_driver(d, DOCTOR_NVIDIA)) {
    doctor_add(d, "cache", DOCTOR_NONE, "NVIDIA's: its driver is not installed");
    return;
  }
  if (disabled && strcmp(disabled, "1") == 0) {
    doctor_add(d, "cache", DOCTOR_WARNING, "NVIDIA's: off, because CUDA_CACHE_DISABLE is 1");
    doctor_cause(d, "every program compiles its kernels anew");
    doctor_fix(d, "unset CUDA_CACHE_DISABLE");
    return;
  }
  snprintf(folder, sizeof folder, "%s%s", named ? named : home ? home : "", named ? "" : "/.nv/ComputeCache");
  const int why = weft__file_can_make(folder);
  if (!why) {
    doctor_add(d, "cache", DOCTOR_OK, "NVIDIA's: %s", folder);
    return;
  }
  doctor_add(d, "cache", DOCTOR_WARNING, "NVIDIA's: %s cannot be written", folder);
  doctor_cause(d, "%s; every program compiles its kernels anew", strerror(why));
  doctor_fix(d, "export CUDA_CACHE_PATH=/tmp/nv-$(id -u)");
}

/// Weft's own cache. A folder that is not used only makes programs start more slowly.
static void check_own(doctor *d) {
  weft_cache_info info;
  if (weft_cache_get(&info) != WEFT_OK) return;
  if (info.is_on) {
    const int why = weft__file_can_make(info.folder);
    doctor_add(d, "cache", why ? DOCTOR_WARNING : DOCTOR_OK, "Weft's: %s, %" PRIu64 " programs, ", info.folder,
               info.files);
    weft__text_add_size(&d->row.text, info.size_bytes);
    if (why) doctor_cause(d, "%s: no more can be stored there", strerror(why));
    if (why) doctor_fix(d, "export WEFT_CACHE_DIR=/tmp/weft-$(id -u)");
  } else if (!info.folder[0]) {
    doctor_add(d, "cache", DOCTOR_NONE, "Weft's: %s", info.why);
  } else {
    doctor_add(d, "cache", DOCTOR_WARNING, "Weft's: %s is not used", info.folder);
    doctor_cause(d, "%s; every program compiles its kernels anew", info.why);
    if (access(info.folder, F_OK) != 0)
      doctor_fix(d, "export WEFT_CACHE_DIR=/tmp/weft-$(id -u)");
    else
      doctor_fix(d, "chown $(id -u) '%s' && chmod 700 '%s'", info.folder, info.folder);
  }
}

void doctor_check_caches(doctor *d) {
  check_home(d);
  check_own(d);
  check_pocl(d);
  check_nvidia(d);
}
