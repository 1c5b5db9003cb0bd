#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands for the tests under an MPI that was missing when the build was configured: a skip, with WEFT_TEST_STRICT=1 a
failure: missing.py MPI"""
import os
import sys

print(f"{sys.argv[1]} is not on this machine: libweft-mpi was not tested with it. ./bootstrap packages installs it;"
      " then: meson setup --reconfigure")
sys.exit(1 if os.environ.get("WEFT_TEST_STRICT", "0") not in ("", "0") else 77)
