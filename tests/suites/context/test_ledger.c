// SPDX-License-Identifier: MIT
/// The ledger's interface and internals: tags, snapshots and their differences, the timeline, leaks of every kind with
/// their lines, and the list of events behind trace files.
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/traceevents.h"
#include "context/context.h"
#include "harness.h"

/* ---- snapshots ---- */

static weft_snapshot *snapshot(void) {
  weft_snapshot *s = NULL;
  ok(weft_snapshot_create(&s, ctx));
  harness_count(1);
  return s;
}

static weft_array *bytes(int64_t count) {
  weft_array *x = NULL;
  ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(count)));
  return x;
}

/// The changes from `before` to now, of which there must be `count`; valid until the next call.
static const weft_snapshot_change *changes_since(const weft_snapshot *before, size_t count) {
  static weft_snapshot_change *changes;
  size_t n = 99;
  weft_snapshot *now = snapshot();
  weft_free(changes);
  changes = NULL;
  ok(weft_snapshot_get_changes(&changes, &n, before, now));
  weft_snapshot_release(&now);
  ck_assert_uint_eq(n, count);
  ck_assert((changes == NULL) == (count == 0));
  return changes;
}

static const weft_snapshot_change *change_of(const weft_snapshot_change *changes, size_t n, const char *kind,
                                             const char *tag) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(changes[i].kind, kind) == 0 &&
        (tag ? changes[i].tag && strcmp(changes[i].tag, tag) == 0 : !changes[i].tag))
      return &changes[i];
  ck_abort_msg("no %s with tag %s", kind, tag ? tag : "none");
  return NULL;
}

START_TEST(rows_of_a_snapshot)
{
  size_t n = 7;
  weft_snapshot *s = snapshot();
  weft_snapshot_rows(&n, s);
  size_t programs = n; /* the context's own programs */
  weft_snapshot_release(&s);
  ck_assert_ptr_null(s);
  weft_array *x[3] = {bytes(100), bytes(5000), NULL};
  ok(weft_slice(&x[2], x[1], 0, 0, 9));
  s = snapshot();
  const weft_snapshot_row *rows = weft_snapshot_rows(&n, s);
  ck_assert_uint_eq(n, programs + 3); /* arrays and their storages at the line in bytes(), and the view */
  for (size_t i = 0; i + 1 < n; i++) ck_assert_uint_ge(rows[i].size_bytes, rows[i + 1].size_bytes);
  const weft_snapshot_row *found = NULL;
  for (size_t i = 0; i < n; i++)
    if (strcmp(rows[i].kind, "storage") == 0) found = &rows[i];
  ck_assert_ptr_nonnull(found);
  ck_assert_uint_eq(found->count, 2);
  ck_assert_uint_eq(found->size_bytes, 5100);
  ck_assert_ptr_nonnull(strstr(found->site, "test_ledger.c:"));
  ck_assert_ptr_null(found->tag);
  for (int i = 0; i < 3; i++) weft_array_release(&x[i]);
  /* a snapshot holds no objects, and stays unchanged */
  ck_assert_ptr_eq(weft_snapshot_rows(&n, s), rows);
  weft_snapshot_release(&s);
  ck_assert_ptr_null(weft_snapshot_rows(&n, NULL));
  ck_assert_uint_eq(n, 0);
}
END_TEST

/// As in a plugin that is unloaded while its arrays are alive.
START_TEST(a_line_outlives_its_text)
{
  char site[] = "plugin.c:1";
  for (int i = 0; i < 3; i++) {
    char expected[] = "plugin.c:1", *text = NULL;
    weft_array *x = NULL;
    expected[9] = (char)('1' + i); /* another text at the same address */
    strcpy(site, expected);
    ok(weft__zeros_at(&x, ctx, WEFT_F32, WEFT_SHAPE(10), site));
    strcpy(site, "unloaded");
    ok(weft_memory_report(&text, ctx, .format = WEFT_REPORT_JSON));
    ck_assert_msg(strstr(text, expected) && !strstr(text, "unloaded"), "%s", text);
    weft_free(text);
    weft_array_release(&x);
  }
}
END_TEST

