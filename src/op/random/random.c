// SPDX-License-Identifier: MIT
/// Generators: their streams, and the words that a draw takes.
#include "op/random/random.h"

#include <inttypes.h>
#include <stdlib.h>

#include "context/leaks.h"
#include "mem/recorder.h"
#include "op/random/philox.h"

#define STATE_VERSION 1
/* the fourth counter word when a child's key is made: no draw uses this value */
#define SPLIT_MARK UINT32_MAX

enum { SPARE_NONE, SPARE_SINGLE, SPARE_DOUBLE };

static bool is_wide(const weft_rng_state *state) {
  return state->generator == WEFT_PHILOX4X64;
}

static int words_of(const weft_rng_state *state) {
  return is_wide(state) ? 8 : 4;
}

weft_status weft__rng_check(const weft_rng *rng) {
  return weft__handle_check(rng, WEFT__MAGIC_RNG, "rng");
}

weft_status weft__rng_begin(weft_rng_state *after, weft__call *c, const weft_rng *rng) {
  WEFT__TRY_RETURN(weft__rng_check(rng));
  bool has_array = c->result->kind == WEFT_OPERAND_RESULT && c->result->as.result && *c->result->as.result;
  for (int k = 0; k < c->inputs; k++) has_array |= c->operand[k].kind == WEFT_OPERAND_ARRAY;
  if (!has_array) {
    c->context = rng->context;
    c->context_owner = "rng";
  }
  *after = rng->state;
  return WEFT_OK;
}

weft_status weft__rng_close(weft_rng *rng, const weft_rng_state *after, weft__call *c, weft_status rc) {
  if (rc == WEFT_OK)
    rc = weft__recorder_refuse(&c->context->core,
                               "all replays would draw the same numbers; draw them before, and bind");
  WEFT__TRY_RETURN(weft__call_close(c, rc));
  rng->state = *after;
  return WEFT_OK;
}

/* ---- the stream ---- */

static void key32(uint32_t key[2], const weft_rng_state *state) {
  key[0] = (uint32_t)state->key[0];
  key[1] = (uint32_t)(state->key[0] >> 32);
}

uint32_t weft__rng_word(const weft_rng_state *state, uint64_t position) {
  uint64_t number = position / (uint64_t)words_of(state);
  if (is_wide(state)) {
    uint64_t word[4], counter[4] = {number + 1, 0, state->jumps, 0};
    weft__philox4x64(word, counter, state->key);
    return (uint32_t)(word[position % 8 / 2] >> (position % 2 * 32));
  }
  uint32_t word[4], key[2], counter[4] = {(uint32_t)number, (uint32_t)(number >> 32), (uint32_t)state->jumps, 0};
  key32(key, state);
  weft__philox4x32(word, counter, key);
  return word[position % 4];
}

void weft__rng_stream(weft__stream_at *stream, const weft_rng_state *state) {
  uint32_t key[2];
  key32(key, state);
  *stream = (weft__stream_at){.space = state->jumps};
  if (is_wide(state))
    weft__philox4x64_rounds(stream->wide, state->key);
  else
    weft__philox4x32_rounds(stream->key, key);
}

/// Advances by `words`; position 2^64 itself is never reached.
static weft_status advance(weft_rng_state *state, uint64_t words) {
  if (words > UINT64_MAX - 8 - state->position)
    return weft__fail(WEFT_ERROR_OVERFLOW, "rng",
                      "the generator is at word %" PRIu64 ", and %" PRIu64
                      " more exceed the 2^64 words of a stream; weft_rng_jump and "
                      "weft_rng_split give another stream",
                      state->position, words);
  state->position += words;
  return WEFT_OK;
}

/// Advances to a multiple of `words`. Skipped words are discarded, except half of a 64-bit number: it is kept, as in
/// NumPy.
static weft_status align(weft_rng_state *state, uint64_t words) {
  if (state->position % 2 != 0 && is_wide(state)) {
    state->has_kept = 1;
    state->kept = weft__rng_word(state, state->position);
  }
  return advance(state, (words - state->position % words) % words);
}

