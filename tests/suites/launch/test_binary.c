// SPDX-License-Identifier: MIT
/// Kernels as bytes: weft_kernel_binary and back, from memory and from a file; damaged, foreign and invented bytes,
/// none of which reaches the driver; SPIR-V; lists of kernels.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "context/context.h"
#include "harness.h"
#include "kernel/names.h"

static const char TWO[] =
    "kernel void scale(global float *y, float a, int n) {\n  int i = get_global_id(0);\n  if (i < n) y[i] *= a;\n}\n"
    "kernel void shift(global float *y, float a, local float *room, int n) {\n  int i = get_global_id(0);\n"
    "  room[get_local_id(0)] = a;\n  if (i < n) y[i] += room[get_local_id(0)];\n}\n";

static char *binary_of(size_t *size) {
  weft_kernel *kernel = NULL;
  void *bytes = NULL;
  ok(weft_kernel_create(&kernel, ctx, .source = TWO, .name = "scale"));
  ok(weft_kernel_binary(&bytes, size, kernel));
  weft_release(&kernel);
  return bytes;
}

static void check_scale(weft_kernel *scale) {
  float got[8];
  weft_array *y = NULL;
  ok(weft_ones(&y, ctx, WEFT_F32, WEFT_SHAPE(8)));
  ok(weft_launch_n(scale, 8, y, 3.0f, 8));
  ok(weft_to_host(got, sizeof got, y));
  for (int k = 0; k < 8; k++) ck_assert_float_eq(got[k], 3);
  /* the parameters are known, though drivers do not report them of a binary */
  expect_error(weft_launch_n(scale, 8, y, 3, 8), WEFT_ERROR_KERNEL_ARGUMENT, "argument 1 `a`");
  expect_error(weft_launch_n(scale, 8, y, 3.0f), WEFT_ERROR_KERNEL_ARGUMENT, "scale takes 3 arguments, 2 are given");
  weft_release(&y);
}

START_TEST(there_and_back)
{
  size_t size, again_size;
  weft_kernel *scale = NULL, *shift = NULL;
  weft_kernel_info info;
  void *again = NULL;
  char path[] = "test_binary_XXXXXX", *bytes = binary_of(&size);
  ok(weft_kernel_create(&scale, ctx, .binary = bytes, .binary_bytes = size, .name = "scale"));
  check_scale(scale);
  ok(weft_kernel_create(&shift, ctx, .binary = bytes, .binary_bytes = size, .name = "shift"));
  ok(weft_kernel_get(&info, shift));
  ck_assert(info.was_cached && info.argument_count == 4);
  /* a binary of a binary keeps the parameters */
  ok(weft_kernel_binary(&again, &again_size, shift));
  weft_release(&scale, &shift);
  ok(weft_kernel_create(&scale, ctx, .binary = again, .binary_bytes = again_size, .name = "scale"));
  check_scale(scale);
  weft_release(&scale);
  const int file = mkstemp(path);
  ck_assert(file >= 0 && write(file, bytes, size) == (ssize_t)size);
  close(file);
  ok(weft_kernel_create(&scale, ctx, .file = path, .name = "scale"));
  check_scale(scale);
  expect_error(weft_kernel_create(&shift, ctx, .file = path), WEFT_ERROR_KERNEL_NAME, "scale, shift");
  unlink(path);
  weft_free(again);
  weft_free(bytes);
  weft_release(&scale);
  harness_count(4);
}
END_TEST

/// Every way to cut, and a changed bit in every part.
START_TEST(damaged_files)
{
  size_t size;
  weft_kernel *kernel = NULL;
  char *bytes = binary_of(&size), *damaged = malloc(size + 1);
  ck_assert_ptr_nonnull(damaged);
  for (size_t length = 1; length < size; length += length < 600 ? 1 : size / 97 + 1)
    expect_error(weft_kernel_create(&kernel, ctx, .binary = bytes, .binary_bytes = length, .name = "scale"),
                 WEFT_ERROR_ARGUMENT, "`binary` is no whole binary of weft_kernel_binary", "@binary");
  memcpy(damaged, bytes, size);
  damaged[size] = 0;
  expect_error(weft_kernel_create(&kernel, ctx, .binary = damaged, .binary_bytes = size + 1), WEFT_ERROR_ARGUMENT,
               "its length is not the one");
  for (size_t at = 0; at < size; at += at < 600 ? 1 : size / 97 + 1) {
    damaged[at] ^= 1 << at % 8;
    expect_error(weft_kernel_create(&kernel, ctx, .binary = damaged, .binary_bytes = size, .name = "scale"),
                 WEFT_ERROR_ARGUMENT, "no whole binary");
    damaged[at] = bytes[at];
    harness_count(1);
  }
  ok(weft_kernel_create(&kernel, ctx, .binary = damaged, .binary_bytes = size, .name = "scale"));
  weft_release(&kernel);
  free(damaged);
  weft_free(bytes);
}
END_TEST

