// SPDX-License-Identifier: MIT
// The program about recordings: calls recorded, replayed with other arrays, saved and loaded.
#include <weft/weft.h>

#include <stdio.h>
#include <unistd.h>

#include "fault_driver.h"
#include "fault_programs.h"

int program_recordings(int argc, char **argv) {
  static const float one_to_four[] = {1, 2, 3, 4};
  static const int64_t back[] = {3, 2, 1, 0};
  int status = 0;
  float host[4] = {0};
  char path[64];
  weft_context *context = NULL;
  weft_recording *recording = NULL, *loaded = NULL, *kept = NULL, *dropped = NULL;
  weft_recording_info info;
  weft_array *x = NULL, *y = NULL, *z = NULL, *t = NULL, *order = NULL, *found = NULL;
  (void)argc, (void)argv;
  snprintf(path, sizeof path, "/tmp/weft-fault-record-%ld", (long)getpid());

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_from_host(&x, context, WEFT_F32, WEFT_SHAPE(4), one_to_four));
  MAKE(&z, weft_full(&z, context, WEFT_F32, WEFT_SHAPE(4), 2));
  MAKE(&order, weft_from_host(&order, context, WEFT_I64, WEFT_SHAPE(4), back));
  TRY(weft_record_begin(context));
  MAKE(&y, weft_multiply(&y, x, 4.0f));
  MAKE(&t, weft_multiply(&t, y, 0.5f));
  weft_array_release(&y);
  MAKE(&y, weft_add(&y, t, WEFT_HOST(one_to_four, WEFT_F32, WEFT_SHAPE(4))));
  weft_array_release(&t);
  MAKE(&t, weft_cumsum(&t, y, 0));
  TRY(weft_take(&y, t, order, 0));
  MAKE(&recording, weft_record_end(&recording));
  TRY(weft_replay(recording));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[3] == 3 && host[0] == 30);
  TRY(weft_replay(recording, WEFT_BIND(x, z)));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[3] == 5 && host[0] == 26);
  TRY(weft_recording_name(recording, x, "x"));
  TRY(weft_recording_name(recording, y, "y"));
  TRY(weft_recording_save(recording, path));
  kept = weft_recording_retain(recording);
  weft_recording_release(&kept);
  MAKE(&loaded, weft_recording_load(&loaded, context, path));
  MAKE(&found, weft_recording_array(&found, loaded, "y"));
  TRY(weft_recording_get(&info, loaded));
  KEPT(info.launches >= 3 && info.launches < info.recorded_launches);
  TRY(weft_replay(loaded));
  TRY(weft_to_host(host, sizeof host, found));
  KEPT(host[3] == 3 && host[0] == 30);
  TRY(weft_record_begin(context));
  FAILS(WEFT_ERROR_UNSUPPORTED, weft_to_host(host, sizeof host, y));
  FAILS(WEFT_ERROR_UNSUPPORTED, weft_record_end(&dropped));

done:
  fault_leave();
  weft_record_cancel();
  unlink(path);
  weft_release(&recording, &loaded, &dropped, &x, &y, &z, &t, &order, &found);
  weft_context_release(&context);
  return status;
}
