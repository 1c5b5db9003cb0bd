// SPDX-License-Identifier: MIT
#include "primitive.h"

/// Parameters of all: axes, mode, value, origin; then what the filter has of its own.
static weft_filter_params filter_of(primitive *p) {
  weft_filter_params params = {.mode = (weft_border_mode)I(1), .origin = SHAPE(3), .site = WEFT_SITE};
  if (params.mode == WEFT_BORDER_CONSTANT) params.value = scalar_of(p, 2);
  return params;
}

/// Also order and truncate.
static weft_status gaussian(primitive *p, bool is_laplace) {
  weft_gaussian_params params = {
      .mode = (weft_border_mode)I(1), .order = SHAPE(4), .truncate = F(5), .site = WEFT_SITE};
  if (params.mode == WEFT_BORDER_CONSTANT) params.value = scalar_of(p, 2);
  return weft__gaussian_at(R(0), X(0), X(1), AXES(0), is_laplace, &params);
}

static weft_status correlate(primitive *p) {
  const weft_filter_params params = filter_of(p);
  return weft__filter_correlate_at(R(0), X(0), X(1), AXES(0), AXIS(4), &params);
}

static weft_status uniform(primitive *p) {
  const weft_filter_params params = filter_of(p);
  return weft__uniform_filter_at(R(0), X(0), SHAPE(4), AXES(0), &params);
}

static weft_status sobel(primitive *p) {
  const weft_filter_params params = filter_of(p);
  return weft__sobel_at(R(0), X(0), AXES(0), I(4), &params);
}

static weft_status laplace(primitive *p) {
  const weft_filter_params params = filter_of(p);
  return weft__laplace_filter_at(R(0), X(0), AXES(0), &params);
}

/// Also size, form and the rank or percentile; a second operand is the footprint.
static weft_status order(primitive *p) {
  weft_window_params params = {.mode = (weft_border_mode)I(1), .origin = SHAPE(3), .site = WEFT_SITE};
  if (params.mode == WEFT_BORDER_CONSTANT) params.value = scalar_of(p, 2);
  if (p->t.operands > 1) params.footprint = VIEW(1);
  return weft__order_filter_at(R(0), X(0), F(6), SHAPE(4), AXES(0), (weft__order_form)I(5), &params);
}

/// Parameters: form, iterations, border, origin.
static weft_status binary(primitive *p) {
  weft_binary_params params = {.iterations = AXIS(1), .border_value = I(2), .origin = SHAPE(3), .site = WEFT_SITE};
  if (p->t.operands > 1) params.structure = VIEW(1);
  return weft__binary_at(R(0), X(0), (weft__order_form)I(0), &params);
}

/// Parameters: order, mode, value.
static weft_transform_params transform_of(primitive *p) {
  weft_transform_params params = {.order = (weft_spline)I(0), .mode = (weft_border_mode)I(1), .site = WEFT_SITE};
  if (params.mode == WEFT_BORDER_CONSTANT) params.value = scalar_of(p, 2);
  return params;
}

static weft_status map_coordinates(primitive *p) {
  const weft_transform_params params = transform_of(p);
  return weft__map_coordinates_at(R(0), X(0), X(1), &params);
}

/// Also form and shape.
static weft_status transform(primitive *p) {
  weft_transform_params params = transform_of(p);
  params.shape = SHAPE(4);
  return weft__transform_at(R(0), X(0), X(1), (weft__transform_form)I(3), &params);
}

/// Also degrees, axes, whether the shape is kept.
static weft_status rotate(primitive *p) {
  weft_transform_params params = transform_of(p);
  params.keeps_shape = I(5);
  return weft__rotate_at(R(0), X(0), F(3), AXES(4), &params);
}

/// The results: labels and their number; a second operand is the structure.
static weft_status label(primitive *p) {
  weft_label_params params = {.count = &INTO(1), .site = WEFT_SITE};
  if (p->t.operands > 1) params.structure = VIEW(1);
  return weft__label_at(R(0), X(0), &params);
}

static weft_status distance(primitive *p) {
  weft_distance_params params = {.site = WEFT_SITE};
  if (p->t.operands > 1) params.sampling = VIEW(1);
  return weft__distance_transform_at(R(0), X(0), &params);
}

/// Parameters: whether there are ends, and the two; the period.
static weft_status interp(primitive *p) {
  weft_interp_params params = {.period = F(3), .site = WEFT_SITE};
  if (I(0)) params.left = WEFT_SCALAR(F(1));
  if (I(0)) params.right = WEFT_SCALAR(F(2));
  return weft__interp_at(R(0), X(0), X(1), X(2), &params);
}

#define CALLS_FILTER(C)                  \
  C(label, label(p))                     \
  C(distance_transform, distance(p))     \
  C(interp, interp(p))                   \
  C(map_coordinates, map_coordinates(p)) \
  C(transform, transform(p))             \
  C(rotate, rotate(p))                   \
  C(order_filter, order(p))              \
  C(binary_filter, binary(p))            \
  C(correlate_window, correlate(p))      \
  C(gaussian_filter, gaussian(p, false)) \
  C(gaussian_laplace, gaussian(p, true)) \
  C(uniform_filter, uniform(p))          \
  C(sobel, sobel(p))                     \
  C(laplace, laplace(p))

CALLS_FILTER(DEFINE_CALL)
const call_row calls_of_filter[] = {CALLS_FILTER(CALL_ROW){NULL, NULL}};
