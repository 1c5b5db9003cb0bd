// SPDX-License-Identifier: MIT
#include "primitive.h"

const call_row calls_of_sort[] = {{NULL, NULL}};
