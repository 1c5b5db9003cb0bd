// SPDX-License-Identifier: MIT
/// The headers of users' kernels: #include, #pragma once, guards, __has_include, as C's preprocessor has them.
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

enum { MOST_FILES = 6 };

static char folder[] = "/tmp/weft-include-XXXXXX";

static void begin(void) {
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void end(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ck_assert_int_eq(system(command), 0);
}

static const char *path_of(const char *name) {
  static char path[4][200];
  static unsigned next;
  char *at = path[next++ % 4];
  snprintf(at, sizeof path[0], "%s/%s", folder, name);
  return at;
}

/// Writes a file and the folders before it.
static const char *write_file(const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s", path_of(name));
  for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = 0;
    mkdir(path, 0700);
  }
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
  return path_of(name);
}

/// What the kernel k writes.
static int run(const weft_kernel_params *params) {
  weft_kernel *kernel = NULL;
  weft_array *y = NULL;
  int value = -1;
  ok((weft_kernel_create)(&kernel, ctx, params));
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(1)));
  ok(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), y));
  ok(weft_to_host(&value, sizeof value, y));
  weft_release(&kernel, &y);
  return value;
}

#define K(value) "kernel void k(global int *y) { y[0] = " value "; }\n"
#define THREE "#define THREE 3\n"

/// A kernel's file and its headers. In `options` and `path` a % is the folder.
typedef struct example {
  const char *name, *kernel;
  struct {
    const char *name, *text;
  } file[MOST_FILES];
  int value;
  const char *path, *options;
} example;

