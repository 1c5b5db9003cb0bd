// SPDX-License-Identifier: MIT
/// Operands and results of functions over whole arrays: arrays, C scalars and host memory.
///
///     rc = weft_add(&y, WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(1000)), 2.0f);
///     rc = weft_sqrt(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(1000)), x);
///
/// WEFT_OPERAND turns each into one small struct that is passed by value, so that one function serves every
/// combination. The functions' macros apply it.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_OPERAND_H
#define WEFT_OPERAND_H

#include <weft/array.h>
#include <weft/map.h>

WEFT_BEGIN_DECLS

/// Elements in host memory: contiguous, outermost axis first, aligned as C aligns the type. Made by WEFT_HOST.
typedef struct weft_host {
  const void *data;
  weft_dtype dtype;
  weft_shape shape;
} weft_host;
/// Host memory for a result, laid out as weft_host describes. Made by WEFT_HOST_OUT.
typedef struct weft_host_out {
  void *data;
  weft_dtype dtype;
  weft_shape shape;
} weft_host_out;

static inline weft_host weft__host(const void *data, weft_dtype dtype, weft_shape shape) {
  weft_host h;
  h.data = data;
  h.dtype = dtype;
  h.shape = shape;
  return h;
}
static inline weft_host_out weft__host_out(void *data, weft_dtype dtype, weft_shape shape) {
  weft_host_out h;
  h.data = data;
  h.dtype = dtype;
  h.shape = shape;
  return h;
}

/* Large host memory: functions over arrays (weft/ufunc.h, weft/eval.h) and reductions (weft/reduce.h) work in chunks if
   operands and results in host memory are over 64 MiB in total on a device with memory of its own, or need more device
   memory than the context has left. So they may exceed the device's memory and the context's budget; arrays on the
   device must fit. All other functions copy host memory whole. Results are bit-identical to an unchunked call, except
   f64 sums: these are grouped differently, so the last digit may differ. The details are in docs/guide.md, "More than
   the device holds". */

/// Host memory as an operand: WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(3, 4)). The call copies it to the device; a CPU
/// device may use it in place instead, and the call then waits. `data` may be changed when the call returns.
#define WEFT_HOST(data, dtype, ...) weft__host((data), (dtype), (__VA_ARGS__))
/// Host memory as a result, in place of `&out`: the call waits for the device and copies the result there.
#define WEFT_HOST_OUT(data, dtype, ...) weft__host_out((data), (dtype), (__VA_ARGS__))

/// What a weft_operand holds.
typedef enum weft_operand_kind {
  WEFT_OPERAND_NONE = 0,
  WEFT_OPERAND_ARRAY,
  WEFT_OPERAND_SCALAR,
  WEFT_OPERAND_HOST,
  WEFT_OPERAND_RESULT, /* weft_array **: a new array if *result is NULL, else written in place */
  WEFT_OPERAND_HOST_RESULT,
  WEFT_OPERAND_REDUCTION, /* options among the variables of weft_reduce: WEFT_REDUCTION */
  WEFT_OPERAND_SELECTION, /* options among the variables of weft_select: WEFT_SELECTION */
  WEFT_OPERAND_INDEXING,  /* options among the indices of weft_at: WEFT_INDEXING */
  WEFT_OPERAND_DIST,      /* an array of several ranks (weft/dist.h) */
  WEFT_OPERAND_STENCIL,   /* options among the variables of weft_stencil: WEFT_STENCIL */
} weft_operand_kind;

struct weft_reduction;
struct weft_selection;
struct weft_index_params;
struct weft_stencil_params;

/// One operand or result. WEFT_OPERAND makes it.
typedef struct weft_operand {
  weft_operand_kind kind;
  const char *name; /* the variable's name in an expression; NULL: unnamed */
  union {
    const weft_array *array;
    weft_scalar scalar;
    weft_host host;
    weft_array **result;
    weft_host_out host_result;
    const struct weft_reduction *reduction;
    const struct weft_selection *selection;
    const struct weft_index_params *indexing;
    const struct weft_stencil_params *stencil;
    const void *dist; /* a weft_dist_array */
  } as;
} weft_operand;

