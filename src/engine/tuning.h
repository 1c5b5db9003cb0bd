// SPDX-License-Identifier: MIT
/// Sizes by which hosts divide the work among threads, and how long these wait for it. Measured on a Xeon of 16 cores,
/// in November 2026.
#ifndef WEFT_ENGINE_TUNING_H
#define WEFT_ENGINE_TUNING_H

#define WEFT__BLOCK_BYTES (128 << 10)       /* of a result's block: fits the second-level cache */
#define WEFT__BLOCK_SHARE_BYTES (512 << 10) /* of a result: fewer do not pay for a thread */
#define WEFT__MOST_YIELDS 100 /* before a thread sleeps: a job often follows at once, and to be woken takes 50 us */

#endif