START_TEST(new_gone_grown_shrunk)
{
  weft_array *stay = bytes(1000);
  weft_snapshot *s0 = snapshot();
  changes_since(s0, 0);
  weft_array *y = NULL;
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(50)));
  const weft_snapshot_change *c = changes_since(s0, 2);
  const weft_snapshot_change *array = change_of(c, 2, "array", NULL), *storage = change_of(c, 2, "storage", NULL);
  ck_assert_uint_eq(array->before_count, 0);
  ck_assert_uint_eq(array->after_count, 1);
  ck_assert_uint_eq(storage->after_bytes, 200);
  weft_snapshot *s1 = snapshot();
  weft_array_release(&y);
  weft_array *more = bytes(24);
  c = changes_since(s1, 4);
  ck_assert_uint_eq(change_of(c, 2, "array", NULL)->after_count, 0); /* 200 released bytes precede 24 new ones */
  ck_assert_uint_eq(change_of(c + 2, 2, "storage", NULL)->before_count, 1);
  ck_assert_uint_eq(change_of(c + 2, 2, "storage", NULL)->after_count, 2);
  ck_assert_uint_eq(change_of(c + 2, 2, "storage", NULL)->after_bytes, 1024);

  weft_snapshot *s2 = snapshot();
  char *text = NULL;
  ok(weft_snapshot_compare(&text, s1, s2));
  ck_assert_msg(
      strstr(text, "gone ") && strstr(text, "grown ") && strstr(text, "-200 bytes") && strstr(text, "+24 bytes"), "%s",
      text);
  ck_assert_msg(strstr(text, "made at") && strstr(text, "test_ledger.c:") && !strstr(text, "tag"), "%s", text);
  weft_free(text);
  ok(weft_snapshot_compare(&text, s2, s1));
  ck_assert_msg(strstr(text, "new ") && strstr(text, "shrunk ") && strstr(text, "+200 bytes"), "%s", text);
  weft_free(text);
  ok(weft_snapshot_compare(&text, s1, s1));
  ck_assert_str_eq(text, "nothing changed\n");
  weft_free(text);
  ok(weft_snapshot_compare(&text, s1, s1, .format = WEFT_REPORT_JSON));
  ck_assert_str_eq(text, "{\"changes\": []}\n");
  weft_free(text);
  ok(weft_snapshot_compare(&text, s1, s2, .format = WEFT_REPORT_JSON));
  ck_assert_msg(strstr(text, "{\"change\": \"gone\", \"site\": \""), "%s", text);
  ck_assert_msg(
      strstr(text,
             "\"kind\": \"storage\", \"tag\": null, \"before_count\": 1, \"after_count\": 2, \"before_bytes\": 1000, "
             "\"after_bytes\": 1024}"),
      "%s", text);
  weft_free(text);
  weft_snapshot_release(&s0);
  weft_snapshot_release(&s1);
  weft_snapshot_release(&s2);
  weft_array_release(&stay);
  weft_array_release(&more);
}
END_TEST

