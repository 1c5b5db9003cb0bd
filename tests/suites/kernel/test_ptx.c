// SPDX-License-Identifier: MIT
/// The edit of NVIDIA's PTX text. No device is used.
#include "harness.h"
#include "kernel/ptx.h"

static void edits(const char *ptx, const char *expected) {
  weft__text out = {0};
  ck_assert(weft__ptx_for_90a(&out, ptx));
  ck_assert_str_eq(weft__text_chars(&out), expected);
  weft__text_free(&out);
}

START_TEST(marks_become_instructions)
{
  edits("\t//90a wgmma.fence.sync.aligned;\n//90a a {%f1, %f2};\n", "wgmma.fence.sync.aligned;\na {%f1, %f2};\n");
  edits("\t// 90a is no mark\n\tadd.s32 a, b, c; //90a nor is this\n",
        "// 90a is no mark\nadd.s32 a, b, c; //90a nor is this\n");
}
END_TEST

START_TEST(target_is_90a)
{
  edits(".version 8.8\n.target sm_90\n", ".version 8.8\n.target sm_90a\n");
  edits(".target sm_90, texmode_independent\n", ".target sm_90a, texmode_independent\n");
  edits(".target sm_90a\n.target sm_80\n", ".target sm_90a\n.target sm_80\n");
}
END_TEST

START_TEST(kernels_have_a_block_on_a_multiprocessor)
{
  edits(".entry f()\n.reqntid 384, 1, 1\n{\nret;\n}\n",
        ".entry f()\n.reqntid 384, 1, 1\n.minnctapersm 1\n{\nret;\n}\n");
}
END_TEST

START_TEST(text_may_end_anywhere)
{
  edits("", "");
  edits("//90a x", "x");
  edits("\n\n  ", "\n\n");
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "ptx");
  tcase_add_test(tc, marks_become_instructions);
  tcase_add_test(tc, target_is_90a);
  tcase_add_test(tc, kernels_have_a_block_on_a_multiprocessor);
  tcase_add_test(tc, text_may_end_anywhere);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "ptx", .add = add, .host_only = true});
}