#define WEFT__INPUT_TYPES(X)                                    \
  X(array, weft_array *, WEFT_OPERAND_ARRAY, array)             \
  X(const_array, const weft_array *, WEFT_OPERAND_ARRAY, array) \
  X(host, weft_host, WEFT_OPERAND_HOST, host)                   \
  X(self_scalar, weft_scalar, WEFT_OPERAND_SCALAR, scalar)
#define WEFT__RESULT_TYPES(X)                           \
  X(result, weft_array **, WEFT_OPERAND_RESULT, result) \
  X(host_result, weft_host_out, WEFT_OPERAND_HOST_RESULT, host_result)

#define WEFT__DEFINE_OPERAND(name_, type, kind_, field)          \
  static inline weft_operand weft__operand_##name_(type value) { \
    weft_operand o;                                              \
    o.kind = kind_;                                              \
    o.name = NULL;                                               \
    o.as.field = value;                                          \
    return o;                                                    \
  }
WEFT__INPUT_TYPES(WEFT__DEFINE_OPERAND)
WEFT__RESULT_TYPES(WEFT__DEFINE_OPERAND)
WEFT__DEFINE_OPERAND(reduction, const struct weft_reduction *, WEFT_OPERAND_REDUCTION, reduction)
WEFT__DEFINE_OPERAND(selection, const struct weft_selection *, WEFT_OPERAND_SELECTION, selection)
WEFT__DEFINE_OPERAND(indexing, const struct weft_index_params *, WEFT_OPERAND_INDEXING, indexing)
WEFT__DEFINE_OPERAND(stencil, const struct weft_stencil_params *, WEFT_OPERAND_STENCIL, stencil)
#undef WEFT__DEFINE_OPERAND

#define WEFT__DEFINE_SCALAR_OPERAND(name, type, ...)              \
  static inline weft_operand weft__operand_##name(type value) {   \
    return weft__operand_self_scalar(weft__scalar_##name(value)); \
  }
WEFT__SCALAR_TYPES(WEFT__DEFINE_SCALAR_OPERAND)
WEFT__OTHER_SCALAR_TYPES(WEFT__DEFINE_SCALAR_OPERAND)
#undef WEFT__DEFINE_SCALAR_OPERAND

static inline weft_operand weft__operand_self(weft_operand value) {
  return value;
}
/* NULL, as a pointer or as the number 0, is a result that is not wanted. Any other pointer or number is no operand. */
static inline weft_operand weft__operand_nothing(const void *null) {
  weft_operand o = weft__operand_result(NULL);
  if (null) o.kind = WEFT_OPERAND_NONE;
  return o;
}
static inline weft_operand weft__operand_no_one(int null) {
  return weft__operand_nothing(null ? "" : NULL);
}
/* The text stands in front of its variables: it fills entry 0 of the array, and their list begins at entry 1. */
static inline weft_operand weft__operand_text(const char *text) {
  (void)text;
  return weft__operand_nothing(NULL);
}
static inline weft_operand weft__operand_named(const char *name, weft_operand value) {
  value.name = name;
  return value;
}

WEFT_END_DECLS

#define WEFT__NO_OPERAND                                                                                    \
  "Weft: not an operand: pass an array (x, not &x), a number, or host memory as WEFT_HOST(data, WEFT_F32, " \
  "WEFT_SHAPE(n))"
#define WEFT__NO_RESULT \
  "Weft: not a result: pass &y with weft_array *y, or host memory as WEFT_HOST_OUT(data, WEFT_F32, WEFT_SHAPE(n))"

#ifdef __cplusplus
#define WEFT__OVERLOAD_OPERAND(of, name, type) \
  inline weft_operand of(type value) {         \
    return weft__operand_##name(value);        \
  }
#define WEFT__OVERLOAD_INPUT(name, type, ...) WEFT__OVERLOAD_OPERAND(weft__input_of, name, type)
#define WEFT__OVERLOAD_RESULT(name, type, ...)        \
  WEFT__OVERLOAD_OPERAND(weft__result_of, name, type) \
  WEFT__OVERLOAD_OPERAND(weft__result_or_null, name, type)
