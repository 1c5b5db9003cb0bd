// SPDX-License-Identifier: MIT
#include "io/zip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef WEFT__ZLIB
#include <zlib.h>
#endif

#include "base/checked.h"

#define END_BYTES 22 /* of the record at the end, without its comment */
#define ENTRY_BYTES 46
#define MEMBER_BYTES 30 /* of a member's own header, without name and extra fields */

static weft_status fail(const weft__zip *zip, const char *what) {
  return weft__fail(WEFT_ERROR_FILE, "file", "`%s` is no .npz file that Weft can read: %s", zip->file, what);
}

uint32_t weft__zip_crc(uint32_t crc, const void *bytes, size_t count) {
#ifdef WEFT__ZLIB
  return (uint32_t)crc32_z(crc, bytes, count);
#else
  const unsigned char *b = bytes;
  crc = ~crc;
  for (size_t i = 0; i < count; i++) {
    crc ^= b[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
  }
  return ~crc;
#endif
}

weft_status weft__zip_check_deflate(const char *file) {
#ifdef WEFT__ZLIB
  (void)file;
  return WEFT_OK;
#else
  return weft__fail(WEFT_ERROR_UNSUPPORTED, "file",
                    "`%s`: this build of Weft cannot deflate and inflate: zlib was not there when it was built", file);
#endif
}

/* ---- the list of members ---- */

/// The record at the end of the archive: the list's size, offset and number of entries.
typedef struct ending {
  uint64_t count, bytes, offset;
} ending;

/// The record has a comment of unknown length, at most 65535 bytes, behind it.
static const unsigned char *find_end(const weft__zip *zip) {
  if (zip->size_bytes < END_BYTES) return NULL;
  const unsigned char *end = zip->bytes + zip->size_bytes;
  const uint64_t most = zip->size_bytes - END_BYTES < 65535 ? zip->size_bytes - END_BYTES : 65535;
  for (uint64_t comment = 0; comment <= most; comment++) {
    const unsigned char *at = end - END_BYTES - comment;
    if (memcmp(at, "PK\5\6", 4) == 0 && weft__zip_get(at + 20, 2) == comment) return at;
  }
  return NULL;
}

/// The record of Zip64, whose place stands in front of the record at the end. `at`: the offset of the latter.
static weft_status read_end64(const weft__zip *zip, uint64_t at, ending *e) {
  if (at < 20 || memcmp(zip->bytes + at - 20, "PK\6\7", 4) != 0) return fail(zip, "its list of members is damaged");
  const uint64_t offset = weft__zip_get(zip->bytes + at - 12, 8);
  if (offset > at - 20 || at - 20 - offset < 56 || memcmp(zip->bytes + offset, "PK\6\6", 4) != 0)
    return fail(zip, "its list of members is damaged");
  const unsigned char *record = zip->bytes + offset;
  *e = (ending){weft__zip_get(record + 32, 8), weft__zip_get(record + 40, 8), weft__zip_get(record + 48, 8)};
  return WEFT_OK;
}

static weft_status read_end(const weft__zip *zip, ending *e) {
  const unsigned char *record = find_end(zip);
  if (!record) return fail(zip, "it has no list of members at its end; it is no zip archive, or was truncated");
  const uint64_t at = (uint64_t)(record - zip->bytes);
  *e = (ending){weft__zip_get(record + 10, 2), weft__zip_get(record + 12, 4), weft__zip_get(record + 16, 4)};
  if (e->count == 0xffff || e->bytes == 0xffffffff || e->offset == 0xffffffff) WEFT__TRY_RETURN(read_end64(zip, at, e));
  if (e->offset > at || e->bytes > at - e->offset || e->count > e->bytes / ENTRY_BYTES || e->count > INT_MAX)
    return fail(zip, "its list of members is damaged");
  return WEFT_OK;
}

/// Replaces the numbers that do not fit 32 bits by the ones in the Zip64 field.
static bool read_extra(weft__zip_member *m, const unsigned char *extra, size_t length) {
  uint64_t *const numbers[] = {&m->size_bytes, &m->stored_bytes, &m->offset};
  while (length >= 4) {
    const unsigned char *field = extra + 4;
    size_t left = (size_t)weft__zip_get(extra + 2, 2);
    const bool is_zip64 = weft__zip_get(extra, 2) == 1;
    if (left > length - 4) return false;
    extra += 4 + left;
    length -= 4 + left;
    for (int k = 0; k < 3 && is_zip64; k++) {
      if (*numbers[k] != 0xffffffff) continue;
      if (left < 8) return false;
      *numbers[k] = weft__zip_get(field, 8);
      field += 8;
      left -= 8;
    }
  }
  return true;
}

/// Reads the entry at *at of the list, which ends at `end`, and moves *at behind it.
static weft_status read_entry(const weft__zip *zip, weft__zip_member *m, const unsigned char **at,
                              const unsigned char *end) {
  const unsigned char *e = *at;
  if (end - e < ENTRY_BYTES || memcmp(e, "PK\1\2", 4) != 0) return fail(zip, "its list of members is damaged");
  const size_t name = (size_t)weft__zip_get(e + 28, 2), extra = (size_t)weft__zip_get(e + 30, 2);
  const size_t comment = (size_t)weft__zip_get(e + 32, 2);
  if ((size_t)(end - e) - ENTRY_BYTES < name + extra + comment) return fail(zip, "its list of members is damaged");
  *m = (weft__zip_member){.is_encrypted = e[8] & 1,
                          .method = (unsigned)weft__zip_get(e + 10, 2),
                          .crc = (uint32_t)weft__zip_get(e + 16, 4),
                          .stored_bytes = weft__zip_get(e + 20, 4),
                          .size_bytes = weft__zip_get(e + 24, 4),
                          .offset = weft__zip_get(e + 42, 4)};
  if (!(m->name = weft__new(name + 1))) return WEFT_ERROR_HOST_MEMORY;
  memcpy(m->name, e + ENTRY_BYTES, name);
  *at = e + ENTRY_BYTES + name + extra + comment;
  if (!read_extra(m, e + ENTRY_BYTES + name, extra)) return fail(zip, "a member's Zip64 field is damaged");
  return strlen(m->name) == name ? WEFT_OK : fail(zip, "a member's name contains a zero byte");
}

weft_status weft__zip_list(weft__zip *zip) {
  ending e = {0};
  WEFT__TRY_RETURN(read_end(zip, &e));
  if (e.count == 0) return WEFT_OK;
  zip->directory = e.offset;
  zip->members = weft__new((size_t)e.count * sizeof *zip->members);
  if (!zip->members) return WEFT_ERROR_HOST_MEMORY;
  const unsigned char *at = zip->bytes + e.offset, *end = at + e.bytes;
  while ((uint64_t)zip->count < e.count) {
    zip->count++; /* the entry may have a name even if reading it fails */
    WEFT__TRY_RETURN(read_entry(zip, &zip->members[zip->count - 1], &at, end));
  }
  return WEFT_OK;
}

void weft__zip_clear(weft__zip *zip) {
  for (int i = 0; i < zip->count; i++) free(zip->members[i].name);
  free(zip->members);
  *zip = (weft__zip){0};
}

/* ---- the content of a member ---- */

struct weft__zip_reader {
  const weft__zip *zip;
  const weft__zip_member *member;
  const unsigned char *stored; /* the bytes in the archive that were not used yet */
  uint64_t stored_left, left;
  uint32_t crc;
#ifdef WEFT__ZLIB
  bool inflates;
  z_stream stream;
#endif
};

static weft_status fail_member(const weft__zip_reader *r, const char *what) {
  char shown[WEFT__SHOWN_BYTES];
  return weft__fail(WEFT_ERROR_FILE, "file", "member `%s` of `%s` %s", weft__text_shown(shown, r->member->name),
                    r->zip->file, what);
}

/// Finds the content behind the member's own header, whose name and extra fields may differ from the list's.
static weft_status find_content(weft__zip_reader *r) {
  const weft__zip *zip = r->zip;
  const weft__zip_member *m = r->member;
  if (m->is_encrypted) return fail_member(r, "is encrypted");
  if (m->offset > zip->directory || zip->directory - m->offset < MEMBER_BYTES ||
      memcmp(zip->bytes + m->offset, "PK\3\4", 4) != 0)
    return fail_member(r, "has no header at its place: the archive is damaged");
  const unsigned char *header = zip->bytes + m->offset;
  const uint64_t front = MEMBER_BYTES + weft__zip_get(header + 26, 2) + weft__zip_get(header + 28, 2);
  const uint64_t room = zip->directory - m->offset;
  if (room < front || room - front < m->stored_bytes) return fail_member(r, "ends behind the archive's contents");
  r->stored = header + front;
  r->stored_left = m->stored_bytes;
  r->left = m->size_bytes;
  return WEFT_OK;
}

static weft_status begin_method(weft__zip_reader *r) {
  const weft__zip_member *m = r->member;
  char shown[WEFT__SHOWN_BYTES];
  if (m->method == WEFT__ZIP_STORED)
    return m->stored_bytes == m->size_bytes ? WEFT_OK : fail_member(r, "is stored with two different sizes");
  if (m->method != WEFT__ZIP_DEFLATED)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "file",
                      "member `%s` of `%s` is compressed by method %u; expected 0 (stored) or 8 (deflated)",
                      weft__text_shown(shown, m->name), r->zip->file, m->method);
  WEFT__TRY_RETURN(weft__zip_check_deflate(r->zip->file));
#ifdef WEFT__ZLIB
  if (inflateInit2(&r->stream, -MAX_WBITS) != Z_OK) return weft__fail_host_memory(1 << MAX_WBITS);
  r->inflates = true;
#endif
  return WEFT_OK;
}

