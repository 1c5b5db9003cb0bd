// SPDX-License-Identifier: MIT
#include "kernel/cuda_words.h"

#include <stdio.h>
#include <string.h>

#include "kernel/embedded.h"
#include "kernel/lines.h"
#include "kernel/macros.h"

/// Embedded headers whose words users may lack. `texts` are read for the words that they define.
enum { PRELUDE, CUDA, HEADERS };
static const struct {
  const char *line; /* in an expanded text that includes it */
  const char *texts[3], *hint;
} headers[HEADERS] = {
    [PRELUDE] = {"#line 1 \"weft/prelude.clh\"",
                 {"weft/prelude.clh", "weft/assert.clh", NULL},
                 "comes with #include \"weft/prelude.clh\" at the top of the source"},
    [CUDA] = {"#line 1 \"weft/cuda.clh\"",
              {"weft/cuda.clh", "weft/atomics.clh", "weft/block.clh"},
              "needs #include \"weft/cuda.clh\" at the top of the source"},
};

/// `words`: the names that share a hint, each between blanks.
static const struct {
  const char *words, *hint;
} table[] = {
    {" __global__ ", "is CUDA's: write `kernel void name(...)`, with pointers such as `global float *x`"},
    {" __restrict ", "is `restrict` in OpenCL C"},
    {" __half2float __float2half __float2half_rn ",
     "is weft_load_f16(p, i) or weft_store_f16(p, i, v) of weft/cuda.clh, with a parameter `global half *p`"},
    {" __reduce_add_sync __reduce_min_sync __reduce_max_sync __match_any_sync __match_all_sync ",
     "is not in weft/cuda.clh; weft_warp_sum(v), weft_warp_min(v), weft_warp_max(v), __ballot_sync and __shfl_sync "
     "are"},
    {" cooperative_groups this_thread_block this_grid tiled_partition ",
     "is C++: __syncthreads(), weft_grid_sync(state), and warp and block functions of weft/cuda.clh take its place"},
    {" tex1D tex2D tex3D surf2Dread surf2Dwrite ",
     "is read_imagef(image, sampler, (float2)(x, y)).x, or write_imagef, with a weft_image as the argument"},
    {" template typename ", "is C++: use macros, which weft_kernel_params.defines can set"},
    {" static_cast reinterpret_cast ", "is C++: write (float)x, and as_uint(x) for the same bits"},
    {" assert ", "is WEFT_ASSERT(condition), with the parameter WEFT_ASSERTS (weft/prelude.clh)"},
    {" clock clock64 ", "is not there: weft_profile_start and weft_timeit measure launches"},
    {" extern ",
     "is not needed before a kernel: OpenCL C does not mangle names. Shared memory whose size the launch gives is a "
     "parameter: `local float *s`, and WEFT_LOCAL(bytes)"},
};
enum { TABLE_ROWS = sizeof table / sizeof *table, ROWS = HEADERS + TABLE_ROWS };
/// Names that the compiler misses in the code of a macro, or on this device, and what else it says. `header`: HEADERS
/// if none must be included.
static const struct {
  int header;
  const char *name, *hint;
} missing[] = {
    {PRELUDE, "weft__asserts",
     "WEFT_ASSERT needs the parameter WEFT_ASSERTS, the last of the kernel, and of each function that asserts, whose "
     "argument is weft_asserts"},
    {CUDA, "weft_room",
     "warp and block functions need local memory: write WEFT_BLOCK_ROOM(threads); at the top of the kernel; "
     "`__device__` functions take a parameter WEFT_ROOM, whose argument is weft_room"},
    {CUDA, "weft_grid_sync",
     "weft_grid_sync exists only where WEFT_GRID_SYNC is defined: this device may run blocks one after the other, so "
     "make it two launches"},
    {HEADERS, "is ambiguous",
     "functions for several types, such as max, pow or atomicAdd, take arguments of one type in OpenCL C: cast one, or "
     "write fmaxf, powf ... of weft/cuda.clh"},
};
/// Returns the end of a comment or string that begins at `at`, else `at`.
static const char *skip(const char *at) {
  if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
  if (at[0] == '/' && at[1] == '*') {
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
  }
  if (*at != '"' && *at != '\'') return at;
  for (const char *end = at + 1; *end && *end != '\n'; end++) {
    if (*end == *at) return end + 1;
    if (*end == '\\' && end[1]) end++;
  }
  return at + 1;
}

/// What is known of the words of a source: `stamp` is the row of a word's hint and 1, or 0.
typedef weft__macros known_words;

/// Sets the row of the words that follow `before` in a text, of those that have none yet or of all.
static void add_words_after(known_words *words, const char *text, const char *before, int row, bool is_for_all) {
  const size_t skip_bytes = strlen(before);
  for (const char *at = text; (at = strstr(at, before));) {
    at += skip_bytes;
    const size_t length = (size_t)(weft__word_end(at) - at);
    weft__macro *word = length ? weft__macro_find(words, at, length) : NULL;
    if (word && (is_for_all || !word->stamp)) word->stamp = (unsigned)(row + 1);
  }
}

