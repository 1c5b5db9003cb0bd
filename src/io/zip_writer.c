// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef WEFT__ZLIB
#include <zlib.h>
#endif

#include "base/scratch.h"
#include "io/zip.h"

#define MEMBER_BYTES 30 /* of a member's own header, without name and Zip64 field */
#define ENTRY_BYTES 46  /* of an entry of the list, without name and Zip64 field */
#define FIELD_BYTES 28  /* of a Zip64 field with three numbers */
#define END_BYTES (56 + 20 + 22)
#define ROOM 65536

/* the first bytes of each record: PK and two numbers */
#define MEMBER_SIGN 0x04034b50
#define ENTRY_SIGN 0x02014b50
#define END64_SIGN 0x06064b50
#define END64_PLACE_SIGN 0x07064b50
#define END_SIGN 0x06054b50

/* As numpy.savez: every header has a Zip64 field, since its size is not known beforehand, and the date is 1980-01-01,
   so that equal arrays make equal files. */
enum { VERSION = 45, DATE = 0x21 };

static weft_status fail(weft__zip_writer *w, const char *step, int why) {
  w->failed = true;
  return weft__fail(WEFT_ERROR_FILE, "file", "cannot %s `%s`: %s", step, w->path, weft__file_error(why));
}

static weft_status append(weft__zip_writer *w, const void *bytes, size_t count) {
  const int why = weft__new_file_write(&w->file, bytes, count);
  if (why) return fail(w, w->file.step, why);
  w->size_bytes += count;
  return WEFT_OK;
}

weft_status weft__zip_writer_begin(weft__zip_writer *w, const char *file, bool deflates) {
  if (deflates) WEFT__TRY_RETURN(weft__zip_check_deflate(file));
  const size_t length = strlen(file) + 1;
  if (!(w->path = weft__new(length))) return WEFT_ERROR_HOST_MEMORY;
  memcpy(w->path, file, length);
  w->deflates = deflates;
  const int why = weft__new_file_begin(&w->file, AT_FDCWD, file, WEFT__FILES_ONLY);
  if (why == WEFT__NOT_A_FILE)
    return weft__fail(WEFT_ERROR_FILE, "file", "`%s` is no file; expected one that can be written", file);
  return why ? fail(w, w->file.step, why) : WEFT_OK;
}

/* ---- a member ---- */

/// A member's own header. Sizes and checksum are 0 until its content is written.
static size_t put_header(const weft__zip_writer *w, unsigned char header[MEMBER_BYTES], size_t name_length) {
  unsigned char *p = header;
  p = weft__zip_put(p, 4, MEMBER_SIGN);
  p = weft__zip_put(p, 2, VERSION);
  p = weft__zip_put(p, 2, 0x800); /* the name is UTF-8 */
  p = weft__zip_put(p, 2, w->deflates ? WEFT__ZIP_DEFLATED : WEFT__ZIP_STORED);
  p = weft__zip_put(p, 2, 0);
  p = weft__zip_put(p, 2, DATE);
  p = weft__zip_put(p, 4, w->crc);
  p = weft__zip_put(p, 8, UINT64_MAX); /* both sizes are in the Zip64 field */
  p = weft__zip_put(p, 2, name_length);
  p = weft__zip_put(p, 2, 20);
  return (size_t)(p - header);
}

/// A Zip64 field with these numbers.
static size_t put_zip64(unsigned char field[FIELD_BYTES], int count, const uint64_t *numbers) {
  unsigned char *p = weft__zip_put(field, 2, 1);
  p = weft__zip_put(p, 2, (uint64_t)count * 8);
  for (int k = 0; k < count; k++) p = weft__zip_put(p, 8, numbers[k]);
  return (size_t)(p - field);
}

static weft_status begin_deflating(weft__zip_writer *w) {
#ifdef WEFT__ZLIB
  z_stream *z = weft__new(sizeof *z);
  if (!z) return WEFT_ERROR_HOST_MEMORY;
  if (deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    free(z);
    return weft__fail_host_memory(1 << 18);
  }
  w->deflater = z;
#else
  (void)w;
#endif
  return WEFT_OK;
}

