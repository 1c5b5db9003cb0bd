// SPDX-License-Identifier: MIT
/// weft/weft.hpp: handles release themselves, failures are exceptions or values, and every macro accepts the objects.
#include <weft/weft.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

static int checks;

#define CHECK(condition)                                                   \
  do {                                                                     \
    checks++;                                                              \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

static uint64_t arrays_of(const weft::context &context) {
  weft_memory_stats stats;
  weft::check(weft_memory_get(&stats, context));
  return stats.arrays;
}

static weft::array ones(const weft::context &context) {
  weft::array x;
  weft::check(weft_ones(x.out(), context, WEFT_F32, WEFT_SHAPE(8)));
  return x;
}

static void handles(const weft::context &context) {
  const uint64_t before = arrays_of(context);
  {
    weft::array x = ones(context), y;
    weft::check(weft_add(y.out(), x, 2.0f));
    weft_array *made = y;
    weft::check(weft_multiply(y.out(), y, x)); /* in place */
    CHECK(y.get() == made);
    weft::array shared = y;
    CHECK(shared.get() == y.get());
    y.reset();
    CHECK(!y && shared);
    weft::array moved = std::move(shared);
    CHECK(!shared.get() && moved);
    float got[8];
    weft::check(weft_to_host(got, sizeof got, moved));
    CHECK(got[0] == 3 && got[7] == 3);
    weft::check(weft_slice(y.renew(), moved, 0, 0, 3));
    weft::check(weft_slice(y.renew(), moved, 0, 1, 3));
    CHECK(weft_array_size(y) == 2);
    weft_array *raw = moved.detach();
    CHECK(!moved && raw);
    weft::array again(raw);
    std::vector<weft::array> several(3, again);
    moved = several[1];
    const weft::array &same = moved;
    moved = same;
    CHECK(moved.get() == raw);
    weft::array sum;
    weft::check(weft_sum(sum.out(), moved, WEFT_ALL_AXES));
    weft::check(weft_eval(sum.renew(), context, "a * 2", WEFT_NAMED("a", moved.get())));
    CHECK(weft_array_size(sum) == 8);
  }
  CHECK(arrays_of(context) == before);
}

static void failures(const weft::context &context) {
  weft::array x = ones(context), y;
  weft::check(weft_zeros(y.out(), context, WEFT_F32, WEFT_SHAPE(3)));
  bool thrown = false;
  try {
    weft::check(weft_add(y.out(), x, x));
  } catch (const weft::error &e) {
    thrown = true;
    CHECK(e.status() == WEFT_ERROR_SHAPE && std::strstr(e.what(), "weft_add") != nullptr);
    CHECK(e.why().argument() == "out" && e.why().site().find("raii.cpp:") != std::string::npos);
  }
  CHECK(thrown);
  const weft::failure failed = weft::attempt(weft_eval(y.renew(), context, "a +", WEFT_NAMED("a", x.get())));
  CHECK(failed && failed.status() == WEFT_ERROR_EXPRESSION && !failed.detail().empty() &&
        failed.function() == "weft_eval");
  CHECK(!y);
  weft_error_clear();
  CHECK(failed.what().find("expr:1:") != std::string::npos); /* a copy */
  CHECK(!weft::attempt(weft_add(y.out(), x, x)) && y);
}

static void kernels(const weft::context &context) {
  weft::kernel kernel;
  weft::stream stream;
  weft_kernel_params params = {};
  params.source = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }";
  weft::check((weft_kernel_create)(kernel.out(), context, &params));
  weft::check(weft_stream_create(stream.out(), context));
  weft::array x = ones(context);
  weft::check(weft_launch_on(kernel, stream, WEFT_DIM3(8), WEFT_DIM3(1), x));
  float got[8];
  weft::check(weft_to_host(got, sizeof got, x));
  CHECK(got[0] == 2 && got[7] == 2);
}

static int messages;

static void throws(void *, weft_log_level, const char *) {
  throw 7;
}

static void counts(void *, weft_log_level, const char *) {
  messages++;
}

template <class Call>
static bool throws_seven(const Call &call) {
  try {
    call();
  } catch (int seven) {
    return seven == 7;
  }
  return false;
}

/// A log's function that throws: the log stays usable, in this thread and in others.
static void log() {
  weft_log_set(WEFT_LOG_DEBUG, throws, nullptr);
  for (int k = 0; k < 2; k++) CHECK(throws_seven([] { weft_log_write(WEFT_LOG_WARNING, "a message"); }));
  std::thread([] { CHECK(throws_seven([] { weft_log_write(WEFT_LOG_WARNING, "a message"); })); }).join();
  weft_log_set(WEFT_LOG_DEBUG, counts, nullptr);
  weft_log_write(WEFT_LOG_WARNING, "a message");
  CHECK(messages == 1);
  weft_log_set(WEFT_LOG_NONE, nullptr, nullptr);
}

int main() {
  const char *selector = std::getenv("WEFT_TEST_DEVICE");
  weft_context_params params = {};
  params.device = selector;
  weft::context context;
  const weft::failure none = weft::attempt((weft_context_create)(context.out(), &params));
  if (none.status() == WEFT_ERROR_NO_DEVICE) return 77;
  if (none) {
    std::fprintf(stderr, "%s\n", none.what().c_str());
    return 1;
  }
  handles(context);
  failures(context);
  kernels(context);
  log();
  weft_context *last = context.detach();
  CHECK(weft_context_close(&last) == WEFT_OK);
  std::printf("%d checks\n", checks);
  return 0;
}
