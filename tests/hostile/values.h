// SPDX-License-Identifier: MIT
/// The values that hostile.c passes: of the right type, and otherwise what a caller would not. An address is NULL or of
/// ROOM elements; a number in a call with addresses is at most ROOM, as it may be an address's length.
#ifndef WEFT_TESTS_HOSTILE_VALUES_H
#define WEFT_TESTS_HOSTILE_VALUES_H

/// Integers: few in calls with addresses, where a large one would be a lie about memory.
static int64_t some_int64_t(void) {
  static const int64_t any[] = {
      0, 1, -1, 2, 3, 5, -3, 16, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, (int64_t)1 << 40};
  static const int64_t few[] = {0, 1, -1, 2, 3, 5, -3, 16, INT32_MIN, INT64_MIN};
  return bounded ? few[below(sizeof few / sizeof *few)] : any[below(sizeof any / sizeof *any)];
}

static int some_int(void) {
  const int64_t value = some_int64_t();
  return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

static uint64_t some_uint64_t(void) {
  const int64_t value = some_int64_t();
  return bounded && value < 0 ? 0 : (uint64_t)value;
}

static size_t some_size_t(void) {
  return some_uint64_t();
}

static uint32_t some_uint32_t(void) {
  return (uint32_t)some_uint64_t();
}

static uint16_t some_uint16_t(void) {
  return (uint16_t)some_uint64_t();
}

static unsigned some_unsigned(void) {
  return some_uint32_t();
}

static double some_double(void) {
  static const double any[] = {0, 1, -1, 0.5, 3, 1e300, -1e300, 1e-300, INFINITY, -INFINITY, NAN, 2147483648.0, 1e19};
  return any[below(sizeof any / sizeof *any)];
}

static float some_float(void) {
  return (float)some_double();
}

static bool some__Bool(void) {
  return one_of(2);
}

static int some_of_enum(size_t count, const long *values) {
  static const int no_values[] = {-1, 99, INT_MAX, INT_MIN};
  return one_of(4) ? no_values[below(4)] : (int)values[below(count)];
}

static const char *some_text(void) {
  static const char *const any[] = {NULL,
                                    "",
                                    "a",
                                    "a + b",
                                    "x",
                                    "[0]",
                                    "[::-1, None]",
                                    "%s%n",
                                    "i,i->",
                                    "cpu",
                                    "-1",
                                    "i->",
                                    "kernel void k(global float *x) {}",
                                    "no/such",
                                    "(((("};
  return any[below(sizeof any / sizeof *any)];
}

/* ---- addresses ---- */

static void *some_void_pointer(void) {
  static char memory[1 << 20];
  return one_of(3) ? NULL : memory;
}

#define NUMBERS_AT(type)                                       \
  static type *some_##type##_pointer(void) {                   \
    static type numbers[ROOM];                                 \
    if (one_of(3)) return NULL;                                \
    for (int k = 0; k < ROOM; k++) numbers[k] = some_##type(); \
    return numbers;                                            \
  }
NUMBERS_AT(int)
NUMBERS_AT(int64_t)
NUMBERS_AT(uint64_t)
NUMBERS_AT(size_t)
NUMBERS_AT(_Bool)

static FILE *some_FILE_pointer(void) {
  return one_of(3) ? NULL : nowhere;
}

/// For results that are memory of the library's: they are freed behind the call.
static void **some_table(void) {
  if (one_of(4)) return NULL;
  return &tables[below(ROOM)];
}

static char **some_char_results(void) {
  return (char **)(void *)some_table();
}

static void **some_void_results(void) {
  return NULL; /* objects of any kind, or memory that is not weft_free's */
}

static void *some_object(object kind) {
  return one_of(5) ? NULL : objects[kind];
}

static weft_array *some_array(void) {
  return one_of(6) ? NULL : arrays[below(ARRAYS)];
}

/// For results that are handles.
static void **some_handles(void) {
  return one_of(4) ? NULL : &handles[below(ROOM)];
}

static weft_array **some_weft_array_results(void) {
  if (one_of(5)) return NULL;
  if (one_of(4)) results[0] = weft_array_retain(arrays[below(ARRAYS)]);
  return results;
}

static weft_array *const *some_arrays(void) {
  static weft_array *list[ROOM];
  if (one_of(3)) return NULL;
  for (int k = 0; k < ROOM; k++) list[k] = some_array();
  return list;
}

/* ---- structs ---- */

static weft_shape some_weft_shape(void) {
  weft_shape shape = {.ndim = one_of(8) ? some_int() : (int)below(4)};
  for (int d = 0; d < WEFT_MAX_NDIM; d++) shape.dim[d] = one_of(4) ? some_int64_t() : (int64_t)below(4);
  return shape;
}