/// A whole file of another driver, which only its text can tell.
START_TEST(foreign)
{
  static const char head[] = "device other\ndriver 1\nplatform nobody's\nkernel 0 k\n", code[] = "not a program";
  char file[400];
  weft_kernel *kernel = NULL;
  const uint64_t hash = weft__hash(code, sizeof code, weft__hash(head, sizeof head - 1, 1));
  int length = snprintf(file, sizeof file, "weft-binary 1 %016llx %zu %zu\n%s", (unsigned long long)hash,
                        sizeof head - 1, sizeof code, head);
  memcpy(file + length, code, sizeof code);
  expect_error(
      weft_kernel_create(&kernel, ctx, .binary = file, .binary_bytes = (size_t)length + sizeof code, .name = "k"),
      WEFT_ERROR_UNSUPPORTED, "made for another device or driver than this context's", "@binary");
  ck_assert_ptr_nonnull(strstr(weft_error_last()->detail, "made for:\ndevice other\ndriver 1\n"));
}
END_TEST

START_TEST(refused)
{
  size_t size;
  char *bytes = binary_of(&size);
  weft_kernel *kernel = NULL;
  const uint32_t words[] = {0x07230203, 0x00010000, 0, 10, 0, 0x00020011, 6, 0x0003000e, 0, 1};
  const char *const defines[] = {"N=1", NULL};
  expect_error(weft_kernel_create(&kernel, ctx, .source = TWO, .binary = bytes, .binary_bytes = size),
               WEFT_ERROR_ARGUMENT, "several sources are given; expected one of .source, .file, .binary and .il");
  expect_error(weft_kernel_create(&kernel, ctx, .binary = bytes), WEFT_ERROR_ARGUMENT, "`binary_bytes` is 0");
  expect_error(weft_kernel_create(&kernel, ctx, .binary = bytes, .binary_bytes = size, .defines = defines),
               WEFT_ERROR_ARGUMENT, "`.defines` are for a source");
  expect_error(weft_kernel_create(&kernel, ctx, .binary = "\177ELF\2\1\1", .binary_bytes = 7), WEFT_ERROR_ARGUMENT,
               "its first bytes are others");
  expect_error(weft_kernel_create(&kernel, ctx, .il = bytes, .il_bytes = size), WEFT_ERROR_ARGUMENT,
               "`il` is no SPIR-V", "@il");
  expect_error(weft_kernel_create(&kernel, ctx, .il = words, .il_bytes = sizeof words - 4), WEFT_ERROR_ARGUMENT,
               "`il` is no whole SPIR-V: the instruction at word 7 has 3 words of 2");
  /* whole, but without a kernel: an error of the device or of its compiler */
  const weft_status rc = weft_kernel_create(&kernel, ctx, .il = words, .il_bytes = sizeof words);
  ck_assert(rc != WEFT_OK && kernel == NULL);
  weft_free(bytes);
}
END_TEST

START_TEST(list)
{
  char *text = NULL;
  ok(weft_kernel_list(&text, ctx, .source = TWO));
  ck_assert_msg(
      strstr(text, "scale(float* y, float a, int n)\n") && strstr(text, "shift(float* y, float a, float* room"), "%s",
      text);
  weft_free(text);
  ok(weft_kernel_list(&text, ctx, .source = TWO, .name = "scale"));
  ck_assert_str_eq(text, "scale(float* y, float a, int n)\n");
  weft_free(text);
  expect_error(weft_kernel_list(&text, ctx, .source = "kernel void broken("), WEFT_ERROR_BUILD, "does not compile");
  ck_assert_ptr_null(text);
}
END_TEST

