// SPDX-License-Identifier: MIT
/// The head of every public object. It begins with a magic word for the object's type and this copy of the library, so
/// that a NULL, uninitialised, released or foreign handle is an error instead of a crash, as far as can be detected.
#ifndef WEFT_BASE_OBJECT_H
#define WEFT_BASE_OBJECT_H

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fork.h"

/// Ordered as their names in base/object.c.
typedef enum weft__magic {
  WEFT__MAGIC_CONTEXT = 0x57454601,
  WEFT__MAGIC_STREAM,
  WEFT__MAGIC_TIMER,
  WEFT__MAGIC_KERNEL,
  WEFT__MAGIC_ARRAY,
  WEFT__MAGIC_UFUNC,
  WEFT__MAGIC_RNG,
  WEFT__MAGIC_EVENT,
  WEFT__MAGIC_SNAPSHOT,
  WEFT__MAGIC_NPY,
  WEFT__MAGIC_NPZ,
  WEFT__MAGIC_CSR,
  WEFT__MAGIC_RECORDING,
  WEFT__MAGIC_IMAGE,
  WEFT__MAGIC_SAMPLER,
  WEFT__MAGIC_DEAD = 0x44454144,
} weft__magic;

/// Stands for this copy of the library: a process can hold several, in plugins, and the objects of one are nothing to
/// another. Aligned so that no kind of one copy has the magic word of a kind of another.
extern const uint64_t weft__copy;
static inline uint32_t weft__magic_word(weft__magic kind) {
  return (uint32_t)kind + (uint32_t)(uintptr_t)&weft__copy;
}

/// Whether `handle` can be an object's address. Uninitialised handles often hold numbers that malloc never returns.
static inline bool weft__is_address(const void *handle) {
  uintptr_t address = (uintptr_t)handle;
#ifdef __x86_64__
  if (address >> 47) return false; /* reading there would crash */
#endif
  return address >= 4096 && address % sizeof(void *) == 0;
}

/// For calls that return a neutral value instead of failing.
static inline bool weft__handle_is(const void *handle, weft__magic expected) {
  return weft__is_address(handle) && *(const uint32_t *)handle == weft__magic_word(expected);
}

/// Records how a handle is wrong.
weft_status weft__handle_fail(const void *handle, weft__magic expected, const char *argument);

/// Checks that `handle` points to an object that begins with its magic word. `argument` is for the message.
static inline weft_status weft__handle_check(const void *handle, weft__magic expected, const char *argument) {
  return weft__handle_is(handle, expected) ? WEFT_OK : weft__handle_fail(handle, expected, argument);
}

/// The head of an object. Objects of a context belong to the process that made them: a forked child neither uses nor
/// frees them.
typedef struct weft__object {
  uint32_t magic;      /* weft__magic_word of its type */
  unsigned generation; /* of its process, weft__fork_generation; WEFT__ANY_PROCESS: it belongs to no context */
  _Atomic(uint64_t) references;
  uint32_t kind; /* its weft__magic, which is the same in all copies of the library */
} weft__object;

#define WEFT__ANY_PROCESS UINT_MAX

/// Begins with one reference.
static inline void weft__object_begin(weft__object *object, weft__magic magic, unsigned generation) {
  object->magic = weft__magic_word(magic);
  object->kind = (uint32_t)magic;
  object->generation = generation;
  atomic_init(&object->references, 1);
}

static inline bool weft__object_is_of_this_process(const weft__object *object) {
  return object->generation == WEFT__ANY_PROCESS || object->generation == weft__fork_generation();
}

/// Drops a reference; true if it was the last one. False for an invalid handle, and for an object of the parent
/// process.
static inline bool weft__object_drop(weft__object *object, weft__magic magic) {
  return weft__handle_is(object, magic) && weft__object_is_of_this_process(object) &&
         atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1;
}

/// Frees the memory of an object whose parts were released.
static inline void weft__object_free(weft__object *object) {
  object->magic = WEFT__MAGIC_DEAD;
  free(object);
}

/// Defines TYPE_release of a struct TYPE that begins with `weft__object object`: the last reference calls
/// destroy(object).
#define WEFT__DEFINE_RELEASE(type, magic, destroy)                         \
  void type##_release(type **handle) {                                     \
    type *object = handle ? *handle : NULL;                                \
    if (handle) *handle = NULL;                                            \
    if (weft__object_drop((weft__object *)object, magic)) destroy(object); \
  }

/// Defines TYPE_retain and TYPE_release.
#define WEFT__DEFINE_COUNTED(type, magic, destroy)                                               \
  type *type##_retain(type *object) {                                                            \
    if (weft__handle_is(object, magic))                                                          \
      atomic_fetch_add_explicit(&((weft__object *)object)->references, 1, memory_order_relaxed); \
    return object;                                                                               \
  }                                                                                              \
  WEFT__DEFINE_RELEASE(type, magic, destroy)

/// Checks that a pointer argument is not NULL; otherwise returns from the public function.
#define WEFT__NEED(pointer)                                                                                  \
  do {                                                                                                       \
    if (!(pointer)) return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, #pointer, "`" #pointer "` is NULL")); \
  } while (0)

/// The message for a result that should be NULL: usually its initialisation was forgotten.
#define WEFT__NOT_NULL                                                                                               \
  "is not NULL, but this call makes a new object: it is uninitialised (begin with `= NULL`), or still holds an old " \
  "one"

/// Checks that a result points to NULL; otherwise returns from the public function.
#define WEFT__NEED_NULL_RESULT(out)                                                                       \
  do {                                                                                                    \
    WEFT__NEED(out);                                                                                      \
    if (*(out)) return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, #out, "`*" #out "` " WEFT__NOT_NULL)); \
  } while (0)

#endif
