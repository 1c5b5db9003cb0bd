#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program under mpirun, with more ranks than processors if need be.

    run.py MPIRUN RANKS PROGRAM [ARGUMENTS...]       RANKS may be a list, 1,3: all must print the same

Of dist_faults a rank ends while others wait, so that mpirun's own status means nothing: each rank must have printed
that none of its checks failed; with --absent all end as they should. With --kill the last rank is killed: the job must
fail, or under Open MPI, which then lets the others live, these must have printed which rank is missing, and where it
was last.

A program with --share N takes a part of its cases, another one in each run: its --turn is drawn, and printed.
"""
import os
import random
import re
import subprocess
import sys


def main():
    launcher, ranks, *program = sys.argv[1:]
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True).stdout
    is_open_mpi = "Open MPI" in version or "OpenRTE" in version
    options = ["--oversubscribe"] if is_open_mpi else []
    if is_open_mpi and "--kill" in program:
        options.append("--enable-recovery")
    environment = dict(os.environ)
    environment.setdefault("POCL_MAX_PTHREAD_COUNT", "1")
    # Open MPI refuses to run as root, as in a container, without these
    environment.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    if "--share" in program and "--only" not in program and "--turn" not in program:
        program += ["--turn", str(random.randrange(int(program[program.index("--share") + 1])))]
        print(*program[1:])
    printed = set()
    for number in ranks.split(","):
        result = subprocess.run([launcher, *options, "-np", number, *program], env=environment, stdout=subprocess.PIPE,
                                text=True)
        print(result.stdout, end="")
        printed.add(result.stdout)
        if "," in ranks and (result.returncode or len(printed) != 1 or not result.stdout):
            print(f"{number} ranks: status {result.returncode}, and {len(printed)} different outputs")
            return 1
    if "--kill" in program:  # the job ends soon (the test's time limit)
        if not is_open_mpi:
            return 0 if result.returncode else 1
        last = int(ranks) - 1
        told = re.findall(rf"rank (\d+): weft_dist_sum: .* for rank {last}, whose last call was 3, weft_dist_full of",
                          result.stdout)
        if sorted(told) != [str(rank) for rank in range(last)]:
            print(f"ranks that were told: {told}; expected all below {last}")
            return 1
        return 0
    if "dist_faults" not in os.path.basename(program[0]) or "--absent" in program:
        return result.returncode
    good = set(re.findall(r"rank (\d+) of \d+: [1-9]\d* checks, 0 failed", result.stdout))
    missing = {str(r) for r in range(int(ranks))} - good
    if missing:
        print(f"ranks that failed or did not end: {', '.join(sorted(missing))}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
