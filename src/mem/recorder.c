// SPDX-License-Identifier: MIT
#include "mem/recorder.h"

_Thread_local weft__recorder *weft__recorder_now;

weft_status weft__recorder_refuse(const weft__core *core, const char *why) {
  weft__recorder *recorder = weft__recorder_of(core);
  if (!recorder) return WEFT_OK;
  recorder->spoil(recorder, why);
  return weft__fail(WEFT_ERROR_UNSUPPORTED, NULL, "it cannot be recorded: %s", why);
}
