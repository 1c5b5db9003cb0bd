#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the man pages of the command `weft` from the command's own tables, by scdoc.

    manual.py TABLES ENVIRONMENT SCDOC FOLDER

TABLES is what `weft __tables` prints, ENVIRONMENT is src/base/environment.h, SCDOC the program, FOLDER the directory
that receives weft.1 and a page weft-NAME.1 for each subcommand. What the tables do not say, such as examples, is in
extras/NAME.scd beside this script; such a file is optional. Its sections replace the page's own sections of the same
name.
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
import tables as of  # noqa: E402

EXTRAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "extras")
ORDER = ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "NAMES", "OPTIONS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT",
         "FILES", "NOTES", "SEE ALSO"]
EXIT_STATUS = "*0*\n\tdone\n\n*1*\n\tthe run failed, or its output could not be written\n\n*2*\n\twrong usage; " \
    "nothing was run\n"


def plain(text):
    """Text without meaning for scdoc; `code` and options become bold."""
    text = re.sub(r"([\\*_<>#|\[\]])", r"\\\1", text)
    text = re.sub(r"`([^`]*)`", r"*\1*", text)
    return re.sub(r"(^|[\s(])(--[a-z][a-z-]*)", r"\1*\2*", text)


def described(term, text):
    return f"{term}\n\t{text}\n"


def option_text(option):
    argument = f" _{plain(option['argument'])}_" if option["argument"] else ""
    return described(f"{plain(option['name'])}{argument}", sentence(option["help"]))


def sentence(text):
    if re.match(r"[a-z]+ ", text):  # not a name: "grid: write the picture"
        text = text[0].upper() + text[1:]
    text = plain(text)
    return text if text.endswith(".") else text + "."


def synopsis(tables, command):
    words = " ".join(f"_{plain(word)}_" for word in command["synopsis"].split())
    return f"*weft {command['name']}* {words + ' ' if words else ''}[_options_]\n"


# ---- the body of the help as text for scdoc ----

def blocks(description):
    """The paragraphs of a help text: ("text", words), ("term", name, words) or ("lines", the indented lines)."""
    for block in re.split(r"\n\s*\n", description.strip("\n")):
        paragraph, shown = [], []
        for line in block.split("\n"):
            term = re.match(r"^ *(\S.*?\S|\S) {2,}(\S.*)$", line)
            if term:
                if paragraph:
                    yield "text", " ".join(paragraph)
                    paragraph = []
                yield "term", term[1], term[2]
            elif line.startswith("  "):
                shown.append(line[2:])
            else:
                paragraph.append(line.strip())
        if paragraph:
            yield "text", " ".join(paragraph)
        if shown:
            yield "lines", shown


def add_literal(lines):
    return "```\n" + "\n".join(lines) + "\n```\n"


def body(description):
    """The help's text, and its examples: the lines after the word Examples."""
    parts, examples, is_example = [], "", False
    for kind, *content in blocks(description):
        if kind == "text" and content[0].startswith("Example") and content[0].endswith(":"):
            is_example = True
        elif kind == "text":
            parts.append(plain(content[0]) + "\n")
        elif kind == "term":
            parts.append(described(f"*{plain(content[0])}*", plain(content[1])))
        elif is_example:
            examples, is_example = add_literal(content[0]), False
        else:
            parts.append(add_literal(content[0]))
    return "\n".join(parts), examples


# ---- pages ----

