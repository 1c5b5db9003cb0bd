#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns kernel sources into C, and reads the version back from its header.

  embed.py --table SYMBOL --output FILE.c NAME=FILE ...   writes `const weft__embedded SYMBOL[]`, ended by a row
                                                          of NULLs
  embed.py --string SYMBOL --output FILE.h FILE             writes `static const char SYMBOL[]`, for a program
                                                          that has one kernel of its own; the files of cl/ that it
                                                          includes stand in it, as only the library sees them
  embed.py --version-of include/weft/version.h             prints MAJOR.MINOR.PATCH
"""
import argparse
import os
import re
import sys


def version_of(path):
    text = open(path, encoding="utf-8").read()
    parts = [re.search(rf"#define WEFT_VERSION_{p} (\d+)", text) for p in ("MAJOR", "MINOR", "PATCH")]
    if not all(parts):
        sys.exit(f"{path}: no WEFT_VERSION_MAJOR, _MINOR and _PATCH")
    return ".".join(m.group(1) for m in parts)


def c_array(symbol, data):
    # numbers rather than a string: C compilers need not take literals over 4095 characters
    rows = [", ".join(str(b) for b in data[i : i + 32]) for i in range(0, len(data), 32)]
    return f"static const char {symbol}[] = {{\n  " + ",\n  ".join(rows + ["0"]) + "};\n"


def read_source(path):
    data = open(path, "rb").read()
    if 0 in data or max(data, default=0) > 127:
        sys.exit(f"{path}: kernels are plain ASCII")
    return data


def spliced(path, read):
    """A source with the files of cl/ that it includes in their places; `read` gets the paths of all."""
    read.append(path)
    lines = []
    for line in read_source(path).splitlines(keepends=True):
        name = re.match(rb'#include "([^"]+)"', line)
        file = os.path.join(os.path.dirname(os.path.abspath(__file__)), name[1].decode()) if name else ""
        lines.append(spliced(file, read) if os.path.isfile(file) and not name[1].startswith(b"weft/") else line)
    return b"".join(lines)


def string(symbol, path, read):
    return f"/* Made by cl/embed.py from {os.path.basename(path)}. */\n" + c_array(symbol, spliced(path, read))


def table(symbol, sources, array=c_array):
    arrays, rows = [], []
    for number, source in enumerate(sources):
        name, path = source.split("=", 1)
        arrays.append(array(f"text_{number}", read_source(path)))
        rows.append(f'  {{"{name}", text_{number}}},\n')
    return (
        "/* Made by cl/embed.py from the files in cl/. */\n"
        '#include "kernel/embedded.h"\n\n'
        + "\n".join(arrays)
        + f"\nconst weft__embedded {symbol}[] = {{\n"
        + "".join(rows)
        + "  {0, 0}};\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version-of", metavar="HEADER")
    parser.add_argument("--table", metavar="SYMBOL")
    parser.add_argument("--string", metavar="SYMBOL")
    parser.add_argument("--output", metavar="FILE")
    parser.add_argument("--depfile", metavar="FILE")
    parser.add_argument("sources", nargs="*", metavar="[NAME=]FILE")
    arguments = parser.parse_args()
    if arguments.version_of:
        print(version_of(arguments.version_of))
    elif arguments.output and (arguments.table or (arguments.string and len(arguments.sources) == 1)):
        read = []
        text = (table(arguments.table, arguments.sources) if arguments.table
                else string(arguments.string, arguments.sources[0], read))
        with open(arguments.output, "w", encoding="ascii") as out:
            out.write(text)
        if arguments.depfile:
            with open(arguments.depfile, "w", encoding="utf-8") as out:
                out.write(f"{arguments.output}: {' '.join(sorted(set(read)))}\n")
    else:
        parser.error("--version-of, or --output with --table or --string")


if __name__ == "__main__":
    main()
