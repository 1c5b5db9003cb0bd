// SPDX-License-Identifier: MIT
/// A JSON validator (RFC 8259), as far as the tests need it.
#ifndef WEFT_TESTS_JSON_H
#define WEFT_TESTS_JSON_H

#include <stdbool.h>

bool is_json(const char *text);

#endif
