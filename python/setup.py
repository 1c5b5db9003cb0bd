# SPDX-License-Identifier: MIT
"""Builds the module's libweft.so from the one-file form, which packaging/onefile.py makes in a clone of Weft."""
import atexit
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
WEFT = HERE.parent
if not os.access(HERE, os.W_OK):  # setuptools writes into its folder: a copy of it, which goes with the process
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    HERE = Path(shutil.copytree(HERE, Path(folder) / "python"))
    for part in [HERE, *HERE.rglob("*")]:
        part.chmod(part.stat().st_mode | 0o200)
    os.chdir(HERE)
MADE = HERE / "generated"  # weft.c, weft.h and weft.json; a source distribution brings them


def run(*command):
    print("+", shlex.join(map(str, command)), flush=True)
    subprocess.run([str(word) for word in command], check=True)


def make_sources():
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if (WEFT / "packaging/onefile.py").exists():
        MADE.mkdir(exist_ok=True)
        run(sys.executable, WEFT / "packaging/onefile.py", "--output", MADE, "--cc", shlex.join(compiler))
        run(sys.executable, WEFT / "src/face/headers.py", "--json", MADE / "weft.json", "--", *compiler,
            f"-I{WEFT / 'include'}")
    elif not (MADE / "weft.c").exists():
        sys.exit("setup.py: run it in a clone of Weft, whose sources it compiles (pip 21.3 or newer)")
    return compiler


def version():
    text = (MADE / "weft.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define WEFT_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


class Build(build_py):
    def run(self):
        super().run()
        target = Path(self.build_lib) / "weft"
        target.mkdir(parents=True, exist_ok=True)
        run(*COMPILER, "-O2", "-fPIC", "-fvisibility=hidden", "-shared", "-o", target / "libweft.so", MADE / "weft.c",
            "-ldl", "-lpthread", "-lm")
        self.copy_file(str(MADE / "weft.json"), str(target / "weft.json"))


class Binary(Distribution):
    """The wheel is for one kind of machine."""

    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    """For every Python 3: cffi opens the library."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


COMPILER = make_sources()
setup(version=version(), cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=Binary)
