# SPDX-License-Identifier: MIT
"""The Markdown files as Doxygen reads them. In the repository they are plain Markdown, with GitHub's anchors and links
to files; here headings get labels, and links become Doxygen's references."""
import posixpath
import re

from stage_headers import SPECIAL, code_span, escaped, group_of

# path in the repository -> name of the page; further files of docs/ follow under their own names
PAGES = {
    "README.md": "index", "docs/guide.md": "guide", "docs/conventions.md": "conventions", "docs/ufuncs.md": "ufuncs",
    "docs/accuracy.md": "accuracy", "docs/porting.md": "porting", "docs/interop.md": "interop",
    "docs/drivers.md": "drivers", "docs/memory.md": "memory", "docs/performance.md": "performance",
    "docs/house.md": "house",
    "examples/README.md": "examples_guide", "CHANGELOG.md": "changelog", "CONTRIBUTING.md": "contributing",
    "SECURITY.md": "security", "python/README.md": "python",
}
# Subjects of the reference, in the order to read them; a header in none of them is listed at the end.
SUBJECTS = {
    "Start": "weft context device status log version",
    "Arrays": "array create view shape axes dtype operand scope release print",
    "Functions over whole arrays": "ufuncs ufunc eval reduce scan sort select search index histogram random rearrange",
    "Kernels and time": "kernel introspect stream event timeit profile trace",
    "Memory and copies": "memory transfer pinned npy npz usage monitor",
    "Other libraries": "opencl dlpack",
}


def slug(heading):
    """GitHub's anchor of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def example_page(name):
    """Doxygen's name for the page of an example."""
    return name.replace(".", "_8") + "-example.html"


class Page:
    """One Markdown file; `pictures` collects the files that it shows."""

    def __init__(self, path, text, repository):
        self.path, self.name = path, PAGES[path]
        self.text = text
        self.repository = repository  # of what can be linked: headers, examples, anchors of the pages
        self.pictures = {}
        self.broken = []

    def stage(self):
        """The staged text as [(line, number in the file)]."""
        text = re.sub(r"<!--.*?-->", lambda m: "\n" * m.group(0).count("\n"), self.text, flags=re.DOTALL)
        out, headings, number = [], 0, 1
        anchors = anchor_names(text)
        for part in re.split(r"^( *```.*?^ *```[ \t]*$)", text, flags=re.MULTILINE | re.DOTALL):
            is_code = part.lstrip().startswith("```")
            if is_code:
                staged = re.sub(r"^( *```)(?=\n)", r"\1{.txt}", part, count=1)
            else:
                staged = self.inline(part, number)
            for i, line in enumerate(staged.split("\n")):
                if (heading := re.match(r"#+ .*\S", line)) and not is_code:
                    anchor = next(anchors)
                    headings += 1
                    label = f"{self.name}-{anchor}" if headings > 1 else self.name.replace("index", "mainpage")
                    title = re.sub(r"`([^`]*)`", lambda m: SPECIAL.sub(r"\\\1", m.group(1)), heading.group(0))
                    line = f"{title} {{#{label}}}" + ("\n\n[TOC]\n" if headings == 1 else "")
                if i == 0 and out:
                    out[-1] = (out[-1][0] + line, number)
                else:
                    out.append((line, number + i))
            number += part.count("\n")
        rows = [(line, n) for text, n in out for line in text.split("\n")]
        return rows if headings > 3 else [row for row in rows if row[0] != "[TOC]"]

    def inline(self, text, first):
        """Links and pictures rewritten; outside of code no character is a command of Doxygen's."""
        def line_of(match):
            return first + text.count("\n", 0, match.start())

        parts = re.split(r"(`+[^`]*`+)", text)
        for i in range(0, len(parts), 2):
            parts[i] = re.sub(r"[@\\](?=\w)|<(?=[A-Za-z/]*[^A-Za-z/ >])|(?<=\s)#(?=\w)|(?<=\w)::(?=\w)",
                              lambda m: "\\" + m.group(0), parts[i])
        parts[1::2] = [code_span(span) for span in parts[1::2]]
        text = "".join(parts)
        text = re.sub(r'(<img [^>]*src=")([^"]*)"',
                      lambda m: f'{m.group(1)}{self.picture(m.group(2), line_of(m))}"', text)
        text = re.sub(r'(<a href=")([^"]*)"', lambda m: f'{m.group(1)}{self.href(m.group(2), line_of(m))}"', text)
        # a picture alone in its paragraph is as wide as the text
        text = re.sub(r"(^)?!\[([^\]]*)\]\(([^)\s]*)\)", lambda m: '<img%s src="%s" alt="%s"/>' % (
            ' class="figure"' if m.group(1) is not None else "", self.picture(m.group(3), line_of(m)),
            m.group(2).replace("\n", " ")), text, flags=re.MULTILINE)
        return re.sub(r"(?<![!\\`\w])\[((?:`[^`]*`|\\[\[\]]|[^\]\[`])+)\]\(([^)\s]+)\)",
                      lambda m: self.link(m.group(1), m.group(2), line_of(m)), text)

    def picture(self, target, number):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), target))
        if re.match(r"\w+:", target) or path not in self.repository["files"]:
            self.broken.append((number, target))
            return target
        self.pictures[path] = path.replace("/", "-")
        return self.pictures[path]

    def href(self, target, number):
        """The address of a link that is written in HTML."""
        if re.match(r"\w+:|#", target):
            return target
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), target))
        if path.startswith("examples/") and posixpath.basename(path) in self.repository["examples"]:
            return example_page(posixpath.basename(path))
        if path in self.repository["anchors"]:
            return PAGES[path] + ".html"
        self.broken.append((number, target))
        return target

    def link(self, text, target, number):
        text = " ".join(text.split())  # Doxygen's links stay on one line, and their texts are plain
        text = text if re.match(r"\w+:", target) else text.replace("`", "")
        if re.match(r"\w+:", target):
            return f"[{text}]({target})"
        file, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), file)) if file else self.path
        if path in PAGES and path in self.repository["anchors"]:
            if not anchor:
                return f"[{text}](index.html)" if PAGES[path] == "index" else f"[{text}](@ref {PAGES[path]})"
            if anchor in self.repository["anchors"][path]:
                return f"[{text}](@ref {PAGES[path]}-{anchor})"
        elif path == "LICENSE":
            return f"[{text}](@ref license)"
        elif path == "include/weft":
            return f"[{text}](@ref reference)"
        elif (posixpath.dirname(path) in ("include/weft", "include/dist/weft") and
              path.split("/")[-1] in self.repository["headers"]):
            return f"[{text}](@ref {group_of(path.split('/')[-1])})"
        elif path.startswith("examples/") and path.split("/")[-1] in self.repository["examples"]:
            return f"[{text}]({example_page(path.split('/')[-1])})"
        elif not anchor and (path in self.repository["files"] or path in self.repository["folders"]):
            return text  # a file that the site does not have
        self.broken.append((number, target))
        return text


