// SPDX-License-Identifier: MIT
/// Sizes that measurements chose, of searches, merges and unique elements, with the machine and the date.
/// `weft bench ways` measures anew.
#ifndef WEFT_OP_SEARCH_TUNING_H
#define WEFT_OP_SEARCH_TUNING_H

#include <stddef.h>
#include <stdint.h>

/* GPUs: H200, 2026-11 */
#define WEFT__SEARCH_BLOCKS 8    /* per unit, of persistent grids */
#define WEFT__SEARCH_EACH 4      /* searches in flight of a thread */
#define WEFT__SEARCH_PIVOTS 1024 /* elements of the ordered array in local memory: 8 KiB for elements of 8 bytes */
#define WEFT__SEARCH_PIVOTS_WORTH 2048 /* values of a block from which on loading the pivots pays */
#define WEFT__SEARCH_FEW_PIVOTS 256 /* where a thread has one value: a load of each thread, in place of eight steps */
#define WEFT__MERGE_ITEMS 15        /* elements of a thread; odd. Of elements of 8 bytes: */
#define WEFT__MERGE_ITEMS_WIDE 7
#define WEFT__MERGE_DIVIDE_TILES 128 /* from this many tiles on, a launch of its own finds where they begin */
#define WEFT__TREE_LEAST_LENGTH (UINT64_C(1) << 16) /* of an array, and */
#define WEFT__TREE_LEAST_VALUES (UINT64_C(1) << 18) /* of values, that pay for a tree */
#define WEFT__TREE_MOST_PER_VALUE 16 /* elements of the array for a value: the tree is made by a read of all */
#define WEFT__TREE_EACH 4            /* searches of a thread at once; of elements of 8 bytes: */
#define WEFT__TREE_EACH_WIDE 2

/* CPUs: 2 cores with AVX2, 2026-11 */
#define WEFT__SEARCH_FOUND 128        /* values that are searched for at once */
#define WEFT__SEARCH_ALONE 8          /* fewer are searched for one after the other */
#define WEFT__SEARCH_SHARE (1 << 11)  /* values that are worth a thread */
#define WEFT__ORDERED_SHARE (1 << 15) /* elements merged or tested that are worth a thread */
#define WEFT__ORDERED_SHARES_OF_CORE 4
#define WEFT__SEARCH_TABLE_BITS 8   /* of a table at most, for each value and each element of the ordered array */
#define WEFT__SEARCH_TABLE_VALUES 8 /* a table pays for a value for this many elements */
#define WEFT__SEARCH_TABLE_MOST ((size_t)1 << 28) /* bits of a table */
#define WEFT__ORDERED_BLOCK 512 /* elements whose places are found before they are looked at; of a test of the order */
#define WEFT__UNIQUE_SHARE (1 << 16) /* elements that are worth a thread */
#define WEFT__UNIQUE_BLOCK 512       /* elements whose numbers are compared at once */

#endif
