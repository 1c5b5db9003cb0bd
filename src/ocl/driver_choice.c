// SPDX-License-Identifier: MIT
#include "ocl/driver.h"

const weft__driver_table *const weft__driver = &weft__opencl;
