// SPDX-License-Identifier: MIT
// The driver without OpenCL, alone: its commands do what driver.h specifies, and it detects misuse.
#include "host_driver.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static weft__cl_platform platform;
static weft__cl_device device;
static weft__cl_context context;
static weft__cl_queue queue;

#define works(call) ck_assert_int_eq((call), 0)

static weft__cl_queue new_queue(bool records_times) {
  weft__cl_queue made;
  works(host_driver.queue_create(&made, context, device, records_times));
  return made;
}

static weft__cl_mem new_buffer(size_t size_bytes) {
  weft__cl_mem made;
  works(host_driver.buffer_create(&made, context, &(weft__buffer_params){.size_bytes = size_bytes}));
  return made;
}

static void open_all(void) {
  uint32_t count = 0;
  works(host_driver.platforms(&platform, 1, &count));
  works(host_driver.devices(&device, 1, &count, platform));
  works(host_driver.context_create(&context, platform, device));
  queue = new_queue(true);
}

static void close_all(void) {
  weft__release(queue);
  weft__release(context);
  ck_assert_int_eq(host_driver_alive(), 0);
}

static int enqueue(weft__command command) {
  if (!command.queue) command.queue = queue;
  return host_driver.enqueue(&command);
}

/* ---- its commands ---- */

START_TEST(has_one_device)
{
  uint32_t count = 7;
  size_t size = 0;
  char name[8];
  weft__device_facts facts;
  ck_assert(!host_driver.runs_kernels && !host_driver_sees_opencl());
  works(host_driver.platforms(NULL, 0, &count));
  ck_assert_uint_eq(count, 1);
  works(host_driver.text(name, sizeof name, &size, &(weft__text_of){.kind = WEFT__TEXT_DEVICE_NAME, .device = device}));
  ck_assert_str_eq(name, "host");
  ck_assert_uint_eq(size, sizeof "host");
  works(host_driver.device_facts(&facts, device, ""));
  ck_assert(facts.platform == platform && facts.memory_size_bytes == HOST_MEMORY_BYTES);
}
END_TEST

START_TEST(runs_commands_in_order)
{
  weft__cl_mem a = new_buffer(16), b = new_buffer(16);
  char got[17] = "", fresh = 0;
  works(enqueue(
      (weft__command){.kind = WEFT__COMMAND_READ, .mem = a, .size_bytes = 1, .host = &fresh, .blocking = true}));
  ck_assert_int_eq((unsigned char)fresh, 0xa5);
  works(enqueue((weft__command){.kind = WEFT__COMMAND_FILL, .mem = a, .size_bytes = 16, .word = '.' * 0x01010101u}));
  works(enqueue(
      (weft__command){.kind = WEFT__COMMAND_WRITE, .mem = a, .offset_bytes = 2, .size_bytes = 3, .host = "abc"}));
  works(enqueue((weft__command){
      .kind = WEFT__COMMAND_COPY, .mem = b, .from = a, .offset_bytes = 1, .from_offset_bytes = 2, .size_bytes = 14}));
  works(enqueue((weft__command){.kind = WEFT__COMMAND_FILL, .mem = b, .size_bytes = 1, .word = '!' * 0x01010101u}));
  works(enqueue((weft__command){.kind = WEFT__COMMAND_COPY, .mem = b, .from = b, .offset_bytes = 15, .size_bytes = 1}));
  works(enqueue((weft__command){.kind = WEFT__COMMAND_READ, .mem = b, .size_bytes = 16, .host = got}));
  weft__release(a); /* commands hold the objects they use */
  weft__release(b);
  works(host_driver.finish(queue));
  ck_assert_str_eq(got, "!abc...........!");
}
END_TEST

