#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weft mpi` with one rank and with two, and where weft-mpi is missing: command.py MPIRUN WEFT"""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile


def run(command, status=0, text=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    if done.returncode != status or (text and text not in done.stdout + done.stderr):
        sys.exit(f'{command}: status {done.returncode}, expected {status} and {text!r}\n{done.stdout}{done.stderr}')
    return done.stdout


def main():
    launcher, weft = sys.argv[1:]
    os.environ.update({'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
                       'POCL_MAX_PTHREAD_COUNT': '1'})
    version = subprocess.run([launcher, '--version'], stdout=subprocess.PIPE, universal_newlines=True,
                             check=True).stdout
    more_than_cores = ['--oversubscribe'] if 'Open MPI' in version or 'OpenRTE' in version else []
    two = [launcher, *more_than_cores, '-np', '2', weft]
    info = json.loads(run([*two, 'mpi', 'info', '--json']))
    assert [row['rank'] for row in info['ranks']] == [0, 1], info
    assert [(row['from'], row['to']) for row in info['pairs']] == [(1, 0)], info
    assert info['pairs'][0]['latency_us'] > 0 and info['pairs'][0]['rate_gb_s'] > 0, info
    table = run([*two, 'mpi', 'info'], text='host memory')
    assert '\033' not in table and table.startswith('RANK'), table  # Open MPI gives rank 0 a terminal
    rows = json.loads(run([*two, 'mpi', 'bench', '--json', '--n', '5000']))['operations']
    assert len(rows) > 5 and all(row['time_ms'] > 0 and 0 <= row['efficiency'] < math.inf for row in rows), rows
    rows = json.loads(run([*two, 'mpi', 'bench', '--json', '--n', '10', '--only', 'sum,resplit']))['operations']
    assert [row['operation'] for row in rows] == ['sum', 'resplit'] and rows[1]['sent_gb_s'] > 0, rows
    rows = json.loads(run([*two, 'bench', 'mpi', '--json', '--size', '2^10', '--only', 'sum']))['operations']
    assert [row['operation'] for row in rows] == ['sum'], rows
    run([weft, 'bench', 'mpi', '--size', '3'], 2, '--size')
    run([weft, 'bench', 'mpi', '--svg', 'x.svg'], 2, 'draws no plot')
    run([weft, 'mpi', 'info'], text='mpirun -np 4')
    run([weft, 'mpi', 'inf'], 2, 'did you mean info')
    run([weft, 'mpi', 'bench', '--n', '-3'], 2, '--n is `-3`')
    run([weft, 'mpi', 'bench', '--only', 'sum,sor'], 2, '--only names `sor`; expected some of eval')
    run([weft, 'mpi', 'info', '--device', 'no such device'], 1, 'no such device')
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(weft, folder)
        run([f'{folder}/weft', 'mpi', 'info'], 1, 'libweft-mpi')
    print('good')


main()
