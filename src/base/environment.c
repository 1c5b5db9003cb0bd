// SPDX-License-Identifier: MIT
#include "base/environment.h"

#include <stdlib.h>
#include <string.h>

#include "base/secure.h"

static const char *const names[] = {
#define NAME(name, grammar, example, effect) "WEFT_" #name,
    WEFT__VARIABLES(NAME)};

/// What messages expect for each grammar. Texts and flags are never wrong.
#define TEXT_EXPECTED NULL
#define FLAG_EXPECTED NULL
#define OFF_EXPECTED "off, or nothing for the default"
#define LIMIT_EXPECTED \
  "bytes (4294967296), with K, M, G or T behind them (4G), or 1% to 100% of the device's memory (80%)"
#define CHUNK_EXPECTED "bytes (65536), with K, M, G or T behind them (8M), or off"

static const char *const expected[] = {
#define EXPECTED(name, grammar, example, effect) grammar##_EXPECTED,
    WEFT__VARIABLES(EXPECTED)};

static weft_status fail(weft__variable variable, const char *text) {
  return weft__fail(WEFT_ERROR_ARGUMENT, names[variable], "%s is `%s`; expected %s", names[variable], text,
                    expected[variable]);
}

const char *weft__environment_text(weft__variable variable) {
  return weft__getenv_filled(names[variable]);
}

bool weft__environment_flag(weft__variable variable) {
  const char *text = weft__environment_text(variable);
  return text && strcmp(text, "0") != 0;
}

weft_status weft__environment_elements(bool *launches) {
  static const char beginning[] = "elements:";
  const char *list = weft__environment_text(WEFT__ENV_WAY), *at = list;
  *launches = false;
  while (at && strncmp(at, beginning, strlen(beginning)) != 0) at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
  if (!at) return WEFT_OK;
  at += strlen(beginning);
  const int length = (int)strcspn(at, ",");
  *launches = strncmp(at, "commands", 8) == 0 && length == 8;
  if (*launches || (strncmp(at, "thread", 6) == 0 && length == 6)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "WEFT_WAY",
                    "WEFT_WAY is `%s`, and elements has no way `%.*s`; expected one of thread, commands", list, length,
                    at);
}

weft_status weft__environment_off(bool *off, weft__variable variable) {
  const char *text = weft__environment_text(variable);
  *off = text && strcmp(text, "off") == 0;
  return !text || *off ? WEFT_OK : fail(variable, text);
}

/// Reads "80%" as a part of `whole_bytes`; false for any other text.
static bool read_percentage(uint64_t *size_bytes, const char *text, uint64_t whole_bytes) {
  size_t digits = strspn(text, "0123456789");
  int percent = digits >= 1 && digits <= 3 && strcmp(text + digits, "%") == 0 ? atoi(text) : 0;
  *size_bytes = whole_bytes / 100 * (uint64_t)percent;
  return percent >= 1 && percent <= 100;
}

weft_status weft__environment_size(uint64_t *size_bytes, weft__variable variable, uint64_t whole_bytes) {
  const char *text = weft__environment_text(variable);
  *size_bytes = 0;
  if (!text) return WEFT_OK;
  if (variable == WEFT__ENV_CHUNK) {
    *size_bytes = UINT64_MAX;
    if (strcmp(text, "off") == 0 || (weft__text_read_size(text, size_bytes) && *size_bytes)) return WEFT_OK;
  } else if (weft__text_read_size(text, size_bytes) || read_percentage(size_bytes, text, whole_bytes)) {
    return WEFT_OK;
  }
  *size_bytes = 0;
  return fail(variable, text);
}
