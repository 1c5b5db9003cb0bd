#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `weft info`, `weft print` and `weft stats` on files that Python's struct and zipfile write.

    tests/process/arrays.py WEFT

WEFT is the executable; WEFT_DEVICE in the environment selects the device. Without a device only `weft info` is tested,
and under WEFT_TEST_STRICT=1 that is a failure.
"""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

WEFT = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
NUMBERS = [0.0, 1.0, 2.0, 4.0, math.nan, 6.0]  # of shape (2, 3)
# A name that colours, moves and renames a terminal, in ASCII's escapes and in such of one character, and adds a line.
EVIL = "a\x1b[31m\x1b]0;title\x07\x9b2J\x85\r\n2 members\x7f\x08b"
TESTS = []


def test(needs_device):
    def add(function):
        TESTS.append((needs_device, function))
        return function
    return add


def npy(descr, shape, elements, fortran=False, version=1):
    """The bytes of an .npy file whose elements begin at a multiple of 64."""
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    front = 10 if version == 1 else 12
    text += b" " * (-(front + len(text) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + struct.pack("<BBH" if version == 1 else "<BBI", version, 0, len(text)) + text + elements


def write_files():
    floats = npy("<f4", (2, 3), struct.pack("<6f", *NUMBERS))
    counts = npy("<i8", (4,), struct.pack("<4q", -3, 0, 2 ** 62, 0))
    files = {
        "c.npy": floats,
        "big.npy": npy(">f8", (2, 3), struct.pack(">6d", *NUMBERS), version=3),
        "fortran.npy": npy("<f4", (2, 3), struct.pack("<6f", *(NUMBERS[3 * (k % 2) + k // 2] for k in range(6))), True),
        "flags.npy": npy("|b1", (3,), b"\1\0\1"),
        "empty.npy": npy("<f4", (0, 3), b""),
        "words.npy": npy("<U1", (1,), b"a\0\0\0"),
        "short.npy": floats[:-1],
        "long.npy": npy("<f4", (1 << 16, 4), struct.pack("<4f", 1, 2, 3, 4) * (1 << 16)),
        "text.txt": b"no arrays\n",
        "nothing": b"",
    }
    for name, content in files.items():
        with open(name, "wb") as file:
            file.write(content)
    with zipfile.ZipFile("two.npz", "w") as archive:
        archive.writestr("x.npy", floats)
        archive.writestr("n.npy", files["long.npy"], zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile("one.npz", "w") as archive:
        archive.writestr("n.npy", counts)
    with zipfile.ZipFile("odd.npz", "w") as archive:
        archive.writestr("words.npy", files["words.npy"])
    with zipfile.ZipFile("none.npz", "w"):
        pass
    with zipfile.ZipFile("evil.npz", "w") as archive:
        archive.writestr(EVIL + ".npy", floats)
        archive.writestr("words" + EVIL + ".npy", files["words.npy"])


def weft(*words, status=0, err="", env=None):
    """Runs the command and returns its output."""
    done = subprocess.run([WEFT, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
                          env={**os.environ, **env} if env else None)
    what = f"weft {' '.join(words)}: status {done.returncode}\n--- out\n{done.stdout}--- err\n{done.stderr}---"
    assert done.returncode == status, f"expected status {status}: {what}"
    for part in [err] if isinstance(err, str) else err:
        assert part in done.stderr, f"no {part!r} in the messages: {what}"
    return done.stdout


@test(needs_device=False)
def info_of_every_form():
    files = ["c.npy", "big.npy", "fortran.npy", "flags.npy", "empty.npy", "two.npz", "odd.npz", "none.npz"]
    found = json.loads(weft("info", "--json", *files))
    common = {"shape": [2, 3], "order": "C", "byte_order": "little-endian", "offset_bytes": 128, "version": "1.0"}
    expected = [
        {"file": "c.npy", "dtype": "f32", "size_bytes": 24},
        {"file": "big.npy", "dtype": "f64", "size_bytes": 48, "byte_order": "big-endian", "version": "3.0"},
        {"file": "fortran.npy", "dtype": "f32", "size_bytes": 24, "order": "Fortran"},
        {"file": "flags.npy", "dtype": "bool", "shape": [3], "size_bytes": 3, "byte_order": None},
        {"file": "empty.npy", "dtype": "f32", "shape": [0, 3], "size_bytes": 0},
    ]
    assert found["npy"] == [{**common, **row} for row in expected], found["npy"]
    two, odd, none = found["npz"]
    assert (two["file"], none["members"]) == ("two.npz", []), found["npz"]
    assert two["members"][0] == {"member": "x", "dtype": "f32", "shape": [2, 3], "size_bytes": 152, "stored_bytes": 152,
                                 "compressed": False}, two
    deflated = two["members"][1]
    assert deflated["compressed"] and deflated["stored_bytes"] < deflated["size_bytes"] // 100, deflated
    assert (odd["members"][0]["dtype"], odd["members"][0]["shape"]) == (None, None), odd
    shown = weft("info", "c.npy", "two.npz", "none.npz")
    for part in ["(2, 3)", "24 bytes", "little-endian", "two.npz: 2 members", "none.npz: 0 members"]:
        assert part in shown, f"no {part!r} in {shown}"


@test(needs_device=False)
def files_that_cannot_be_read():
    weft("info", status=2, err="the file is missing")
    for name, err in {"nowhere.npy": ["'nowhere.npy'", "No such file"], "text.txt": "'text.txt' holds no arrays",
                      "nothing": "'nothing' holds no arrays", ".": "'.': it is a directory",
                      "words.npy": ["`words.npy`", "'<U1'"], "short.npy": ["`short.npy` is too short"]}.items():
        assert weft("info", name, status=1, err=err) == ""
    assert "c.npy" in weft("info", "text.txt", "c.npy", status=1, err="text.txt"), "the others are listed"


@test(needs_device=False)
def members_that_do_not_exist():
    weft("print", "two.npz", status=2, err=["has 2 members", "--member", "x, n"])
    weft("stats", "two.npz", "--member", "y", status=1, err=["no member 'y'", "x, n"])
    weft("print", "none.npz", status=1, err="has no members")
    weft("stats", "c.npy", "--member", "x", status=2, err="--member is for .npz files")
    weft("stats", "c.npy", "--axis", "2", status=2, err="from -2 to 1")
    weft("print", "c.npy", "--precision", "many", status=2, err="--precision is 'many'")


def is_clean(text):
    return all(c == "\n" or 32 <= ord(c) < 127 or ord(c) >= 160 for c in text)


@test(needs_device=False)
def names_from_files_are_cleaned():
    out = weft("info", "evil.npz")
    assert is_clean(out) and len(out.splitlines()) == 4, repr(out)
    assert "a?[31m?]0;title" in out, repr(out)
    text = weft("info", "--json", "evil.npz")
    assert is_clean(text), repr(text)
    assert [m["member"] for m in json.loads(text)["npz"][0]["members"]] == [EVIL, "words" + EVIL], text
    os.rename("evil.npz", EVIL + ".npz")
    for words in (["info", EVIL + ".npz"], ["info", EVIL + ".npy"], ["print", EVIL + ".npz"],
                  ["print", EVIL + ".npz", "--member", "none"], ["print", EVIL + ".npz", "--member", "words" + EVIL],
                  ["print", "--member" + EVIL], [EVIL]):
        done = subprocess.run([WEFT, *words], capture_output=True, timeout=300, check=False)
        assert is_clean((done.stdout + done.stderr).decode()), done
    os.rename(EVIL + ".npz", "evil.npz")
    os.mkdir(os.fsencode("bytes"))
    done = subprocess.run([WEFT, "info", b"bytes/\xff\xfe\xc3.npy"], capture_output=True, timeout=300, check=False)
    assert b"bytes/???.npy" in done.stderr, done


@test(needs_device=True)
def print_of_arrays_and_parts():
    text = "[[ 0.  1.  2.]\n [ 4. nan  6.]]\n"
    for words in [["fortran.npy"], ["big.npy"], ["two.npz", "--member", "x"]]:
        assert weft("print", *words) == text, words
    assert weft("print", "c.npy", "--slice", "1, ::2") == "[4. 6.]\n"
    assert "..." in weft("print", "two.npz", "--member", "n"), "not summarised"
    weft("print", "c.npy", "--slice", "1, 9", status=2, err=["out of range", "1, 9\n"])
    weft("print", "odd.npz", status=1, err="`odd.npz[words]` has elements '<U1'")


def rows(*words, env=None):
    return json.loads(weft("stats", "--json", *words, env=env))


@test(needs_device=True)
def stats_of_arrays_and_axes():
    row = {"count": 6, "min": 0.0, "max": 6.0, "mean": 2.6, "sum": 13.0, "nan": 1, "infinite": 0, "zero": 1}
    found = rows("c.npy")  # other dtypes build other kernels, which takes long
    assert abs(found[0].pop("std") - 2.1540659228538015) < 1e-6 and found == [row], found
    found = rows("c.npy", "--axis", "-1")
    assert [r["index"] for r in found] == ["0", "1"], found
    assert [[r[key] for r in found] for key in ("min", "max", "sum", "nan", "zero")] == [
        [0, 4], [2, 6], [3, 10], [0, 1], [1, 0]], found
    found = rows("one.npz")
    assert math.isclose(found[0].pop("std"), 2 ** 62 * math.sqrt(3) / 4), found
    assert found == [{"count": 4, "min": -3, "max": 2 ** 62, "mean": (2 ** 62 - 3) / 4, "sum": 2 ** 62 - 3, "nan": 0,
                      "infinite": 0, "zero": 2}], found
    assert rows("empty.npy")[0]["min"] is None


@test(needs_device=True)
def stats_of_a_file_larger_than_the_memory():
    small = {"WEFT_MEMORY_LIMIT": "512K", "WEFT_CHUNK": "64K"}  # of a file of 1 MiB
    found = rows("long.npy", "--axis", "0", env=small)
    assert [(r["count"], r["sum"], r["max"]) for r in found] == [(1 << 16, k << 16, k) for k in range(1, 5)], found
    weft("print", "long.npy", status=1, err="memory limit", env=small)


def main():
    os.chdir(tempfile.mkdtemp(prefix="weft-arrays-"))
    folder = os.getcwd()
    write_files()
    device = subprocess.run([WEFT, "limits"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            timeout=300).returncode == 0
    failed = 0
    for needs_device, function in TESTS:
        name = function.__name__.replace("_", " ")
        if needs_device and not device:
            print(f"SKIP: {name}: no device")
            failed += os.environ.get("WEFT_TEST_STRICT") == "1"
            continue
        try:
            function()
            print(f"ok: {name}", flush=True)
        except (AssertionError, ValueError, KeyError, OSError, subprocess.SubprocessError) as problem:
            failed += 1
            print(f"FAILED: {name}: {type(problem).__name__}: {problem}", flush=True)
    os.chdir("/")
    subprocess.run(["rm", "-r", folder], check=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
