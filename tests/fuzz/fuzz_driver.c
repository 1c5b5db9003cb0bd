// SPDX-License-Identifier: MIT
// Tries the inputs of files and folders, then mutates them at random (reproducibly for a --seed) and tries each result:
//
//     fuzz_TARGET [--iterations N] [--seed N] [--first N] [--dict FILE] FILE_OR_FOLDER...
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

enum { LONGEST = 4096, MOST = 1024 };

/// A seed, or a word of the dictionary.
typedef struct piece {
  uint8_t *bytes;
  size_t length;
} piece;

typedef struct list {
  piece item[MOST];
  size_t count;
} list;

static list seeds, words;
static uint64_t state, iteration, seed = 1;
static uint8_t input[2 * LONGEST];
static size_t size;

_Noreturn static void give_up(const char *path, const char *why) {
  fprintf(stderr, "fuzz: %s: %s\n", path, why);
  exit(2);
}

/* ---- seeds and words ---- */

static void add(list *to, const uint8_t *bytes, size_t length, const char *path) {
  if (to->count == MOST) give_up(path, "too many inputs or words");
  uint8_t *copy = malloc(length + 1);
  if (!copy) give_up(path, "not enough memory");
  memcpy(copy, bytes, length);
  to->item[to->count++] = (piece){copy, length};
}

/// A file of any length may be tried; a seed is its beginning.
static void add_seed(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) give_up(path, strerror(errno));
  const size_t length = fread(input, 1, sizeof input, file);
  fclose(file);
  add(&seeds, input, length, path);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name); /* in every locale the same order */
}

static void add_seeds(const char *path) {
  struct stat about;
  struct dirent **entry;
  char inside[4096];
  if (stat(path, &about)) give_up(path, strerror(errno));
  if (!S_ISDIR(about.st_mode)) {
    add_seed(path);
    return;
  }
  const int count = scandir(path, &entry, NULL, by_name);
  if (count < 0) give_up(path, strerror(errno));
  for (int i = 0; i < count; i++) {
    snprintf(inside, sizeof inside, "%s/%s", path, entry[i]->d_name);
    if (stat(inside, &about) == 0 && S_ISREG(about.st_mode)) add_seed(inside);
    free(entry[i]);
  }
  free(entry);
}

/// A line of a dictionary: "text", with \\, \" and \x41, after a name and `=` or not. Empty lines and those that begin
/// with # are no words.
static bool read_word(const char *line, uint8_t *word, size_t *length) {
  const char *p = strchr(line, '"');
  unsigned code;
  *length = 0;
  if (!p) return false;
  for (p++; *p && *p != '"'; (*length)++) {
    if (*p != '\\') {
      word[*length] = (uint8_t)*p++;
    } else if (p[1] == 'x' && sscanf(p + 2, "%2x", &code) == 1) {
      word[*length] = (uint8_t)code;
      p += 4;
    } else if (p[1] == '\\' || p[1] == '"') {
      word[*length] = (uint8_t)p[1];
      p += 2;
    } else {
      return false;
    }
  }
  return *p == '"' && *length > 0;
}

static void read_dictionary(const char *path) {
  char line[512];
  uint8_t word[sizeof line];
  size_t length;
  FILE *file = fopen(path, "r");
  if (!file) give_up(path, strerror(errno));
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '#' || line[0] == '\n') continue;
    if (!read_word(line, word, &length)) give_up(path, line);
    add(&words, word, length, path);
  }
  fclose(file);
}

/* ---- mutations ---- */