START_TEST(copies_rectangles)
{
  weft__cl_mem mem = new_buffer(64);
  char got[13] = "............";
  /* two slices of two rows of 3 bytes */
  weft__rect rect = {
      3, 2, 2, .offset_bytes = 5, .row_pitch = 8, .slice_pitch = 24, .host_row_pitch = 3, .host_slice_pitch = 6};
  works(enqueue((weft__command){.kind = WEFT__COMMAND_WRITE_RECT, .mem = mem, .host = "abcdefghijkl", .rect = &rect}));
  rect = (weft__rect){
      2, 1, 2, .offset_bytes = 5 + 8, .row_pitch = 24, .slice_pitch = 24, .host_row_pitch = 3, .host_slice_pitch = 6};
  works(enqueue(
      (weft__command){.kind = WEFT__COMMAND_READ_RECT, .mem = mem, .host = got, .rect = &rect, .blocking = true}));
  ck_assert_str_eq(got, "de....jk....");
  weft__release(mem);
}
END_TEST

START_TEST(begins_when_flushed)
{
  weft__cl_event event;
  weft__queue_info info;
  uint64_t start_ns, end_ns;
  int state;
  works(enqueue((weft__command){.kind = WEFT__COMMAND_MARKER, .event = &event}));
  for (int k = 0; k < 1000; k++) works(host_driver.event_state(&state, event));
  ck_assert_int_eq(state, 3);
  works(host_driver.flush(queue));
  works(host_driver.event_wait(event));
  works(host_driver.event_state(&state, event));
  ck_assert_int_eq(state, 0);
  works(host_driver.event_times(&start_ns, &end_ns, event));
  ck_assert(start_ns > 0 && start_ns <= end_ns);
  weft__release(event);
  weft__release(queue);
  queue = new_queue(false);
  works(host_driver.queue_info(&info, queue));
  ck_assert(info.context == context && info.device == device && !info.records_times && !info.out_of_order);
  works(enqueue((weft__command){.kind = WEFT__COMMAND_MARKER, .event = &event}));
  works(host_driver.finish(queue));
  ck_assert_int_ne(host_driver.event_times(&start_ns, &end_ns, event), 0);
  weft__release(event);
}
END_TEST

START_TEST(waits_for_other_queues)
{
  weft__cl_queue other = new_queue(false);
  weft__cl_mem mem = new_buffer(4);
  weft__cl_event written, after;
  char got[5] = "";
  int state;
  works(enqueue(
      (weft__command){.kind = WEFT__COMMAND_WRITE, .mem = mem, .size_bytes = 4, .host = "done", .event = &written}));
  works(enqueue((weft__command){.kind = WEFT__COMMAND_BARRIER, .queue = other, .after = written, .event = &after}));
  works(enqueue((weft__command){.kind = WEFT__COMMAND_READ, .queue = other, .mem = mem, .size_bytes = 4, .host = got}));
  weft__release(written);
  works(host_driver.flush(other));
  for (int k = 0; k < 1000; k++) works(host_driver.event_state(&state, after));
  ck_assert_int_gt(state, 0);
  works(host_driver.flush(queue));
  works(host_driver.finish(other));
  ck_assert_str_eq(got, "done");
  weft__release(after);
  weft__release(other);
  weft__release(mem);
}
END_TEST

static char *map(weft__cl_mem mem, bool read, bool write) {
  weft__command c = {.kind = WEFT__COMMAND_MAP,
                     .queue = queue,
                     .mem = mem,
                     .size_bytes = 4,
                     .blocking = true,
                     .read = read,
                     .write = write};
  works(host_driver.enqueue(&c));
  return c.host;
}

static void unmap(weft__cl_mem mem, char *host) {
  works(enqueue((weft__command){.kind = WEFT__COMMAND_UNMAP, .mem = mem, .host = host}));
}

static void expect_content(weft__cl_mem mem, const char *content) {
  char got[5] = "";
  works(
      enqueue((weft__command){.kind = WEFT__COMMAND_READ, .mem = mem, .size_bytes = 4, .host = got, .blocking = true}));
  ck_assert_str_eq(got, content);
}

