// SPDX-License-Identifier: MIT
/// A JSON reader that only says whether the text is JSON: RFC 8259, no more than is needed here.
#ifndef WEFT_TESTS_JSON_H
#define WEFT_TESTS_JSON_H

#include <stdbool.h>

bool is_json(const char *text);

#endif
