// SPDX-License-Identifier: MIT
/// Sizes that measurements chose, of sparse matrices, with the machine and the date.
/// `weft bench ways` measures anew.
#ifndef WEFT_OP_SPARSE_TUNING_H
#define WEFT_OP_SPARSE_TUNING_H

/* GPUs: H200, 2026-11 */
#define WEFT__CSR_ITEMS 9                      /* items of a work-item; odd, for the banks of local memory */
#define WEFT__CSR_SMALL_BLOCK 64               /* work-items of devices with less local memory than */
#define WEFT__CSR_SMALL_LOCAL_BYTES (48 << 10) /* and of CPUs */
#define WEFT__CSR_CHUNK 16 /* elements whose rows a thread finds; the double where there are MANY: */
#define WEFT__CSR_MANY (1u << 22)

/* CPUs: 2 cores with AVX2, 2026-11 */
#define WEFT__CSR_COLUMNS_PER_COUNT 4 /* more columns for an element are too many counts to set up */
#define WEFT__CSR_SHARES_OF_CORE 4
#define WEFT__CSR_SHARE (1 << 16)          /* elements that are worth a thread */
#define WEFT__CSR_MOST_TURNED (1 << 21)    /* elements, times cores, that one thread turns */
#define WEFT__CSR_TABLES_OF_CORE 2         /* of counts */
#define WEFT__CSR_HOST_TILE 8192           /* items of a tile; sums of long rows depend on it */
#define WEFT__CSR_COLUMNS 16               /* of a product with a matrix, added up at once */
#define WEFT__CSR_SHARE_PRODUCTS (1 << 15) /* products that are worth a thread */
#define WEFT__CSR_SHARE_RUNS (1 << 15)     /* elements added up that are worth a thread */
#define WEFT__CSR_BLOCK 64 /* elements checked at once: a loop of this constant length becomes vector code */

#endif
