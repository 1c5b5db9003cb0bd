// SPDX-License-Identifier: MIT
// Checks numpy_random against NumPy: the bits of the first million numbers for three seeds, folded into one word.
// Recorded with NumPy 2.4:
//
//     np.random.seed(seed); x = np.random.rand(10**6)      # or randn
//     fold = 0xcbf29ce484222325
//     for bits in x.view('u8').tolist(): fold = (fold ^ bits) * 0x100000001b3 % 2**64
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "numpy_random.h"

static const struct {
  uint32_t seed;
  const char *name;
  double (*next)(numpy_random *);
  double first;
  uint64_t fold;
} cases[] = {
    {0, "rand", numpy_rand, 0.5488135039273248, 0xcc6f82d6c747eae3},
    {0, "randn", numpy_randn, 1.764052345967664, 0x01a9b41aa4e65015},
    {1, "rand", numpy_rand, 0.417022004702574, 0x89547667ff0b9fa6},
    {1, "randn", numpy_randn, 1.6243453636632417, 0x9388c3aa5495d4b0},
    {UINT32_MAX, "rand", numpy_rand, 0.0976320289940138, 0xe161b14c5fe4d232},
    {UINT32_MAX, "randn", numpy_randn, 0.6484086742306527, 0xb790fd596fa633ad},
};

int main(void) {
  int failed = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    numpy_random random;
    uint64_t fold = 0xcbf29ce484222325, bits;
    double first = 0;
    numpy_seed(&random, cases[i].seed);
    for (int k = 0; k < 1000000; k++) {
      double x = cases[i].next(&random);
      if (k == 0) first = x;
      memcpy(&bits, &x, sizeof bits);
      fold = (fold ^ bits) * 0x100000001b3;
    }
    if (first != cases[i].first || fold != cases[i].fold) {
      printf("seed %" PRIu32 ", %s: first number %.17g, fold %016" PRIx64 "; NumPy has %.17g, %016" PRIx64 "\n",
             cases[i].seed, cases[i].name, first, fold, cases[i].first, cases[i].fold);
      failed = 1;
    }
  }
  if (!failed) printf("6000000 numbers equal NumPy's\n");
  return failed;
}
