#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A rank of restart_mpi dies; the result has the digits of an undisturbed run:

    restart.py MPIRUN PROGRAM             the run ends, another number of ranks goes on from the checkpoint
    restart.py MPIRUN PROGRAM --standin   the other ranks go on (ulfm_standin.c is linked with the program), also if the
                                          rank dies while the grid is made
"""
import os
import subprocess
import sys
import tempfile


def run(launcher, ranks, program, *arguments):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       POCL_MAX_PTHREAD_COUNT="1", WEFT_DIST_TIMEOUT="60")
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=True).stdout
    more_than_cores = ["--oversubscribe"] if "Open MPI" in version or "OpenRTE" in version else []
    return subprocess.run([launcher, *more_than_cores, "-np", str(ranks), program, "--steps", "12", *arguments],
                          env=environment, capture_output=True, text=True)


def expect(done, lines, status=None):
    is_other = status is not None and (done.returncode == 0) != (status == 0)
    if is_other or [line for line in done.stdout.splitlines() if line.startswith(("step", "2 ranks"))] != lines:
        sys.exit(f"status {done.returncode}, expected {status}, and {lines}:\n{done.stdout}{done.stderr}")


def told(done, *texts):
    for text in texts:
        if text not in done.stderr:
            sys.exit(f"no `{text}`:\n{done.stderr}")


def main():
    launcher, program, *standin = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WEFT_TEST_ULFM"] = f"{folder}/shared"
        undisturbed = run(launcher, 1, program, "--folder", f"{folder}/one")
        result = undisturbed.stdout.splitlines()
        if undisturbed.returncode or len(result) != 1 or not result[0].startswith("step 12: standard deviation 3."):
            sys.exit(undisturbed.stdout + undisturbed.stderr)
        disturbed = run(launcher, 3, program, "--folder", f"{folder}/three", "--die", "8")
        if standin:
            # MPICH's launcher kills the last rank when the first one ends: its status says nothing
            expect(disturbed, ["2 ranks go on from step 5", *result])
            told(disturbed, "rank 2 has died", "a rank has died", "MPIX_Comm_shrink")
            for call, who in ("MPI_Comm_idup", "a rank"), ("MPI_Comm_split_type", "rank 2"):
                os.environ.update(WEFT_TEST_ULFM=f"{folder}/shared_{call}", WEFT_TEST_ULFM_IN=call)
                early = run(launcher, 3, program, "--folder", f"{folder}/{call}")
                expect(early, result)
                told(early, f"{who} has died, says {call.replace('MPI_Comm_idup', 'MPI_Test')}")
        else:
            expect(disturbed, [], 1)
            expect(run(launcher, 2, program, "--folder", f"{folder}/three"),
                   ["2 ranks go on from step 5", *result], 0)
    print("good")


main()