weft_status weft__rng_take(weft__rng_words *words, weft_rng_state *state, weft__takes takes, uint64_t n) {
  const uint32_t spare = state->spare;
  uint64_t each = 1, unit = 1; /* words of an element; alignment of the first */
  *words = (weft__rng_words){0};
  if (n == 0) return WEFT_OK;
  state->spare = SPARE_NONE;
  if (takes == WEFT__TAKES_LONG) each = unit = 2;
  if (takes == WEFT__TAKES_PAIR) unit = 2;
  if (takes == WEFT__TAKES_LONG_PAIR) each = 2, unit = 4;
  if (takes == WEFT__TAKES_EIGHT) each = unit = 8;
  if (takes == WEFT__TAKES_SIXTEEN) each = 16, unit = 8;
  if (n > UINT64_MAX / 16) return advance(state, UINT64_MAX);
  if (takes == WEFT__TAKES_WORD) {
    words->has_kept = state->has_kept != 0;
    words->kept = state->kept;
    state->has_kept = state->kept = 0;
    words->base = state->position - words->has_kept;
    return advance(state, n - words->has_kept);
  }
  const bool is_pair = takes == WEFT__TAKES_PAIR || takes == WEFT__TAKES_LONG_PAIR;
  if (is_pair && spare == (takes == WEFT__TAKES_PAIR ? SPARE_SINGLE : SPARE_DOUBLE)) {
    words->base = state->position - each;
    n--;
  } else {
    WEFT__TRY_RETURN(align(state, unit));
    words->base = state->position;
  }
  WEFT__TRY_RETURN(advance(state, is_pair ? (n + n % 2) * each : n * each));
  if (is_pair && n % 2 != 0) state->spare = takes == WEFT__TAKES_PAIR ? SPARE_SINGLE : SPARE_DOUBLE;
  return WEFT_OK;
}

/* ---- the object ---- */

static weft__ledger *ledger_of(const weft_rng *rng) {
  return rng->context ? &rng->context->core.ledger : weft__leaks_ledger();
}

static weft_status create(weft_rng **out, weft_context *context, const char *site) {
  weft_rng *rng = weft__new(sizeof *rng);
  if (!rng) return WEFT_ERROR_HOST_MEMORY;
  weft__object_begin(&rng->object, WEFT__MAGIC_RNG, context ? context->object.generation : WEFT__ANY_PROCESS);
  rng->context = weft_context_retain(context);
  rng->state.version = STATE_VERSION;
  weft__ledger_add(ledger_of(rng), &rng->entry, WEFT__LEDGER_RNG, rng, 0, site);
  *out = rng;
  return WEFT_OK;
}

weft_status weft__rng_create_at(weft_rng **out, const weft_rng_params *params) {
  const weft_rng_params p = WEFT__PARAMS(params);
  weft_status rc;
  weft__enter("weft_rng_create", p.site);
  WEFT__NEED_NULL_RESULT(out);
  if (p.generator != WEFT_PHILOX4X32 && p.generator != WEFT_PHILOX4X64)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "generator",
                         "`generator` is %d; expected WEFT_PHILOX4X32 or WEFT_PHILOX4X64", (int)p.generator));
  if (p.context) WEFT__TRY(weft__context_check(p.context));
  WEFT__TRY(create(out, p.context, p.site));
  weft_rng_state *state = &(*out)->state;
  state->generator = (uint32_t)p.generator;
  state->key[0] = p.seed;
  if (is_wide(state)) {
    uint32_t words[4];
    weft__seed_sequence(words, 4, p.seed);
    for (int k = 0; k < 2; k++) state->key[k] = (uint64_t)words[2 * k + 1] << 32 | words[2 * k];
  }
done:
  return weft__leave(rc);
}

static void destroy(weft_rng *rng) {
  weft__ledger_remove(ledger_of(rng), &rng->entry);
  weft_context_release(&rng->context);
  weft__object_free(&rng->object);
}

WEFT__DEFINE_COUNTED(weft_rng, WEFT__MAGIC_RNG, destroy)

