// SPDX-License-Identifier: MIT
// Commands that install or change something, for this machine's package manager and user.
#define _GNU_SOURCE /* strcasestr */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/secure.h"
#include "cli/doctor/doctor.h"

/* ---- packages ---- */

enum { MANAGERS = 3 };
static const struct {
  const char *program, *install, *again, *systems;
} managers[MANAGERS] = {
    {"apt-get", "apt-get install", "apt-get install --reinstall", "Debian, Ubuntu"},
    {"dnf", "dnf install", "dnf reinstall", "Fedora"},
    {"pacman", "pacman -S", "pacman -S", "Arch"},
};

/// In the order of doctor_package. The names of the distributions' packages.
static const struct {
  const char *parts[3];        /* of the name of a driver's library */
  const char *names[MANAGERS]; /* for apt, dnf, pacman */
} packages[] = {
    [DOCTOR_LOADER] = {{NULL}, {"ocl-icd-libopencl1", "ocl-icd", "ocl-icd"}},
    [DOCTOR_POCL] = {{"pocl"}, {"pocl-opencl-icd", "pocl", "pocl"}},
    [DOCTOR_NVIDIA] = {{"nvidia"}, {"nvidia-opencl-icd", "xorg-x11-drv-nvidia-cuda", "opencl-nvidia"}},
    [DOCTOR_INTEL] = {{"igdrcl"}, {"intel-opencl-icd", "intel-compute-runtime", "intel-compute-runtime"}},
    [DOCTOR_AMD] = {{"MesaOpenCL", "RusticlOpenCL", "amdocl"}, {"mesa-opencl-icd", "mesa-libOpenCL", "opencl-mesa"}},
    [DOCTOR_LINKER] = {{NULL}, {"binutils", "binutils", "binutils"}},
};
enum { PACKAGES = sizeof packages / sizeof *packages };

static bool has_program(const char *name) {
  static const char *const folders[] = {"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"};
  char path[64];
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    snprintf(path, sizeof path, "%s/%s", folders[i], name);
    if (access(path, X_OK) == 0) return true;
  }
  return false;
}

const char *doctor_as_root(void) {
  if (geteuid() == 0) return "";
  return has_program("sudo") ? "sudo " : "as root: ";
}

void doctor_fix_by_package(doctor *d, doctor_package package, bool again) {
  const char *const *names = packages[package].names;
  for (int i = 0; i < MANAGERS; i++) {
    if (!has_program(managers[i].program)) continue;
    doctor_fix(d, "%s%s %s", doctor_as_root(), again ? managers[i].again : managers[i].install, names[i]);
    return;
  }
  for (int i = 0; i < MANAGERS; i++)
    doctor_fix(d, "%s: %s%s %s", managers[i].systems, doctor_as_root(), again ? managers[i].again : managers[i].install,
               names[i]);
}

bool doctor_package_of(doctor_package *package, const char *library) {
  for (int i = 0; i < PACKAGES; i++)
    for (int j = 0; j < 3 && packages[i].parts[j]; j++) {
      if (!strstr(library, packages[i].parts[j])) continue;
      *package = (doctor_package)i;
      return true;
    }
  return false;
}

bool doctor_has_driver(const doctor *d, doctor_package package) {
  doctor_package found;
  for (int i = 0; i < d->drivers.count; i++)
    if (doctor_package_of(&found, d->drivers.icds[i].library) && found == package) return true;
  return false;
}

/* ---- NVIDIA, and containers ---- */

void doctor_fix_by_nvidia_file(doctor *d) {
  static const char line[] =
      "mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd";
  const char *root = doctor_as_root();
  if (*root == 's')
    doctor_fix(d, "sudo sh -c '%s'", line);
  else
    doctor_fix(d, "%s%s", root, line);
}

void doctor_fix_by_container(doctor *d) {
  doctor_fix(d, "start the container with: docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...");
}

bool doctor_in_container(void) {
  return weft__getenv_filled("container") || access("/.dockerenv", F_OK) == 0 ||
         access("/run/.containerenv", F_OK) == 0;
}

/* ---- results of children ---- */

char *doctor_value(char *room, size_t room_bytes, const weft__text *lines, const char *key) {
  const size_t length = strlen(key);
  *room = 0;
  for (const char *at = weft__text_chars(lines); *at; at += strcspn(at, "\n"), at += *at == '\n')
    if (strncmp(at, key, length) == 0 && at[length] == '=')
      snprintf(room, room_bytes, "%.*s", (int)strcspn(at + length + 1, "\n"), at + length + 1);
  return room;
}

char *doctor_message(char *room, size_t room_bytes, FILE *messages) {
  char line[301];
  bool has_error = false;
  *room = 0;
  if (!messages) return room;
  rewind(messages);
  while (!has_error && fgets(line, sizeof line, messages)) {
    line[strcspn(line, "\n")] = 0;
    if (!*line) continue;
    has_error = strcasestr(line, "error") || strcasestr(line, "assert");
    snprintf(room, room_bytes, "%s", line);
  }
  fclose(messages);
  return room;
}