START_TEST(wrong_calls)
{
  char *text = NULL;
  weft_snapshot *s = snapshot(), *other = NULL;
  weft_snapshot_change *changes = NULL;
  size_t n;
  expect_error(weft_snapshot_create((weft_snapshot **)NULL, ctx), WEFT_ERROR_ARGUMENT, "weft_snapshot_create", "@out");
  expect_error(weft_snapshot_create(&s, ctx), WEFT_ERROR_ARGUMENT, "weft_snapshot_create", "@out", "not NULL");
  expect_error(weft_snapshot_create(&other, NULL), WEFT_ERROR_HANDLE, "weft_snapshot_create", "@context");
  expect_error(weft_snapshot_compare(&text, NULL, s), WEFT_ERROR_HANDLE, "weft_snapshot_compare", "@before");
  expect_error(weft_snapshot_compare(&text, s, harness_garbage()), WEFT_ERROR_HANDLE, "@after", "weft_snapshot");
  expect_error(weft_snapshot_compare(&text, s, (const weft_snapshot *)ctx), WEFT_ERROR_HANDLE, "@after",
               "is a weft_context");
  expect_error(weft_snapshot_compare(NULL, s, s), WEFT_ERROR_ARGUMENT, "@text");
  expect_error(weft_snapshot_compare(&text, s, s, .format = (weft_report_format)5), WEFT_ERROR_ARGUMENT, "@format",
               "5");
  expect_error(weft_snapshot_get_changes(NULL, &n, s, s), WEFT_ERROR_ARGUMENT, "weft_snapshot_get_changes", "@changes");
  expect_error(weft_snapshot_get_changes(&changes, NULL, s, s), WEFT_ERROR_ARGUMENT, "weft_snapshot_get_changes",
               "@count");
  expect_error(weft_snapshot_get_changes(&changes, &n, s, NULL), WEFT_ERROR_HANDLE, "weft_snapshot_get_changes",
               "@after");
  ck_assert_ptr_null(text);
  ck_assert_ptr_null(changes);
  ck_assert_ptr_null(other);
  weft_snapshot_release(&s);
  weft_snapshot_release(&s);
  weft_snapshot_release(NULL);
  expect_error(weft_array_set_tag(NULL, "x"), WEFT_ERROR_HANDLE, "weft_array_set_tag", "@x");
  expect_error(weft_memory_timeline_start(NULL, 0), WEFT_ERROR_HANDLE, "weft_memory_timeline_start", "@context");
  expect_error(weft_memory_timeline_stop(NULL), WEFT_ERROR_HANDLE, "weft_memory_timeline_stop", "@context");
  expect_error(weft_memory_timeline_write(NULL, "x"), WEFT_ERROR_HANDLE, "weft_memory_timeline_write", "@context");
  expect_error(weft_memory_timeline_write(ctx, NULL), WEFT_ERROR_ARGUMENT, "weft_memory_timeline_write", "@file");
  expect_error(weft_memory_timeline_write(ctx, "x"), WEFT_ERROR_ARGUMENT, "weft_memory_timeline_write",
               "nothing was recorded");
  ok(weft_memory_timeline_stop(ctx)); /* without a recording */
}
END_TEST

/* ---- tags ---- */

static void *tag_of_a_thread(void *data) {
  (void)data;
  const char *before = weft_memory_tag_used();
  weft_array *x = NULL;
  if (weft_memory_tag("of the thread") || weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(7))) return NULL;
  return before ? NULL : x;
}

