// SPDX-License-Identifier: MIT
/// Calls that chains make besides those the judge has: making, filling, writing and copying arrays, and expressions.
#ifndef WEFT_TESTS_CHAINS_CALL_ARRAY_H
#define WEFT_TESTS_CHAINS_CALL_ARRAY_H

#include "../judge/primitive.h"

/// Ends with a row without a name.
extern const call_row calls_of_array[];
/// Waits for what is on the stream that the calls use.
weft_status wait_for_event(void);

#endif
