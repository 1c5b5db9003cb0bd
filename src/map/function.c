// SPDX-License-Identifier: MIT
#include "map/function.h"

#include <stdlib.h>
#include <string.h>

#include "base/scratch.h"

#define KEY_ROOM 1024

static weft_status make_plan(weft__plan_use *use, const weft__elementwise *function, weft__store *store,
                             const weft__input *input, const weft__key *key) {
  weft_status rc;
  weft__formula *formula = weft__scratch_begin_zeroed(sizeof *formula);
  if (!formula) return WEFT_ERROR_HOST_MEMORY;
  formula->has_fp64 = store->core->device->info.has_fp64;
  formula->inputs = function->inputs;
  formula->axes = function->axes;
  for (int k = 0; k < function->inputs; k++) formula->input[k] = input[k];
  WEFT__TRY(function->build(formula, function));
  if (formula->failed) WEFT__TRY(weft__fail_host_memory(sizeof(weft__node)));
  use->numbers = use->own_numbers;
  rc = weft__plan_add(&use->plan, use->own_numbers, store, key, function->name, formula);
done:
  weft__formula_free(formula);
  weft__scratch_end(formula);
  return rc;
}

weft_status weft__plan_get(weft__plan_use *use, const weft__elementwise *function, weft_context *context,
                           const weft__input *input) {
  unsigned char room[KEY_ROOM], *bytes = room;
  size_t size = function->key_size + (size_t)function->inputs + 1;
  weft_status rc = WEFT_OK;
  if (size > sizeof room && !(bytes = weft__new(size))) return WEFT_ERROR_HOST_MEMORY;
  if (function->key_size) memcpy(bytes, function->key, function->key_size);
  for (int k = 0; k < function->inputs; k++)
    bytes[function->key_size + (size_t)k] = (unsigned char)((int)input[k].dtype | (input[k].is_scalar ? 0x80 : 0));
  bytes[size - 1] = (unsigned char)function->axes;
  const weft__key key = {.kind = function->kind, .owner = function->owner, .bytes = bytes, .size = size};
  const weft__planned_function *planned = weft__store_find(&context->store, &key);
  if (planned)
    use->plan = planned->plan, use->numbers = planned->number;
  else
    rc = make_plan(use, function, &context->store, input, &key);
  if (bytes != room) free(bytes);
  return rc;
}
