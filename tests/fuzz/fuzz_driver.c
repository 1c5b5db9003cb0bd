// SPDX-License-Identifier: MIT
// Mutates the seeds at random (reproducibly for a --seed) and tries each result.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

enum { LONGEST = 4096 };

static uint64_t state, iteration, seed = 1;
static uint8_t input[2 * LONGEST];
static size_t size;

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

static size_t count(const char *const *list) {
  size_t n = 0;
  while (list[n]) n++;
  return n;
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
  uint8_t piece[256];
  size_t at = below(size + 1), length = 1 + below(8);
  const char *word;
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
      memcpy(piece, input + at, length);
      insert(below(size + 1), piece, length);
      break;
    case 4: /* insert a part of another seed */
      word = fuzz_seeds[below(count(fuzz_seeds))];
      length = strlen(word);
      at = below(length + 1);
      length = below(length - at + 1);
      insert(below(size + 1), (const uint8_t *)word + at, length < 256 ? length : 256);
      break;
    default: /* insert a word */
      word = fuzz_words[below(count(fuzz_words))];
      insert(at, (const uint8_t *)word, strlen(word));
  }
}

static void make_input(void) {
  state = seed * UINT64_C(0x2545f4914f6cdd1d) + iteration * UINT64_C(0x9e3779b97f4a7c15);
  const char *text = fuzz_seeds[below(count(fuzz_seeds))];
  size = 0;
  for (size_t i = 0; i < fuzz_head; i++) input[size++] = (uint8_t)bits();
  size_t length = strlen(text) < LONGEST / 2 ? strlen(text) : LONGEST / 2;
  memcpy(input + size, text, length);
  size += length;
  for (size_t changes = below(below(2) ? 12 : 3); changes > 0; changes--) change();
}

int main(int argc, char **argv) {
  uint64_t iterations = 300000, first = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    uint64_t value = strtoull(argv[i + 1], NULL, 0);
    if (strcmp(argv[i], "--iterations") == 0) iterations = value;
    if (strcmp(argv[i], "--seed") == 0) seed = value;
    if (strcmp(argv[i], "--first") == 0) first = value;
  }
  signal(SIGABRT, say_where);
  signal(SIGSEGV, say_where);
  for (iteration = first; iteration < first + iterations; iteration++) {
    make_input();
    LLVMFuzzerTestOneInput(input, size);
  }
  printf("%llu inputs from %zu seeds, --seed %llu, %llu accepted\n", (unsigned long long)iterations, count(fuzz_seeds),
         (unsigned long long)seed, (unsigned long long)fuzz_accepted);
  return fuzz_accepted > iterations / 100 ? 0 : 1;
}