def anchor_names(text):
    """GitHub's anchors of a Markdown file's headings, in their order."""
    seen = {}
    for line in re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL).split("\n"):
        if match := re.match(r"#+ (.*?)\s*$", line):
            anchor = slug(match.group(1))
            seen[anchor] = seen.get(anchor, -1) + 1
            yield anchor + (f"-{seen[anchor]}" if seen[anchor] else "")


def reference_page(headers):
    """The list of all headers: {name: first sentence}."""
    lines = ["# Reference {#reference}", "",
             "Every public function, type and macro, by header; `<weft/weft.h>` includes them all. "
             "The rules of every call are in the [conventions](@ref conventions).", ""]
    left = dict(headers)
    for subject, names in [*SUBJECTS.items(), ("More", None)]:
        names = [name + ".h" for name in names.split()] if names else sorted(left)
        rows = [f"| [weft/{name}](@ref {group_of(name)}) | {left.pop(name)} |" for name in names if name in left]
        if rows:
            lines += [f"## {subject}", "", "| header | subject |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def more_page(titles, commands):
    """The list of all pages: {path: title}."""
    lines = ["# All pages {#more}", ""]
    for path, name in PAGES.items():
        if path in titles:
            lines.append(f"- [{titles[path]}]({name}.html)")
    lines += ["- [The command weft](@ref commands)"] if commands else []
    return "\n".join([*lines, "- [Reference](@ref reference)", "- [License](@ref license)", ""])


def first_sentence(text, headers):
    """What a header's opening comment says first."""
    opening = re.search(r"^/// (.*(?:\n/// .*)*)", text, re.MULTILINE).group(1).replace("\n/// ", " ")
    return escaped(re.split(r"(?<=[^.\d])\.(?= |$)", opening)[0], headers).strip()
