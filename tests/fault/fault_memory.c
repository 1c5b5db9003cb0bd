// SPDX-License-Identifier: MIT
// Fails every host-memory allocation of the library one by one, and from each one on.
#include "fault_programs.h"

static const fault_survivor survivors[] = {
    {.function = NULL},
};

int main(int argc, char **argv) {
  static const fault_suite suite = {
      .name = "fault_memory", .programs = fault_programs, .survivors = survivors, .heap = &fault_heap};
  return fault_main(&suite, argc, argv);
}