START_TEST(maps)
{
  char own[] = "host";
  const weft__buffer_params params = {.kind = WEFT__BUFFER_AROUND, .size_bytes = 4, .host = own};
  const weft__buffer_params copied = {.kind = WEFT__BUFFER_COPIED, .size_bytes = 4, .host = own};
  for (int is_around = 0; is_around < 2; is_around++) {
    weft__cl_mem mem;
    works(host_driver.buffer_create(&mem, context, is_around ? &params : &copied));
    expect_content(mem, "host");
    works(enqueue((weft__command){.kind = WEFT__COMMAND_FILL, .mem = mem, .size_bytes = 2, .word = 'x' * 0x01010101u}));
    expect_content(mem, "xxst");
    ck_assert_str_eq(own, "host"); /* its own copy, until it is mapped */
    char *mapped = map(mem, true, true);
    ck_assert(memcmp(mapped, "xxst", 4) == 0);
    ck_assert((mapped == own) == (is_around == 1));
    mapped[3] = 'y';
    unmap(mem, mapped);
    expect_content(mem, "xxsy");
    mapped = map(mem, false, true);
    ck_assert_int_eq((unsigned char)*mapped, 0xa5);
    memcpy(mapped, "abcd", 4);
    unmap(mem, mapped);
    expect_content(mem, "abcd");
    weft__release(mem);
  }
}
END_TEST

START_TEST(has_parts)
{
  weft__cl_mem mem = new_buffer(512), part;
  weft__mem_info info;
  works(host_driver.sub_buffer_create(&part, mem, false, 256, 4));
  works(host_driver.mem_info(&info, part));
  ck_assert(info.context == context && info.size_bytes == 4 && info.is_buffer && !info.read_only);
  works(enqueue(
      (weft__command){.kind = WEFT__COMMAND_WRITE, .mem = mem, .offset_bytes = 256, .size_bytes = 4, .host = "part"}));
  works(weft__retain(part));
  weft__release(part);
  weft__release(mem);
  expect_content(part, "part");
  weft__release(part);
}
END_TEST

START_TEST(has_limits)
{
  weft__cl_mem mem[8];
  int count = 0, code = 0;
  ck_assert_int_eq(host_driver.buffer_create(&mem[0], context,
                                             &(weft__buffer_params){.size_bytes = (size_t)HOST_MAX_BUFFER_BYTES + 1}),
                   WEFT__CL_INVALID_BUFFER_SIZE);
  ck_assert_ptr_null(mem[0]);
  while (count < 8 && code == 0) {
    code = host_driver.buffer_create(&mem[count], context,
                                     &(weft__buffer_params){.size_bytes = HOST_MAX_BUFFER_BYTES - 1000});
    if (code == 0) count++;
  }
  ck_assert_int_eq(code, WEFT__CL_OUT_OF_DEVICE_MEMORY);
  ck_assert_int_eq(count, 2);
  while (count > 0) weft__release(mem[--count]);
  weft__release(new_buffer(HOST_MAX_BUFFER_BYTES));
}
END_TEST

/* ---- detected misuse, each of which ends the process ---- */

static void use_after_release(void) {
  weft__cl_mem mem = new_buffer(4);
  weft__release(mem);
  expect_content(mem, "");
}

static void released_twice(void) {
  weft__cl_mem mem = new_buffer(4);
  weft__release(mem);
  weft__release(mem);
}

static void other_kind(void) {
  host_driver.release(WEFT__CL_MEM, queue);
}

static void beyond_the_end(void) {
  enqueue((weft__command){.kind = WEFT__COMMAND_FILL, .mem = new_buffer(16), .offset_bytes = 8, .size_bytes = 9});
}

