// SPDX-License-Identifier: MIT
/// Calls of chains beyond the judge's: making, filling, writing and copying arrays, and expressions.
#ifndef WEFT_TESTS_CHAINS_CALL_ARRAY_H
#define WEFT_TESTS_CHAINS_CALL_ARRAY_H

#include "../judge/primitive.h"

/// A row without a name ends the table.
extern const call_row calls_of_array[];
/// Waits for the stream that the calls use.
weft_status wait_for_event(void);

#endif