#define WEFT__OVERLOAD_ANY(name, type, ...) WEFT__OVERLOAD_OPERAND(weft__operand_of, name, type)
WEFT__INPUT_TYPES(WEFT__OVERLOAD_INPUT)
WEFT__SCALAR_TYPES(WEFT__OVERLOAD_INPUT)
WEFT__OTHER_SCALAR_TYPES(WEFT__OVERLOAD_INPUT)
WEFT__OVERLOAD_INPUT(self, weft_operand, )
WEFT__RESULT_TYPES(WEFT__OVERLOAD_RESULT)
WEFT__OVERLOAD_RESULT(self, weft_operand, )
WEFT__INPUT_TYPES(WEFT__OVERLOAD_ANY)
WEFT__SCALAR_TYPES(WEFT__OVERLOAD_ANY)
WEFT__OTHER_SCALAR_TYPES(WEFT__OVERLOAD_ANY)
WEFT__RESULT_TYPES(WEFT__OVERLOAD_ANY)
WEFT__OVERLOAD_ANY(self, weft_operand, )
#undef WEFT__OVERLOAD_ANY
#undef WEFT__OVERLOAD_RESULT
#undef WEFT__OVERLOAD_INPUT
#undef WEFT__OVERLOAD_OPERAND
/* These overloads refuse other types with a message: pointers, which would convert to bool; types without a conversion;
   nullptr. They are written out because a macro would add a compiler note. */
template <typename T>
inline weft_operand weft__input_of(const volatile T *) {
  static_assert(weft__never<T>::value, WEFT__NO_OPERAND);
  return weft_operand();
}
template <typename... Nothing>
inline weft_operand weft__input_of(...) {
  static_assert(sizeof...(Nothing) != 0, WEFT__NO_OPERAND); /* it is empty */
  return weft_operand();
}
template <bool Never = false>
inline weft_operand weft__input_of(decltype(nullptr)) {
  static_assert(Never, WEFT__NO_OPERAND);
  return weft_operand();
}
template <typename T>
inline weft_operand weft__result_of(const T &) {
  static_assert(weft__never<T>::value, WEFT__NO_RESULT);
  return weft_operand();
}
template <typename T>
inline weft_operand weft__result_or_null(const volatile T *) {
  static_assert(weft__never<T>::value, WEFT__NO_RESULT);
  return weft_operand();
}
template <typename... Nothing>
inline weft_operand weft__result_or_null(...) {
  static_assert(sizeof...(Nothing) != 0, WEFT__NO_RESULT); /* it is empty */
  return weft_operand();
}
template <typename T>
inline weft_operand weft__operand_of(const volatile T *) {
  static_assert(weft__never<T>::value, WEFT__NO_OPERAND);
  return weft_operand();
}
template <typename... Nothing>
inline weft_operand weft__operand_of(...) {
  static_assert(sizeof...(Nothing) != 0, WEFT__NO_OPERAND); /* it is empty */
  return weft_operand();
}
template <bool Never = false>
inline weft_operand weft__operand_of(decltype(nullptr)) {
  static_assert(Never, WEFT__NO_OPERAND);
  return weft_operand();
}
template <bool Never>
inline void weft__not_null() {
  static_assert(!Never, WEFT__NO_OPERAND); /* NULL is a number to C++ */
}
#define WEFT__OPERAND(x) (weft__not_null<weft__same_text(#x, "__null")>(), weft__input_of(x))
#define WEFT__RESULT(x) weft__result_of(x)
#define WEFT__RESULT_OR_NULL(x) weft__result_or_null(x)
#define WEFT__CONVERSION(x) weft__operand_of
#define WEFT_OPERAND(x) weft__operand_of(x)
/// The operands of one call as an array.
template <typename... Operands>
struct weft__operand_list {
  weft_operand operand[sizeof...(Operands)];
  explicit weft__operand_list(Operands... operands) : operand{weft__operand_of(operands)...} {
  }
};
template <typename... Operands>
inline weft__operand_list<Operands...> weft__operands(Operands... operands) {
  return weft__operand_list<Operands...>(operands...);
}
#define WEFT__LIST(...) WEFT__OPERANDS(__VA_ARGS__)
#define WEFT__OPERANDS(...) weft__operands(__VA_ARGS__).operand
template <typename... Variables>
inline int weft__variable_count(const char *, Variables...) {
  return static_cast<int>(sizeof...(Variables));
}
template <typename... Variables>
inline weft__operand_list<weft_operand, Variables...> weft__variables(const char *, Variables... variables) {
  return weft__operand_list<weft_operand, Variables...>(weft__operand_nothing(NULL), variables...);
}
#define WEFT__NAMED_OPERANDS(...) weft__variable_count(__VA_ARGS__), weft__variables(__VA_ARGS__).operand + 1
#else
WEFT__REFUSING_BEGINS
weft_operand weft__no_operand_see_WEFT_HOST(WEFT__A_POINTER) WEFT__REFUSED(WEFT__NO_OPERAND);
weft_operand weft__no_operand_see_WEFT_HOST(WEFT__ANYTHING) WEFT__REFUSED(WEFT__NO_OPERAND);
weft_operand weft__no_result_see_WEFT_HOST_OUT(WEFT__A_POINTER) WEFT__REFUSED(WEFT__NO_RESULT);
weft_operand weft__no_result_see_WEFT_HOST_OUT(WEFT__ANYTHING) WEFT__REFUSED(WEFT__NO_RESULT);
WEFT__REFUSING_ENDS
#define WEFT__OPERAND_CASE(name, type, ...) \
  type:                                     \
  weft__operand_##name,