static void rectangle_beyond_the_end(void) {
  const weft__rect rect = {4, 2, 1, .row_pitch = 13, .slice_pitch = 26, .host_row_pitch = 4, .host_slice_pitch = 8};
  enqueue((weft__command){.kind = WEFT__COMMAND_WRITE_RECT, .mem = new_buffer(16), .host = "abcdefgh", .rect = &rect});
}

static void overlapping_copy(void) {
  weft__cl_mem mem = new_buffer(16);
  enqueue((weft__command){.kind = WEFT__COMMAND_COPY, .mem = mem, .from = mem, .offset_bytes = 7, .size_bytes = 8});
}

static void misplaced_part(void) {
  weft__cl_mem part;
  host_driver.sub_buffer_create(&part, new_buffer(512), false, 4, 4);
}

static void use_of_what_is_mapped(void) {
  weft__cl_mem mem = new_buffer(4);
  map(mem, true, true);
  expect_content(mem, "");
}

static void released_while_mapped(void) {
  weft__cl_mem mem = new_buffer(4);
  map(mem, true, true);
  weft__release(mem);
}

static void unmap_of_nothing(void) {
  char own[4];
  unmap(new_buffer(4), own);
}

static void launch(void) {
  enqueue((weft__command){.kind = WEFT__COMMAND_LAUNCH, .grid = {1, 1, 1}, .block = {1, 1, 1}});
}

static void member_too_many(void) {
  enqueue((weft__command){.kind = WEFT__COMMAND_MARKER, .size_bytes = 4});
}

static void other_context(void) {
  weft__cl_queue first = queue;
  open_all();
  enqueue((weft__command){.kind = WEFT__COMMAND_FILL, .queue = first, .mem = new_buffer(4), .size_bytes = 4});
}

static void times_too_soon(void) {
  weft__cl_event event;
  uint64_t start_ns, end_ns;
  enqueue((weft__command){.kind = WEFT__COMMAND_MARKER, .event = &event});
  host_driver.event_times(&start_ns, &end_ns, event);
}

static void wait_without_flush(void) {
  weft__cl_event event;
  enqueue((weft__command){.kind = WEFT__COMMAND_MARKER, .event = &event});
  host_driver.event_wait(event);
}

static void wait_for_what_waits(void) {
  weft__cl_queue other = new_queue(false);
  weft__cl_event event;
  enqueue((weft__command){.kind = WEFT__COMMAND_MARKER, .event = &event});
  enqueue((weft__command){.kind = WEFT__COMMAND_BARRIER, .queue = other, .after = event});
  host_driver.finish(other);
}

static void (*const misuse[])(void) = {
    use_after_release,
    released_twice,
    other_kind,
    beyond_the_end,
    rectangle_beyond_the_end,
    overlapping_copy,
    misplaced_part,
    use_of_what_is_mapped,
    released_while_mapped,
    unmap_of_nothing,
    launch,
    member_too_many,
    other_context,
    times_too_soon,
    wait_without_flush,
    wait_for_what_waits,
};

START_TEST(finds)
{ misuse[_i](); }
END_TEST

int main(void) {
  Suite *suite = suite_create("host_driver");
  TCase *right = tcase_create("right"), *wrong = tcase_create("wrong");
  const TTest *const tests[] = {has_one_device,
                                runs_commands_in_order,
                                copies_rectangles,
                                begins_when_flushed,
                                waits_for_other_queues,
                                maps,
                                has_parts,
                                has_limits};
  tcase_add_checked_fixture(right, open_all, close_all);
  tcase_add_checked_fixture(wrong, open_all, NULL);
  tcase_set_timeout(right, 120);
  tcase_set_timeout(wrong, 120);
  for (size_t k = 0; k < sizeof tests / sizeof *tests; k++) tcase_add_test(right, tests[k]);
  tcase_add_loop_test_raise_signal(wrong, finds, SIGABRT, 0, (int)(sizeof misuse / sizeof *misuse));
  suite_add_tcase(suite, right);
  suite_add_tcase(suite, wrong);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
