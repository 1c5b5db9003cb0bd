// SPDX-License-Identifier: MIT
// The machine below the drivers: /proc and /sys, GPUs and their device files, NVIDIA's kernel module.
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/secure.h"
#include "cli/doctor/doctor.h"

void doctor_check_system(doctor *d) {
  const bool has_proc = access("/proc/self/maps", F_OK) == 0;
  const bool has_sys = access("/sys/devices/system/cpu", F_OK) == 0;
  if (has_proc && has_sys) {
    doctor_add(d, "system", DOCTOR_OK, "/proc and /sys are mounted%s", doctor_in_container() ? ", in a container" : "");
    return;
  }
  const bool is_fatal = !has_sys && doctor_has_driver(d, DOCTOR_POCL);
  doctor_add(d, "system", is_fatal ? DOCTOR_FAILED : DOCTOR_WARNING, "%s not mounted",
             has_proc  ? "/sys is"
             : has_sys ? "/proc is"
                       : "/proc and /sys are");
  doctor_cause(d, "PoCL looks for the processors there; without /sys it ends the process");
  if (!has_proc) doctor_fix(d, "%smount -t proc proc /proc", doctor_as_root());
  if (!has_sys) doctor_fix(d, "%smount -t sysfs sysfs /sys", doctor_as_root());
}

/* ---- GPUs ---- */

static bool exists(const char *path) {
  return access(path, F_OK) == 0;
}

/// The vendor of each display adapter and accelerator on the PCI bus.
typedef struct gpus {
  bool nvidia, intel, amd;
} gpus;

static unsigned long read_hex(const char *path) {
  weft__text text = {0};
  unsigned long number = weft__file_text(&text, path) == 0 ? strtoul(weft__text_chars(&text), NULL, 16) : 0;
  weft__text_free(&text);
  return number;
}

static gpus find_gpus(void) {
  enum { DISPLAY = 0x03, ACCELERATOR = 0x12, NVIDIA = 0x10de, INTEL = 0x8086, AMD = 0x1002 };
  gpus found = {.nvidia = exists("/dev/nvidiactl")};
  glob_t files = {0};
  glob("/sys/bus/pci/devices/*/class", 0, NULL, &files);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    char path[PATH_MAX];
    unsigned long class = read_hex(files.gl_pathv[i]) >> 16;
    if (class != DISPLAY && class != ACCELERATOR) continue;
    int length = (int)strlen(files.gl_pathv[i]) - (int)strlen("class");
    snprintf(path, sizeof path, "%.*svendor", length, files.gl_pathv[i]);
    unsigned long vendor = read_hex(path);
    found.nvidia = found.nvidia || vendor == NVIDIA;
    found.intel = found.intel || vendor == INTEL;
    found.amd = found.amd || vendor == AMD;
  }
  globfree(&files);
  return found;
}

/// A GPU whose driver for OpenCL is not installed.
static void miss_driver(doctor *d, const char *vendor, doctor_package package) {
  doctor_add(d, "gpu", DOCTOR_WARNING, "this machine has a GPU of %s, but no vendor file names its OpenCL driver",
             vendor);
  doctor_fix_by_package(d, package, false);
}

/* ---- NVIDIA ---- */

/// Runs in the child: where NVIDIA's driver is.
static int find_driver(int descriptor, const void *of) {
  (void)of;
  FILE *out = fdopen(descriptor, "w");
  if (!out) return CLI_FAILED;
  void *handle = weft__library_open("libnvidia-opencl.so.1", RTLD_LAZY);
  void *function = handle ? dlsym(handle, "clGetExtensionFunctionAddress") : NULL;
  Dl_info about;
  char path[PATH_MAX];
  if (!handle) fprintf(out, "error=%s\n", dlerror());
  if (function && dladdr(function, &about) && realpath(about.dli_fname, path)) fprintf(out, "path=%s\n", path);
  return fclose(out) == 0 ? CLI_OK : CLI_FAILED;
}

/// The version of the kernel module: "580.159.04"; "" if it is not loaded.
static char *module_version(char *room, size_t room_bytes) {
  weft__text text = {0};
  *room = 0;
  if (weft__file_text(&text, "/proc/driver/nvidia/version") == 0) {
    /* "... x86_64 Kernel Module  580.159.04  Mon ...", or "... Open Kernel Module for x86_64  580.95.05 ..." */
    const char *at = strstr(weft__text_chars(&text), "Kernel Module");
    while (at && *at && !(at[0] == ' ' && at[1] >= '0' && at[1] <= '9')) at++;
    if (at && *at) snprintf(room, room_bytes, "%.*s", (int)strcspn(at + 1, " \n"), at + 1);
  }
  weft__text_free(&text);
  return room;
}

static void compare_versions(doctor *d, const char *module, const char *path) {
  const char *file = strrchr(path, '/'), *user = file ? strstr(file, ".so.") : NULL;
  if (!user || !strchr(user + 4, '.')) return; /* the library's name has no version */
  user += 4;
  if (strcmp(module, user) == 0) {
    doctor_add(d, "nvidia", DOCTOR_OK, "kernel module and driver have version %s", module);
    return;
  }
  doctor_add(d, "nvidia", DOCTOR_FAILED, "the kernel module has version %s, the driver %s", module, user);
  doctor_cause(d, "%s",
               doctor_in_container() ? "the container has a driver of its own; the host's must be used"
                                     : "the driver was updated while the old kernel module was loaded");
  if (doctor_in_container()) {
    doctor_fix(d, "remove the package that owns %s from the container", path);
    doctor_fix_by_container(d);
  } else {
    doctor_fix(d, "%sreboot", doctor_as_root());
  }
}

