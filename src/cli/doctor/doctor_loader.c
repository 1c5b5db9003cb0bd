// SPDX-License-Identifier: MIT
// The OpenCL loader, libOpenCL.so.1: which file it is, whose, and how new; and whether there are several.
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/secure.h"
#include "cli/doctor/doctor.h"

static const char soname[] = "libOpenCL.so.1";
enum { MOST_LOADERS = 16 };

/* ---- which one is used ---- */

/// A function of each version of OpenCL. The last three of 1.2 are the newest that Weft calls.
static const struct {
  const char *version, *function;
} markers[] = {
    {"1.0", "clGetPlatformIDs"},
    {"1.1", "clCreateSubBuffer"},
    {"1.2", "clEnqueueFillBuffer"},
    {"1.2", "clGetKernelArgInfo"},
    {"1.2", "clEnqueueBarrierWithWaitList"},
    {"1.2", "clEnqueueMarkerWithWaitList"},
    {"2.0", "clCreateCommandQueueWithProperties"},
    {"2.1", "clCreateProgramWithIL"},
    {"2.2", "clSetProgramSpecializationConstant"},
    {"3.0", "clCreateBufferWithProperties"},
};

/// Codes of an extension that ocl-icd and the Khronos loader share. Source: ocl-icd's documentation, cl_icdl_info.
enum { ICDL_VERSION = 2, ICDL_NAME = 3, ICDL_VENDOR = 4 };

static void ask_loader(FILE *out, void *handle) {
  void *(*extension)(const char *);
  int (*info)(unsigned, size_t, void *, size_t *);
  char name[64] = "", vendor[64] = "", version[64] = "";
  /* ISO C has no conversion from void * to a function */
  *(void **)&extension = dlsym(handle, "clGetExtensionFunctionAddress");
  if (!extension) return;
  *(void **)&info = extension("clGetICDLoaderInfoOCLICD");
  if (!info) return;
  info(ICDL_NAME, sizeof name, name, NULL);
  info(ICDL_VENDOR, sizeof vendor, vendor, NULL);
  info(ICDL_VERSION, sizeof version, version, NULL);
  fprintf(out, "name=%s %s\n",
          strstr(vendor, "OCL Icd")   ? "ocl-icd"
          : strstr(vendor, "Khronos") ? "Khronos"
                                      : name,
          version);
}

/// Runs in the child.
static int load(int descriptor, const void *of) {
  (void)of;
  FILE *out = fdopen(descriptor, "w");
  if (!out) return CLI_FAILED;
  /* The loader is asked about itself, without its drivers. */
  setenv("OCL_ICD_VENDORS", "/dev/null/none", 1);
  unsetenv("OCL_ICD_FILENAMES");
  void *handle = weft__library_open(soname, RTLD_LAZY);
  if (!handle) {
    fprintf(out, "error=%s\n", dlerror());
    return fclose(out) == 0 ? CLI_OK : CLI_FAILED;
  }
  const char *missing = NULL, *version = NULL;
  for (size_t i = 0; i < sizeof markers / sizeof *markers && !missing; i++) {
    Dl_info about;
    void *function = dlsym(handle, markers[i].function);
    if (!function)
      missing = markers[i].function;
    else if (!version && dladdr(function, &about))
      fprintf(out, "path=%s\n", about.dli_fname);
    if (function) version = markers[i].version;
    if (!function) fprintf(out, "missing=%s\nof=%s\n", missing, markers[i].version);
  }
  fprintf(out, "version=%s\n", version ? version : "");
  fflush(out); /* an old loader may crash in the next step */
  ask_loader(out, handle);
  return fclose(out) == 0 ? CLI_OK : CLI_FAILED;
}

/// Takes the next folder of a search path such as LD_LIBRARY_PATH; false at its end.
static bool next_folder(char folder[PATH_MAX], const char **path) {
  if (!*path || !**path) return false;
  const size_t length = strcspn(*path, ":;");
  snprintf(folder, PATH_MAX, "%.*s", (int)length, *path);
  *path += length + ((*path)[length] != 0);
  return true;
}

