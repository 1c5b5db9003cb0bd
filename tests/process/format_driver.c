// SPDX-License-Identifier: MIT
/// Runs the array printer on cases from stdin; tests/process/format_numpy.py writes them and checks the texts.
///   format_driver cases    case: int32 dtype, ndim, precision, edge_items, line_width, suppress; int64 threshold,
///                          shape[8], stride[8], offset, size; `size` bytes. Output: uint64 length and the text. All in
///                          the machine's byte order.
///   format_driver reprs    the same with the texts of repr()
///   format_driver halves   doubles in; for each a uint16 (weft_f16_from_double) and a double (its weft_f16_to_double)
///                          out
///   format_driver sparse   formats arrays of which only the edges may be read, and the table of dtypes; text out
#define _DEFAULT_SOURCE
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "dtype/dtype.h"
#include "io/format.h"

typedef struct header {
  int32_t dtype, ndim, precision, edge_items, line_width, suppress;
  int64_t threshold, shape[8], stride[8], offset, size;
} header;

static int run_cases(void (*format)(weft__text *, const weft__host_array *, const weft_print_params *)) {
  header h;
  weft__text text = {0};
  int status = 1;
  char *bytes = NULL;
  while (fread(&h, sizeof h, 1, stdin) == 1) {
    /* The block ends with the data, so that a sanitizer detects reads beyond it, and has an odd address: data need not
       be aligned. */
    bytes = malloc((size_t)h.size + 1);
    if (!bytes || fread(bytes + 1, 1, (size_t)h.size, stdin) != (size_t)h.size) goto done;
    weft_print_params params = {h.precision, h.threshold, h.edge_items, h.line_width, h.suppress != 0, NULL};
    weft__host_array array = {(weft_dtype)h.dtype, h.ndim, h.shape, h.stride, bytes + 1 + h.offset, false};
    format(&text, &array, &params);
    uint64_t length = text.length;
    if (text.failed || fwrite(&length, sizeof length, 1, stdout) != 1) goto done;
    if (fwrite(weft__text_chars(&text), 1, text.length, stdout) != text.length) goto done;
    weft__text_clear(&text);
    free(bytes);
    bytes = NULL;
  }
  status = fflush(stdout) != 0;
done:
  free(bytes);
  weft__text_free(&text);
  return status;
}

static int run_halves(void) {
  double value;
  while (fread(&value, sizeof value, 1, stdin) == 1) {
    weft_f16 half = weft_f16_from_double(value);
    double back = weft_f16_to_double(half);
    if (fwrite(&half.bits, sizeof half.bits, 1, stdout) != 1 || fwrite(&back, sizeof back, 1, stdout) != 1) return 1;
  }
  return fflush(stdout) != 0;
}

static int run_sparse(void) {
  const size_t size = (size_t)1 << 30, edge = (size_t)1 << 20;
  char *bytes = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bytes == MAP_FAILED) return 1;
  if (mprotect(bytes, edge, PROT_READ | PROT_WRITE) || mprotect(bytes + size - edge, edge, PROT_READ | PROT_WRITE))
    return 1;
  memset(bytes, 1, edge);
  memset(bytes + size - edge, 2, edge);
  int64_t shape[2] = {1024, 262144}, stride_bytes[2] = {1 << 20, 4};
  weft__text text = {0};
  weft_print_params params = {.edge_items = 1};
  weft__host_array array = {WEFT_I32, 1, (int64_t[]){268435456}, (int64_t[]){4}, bytes, false};
  weft__format_array(&text, &array, NULL);
  weft__text_add_bytes(&text, "\n", 1);
  array = (weft__host_array){WEFT_I32, 2, shape, stride_bytes, bytes, false};
  weft__format_array(&text, &array, &params);
  weft__text_add_bytes(&text, "\n", 1);
  /* More elements than int64_t counts: a broadcast view may have that many, though not in NumPy. */
  int64_t many[3] = {(int64_t)1 << 32, (int64_t)1 << 32, 4};
  array = (weft__host_array){WEFT_U8, 3, many, (int64_t[]){0, 0, 1}, bytes, false};
  weft__format_array(&text, &array, &params);
  weft__text_add_bytes(&text, "\n", 1);
  for (int dtype = -1; dtype <= WEFT_DTYPE_COUNT; dtype++) {
    const weft__dtype_row *row = weft__dtype((weft_dtype)dtype);
    char kind = weft_dtype_kind((weft_dtype)dtype);
    weft__text_add(&text, "%d %s %u %c %s %s\n", dtype, weft_dtype_name((weft_dtype)dtype),
                   (unsigned)weft_dtype_size_bytes((weft_dtype)dtype), kind ? kind : '-', row ? row->cl_type : "-",
                   row ? row->typestr : "-");
  }
  fputs(weft__text_chars(&text), stdout);
  weft__text_free(&text);
  munmap(bytes, size);
  return fflush(stdout) != 0;
}

int main(int argc, char **argv) {
  /* A locale's decimal comma, if the machine has such a locale, must not appear. */
  static const char *const place[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR", "ru_RU.UTF-8"};
  for (size_t i = 0; i < sizeof place / sizeof *place; i++)
    if (setlocale(LC_ALL, place[i])) break;
  const char *what = argc == 2 ? argv[1] : "";
  if (strcmp(what, "cases") == 0) return run_cases(weft__format_array);
  if (strcmp(what, "reprs") == 0) return run_cases(weft__format_repr);
  if (strcmp(what, "halves") == 0) return run_halves();
  if (strcmp(what, "sparse") == 0) return run_sparse();
  fprintf(stderr, "usage: %s cases|reprs|halves|sparse\n", argv[0]);
  return 2;
}
