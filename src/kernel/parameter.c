// SPDX-License-Identifier: MIT
#include "kernel/parameter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dtype/opencl.h"
#include "dtype/scalar.h"
#include "ocl/codes.h"

/// The number types of OpenCL C, and of weft/cuda.clh. Compilers use either spelling of the unsigned types.
static const struct {
  const char *name;
  weft_dtype dtype;
} number_types[] = {
    {"char", WEFT_I8},          {"uchar", WEFT_U8},           {"unsigned char", WEFT_U8}, {"short", WEFT_I16},
    {"ushort", WEFT_U16},       {"unsigned short", WEFT_U16}, {"int", WEFT_I32},          {"uint", WEFT_U32},
    {"unsigned int", WEFT_U32}, {"long", WEFT_I64},           {"ulong", WEFT_U64},        {"unsigned long", WEFT_U64},
    {"half", WEFT_F16},         {"float", WEFT_F32},          {"double", WEFT_F64},       {"bool", WEFT_BOOL},
    {"int8_t", WEFT_I8},        {"int16_t", WEFT_I16},        {"int32_t", WEFT_I32},      {"int64_t", WEFT_I64},
    {"uint8_t", WEFT_U8},       {"uint16_t", WEFT_U16},       {"uint32_t", WEFT_U32},     {"uint64_t", WEFT_U64},
};

/// The OpenCL C name of a dtype's numbers, for messages.
static const char *type_name(weft_dtype dtype) {
  for (size_t i = 0; i < sizeof number_types / sizeof *number_types; i++)
    if (number_types[i].dtype == dtype) return number_types[i].name;
  return weft_dtype_kind(dtype) == 'c' ? weft__cl_stored(dtype) : weft_dtype_name(dtype);
}

/// Parses "float" or, with *lanes set above 1, "float4". Returns NONE for other types.
static weft_dtype parse_type(const char *type, size_t length, unsigned *lanes) {
  *lanes = 1;
  size_t letters = length;
  while (letters > 0 && type[letters - 1] >= '0' && type[letters - 1] <= '9') letters--;
  for (size_t i = 0; i < sizeof number_types / sizeof *number_types; i++)
    if (strlen(number_types[i].name) == letters && strncmp(number_types[i].name, type, letters) == 0) {
      if (letters < length) *lanes = (unsigned)strtoul(type + letters, NULL, 10);
      return number_types[i].dtype;
    }
  return WEFT_DTYPE_NONE;
}

/// The bare type name: without leading qualifiers and trailing blanks and stars.
static const char *base_of(const char *type, size_t *length) {
  static const char *const qualifiers[] = {"const ",   "volatile ",  "__global ", "__constant ",
                                           "__local ", "__private ", "restrict ", "struct "};
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
      if (strncmp(type, qualifiers[i], strlen(qualifiers[i])) == 0) {
        type += strlen(qualifiers[i]);
        again = true;
      }
  }
  *length = strlen(type);
  while (*length && strchr(" *", type[*length - 1])) --*length;
  return type;
}

static weft_status copy_text(char **text, const char *from) {
  if (!(*text = weft__new(strlen(from) + 1))) return WEFT_ERROR_HOST_MEMORY;
  strcpy(*text, from);
  return WEFT_OK;
}

static weft_status make_unknown(weft__parameter *parameter) {
  parameter->kind = WEFT__PARAMETER_UNKNOWN;
  weft_status rc = copy_text(&parameter->type, "a type this driver does not report");
  return rc ? rc : copy_text(&parameter->name, "?");
}

static weft_status read_text(char **text, weft__text_kind kind, weft__cl_kernel kernel, uint32_t index) {
  int code = weft__driver_text(text, &(weft__text_of){.kind = kind, .kernel = kernel, .index = index});
  return code ? weft__cl_fail(code, "clGetKernelArgInfo") : WEFT_OK;
}