weft_status weft__zip_reader_create(weft__zip_reader **out, const weft__zip *zip, const weft__zip_member *member) {
  weft__zip_reader *r = *out = weft__new(sizeof *r);
  if (!r) return WEFT_ERROR_HOST_MEMORY;
  r->zip = zip;
  r->member = member;
  WEFT__TRY_RETURN(find_content(r));
  return begin_method(r);
}

#ifdef WEFT__ZLIB
static weft_status inflate_bytes(weft__zip_reader *r, unsigned char *bytes, size_t count) {
  z_stream *z = &r->stream;
  while (count > 0) {
    const uInt in = r->stored_left < UINT_MAX ? (uInt)r->stored_left : UINT_MAX;
    const uInt out = count < UINT_MAX ? (uInt)count : UINT_MAX;
    z->next_in = (Bytef *)(uintptr_t)r->stored;
    z->avail_in = in;
    z->next_out = bytes;
    z->avail_out = out;
    const int result = inflate(z, Z_NO_FLUSH);
    r->stored += in - z->avail_in;
    r->stored_left -= in - z->avail_in;
    bytes += out - z->avail_out;
    count -= out - z->avail_out;
    if (result == Z_MEM_ERROR) return weft__fail_host_memory(1 << MAX_WBITS);
    if (count > 0 && result != Z_OK)
      return fail_member(
          r, result == Z_STREAM_END ? "is shorter than the list of members says" : "is damaged: it cannot be inflated");
  }
  return WEFT_OK;
}
#endif

