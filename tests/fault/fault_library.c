// SPDX-License-Identifier: MIT
// Fails every driver call of the library one by one, and from each call on.
#include "fault_programs.h"
#include "fault_survivors.h"

static const fault_survivor survivors[] = {FAULT_SURVIVORS, {.function = NULL}};

int main(int argc, char **argv) {
  static const fault_suite suite = {.name = "fault_library", .programs = fault_programs, .survivors = survivors};
  return fault_main(&suite, argc, argv);
}
