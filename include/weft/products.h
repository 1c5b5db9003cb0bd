// SPDX-License-Identifier: MIT
/// Products and sums over axes: Einstein's summation, tensor, inner, outer, Kronecker and cross products, chains of
/// matrices, traces. For products of matrices see weft/matmul.h.
///
///     rc = weft_einsum(&y, "bij,bjk->bik", a, b);                        as numpy.einsum
///     rc = weft_tensordot(&y, a, b, WEFT_AXES(1, 2), WEFT_AXES(0, 1));   sums over pairs of axes
///     rc = weft_outer(&y, a, b);
///     rc = weft_multi_dot(&y, matrices, 4);                              matrices is a weft_array *[4]
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_PRODUCTS_H
#define WEFT_PRODUCTS_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- Einstein's summation ----
   numpy.einsum's language. The text has the labels of each operand's axes, letters, separated by commas: "ij,jk".
   Behind "->" are the labels of the result's axes; a label that is missing there is summed over. Without "->" the
   result has the labels that occur once, in alphabetical order. A label that occurs twice in an operand takes its
   diagonal. "..." stands for all axes without a label, which broadcast as in other functions. A label has the same
   length everywhere, or length 1, which is repeated.

   Sums stay in the operands' dtype (to which all operands promote): integers wrap, of bools a sum is or and a product
   and. Two operands at a time are multiplied, as a product of matrices (weft_matmul) if the step sums over a label. The
   order of the steps has the least multiplications for up to 8 operands; of more, the next two are those that need
   the fewest. An operand is copied if its axes are no matrix in memory. A step's result has at most 8 axes
   (WEFT_ERROR_SHAPE). */

/// The sum of products that `subscripts` describes, over 1 to 23 operands. Errors: WEFT_ERROR_EXPRESSION (a fault of
/// the text; the message begins with "subscripts:1:4: ...", line and column), WEFT_ERROR_SHAPE (an operand without as
/// many axes as it has labels, a label of two lengths), WEFT_ERROR_ARGUMENT (another number of operands than the text
/// has).
WEFT_API WEFT_NODISCARD weft_status weft_einsum(weft_array **out, const char *subscripts, int operand_count,
                                                const weft_operand *operands);

/// The steps in which weft_einsum would compute this sum, as a table with the number of multiplications of each step,
/// and of a computation without steps. Only the operands' shapes are read. Free *text with weft_free. Errors: as
/// weft_einsum.
WEFT_API WEFT_NODISCARD weft_status weft_einsum_path(char **text, const char *subscripts, int operand_count,
                                                     const weft_operand *operands);

/* ---- products ---- */

/// numpy.tensordot: the sum of products over pairs of axes: the first of `axes_a` with the first of `axes_b`, and so on
/// (WEFT_ERROR_AXIS: different numbers of axes; WEFT_ERROR_SHAPE: different lengths). The result has a's other axes,
/// then b's.
WEFT_API WEFT_NODISCARD weft_status weft_tensordot(weft_array **out, const weft_array *a, const weft_array *b,
                                                   weft_axes axes_a, weft_axes axes_b);
/// numpy.inner: the sum of products over the last axes, whose lengths are equal (WEFT_ERROR_SHAPE). The result has a's
/// other axes, then b's. With a number, or an array without axes: weft_multiply.
WEFT_API WEFT_NODISCARD weft_status weft_inner(weft_array **out, const weft_array *a, const weft_array *b);
/// numpy.outer: a's elements times b's elements, [a's size, b's size], each in row-major order.
WEFT_API WEFT_NODISCARD weft_status weft_outer(weft_array **out, const weft_array *a, const weft_array *b);
/// numpy.matvec: the product of matrices, a's last two axes, and vectors, x's last axis; other axes broadcast.
/// WEFT_ERROR_SHAPE: `a` has fewer than two axes, `x` has none, or their last axes differ.
WEFT_API WEFT_NODISCARD weft_status weft_matvec(weft_array **out, const weft_array *a, const weft_array *x);
/// numpy.kron: each element of `a` times the whole of `b`. The result's axes have a's lengths times b's. Together the
/// operands have at most 8 axes (WEFT_ERROR_SHAPE).
WEFT_API WEFT_NODISCARD weft_status weft_kron(weft_array **out, const weft_array *a, const weft_array *b);
/// numpy.linalg.cross: the vector products along one axis, which has length 3 in both (WEFT_ERROR_SHAPE); other axes
/// broadcast. WEFT_ERROR_DTYPE: bool.
WEFT_API WEFT_NODISCARD weft_status weft_cross(weft_array **out, const weft_array *a, const weft_array *b,
                                               weft_axes axis);
