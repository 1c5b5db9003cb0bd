#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants mistakes in a copy of headers and pages, and in a built site, and checks that each is reported.

  selftest.py doxygen
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import check

ROOT = Path(__file__).resolve().parents[2]
# file, text in it, what is planted in front of that text, what site.py must print
PLANTED = [
    ("include/weft/sort.h", "/// Options of weft_topk.",
     "WEFT_API weft_status weft_planted(weft_array **out, const weft_array *x);\n\n",
     "Member weft_planted(weft_array **out, const weft_array *x) (function) of group h_sort is not documented"),
    ("include/weft/scan.h", "/// Options of all scans.", "typedef struct weft_bare {\n  int n;\n} weft_bare;\n\n",
     "Compound weft_bare is not documented"),
    ("include/weft/shape.h", "WEFT_END_DECLS", "#define WEFT_PLANTED 1\n\n", "Member WEFT_PLANTED (macro definition)"),
    ("docs/guide.md", "## 2. ", "[gone](no_such_page.md)\n\n", "no such file or heading: no_such_page.md"),
    ("docs/memory.md", "## The pool", "[gone](guide.md#no-such-heading)\n\n",
     "no such file or heading: guide.md#no-such-heading"),
    ("docs/memory.md", "## Running out", "![gone](no_such_picture.svg)\n\n",
     "no such file or heading: no_such_picture.svg"),
]


# what check.py must print of this page, and of the index and the man page beside it
BROKEN = """<a href="a.html#there" id="there">fine</a><a href="b.html">x</a><a href="#no">x</a><img src="c.png">
<img src="https://example.org/d.png"><a href="https://example.org/">fine</a>"""
MISSING = ["a.html:1: no file b.html", "a.html:1: no anchor #no", "a.html:1: no file c.png",
           "a.html:2: <img> fetches https://example.org/d.png", "search_index.js: no page a.html#gone",
           "weft_x.3: no page man3/weft_y.h.3"]


def check_the_check():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "man3").mkdir()
        (folder / "a.html").write_text(BROKEN, encoding="utf-8")
        (folder / "search_index.js").write_text('["x", "y", "a.html#gone"]', encoding="utf-8")
        (folder / "man3/weft_x.3").write_text(".so man3/weft_y.h.3\n", encoding="utf-8")
        found = [*check.check_html(folder), *check.check_man(folder / "man3", [])]
    if sorted(found) != sorted(MISSING):
        sys.exit("check.py:\n" + "\n".join(found))


def main():
    check_the_check()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        for name in ("include", "docs", "examples"):
            shutil.copytree(ROOT / name, tree / name)
        for path in ROOT.iterdir():
            if path.is_file() and not path.name.startswith("."):
                shutil.copy(path, tree)
        for file, place, planted, _ in PLANTED:
            text = (tree / file).read_text(encoding="utf-8")
            if place not in text:
                sys.exit(f"{file}: no place to plant: {place}")
            (tree / file).write_text(text.replace(place, planted + place, 1), encoding="utf-8")
        done = subprocess.run([sys.executable, ROOT / "docs/site/site.py", "--doxygen", sys.argv[1], "--root", tree,
                               Path(folder) / "out"], capture_output=True, text=True)
    missed = [f"{file}: not found: {expected}" for file, _, _, expected in PLANTED if expected not in done.stderr]
    if missed or done.returncode != 1:
        sys.exit("\n".join([*missed, f"exit status {done.returncode}", done.stderr]))


if __name__ == "__main__":
    main()
