// SPDX-License-Identifier: MIT
/// Fuzzing targets. Each is a file with LLVMFuzzerTestOneInput, for libFuzzer or for fuzz_driver.c, which mutates the
/// seeds itself. They make no OpenCL call.
///
///     build/tests/fuzz/fuzz_expression --iterations 1000000 --seed 7
///    build/tests/fuzz/libfuzzer_expression -max_total_time=300        if the compiler is clang with libFuzzer
#ifndef WEFT_TESTS_FUZZ_H
#define WEFT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Initial inputs, and words that the driver inserts; NULL ends each list. `fuzz_head` bytes in front of each seed
/// choose dtypes and other parameters.
extern const char *const fuzz_seeds[];
extern const char *const fuzz_words[];
extern const size_t fuzz_head;

/// The number of valid inputs; zero would mean that nothing is tested.
extern uint64_t fuzz_accepted;

/// Reports a violated assertion with the text, and aborts.
_Noreturn static inline void fuzz_fail(const char *what, const char *text) {
  fprintf(stderr, "fuzz: %s\n%s\n", what, text);
  abort();
}

#endif