weft_status weft__rng_split_at(weft_rng **out, weft_rng *rng, const char *site) {
  weft_status rc;
  weft__enter("weft_rng_split", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__rng_check(rng));
  if (rng->state.splits == UINT64_MAX)
    WEFT__TRY(weft__fail(WEFT_ERROR_OVERFLOW, "rng", "the generator was split 2^64-1 times"));
  WEFT__TRY(create(out, rng->context, site));
  weft_rng_state *parent = &rng->state, *child = &(*out)->state;
  child->generator = parent->generator;
  if (is_wide(parent)) {
    uint64_t word[4], counter[4] = {parent->splits, 0, 0, SPLIT_MARK};
    weft__philox4x64(word, counter, parent->key);
    child->key[0] = word[0];
    child->key[1] = word[1];
  } else {
    uint32_t word[4], key[2], counter[4] = {(uint32_t)parent->splits, (uint32_t)(parent->splits >> 32), 0, SPLIT_MARK};
    key32(key, parent);
    weft__philox4x32(word, counter, key);
    child->key[0] = (uint64_t)word[1] << 32 | word[0];
    child->jumps = word[2] >> 1; /* 95 bits distinguish two streams; half of the jumps are left */
  }
  parent->splits++;
done:
  return weft__leave(rc);
}

weft_status weft_rng_skip(weft_rng *rng, uint64_t words) {
  weft__rng_words skipped;
  weft_rng_state after;
  weft_status rc;
  weft__enter("weft_rng_skip", NULL);
  WEFT__TRY(weft__rng_check(rng));
  after = rng->state;
  WEFT__TRY(words > UINT64_MAX / 16 ? advance(&after, words)
                                    : weft__rng_take(&skipped, &after, WEFT__TAKES_WORD, words));
  after.spare = SPARE_NONE;
  if (words > UINT64_MAX / 16) after.has_kept = after.kept = 0;
  rng->state = after;
done:
  return weft__leave(rc);
}

weft_status weft_rng_jump(weft_rng *rng) {
  weft_rng_state after;
  weft_status rc;
  weft__enter("weft_rng_jump", NULL);
  WEFT__TRY(weft__rng_check(rng));
  after = rng->state;
  if (after.jumps == (is_wide(&after) ? UINT64_MAX : UINT32_MAX))
    WEFT__TRY(weft__fail(WEFT_ERROR_OVERFLOW, "rng",
                         "the generator has no further stream to jump to; weft_rng_split gives one"));
  WEFT__TRY(align(&after, (uint64_t)words_of(&after)));
  after.jumps++;
  after.spare = after.has_kept = after.kept = 0;
  rng->state = after;
done:
  return weft__leave(rc);
}

weft_status weft_rng_get_state(weft_rng_state *state, const weft_rng *rng) {
  weft_status rc;
  weft__enter("weft_rng_get_state", NULL);
  WEFT__NEED(state);
  WEFT__TRY(weft__rng_check(rng));
  *state = rng->state;
done:
  return weft__leave(rc);
}

/// The name of the first invalid member of a saved state; NULL if all are valid.
static const char *wrong_member(const weft_rng_state *state) {
  if (state->version != STATE_VERSION) return "version";
  if (state->generator > WEFT_PHILOX4X64) return "generator";
  if (!is_wide(state) && (state->key[1] != 0 || state->has_kept)) return "generator";
  if (!is_wide(state) && state->jumps > UINT32_MAX) return "jumps";
  if (state->position > UINT64_MAX - 8) return "position";
  if (state->spare > SPARE_DOUBLE || (state->spare && state->position < 2 * state->spare)) return "spare";
  if (state->has_kept > 1 || (!state->has_kept && state->kept) || (state->has_kept && state->position % 2 != 0))
    return "has_kept";
  return state->reserved != 0 ? "reserved" : NULL;
}

weft_status weft_rng_set_state(weft_rng *rng, const weft_rng_state *state) {
  weft_status rc;
  weft__enter("weft_rng_set_state", NULL);
  WEFT__NEED(state);
  WEFT__TRY(weft__rng_check(rng));
  const char *wrong = wrong_member(state);
  if (wrong)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "state", "`state` is not a saved generator: its `%s` is invalid", wrong));
  rng->state = *state;
done:
  return weft__leave(rc);
}
