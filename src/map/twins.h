// SPDX-License-Identifier: MIT
/// The functions of one or two operands whose text means the same in C as in OpenCL C: map/twin.c makes loops of
/// them. src/expr/ufuncs.py writes this file from src/expr/ufunc_table.h: change the table.
///
/// X(function, dtype, operands, T, type of the result, text): T is the operands' type; integers are computed in U,
/// which does not overflow.
#ifndef WEFT_MAP_TWINS_H
#define WEFT_MAP_TWINS_H

// clang-format off
#define WEFT__TWINS_INTEGERS(X, D, T, U) \
  X(ADD, D, 2, T, T, (U)a + (U)b) \
  X(SUBTRACT, D, 2, T, T, (U)a - (U)b) \
  X(MULTIPLY, D, 2, T, T, (U)a * (U)b) \
  X(NEGATIVE, D, 1, T, T, (U)0 - (U)a) \
  X(SQUARE, D, 1, T, T, (U)a * (U)a) \
  X(EQUAL, D, 2, T, uint8_t, a == b) \
  X(NOT_EQUAL, D, 2, T, uint8_t, a != b) \
  X(LESS, D, 2, T, uint8_t, a < b) \
  X(LESS_EQUAL, D, 2, T, uint8_t, a <= b) \
  X(GREATER, D, 2, T, uint8_t, a > b) \
  X(GREATER_EQUAL, D, 2, T, uint8_t, a >= b) \
  X(LOGICAL_AND, D, 2, T, uint8_t, a && b) \
  X(LOGICAL_OR, D, 2, T, uint8_t, a || b) \
  X(LOGICAL_XOR, D, 2, T, uint8_t, (a != 0) != (b != 0)) \
  X(LOGICAL_NOT, D, 1, T, uint8_t, a == 0) \
  X(BITWISE_AND, D, 2, T, T, a & b) \
  X(BITWISE_OR, D, 2, T, T, a | b) \
  X(BITWISE_XOR, D, 2, T, T, a ^ b) \
  X(INVERT, D, 1, T, T, ~a)

#define WEFT__TWINS_FLOATS(X, D, T) \
  X(ADD, D, 2, T, T, a + b) \
  X(SUBTRACT, D, 2, T, T, a - b) \
  X(MULTIPLY, D, 2, T, T, a * b) \
  X(DIVIDE, D, 2, T, T, a / b) \
  X(NEGATIVE, D, 1, T, T, -a) \
  X(ABS, D, 1, T, T, fabs(a)) \
  X(FABS, D, 1, T, T, fabs(a)) \
  X(SQUARE, D, 1, T, T, a * a) \
  X(RECIPROCAL, D, 1, T, T, 1 / a) \
  X(EQUAL, D, 2, T, uint8_t, a == b) \
  X(NOT_EQUAL, D, 2, T, uint8_t, a != b) \
  X(LESS, D, 2, T, uint8_t, a < b) \
  X(LESS_EQUAL, D, 2, T, uint8_t, a <= b) \
  X(GREATER, D, 2, T, uint8_t, a > b) \
  X(GREATER_EQUAL, D, 2, T, uint8_t, a >= b) \
  X(LOGICAL_AND, D, 2, T, uint8_t, a != 0 && b != 0) \
  X(LOGICAL_OR, D, 2, T, uint8_t, a != 0 || b != 0) \
  X(LOGICAL_XOR, D, 2, T, uint8_t, (a != 0) != (b != 0)) \
  X(LOGICAL_NOT, D, 1, T, uint8_t, a == 0)

// clang-format on

#endif
