// SPDX-License-Identifier: MIT
#include "cli/base/icd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/secure.h"

static const char default_vendors[] = "/etc/OpenCL/vendors";

/* ---- search ---- */

/// Adds an entry and takes ownership of `file` and `library`.
static bool add(icd_list *list, icd_origin origin, char *file, char *library) {
  icd *icds = library ? realloc(list->icds, (size_t)(list->count + 1) * sizeof *icds) : NULL;
  if (!icds) {
    free(file);
    free(library);
    return false;
  }
  icds[list->count++] = (icd){.origin = origin, .file = file, .library = library};
  list->icds = icds;
  return true;
}

static char *joined(const char *folder, const char *name) {
  weft__text path = {0};
  weft__text_add(&path, "%s/%s", folder, name);
  return weft__text_take(&path);
}

static bool ends_in_icd(const char *name) {
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

/// Adds the file `path`, which it owns from now on, unless it cannot be read or names no library: the loader skips such
/// files too. False if memory runs out.
static bool add_file(icd_list *list, char *path) {
  weft__text text = {0};
  if (!path) return false;
  const int why = weft__file_text(&text, path);
  text.length = strcspn(weft__text_chars(&text), "\r\n");
  if (text.length) text.chars[text.length] = 0;
  if (why == 0 && text.length) return add(list, ICD_FILE, path, weft__text_take(&text));
  weft__text_free(&text);
  free(path);
  return why != ENOMEM;
}

static int is_icd(const struct dirent *entry) {
  return ends_in_icd(entry->d_name);
}

static bool add_folder(icd_list *list, const char *folder) {
  struct dirent **entries = NULL;
  int count = scandir(folder, &entries, is_icd, alphasort);
  bool fine = true;
  for (int i = 0; i < count; i++) {
    fine = fine && add_file(list, joined(folder, entries[i]->d_name));
    free(entries[i]);
  }
  free(entries);
  return fine;
}

const char *icd_folder_used(void) {
  const char *vendors = weft__getenv_filled("OCL_ICD_VENDORS"), *folder = weft__getenv_filled("OPENCL_VENDOR_PATH");
  struct stat about;
  if (!vendors) return folder ? folder : default_vendors;
  return stat(vendors, &about) == 0 && S_ISDIR(about.st_mode) ? vendors : NULL;
}

bool icd_find(icd_list *list) {
  *list = (icd_list){0};
  bool fine = true;
  const char *vendors = weft__getenv_filled("OCL_ICD_VENDORS"), *folder = icd_folder_used();
  if (folder) {
    fine = add_folder(list, folder);
  } else if (ends_in_icd(vendors)) {
    /* A bare file name is looked up in the usual folder first. */
    const char *usual = weft__getenv_filled("OPENCL_VENDOR_PATH");
    char *path = strchr(vendors, '/') ? NULL : joined(usual ? usual : default_vendors, vendors);
    if (path && access(path, R_OK) != 0) {
      free(path);
      path = NULL;
    }
    fine = add_file(list, path ? path : strdup(vendors));
  } else {
    fine = add(list, ICD_VENDORS_NAMED, NULL, strdup(vendors));
  }
  const char *names = weft__getenv_filled("OCL_ICD_FILENAMES");
  while (names && *names && fine) {
    size_t length = strcspn(names, ":");
    if (length) fine = add(list, ICD_FILENAMES_NAMED, NULL, strndup(names, length));
    names += length + (names[length] == ':');
  }
  if (!fine) icd_free(list);
  return fine;
}

void icd_free(icd_list *list) {
  for (int i = 0; i < list->count; i++) {
    free(list->icds[i].file);
    free(list->icds[i].library);
  }
  free(list->icds);
  *list = (icd_list){0};
}

void icd_exclusion(weft__text *text, const icd *driver) {
  if (driver->origin == ICD_VENDORS_NAMED)
    weft__text_add(text, "unset OCL_ICD_VENDORS");
  else if (driver->origin == ICD_FILENAMES_NAMED)
    weft__text_add(text, "take it out of OCL_ICD_FILENAMES");
  else
    weft__text_add(text, "%smv '%s' '%s.off'", geteuid() == 0 ? "" : "sudo ", driver->file, driver->file);
}

bool icd_exclusion_here(weft__text *text, const icd_list *list, const icd *driver) {
  bool has_others = false;
  for (int i = 0; i < list->count; i++) has_others = has_others || (list->icds[i].file && !list->icds[i].excluded);
  if (!driver->file || !has_others) return false;
  weft__text_add(text, "mkdir -p ~/.opencl-vendors && cp");
  for (int i = 0; i < list->count; i++)
    if (list->icds[i].file && !list->icds[i].excluded) weft__text_add(text, " '%s'", list->icds[i].file);
  weft__text_add(text, " ~/.opencl-vendors/ && export OCL_ICD_VENDORS=~/.opencl-vendors");
  return true;
}

/* ---- an environment with only some of the drivers ---- */

static void file_in_folder(char *path, size_t room, const icd_folder *folder, int number) {
  snprintf(path, room, "%s/%03d.icd", folder->path, number);
}

static bool write_file(icd_folder *folder, const char *library) {
  char path[sizeof folder->path + 32];
  file_in_folder(path, sizeof path, folder, folder->files);
  weft__new_file file;
  int why = weft__new_file_begin(&file, AT_FDCWD, path, WEFT__FILES_ONLY);
  if (why == 0) why = weft__new_file_write(&file, library, strlen(library));
  if (why == 0) why = weft__new_file_write(&file, "\n", 1);
  if (why == 0) why = weft__new_file_end(&file, false); /* not synced, because it is short-lived */
  weft__new_file_drop(&file);
  folder->files += why == 0;
  errno = why;
  return why == 0;
}

bool icd_folder_make(icd_folder *folder, const icd_list *list) {
  *folder = (icd_folder){.path = ""};
  const char *temporary = weft__getenv_filled("TMPDIR");
  weft__text filenames = {0};
  int length = snprintf(folder->path, sizeof folder->path, "%s/weft-icd-XXXXXX", temporary ? temporary : "/tmp");
  if (length >= (int)sizeof folder->path) {
    errno = ENAMETOOLONG;
    return false;
  }
  if (!mkdtemp(folder->path)) return false;
  for (int i = 0; i < list->count; i++) {
    const icd *entry = &list->icds[i];
    if (entry->excluded) continue;
    if (entry->origin == ICD_FILENAMES_NAMED)
      weft__text_add(&filenames, "%s%s", filenames.length ? ":" : "", entry->library);
    else if (!write_file(folder, entry->library))
      goto fail;
  }
  folder->filenames = weft__text_take(&filenames);
  if (folder->filenames) return true;
  errno = ENOMEM;
fail:
  weft__text_free(&filenames);
  int reason = errno;
  icd_folder_remove(folder);
  errno = reason;
  return false;
}

void icd_folder_enter(const icd_folder *folder) {
  /* Loaders accept a folder in OCL_ICD_VENDORS, which overrides OPENCL_VENDOR_PATH; only ocl-icd accepts a file. */
  setenv("OCL_ICD_VENDORS", folder->path, 1);
  if (*folder->filenames)
    setenv("OCL_ICD_FILENAMES", folder->filenames, 1);
  else
    unsetenv("OCL_ICD_FILENAMES");
}

void icd_folder_remove(icd_folder *folder) {
  char path[sizeof folder->path + 32];
  for (int i = 0; i < folder->files; i++) {
    file_in_folder(path, sizeof path, folder, i);
    unlink(path);
  }
  if (*folder->path) rmdir(folder->path);
  free(folder->filenames);
  *folder = (icd_folder){.path = ""};
}