/// numpy.linalg.multi_dot: the product of `count` matrices, 2 to 500, in the order that needs the fewest
/// multiplications. The first may be a row, the last a column, of one axis. WEFT_ERROR_SHAPE: other axes, or inner
/// lengths that differ.
WEFT_API WEFT_NODISCARD weft_status weft_multi_dot(weft_array **out, weft_array *const *arrays, int64_t count);

/// Options of weft_matrix_trace.
typedef struct weft_matrix_trace_params {
  int64_t k;        /* positive: above the main diagonal, negative: below */
  const char *site; /* set by the macro */
} weft_matrix_trace_params;

/// numpy.trace: the sum of the diagonal of two axes, which the result does not have. The dtype is weft_sum's.
/// (weft_trace is another function: it writes calls to the log.)
WEFT_API WEFT_NODISCARD weft_status weft_matrix_trace(weft_array **out, const weft_array *x, weft_axes axes,
                                                      const weft_matrix_trace_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__einsum_at(weft_operand out, const char *subscripts, int operand_count,
                                                    const weft_operand *operands, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__einsum_path_at(char **text, const char *subscripts, int operand_count,
                                                         const weft_operand *operands, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__tensordot_at(weft_operand out, weft_operand a, weft_operand b,
                                                       weft_axes axes_a, weft_axes axes_b, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__inner_at(weft_operand out, weft_operand a, weft_operand b, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__outer_at(weft_operand out, weft_operand a, weft_operand b, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__matvec_at(weft_operand out, weft_operand a, weft_operand x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__kron_at(weft_operand out, weft_operand a, weft_operand b, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__cross_at(weft_operand out, weft_operand a, weft_operand b, weft_axes axis,
                                                   const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__multi_dot_at(weft_operand out, weft_array *const *arrays, int64_t count,
                                                       const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__matrix_trace_at(weft_operand out, weft_operand x, weft_axes axes,
                                                          const weft_matrix_trace_params *params);

#define weft_einsum(out, subscripts, ...)                                                                      \
  weft__einsum_at(WEFT__RESULT(out), (subscripts), (int)WEFT__COUNT(__VA_ARGS__), WEFT__OPERANDS(__VA_ARGS__), \
                  WEFT_SITE)
#define weft_einsum_path(text, subscripts, ...) \
  weft__einsum_path_at((text), (subscripts), (int)WEFT__COUNT(__VA_ARGS__), WEFT__OPERANDS(__VA_ARGS__), WEFT_SITE)
#define weft_tensordot(out, a, b, axes_a, axes_b)                                                                   \
  weft__tensordot_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT__AXES(axes_a), WEFT__AXES(axes_b), \
                     WEFT_SITE)
#define weft_inner(out, a, b) weft__inner_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT_SITE)
#define weft_outer(out, a, b) weft__outer_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT_SITE)
#define weft_matvec(out, a, x) weft__matvec_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(x), WEFT_SITE)
#define weft_kron(out, a, b) weft__kron_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT_SITE)
#define weft_cross(out, a, b, axis) \
  weft__cross_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT__AXES(axis), WEFT_SITE)
#define weft_multi_dot(out, arrays, count) weft__multi_dot_at(WEFT__RESULT(out), (arrays), (count), WEFT_SITE)
#define weft_matrix_trace(out, x, ...)                                                             \
  weft__matrix_trace_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__OPTIONS(weft_matrix_trace_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
