// SPDX-License-Identifier: MIT
/// Zip archives, as far as .npz files use them: members stored or deflated, with or without Zip64. Source of the
/// format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#ifndef WEFT_IO_ZIP_H
#define WEFT_IO_ZIP_H

#include "base/error.h"
#include "base/file.h"

enum { WEFT__ZIP_STORED = 0, WEFT__ZIP_DEFLATED = 8 };

/// The checksum of a member's bytes, continued from `crc` (0 for the first bytes).
uint32_t weft__zip_crc(uint32_t crc, const void *bytes, size_t count);
/// Fails if this build has no zlib.
weft_status weft__zip_check_deflate(const char *file);

/* ---- reading ---- */

typedef struct weft__zip_member {
  char *name;
  uint64_t offset;       /* of the member's own header */
  uint64_t stored_bytes; /* in the archive */
  uint64_t size_bytes;   /* of the content */
  uint32_t crc;
  unsigned method;
  bool is_encrypted;
} weft__zip_member;

/// A whole archive in memory. All zero is one without members.
typedef struct weft__zip {
  const char *file; /* for messages; these strings and bytes are the caller's */
  const unsigned char *bytes;
  uint64_t size_bytes;
  uint64_t directory; /* the offset of the list of members, which is behind all contents */
  weft__zip_member *members;
  int count;
} weft__zip;

/// Reads the list of members of the archive, whose first three fields are set. Errors: FILE.
weft_status weft__zip_list(weft__zip *zip);
/// Frees the list.
void weft__zip_clear(weft__zip *zip);

/// Reads the content of a member from its beginning.
typedef struct weft__zip_reader weft__zip_reader;

/// Errors: FILE, UNSUPPORTED (the method).
weft_status weft__zip_reader_create(weft__zip_reader **out, const weft__zip *zip, const weft__zip_member *member);
/// Reads the next `count` bytes; fails if the content has fewer. Errors: FILE.
weft_status weft__zip_read(weft__zip_reader *reader, void *bytes, size_t count);
/// Reads the remaining bytes and compares the checksum. Errors: FILE.
weft_status weft__zip_reader_finish(weft__zip_reader *reader);
void weft__zip_reader_release(weft__zip_reader **reader);

/* ---- writing ---- */

/// An archive being written. WEFT__NO_ZIP_WRITER is one that was not begun.
typedef struct weft__zip_writer {
  weft__new_file file;
  char *path;            /* for messages */
  weft__text directory;  /* the list of members so far */
  uint64_t count;        /* of members */
  uint64_t size_bytes;   /* of the file so far */
  uint64_t member;       /* the offset of the current member's header */
  uint64_t member_bytes; /* of the current member's content so far */
  uint32_t crc;
  bool deflates;
  bool failed; /* the file is incomplete */
  void *deflater;
} weft__zip_writer;

#define WEFT__NO_ZIP_WRITER ((weft__zip_writer){.file = WEFT__NO_NEW_FILE})

/// Begins the archive. Errors: FILE.
weft_status weft__zip_writer_begin(weft__zip_writer *writer, const char *file, bool deflates);
/// Begins a member.
weft_status weft__zip_member_begin(weft__zip_writer *writer, const char *name);
weft_status weft__zip_write(weft__zip_writer *writer, const void *bytes, size_t count);
/// `name`: the member's, as at its beginning.
weft_status weft__zip_member_end(weft__zip_writer *writer, const char *name);
/// Writes the list of members, waits for the disk and replaces the old file.
weft_status weft__zip_writer_end(weft__zip_writer *writer);
/// Frees the writer; an archive that was not ended is removed.
void weft__zip_writer_clear(weft__zip_writer *writer);

/* ---- numbers, least significant byte first ---- */

static inline uint64_t weft__zip_get(const unsigned char *bytes, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
  return value;
}

/// Returns the place behind the number.
static inline unsigned char *weft__zip_put(unsigned char *bytes, int count, uint64_t value) {
  for (int i = 0; i < count; i++) bytes[i] = (unsigned char)(value >> 8 * i);
  return bytes + count;
}

#endif
