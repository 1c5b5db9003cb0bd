// SPDX-License-Identifier: MIT
#include "kernel/cuda_words.h"

#include <string.h>

typedef enum header { NO_HEADER, PRELUDE, CUDA, HEADERS } header;

/// Embedded headers that define words, and the lines that include them.
static const char *const includes[HEADERS] = {
    [PRELUDE] = "#line 1 \"weft/prelude.clh\"", [CUDA] = "#line 1 \"weft/cuda.clh\""};

/// `words`: the names that share a hint, each between blanks. A header's words need no hint where it is included.
static const struct {
  const char *words, *hint;
  header header;
} table[] = {
    {" threadIdx blockIdx blockDim gridDim __syncthreads ",
     "comes with #include \"weft/prelude.clh\" at the top of the source", PRELUDE},
    {" atomicAdd atomicSub atomicMin atomicMax atomicInc atomicDec atomicAnd atomicOr atomicXor atomicExch atomicCAS "
     "__shared__ __device__ __host__ __forceinline__ __noinline__ __restrict__ __constant__ __launch_bounds__ "
     "__align__ "
     "__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync __activemask "
     "__syncwarp warpSize cuda_laneid cuda_grid cuda_gridsize WEFT_GRID_STRIDE WEFT_BLOCK_ROOM WEFT_ROOM "
     "__threadfence __threadfence_block __threadfence_system __ldg "
     "__popc __popcll __ffs __ffsll __clz __clzll __brev __brevll __mulhi __umulhi __mul24 __umul24 "
     "__float_as_int __float_as_uint __int_as_float __uint_as_float __expf __logf __sinf __cosf __powf __fdividef "
     "make_float2 make_float3 make_float4 make_int2 make_int3 make_int4 make_uint2 make_uint3 make_uint4 make_double2 "
     "sqrtf rsqrtf expf exp2f logf log2f log10f powf sinf cosf tanf tanhf fabsf fminf fmaxf floorf ceilf fmodf fmaf "
     "roundf rintf truncf hypotf atan2f erff "
     "weft_warp_sum weft_warp_min weft_warp_max weft_warp_scan weft_block_sum weft_block_min weft_block_max "
     "weft_block_scan weft_load_f16 weft_store_f16 weft_grid_sync ",
     "needs #include \"weft/cuda.clh\" at the top of the source", CUDA},
    {" __global__ ", "is CUDA's: write `kernel void name(...)`, with pointers such as `global float *x`", NO_HEADER},
    {" __restrict ", "is `restrict` in OpenCL C", NO_HEADER},
    {" int8_t int16_t int32_t int64_t ", "is char, short, int or long in OpenCL C: their sizes are fixed", NO_HEADER},
    {" uint8_t uint16_t uint32_t uint64_t ", "is uchar, ushort, uint or ulong in OpenCL C: their sizes are fixed",
     NO_HEADER},
    {" template typename ", "is C++: use macros, which weft_kernel_params.defines can set", NO_HEADER},
    {" extern ",
     "is not needed before a kernel: OpenCL C does not mangle names. Shared memory whose size the launch gives is a "
     "parameter: `local float *s`, and WEFT_LOCAL(bytes)",
     NO_HEADER},
};
/// Names that the compiler misses in the code of a macro, or on this device.
static const struct {
  header header;
  const char *name, *hint;
} missing[] = {
    {PRELUDE, "weft__asserts",
     "WEFT_ASSERT needs the parameter WEFT_ASSERTS, the last of the kernel, and of each function that asserts, whose "
     "argument is weft_asserts"},
    {CUDA, "weft_room",
     "warp and block functions need local memory: write WEFT_BLOCK_ROOM(threads); at the top of the kernel; "
     "`__device__` functions take a parameter WEFT_ROOM, whose argument is weft_room"},
    {CUDA, "weft_grid_sync",
     "weft_grid_sync exists only where WEFT_GRID_SYNC is defined: this device may run blocks one after the other, so "
     "make it two launches"},
};
enum { ROWS = sizeof table / sizeof *table, LONGEST = 32 };

static bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Returns the end of a comment or string that begins at `at`, else `at`.
static const char *skip(const char *at) {
  if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
  if (at[0] == '/' && at[1] == '*') {
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
  }
  if (*at != '"' && *at != '\'') return at;
  for (const char *end = at + 1; *end && *end != '\n'; end++) {
    if (*end == *at) return end + 1;
    if (*end == '\\' && end[1]) end++;
  }
  return at + 1;
}

static int find_row(const char *word, size_t length) {
  char wanted[LONGEST + 3];
  if (length > LONGEST) return -1;
  wanted[0] = ' ';
  memcpy(wanted + 1, word, length);
  memcpy(wanted + 1 + length, " ", 2);
  for (int k = 0; k < ROWS; k++)
    if (strstr(table[k].words, wanted)) return k;
  return -1;
}

static void hint_words(weft__text *out, const char *source, const char *expanded) {
  enum { NONE, FOUND, DEFINED };
  struct {
    int state;
    const char *word;
    size_t length;
  } row[ROWS] = {{NONE, NULL, 0}};
  bool defines = false; /* the previous word is `define` */
  for (const char *at = source, *behind; *at; at = behind) {
    behind = skip(at);
    if (behind > at) continue;
    while (is_of_word(*behind)) behind++;
    size_t length = (size_t)(behind - at);
    if (length == 0) {
      behind++;
      continue;
    }
    int k = find_row(at, length);
    if (k >= 0 && row[k].state != DEFINED) {
      if (row[k].state == NONE) {
        row[k].word = at;
        row[k].length = length;
      }
      row[k].state = defines ? DEFINED : FOUND;
    }
    defines = length == strlen("define") && memcmp(at, "define", length) == 0;
  }
  for (int k = 0; k < ROWS; k++)
    if (row[k].state == FOUND && !(table[k].header && strstr(expanded, includes[table[k].header])))
      weft__text_add(out, "hint: `%.*s` %s\n", (int)row[k].length, row[k].word, table[k].hint);
}

void weft__cuda_words_hint(weft__text *out, const char *source, const char *expanded, const char *log) {
  hint_words(out, source, expanded);
  for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
    if (strstr(expanded, includes[missing[k].header]) && strstr(log, missing[k].name))
      weft__text_add(out, "hint: %s\n", missing[k].hint);
}
