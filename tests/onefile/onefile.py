#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The one-file form: makes weft.c and weft.h in an empty folder, compiles them as docs/onefile.md says, without a
warning, and runs a program on the device and without an OpenCL loader: onefile.py ROOT. Exit status 77: no device (a
failure with WEFT_TEST_STRICT=1), or no compiler."""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
CXX = """#include "weft.hpp"
int main() { weft::array x; return weft::attempt(weft_zeros(x.out(), nullptr, WEFT_F32, WEFT_SHAPE(1))).status(); }
"""
PRIVATE = """
typedef struct walk { int run, (*again)(walk *, count); } walk;
static int run(const walk *w) { return w->run; }
RUN(run)
static int (*const again)(const walk *), count = 1;
enum { RUN_LEAST = 3 };
"""
RENAMED = """
typedef struct walk_1 { int run, (*again)(walk_1 *, count_1); } walk_1;
static int run_1(const walk_1 *w) { return w->run; }
RUN(run)
static int (*const again_1)(const walk_1 *), count_1 = 1;
enum { RUN_LEAST_1 = 3 };
"""


class Wrong(Exception):
    pass


def run(*command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, **more)


def must(*command, **more):
    done = run(*command, **more)
    if done.returncode:
        raise Wrong(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def check_names(root):
    """Private names are found, and members of structs keep their names."""
    sys.path.insert(0, str(root / "packaging"))
    import onefile
    names = onefile.private_names(PRIVATE)
    if names != {"walk", "run", "again", "count", "RUN_LEAST"}:
        raise Wrong(f"the private names are {names}")
    text = onefile.renamed(PRIVATE, {name: f"{name}_1" for name in names}, {"RUN"})
    if text != RENAMED:
        raise Wrong(f"renamed:\n{text}")


def check_files(folder):
    """Nothing but the system's headers is included."""
    for name in ("weft.c", "weft.h"):
        text = (folder / name).read_text(encoding="utf-8")
        included = set(re.findall(r"^[ \t]*#[ \t]*include (\S+)", text, re.MULTILINE))
        if bad := {header for header in included if re.search("weft|CL/|ocl", header)} - {'"weft.h"'}:
            raise Wrong(f"{name} includes {bad}")
        if "Apache License" not in text and name == "weft.c":
            raise Wrong("weft.c does not have the licence of OpenCL's headers")


def command_of(root):
    """The line of docs/onefile.md that compiles a program."""
    text = (root / "docs/onefile.md").read_text(encoding="utf-8")
    found = re.findall(r"^(cc program\.c .*)$", text, re.MULTILINE)
    if len(found) != 1:
        raise Wrong(f"docs/onefile.md has {len(found)} lines that compile program.c, not one")
    return found[0]


def check_loaders(folder):
    """A missing loader and a library of its name without its functions: the same clear error."""
    broken = folder / "broken"
    broken.mkdir()
    library = broken / "libOpenCL.so.1"
    for how in ("not a library", "without functions"):
        library.write_bytes(b"")
        if how == "without functions":
            must("cc", "-shared", "-o", library, "-x", "c", os.devnull)
        done = run("./program", cwd=folder, env=dict(os.environ, LD_LIBRARY_PATH=str(broken)))
        if done.returncode != 1 or "WEFT_ERROR_NO_DEVICE" not in done.stdout or "ocl-icd-libopencl1" not in done.stdout:
            raise Wrong(f"{how}: exit status {done.returncode}\n{done.stdout}")


def check(root, folder):
    check_names(root)
    must(sys.executable, root / "packaging/onefile.py", "--output", folder)
    check_files(folder)
    shutil.copy(root / "tests/onefile/program.c", folder / "program.c")
    compiler, *rest = command_of(root).split()
    if shutil.which("clang"):
        # a build takes most of a minute, by gcc more: it optimizes the loops that ask for it at -O0 too
        other = "clang"
        if random.randrange(8):
            compiler, other = other, compiler
        must(other, "-fsyntax-only", *WARNINGS, "weft.c", "program.c", cwd=folder)
        if os.environ.get("WEFT_TEST_SHARE", "4") != "1" and random.randrange(4):
            print("no build: one of four runs makes it, with WEFT_TEST_SHARE=1 each")
            return 0
        print(f"{compiler} builds")
    must(compiler, *rest, "-O0", *WARNINGS, "-o", "program", cwd=folder)
    if shutil.which("c++"):
        (folder / "program.cpp").write_text(CXX, encoding="utf-8")
        must("c++", "-std=c++17", "-fsyntax-only", *WARNINGS, "program.cpp", cwd=folder)
    check_loaders(folder)
    done = run("./program", cwd=folder)
    if done.returncode == 1 and "WEFT_ERROR_NO_DEVICE" in done.stdout:
        print(done.stdout)
        return 1 if os.environ.get("WEFT_TEST_STRICT") == "1" else 77
    if done.returncode or done.stdout != "[10.  7.  4.  1.]\n":
        raise Wrong(f"the program: exit status {done.returncode}\n{done.stdout}")
    return 0


def main():
    if shutil.which("cc") is None:
        print("cc is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        try:
            return check(Path(sys.argv[1]).resolve(), Path(folder).resolve())
        except Wrong as wrong:
            print(wrong)
            return 1


if __name__ == "__main__":
    sys.exit(main())