def sections_of(path):
    """The sections of a file of extras: name -> text."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^;.*\n", "", file.read(), flags=re.M)
    parts = re.split(r"^# (.+)\n", text, flags=re.M)
    return {name: content.strip("\n") + "\n" for name, content in zip(parts[1::2], parts[2::2])}


def page(name, version, sections):
    unknown = [section for section in sections if section not in ORDER]
    if unknown:
        sys.exit(f"{name}: no section {unknown[0]}; there are {', '.join(ORDER)}")
    text = f'{name}(1) "Weft {version}" "Weft"\n'
    for section in ORDER:
        if sections.get(section):
            text += f"\n# {section}\n\n{sections[section]}"
    return text


def see_also(tables, but=None):
    pages = ["weft"] + [f"weft-{command['name']}" for command in tables["commands"]]
    return ", ".join(f"*{page}*(1)" for page in pages if page != but) + "\n"


def environment(path):
    """The variables of the table in environment.h."""
    string = r'"((?:[^"\\]|\\.)*)"'
    rows = []
    with open(path, encoding="utf-8") as file:
        text = re.sub(r'" \\\n *"', "", file.read())  # a text of several lines
    for name, example, effect in re.findall(rf"^  X\((\w+), \w+, {string}, {string}\)", text, re.M):
        value = f"=_{plain(example)}_" if example else ""
        rows.append(described(f"*WEFT\\_{plain(name)}*{value}", sentence(effect)))
    if not rows:
        sys.exit(f"{path}: no table of variables")
    return "\n".join(["The library reads these in every program; some are shown with an example of a value.\n", *rows])


def command_page(tables, command):
    name = f"weft-{command['name']}"
    text, examples = body(command["description"])
    sections = {
        "NAME": f"{name} - {plain(command['summary'])}\n", "SYNOPSIS": synopsis(tables, command),
        "DESCRIPTION": sentence(command["summary"]) + "\n\n" + text,
        "NAMES": "\n".join(described(f"*{plain(n['name'])}*", sentence(n["help"])) for n in command["names"]),
        "OPTIONS": "\n".join(option_text(option) for option in of.options_of(tables, command)),
        "EXAMPLES": examples, "EXIT STATUS": EXIT_STATUS,
        "ENVIRONMENT": described("*WEFT\\_DEVICE*", "The device, if *--device* names none. *weft*(1) lists all "
                                 "variables."),
        "SEE ALSO": see_also(tables, name)}
    return page(name, tables["version"], {**sections, **sections_of(f"{EXTRAS}/{command['name']}.scd")})


def main_page(tables, variables):
    rows = [described(f"*{c['name']}*", f"{sentence(c['summary'])} See *weft-{c['name']}*(1).")
            for c in tables["commands"]]
    sections = {
        "NAME": "weft - arrays and kernels on OpenCL devices\n",
        "SYNOPSIS": "*weft* _COMMAND_ [_words_] [_options_]\n\n*weft --version*\n",
        "COMMANDS": "\n".join(rows), "EXIT STATUS": EXIT_STATUS, "ENVIRONMENT": environment(variables),
        "OPTIONS": "Every command takes these two; *--version* needs no command. Options may stand anywhere before "
                   "*--*, and *--device=*_SEL_ is *--device* _SEL_.\n\n" +
                   "\n".join(option_text(option) for option in of.options_of(tables, None)),
        "SEE ALSO": see_also(tables, "weft")}
    extras = sections_of(f"{EXTRAS}/weft.scd")
    for section in ("ENVIRONMENT",):  # the table first, then the rest
        if section in extras:
            extras[section] = sections[section] + "\n" + extras[section]
    return page("weft", tables["version"], {**sections, **extras})


def without_noise(roff):
    """Without scdoc's empty paragraphs, which mandoc's lint refuses. The one in front of .RE goes behind it."""
    roff = re.sub(r"^\.P\n((?:\.RE\n)+)", r"\1.P\n", roff, flags=re.M)
    roff = re.sub(r"^(?:\.P\n)+(?=\.P\n|\.SH|\.RE|\Z)", "", roff, flags=re.M)
    return re.sub(r"^(\.SH .*\n)(?:\.P\n)+", r"\1", roff, flags=re.M)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    tables, scdoc, folder = of.read(sys.argv[1]), sys.argv[3], sys.argv[4]
    pages = {"weft": main_page(tables, sys.argv[2]),
             **{f"weft-{command['name']}": command_page(tables, command) for command in tables["commands"]}}
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        os.remove(os.path.join(folder, old))
    for name, text in pages.items():
        done = subprocess.run([scdoc], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True)
        if done.returncode != 0:
            sys.exit(f"{name}: {done.stderr.strip()}\n{text}")
        with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as file:
            file.write(without_noise(done.stdout))


if __name__ == "__main__":
    main()
