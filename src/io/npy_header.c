// SPDX-License-Identifier: MIT
#include "io/npy_header.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "dtype/dtype.h"

static const char MAGIC[6] = "\x93NUMPY";

/// Reads the text of a Python dictionary from left to right.
typedef struct reader {
  const char *p, *end;
  const char *name; /* of the file, for messages */
} reader;

/// A part of the text.
typedef struct piece {
  const char *begin;
  size_t length;
} piece;

static weft_status fail(const reader *r, const char *what) {
  return weft__fail(WEFT_ERROR_FILE, "file", "`%s` is no .npy file that Weft can read: %s", r->name, what);
}

static void skip_spaces(reader *r) {
  while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r')) r->p++;
}

static bool takes(reader *r, char c) {
  skip_spaces(r);
  if (r->p >= r->end || *r->p != c) return false;
  r->p++;
  return true;
}

static bool takes_word(reader *r, const char *word) {
  size_t length = strlen(word);
  skip_spaces(r);
  if ((size_t)(r->end - r->p) < length || memcmp(r->p, word, length) != 0) return false;
  r->p += length;
  return true;
}

/// Reads 'text' or "text" and sets *text to the part between the quotes.
static bool takes_string(reader *r, piece *text) {
  skip_spaces(r);
  if (r->p >= r->end || (*r->p != '\'' && *r->p != '"')) return false;
  const char *close = memchr(r->p + 1, *r->p, (size_t)(r->end - r->p - 1));
  if (!close) return false;
  *text = (piece){r->p + 1, (size_t)(close - r->p - 1)};
  r->p = close + 1;
  return true;
}

/// Reads a list, tuple or dictionary with any content, up to its closing bracket.
static bool takes_brackets(reader *r, piece *text) {
  int depth = 0;
  piece string;
  skip_spaces(r);
  text->begin = r->p;
  do {
    if (r->p >= r->end) return false;
    if (*r->p == '\'' || *r->p == '"') {
      if (!takes_string(r, &string)) return false;
      continue;
    }
    depth += strchr("([{", *r->p) && *r->p ? 1 : strchr(")]}", *r->p) && *r->p ? -1 : 0;
    r->p++;
  } while (depth > 0);
  text->length = (size_t)(r->p - text->begin);
  return true;
}

/* ---- the three entries ---- */

/// Copies characters of the file for a message: one line at most, with unprintable characters replaced.
static void quote(char out[64], piece text) {
  size_t n = 0;
  for (; n < text.length && n < 56; n++) out[n] = isprint((unsigned char)text.begin[n]) ? text.begin[n] : '?';
  strcpy(out + n, n < text.length ? "..." : "");
}

static weft_status read_dtype(reader *r, weft__npy_header *h) {
  char quoted[64];
  piece text;
  skip_spaces(r);
  if (r->p < r->end && strchr("([{", *r->p) && *r->p) {
    if (!takes_brackets(r, &text)) return fail(r, "the header ends inside 'descr'");
    quote(quoted, text);
    return weft__fail(WEFT_ERROR_DTYPE, "file", "`%s` has elements of several fields, %s; expected one number each",
                      r->name, quoted);
  }
  if (!takes_string(r, &text)) return fail(r, "'descr' is no text");
  quote(quoted, text);
  for (int d = 1; weft__dtype((weft_dtype)d); d++) {
    const weft__dtype_row *row = weft__dtype((weft_dtype)d);
    if (text.length != strlen(row->typestr) || memcmp(text.begin + 1, row->typestr + 1, text.length - 1) != 0) continue;
    /* bf16 has the letter of NumPy's uninterpreted bytes, which have no order */
    h->is_swapped = text.begin[0] == '>' && row->typestr[0] == '<' && row->typestr[1] != 'V';
    if (text.begin[0] != row->typestr[0] && text.begin[0] != '=' && !h->is_swapped) continue;
    h->dtype = row->dtype;
    return WEFT_OK;
  }
  return weft__fail(WEFT_ERROR_DTYPE, "file", "`%s` has elements '%s', for which Weft has no dtype", r->name, quoted);
}

static weft_status read_order(reader *r, bool *is_fortran) {
  *is_fortran = takes_word(r, "True");
  return *is_fortran || takes_word(r, "False") ? WEFT_OK : fail(r, "'fortran_order' is neither True nor False");
}

static weft_status read_shape(reader *r, weft_shape *shape) {
  if (!takes(r, '(')) return fail(r, "'shape' is no tuple");
  shape->ndim = 0;
  while (!takes(r, ')')) {
    uint64_t length = 0;
    const char *first = r->p;
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++)
      if (!weft__multiply_u64(&length, length, 10) || !weft__add_u64(&length, length, (uint64_t)(*r->p - '0')) ||
          length > INT64_MAX)
        return weft__fail(WEFT_ERROR_OVERFLOW, "file", "`%s` has a length of more than 2^63-1 in axis %d", r->name,
                          shape->ndim);
    if (r->p == first) return fail(r, "'shape' is no tuple of whole numbers");
    if (r->p < r->end && *r->p == 'L') r->p++; /* written by Python 2 */
    if (shape->ndim == WEFT_MAX_NDIM)
      return weft__fail(WEFT_ERROR_SHAPE, "file", "`%s` has more than %d axes, which is the most", r->name,
                        WEFT_MAX_NDIM);
    shape->dim[shape->ndim++] = (int64_t)length;
    if (takes(r, ',')) continue;
    if (!takes(r, ')')) return fail(r, "'shape' is no tuple of whole numbers");
    if (shape->ndim == 1) return fail(r, "'shape' is a number, no tuple");
    break;
  }
  return WEFT_OK;
}

