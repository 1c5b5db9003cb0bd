// SPDX-License-Identifier: MIT
// Columns of a table with mean 0 and standard deviation 1, in C++: objects release themselves; failures are values or
// exceptions. NumPy: (x - x.mean(axis=0)) / x.std(axis=0)
#include <cstdio>
#include <vector>

#include <weft/weft.hpp>

// Declared because tests may rename main.
int main();

static std::vector<double> numbers(const weft::array &x) {
  std::vector<double> values(static_cast<size_t>(weft_array_size(x)));
  weft::check(weft_to_host(values.data(), values.size() * sizeof values[0], x));
  return values;
}

static weft::array means(const weft::array &x) {
  weft::array y;
  weft::check(weft_mean(y.out(), x, 0));
  return y;
}

static weft::array deviations(const weft::array &x) {
  weft::array y;
  weft::check(weft_std(y.out(), x, 0));
  return y;
}

static weft::array standardised(const weft::array &x) {
  weft::array y;
  weft::check(weft_subtract(y.out(), x, means(x)));
  weft::check(weft_divide(y.out(), y, deviations(x)));  // in place
  return y;
}

static void print(const char *what, const std::vector<double> &values) {
  std::printf("%s", what);
  for (double value : values) std::printf(" %8.3f", value);
  std::printf("\n");
}

int main() {
  try {
    const double table[4][3] = {{1, 200, 0.5}, {2, 100, 0.25}, {3, 400, 1}, {4, 300, 0.75}};
    weft::context context;
    weft::check(weft_context_default(context.out()));
    weft::array x, y;
    weft::check(weft_from_host(x.out(), context, WEFT_F64, WEFT_SHAPE(4, 3), table));
    print("means          ", numbers(means(x)));
    y = standardised(x);
    print("means after    ", numbers(means(y)));
    print("deviations     ", numbers(deviations(y)));
    weft::array row;
    weft::check(weft_ones(row.out(), context, WEFT_F64, WEFT_SHAPE(2)));
    if (const weft::failure failure = weft::attempt(weft_add(y.out(), x, row)))
      std::printf("as a value: %s\n", failure.what().c_str());
    try {
      weft::check(weft_mean(y.renew(), x, 2));
    } catch (const weft::error &error) {
      std::printf("as an exception: %s\n", error.what());
    }
    return 0;
  } catch (const weft::error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
