// SPDX-License-Identifier: MIT
/// All ranks' rows on every rank. Few bytes go through pinned memory of the host: the device copies them there right
/// behind the kernels that make them, while the ranks meet. Where all ranks share that memory each then takes the
/// others' bytes from it; else one call of MPI brings them to all ranks, along a tree.
#include <stdlib.h>
#include <string.h>

#include "dist/transport.h"

/// Pinned memory of weft__dist_mail_bytes each.
struct weft__dist_mail {
  char *own, *all;                    /* own: NULL where ranks share memory */
  weft_event *was_read, *was_written; /* NULL: not yet */
};

static bool is_by_mail(const weft_dist *grid, int64_t bytes) {
  return grid->transport != weft__dist_transport_host() && bytes <= weft__dist_mail_bytes(grid);
}

/// Where this collection's bytes of rank r are; NULL: this rank does not see them. There is room for two collections:
/// while a rank begins one, another may still take bytes of the last one, but of no older one, as all ranks have met
/// since.
static char *room_of(const weft_dist *grid, int r) {
  char *room = weft__dist_ring_mail(grid, r);
  return room ? room + (int64_t)(grid->collected % 2) * weft__dist_mail_bytes(grid) : NULL;
}

static char *own_room(const weft_dist *grid) {
  char *room = room_of(grid, grid->rank);
  return room ? room : grid->mail->own;
}

void weft__dist_mail_free(weft_dist *grid) {
  struct weft__dist_mail *mail = grid->mail;
  if (!mail) return;
  if (mail->was_read && weft_event_wait(mail->was_read)) /* memory that ranks share is unmapped next */
    weft_log_write(WEFT_LOG_INFO, weft_error_last()->message);
  weft_event_release(&mail->was_read);
  weft_event_release(&mail->was_written);
  weft_pinned_free(&mail->own);
  weft_pinned_free(&mail->all);
  free(mail);
  grid->mail = NULL;
}

static weft_status open_mail(weft_dist *grid) {
  if (!grid->mail && !(grid->mail = weft__dist_new(1, sizeof *grid->mail))) return WEFT_ERROR_HOST_MEMORY;
  struct weft__dist_mail *mail = grid->mail;
  const size_t bytes = (size_t)weft__dist_mail_bytes(grid);
  if (!own_room(grid)) WEFT__TRY_RETURN(weft_pinned_alloc(&mail->own, grid->context, bytes));
  if (!mail->all) WEFT__TRY_RETURN(weft_pinned_alloc(&mail->all, grid->context, bytes));
  return WEFT_OK;
}

/// Waits as long as the grid waits.
static weft_status wait_for(weft_dist *grid, weft_event *event) {
  const double since_s = weft__dist_now_s();
  for (bool done = false; event;) {
    WEFT__TRY_RETURN(weft_event_is_done(&done, event));
    if (done) return weft_event_wait(event); /* which reports a failure of the work before it */
    WEFT__TRY_RETURN(weft__dist_pause(grid, since_s));
  }
  return WEFT_OK;
}

/// Begins to read this rank's rows.
static weft_status read_own(weft_dist *grid, const weft_array *rows) {
  const int64_t bytes = weft_array_size_bytes(rows);
  if (!is_by_mail(grid, bytes)) return WEFT_OK;
  WEFT__TRY_RETURN(open_mail(grid));
  WEFT__TRY_RETURN(wait_for(grid, grid->mail->was_read)); /* on another stream, of a collection that became large */
  if (bytes > 0) WEFT__TRY_RETURN(weft_read_async(own_room(grid), (size_t)bytes, rows, NULL));
  return weft_event_record(&grid->mail->was_read, grid->context, NULL);
}

/// The ranks' bytes, once each of them has its own.
static weft_status take_all(weft_dist *grid, const int64_t *at) {
  struct weft__dist_mail *mail = grid->mail;
  int64_t nothing = 0;
  if (mail->own) return weft__dist_all_bytes(grid, mail->all, at, mail->own);
  WEFT__TRY_RETURN(weft__dist_all_most(grid, &nothing)); /* they have come together when it returns */
  for (int r = 0; r < grid->ranks; r++) memcpy(mail->all + at[r], room_of(grid, r), (size_t)(at[r + 1] - at[r]));
  return WEFT_OK;
}

/// A failure of this rank alone goes on to the next meeting: the others get its part with any values.
static weft_status collect_by_mail(weft_dist *grid, weft_array *all, const int64_t *at, weft_status rc) {
  struct weft__dist_mail *mail = grid->mail;
  const int64_t bytes = at[grid->ranks];
  weft_status own = wait_for(grid, mail->was_read);
  if (!rc) rc = own;
  own = wait_for(grid, mail->was_written); /* of the collection before */
  if (!rc) rc = own;
  WEFT__TRY_RETURN(take_all(grid, at));
  if (rc || bytes == 0) return rc;
  WEFT__TRY_RETURN(weft_write_async(all, mail->all, (size_t)bytes, NULL));
  return weft_event_record(&mail->was_written, grid->context, NULL);
}

weft_status weft__dist_collect(weft_array **out, weft_dist *grid, const weft__dist_call *call, const weft_array *rows,
                               weft_status rc) {
  const weft_shape own = weft_array_shape(rows);
  const int64_t row_bytes = rc ? 0 : weft__dist_row_bytes(weft_array_dtype(rows), own);
  weft_shape shape = own;
  weft_array *all = NULL;
  int64_t *count = weft__dist_new(2 * (size_t)grid->ranks + 1, sizeof *count);
  int64_t *mine = weft__dist_new((size_t)grid->ranks + 1, sizeof *mine);
  bool have_met = false;
  if (!rc && !(count && mine)) rc = WEFT_ERROR_HOST_MEMORY;
  if (!rc) rc = read_own(grid, rows);
  WEFT__TRY(weft__dist_rendezvous_with(grid, call, rc, count, own.dim[0]));
  have_met = true;
  int64_t *at = count + grid->ranks;
  shape.dim[0] = 0;
  for (int r = 0; r < grid->ranks; r++) {
    shape.dim[0] += count[r];
    at[r + 1] = at[r] + count[r] * row_bytes;
  }
  mine[grid->ranks] = own.dim[0] * row_bytes;
  rc = weft__empty_at(&all, grid->context, weft_array_dtype(rows), shape, call->site);
  if (is_by_mail(grid, at[grid->ranks]))
    WEFT__TRY(collect_by_mail(grid, all, at, rc));
  else
    WEFT__TRY(weft__dist_trade(grid, call, &(weft__dist_side){.array = (weft_array *)rows, .at = mine, .to_all = true},
                               &(weft__dist_side){.array = all, .at = at}, rc));
  *out = all;
  all = NULL;
done:
  grid->collected += have_met; /* on all ranks, whatever fails on one alone */
  free(count);
  free(mine);
  weft_array_release(&all);
  return rc;
}