/// The headers' forms of a definition: macros, functions, and the functions that macros of weft/atomics.clh make.
static void add_header_words(known_words *words, const char *name, int row) {
  static const char *const forms[] = {
      "#define ",        "static inline uint ", "static inline ulong ", "static inline void ",
      "WEFT__ATOMIC_2(", "WEFT__PTX_ATOMICS(",  "WEFT__OVERLOADED T ",  "WEFT__TYPE("};
  const char *text = name ? weft__embedded_find(name) : NULL;
  for (size_t k = 0; text && k < sizeof forms / sizeof *forms; k++) add_words_after(words, text, forms[k], row, false);
}

/// Sets the rows of all words that have a hint, but not of those that the text defines itself.
static void add_known_words(known_words *words, const char *text) {
  for (int k = 0; k < HEADERS; k++)
    for (int t = 0; t < 3; t++) add_header_words(words, headers[k].texts[t], k);
  for (int k = 0; k < TABLE_ROWS; k++) add_words_after(words, table[k].words, " ", HEADERS + k, false);
  add_words_after(words, text, "#define ", -1, true);
}

/// Whether `word`, with `(` behind it, is a type: int(x) is C++.
static bool is_cast(const char *word, size_t length, const char *behind) {
  static const char types[] = " bool char uchar short ushort int uint long ulong float double half size_t ";
  const char *at = *behind == '(' ? strstr(types, " ") : NULL;
  for (; at; at = strchr(at + 1, ' '))
    if (strncmp(at + 1, word, length) == 0 && at[1 + length] == ' ') break;
  return at && !strchr("*^)", *weft__skip_blanks(behind + 1));
}

/// The text behind a #line that says whose the lines below it are, or `at`. `is_weft`: one of Weft's own files.
static const char *read_place(const char *at, bool *is_weft) {
  char name[64];
  int length = 0;
  if (sscanf(at, "#line %*u \"%63[^\"\n]\"%n", name, &length) != 1) return at;
  *is_weft = length > 0 && weft__embedded_find(name);
  return at + strcspn(at, "\n");
}

static void hint_words(weft__text *out, const char *text, const char *log) {
  struct {
    const char *word;
    size_t length;
  } row[ROWS] = {{NULL, 0}};
  known_words words = {0};
  bool has_cast = !strstr(log, "expected expression") && !strstr(log, "expected '(' for function-style cast");
  bool is_weft = false;
  add_known_words(&words, text);
  for (const char *at = text, *behind; *at; at = behind) {
    behind = *at == '#' ? read_place(at, &is_weft) : skip(at);
    if (behind > at) continue;
    behind = weft__word_end(at);
    const size_t length = (size_t)(behind - at);
    if (length == 0 || is_weft) {
      behind += length == 0;
      continue;
    }
    const weft__macro *word = weft__macro_find(&words, at, length);
    if (!has_cast && is_cast(at, length, behind)) {
      weft__text_add(out, "hint: `%.*s(x)` is C++: write (%.*s)(x)\n", (int)length, at, (int)length, at);
      has_cast = true;
    }
    if (!word || !word->stamp || row[word->stamp - 1].word) continue;
    row[word->stamp - 1].word = at;
    row[word->stamp - 1].length = length;
  }
  for (int k = 0; k < ROWS; k++)
    if (row[k].word && !(k < HEADERS && strstr(text, headers[k].line)))
      weft__text_add(out, "hint: `%.*s` %s\n", (int)row[k].length, row[k].word,
                     k < HEADERS ? headers[k].hint : table[k - HEADERS].hint);
  weft__macros_free(&words);
}

static bool is_long(const char *word, size_t length) {
  return length == 4 && strncmp(word, "long", 4) == 0;
}

/// Makes 1ull of `length` characters 1ul and a blank.
static void shorten_number(char *number, size_t length) {
  size_t at = length;
  while (at > 0 && strchr("uUlL", number[at - 1])) at--;
  while (at + 1 < length && !(number[at] == number[at + 1] && strchr("lL", number[at]))) at++;
  if (at + 1 >= length) return;
  memmove(number + at, number + at + 1, length - at - 1);
  number[length - 1] = ' ';
}

void weft__cuda_words_shorten(char *text) {
  if (!strstr(text, headers[CUDA].line)) return;
  char *before = NULL; /* a `long` with nothing but blanks behind it so far */
  for (char *at = text, *behind; *at; at = behind) {
    behind = at + (skip(at) - at);
    if (behind > at) continue;
    while (weft__is_of_word(*behind)) behind++;
    const size_t length = (size_t)(behind - at);
    if (length == 0) {
      if (*at != ' ' && *at != '\t') before = NULL;
      behind++;
      continue;
    }
    if (*at >= '0' && *at <= '9') shorten_number(at, length);
    const bool is_second = before && is_long(at, length);
    if (is_second) memset(at, ' ', length);
    before = is_long(at, length) ? at : NULL;
  }
}

void weft__cuda_words_hint(weft__text *out, const char *text, const char *log) {
  hint_words(out, text, log);
  for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
    if (strstr(log, missing[k].name) &&
        (missing[k].header == HEADERS || strstr(text, headers[missing[k].header].line)))
      weft__text_add(out, "hint: %s\n", missing[k].hint);
}
