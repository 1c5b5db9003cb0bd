#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the site and the pages of man 3 from the public headers, the Markdown files and the examples, by Doxygen.

  site.py OUT             writes OUT/html and OUT/man3
  site.py OUT --check     also checks links and pages, for the test

Doxygen reads a staged copy (OUT/stage) of headers and pages: stage_headers.py and stage_pages.py say what differs.
Its warnings are errors, printed with the places in the repository: a public function, type or macro without a comment
is one. A link to a heading or file that does not exist is another.
"""
import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

import check
import html_pages
import man_pages
import stage_commands
import stage_headers
import stage_pages

HERE = Path(__file__).resolve().parent
HEADERS = ("include/weft", "include/dist/weft")
LEFT_OUT = {"map.h", "options.h"}  # macros behind the others


def read(path):
    return path.read_text(encoding="utf-8")


class Stage:
    def __init__(self, out, root):
        self.root = root
        self.read = {*HERE.iterdir()}  # what the site is made from
        self.folder = out / "stage"
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "weft").mkdir(parents=True)
        self.places = {}  # staged file -> (file in the repository, line numbers there)
        self.pictures = {}
        self.broken = []

    def write(self, name, rows, source):
        (self.folder / name).write_text("".join(line + "\n" for line, _ in rows), encoding="utf-8")
        self.places[name] = source, [number for _, number in rows]

    def headers(self):
        public = {path.name: path for folder in HEADERS for path in sorted((self.root / folder).glob("*.h*"))
                  if path.suffix in (".h", ".hpp") and path.name not in LEFT_OUT}
        texts = {name: read(path) for name, path in public.items()}
        options = stage_headers.options_of(texts.values())
        for name, text in texts.items():
            staged = stage_headers.Header(name, text, texts, options)
            rows = staged.stage_cxx() if name.endswith("pp") else staged.stage()
            self.write(f"weft/{name}", rows, str(public[name].relative_to(self.root)))
        sentences = {name: stage_pages.first_sentence(text, texts) for name, text in texts.items()}
        (self.folder / "reference.md").write_text(stage_pages.reference_page(sentences), encoding="utf-8")
        return texts

    def pages(self, headers, commands):
        for path in sorted((self.root / "docs").glob("*.md")):
            stage_pages.PAGES.setdefault(f"docs/{path.name}", path.stem)
        present = {path: read(self.root / path) for path in stage_pages.PAGES if (self.root / path).exists()}
        files = [path for path in self.root.iterdir() if not path.name.startswith((".", "build"))]
        files += [path for folder in files if folder.is_dir() for path in folder.rglob("*")]
        repository = {
            "anchors": {path: set(stage_pages.anchor_names(text)) for path, text in present.items()},
            "headers": set(headers), "examples": {path.name for path in self.examples()},
            "files": {str(path.relative_to(self.root)) for path in files},
            "folders": {str(path.relative_to(self.root)) for path in files if path.is_dir()},
        }
        for path, text in present.items():
            page = stage_pages.Page(path, text, repository)
            self.write(f"{page.name}.md", page.stage(), path)
            self.pictures.update(page.pictures)
            self.broken += [f"{path}:{number}: no such file or heading: {target}" for number, target in page.broken]
        titles = {path: re.search("^# (.*)", text, re.MULTILINE).group(1) for path, text in present.items()}
        (self.folder / "more.md").write_text(stage_pages.more_page(titles, commands), encoding="utf-8")
        if commands:
            (self.folder / "commands.md").write_text(stage_commands.commands_page(commands), encoding="utf-8")
            self.read |= {*commands}
        text = "# License {#license}\n\n" + re.sub("^", "    ", read(self.root / "LICENSE"), flags=re.MULTILINE)
        (self.folder / "license.md").write_text(text.rstrip() + "\n", encoding="utf-8")

    def examples(self):
        return sorted(path for path in (self.root / "examples").iterdir() if path.suffix in (".c", ".cpp", ".cl"))

    def examples_page(self):
        """A page with the source of each example."""
        text = "".join(f"/** @example {path.name} */\n" for path in self.examples())
        (self.folder / "examples.dox").write_text(text, encoding="utf-8")

    def write_depfile(self, file):
        self.read |= {self.root / source for source, _ in self.places.values()} | {*self.examples()}
        self.read |= {self.root / source for source in self.pictures}
        names = " ".join(str(path).replace(" ", "\\ ") for path in sorted(self.read) if path.is_file())
        file.write_text(f"{file.parent / 'html'}: {names}\n", encoding="utf-8")

    def repository_place(self, text):
        """Doxygen's message with the place in the repository instead of the staged one."""
        def place(match):
            source, numbers = self.places.get(match.group(1), (match.group(1), []))
            line = int(match.group(2))
            return f"{source}:{numbers[min(line, len(numbers)) - 1] if numbers else line}:"
        return re.sub(rf"{re.escape(str(self.folder))}/([^\s:]+):(\d+):", place, text)


def version(root):
    text = read(root / "include/weft/version.h")
    return ".".join(re.search(rf"WEFT_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def run_doxygen(doxygen, out, stage):
    """Returns Doxygen's warnings, one per line."""
    for name in ("html", "man", "man3"):
        shutil.rmtree(out / name, ignore_errors=True)
    settings = read(HERE / "Doxyfile.in")
    for name, value in (("OUT", out), ("STAGE", stage.folder), ("HERE", HERE), ("EXAMPLES", stage.root / "examples"),
                        ("VERSION", version(stage.root))):
        settings = settings.replace(f"@{name}@", str(value))
    (out / "Doxyfile").write_text(settings, encoding="utf-8")
    done = subprocess.run([doxygen, str(out / "Doxyfile")], cwd=stage.folder, capture_output=True, text=True)
    lines = [line for line in stage.repository_place(done.stderr).splitlines() if line.strip()]
    if done.returncode and not lines:
        lines = [f"doxygen: exit status {done.returncode}"]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--doxygen", default="doxygen")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--depfile", type=Path, help="where to list the files that were read, for ninja")
    parser.add_argument("--man1", type=Path, help="the folder with the command's man pages, if they were built")
    parser.add_argument("--root", type=Path, default=HERE.parents[1], help="another tree, for the tests")
    args = parser.parse_args()
    root = args.root.resolve()
    out = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    stage = Stage(out, root)
    headers = stage.headers()
    commands = sorted(args.man1.glob("*.1"), key=lambda path: path.stem) if args.man1 else []
    stage.pages(headers, commands)
    stage.examples_page()
    wrong = stage.broken + run_doxygen(args.doxygen, out, stage)
    if not wrong:
        for source, name in stage.pictures.items():
            shutil.copyfile(root / source, out / "html" / name)
        shutil.copyfile(HERE / "site.js", out / "html/site.js")
        html_pages.finish(out / "html", out / "weft.tag")
        man_pages.finish(out / "man" / "man3", out / "man3")
        wrong += check.check(out, root) if args.check else []
    if args.depfile:
        stage.write_depfile(args.depfile)
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        pages = len(list((out / "html").glob("*.html")))
        manuals = len(list((out / "man3").glob("*.3")))
        print(f"{pages} pages in {out / 'html'}, {manuals} in {out / 'man3'}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