weft_status weft__parameter_read(weft__parameter *parameter, weft__cl_kernel kernel, uint32_t index,
                                 bool has_arg_info) {
  weft__parameter_info info = {0};
  if (!has_arg_info) return make_unknown(parameter);
  WEFT__TRY_RETURN(read_text(&parameter->type, WEFT__TEXT_PARAMETER_TYPE, kernel, index));
  WEFT__TRY_RETURN(read_text(&parameter->name, WEFT__TEXT_PARAMETER_NAME, kernel, index));
  int code = weft__driver->parameter_info(&info, kernel, index);
  if (code) return weft__cl_fail(code, "clGetKernelArgInfo");
  parameter->reads = info.reads;
  parameter->writes = info.writes;

  size_t length;
  unsigned lanes;
  const char *base = base_of(parameter->type, &length);
  weft_dtype dtype = parse_type(base, length, &lanes);
  parameter->dtype = dtype;
  parameter->lanes = lanes;
  /* compilers report the global address space for images and pipes */
  if (info.is_pipe) {
    parameter->kind = WEFT__PARAMETER_PIPE;
  } else if ((info.reads || info.writes) && !strchr(base, '*')) {
    parameter->kind = WEFT__PARAMETER_IMAGE;
  } else if (strcmp(base, "sampler_t") == 0) {
    parameter->kind = WEFT__PARAMETER_SAMPLER;
  } else if (info.space == WEFT__SPACE_LOCAL) {
    parameter->kind = WEFT__PARAMETER_LOCAL;
  } else if (info.space == WEFT__SPACE_GLOBAL || info.space == WEFT__SPACE_CONSTANT) {
    parameter->kind = WEFT__PARAMETER_POINTER;
    parameter->is_const = info.space == WEFT__SPACE_CONSTANT || info.is_const;
    /* byte pointers take any array */
    if (lanes == 1 && (dtype == WEFT_U8 || dtype == WEFT_BOOL)) parameter->dtype = WEFT_DTYPE_NONE;
  } else if (dtype != WEFT_DTYPE_NONE && lanes == 1) {
    parameter->kind = WEFT__PARAMETER_SCALAR;
  } else {
    parameter->kind = WEFT__PARAMETER_OTHER;
    /* a vector of three has the size of four */
    if (dtype != WEFT_DTYPE_NONE) parameter->size_bytes = (lanes == 3 ? 4 : lanes) * weft_dtype_size_bytes(dtype);
  }
  return WEFT_OK;
}

void weft__parameter_clear(weft__parameter *parameter) {
  free(parameter->type);
  free(parameter->name);
  *parameter = (weft__parameter){0};
}

/// Appends the number as a C literal, with the fewest digits that reproduce it.
static void add_literal(weft__text *text, double value, bool is_f32) {
  char digits[32];
  for (int precision = 1; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (is_f32 ? strtof(digits, NULL) == (float)value : strtod(digits, NULL) == value) break;
  }
  size_t whole = strspn(digits, "-0123456789");
  if (digits[whole] && digits[whole] != 'e') digits[whole] = '.'; /* the locale may use a comma */
  weft__text_add(text, "%s%s%s", digits, digits[whole] ? "" : ".0", is_f32 ? "f" : "");
}

