# SPDX-License-Identifier: MIT
"""The pages of man 1, as scdoc writes them, as one page of the site."""
import re

from stage_headers import SPECIAL


def inline(line):
    """Roff's bold and italic words; no other character means anything."""
    line = re.sub(r"\\&|\\\|", "", line).replace("\\(aq", "'").replace("\\*(Aq", "'").replace("\\-", "-")
    line = line.replace("\\e", "\0")
    out, tag = [], ""
    for part in re.split(r"(\\f[BIRP])", line):
        if re.match(r"\\f[BIRP]$", part):
            out.append(f"</{tag}>" if tag else "")
            tag = {"B": "b", "I": "em"}.get(part[2], "")
            out.append(f"<{tag}>" if tag else "")
        else:
            out.append(re.sub("--", r"\\--", SPECIAL.sub(r"\\\1", part.replace("\0", "\\"))))
    return "".join(out) + (f"</{tag}>" if tag else "")


def section(lines):
    """The staged lines of a section: paragraphs, code, and terms with their indented descriptions."""
    out, i = [], 0
    while i < len(lines):
        line = lines[i]
        if line == ".nf":
            end = lines.index(".fi", i)
            code = [re.sub(r"\\&", "", text).replace("\\e", "\\").replace("\\(aq", "'").replace("\\*(Aq", "'")
                    for text in lines[i + 1 : end] if not text.startswith(".R")]
            out += ["", "```{.txt}", *code, "```", ""]
            i = end
        elif line.startswith(".RS") and out and out[-1]:
            end = lines.index(".RE", i)
            words = " ".join(inline(text) for text in lines[i + 1 : end] if text and not text.startswith("."))
            term = out.pop()
            if out and out[-1] == "</dl>":
                out.pop()
            else:
                out += ["", "<dl>"]
            out += [f"<dt>{term}</dt><dd>{words}</dd>", "</dl>"]
            i = end
        elif line in (".P", ".PP", ".br"):
            if out and out[-1] != "</dl>":
                out.append("")
        elif line.startswith(".SS"):
            out += ["", f"<b>{inline(line[4:].strip(chr(34)))}</b>", ""]
        elif line and not line.startswith("."):
            out.append(inline(line))
        i += 1
    return out


def commands_page(files):
    """Markdown for Doxygen, of all pages; `files` begin with weft.1."""
    out = ["# The command {#commands}", "", "[TOC]", "", "`man weft` and `man weft-top` show these pages too.", ""]
    for file in files:
        name = file.stem.replace("-", " ", 1)
        out += ["", f"## {name} {{#commands-{file.stem}}}", ""]
        for part in re.split(r"^\.SH ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            title, _, body = part.partition("\n")
            title = title.strip('"')
            if title != "NAME":
                out += ["", f"<h4>{title.capitalize()}</h4>", ""]
            out += section(body.split("\n"))
            out.append("")
    return "\n".join(out) + "\n"
