// SPDX-License-Identifier: MIT
// Which thread am I? threadIdx, blockIdx, blockDim and gridDim, as the device sees them.
//
// Mirrors the four programs numba_cuda_test.py of "Basic Python implementation of GPU acceleration" that print
// threadIdx.x, blockIdx.x, blockDim.x and gridDim.x from gpu[2,4](), and the picture under their summary: each row a
// block, each column a thread.
//
// The document's programs print from the device, which promises no order of the lines. Here every thread writes its
// values to device memory, and the host prints them in the order of the blocks.
#include <inttypes.h>

#include "example.h"

static void print_listing(const char *name, const weft_thread_record *records, uint64_t count, size_t field_offset) {
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t *xyz = (const uint32_t *)((const char *)&records[i] + field_offset);
    printf("%s: %" PRIu32 "\n", name, xyz[0]);
  }
  putchar('\n');
}

static void print_picture(const weft_thread_record *records, uint64_t grid, uint64_t block) {
  char cell[32];
  printf("%10s", "");
  for (uint64_t t = 0; t < block; t++) {
    snprintf(cell, sizeof cell, "thread %" PRIu64, t);
    printf("  %10s", cell);
  }
  putchar('\n');
  for (uint64_t b = 0; b < grid; b++) {
    snprintf(cell, sizeof cell, "block %" PRIu64, b);
    printf("%-10s", cell);
    for (uint64_t t = 0; t < block; t++) {
      const weft_thread_record *r = &records[b * block + t];
      snprintf(cell, sizeof cell, "(%" PRIu32 ",%" PRIu32 ")", r->block_idx[0], r->thread_idx[0]);
      printf("  %10s", cell);
    }
    putchar('\n');
  }
}

int main(int argc, char **argv) {
  uint64_t grid = 2, block = 4;
  const example_option options[] = {
      {"--grid", &grid, 1, 1 << 20, "blocks in the grid"},
      {"--block", &block, 1, 1 << 20, "threads in a block"},
  };
  int status = example_arguments(argc, argv, "Prints what each thread of a launch sees.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_context *context = NULL;
  weft_thread_record *records = NULL;
  uint64_t count = 0;

  WEFT_TRY(weft_context_create(&context), done);
  WEFT_TRY(weft_introspect(&records, &count, context, WEFT_DIM3(grid), WEFT_DIM3(block)), done);
  REQUIRE(count == grid * block, "%" PRIu64 " records instead of %" PRIu64, count, grid * block);

  print_listing("threadIdx", records, count, offsetof(weft_thread_record, thread_idx));
  print_listing("blockIdx", records, count, offsetof(weft_thread_record, block_idx));
  print_listing("blockDim", records, count, offsetof(weft_thread_record, block_dim));
  print_listing("gridDim", records, count, offsetof(weft_thread_record, grid_dim));

  printf("Each row a block, each column a thread, each cell (blockIdx,threadIdx):\n");
  print_picture(records, grid, block);
  status = EXIT_SUCCESS;

done:
  weft_free(records);
  return example_close(&context, status);
}
