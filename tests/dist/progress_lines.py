#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""WEFT_PROGRESS: a line for each collective call, of rank 0 alone: progress_lines.py MPIRUN MONTE_CARLO_PI_MPI"""
import os
import re
import subprocess
import sys

LINE = re.compile(r"weft: +(\d+\.\d{3}) s  (weft_dist_\w+)(?: of (\w+) \[(\d+)\])?(?: `[^`]*`)?(?: at (\S+):\d+)?"
                  r": ([\d.e-]+) s")


def lines_of(launcher, program, progress):
    environment = dict(os.environ, WEFT_PROGRESS=progress, OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", POCL_MAX_PTHREAD_COUNT="1")
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=True).stdout
    more_than_cores = ["--oversubscribe"] if "Open MPI" in version or "OpenRTE" in version else []
    done = subprocess.run([launcher, *more_than_cores, "-np", "2", program, "-n", "1000"], env=environment,
                          capture_output=True, text=True, check=True)
    return [line for line in done.stderr.splitlines() if line.startswith("weft: ")]


def main():
    launcher, program = sys.argv[1:]
    if lines_of(launcher, program, "0"):
        sys.exit("lines without WEFT_PROGRESS")
    lines = lines_of(launcher, program, "1")
    found = [LINE.fullmatch(line) for line in lines]
    if None in found:
        sys.exit("another form: " + lines[found.index(None)])
    names = [match[2] for match in found]
    # count_nonzero evaluates and adds up: one line
    expected = ["weft_dist_create", "weft_dist_uniform", "weft_dist_uniform", "weft_dist_eval",
                "weft_dist_count_nonzero"]
    if names != expected:
        sys.exit(f"{names}, expected {expected}")
    shapes = [(match[3], match[4]) for match in found]
    if shapes[1] != ("f32", "1000") or shapes[4][1] != "1000" or not found[1][5].endswith("monte_carlo_pi_mpi.c"):
        sys.exit("\n".join(lines))
    times = [float(match[1]) for match in found]
    if times != sorted(times) or not all(float(match[6]) >= 0 for match in found):
        sys.exit("\n".join(lines))
    print("good")


main()
