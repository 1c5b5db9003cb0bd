// SPDX-License-Identifier: MIT
#include "engine/shares.h"

#include <pthread.h>
#include <stdbool.h>

void weft__run_shares(int shares, void *(*function)(void *share), const void *all) {
  weft__share part[WEFT__MOST_SHARES];
  pthread_t thread[WEFT__MOST_SHARES];
  bool runs[WEFT__MOST_SHARES] = {false};
  for (int k = shares - 1; k >= 0; k--) {
    part[k] = (weft__share){all, (size_t)k};
    runs[k] = k > 0 && pthread_create(&thread[k], NULL, function, &part[k]) == 0;
    if (!runs[k]) function(&part[k]);
  }
  for (int k = 0; k < shares; k++)
    if (runs[k]) pthread_join(thread[k], NULL);
}