/// NVIDIA's device files are there. True if its driver can be used.
static bool check_driver(doctor *d, const weft__text *lines) {
  char error[512];
  const bool listed = doctor_has_driver(d, DOCTOR_NVIDIA);
  if (*doctor_value(error, sizeof error, lines, "error")) {
    doctor_add(d, "nvidia", DOCTOR_FAILED, "an NVIDIA GPU is here, but not its OpenCL driver");
    doctor_cause(d, "%s", error);
    if (doctor_in_container() || !exists("/lib/modules")) doctor_fix_by_container(d);
    if (!doctor_in_container()) doctor_fix_by_package(d, DOCTOR_NVIDIA, false);
    return false;
  }
  if (listed) return true;
  doctor_add(d, "nvidia", DOCTOR_FAILED, "NVIDIA's OpenCL driver is here, but no vendor file names it");
  doctor_cause(d, "libnvidia-opencl.so.1 loads, but the OpenCL loader does not know of it, as in many containers");
  if (weft__getenv_filled("OCL_ICD_VENDORS")) doctor_fix(d, "unset OCL_ICD_VENDORS");
  doctor_fix_by_nvidia_file(d);
  return false;
}

void doctor_check_nvidia(doctor *d) {
  weft__text lines = {0};
  child_end end;
  char module[64], path[PATH_MAX];
  const gpus found = find_gpus();
  module_version(module, sizeof module);
  if (!found.nvidia) {
    doctor_add(d, "nvidia", DOCTOR_NONE, "no NVIDIA GPU");
  } else if (!*module && !exists("/dev/nvidiactl")) {
    doctor_add(d, "nvidia", doctor_in_container() ? DOCTOR_NONE : DOCTOR_WARNING,
               doctor_in_container() ? "this container has no access to the machine's NVIDIA GPU"
                                     : "an NVIDIA GPU is here, but its kernel module is not loaded");
    if (doctor_in_container())
      doctor_fix_by_container(d);
    else
      doctor_fix_by_package(d, DOCTOR_NVIDIA, false);
  } else if (child_run(&lines, &end, &(child){find_driver, NULL, .seconds = CHILD_SECONDS, .messages = -1})) {
    if (check_driver(d, &lines)) {
      if (*module && *doctor_value(path, sizeof path, &lines, "path"))
        compare_versions(d, module, path);
      else
        doctor_add(d, "nvidia", DOCTOR_OK, "NVIDIA's OpenCL driver is listed");
    }
  }
  weft__text_free(&lines);
  if (found.intel && !doctor_has_driver(d, DOCTOR_INTEL) && !doctor_has_driver(d, DOCTOR_AMD))
    miss_driver(d, "Intel", DOCTOR_INTEL);
  if (found.amd && !doctor_has_driver(d, DOCTOR_AMD)) miss_driver(d, "AMD", DOCTOR_AMD);
}

/* ---- permissions ---- */

static void add_user(char *room, size_t room_bytes) {
  const struct passwd *user = getpwuid(geteuid());
  if (user)
    snprintf(room, room_bytes, "%s", user->pw_name);
  else
    snprintf(room, room_bytes, "%u", (unsigned)geteuid());
}

/// A device file that this user cannot open for reading and writing.
static void refuse(doctor *d, const char *path, doctor_state state) {
  char user[64];
  struct stat about;
  const int why = errno;
  add_user(user, sizeof user);
  doctor_add(d, "access", state, "the user %s cannot open %s", user, path);
  if (stat(path, &about) != 0) return;
  const struct group *group = getgrgid(about.st_gid);
  const bool group_may = (about.st_mode & 0060) == 0060 && about.st_gid != 0 && group;
  doctor_cause(d, "%s: mode %03o, group %s", strerror(why), (unsigned)about.st_mode & 0777,
               group ? group->gr_name : "without a name");
  if (group_may)
    doctor_fix(d, "%susermod -aG %s %s  # then log in again", doctor_as_root(), group->gr_name, user);
  else
    doctor_fix(d, "%schmod a+rw %s", geteuid() == 0 ? "" : doctor_as_root(), path);
}

void doctor_check_access(doctor *d) {
  static const struct {
    const char *pattern;
    doctor_state state; /* where it cannot be opened: PoCL does without */
  } files[] = {
      {"/dev/nvidiactl", DOCTOR_FAILED},     {"/dev/nvidia[0-9]*", DOCTOR_FAILED}, {"/dev/nvidia-uvm", DOCTOR_FAILED},
      {"/dev/dri/renderD*", DOCTOR_WARNING}, {"/dev/kfd", DOCTOR_WARNING},
  };
  int count = 0, refused = 0;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    glob_t found = {0};
    glob(files[i].pattern, 0, NULL, &found);
    for (size_t j = 0; j < found.gl_pathc; j++, count++)
      if (access(found.gl_pathv[j], R_OK | W_OK) != 0 && refused++ == 0) refuse(d, found.gl_pathv[j], files[i].state);
    globfree(&found);
  }
  if (exists("/dev/nvidia0") && !exists("/dev/nvidia-uvm")) {
    doctor_add(d, "access", DOCTOR_WARNING, "/dev/nvidia-uvm is missing");
    doctor_cause(d, "NVIDIA's kernel module for memory is not loaded, or the container was not given its file");
    doctor_fix(d, "%snvidia-modprobe -u -c=0", doctor_as_root());
  }
  if (count == 0)
    doctor_add(d, "access", DOCTOR_NONE, "no device files of GPUs");
  else if (refused == 0)
    doctor_add(d, "access", DOCTOR_OK, "%d device file%s of GPUs can be opened", count, count == 1 ? "" : "s");
  else if (refused > 1)
    doctor_cause(d, "so are %d more device files", refused - 1);
}