/// How to use another loader than `used`, where LD_LIBRARY_PATH leads to it; false where it does not.
static bool fix_by_path(doctor *d, const char *used) {
  const char *path = weft__getenv("LD_LIBRARY_PATH");
  char folder[PATH_MAX];
  const size_t length = (size_t)(strrchr(used, '/') - used);
  while (next_folder(folder, &path)) {
    if (strncmp(folder, used, length) != 0 || folder[length + (folder[length] == '/')] != 0) continue;
    if (strcmp(weft__getenv("LD_LIBRARY_PATH"), folder) == 0)
      doctor_fix(d, "unset LD_LIBRARY_PATH");
    else
      doctor_fix(d, "take %s out of LD_LIBRARY_PATH", folder);
    return true;
  }
  return false;
}

static bool is_below_1_2(const char *version) {
  return strcmp(version, "1.2") < 0;
}

static void judge_loader(doctor *d, const weft__text *lines, const child_end *end) {
  char path[PATH_MAX], version[8], missing[64], of[8], error[512], name[160];
  doctor_value(path, sizeof path, lines, "path");
  doctor_value(version, sizeof version, lines, "version");
  doctor_value(missing, sizeof missing, lines, "missing");
  doctor_value(of, sizeof of, lines, "of");
  if (*doctor_value(error, sizeof error, lines, "error")) {
    const bool absent = strstr(error, "No such file") && strncmp(error, soname, strlen(soname)) == 0;
    doctor_add(d, "loader", DOCTOR_FAILED, "the OpenCL loader %s %s", soname, absent ? "is missing" : "does not load");
    doctor_cause(d, "%s", error);
    doctor_fix_by_package(d, DOCTOR_LOADER, !absent);
    return;
  }
  if (!*version && !end->answered) {
    weft__text how = {0};
    child_describe_end(&how, end);
    doctor_add(d, "loader", DOCTOR_FAILED, "the OpenCL loader %s crashes", soname);
    doctor_cause(d, "%s", weft__text_chars(&how));
    doctor_fix_by_package(d, DOCTOR_LOADER, true);
    weft__text_free(&how);
    return;
  }
  if (*missing && (!*version || strcmp(of, "1.2") <= 0)) {
    if (*version && is_below_1_2(version))
      doctor_add(d, "loader", DOCTOR_FAILED, "%s is too old: OpenCL %s; Weft needs 1.2", path, version);
    else
      doctor_add(d, "loader", DOCTOR_FAILED, "%s is no whole OpenCL loader", *path ? path : soname);
    doctor_cause(d, "it lacks %s, of OpenCL %s", missing, of);
    if (!*path || !fix_by_path(d, path)) doctor_fix_by_package(d, DOCTOR_LOADER, false);
    return;
  }
  d->loader_works = true;
  doctor_value(name, sizeof name, lines, "name");
  doctor_add(d, "loader", DOCTOR_OK, "%s (%s, OpenCL %s)", path, *name ? name : "of unknown origin", version);
}

/* ---- several ---- */

typedef struct loaders {
  char path[MOST_LOADERS][PATH_MAX];
  struct stat about[MOST_LOADERS];
  int count;
} loaders;

