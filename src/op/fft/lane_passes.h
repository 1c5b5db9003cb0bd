// SPDX-License-Identifier: MIT
/// The passes of lanes.c for one dtype and one width of vectors. To define before including, beside what lane_types.h
/// needs: T, the dtype; NAME(name), the names of its passes.
typedef T NAME(vector) __attribute__((vector_size(BYTES), may_alias));
#define vector NAME(vector)
#define R 2
#define PASS(name) NAME(name##_2)
#define BUTTERFLY TWO
#include "op/fft/lane_pass.h"
#define R 3
#define PASS(name) NAME(name##_3)
#include "op/fft/lane_pass.h"
#define R 4
#define PASS(name) NAME(name##_4)
#define BUTTERFLY FOUR
#include "op/fft/lane_pass.h"
#define R 5
#define PASS(name) NAME(name##_5)
#include "op/fft/lane_pass.h"
#define R 7
#define PASS(name) NAME(name##_7)
#include "op/fft/lane_pass.h"
#define R 8
#define PASS(name) NAME(name##_8)
#define BUTTERFLY EIGHT
#include "op/fft/lane_pass.h"
#define R 11
#define PASS(name) NAME(name##_11)
#include "op/fft/lane_pass.h"
#define R 13
#define PASS(name) NAME(name##_13)
#include "op/fft/lane_pass.h"
#undef NAME
#undef T
#undef vector