static const example examples[] = {
    {"once",
     "#include \"a.h\"\n#include \"a.h\"\n" K("f()"),
     {{"a.h", "#pragma once\nint f(void) { return 7; }\n"}},
     .value = 7},
    {"once with blanks and comments",
     "#include \"a.h\"\n#include \"a.h\"\n" K("f()"),
     {{"a.h", "// why\n # /* a\n b */ pragma  once // c\nint f(void) { return 7; }\n"}},
     .value = 7},
    {"once under two names",
     "#include \"a.h\"\n#include \"l/../a.h\"\n" K("f()"),
     {{"a.h", "#pragma once\nint f(void) { return 7; }\n"}, {"l/b.h", ""}},
     .value = 7},
    {"once first seen where it is not compiled",
     "#ifdef NOT_THERE\n#include \"a.h\"\n#endif\n#include \"a.h\"\n" K("f()"),
     {{"a.h", "#pragma once\nint f(void) { return 7; }\n"}},
     .value = 7},
    {"once that is not compiled",
     "#define N 1\n#include \"a.h\"\n#undef N\n#define N 2\n#include \"a.h\"\n" K("f1() + f2()"),
     {{"a.h",
       "#if 0\n#pragma once\n#endif\n#define J(a, b) a##b\n#define I(a, b) J(a, b)\n"
       "int I(f, N)(void) { return N; }\n"}},
     .value = 3},
    {"once in a cycle",
     "#include \"a.h\"\n" K("A + B"),
     {{"a.h", "#pragma once\n#include \"b.h\"\n#define A 1\n"},
      {"b.h", "#pragma once\n#include \"a.h\"\n#define B 2\n"}},
     .value = 3},
    {"once in the kernel's file", "#pragma once\n" K("5"), {{0}}, .value = 5},
    {"guards in a cycle",
     "#include \"a.h\"\n" K("A + B"),
     {{"a.h", "#ifndef A_H\n#define A_H\n#include \"b.h\"\n#define A 1\n#endif\n"},
      {"b.h", "#if !defined(B_H)\n#define B_H 1\n#include \"a.h\"\n#define B 2\n#endif // B_H\n"}},
     .value = 3},
    {"a guard that is taken back",
     "#include \"a.h\"\n#undef A_H\n#undef N\n#define N 2\n#include \"a.h\"\n" K("f1() + f2()"),
     {{"a.h",
       "#ifndef A_H\n#define A_H\n#ifndef N\n#define N 1\n#endif\n#define J(a, b) a##b\n#define I(a, b) J(a, b)\n"
       "int I(f, N)(void) { return N; }\n#endif\n"}},
     .value = 3},
    {"a guard that an option defines",
     "#include \"a.h\"\n#ifndef A\n#define A 4\n#endif\n" K("A"),
     {{"a.h", "#ifndef A_H\n#define A_H\n#define A 1\n#endif\n"}},
     .value = 4,
     .options = "-DA_H"},
    {"guarded, seen first where the compiler decides",
     "#ifdef __OPENCL_NOT_THERE__\n#include \"a.h\"\n#endif\n#include \"a.h\"\n" K("A"),
     {{"a.h", "#ifndef A_H\n#define A_H\n#include \"b.h\"\n#endif\n"},
      {"b.h", "#ifndef B_H\n#define B_H\n#define A 6\n#endif\n"}},
     .value = 6},
    {"in the other branch",
     "#ifdef __OPENCL_VERSION__\n#include \"a.h\"\n#else\n#include \"b.h\"\n#endif\n" K("A"),
     {{"a.h", "#ifndef A_H\n#define A_H\n#define A 6\n#endif\n"}, {"b.h", "#define A 7\n"}},
     .value = 6},
    {"text after a guard",
     "#include \"a.h\"\n#include \"a.h\"\n" K("N"),
     {{"a.h", "#ifndef A_H\n#define A_H\n#define N 1\n#else\n#undef N\n#define N 2\n#endif\n"}},
     .value = 2},
    {"a file includes itself",
     "#ifndef PASS\n#define PASS\n#include \"k.cl\"\n" K("three()") "#else\n"
                                                                    "int three(void) { return 3; }\n#endif\n",
     {{0}},
     .value = 3},
    {"a file includes itself by name",
     "#include \"a.h\"\n" K("a() + b()"),
     {{"a.h",
       "#ifndef PASS\n#define PASS\n#include __FILE__\nint a(void) { return 1; }\n#else\nint b(void) { return 2; "
       "}\n#endif\n"}},
     .value = 3},
    {"a file counts itself",
     "#include \"l/a.h\"\n" K("f0() + f1() + f2()"),
     {{"l/a.h",
       "#ifndef N\n#define N 0\n#elif N == 0\n#undef N\n#define N 1\n#else\n#undef N\n#define N 2\n#endif\n"
       "#define J(a, b) a##b\n#define I(a, b) J(a, b)\nint I(f, N)(void) { return N + 1; }\n"
       "#if N < 2\n#include \"a.h\"\n#endif\n"}},
     .value = 6},
    {"a list, twice",
     "int v(int i) {\n  int s = 0;\n#define X(n) s += n;\n#include \"list.def\"\n#undef X\n"
     "#define X(n) s += 10 * n;\n#include \"list.def\"\n#undef X\n  return s + i;\n}\n" K("v(0)"),
     {{"list.def", "X(1)\nX(2)\n"}},
     .value = 33},
    {"neighbours",
     "#include \"lib/a.h\"\n" K("A"),
     {{"lib/a.h", "#include \"b.h\"\n#include \"deep/c.h\"\n#define A (B + C)\n"},
      {"lib/b.h", "#define B 4\n"},
      {"lib/deep/c.h", "#include \"../d.h\"\n#include \"b.h\"\n#define C (D + E)\n"},
      {"lib/d.h", "#define D 10\n"},
      {"lib/deep/b.h", "#define E 100\n"},
      {"b.h", "#error the wrong one\n"}},
     .value = 114},
    {"a neighbour of a folder of the list",
     "#include <a.h>\n" K("A"),
     {{"inc/a.h", "#include \"sub/b.h\"\n#define A B\n"},
      {"inc/sub/b.h", "#include \"c.h\"\n#define B C\n"},
      {"inc/sub/c.h", "#define C 8\n"}},
     .value = 8,
     .path = "%/inc"},
    {"names of Weft's own sources",
     "#include \"shared.h\"\n#include \"core.cl\"\n#include \"math/exp.clh\"\n#include <warp.clh>\n" K("A + B + C + D"),
     {{"shared.h", "#define A 1\n"},
      {"core.cl", "#define B 2\n"},
      {"math/exp.clh", "#define C 3\n"},
      {"inc/warp.clh", "#define D 4\n"}},
     .value = 10,
     .path = "%/inc"},
    {"Weft's headers and one's own called weft/",
     "#include <weft/cuda.clh>\n#include \"weft/prelude.clh\"\n#include \"weft/mine.h\"\n" K("blockDim.x + MINE"),
     {{"weft/mine.h", "#define MINE 5\n"}, {"weft/prelude.clh", "#error not this one\n"}},
     .value = 6},
    {"the list of folders",
     "#include \"a.h\"\n#include <b.h>\n#include \"c.h\"\n" K("A + B + C"),
     {{"one/a.h", "#define A 1\n"},
      {"two/a.h", "#error the second\n"},
      {"two/b.h", "#define B 2\n"},
      {"three/c.h", "#define C 4\n"}},
     .value = 7,
     .path = "%/one:%/two/::%/three"},
    {"-I",
     "#include <a.h>\n#include \"b.h\"\n" K("A + B"),
     {{"one/a.h", "#define A 1\n"}, {"two/b.h", "#define B 2\n"}, {"three/b.h", "#error the later one\n"}},
     .value = 3,
     .options = "-I %/one -cl-mad-enable -I%/two -DX=1 -I %/three"},
    {"-I of a folder whose name has a colon",
     "#include <a.h>\n" K("A"),
     {{"one:two/a.h", "#define A 1\n"}, {"two/a.h", "#error the other one\n"}},
     .value = 1,
     .options = "-I%/one:two"},
    {"in comments",
     "/* no more:\n#include \"a.h\"\n*/\n// \\\n#include \"a.h\"\n" K("7") "/*\n#include \"a.h\"\n*/ // /*\n",
     {{"a.h", "/* a */ #error\n*/\n"}},
     .value = 7},
    {"comment signs in strings",
     "constant char s[] = \"/*\"; constant char c = '\"';\n#include \"a.h\"\n"
     "constant char t[] = \"*/ // \\\" /*\";\n" K("A"),
     {{"a.h", "#define A 7\n"}},
     .value = 7},
    {"comments in directives",
     "/* a */ # /* b */ include /* c */ \"a.h\" // d\n/* x\n y */ #include <a.h> /* z\n */\n" K("A"),
     {{"a.h", "#define A 7\n"}},
     .value = 7,
     .path = "%"},
    {"continued lines",
     "#inc\\\nlude \\\n  \"a.h\"\n#define A_B \\\n  A\n#pra\\\r\ngma once\n" K("A_B"),
     {{"a.h", "#define A \\\n 7\n"}},
     .value = 7},
    {"ends of lines as in DOS",
     "#include \"a.h\"\r\n#include <b.h>\r\n" K("A + B"),
     {{"a.h", "#pragma once\r\n#define A 7\r\n"}, {"b.h", "#ifndef B\r\n#define B 2\r\n#endif\r\n"}},
     .value = 9,
     .path = "%"},
    {"digraph", "%:include \"a.h\"\n%:define B A\n" K("B"), {{"a.h", "%:define A 7\n"}}, .value = 7},
    {"no comment in a name",
     "#include <l//a.h>\n#include \"l/*/b.h\"\n" K("A + B"),
     {{"l/a.h", THREE "#define A 1\n"}, {"l/*/b.h", "#define B 2 //*/\n"}},
     .value = 3,
     .path = "%"},
    {"byte order marks",
     "\xef\xbb\xbf#include \"a.h\"\n" K("A"),
     {{"a.h", "\xef\xbb\xbf#pragma once\n#define A 7\n"}},
     .value = 7},
    {"a file without an end of line", "#include \"a.h\"\n" K("A"), {{"a.h", "#define A 7"}}, .value = 7},
    {"a file that ends in a continued line", "#include \"a.h\"\n" K("A"), {{"a.h", "#define A 7 \\"}}, .value = 7},
    {"empty files", "#include \"a.h\"\n#include \"b.h\"\n" K("7"), {{"a.h", ""}, {"b.h", "\n\n"}}, .value = 7},
    {"a macro as name",
     "#define NAME \"a.h\"\n#include NAME\n#define OTHER <inc/b.h>\n#define ONE OTHER\n#include ONE // c\n" K("A + B"),
     {{"a.h", "#define A 1\n"}, {"inc/b.h", "#define B 2\n"}},
     .value = 3,
     .path = "%"},
    {"a macro with parameters as name",
     "#define STR(x) #x\n#define NAME(x) STR(x.h)\n#include NAME(a)\n#include NAME(l/b)\n" K("A + B"),
     {{"a.h", "#define A 1\n"}, {"l/b.h", "#define B 2\n"}},
     .value = 3},
    {"a name by an option",
     "#include NAME\n" K("A"),
     {{"a.h", "#define A 7\n"}},
     .value = 7,
     .options = "-DNAME=<a.h> -I %"},
    {"__has_include",
     "#if __has_include(\"a.h\") && !__has_include(\"no.h\") && __has_include( <b.h> )\n#include "
     "\"a.h\"\n#else\n#error\n#endif\n"
     "#if defined(__has_include) && \\\n  __has_include(\"no.h\")\n#include \"no.h\"\n#elif "
     "__has_include(\"inc/b.h\")\n#define B 2\n#endif\n" K("A + B"),
     {{"a.h", "#define A 1\n"}, {"inc/b.h", ""}},
     .value = 3,
     .path = "%/inc"},
    {"__has_include of a neighbour",
     "#include \"l/a.h\"\n" K("A"),
     {{"l/a.h", "#if __has_include(\"b.h\")\n#define A 7\n#endif\n"}, {"l/b.h", ""}},
     .value = 7},
    {"__has_include with a macro",
     "#define NAME \"a.h\"\n#if __has_include(NAME)\n#include NAME\n#endif\n" K("A"),
     {{"a.h", "#define A 7\n"}},
     .value = 7},
    {"not compiled, not there",
     "#if 0\n#include \"no.h\"\n#include NO\n it's /* no comment\n#elif 1\n#define A 7\n#else\n#include "
     "<no.h>\n#endif\n" K("A"),
     {{0}},
     .value = 7},
    {"conditions",
     "#define V 203\n#define AT_LEAST(a, b) (V >= (a) * 100 + (b))\n#if AT_LEAST(2, 3) && (V & 1) == 1 && ~V != -V && "
     "V % 7 == 0\n"
     "#include \"a.h\"\n#elif V > 1 ? 1 : 0\n#include \"no.h\"\n#endif\n" K("A"),
     {{"a.h", "#define A 7\n"}},
     .value = 7},
};

