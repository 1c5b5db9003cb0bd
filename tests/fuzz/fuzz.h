// SPDX-License-Identifier: MIT
/// Fuzzing targets. Each is a file with LLVMFuzzerTestOneInput, for libFuzzer or for fuzz_driver.c. They make no OpenCL
/// call; only the targets with fuzz_fields.h do, which change the fields of a file that the library has written. The
/// initial inputs of a target are the files of corpus/TARGET, and the words of its language are in dict/TARGET.dict.
///
///     build/tests/fuzz/fuzz_view --iterations 1000000 --seed 7 --dict tests/fuzz/dict/view.dict tests/fuzz/corpus/view
///     build/tests/fuzz/fuzz_view --iterations 0 crash-1234       tries one input
///     build/tests/fuzz/libfuzzer_view -dict=tests/fuzz/dict/view.dict tests/fuzz/corpus/view      with clang
///
/// packaging/fuzz builds them with sanitizers and runs them all.
#ifndef WEFT_TESTS_FUZZ_H
#define WEFT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// The number of bytes in front of each input that choose dtypes and other parameters. fuzz_driver.c also tries random
/// ones.
extern const size_t fuzz_head;

/// The number of valid inputs; zero would mean that nothing is tested.
extern uint64_t fuzz_accepted;

/// Reports a violated assertion with the text, and aborts.
_Noreturn static inline void fuzz_fail(const char *what, const char *text) {
  fprintf(stderr, "fuzz: %s\n%s\n", what, text);
  abort();
}

#endif