/// Converts an operand: an array, any C scalar, a weft_host or a weft_operand. Other types do not compile.
#define WEFT__OPERAND(x)                                                                     \
  _Generic((x), WEFT__INPUT_TYPES(WEFT__OPERAND_CASE) WEFT__SCALAR_TYPES(WEFT__OPERAND_CASE) \
                    WEFT__OTHER_SCALAR_TYPES(WEFT__OPERAND_CASE) weft_operand                \
           : weft__operand_self, default                                                     \
           : weft__no_operand_see_WEFT_HOST)(x)
/// Converts a result: the address of an array's handle, a weft_host_out or a weft_operand. Other types do not compile.
#define WEFT__RESULT(x)                                             \
  _Generic((x), WEFT__RESULT_TYPES(WEFT__OPERAND_CASE) weft_operand \
           : weft__operand_self, default                            \
           : weft__no_result_see_WEFT_HOST_OUT)(x)
/// Converts a result as WEFT__RESULT does, or NULL for a result that is not wanted.
#define WEFT__RESULT_OR_NULL(x) \
  _Generic((x), WEFT__RESULT_TYPES(WEFT__OPERAND_CASE) weft_operand \
           : weft__operand_self, void *                             \
           : weft__operand_nothing, int                             \
           : weft__operand_no_one, default                          \
           : weft__no_result_see_WEFT_HOST_OUT)(x)
/// Converts an operand or a result to a weft_operand: for lists of both, and for functions that pass operands on.
#define WEFT_OPERAND(x) WEFT__CONVERSION(x)(x)
#define WEFT__CONVERSION(x)                                                                                          \
  _Generic((x), WEFT__INPUT_TYPES(WEFT__OPERAND_CASE) WEFT__SCALAR_TYPES(WEFT__OPERAND_CASE)                         \
                    WEFT__OTHER_SCALAR_TYPES(WEFT__OPERAND_CASE) WEFT__RESULT_TYPES(WEFT__OPERAND_CASE) weft_operand \
           : weft__operand_self, default                                                                             \
           : weft__no_operand_see_WEFT_HOST)
/* lists of weft_operand, and of operands to convert */
#define WEFT__LIST(...) ((const weft_operand[]){__VA_ARGS__})
#define WEFT__OPERANDS(...) ((const weft_operand[]){WEFT__MAP(WEFT_OPERAND, __VA_ARGS__)})
/* a text and its variables: the number of variables, and their list */
#define WEFT__NAMED_OPERAND(x) \
  _Generic((x), char * : weft__operand_text, const char * : weft__operand_text, default : WEFT__CONVERSION(x))(x)
#define WEFT__NAMED_OPERANDS(...) \
  (int)WEFT__COUNT(__VA_ARGS__) - 1, (const weft_operand[]){WEFT__MAP(WEFT__NAMED_OPERAND, __VA_ARGS__)} + 1
#endif

/// A variable of an expression under its own name: WEFT_VAR(a) is `a` in the expression, WEFT_VAR(&out) is the result
/// `out`.
#define WEFT_VAR(x) weft__operand_named(#x, WEFT__CONVERSION(x)(x))
/// A variable of an expression under another name: WEFT_NAMED("k", 2.0f).
#define WEFT_NAMED(name, ...) weft__operand_named((name), WEFT_OPERAND((__VA_ARGS__)))

#endif