/// Adds how to pass a parameter. `s` is the number that was passed, or NULL.
static void add_needs(weft__text *text, const weft__parameter *parameter, const weft_scalar *s) {
  bool is_f32 = parameter->dtype == WEFT_F32;
  char kind = s ? weft_dtype_kind(s->dtype) : 0;
  switch (parameter->kind) {
    case WEFT__PARAMETER_POINTER:
      weft__text_add(text, ": pass an array, or NULL (C++: nullptr)");
      break;
    case WEFT__PARAMETER_LOCAL:
      weft__text_add(text, " in local memory: pass WEFT_LOCAL(bytes)");
      break;
    case WEFT__PARAMETER_IMAGE:
      weft__text_add(text, ": pass a weft_image, or WEFT_CL_IMAGE(cl_mem)");
      break;
    case WEFT__PARAMETER_SAMPLER:
      weft__text_add(text, ": pass a weft_sampler, or WEFT_CL_SAMPLER(cl_sampler)");
      break;
    case WEFT__PARAMETER_PIPE:
      weft__text_add(text, ": Weft passes no pipes");
      break;
    case WEFT__PARAMETER_OTHER:
      weft__text_add(text, strstr(parameter->type, "long long")
                               ? ", which may have 128 bits: declare it `long` or `ulong`, or include weft/cuda.clh"
                               : ": pass WEFT_STRUCT(x)");
      break;
    case WEFT__PARAMETER_SCALAR:
      if (weft__is_narrow(parameter->dtype))
        weft__text_add(text, ": pass weft_%s_from_double(x)", weft_dtype_name(parameter->dtype));
      if (!is_f32 && parameter->dtype != WEFT_F64) break;
      weft__text_add(text, ": ");
      double value = kind == 'i'   ? (double)s->value.i
                     : kind == 'u' ? (double)s->value.u
                     : kind == 'f' ? s->value.f
                                   : NAN;
      if (isfinite(is_f32 ? (float)value : value)) {
        weft__text_add(text, "write ");
        add_literal(text, value, is_f32);
        weft__text_add(text, ", or ");
      }
      weft__text_add(text, "cast to %s", is_f32 ? "float" : "double");
      break;
    case WEFT__PARAMETER_UNKNOWN:
      break;
  }
}

static weft_status mismatch(const weft__parameter *parameter, const char *what, const weft_scalar *scalar,
                            const char *kernel, int index) {
  weft__text needs = {0};
  add_needs(&needs, parameter, scalar);
  weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, parameter->name, "%s: argument %d `%s` is %s here, the kernel takes %s%s",
             kernel, index, parameter->name, what, parameter->type, weft__text_chars(&needs));
  weft__text_free(&needs);
  return WEFT_ERROR_KERNEL_ARGUMENT;
}

weft_status weft__parameter_mismatch(const weft__parameter *parameter, const char *what, const char *kernel,
                                     int index) {
  return mismatch(parameter, what, NULL, kernel, index);
}

static weft_status does_not_fit(const weft__parameter *parameter, weft_scalar s, const char *kernel, int index) {
  if (weft_dtype_kind(s.dtype) == 'i')
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, parameter->name,
                      "%s: argument %d `%s` is %" PRId64 " here, which does not fit the kernel's %s", kernel, index,
                      parameter->name, s.value.i, parameter->type);
  return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, parameter->name,
                    "%s: argument %d `%s` is %" PRIu64 " here, which does not fit the kernel's %s", kernel, index,
                    parameter->name, s.value.u, parameter->type);
}

/// Sets the value to the number as an element of a dtype. Returns false if it does not fit.
static bool set_element(weft__value *value, weft_dtype dtype, weft_scalar s) {
  const weft__dtype_row *row = weft__dtype(dtype);
  value->size_bytes = row ? row->size_bytes : 0;
  return weft__scalar_bytes(value->room.words, dtype, s);
}

