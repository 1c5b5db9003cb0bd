// SPDX-License-Identifier: MIT
// Times the kernels of vocabulary.cl through weft/cuda.clh: a line "name us" for each. vocabulary.py runs it.
#include <weft/weft.h>

#include "vocabulary.h"

static weft_context *context;
static weft_kernel *kernel;
static weft_array *out, *in;
static uint64_t n, most;

static void launch(const vocabulary_row *row) {
  const uint64_t blocks = row->blocks < most ? row->blocks : most;
  WEFT_CHECK(weft_launch(kernel, WEFT_DIM3(blocks), WEFT_DIM3(VOCABULARY_BLOCK), out, in, n, row->rounds));
}
static void wait_for_all(void) {
  WEFT_CHECK(weft_context_wait(context));
}
static weft_dtype dtype_of(char type) {
  return type == 'f' ? WEFT_F32 : type == 'd' ? WEFT_F64 : type == 'i' ? WEFT_I32 : type == 'u' ? WEFT_U32 : WEFT_U64;
}

int main(int argc, char **argv) {
  weft_device_info info;
  vocabulary_arguments(argc, argv, &n, &most);
  WEFT_CHECK(weft_context_default(&context));
  WEFT_CHECK(weft_context_get_device(&info, context));
  float *host = malloc(n * sizeof *host);
  if (!host) return EXIT_FAILURE;
  for (uint64_t i = 0; i < n; i++) host[i] = vocabulary_input(i);
  WEFT_CHECK(weft_from_host(&in, context, WEFT_F32, WEFT_SHAPE((int64_t)n), host));
  free(host);
  for (int k = 0; k < VOCABULARY_ROWS; k++) {
    const vocabulary_row *row = &vocabulary_rows[k];
    const bool is_wide = row->type == 'd' || row->type == 'l';
    if ((row->type == 'd' && !info.has_fp64) || (is_wide && !info.has_int64_atomics)) continue;
    WEFT_CHECK(weft_kernel_create(&kernel, context, .file = VOCABULARY_CL, .name = row->name));
    WEFT_CHECK(weft_zeros(&out, context, dtype_of(row->type), WEFT_SHAPE((int64_t)VOCABULARY_WORDS)));
    vocabulary_time(row, launch, wait_for_all);
    weft_release(&kernel, &out);
  }
  weft_release(&in);
  WEFT_CHECK(weft_context_close(&context));
  return EXIT_SUCCESS;
}
