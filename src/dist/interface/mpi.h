// SPDX-License-Identifier: MIT
/// What src/face/headers.py needs of MPI's header to read weft/dist.h. Nothing is compiled with it.
#ifndef WEFT_DIST_INTERFACE_MPI_H
#define WEFT_DIST_INTERFACE_MPI_H

typedef struct communicator *MPI_Comm;

#endif