START_TEST(tags)
{
  char name[20] = "weights";
  weft_snapshot *before = snapshot();
  ck_assert_ptr_null(weft_memory_tag_used());
  ok(weft_memory_tag(name));
  memcpy(name, "biasses", 7); /* the name was copied */
  ck_assert_str_eq(weft_memory_tag_used(), "weights");
  weft_array *x = bytes(1000), *view = NULL;
  ok(weft_memory_tag("second \"one\""));
  weft_array *y = bytes(300);
  const char *second = weft_memory_tag_used();
  ok(weft_memory_tag(""));
  ck_assert_ptr_null(weft_memory_tag_used());
  ok(weft_memory_tag(second));
  ck_assert_ptr_eq(weft_memory_tag_used(), second);
  ok(weft_memory_tag(NULL));
  weft_array *z = bytes(20);
  const weft_snapshot_change *c = changes_since(before, 6);
  ck_assert_uint_eq(change_of(c, 6, "storage", "weights")->after_bytes, 1000);
  ck_assert_uint_eq(change_of(c, 6, "array", "second \"one\"")->after_bytes, 300);
  ck_assert_uint_eq(change_of(c, 6, "storage", NULL)->after_bytes, 20);

  ok(weft_array_set_tag(z, "last"));
  ok(weft_slice(&view, x, 0, 0, 5));
  ok(weft_array_set_tag(view, "row")); /* the handle only: another handle owns the memory's tag */
  ok(weft_array_set_tag(y, NULL));
  c = changes_since(before, 7);
  ck_assert_uint_eq(change_of(c, 7, "storage", "last")->after_bytes, 20);
  ck_assert_uint_eq(change_of(c, 7, "storage", "weights")->after_bytes, 1000);
  ck_assert_uint_eq(change_of(c, 7, "array", "row")->after_count, 1);
  ck_assert_uint_eq(change_of(c, 7, "array", NULL)->after_bytes, 300);

  char *text = NULL;
  weft_rng *any = NULL, *own = NULL;
  ok(weft_rng_create(&any));
  ok(weft_rng_create(&own, .context = ctx));
  ok(weft_memory_report(&text, ctx));
  const char *rest = strstr(text, "without a context");
  ck_assert_msg(rest && strstr(rest, " rng ") && strstr(rest, " snapshot ") && strstr(text, " rng ") < rest, "%s",
                text);
  weft_free(text);
  weft_rng_release(&any);
  weft_rng_release(&own);
  ok(weft_memory_report(&text, ctx));
  ck_assert_msg(strstr(text, "what      tag") && strstr(text, "storage   weights ") && strstr(text, "array     last "),
                "%s", text);
  weft_free(text);
  ok(weft_array_set_tag(y, "second \"one\""));
  ok(weft_memory_report(&text, ctx, .format = WEFT_REPORT_JSON));
  ck_assert_msg(strstr(text, "\"tag\": \"second \\\"one\\\"\", \"kind\": \"storage\""), "%s", text);
  weft_free(text);
  weft_snapshot *now = snapshot();
  ok(weft_snapshot_compare(&text, before, now));
  ck_assert_msg(strstr(text, "tag") && strstr(text, "weights"), "%s", text);
  weft_free(text);
  ok(weft_snapshot_compare(&text, before, now, .format = WEFT_REPORT_JSON));
  ck_assert_msg(strstr(text, "\"tag\": \"weights\""), "%s", text);
  weft_free(text);
  weft_snapshot_release(&now);

  pthread_t thread;
  void *made;
  ok(weft_memory_tag("of the first"));
  ck_assert_int_eq(pthread_create(&thread, NULL, tag_of_a_thread, NULL), 0);
  ck_assert_int_eq(pthread_join(thread, &made), 0);
  ck_assert_ptr_nonnull(made);
  ck_assert_str_eq(weft_memory_tag_used(), "of the first");
  ok(weft_memory_tag(NULL));
  weft_array *theirs = made;
  change_of(changes_since(before, 9), 9, "array", "of the thread");
  weft_array_release(&theirs);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&z);
  weft_array_release(&view);
  changes_since(before, 0);
  weft_snapshot_release(&before);
}
END_TEST

START_TEST(pinned_blocks_and_events_are_in_reports)
{
  weft__ledger_entry pinned = {0}, event = {0};
  char *text = NULL;
  weft__ledger_add(&ctx->core.ledger, &pinned, WEFT__LEDGER_PINNED, &pinned, 4096, "somewhere.c:5");
  weft__ledger_add(&ctx->core.ledger, &event, WEFT__LEDGER_EVENT, &event, 0, "somewhere.c:6");
  ok(weft_memory_report(&text, ctx));
  ck_assert_msg(strstr(text, "somewhere.c:5") && strstr(text, "pinned ") && strstr(text, "4.0 KiB"), "%s", text);
  ck_assert_msg(strstr(text, "somewhere.c:6") && strstr(text, "event "), "%s", text);
  weft_free(text);
  ok(weft_memory_report(&text, ctx, .format = WEFT_REPORT_JSON));
  ck_assert_msg(strstr(text, "{\"site\": \"somewhere.c:5\", \"kind\": \"pinned\", \"count\": 1, \"size_bytes\": 4096}"),
                "%s", text);
  weft_free(text);
  weft__ledger_remove(&ctx->core.ledger, &pinned);
  weft__ledger_remove(&ctx->core.ledger, &event);
}
END_TEST

