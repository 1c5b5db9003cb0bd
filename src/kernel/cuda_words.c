// SPDX-License-Identifier: MIT
#include "kernel/cuda_words.h"

#include <string.h>

/// `words`: the names that share a hint, each between blanks.
static const struct {
  const char *words, *hint;
  bool is_in_prelude;
} table[] = {
    {" threadIdx blockIdx blockDim gridDim __syncthreads ",
     "comes with #include \"weft/prelude.clh\" at the top of the source", true},
    {" __global__ ", "is CUDA's: write `kernel void name(...)`, with pointers such as `global float *x`", false},
    {" __device__ __host__ __forceinline__ ", "is CUDA's: leave it out, or write `static inline`", false},
    {" __shared__ ", "is CUDA's: write `local`", false},
    {" __constant__ ", "is CUDA's: write `constant`", false},
    {" __restrict__ __restrict ", "is `restrict` in OpenCL C", false},
    {" __launch_bounds__ ", "is CUDA's: __attribute__((reqd_work_group_size(x, y, z))) fixes the block size", false},
    {" atomicAdd ", "is atomic_add in OpenCL C, for int and uint; for a float loop over atomic_cmpxchg on as_uint(x)",
     false},
    {" atomicSub ", "is atomic_sub in OpenCL C, for int and uint", false},
    {" atomicMin atomicMax ", "is atomic_min, atomic_max in OpenCL C, for int and uint", false},
    {" atomicInc atomicDec ",
     "is not OpenCL C's atomic_inc or atomic_dec, which have no bound: loop over atomic_cmpxchg", false},
    {" atomicAnd atomicOr atomicXor ", "is atomic_and, atomic_or, atomic_xor in OpenCL C", false},
    {" atomicExch ", "is atomic_xchg in OpenCL C", false},
    {" atomicCAS ", "is atomic_cmpxchg in OpenCL C", false},
    {" __threadfence ", "is mem_fence(CLK_GLOBAL_MEM_FENCE) in OpenCL C", false},
    {" __threadfence_block ", "is mem_fence(CLK_LOCAL_MEM_FENCE) in OpenCL C", false},
    {" __syncwarp __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync ",
     "is CUDA's: OpenCL C 1.2 has no warp functions; use local memory and __syncthreads()", false},
    {" __ldg ", "is CUDA's: read through a `global const` pointer", false},
    {" make_float2 make_float3 make_float4 make_int2 make_int3 make_int4 make_double2 ",
     "is written (float4)(x, y, z, w) in OpenCL C", false},
    {" sqrtf rsqrtf expf exp2f logf log2f log10f powf sinf cosf tanf fabsf fminf fmaxf floorf ceilf fmodf fmaf roundf ",
     "has no suffix f in OpenCL C: sqrt(x) of a float is a float", false},
    {" int8_t int16_t int32_t int64_t ", "is char, short, int or long in OpenCL C: their sizes are fixed", false},
    {" uint8_t uint16_t uint32_t uint64_t ", "is uchar, ushort, uint or ulong in OpenCL C: their sizes are fixed",
     false},
    {" template typename ", "is C++: use macros, which weft_kernel_params.defines can set", false},
    {" extern ", "is not needed before a kernel: OpenCL C does not mangle names", false},
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

void weft__cuda_words_hint(weft__text *out, const char *source, bool has_prelude) {
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
    if (row[k].state == FOUND && !(has_prelude && table[k].is_in_prelude))
      weft__text_add(out, "hint: `%.*s` %s\n", (int)row[k].length, row[k].word, table[k].hint);
}