weft_status weft__parameter_set_scalar(weft__value *value, const weft__parameter *parameter, weft_scalar s,
                                       const char *kernel, int index) {
  const char from_kind = weft__dtype_kind(s.dtype), to_kind = weft__dtype_kind(parameter->dtype);
  value->data = &value->room;
  /* complex numbers are passed as float2 and double2 */
  bool is_complex = parameter->kind == WEFT__PARAMETER_OTHER && from_kind == 'c' && to_kind == 'f' &&
                    parameter->size_bytes == weft_dtype_size_bytes(s.dtype);
  value->any_width =
      parameter->kind == WEFT__PARAMETER_UNKNOWN && (from_kind == 'i' || (from_kind == 'u' && s.value.u <= INT64_MAX));
  value->is_set_always = value->any_width;
  if (!from_kind) return mismatch(parameter, type_name(s.dtype), &s, kernel, index);
  if (parameter->kind == WEFT__PARAMETER_UNKNOWN || is_complex) {
    set_element(value, s.dtype, s);
    if (value->any_width) value->room.i64 = s.value.i;
    return WEFT_OK;
  }
  if (parameter->kind != WEFT__PARAMETER_SCALAR) return mismatch(parameter, type_name(s.dtype), &s, kernel, index);
  if ((to_kind == 'i' || to_kind == 'u') && (from_kind == 'i' || from_kind == 'u' || from_kind == 'b'))
    return set_element(value, parameter->dtype, s) ? WEFT_OK : does_not_fit(parameter, s, kernel, index);
  if (parameter->dtype != s.dtype && parameter->dtype != weft__dtype(s.dtype)->argument)
    return mismatch(parameter, type_name(s.dtype), &s, kernel, index);
  set_element(value, s.dtype, s);
  return WEFT_OK;
}

weft_status weft__parameter_set_local(weft__value *value, const weft__parameter *parameter, weft_local local,
                                      const char *kernel, int index) {
  if (parameter->kind != WEFT__PARAMETER_LOCAL && parameter->kind != WEFT__PARAMETER_UNKNOWN)
    return weft__parameter_mismatch(parameter, "WEFT_LOCAL", kernel, index);
  if (local.size_bytes == 0)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, parameter->name,
                      "%s: argument %d `%s` is WEFT_LOCAL(0); OpenCL has no local memory of 0 bytes: pass "
                      "WEFT_LOCAL(1) where the kernel "
                      "does not use it",
                      kernel, index, parameter->name);
  weft__value_set(value, NULL, local.size_bytes);
  value->is_set_always = true;
  return WEFT_OK;
}

weft_status weft__parameter_set_bytes(weft__value *value, const weft__parameter *parameter, weft_bytes bytes,
                                      const char *kernel, int index) {
  size_t expected =
      parameter->kind == WEFT__PARAMETER_SCALAR ? weft_dtype_size_bytes(parameter->dtype) : parameter->size_bytes;
  if (parameter->kind != WEFT__PARAMETER_OTHER && parameter->kind != WEFT__PARAMETER_SCALAR &&
      parameter->kind != WEFT__PARAMETER_UNKNOWN)
    return weft__parameter_mismatch(parameter, "a WEFT_STRUCT", kernel, index);
  if (!bytes.data || bytes.size_bytes == 0 || (expected && expected != bytes.size_bytes)) {
    weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, parameter->name,
               "%s: argument %d `%s` is %zu bytes here, the kernel's %s has %s%zu", kernel, index, parameter->name,
               bytes.data ? bytes.size_bytes : 0, parameter->type, expected ? "" : "more than ", expected);
    return WEFT_ERROR_KERNEL_ARGUMENT;
  }
  weft__value_set(value, bytes.data, bytes.size_bytes);
  value->is_set_always = !expected; /* may be a handle, of a queue for instance */
  return WEFT_OK;
}

weft_status weft__parameter_set_pointer(weft__value *value, const weft__parameter *parameter, const void *pointer,
                                        const char *kernel, int index) {
  if (parameter->kind != WEFT__PARAMETER_POINTER && parameter->kind != WEFT__PARAMETER_UNKNOWN)
    return weft__parameter_mismatch(parameter, pointer ? "a pointer" : "NULL", kernel, index);
  if (pointer)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, parameter->name,
                      "%s: argument %d `%s` is a pointer to host memory here, which a kernel cannot reach; "
                      "weft_from_host makes an array of it",
                      kernel, index, parameter->name);
  value->room.mem = NULL;
  weft__value_set(value, &value->room, sizeof value->room.mem);
  return WEFT_OK;
}