/* ---- leaks ---- */

/// Like an application's own function that makes arrays; the reported line is the one inside.
static weft_array *helper(int *line) {
  weft_array *x = NULL;
  *line = __LINE__ + 1;
  ok(weft_full(&x, ctx, WEFT_I32, WEFT_SHAPE(2, 3), 4));
  return x;
}

/// Like an application's macro; the reported line is the one of its use.
#define MY_ZEROS(x) ok(weft_zeros(&(x), ctx, WEFT_F32, WEFT_SHAPE(10)))

START_TEST(every_kind_with_its_line)
{
  weft_context_params params = {.device = device.selector, .profiling = true};
  weft_array *x = NULL, *view = NULL, *loop[3] = {NULL}, *mine = NULL, *tagged = NULL;
  weft_kernel *kernel = NULL;
  weft_stream *stream = NULL;
  weft_timer *timer = NULL;
  weft_event *event = NULL;
  void *pinned = NULL;
  weft_rng *rng = NULL, *child = NULL;
  char expected[12][100];
  int line, n = 0;
  ok((weft_context_create)(&ctx, &params));
#define EXPECT(...) snprintf(expected[n++], sizeof expected[0], __VA_ARGS__)
  ok(weft_empty(&x, ctx, WEFT_U8, WEFT_SHAPE(50)));
  EXPECT("1 array (50 bytes) made at %s:%d", __FILE__, __LINE__ - 1);
  ok(weft_slice(&view, x, 0, 1, 5));
  EXPECT("1 array made at %s:%d", __FILE__, __LINE__ - 1);
  bool has_kernels = harness_has_kernels();
  if (has_kernels) {
    ok(weft_kernel_create(&kernel, ctx, .source = "kernel void k() {}\n"));
    EXPECT("1 kernel made at %s:%d", __FILE__, __LINE__ - 1);
  }
  ok(weft_stream_create(&stream, ctx));
  EXPECT("1 stream made at %s:%d", __FILE__, __LINE__ - 1);
  ok(weft_timer_create(&timer, ctx));
  EXPECT("1 timer made at %s:%d", __FILE__, __LINE__ - 1);
  ok(weft_event_record(&event, ctx, stream));
  EXPECT("1 event made at %s:%d", __FILE__, __LINE__ - 1);
  ok(weft_pinned_alloc(&pinned, ctx, 512));
  EXPECT("1 pinned block (512 bytes) made at %s:%d", __FILE__, __LINE__ - 1);
  ok(weft_rng_create(&rng, .context = ctx));
  EXPECT("1 generator made at %s:%d", __FILE__, __LINE__ - 1);
  ok(weft_rng_split(&child, rng));
  EXPECT("1 generator made at %s:%d", __FILE__, __LINE__ - 1);
  for (int i = 0; i < 3; i++) loop[i] = helper(&line);
  EXPECT("3 arrays (72 bytes) made at %s:%d", __FILE__, line);
  MY_ZEROS(mine);
  EXPECT("1 array (40 bytes) made at %s:%d", __FILE__, __LINE__ - 1);
  ok(weft_empty(&tagged, ctx, WEFT_U8, WEFT_SHAPE(60)));
  EXPECT("1 array (60 bytes) made at %s:%d tagged \"mine\"", __FILE__, __LINE__ - 1);
  ok(weft_array_set_tag(tagged, "mine"));
  expect_error(weft_context_close(&ctx), WEFT_ERROR_LEAK, "weft_context_close",
               has_kernels ? "14 objects were still alive" : "13 objects were still alive");
  const char *message = weft_error_last()->message;
  for (int i = 0; i < n; i++) {
    ck_assert_msg(strstr(message, expected[i]) != NULL, "no '%s' in %s", expected[i], message);
    harness_count(1);
  }
  weft_rng_release(&rng);
  weft_rng_release(&child);
  weft_array_release(&x);
  weft_array_release(&view);
  weft_array_release(&mine);
  weft_array_release(&tagged);
  for (int i = 0; i < 3; i++) weft_array_release(&loop[i]);
  weft_kernel_release(&kernel);
  weft_stream_release(&stream);
  weft_timer_release(&timer);
  weft_event_release(&event);
  weft_pinned_free(&pinned);
}
END_TEST