static void fill(char *out, size_t room, const char *text) {
  size_t length = 0;
  for (; *text; text++)
    length += (size_t)snprintf(out + length, room - length, *text == '%' ? "%s" : "%.1s", *text == '%' ? folder : text);
  out[length] = 0;
}

static void try_example(const example *e) {
  char path[400], options[400], file[200];
  begin();
  for (int k = 0; k < MOST_FILES && e->file[k].name; k++) write_file(e->file[k].name, e->file[k].text);
  snprintf(file, sizeof file, "%s", write_file("k.cl", e->kernel));
  fill(path, sizeof path, e->path ? e->path : "");
  fill(options, sizeof options, e->options ? e->options : "");
  weft_kernel *kernel = NULL;
  const weft_kernel_params params = {
      .file = file, .include_path = e->path ? path : NULL, .options = e->options ? options : NULL};
  const weft_status rc = (weft_kernel_create)(&kernel, ctx, &params);
  if (rc) ck_abort_msg("%s: %s\n%s", e->name, weft_error_last()->message, weft_error_last()->detail);
  weft_release(&kernel);
  const int value = run(&params);
  if (value != e->value) ck_abort_msg("%s: %d, expected %d", e->name, value, e->value);
  harness_count(1);
  end();
}

START_TEST(headers)
{
  for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) try_example(&examples[k]);
}
END_TEST

