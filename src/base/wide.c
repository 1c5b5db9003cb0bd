// SPDX-License-Identifier: MIT
#include "base/wide.h"

atomic_int weft__most_width = 2;
