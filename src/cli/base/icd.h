// SPDX-License-Identifier: MIT
/// The OpenCL drivers that the ICD loader would load, found without loading them, and an environment in which it loads
/// only some of them.
#ifndef WEFT_CLI_ICD_H
#define WEFT_CLI_ICD_H

#include "base/text.h"

typedef enum icd_origin {
  ICD_FILE,           /* a file *.icd, whose first line is the library */
  ICD_VENDORS_NAMED,  /* OCL_ICD_VENDORS is the library itself */
  ICD_FILENAMES_NAMED /* listed in OCL_ICD_FILENAMES */
} icd_origin;

typedef struct icd {
  icd_origin origin;
  char *file;    /* "/etc/OpenCL/vendors/pocl.icd"; NULL for another origin */
  char *library; /* "libpocl.so.2" */
  bool excluded; /* left out of the environment below */
} icd;

typedef struct icd_list {
  icd *icds;
  int count;
} icd_list;

/// Lists the drivers that the loader would load, by its rules: OCL_ICD_VENDORS (a folder, a file or a library),
/// OPENCL_VENDOR_PATH, else /etc/OpenCL/vendors; and OCL_ICD_FILENAMES. False if memory runs out.
bool icd_find(icd_list *list);
/// The folder whose files *.icd the loader reads; NULL if OCL_ICD_VENDORS names a file or a library.
const char *icd_folder_used(void);
void icd_free(icd_list *list);

/// Appends the command that makes the loader skip the driver.
void icd_exclusion(weft__text *text, const icd *driver);
/// Appends the command that makes the loader load only the drivers that are not excluded, in this shell. False if that
/// is impossible, or none would be left.
bool icd_exclusion_here(weft__text *text, const icd_list *list, const icd *driver);

/// A folder with a copy of each listed file that is not excluded; the loaders accept it as OCL_ICD_VENDORS.
typedef struct icd_folder {
  char path[256];
  char *filenames; /* the value for OCL_ICD_FILENAMES */
  int files;
} icd_folder;

/// Makes the folder. On failure nothing remains, and errno says why.
bool icd_folder_make(icd_folder *folder, const icd_list *list);
/// Sets the environment of this process to the folder.
void icd_folder_enter(const icd_folder *folder);
void icd_folder_remove(icd_folder *folder);

#endif