static weft_axes some_weft_axes(void) {
  weft_axes axes = one_of(4) ? WEFT_ALL_AXES : WEFT_AXES(0);
  if (one_of(3)) axes.count = some_int();
  for (int d = 0; d < WEFT_MAX_NDIM; d++)
    if (one_of(2)) axes.axis[d] = some_int();
  axes.keepdims = one_of(4);
  return axes;
}

static weft_scalar some_weft_scalar(void) {
  weft_scalar scalar = {.dtype = (weft_dtype)some_of_enum(COUNT_OF(values_weft_dtype), values_weft_dtype)};
  if (one_of(2))
    scalar.value.i = some_int64_t();
  else
    scalar.value.f = some_double();
  return scalar;
}

/// Host memory that is as large as it says.
static weft_host some_weft_host(void) {
  weft_host host = {some_void_pointer(), some_weft_scalar().dtype, some_weft_shape()};
  for (int d = 0; d < WEFT_MAX_NDIM && host.data; d++)
    if (host.shape.dim[d] > 4) host.shape.dim[d] = 4;
  if (host.data && host.shape.ndim > 6) host.shape.ndim = 99;
  return host;
}

static weft_host_out some_weft_host_out(void) {
  const weft_host host = some_weft_host();
  return (weft_host_out){(void *)(uintptr_t)host.data, host.dtype, host.shape};
}

static weft_operand some_weft_operand(void) {
  weft_operand operand;
  memset(&operand, 0, sizeof operand);
  operand.name = one_of(2) ? "a" : some_text();
  operand.kind = one_of(3)
                     ? (weft_operand_kind)some_of_enum(COUNT_OF(values_weft_operand_kind), values_weft_operand_kind)
                     : WEFT_OPERAND_ARRAY;
  if (operand.kind == WEFT_OPERAND_ARRAY) operand.as.array = some_array();
  if (operand.kind == WEFT_OPERAND_SCALAR) operand.as.scalar = some_weft_scalar();
  if (operand.kind == WEFT_OPERAND_HOST) operand.as.host = some_weft_host();
  if (operand.kind == WEFT_OPERAND_HOST_RESULT) operand.as.host_result = some_weft_host_out();
  if (operand.kind == WEFT_OPERAND_RESULT) operand.as.result = some_weft_array_results();
  if (operand.kind == WEFT_OPERAND_REDUCTION) operand.as.reduction = some_weft_reduction_pointer();
  if (operand.kind == WEFT_OPERAND_SELECTION) operand.as.selection = some_weft_selection_pointer();
  if (operand.kind == WEFT_OPERAND_INDEXING) operand.as.indexing = some_weft_index_params_pointer();
  if (operand.kind == WEFT_OPERAND_STENCIL) operand.as.stencil = some_weft_stencil_params_pointer();
  return operand;
}

static weft_bytes some_weft_bytes(void) {
  return (weft_bytes){some_void_pointer(), below(ROOM)};
}

static weft_arg some_weft_arg(void) {
  weft_arg arg;
  memset(&arg, 0, sizeof arg);
  arg.kind = (weft_arg_kind)some_of_enum(COUNT_OF(values_weft_arg_kind), values_weft_arg_kind);
  if (arg.kind == WEFT_ARG_ARRAY || arg.kind == WEFT_ARG_CONST_ARRAY) arg.as.array = some_array();
  if (arg.kind == WEFT_ARG_SCALAR) arg.as.scalar = some_weft_scalar();
  if (arg.kind == WEFT_ARG_LOCAL) arg.as.local.size_bytes = some_size_t();
  if (arg.kind == WEFT_ARG_BYTES) arg.as.bytes = some_weft_bytes();
  if (arg.kind == WEFT_ARG_POINTER) arg.as.pointer = some_void_pointer();
  if (arg.kind == WEFT_ARG_DIM3) arg.as.dim = some_weft_dim3();
  return arg;
}

static weft_kernel_params some_weft_kernel_params(void) {
  weft_kernel_params p = {.source = some_text(), .name = some_text(), .options = some_text()};
  if (one_of(4)) p.binary = some_void_pointer(), p.binary_bytes = below(ROOM);
  if (one_of(4)) p.il = some_void_pointer(), p.il_bytes = below(ROOM);
  return p;
}

static weft_tune_params some_weft_tune_params(void) {
  return (weft_tune_params){.kernel = some_weft_kernel_params()};
}

static weft_histogramdd_params some_weft_histogramdd_params(void) {
  weft_histogramdd_params p = {.density = one_of(2)};
  if (one_of(2)) p.weights = some_array();
  return p;
}

#endif