/// Each header includes the next one twice: the text has each once.
START_TEST(cost_is_linear)
{
  static const char *const forms[] = {"#pragma once\n%s#define V%d 1\n",
                                      "#ifndef H%2$d\n#define H%2$d\n%1$s#define V%2$d 1\n#endif\n"};
  for (int form = 0; form < 2; form++) {
    begin();
    for (int k = 0; k < 60; k++) {
      char name[20], text[300], lines[150];
      snprintf(name, sizeof name, "h%d.h", k);
      snprintf(lines, sizeof lines, k == 59 ? "" : "#include \"h%d.h\"\n#include \"h%d.h\"\n#include \"h%d.h\"\n",
               k + 1, k < 58 ? k + 2 : 59, k + 1);
      snprintf(text, sizeof text, forms[form], lines, k);
      write_file(name, text);
    }
    const char *file =
        write_file("k.cl", "#ifdef cl_khr_fp64\n#include \"h1.h\"\n#endif\n#include \"h0.h\"\n" K("V0 + V59"));
    ck_assert_int_eq(run(&(weft_kernel_params){.file = file}), 2);
    end();
  }
}
END_TEST

START_TEST(a_changed_header_is_built_again)
{
  static const char *const lines[] = {"#include \"inc/v.h\"\n", "#include <v.h>\n", "#define N <v.h>\n#include N\n",
                                      "#include \"first.h\"\n", "#if __has_include(<v.h>)\n#include <v.h>\n#endif\n"};
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
    for (int by_option = 0; by_option < 2; by_option++) {
      char text[200], options[100], file[200];
      begin();
      write_file("first.h", "#include <v.h>\n");
      snprintf(text, sizeof text, "%s" K("V"), lines[k]);
      snprintf(file, sizeof file, "%s", write_file("k.cl", text));
      snprintf(options, sizeof options, by_option ? "-I %s/inc" : "%s/inc", folder);
      for (int v = 1; v <= 3; v++) {
        snprintf(text, sizeof text, "#define V %d\n", v);
        write_file("inc/v.h", text);
        ck_assert_int_eq(
            run(&(weft_kernel_params){
                .file = file, .include_path = by_option ? NULL : options, .options = by_option ? options : NULL}),
            v);
      }
      end();
    }
}
END_TEST

