// SPDX-License-Identifier: MIT
// Every call of the driver that the library makes fails, one by one, and from each on.
#include "fault_programs.h"
#include "fault_survivors.h"

static const fault_survivor survivors[] = {FAULT_SURVIVORS, {.function = NULL}};

int main(int argc, char **argv) {
  static const fault_suite suite = {.name = "fault_library", .programs = fault_programs, .survivors = survivors};
  return fault_main(&suite, argc, argv);
}