weft_status weft__zip_read(weft__zip_reader *r, void *bytes, size_t count) {
  if (count > r->left) return fail_member(r, "ends within its elements");
#ifdef WEFT__ZLIB
  if (r->inflates) WEFT__TRY_RETURN(inflate_bytes(r, bytes, count));
#endif
  if (r->member->method == WEFT__ZIP_STORED) {
    memcpy(bytes, r->stored, count);
    r->stored += count;
  }
  r->left -= count;
  r->crc = weft__zip_crc(r->crc, bytes, count);
  return WEFT_OK;
}

weft_status weft__zip_reader_finish(weft__zip_reader *r) {
  unsigned char rest[4096];
  char shown[WEFT__SHOWN_BYTES];
  while (r->left > 0) WEFT__TRY_RETURN(weft__zip_read(r, rest, r->left < sizeof rest ? (size_t)r->left : sizeof rest));
  if (r->crc == r->member->crc) return WEFT_OK;
  return weft__fail(WEFT_ERROR_FILE, "file",
                    "member `%s` of `%s` is damaged: its bytes have the checksum %08" PRIx32
                    ", and the list of members says %08" PRIx32,
                    weft__text_shown(shown, r->member->name), r->zip->file, r->crc, r->member->crc);
}

void weft__zip_reader_release(weft__zip_reader **reader) {
  if (!*reader) return;
#ifdef WEFT__ZLIB
  if ((*reader)->inflates) inflateEnd(&(*reader)->stream);
#endif
  free(*reader);
  *reader = NULL;
}