/// What is wrong in a header is an error at its own place, and takes nothing else in.
START_TEST(errors_in_headers)
{
  static const struct {
    const char *header, *says[2];
  } cases[] = {
      {"int g(void) { return 1; }\nint h(void) { return nope; }\n", {"l/a.h:2", "nope"}},
      {"#if 1\n#define A 1\n", {"ends in an #if"}},
      {"#define A 1\n/* open\n", {"ends in a comment"}},
      {"#define A 1\n#endif\n", {"belongs to no #if"}},
      {"#include \"a.h\"\n", {"more than 200 deep"}},
      {"#line 50 \"orig.in\"\n#include \"b.h\"\nint h(void) { return nope; }\n", {"orig.in:51", "nope"}},
      {"#define A 1\n#include \"no_such.h\"\n", {"no_such.h"}},
      {"__global__ void f(float *x) { *x = 1; }\n", {"hint: `__global__` is CUDA's"}},
      {"int g(float x) { return int(x); }\n", {"hint: `int(x)` is C++"}},
  };
  weft_kernel *kernel = NULL;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    begin();
    write_file("l/a.h", cases[k].header);
    write_file("l/b.h", "\n\n\n");
    const char *file = write_file("k.cl", "#include \"l/a.h\"\n" K("1"));
    ck_assert_int_eq(weft_kernel_create(&kernel, ctx, .file = file), WEFT_ERROR_BUILD);
    for (int i = 0; i < 2 && cases[k].says[i]; i++)
      if (!strstr(weft_error_last()->detail, cases[k].says[i]) && !strstr(weft_error_last()->message, cases[k].says[i]))
        ck_abort_msg("case %zu lacks `%s`: %s\n%s", k, cases[k].says[i], weft_error_last()->message,
                     weft_error_last()->detail);
    harness_count(1);
    end();
  }
  begin();
  FILE *zero = fopen(write_file("zero.h", ""), "w");
  ck_assert_ptr_nonnull(zero);
  fwrite("int a;\0int b;\n", 1, 14, zero);
  fclose(zero);
  const char *file = write_file("k.cl", "#include \"zero.h\"\n" K("1"));
  expect_error(weft_kernel_create(&kernel, ctx, .file = file), WEFT_ERROR_FILE, "zero.h", "zero byte", "line 1 of");
  end();
}
END_TEST

/// The user's part of a ufunc sees no more of Weft than a kernel does, though Weft's own text is around it.
START_TEST(parts_of_ufuncs)
{
  static const char *const names[] = {"shared.h", "core.cl", "math/exp.clh", "element.clh"};
  char was_in[500], line[60];
  ck_assert_ptr_nonnull(getcwd(was_in, sizeof was_in));
  begin();
  ck_assert_int_eq(chdir(folder), 0);
  for (int k = 0; k < 8; k++) {
    const bool in_body = k % 2;
    weft_ufunc *u = NULL;
    weft_array *x = NULL, *y = NULL;
    int value = 0;
    snprintf(line, sizeof line, "#include \"%s\"\n", names[k / 2]);
    char body[100];
    snprintf(body, sizeof body, "%sreturn SIX + x;", in_body ? line : "");
    const weft_ufunc_params params = {.signatures = "i32(i32 x)", .preamble = in_body ? NULL : line, .source = body};
    ok((weft_ufunc_create)(&u, &params));
    ok(weft_ones(&x, ctx, WEFT_I32, WEFT_SHAPE(1)));
    ck_assert_int_eq(weft_ufunc_call(u, &y, x), WEFT_ERROR_BUILD);
    write_file(names[k / 2], "#define SIX 6\n");
    ok(weft_ufunc_call(u, &y, x));
    ok(weft_to_host(&value, sizeof value, y));
    ck_assert_int_eq(value, 7);
    ck_assert_int_eq(remove(path_of(names[k / 2])), 0);
    weft_release(&u, &x, &y);
    harness_count(1);
  }
  ck_assert_int_eq(chdir(was_in), 0);
  end();
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "include");
  tcase_add_test(tc, headers);
  tcase_add_test(tc, cost_is_linear);
  tcase_add_test(tc, a_changed_header_is_built_again);
  tcase_add_test(tc, errors_in_headers);
  tcase_add_test(tc, parts_of_ufuncs);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "include", .add = add});
}
