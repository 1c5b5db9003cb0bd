// SPDX-License-Identifier: MIT
/// Targets for fuzzing: each is a file with LLVMFuzzerTestOneInput, for libFuzzer or for fuzz_driver.c, which changes
/// the seeds itself. They make no OpenCL call.
///
///     build/tests/fuzz/fuzz_expression --iterations 1000000 --seed 7
///     build/tests/fuzz/libfuzzer_expression -max_total_time=300        where the compiler is clang and has libFuzzer
#ifndef WEFT_TESTS_FUZZ_H
#define WEFT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// What the driver begins with, and words it puts in; ended by NULL. Before each seed go `fuzz_head` bytes that choose
/// dtypes and the like.
extern const char *const fuzz_seeds[];
extern const char *const fuzz_words[];
extern const size_t fuzz_head;

/// How many inputs were correct; none would mean that nothing is tested.
extern uint64_t fuzz_accepted;

/// Something does not hold that must: says so, with the text, and aborts.
_Noreturn void fuzz_fail(const char *what, const char *text);

#endif
