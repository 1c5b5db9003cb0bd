// SPDX-License-Identifier: MIT
/// The modules that follow the lifetime of contexts.
#include "record/recording.h"
#include "report/profile_control.h"
#include "watch/status_file.h"

const weft__follower weft__followers[] = {
    {weft__profile_request, weft__profile_end, weft__profile_at_exit},
    {weft__status_file_begin, weft__status_file_end, NULL},
    {weft__recordings_begin, weft__recordings_end, NULL},
};
const int weft__follower_count = sizeof weft__followers / sizeof *weft__followers;
