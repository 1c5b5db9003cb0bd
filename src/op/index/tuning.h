// SPDX-License-Identifier: MIT
/// Sizes that measurements chose, of takes and scatters, with the machine and the date.
/// `weft bench ways` measures anew.
#ifndef WEFT_OP_INDEX_TUNING_H
#define WEFT_OP_INDEX_TUNING_H

/* GPUs: H200, 2026-11 */
/* loads in flight of a thread of a take; stores of a scatter gain nothing from more than one */
#define WEFT__INDEX_ITEMS 4
/* Long rows of more bytes than caches hold are taken column by column, of units of 16 bytes: 2^15 rows of 4096 floats
   of 2^14 take 203 us, 271 without. */
#define WEFT__INDEX_COLUMN_UNITS 64
#define WEFT__INDEX_COLUMNS_BYTES (64 << 20)
#define WEFT__INDEX_ORDERED_RANGES 256 /* per unit, for work-items that keep the order of the indices */
#define WEFT__INDEX_ORDERED_BLOCK 64   /* work-items of a group of these */
#define WEFT__INDEX_PAIR_ITEMS 4       /* elements of a work-item, whose loads do not wait for each other */
#define WEFT__INDEX_REPEATED 4096 /* fewer values are repeated to as many: shorter rows cost more than their work */

/* CPUs: 2 cores with AVX2, and where a line says so 16 cores with AVX-512, 2026-11 */
#define WEFT__INDEX_BLOCK 256              /* places that are found at once */
#define WEFT__INDEX_LEAST_KNOWN 16         /* places of a slab that are worth a loop */
#define WEFT__INDEX_SHARE (1 << 14)        /* indices that are worth a thread, or */
#define WEFT__INDEX_SHARE_BYTES (1 << 18)  /* bytes */
#define WEFT__INDEX_SHARES_OF_CORE 4       /* of a take */
#define WEFT__INDEX_LEAST_COLUMN (1 << 12) /* bytes of a row that are worth a thread */
#define WEFT__INDEX_LEAST_ROW 64           /* bytes of a row that cost more than its index */
#define WEFT__INDEX_LEAST_CORES 6          /* that gain from sorting rows of single elements (16 cores) */
#define WEFT__INDEX_PIECE (1 << 20)        /* rows that are sorted at once: 0.75 of the time with 2^18 (16 cores) */
#define WEFT__INDEX_AHEAD 64               /* elements that are brought to the cache before they are combined */
#define WEFT__INDEX_LEAST_LONG 256 /* bytes of a row before which the place of the next one is brought to the cache: */
#define WEFT__INDEX_MOST_LONG 4096 /* its first bytes. 316 rows of 316 floats: 7.3 us, 8.9 without */

#endif