/// A name of 252 bytes is a kernel like any other; longer ones are refused where the driver could not take them.
START_TEST(long_names)
{
  weft_context_params params = {.device = getenv("WEFT_TEST_DEVICE")};
  for (int length = 250; length <= 300; length += length == 255 ? 45 : 1)
    for (int others = 0; others < 2; others++) {
      weft_context *c = NULL;
      weft_kernel *k = NULL;
      weft_array *x = NULL;
      char text[600], name[301];
      float got = 0;
      memset(name, 'k', sizeof name);
      name[length] = 0;
      snprintf(text, sizeof text,
               "kernel void %s(global float *x) { x[0] = 5; }\nkernel void other(global float *x) { "
               "x[0] = 5; }\n",
               name);
      ok((weft_context_create)(&c, &params));
      ok(weft_ones(&x, c, WEFT_F32, WEFT_SHAPE(1)));
      const weft_kernel_params of = {.source = text, .name = others ? "other" : name};
      if ((weft_kernel_create)(&k, c, &of) == WEFT_OK) {
        ok(weft_launch(k, WEFT_DIM3(1), WEFT_DIM3(1), x));
        ok(weft_to_host(&got, sizeof got, x));
        ck_assert(got == 5);
      } else {
        char is[30];
        ck_assert_int_gt(length, 252);
        snprintf(is, sizeof is, "has %d bytes", length);
        expect_error((weft_kernel_create)(&k, c, &of), WEFT_ERROR_UNSUPPORTED, is, "at most 252", "@name");
      }
      weft_release(&k, &x);
      ok(weft_context_close(&c));
      harness_count(1);
    }
}
END_TEST

/// Of a file the head names the kernels, of SPIR-V its instructions do; a file is given to the driver only with short
/// names.
START_TEST(long_names_of_code)
{
  size_t size, head_bytes, code_bytes;
  weft_kernel *kernel = NULL;
  const weft_context_params params = {.device = getenv("WEFT_TEST_DEVICE")};
  weft_context *c = NULL; /* one that has no program of the same code yet */
  char *bytes = binary_of(&size), *longer = calloc(1, size + 400), name[400];
  uint32_t words[5 + 3 + 80] = {0x07230203, 0x00010000, 0, 10, 0};
  weft__device fussy = *ctx->core.device;
  weft__core core = {.device = &fussy};
  ck_assert_ptr_nonnull(longer);
  ok((weft_context_create)(&c, &params));
  const char *head = strchr(bytes, '\n') + 1;
  ck_assert_int_eq(sscanf(bytes, "weft-binary 1 %*x %zu %zu", &head_bytes, &code_bytes), 2);
  const size_t before = (size_t)(strstr(head, "kernel 3 scale") + 9 - head);
  for (size_t length = 254; length > 250; length--) { /* a program of the same code would be found */
    memset(name, 'k', length);
    name[length] = 0;
    char *at = longer + 100;
    memcpy(at, head, before);
    memcpy(at + before, name, length);
    memcpy(at + before + length, head + before + 5, head_bytes + code_bytes - before - 5);
    const size_t rest = head_bytes + code_bytes + length - 5;
    char line[100];
    const int first = snprintf(line, sizeof line, "weft-binary 1 %016llx %zu %zu\n",
                               (unsigned long long)weft__hash(at + head_bytes + length - 5, code_bytes,
                                                              weft__hash(at, head_bytes + length - 5, 1)),
                               head_bytes + length - 5, code_bytes);
    memcpy(at - first, line, (size_t)first);
    if (length > 252 && ctx->core.device->quirks.short_names)
      expect_error(
          weft_kernel_create(&kernel, c, .binary = at - first, .binary_bytes = (size_t)first + rest, .name = "shift"),
          WEFT_ERROR_UNSUPPORTED, "expected at most 252 for", "@name");
    else
      ok(weft_kernel_create(&kernel, c, .binary = at - first, .binary_bytes = (size_t)first + rest, .name = "shift"));
    weft_release(&kernel);

    memset(words + 5, 0, sizeof words - 5 * sizeof *words);
    words[5] = 83u << 16 | 15u;
    memcpy(words + 8, name, length);
    const weft__code il = {.bytes = words, .size_bytes = sizeof words, .is_il = true};
    fussy.quirks.short_names = false;
    ok(weft__names_check_code(&core, "m.spv", &il));
    fussy.quirks.short_names = true;
    if (length > 252)
      expect_error(weft__names_check_code(&core, "m.spv", &il), WEFT_ERROR_UNSUPPORTED, "` in m.spv has", "@name");
    else
      ok(weft__names_check_code(&core, "m.spv", &il));
    harness_count(2);
  }
  free(longer);
  weft_free(bytes);
  ok(weft_context_close(&c));
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "binary");
  tcase_add_test(tc, there_and_back);
  tcase_add_test(tc, damaged_files);
  tcase_add_test(tc, foreign);
  tcase_add_test(tc, refused);
  tcase_add_test(tc, list);
  tcase_add_test(tc, long_names);
  tcase_add_test(tc, long_names_of_code);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "binary", .add = add});
}