static void end_deflating(weft__zip_writer *w) {
#ifdef WEFT__ZLIB
  if (w->deflater) deflateEnd(w->deflater);
#endif
  free(w->deflater);
  w->deflater = NULL;
}

weft_status weft__zip_member_begin(weft__zip_writer *w, const char *name) {
  unsigned char header[MEMBER_BYTES], field[FIELD_BYTES];
  const size_t length = strlen(name);
  w->member = w->size_bytes;
  w->member_bytes = 0;
  w->crc = 0;
  if (w->deflates) WEFT__TRY_RETURN(begin_deflating(w));
  WEFT__TRY_RETURN(append(w, header, put_header(w, header, length)));
  WEFT__TRY_RETURN(append(w, name, length));
  return append(w, field, put_zip64(field, 2, (const uint64_t[]){0, 0}));
}

#ifdef WEFT__ZLIB
/// Deflates the bytes and writes the result; `flush` is Z_FINISH behind the last byte.
static weft_status write_deflated(weft__zip_writer *w, const unsigned char *bytes, size_t count, int flush) {
  unsigned char *room = weft__scratch_begin(ROOM);
  z_stream *z = w->deflater;
  weft_status rc;
  if (!room) return WEFT_ERROR_HOST_MEMORY;
  do {
    const uInt in = count < UINT_MAX ? (uInt)count : UINT_MAX;
    z->next_in = (Bytef *)(uintptr_t)bytes;
    z->avail_in = in;
    z->next_out = room;
    z->avail_out = ROOM;
    deflate(z, flush); /* cannot fail: the stream is valid and there is room */
    bytes = z->next_in;
    count -= in - z->avail_in;
    WEFT__TRY(append(w, room, ROOM - z->avail_out));
  } while (count > 0 || z->avail_out == 0);
  rc = WEFT_OK;
done:
  weft__scratch_end(room);
  return rc;
}
#endif

weft_status weft__zip_write(weft__zip_writer *w, const void *bytes, size_t count) {
  w->crc = weft__zip_crc(w->crc, bytes, count);
  w->member_bytes += count;
#ifdef WEFT__ZLIB
  if (w->deflates) return write_deflated(w, bytes, count, Z_NO_FLUSH);
#endif
  return append(w, bytes, count);
}

/// Writes over a part of the file that was written before.
static weft_status overwrite(weft__zip_writer *w, uint64_t offset, const unsigned char *bytes, size_t count) {
  if (lseek(w->file.descriptor, (off_t)offset, SEEK_SET) < 0) return fail(w, "write", errno);
  const int why = weft__file_write(w->file.descriptor, bytes, count);
  if (why) return fail(w, "write", why);
  return lseek(w->file.descriptor, 0, SEEK_END) < 0 ? fail(w, "write", errno) : WEFT_OK;
}

/// The member's entry in the list. Numbers of 4 GiB and more are in a Zip64 field.
static void add_entry(weft__zip_writer *w, const char *name, uint64_t stored_bytes) {
  unsigned char entry[ENTRY_BYTES], field[FIELD_BYTES], *p = entry;
  const size_t length = strlen(name);
  const bool is_large = w->member_bytes >= UINT32_MAX || stored_bytes >= UINT32_MAX || w->member >= UINT32_MAX;
  p = weft__zip_put(p, 4, ENTRY_SIGN);
  p = weft__zip_put(p, 2, 3 << 8 | VERSION); /* made on Unix, whose modes are in the upper attributes */
  p = weft__zip_put(p, 2, VERSION);
  p = weft__zip_put(p, 2, 0x800);
  p = weft__zip_put(p, 2, w->deflates ? WEFT__ZIP_DEFLATED : WEFT__ZIP_STORED);
  p = weft__zip_put(p, 2, 0);
  p = weft__zip_put(p, 2, DATE);
  p = weft__zip_put(p, 4, w->crc);
  p = weft__zip_put(p, 4, is_large ? UINT32_MAX : stored_bytes);
  p = weft__zip_put(p, 4, is_large ? UINT32_MAX : w->member_bytes);
  p = weft__zip_put(p, 2, length);
  p = weft__zip_put(p, 2, is_large ? FIELD_BYTES : 0);
  p = weft__zip_put(p, 6, 0);
  p = weft__zip_put(p, 4, 0600u << 16);
  weft__zip_put(p, 4, is_large ? UINT32_MAX : w->member);
  weft__text_add_bytes(&w->directory, (const char *)entry, sizeof entry);
  weft__text_add_bytes(&w->directory, name, length);
  put_zip64(field, 3, (const uint64_t[]){w->member_bytes, stored_bytes, w->member});
  if (is_large) weft__text_add_bytes(&w->directory, (const char *)field, sizeof field);
  w->count++;
}