/// Reads the part of an ELF file's header that tells machines apart.
static bool read_machine(Elf64_Ehdr *header, const char *path) {
  int descriptor;
  size_t count = 0;
  if (weft__file_open(&descriptor, NULL, AT_FDCWD, path, 0) != 0) return false;
  weft__file_read(descriptor, header, sizeof *header, &count);
  close(descriptor);
  return count == sizeof *header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

/// Adds FOLDER/libOpenCL.so.1, unless it is for another machine (32 bits), or known under another path.
static void add_loader(loaders *all, const char *folder, const Elf64_Ehdr *ours) {
  char path[PATH_MAX];
  struct stat about;
  Elf64_Ehdr header;
  if (all->count == MOST_LOADERS) return;
  int length = snprintf(path, sizeof path, "%s/%s", *folder ? folder : ".", soname);
  if (length >= (int)sizeof path || stat(path, &about) != 0 || !read_machine(&header, path)) return;
  if (header.e_ident[EI_CLASS] != ours->e_ident[EI_CLASS] || header.e_machine != ours->e_machine) return;
  for (int i = 0; i < all->count; i++)
    if (all->about[i].st_dev == about.st_dev && all->about[i].st_ino == about.st_ino) return;
  all->about[all->count] = about;
  memcpy(all->path[all->count++], path, (size_t)length + 1);
}

/// Adds the loaders in the folders that a file like /etc/ld.so.conf names, and the files that it includes.
static void add_configured(loaders *all, const char *file, const Elf64_Ehdr *ours, int depth) {
  weft__text text = {0};
  weft__file_text(&text, file);
  for (const char *at = weft__text_chars(&text); *at;) {
    char line[PATH_MAX];
    size_t length = strcspn(at, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, at);
    at += length + (at[length] == '\n');
    line[strcspn(line, "#")] = 0;
    char *word = line + strspn(line, " \t"), *end = word + strcspn(word, " \t=");
    if (*word == '/') {
      *end = 0;
      add_loader(all, word, ours);
    } else if (depth == 0 && strncmp(word, "include", 7) == 0) {
      glob_t files = {0};
      word = end + strspn(end, " \t");
      word[strcspn(word, " \t")] = 0;
      glob(word, 0, NULL, &files);
      for (size_t i = 0; i < files.gl_pathc; i++) add_configured(all, files.gl_pathv[i], ours, 1);
      globfree(&files);
    }
  }
  weft__text_free(&text);
}

/// Finds the loaders on the dynamic linker's search path that are for the same machine as `used`.
static void find_loaders(loaders *all, const char *used) {
  static const char *const usual[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
  Elf64_Ehdr ours;
  char folder[PATH_MAX];
  if (!read_machine(&ours, used)) return;
  for (const char *path = weft__getenv("LD_LIBRARY_PATH"); next_folder(folder, &path);) add_loader(all, folder, &ours);
  add_configured(all, "/etc/ld.so.conf", &ours, 0);
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) add_loader(all, usual[i], &ours);
}

static void judge_others(doctor *d, const char *used) {
  loaders *all = calloc(1, sizeof *all);
  struct stat about;
  weft__text others = {0};
  int count = 0;
  if (!all || stat(used, &about) != 0) goto done;
  find_loaders(all, used);
  for (int i = 0; i < all->count; i++) {
    if (all->about[i].st_dev == about.st_dev && all->about[i].st_ino == about.st_ino) continue;
    weft__text_add(&others, "%s%s", count++ ? ", " : "", all->path[i]);
  }
  if (!count) goto done;
  doctor_add(d, "loaders", DOCTOR_WARNING, "%d files %s are on the search path", count + 1, soname);
  doctor_cause(d, "%s is used, not %s", used, weft__text_chars(&others));
  if (!fix_by_path(d, used)) doctor_fix(d, "if another one is meant: remove the package that owns %s", used);
done:
  weft__text_free(&others);
  free(all);
}

void doctor_check_loader(doctor *d) {
  weft__text lines = {0};
  child_end end;
  char path[PATH_MAX];
  if (!child_run(&lines, &end, &(child){load, NULL, .seconds = CHILD_SECONDS, .messages = -1})) {
    doctor_add(d, "loader", DOCTOR_FAILED, "no child process can be made");
  } else {
    judge_loader(d, &lines, &end);
    if (*doctor_value(path, sizeof path, &lines, "path")) judge_others(d, path);
  }
  weft__text_free(&lines);
}
