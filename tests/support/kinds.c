// SPDX-License-Identifier: MIT
// Lists the kinds of OpenCL devices on this machine. It is a program of its own, since a driver may end the process
// that calls it. It opens the loader at run time, so that it also compiles where there is no loader.
//
//   kinds         prints the kinds, one per line. Exit status 0; 3 without a loader, 4 without a device
//   kinds KIND    stands for the tests of a kind that was missing when the build was configured: 77, with the reason
//   kinds intel ICD, kinds no-intel ICD
//                 checks that Intel's runtime, whose loader file is ICD, is still present (or absent) as it was then:
//                 0; otherwise 77
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t get_platforms(uint32_t, void **, uint32_t *);
typedef int32_t get_devices(void *, uint64_t, uint32_t, void **, uint32_t *);

enum { KINDS = 3, MOST = 64 };
static const struct {
  const char *name;
  uint64_t type;
} kinds[KINDS] = {{"cpu", 1 << 1}, {"gpu", 1 << 2}, {"accelerator", 1 << 3}};

/// Finds which kinds exist; false without a loader.
static bool find_kinds(bool found[KINDS]) {
  void *platform[MOST];
  uint32_t count = 0;
  get_platforms *platforms;
  get_devices *devices;
  void *loader = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (loader == NULL) return false;
  /* ISO C has no conversion from void * to a function */
  *(void **)&platforms = dlsym(loader, "clGetPlatformIDs");
  *(void **)&devices = dlsym(loader, "clGetDeviceIDs");
  if (platforms == NULL || devices == NULL || platforms(MOST, platform, &count) != 0) return true;
  for (uint32_t i = 0; i < count && i < MOST; i++)
    for (int k = 0; k < KINDS; k++) {
      uint32_t here = 0;
      if (devices(platform[i], kinds[k].type, 0, NULL, &here) == 0 && here > 0) found[k] = true;
    }
  return true;
}

static bool is_on(const char *variable) {
  const char *value = getenv(variable);
  return value != NULL && strcmp(value, "1") == 0;
}

static int stand_for(const char *kind, const bool found[KINDS]) {
  bool any = false;
  for (int k = 0; k < KINDS; k++) {
    any = any || found[k];
    if (found[k] && strcmp(kinds[k].name, kind) == 0) {
      printf("there is a %s now, which this build has no tests for: meson setup --reconfigure\n", kind);
      return 1;
    }
  }
  printf("no %s on this machine: its tests are left out\n", kind);
  return is_on("WEFT_TEST_STRICT") && !(is_on("WEFT_TEST_ANY") && any) ? 1 : 77;
}

/// A missing runtime is no failure: it is fetched from the net, which may be down.
static int stand_for_intel(const char *icd, bool built) {
  FILE *file = fopen(icd, "r");
  bool here = file != NULL;
  if (here) fclose(file);
  if (here != built) {
    printf("%s: Intel's runtime %s: meson setup --reconfigure\n", icd,
           here ? "is there now, and this build has no tests for it" : "is gone, and this build has tests for it");
    return 1;
  }
  if (!here)
    printf("no Intel runtime: the quick tests on it are left out (tests/devices.sh --make intel fetches it)\n");
  return here ? 0 : 77;
}

int main(int argc, char **argv) {
  if (argc > 2) return stand_for_intel(argv[2], strcmp(argv[1], "intel") == 0);
  bool found[KINDS] = {false};
  int status = 4;
  bool has_loader = find_kinds(found);
  if (argc > 1) {
    status = stand_for(argv[1], found);
  } else if (!has_loader) {
    status = 3;
  } else {
    for (int k = 0; k < KINDS; k++) {
      if (!found[k]) continue;
      puts(kinds[k].name);
      status = 0;
    }
  }
  fflush(stdout);
  _Exit(status); /* skip drivers' exit handlers */
}
