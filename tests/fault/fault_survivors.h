// SPDX-License-Identifier: MIT
/// Driver calls whose failure Weft survives on purpose. Any other failure must end in an error.
#ifndef FAULT_SURVIVORS_H
#define FAULT_SURVIVORS_H

#define FAULT_RELEASED "a release cannot fail; the object was released"
#define FAULT_AGAIN "the pool gives back what it holds and asks once more"
#define FAULT_BUILT "NVIDIA's driver fails so over argument info, PoCL beside another build; it is built again"
#define FAULT_UNREAD "the profile counts the command as one whose times could not be read"
#define FAULT_UNSTAGED "without the pinned ring copies take the driver's own way"
#define FAULT_ASKED_AGAIN "whether a block of the ring is free is asked again when it is needed"

// clang-format off
#define FAULT_SURVIVORS \
  {"release", NULL, FAULT_RELEASED, false}, \
  {"buffer_create", NULL, FAULT_AGAIN, false}, \
  {"image_create", NULL, FAULT_AGAIN, false}, \
  {"sub_buffer_create", "guard", FAULT_AGAIN, false}, \
  {"clEnqueueFillBuffer", NULL, FAULT_AGAIN, true}, \
  {"event_state", "profiles", FAULT_UNREAD, false}, \
  {"event_times", "profiles", FAULT_UNREAD, false}, \
  {"queue_create", "staged", FAULT_UNSTAGED, false}, \
  {"event_state", "staged", FAULT_ASKED_AGAIN, false}, \
  {"clEnqueueMapBuffer", "staged", FAULT_UNSTAGED, false}, \
  {"queue_create", "context_copy_ring", FAULT_UNSTAGED, false}, \
  {"clEnqueueMapBuffer", "context_copy_ring", FAULT_UNSTAGED, false}, \
  {"clEnqueueUnmapMemObject", NULL, FAULT_RELEASED, false}, \
  {"sub_buffer_create", "cuda_memory", FAULT_AGAIN, false}, \
  {"program_build", NULL, FAULT_BUILT, false}
// clang-format on

#endif
