// SPDX-License-Identifier: MIT
// The demos threadIdx, blockIdx, blockDim and gridDim: each thread records its indices, and the records are read back
// and printed block by block.
#include <stddef.h>
#include <string.h>

#include "cli/command/demo.h"
#include "cli/base/options.h"
#include "cli/base/progress.h"

/// Names and offsets in a record; the four names of CUDA are the demos.
static const struct {
  const char *name;
  size_t offset;
} fields[] = {
    {"threadIdx", offsetof(weft_thread_record, thread_idx)},
    {"blockIdx", offsetof(weft_thread_record, block_idx)},
    {"blockDim", offsetof(weft_thread_record, block_dim)},
    {"gridDim", offsetof(weft_thread_record, grid_dim)},
    {"get_local_id", offsetof(weft_thread_record, local_id)},
    {"get_group_id", offsetof(weft_thread_record, group_id)},
    {"get_local_size", offsetof(weft_thread_record, local_size)},
    {"get_num_groups", offsetof(weft_thread_record, num_groups)},
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static const uint32_t *field_of(const weft_thread_record *record, int field) {
  return (const uint32_t *)((const char *)record + fields[field].offset);
}

/// Blocks to record per launch. Every launch runs the whole grid, so there should be few launches; every record takes
/// memory, so one launch cannot record all. 2^16 records (8 MiB) suffice for output that people read. A larger launch
/// records a 256th of its threads, at most 2^20 (128 MiB).
static uint64_t blocks_per_window(uint64_t blocks, uint64_t threads) {
  uint64_t records = blocks / 256 > (UINT64_C(1) << 20) / threads ? UINT64_C(1) << 20 : blocks * threads / 256;
  if (records < UINT64_C(1) << 16) records = UINT64_C(1) << 16;
  uint64_t per_window = records / threads;
  if (per_window == 0) per_window = 1;
  return per_window < blocks ? per_window : blocks;
}

static void add_record_json(weft__text *text, const weft_thread_record *record) {
  weft__text_add(text, "{");
  for (int i = 0; i < FIELD_COUNT; i++) {
    const uint32_t *v = field_of(record, i);
    weft__text_add(text, "\"%s\": [%u, %u, %u], ", fields[i].name, v[0], v[1], v[2]);
  }
  weft__text_add(text, "\"get_global_id\": [%llu, %llu, %llu], \"flat_id\": %llu}",
                 (unsigned long long)record->global_id[0], (unsigned long long)record->global_id[1],
                 (unsigned long long)record->global_id[2], (unsigned long long)record->flat_id);
}

int demo_index(const demo_run *run) {
  bool json = cli_flag(run->args, "--json");
  uint64_t blocks = demo_count(run->grid), threads = demo_count(run->block);
  weft_introspect_params window = {.block_count = blocks_per_window(blocks, threads)};
  weft_thread_record *records = NULL;
  weft__text line = {0};
  int field = 0, status = CLI_OK;
  while (strcmp(fields[field].name, run->name) != 0) field++;

  weft__text_add(&line, "demo %s", run->name);
  cli_progress_begin(weft__text_chars(&line), blocks, "blocks");
  while (window.first_block < blocks && !cli_output_failed()) {
    cli_progress_at(window.first_block, NULL);
    uint64_t count = 0, left = blocks - window.first_block;
    if (window.block_count > left) window.block_count = left;
    if (weft_introspect(&records, &count, run->context, run->grid, run->block, .first_block = window.first_block,
                        .block_count = window.block_count) != WEFT_OK) {
      status = cli_report(run->args);
      break;
    }
    /* Begin the output only now, after the first window has passed the library's checks. */
    if (json && window.first_block == 0) {
      weft__text_clear(&line);
      weft__text_add(&line, "{");
      demo_add_json(&line, run);
      weft__text_add(&line, ", \"records\": [");
      cli_print(weft__text_chars(&line));
    }
    for (uint64_t i = 0; i < count && !cli_output_failed(); i++) {
      weft__text_clear(&line);
      if (json) {
        weft__text_add(&line, "%s\n", window.first_block + i > 0 ? "," : "");
        add_record_json(&line, &records[i]);
      } else {
        weft__text_add(&line, "%s: ", run->name);
        demo_add_index(&line, run, field_of(&records[i], field));
        weft__text_add(&line, "\n");
      }
      cli_print(weft__text_chars(&line));
    }
    weft_free(records);
    records = NULL;
    window.first_block += window.block_count;
  }
  if (json && status == CLI_OK) cli_print("\n]}\n");
  weft__text_free(&line);
  return status;
}
