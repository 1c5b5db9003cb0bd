// SPDX-License-Identifier: MIT
#include "io/format_number.h"

#include <math.h>
#include <string.h>

#include "dtype/dtype.h"

/* ---- reading ---- */

weft__float weft__float_read(weft_dtype dtype, const void *item) {
  const uint64_t bits = weft__element_bits(item, weft_dtype_size_bytes(dtype));
  const int fraction_bits = weft__dtype(dtype)->fraction_bits, exponent_bits = weft__exponent_bits(dtype);
  uint64_t implicit_one = UINT64_C(1) << fraction_bits;
  uint64_t fraction = bits & (implicit_one - 1);
  int most = (1 << exponent_bits) - 1;
  int biased = (int)(bits >> fraction_bits) & most;
  weft__float x = {0};
  x.negative = bits >> (fraction_bits + exponent_bits) & 1;
  x.finite = biased != most;
  x.nan = !x.finite && fraction;
  x.mantissa = biased ? fraction | implicit_one : fraction;
  x.exponent = (biased ? biased : 1) - most / 2 - fraction_bits;
  x.gap_below_is_half = !fraction && biased > 1;
  return x;
}

double weft__float_magnitude(const weft__float *x) {
  return ldexp((double)x->mantissa, x->exponent);
}

/* ---- big integers ----
   Only the operations that the digit generation needs. For f64 the values stay under 2^1082 (the scale of 2^-1074 is
   2^1076, and the quotient of a digit is under 10). A margin is multiplied through MAX_DIGITS digits and stays under
   2^1164. */

enum { BIG_WORDS = 40, MAX_DIGITS = 24 };

typedef struct big {
  int count; /* words in use; the highest one is nonzero */
  uint32_t word[BIG_WORDS];
} big;

static void big_set(big *a, uint64_t value, int shift) {
  int skip = shift / 32;
  memset(a->word, 0, (size_t)skip * sizeof *a->word);
  a->count = skip;
  /* Three words hold any 64 bits shifted by up to 31. */
  uint64_t low = (value & UINT32_MAX) << shift % 32;
  uint64_t high = ((value >> 32) << shift % 32) + (low >> 32);
  a->word[a->count++] = (uint32_t)low;
  a->word[a->count++] = (uint32_t)high;
  a->word[a->count++] = (uint32_t)(high >> 32);
  while (a->count && !a->word[a->count - 1]) a->count--;
}

static void big_multiply(big *a, uint32_t factor) {
  uint64_t carry = 0;
  for (int i = 0; i < a->count; i++) {
    carry += (uint64_t)a->word[i] * factor;
    a->word[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) a->word[a->count++] = (uint32_t)carry;
}

static void big_multiply_pow10(big *a, int power) {
  for (; power >= 9; power -= 9) big_multiply(a, 1000000000);
  uint32_t rest = 1;
  for (; power > 0; power--) rest *= 10;
  if (rest > 1) big_multiply(a, rest);
}

static int big_compare(const big *a, const big *b) {
  if (a->count != b->count) return a->count < b->count ? -1 : 1;
  for (int i = a->count; i-- > 0;)
    if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
  return 0;
}

/* Compares a + b with c. */
static int big_compare_sum(const big *a, const big *b, const big *c) {
  big sum;
  const big *longer = a->count >= b->count ? a : b;
  const big *shorter = longer == a ? b : a;
  uint64_t carry = 0;
  for (int i = 0; i < longer->count; i++) {
    carry += (uint64_t)longer->word[i] + (i < shorter->count ? shorter->word[i] : 0);
    sum.word[i] = (uint32_t)carry;
    carry >>= 32;
  }
  sum.count = longer->count;
  if (carry) sum.word[sum.count++] = (uint32_t)carry;
  return big_compare(&sum, c);
}

/* Leaves the remainder in `a`. Repeated subtraction is quick enough, because the quotient is a decimal digit. */
static int big_divide(big *a, const big *b) {
  int quotient = 0;
  while (big_compare(a, b) >= 0) {
    uint64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
      uint64_t difference = (uint64_t)a->word[i] - (i < b->count ? b->word[i] : 0) - borrow;
      a->word[i] = (uint32_t)difference;
      borrow = difference >> 63;
    }
    while (a->count && !a->word[a->count - 1]) a->count--;
    quotient++;
  }
  return quotient;
}

/* ---- digits ---- */

/* digit[0] has the place value 10^exponent. The last digit is not 0; zero itself has no digits. */
typedef struct decimal {
  int count;
  int exponent;
  char digit[MAX_DIGITS];
} decimal;

static void increment(decimal *d) {
  while (d->count && d->digit[d->count - 1] == 9) d->count--;
  if (d->count) {
    d->digit[d->count - 1]++;
  } else {
    d->digit[d->count++] = 1;
    d->exponent++;
  }
}

/* value = rest / scale; half the distances to the next floats below and above are low / scale and high / scale. */
typedef struct ratio {
  big rest, scale, low, high;
} ratio;

/* Divides by 10^first, or by 10^(first + 1) if two digits would remain before the point. Returns the exponent used. */
static int set_ratio(ratio *r, const weft__float *x, int first) {
  int unit = x->gap_below_is_half ? 2 : 1;
  int up = x->exponent > 0 ? x->exponent : 0;
  big_set(&r->rest, x->mantissa, up + unit);
  big_set(&r->scale, 1, up - x->exponent + unit);
  big_set(&r->low, 1, up);
  big_set(&r->high, 1, up + unit - 1);
  if (first > 0) {
    big_multiply_pow10(&r->scale, first);
  } else {
    big_multiply_pow10(&r->rest, -first);
    big_multiply_pow10(&r->low, -first);
    big_multiply_pow10(&r->high, -first);
  }
  big ten = r->scale;
  big_multiply(&ten, 10);
  if (big_compare(&r->rest, &ten) < 0) return first;
  r->scale = ten;
  return first + 1;
}

