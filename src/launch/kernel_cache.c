// SPDX-License-Identifier: MIT
/// The cache of built kernels as programs see it.
#include <weft/cache.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "context/objects.h"
#include "disk/folder.h"
#include "disk/packed.h"
#include "store/kernel_set.h"

weft_status weft_cache_add(const void *bytes, size_t size_bytes) {
  weft__entry_parts parts;
  weft__enter("weft_cache_add", NULL);
  WEFT__NEED(bytes);
  const char *wrong = weft__entry_read(&parts, bytes, size_bytes);
  if (wrong)
    return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, "bytes",
                                  "`bytes` are not a file of the cache: %s; expected what `weft pack` writes", wrong));
  return weft__leave(weft__packed_add(&parts) ? WEFT_OK : weft__fail_host_memory(sizeof parts));
}

static weft_status fail_to_read(int code, const char *folder) {
  return weft__fail(code == ENOMEM ? WEFT_ERROR_HOST_MEMORY : WEFT_ERROR_FILE, NULL,
                    "cannot read the folder `%s` of the cache: %s", folder, strerror(code));
}

weft_status weft_cache_get(weft_cache_info *info) {
  weft__disk disk;
  weft__text why = {0};
  uint64_t files = 0, size_bytes = 0;
  int code = 0;
  weft__enter("weft_cache_get", NULL);
  WEFT__NEED(info);
  if (weft__disk_open(&disk, false, &why)) code = weft__disk_measure(&disk, &files, &size_bytes);
  if (code == 0) {
    memset(info, 0, sizeof *info);
    info->hits = weft__packed_counted(WEFT__COUNT_HIT);
    info->packed_hits = weft__packed_counted(WEFT__COUNT_PACKED_HIT);
    info->misses = weft__packed_counted(WEFT__COUNT_MISS);
    info->refused = weft__packed_counted(WEFT__COUNT_REFUSED);
    info->stored = weft__packed_counted(WEFT__COUNT_STORED);
    info->files = files;
    info->size_bytes = size_bytes;
    info->is_on = why.length == 0;
    info->limit_bytes = disk.limit_bytes;
    snprintf(info->folder, sizeof info->folder, "%s", disk.path);
    snprintf(info->why, sizeof info->why, "%s", weft__text_chars(&why));
  }
  weft__disk_close(&disk);
  weft__text_free(&why);
  return weft__leave(code ? fail_to_read(code, disk.path) : WEFT_OK);
}

weft_status weft_cache_clear(void) {
  weft__disk disk;
  weft__text why = {0};
  uint64_t left;
  weft_status rc = WEFT_OK;
  weft__enter("weft_cache_clear", NULL);
  if (weft__disk_open(&disk, false, &why)) {
    const int code = weft__disk_clear(&disk, &left);
    if (code)
      rc = fail_to_read(code, disk.path);
    else if (left)
      rc = weft__fail(WEFT_ERROR_FILE, NULL, "%llu files of the cache `%s` cannot be removed", (unsigned long long)left,
                      disk.path);
  } else if (why.length) {
    rc = weft__fail(WEFT_ERROR_FILE, NULL, "there is no cache to clear: %s", weft__text_chars(&why));
  }
  weft__disk_close(&disk);
  weft__text_free(&why);
  return weft__leave(rc);
}

weft_status weft_cache_prepare(weft_context *context, const void *bytes, size_t size_bytes) {
  static const weft__source source = {.name = "the cache", .text = "", .is_generated = true};
  weft__entry_parts parts;
  weft_status rc;
  weft__enter("weft_cache_prepare", NULL);
  WEFT__NEED(bytes);
  WEFT__TRY(weft__context_resolve(&context, context));
  const char *wrong = weft__entry_read(&parts, bytes, size_bytes);
  if (wrong) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "bytes", "`bytes` are not a file of the cache: %s", wrong));
  rc = weft__program_prepare(&context->store, &source, &parts);
done:
  return weft__leave(rc);
}