/* ---- the list of events ---- */

static char *contents(const char *file) {
  static char text[1000000];
  FILE *stream = fopen(file, "r");
  if (!stream) return NULL;
  size_t length = fread(text, 1, sizeof text - 1, stream);
  fclose(stream);
  text[length] = 0;
  return text;
}

static const weft__event_form slice = {
    .phase = WEFT__EVENT_SLICE,
    .category = "test",
    .argument = {{"a", WEFT__EVENT_NUMBER}, {"b", WEFT__EVENT_REAL}, {"c", WEFT__EVENT_TEXT}},
};

START_TEST(events_as_text)
{
  static const weft__event_form graph = {.phase = WEFT__EVENT_COUNTER,
                                         .argument = {{"one", WEFT__EVENT_NUMBER}, {"two", WEFT__EVENT_REAL}}};
  static const weft__event_form begin = {.phase = WEFT__EVENT_BEGIN, .category = "life"};
  static const weft__event_form instant = {.phase = WEFT__EVENT_INSTANT, .category = "life"};
  const weft__events_track tracks[] = {{4, "a \"track\""}};
  weft__events events, second;
  const weft__events *lists[] = {&events, &second};
  char file[64];
  snprintf(file, sizeof file, "weft-events-%ld.json", (long)getpid());
  weft__events_init(&events, 10);
  weft__events_init(&second, 10);
  weft__event e = {.form = &slice,
                   .name = "k\\n\xc3\xa9\xff\xe2\x82",
                   .time_ns = 1234567890123456789u,
                   .of.duration_ns = 1001,
                   .track = 4};
  e.argument[0].number = UINT64_MAX;
  e.argument[1].real = 0.25;
  e.argument[2].text = "\n";
  ck_assert(weft__events_add(&events, &e));
  e.argument[1].real = NAN; /* JSON has no NaN */
  e.argument[2].text = NULL;
  ck_assert(weft__events_add(&events, &e));
  e = (weft__event){.form = &graph, .name = "bytes", .time_ns = 5};
  e.argument[0].number = 7;
  e.argument[1].real = 1e20;
  ck_assert(weft__events_add(&second, &e));
  e = (weft__event){.form = &begin, .name = "n", .time_ns = 6, .of.id = 12};
  ck_assert(weft__events_add(&second, &e));
  e.form = &instant;
  ck_assert(weft__events_add(&second, &e));
  ok(weft__events_write(file, "p", tracks, 1, lists, 2));
  const char *text = contents(file);
  ck_assert_int_eq(remove(file), 0);
  ck_assert_str_eq(
      text,
      "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"dropped\": 0}, \"traceEvents\": [\n"
      "{\"ph\": \"M\", \"pid\": 1, \"tid\": 0, \"name\": \"process_name\", \"args\": {\"name\": \"p\"}},\n"
      "{\"ph\": \"M\", \"pid\": 1, \"tid\": 4, \"name\": \"thread_name\", \"args\": {\"name\": \"a \\\"track\\\"\"}},\n"
      "{\"ph\": \"M\", \"pid\": 1, \"tid\": 4, \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": 0}},\n"
      "{\"ph\": \"X\", \"pid\": 1, \"tid\": 4, \"name\": \"k\\\\n\xc3\xa9\\ufffd\\ufffd\\ufffd\", \"cat\": \"test\", "
      "\"ts\": 1234567890123456.789, \"dur\": 1.001, \"args\": {\"a\": 18446744073709551615, \"b\": 0.25, \"c\": "
      "\"\\u000a\"}},\n"
      "{\"ph\": \"X\", \"pid\": 1, \"tid\": 4, \"name\": \"k\\\\n\xc3\xa9\\ufffd\\ufffd\\ufffd\", \"cat\": \"test\", "
      "\"ts\": 1234567890123456.789, \"dur\": 1.001, \"args\": {\"a\": 18446744073709551615}},\n"
      "{\"ph\": \"C\", \"pid\": 1, \"tid\": 0, \"name\": \"one\", \"ts\": 0.005, \"args\": {\"bytes\": 7}},\n"
      "{\"ph\": \"C\", \"pid\": 1, \"tid\": 0, \"name\": \"two\", \"ts\": 0.005, \"args\": {\"bytes\": 1e+20}},\n"
      "{\"ph\": \"b\", \"pid\": 1, \"tid\": 0, \"name\": \"n\", \"cat\": \"life\", \"ts\": 0.006, \"id\": 12, "
      "\"args\": {}},\n"
      "{\"ph\": \"i\", \"pid\": 1, \"tid\": 0, \"name\": \"n\", \"cat\": \"life\", \"ts\": 0.006, \"s\": \"t\", "
      "\"args\": {}}\n"
      "]}\n");
  weft__events_free(&events);
  weft__events_free(&second);
}
END_TEST

