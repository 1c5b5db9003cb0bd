# SPDX-License-Identifier: MIT
"""Checks the built site and man pages: links and pictures exist, nothing is fetched from elsewhere, nothing names the
machine that built it, every public function has its page."""
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

FETCHED = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "srcset"),
           ("object", "data")}


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.names, self.links = set(), []

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("id", "name") and value:
                self.names.add(value)
            elif key in ("href", "src", "srcset", "data") and value and tag != "base":
                self.links.append((tag, key, value, self.getpos()[0]))


def links_of(folder):
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        parser = Links()
        parser.feed(path.read_text(encoding="utf-8"))
        pages[path] = parser
    return pages


def check_html(folder):
    pages = links_of(folder)
    files = {path for path in folder.rglob("*") if path.is_file()}
    for path, page in pages.items():
        for tag, key, target, line in page.links:
            place = f"{path.name}:{line}"
            if re.match(r"(https?:)?//", target):
                if (tag, key) in FETCHED:
                    yield f"{place}: <{tag}> fetches {target}"
                continue
            if re.match(r"(mailto|javascript|data):", target):
                continue
            file, _, anchor = unquote(target).partition("#")
            other = (path.parent / file).resolve() if file else path
            if other not in files:
                yield f"{place}: no file {target}"
            elif anchor and other in pages and anchor not in pages[other].names:
                yield f"{place}: no anchor {target}"
    index = (folder / "search_index.js").read_text(encoding="utf-8")
    for name, anchor in re.findall(r'"([\w.]+\.html)(?:#([\w-]+))?"\]', index):
        if folder / name not in pages or anchor and anchor not in pages[folder / name].names:
            yield f"search_index.js: no page {name}#{anchor}"
    for path in [*folder.glob("*.css"), *folder.glob("*.js"), *folder.glob("*.svg")]:
        text = path.read_text(encoding="utf-8")
        for address in re.findall(r"(?:url\(|@import|href=|src=)[\s\"']*(https?://[^\s\"')]*)", text):
            yield f"{path.name}: fetches {address}"


def check_man(folder, headers):
    for path in sorted(folder.iterdir()):
        target = re.match(r"\.so (.*)\n", path.read_text(encoding="utf-8"))
        if target and not (folder.parent / target.group(1)).exists():
            yield f"{path.name}: no page {target.group(1)}"
    for header in headers:
        text = header.read_text(encoding="utf-8").partition("/* ---- behind the functions ---- */")[0]
        for name in re.findall(r"^WEFT_API\b[^;(]*?\b(weft_(?!_)\w+)\(", text, re.MULTILINE):
            if not (folder / f"{name}.3").exists():
                yield f"{header.name}: no man page of {name}"


def check(out, root):
    """Returns what is wrong, a line each."""
    wrong = [*check_html(out / "html"),
             *check_man(out / "man3", sorted((root / "include").rglob("weft/*.h")))]
    machine = {str(out), str(root), str(Path.home())} - {"/"}
    for folder in (out / "html", out / "man3"):
        for path in sorted(folder.rglob("*")):
            text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
            wrong += [f"{path.name}: names {place}" for place in machine if place + "/" in text]
    return wrong
