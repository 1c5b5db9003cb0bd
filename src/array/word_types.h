// SPDX-License-Identifier: MIT
/// The loops of word_loops.h for words of every size, of one width of vectors (base/each_width.h).
#define T word_1
#define NAME(name) WIDTH(name##_1)
#include "array/word_loops.h"
#define T word_2
#define NAME(name) WIDTH(name##_2)
#include "array/word_loops.h"
#define T word_4
#define NAME(name) WIDTH(name##_4)
#include "array/word_loops.h"
#define T word_8
#define NAME(name) WIDTH(name##_8)
#include "array/word_loops.h"
#define T word_16
#define NAME(name) WIDTH(name##_16)
#include "array/word_loops.h"

static const word_loops WIDTH(words)[] = {
    {WIDTH(run_1), WIDTH(repeat_1), WIDTH(pair_1), WIDTH(turn_1)},
    {WIDTH(run_2), WIDTH(repeat_2), WIDTH(pair_2), WIDTH(turn_2)},
    {WIDTH(run_4), WIDTH(repeat_4), WIDTH(pair_4), WIDTH(turn_4)},
    {WIDTH(run_8), WIDTH(repeat_8), WIDTH(pair_8), WIDTH(turn_8)},
    {WIDTH(run_16), WIDTH(repeat_16), WIDTH(pair_16), WIDTH(turn_16)},
};
