#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exchange by NCCL's stand-in (tests/cuda/nccl.c), each of whose functions fails in turn: nccl.py MPIRUN WEFT

If the ranks cannot find each other, they use the next transport; an exchange that fails is an error that names NCCL.
"""
import json
import os
import random
import subprocess
import sys
import tempfile


def main(folder):
    launcher, weft = sys.argv[1:]
    version = subprocess.run([launcher, '--version'], stdout=subprocess.PIPE, universal_newlines=True,
                             check=True).stdout
    more_than_cores = ['--oversubscribe'] if 'Open MPI' in version or 'OpenRTE' in version else []
    environment = {**os.environ, 'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
                   'POCL_MAX_PTHREAD_COUNT': '1', 'WEFT_DIST_TIMEOUT': '20', 'TMPDIR': folder}

    def run(failing, *command, **more):
        return subprocess.run([launcher, *more_than_cores, '-np', '2', weft, 'mpi', *command], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                              env={**environment, 'WEFT_TEST_NCCL_FAILS': failing, **more})

    for failing, transport, more in (('', 'NCCL', {}), ('ncclGetUniqueId', 'MPI on', {}),
                                     ('ncclCommInitRank', 'MPI on', {}),
                                     ('', 'MPI on', {'WEFT_NCCL_LIBRARY': '/no/libnccl.so.2'})):
        done = run(failing, 'info', '--json', **more)
        assert done.returncode == 0, (failing, done.stderr)
        ranks = json.loads(done.stdout)['ranks']
        assert ranks[0]['transport'].startswith(transport), (failing, more, ranks)
    functions = ('ncclGroupStart', 'ncclSend', 'ncclRecv', 'ncclGroupEnd', 'ncclCommGetAsyncError')
    for failing in random.sample(functions, 2):
        done = run(failing, 'bench', '--n', '10', '--only', 'resplit')
        place = 'the exchange by NCCL' if failing == 'ncclCommGetAsyncError' else failing
        assert done.returncode != 0 and f'{place} failed: unhandled system error' in done.stderr, (failing, done.stderr)
    print('good')


with tempfile.TemporaryDirectory() as scratch:
    main(scratch)