/* Free-format digit generation (Steele and White 1990; Burger and Dybvig 1996). Stops early if the format has fewer
   digits, and goes on if it has more. As in NumPy, the last digit is rounded by the exact rest of the value, ties to
   the even digit, unless only one of the two candidates reads back as the same float. */
static void find_digits(decimal *d, const weft__float *x, const weft__float_format *format) {
  d->count = 0;
  d->exponent = 0;
  if (!x->mantissa) return;

  int bits = 0;
  while (x->mantissa >> bits > 1) bits++;
  /* floor(log10(x)), or one less */
  int first = (int)floor((bits + x->exponent) * 0.30102999566398119521);
  if (!format->scientific && format->precision >= 0 && first < -format->precision) first = -format->precision;

  ratio r;
  first = set_ratio(&r, x, first);

  int last = INT32_MIN, least = first;
  if (format->precision >= 0) last = format->scientific ? first - format->precision : -format->precision;
  if (format->scientific) least = first - format->fraction_digits;

  /* Readers round ties to even, so the ends of an even mantissa's interval read back as it too. */
  int closed = !(x->mantissa & 1);
  bool down_is_same, up_is_same;
  int digit;
  d->exponent = first;
  for (int position = first;; position--) {
    digit = big_divide(&r.rest, &r.scale);
    down_is_same = big_compare(&r.rest, &r.low) < closed;
    up_is_same = big_compare_sum(&r.rest, &r.high, &r.scale) > -closed;
    if ((down_is_same || up_is_same) && position <= least) break;
    if (position == last || d->count == MAX_DIGITS - 1) break;
    d->digit[d->count++] = (char)digit;
    big_multiply(&r.rest, 10);
    big_multiply(&r.low, 10);
    big_multiply(&r.high, 10);
  }
  bool round_up = up_is_same;
  if (down_is_same == up_is_same) {
    int half = big_compare_sum(&r.rest, &r.rest, &r.scale);
    round_up = half > 0 || (half == 0 && digit & 1);
  }
  d->digit[d->count++] = (char)digit;
  if (round_up) increment(d);
  while (d->count && d->digit[d->count - 1] == 0) d->count--;
  if (!d->count) d->exponent = 0;
}

/* ---- text ---- */

static int decimal_length(int number) {
  int length = 1;
  for (; number >= 10; number /= 10) length++;
  return length;
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

/* Digits after the point, without padding. */
static int fraction_length(const decimal *d, const weft__float_format *format) {
  return larger(0, d->count - 1 - (format->scientific ? 0 : d->exponent));
}

static weft__float_lengths measure(const decimal *d, bool has_sign, const weft__float_format *format) {
  weft__float_lengths lengths = {0};
  lengths.left = has_sign + (format->scientific ? 1 : larger(1, d->exponent + 1));
  lengths.right = fraction_length(d, format);
  if (format->scientific) {
    lengths.right = larger(lengths.right, format->fraction_digits);
    lengths.exponent = larger(format->exponent_digits, decimal_length(d->exponent < 0 ? -d->exponent : d->exponent));
  }
  if (format->point == WEFT__POINT_ZERO) lengths.right = larger(lengths.right, 1);
  return lengths;
}

weft__float_lengths weft__float_measure(const weft__float *x, const weft__float_format *format) {
  decimal d;
  find_digits(&d, x, format);
  return measure(&d, x->negative || format->plus, format);
}

static void add_char(weft__text *text, char c) {
  weft__text_add_bytes(text, &c, 1);
}

static void add_padding(weft__text *text, int count) {
  if (count > 0) weft__text_fill(text, ' ', (size_t)count);
}

/* Appends `count` digits, starting with number `from` of the decimal. Digits outside the decimal are zeros. */
static void add_digits(weft__text *text, const decimal *d, int from, int count) {
  for (int i = from; i < from + count; i++) add_char(text, (char)('0' + (i >= 0 && i < d->count ? d->digit[i] : 0)));
}

static void add_special(weft__text *text, const weft__float *x, const weft__float_format *format) {
  const char *name = x->nan ? "nan" : "inf";
  bool negative = x->negative && !x->nan;
  bool has_sign = negative || format->plus;
  add_padding(text, format->left + format->right + 1 - has_sign - 3);
  if (has_sign) add_char(text, negative ? '-' : '+');
  weft__text_add_bytes(text, name, 3);
}

void weft__float_add(weft__text *text, const weft__float *x, const weft__float_format *format) {
  if (!x->finite) {
    add_special(text, x, format);
    return;
  }
  decimal d;
  find_digits(&d, x, format);
  bool has_sign = x->negative || format->plus;
  weft__float_lengths lengths = measure(&d, has_sign, format);
  int whole = lengths.left - has_sign;
  /* digits of `d` before the point; not positive if the number starts with "0." */
  int before_point = format->scientific ? 1 : d.exponent + 1;

  add_padding(text, format->left - lengths.left);
  if (has_sign) add_char(text, x->negative ? '-' : '+');
  add_digits(text, &d, before_point - whole, whole);
  if (lengths.right || format->point == WEFT__POINT_KEPT) add_char(text, '.');
  add_digits(text, &d, before_point, lengths.right);
  if (!format->scientific) {
    add_padding(text, format->right - lengths.right);
    return;
  }
  add_char(text, 'e');
  add_char(text, d.exponent < 0 ? '-' : '+');
  int exponent = d.exponent < 0 ? -d.exponent : d.exponent;
  for (int i = decimal_length(exponent); i < lengths.exponent; i++) add_char(text, '0');
  weft__text_add(text, "%d", exponent);
}