static weft_status read_entries(reader *r, weft__npy_header *h) {
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  bool has[3] = {false, false, false};
  piece key;
  if (!takes(r, '{')) return fail(r, "the header is no dictionary");
  while (!takes(r, '}')) {
    int k = 0;
    if (!takes_string(r, &key) || !takes(r, ':')) return fail(r, "the header is no dictionary");
    while (k < 3 && (strlen(keys[k]) != key.length || memcmp(keys[k], key.begin, key.length) != 0)) k++;
    if (k == 3) return fail(r, "the header has an entry besides 'descr', 'fortran_order' and 'shape'");
    if (has[k]) return fail(r, "the header has an entry twice");
    has[k] = true;
    WEFT__TRY_RETURN(k == 0 ? read_dtype(r, h) : k == 1 ? read_order(r, &h->is_fortran) : read_shape(r, &h->shape));
    if (takes(r, ',')) continue;
    if (takes(r, '}')) break;
    return fail(r, "the header is no dictionary");
  }
  skip_spaces(r);
  if (r->p != r->end) return fail(r, "there is something behind the header's dictionary");
  return has[0] && has[1] && has[2] ? WEFT_OK : fail(r, "the header lacks 'descr', 'fortran_order' or 'shape'");
}

/* ---- the file ---- */

static weft_status check_size(weft__npy_header *h, uint64_t file_bytes, const char *name) {
  int64_t bytes = (int64_t)weft_dtype_size_bytes(h->dtype);
  int longer = 0;
  bool is_empty = false;
  for (int d = 0; d < h->shape.ndim; d++) {
    int64_t length = h->shape.dim[d];
    is_empty = is_empty || length == 0;
    longer += length > 1;
    if (!weft__multiply_i64(&bytes, bytes, length ? length : 1))
      return weft__fail(WEFT_ERROR_OVERFLOW, "file", "the elements of `%s` are more than 2^63-1 bytes", name);
  }
  h->size_bytes = is_empty ? 0 : (uint64_t)bytes;
  h->is_fortran = h->is_fortran && longer > 1; /* with fewer long axes both orders are equal */
  if (file_bytes - h->offset_bytes >= h->size_bytes) return WEFT_OK;
  return weft__fail(WEFT_ERROR_FILE, "file",
                    "`%s` is too short: it has %" PRIu64 " bytes of elements, and its header says %" PRIu64, name,
                    file_bytes - h->offset_bytes, h->size_bytes);
}

weft_status weft__npy_read(weft__npy_header *h, const void *data, uint64_t size_bytes, uint64_t file_bytes,
                           const char *name) {
  const unsigned char *bytes = data;
  reader r = {.name = name};
  *h = (weft__npy_header){.dtype = WEFT_DTYPE_NONE};
  if (size_bytes < 10 || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
    return fail(&r, "it does not begin with the format's magic bytes");
  if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
    return weft__fail(WEFT_ERROR_FILE, "file", "`%s` is of version %d.%d of the .npy format; expected 1.0, 2.0 or 3.0",
                      name, bytes[6], bytes[7]);
  h->version = bytes[6];
  uint64_t length = (uint64_t)bytes[8] | (uint64_t)bytes[9] << 8, front = 10;
  if (bytes[6] > 1) {
    front = 12;
    if (size_bytes < front) return fail(&r, "it ends in the header");
    length |= (uint64_t)bytes[10] << 16 | (uint64_t)bytes[11] << 24;
  }
  if (size_bytes - front < length) return fail(&r, "it ends in the header");
  h->offset_bytes = front + length;
  r.p = (const char *)bytes + front;
  r.end = r.p + length;
  WEFT__TRY_RETURN(read_entries(&r, h));
  return check_size(h, file_bytes, name);
}

size_t weft__npy_write(char bytes[WEFT__NPY_LONGEST], weft_dtype dtype, weft_shape shape) {
  char *text = bytes + 10;
  const size_t room = WEFT__NPY_LONGEST - 10 - WEFT__NPY_ALIGNMENT;
  size_t n =
      (size_t)snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", weft__dtype(dtype)->typestr);
  for (int d = 0; d < shape.ndim; d++)
    n += (size_t)snprintf(text + n, room - n, "%s%" PRId64, d ? ", " : "", shape.dim[d]);
  n += (size_t)snprintf(text + n, room - n, shape.ndim == 1 ? ",), }" : "), }");
  /* as NumPy: padding to 21 digits, so that the first length can be changed in place */
  if (shape.ndim > 0) {
    size_t digits = (size_t)snprintf(NULL, 0, "%" PRId64, shape.dim[0]);
    while (digits++ < 21) text[n++] = ' ';
  }
  while ((10 + n + 1) % WEFT__NPY_ALIGNMENT) text[n++] = ' ';
  text[n++] = '\n';
  memcpy(bytes, MAGIC, sizeof MAGIC);
  bytes[6] = 1;
  bytes[7] = 0;
  bytes[8] = (char)(n & 0xff);
  bytes[9] = (char)(n >> 8);
  return 10 + n;
}