/// splitmix64 (Steele, Lea and Flood 2014)
static uint64_t bits(void) {
  uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static size_t below(size_t n) {
  return n ? (size_t)(bits() % n) : 0;
}

static void say_where(int signal_number) {
  char text[128];
  int length = snprintf(text, sizeof text, "\nfuzz: signal %d; repeat it with --seed %llu --first %llu\n",
                        signal_number, (unsigned long long)seed, (unsigned long long)iteration);
  if (write(STDERR_FILENO, text, (size_t)length) < 0 || write(STDERR_FILENO, input, size) < 0) _exit(3);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void insert(size_t at, const uint8_t *bytes, size_t length) {
  if (size + length > LONGEST) return;
  memmove(input + at + length, input + at, size - at);
  memcpy(input + at, bytes, length);
  size += length;
}

static void change(void) {
  uint8_t part[256];
  size_t at = below(size + 1), length = 1 + below(8);
  const piece *other;
  switch (below(8)) {
    case 0: /* replace a byte */
      if (at < size) input[at] = (uint8_t)bits();
      break;
    case 1: /* flip one bit */
      if (at < size) input[at] ^= (uint8_t)(1u << below(8));
      break;
    case 2: /* delete */
      if (at + length > size) length = size - at;
      memmove(input + at, input + at + length, size - at - length);
      size -= length;
      break;
    case 3: /* repeat */
      length = 1 + below(60);
      if (at + length > size) length = size - at;
      memcpy(part, input + at, length);
      insert(below(size + 1), part, length);
      break;
    case 4: /* insert a part of another seed */
      other = &seeds.item[below(seeds.count)];
      at = below(other->length + 1);
      length = below(other->length - at + 1);
      insert(below(size + 1), other->bytes + at, length < sizeof part ? length : sizeof part);
      break;
    default: /* insert a word */
      if (words.count == 0) break;
      other = &words.item[below(words.count)];
      insert(at, other->bytes, other->length);
  }
}

static void make_input(void) {
  state = seed * UINT64_C(0x2545f4914f6cdd1d) + iteration * UINT64_C(0x9e3779b97f4a7c15);
  const piece *from = &seeds.item[below(seeds.count)];
  size = from->length < LONGEST / 2 ? from->length : LONGEST / 2;
  memcpy(input, from->bytes, size);
  const size_t head = below(2) ? fuzz_head : 0;
  for (size_t i = 0; i < head && i < size; i++) input[i] = (uint8_t)bits();
  for (size_t changes = below(below(2) ? 12 : 3); changes > 0; changes--) change();
}

int main(int argc, char **argv) {
  uint64_t iterations = 300000, first = 0;
  for (int i = 1; i < argc; i++) {
    const char *name = argv[i];
    if (strncmp(name, "--", 2) != 0) {
      add_seeds(name);
      continue;
    }
    if (++i == argc) give_up(name, "expected a value");
    const uint64_t value = strtoull(argv[i], NULL, 0);
    if (strcmp(name, "--iterations") == 0)
      iterations = value;
    else if (strcmp(name, "--seed") == 0)
      seed = value;
    else if (strcmp(name, "--first") == 0)
      first = value;
    else if (strcmp(name, "--dict") == 0)
      read_dictionary(argv[i]);
    else
      give_up(name, "no such option");
  }
  if (seeds.count == 0) give_up("arguments", "expected files or folders of inputs");
  signal(SIGABRT, say_where);
  signal(SIGSEGV, say_where);
  for (size_t i = 0; i < seeds.count; i++) LLVMFuzzerTestOneInput(seeds.item[i].bytes, seeds.item[i].length);
  for (iteration = first; iteration < first + iterations; iteration++) {
    make_input();
    LLVMFuzzerTestOneInput(input, size);
  }
  printf("%llu inputs from %zu seeds and %zu words, --seed %llu, %llu accepted\n", (unsigned long long)iterations,
         seeds.count, words.count, (unsigned long long)seed, (unsigned long long)fuzz_accepted);
  for (size_t i = 0; i < seeds.count; i++) free(seeds.item[i].bytes);
  for (size_t i = 0; i < words.count; i++) free(words.item[i].bytes);
  return iterations == 0 || fuzz_accepted > iterations / 100 ? 0 : 1;
}