START_TEST(events_have_a_limit)
{
  weft__events events;
  const weft__event e = {.form = &slice, .name = "x"};
  weft__events_init(&events, 5000);
  for (int i = 0; i < 5003; i++) ck_assert(weft__events_add(&events, &e) == (i < 5000));
  ck_assert_uint_eq(events.count, 5000);
  ck_assert_uint_eq(events.dropped, 3);
  weft__events_free(&events);
  ck_assert_uint_eq(events.count, 0);
  ck_assert(weft__events_add(&events, &e)); /* the list can be reused */
  weft__events_free(&events);
}
END_TEST

START_TEST(a_file_that_cannot_be_written)
{
  char *text, folder[] = "weft-timeline-XXXXXX"; /* another run of this suite at the same time has its own */
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_int_eq(chdir(folder), 0);
  FILE *old = fopen("weft-timeline-old.json", "w");
  ck_assert_ptr_nonnull(old);
  ck_assert_int_eq(fputs("old", old) < 0, 0);
  ck_assert_int_eq(fclose(old), 0);
  ok(weft_memory_timeline_start(ctx, 0));
  expect_error(weft_memory_timeline_write(ctx, "no such directory/x.json"), WEFT_ERROR_FILE,
               "weft_memory_timeline_write", "@file", "no such directory/x.json", "cannot make");
  expect_error(weft_memory_timeline_write(ctx, "."), WEFT_ERROR_FILE, "weft_memory_timeline_write", "@file");
  /* a planted link at the temporary name is not followed */
  char planted[64];
  snprintf(planted, sizeof planted, "weft-timeline-old.json.%ld.new", (long)getpid());
  ck_assert_int_eq(symlink("weft-timeline-victim", planted), 0);
  ok(weft_memory_timeline_write(ctx, "weft-timeline-old.json"));
  ck_assert_int_eq(remove(planted), 0);
  ck_assert_int_ne(access("weft-timeline-victim", F_OK), 0);
  text = contents("weft-timeline-old.json");
  ck_assert_int_eq(remove("weft-timeline-old.json"), 0);
  ck_assert_msg(text[0] == '{' && strstr(text, "active memory"), "%s", text);
  /* a pipe is not replaced by a file */
  ck_assert_int_eq(mkfifo("weft-timeline-pipe", 0600), 0);
  int reader = open("weft-timeline-pipe", O_RDONLY | O_NONBLOCK);
  struct stat pipe;
  weft_status rc = weft_memory_timeline_write(ctx, "weft-timeline-pipe");
  ck_assert_int_eq(stat("weft-timeline-pipe", &pipe), 0);
  ck_assert_int_eq(remove("weft-timeline-pipe"), 0);
  ok(rc);
  ck_assert(S_ISFIFO(pipe.st_mode));
  char first = 0;
  ck_assert_int_eq(read(reader, &first, 1), 1);
  ck_assert_int_eq(first, '{');
  close(reader);
  ck_assert_int_eq(chdir(".."), 0);
  ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* ---- threads ---- */

enum { THREADS = 3, ROUNDS = 300 };

static void *allocate(void *data) {
  weft_status *status = data;
  weft_array *x[4] = {NULL};
  for (int i = 0; i < ROUNDS && *status == WEFT_OK; i++) {
    weft_array_release(&x[i % 4]);
    if (i % 50 == 0) *status = weft_memory_tag(i % 100 ? "one" : "another");
    if (*status == WEFT_OK) *status = weft_empty(&x[i % 4], ctx, WEFT_U8, WEFT_SHAPE(100 + i));
    if (*status == WEFT_OK && i % 3 == 0) *status = weft_array_set_tag(x[i % 4], "its own");
  }
  for (int i = 0; i < 4; i++) weft_array_release(&x[i]);
  return NULL;
}

/// Recordings start, are written and end while others allocate. Every life begun in a recording ends in it or is still
/// alive.
START_TEST(recorded_while_threads_allocate)
{
  pthread_t threads[THREADS];
  weft_status status[THREADS] = {WEFT_OK};
  char file[64];
  snprintf(file, sizeof file, "weft-threads-%ld.json", (long)getpid());
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, allocate, &status[i]), 0);
  for (int i = 0; i < 10; i++) {
    ok(weft_memory_timeline_start(ctx, i % 2 ? 0 : 50));
    weft_snapshot *s = snapshot();
    weft_snapshot_release(&s);
    ok(weft_memory_timeline_write(ctx, file));
    if (i % 3 == 0) ok(weft_memory_timeline_stop(ctx));
  }
  ok(weft_memory_timeline_start(ctx, 0));
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(status[i], WEFT_OK);
  ok(weft_memory_timeline_write(ctx, file));
  const char *text = contents(file);
  ck_assert_int_eq(remove(file), 0);
  long begun = 0, ended = 0;
  for (const char *p = text; (p = strstr(p, "{\"ph\": \"")); p += 9) {
    begun += p[8] == 'b';
    ended += p[8] == 'e';
  }
  if (strlen(text) < 999000) ck_assert_int_eq(begun, ended); /* the text was read completely */
  harness_count(THREADS * ROUNDS);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "snapshots");
  tcase_add_test(tc, rows_of_a_snapshot);
  tcase_add_test(tc, a_line_outlives_its_text);
  tcase_add_test(tc, new_gone_grown_shrunk);
  tcase_add_test(tc, wrong_calls);
  tcase_add_test(tc, tags);
  tcase_add_test(tc, pinned_blocks_and_events_are_in_reports);
  tcase_add_test(tc, a_file_that_cannot_be_written);
  tcase_add_test(tc, recorded_while_threads_allocate);
  tc = harness_case(suite, "own context");
  tcase_add_test(tc, every_kind_with_its_line);
  tc = harness_case(suite, "events");
  tcase_add_test(tc, events_as_text);
  tcase_add_test(tc, events_have_a_limit);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "ledger", .add = add});
}