weft_status weft__zip_member_end(weft__zip_writer *w, const char *name) {
  unsigned char header[MEMBER_BYTES], field[FIELD_BYTES];
  const size_t length = strlen(name);
#ifdef WEFT__ZLIB
  if (w->deflates) WEFT__TRY_RETURN(write_deflated(w, NULL, 0, Z_FINISH));
#endif
  end_deflating(w);
  const uint64_t stored_bytes = w->size_bytes - w->member - MEMBER_BYTES - length - 20;
  WEFT__TRY_RETURN(overwrite(w, w->member, header, put_header(w, header, length)));
  WEFT__TRY_RETURN(overwrite(w, w->member + MEMBER_BYTES + length, field,
                             put_zip64(field, 2, (const uint64_t[]){w->member_bytes, stored_bytes})));
  add_entry(w, name, stored_bytes);
  return w->directory.failed ? weft__fail_host_memory(w->directory.length) : WEFT_OK;
}

/* ---- the end ---- */

/// The records of Zip64 at the end, for an archive that the 32-bit record cannot describe.
static size_t put_end64(unsigned char *bytes, uint64_t count, uint64_t directory_bytes, uint64_t directory) {
  unsigned char *p = bytes;
  p = weft__zip_put(p, 4, END64_SIGN);
  p = weft__zip_put(p, 8, 44);
  p = weft__zip_put(p, 2, 3 << 8 | VERSION);
  p = weft__zip_put(p, 2, VERSION);
  p = weft__zip_put(p, 8, 0);
  p = weft__zip_put(p, 8, count);
  p = weft__zip_put(p, 8, count);
  p = weft__zip_put(p, 8, directory_bytes);
  p = weft__zip_put(p, 8, directory);
  p = weft__zip_put(p, 4, END64_PLACE_SIGN);
  p = weft__zip_put(p, 4, 0);
  p = weft__zip_put(p, 8, directory + directory_bytes);
  return (size_t)(weft__zip_put(p, 4, 1) - bytes);
}

static uint64_t at_most(uint64_t value, uint64_t most) {
  return value < most ? value : most;
}

weft_status weft__zip_writer_end(weft__zip_writer *w) {
  unsigned char end[END_BYTES], *p = end;
  const uint64_t directory = w->size_bytes, bytes = w->directory.length;
  WEFT__TRY_RETURN(append(w, weft__text_chars(&w->directory), w->directory.length));
  if (w->count >= 0xffff || bytes >= UINT32_MAX || directory >= UINT32_MAX)
    p += put_end64(p, w->count, bytes, directory);
  p = weft__zip_put(p, 4, END_SIGN);
  p = weft__zip_put(p, 4, 0);
  p = weft__zip_put(p, 2, at_most(w->count, 0xffff));
  p = weft__zip_put(p, 2, at_most(w->count, 0xffff));
  p = weft__zip_put(p, 4, at_most(bytes, UINT32_MAX));
  p = weft__zip_put(p, 4, at_most(directory, UINT32_MAX));
  p = weft__zip_put(p, 2, 0);
  WEFT__TRY_RETURN(append(w, end, (size_t)(p - end)));
  const int why = weft__new_file_end(&w->file, true);
  return why ? fail(w, w->file.step, why) : WEFT_OK;
}

void weft__zip_writer_clear(weft__zip_writer *w) {
  end_deflating(w);
  weft__new_file_drop(&w->file);
  weft__text_free(&w->directory);
  free(w->path);
  *w = WEFT__NO_ZIP_WRITER;
}
