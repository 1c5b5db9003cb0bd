#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the one-file form of Weft: weft.c, weft.h and weft.hpp, for programs that compile the library themselves.

  onefile.py --output DIR [--cc CC]

  cc program.c weft.c -ldl -lpthread -lm

weft.c has all sources, the kernels and OpenCL's headers, which CC (default: cc) finds on this machine. It loads
libOpenCL.so.1 at run time. src/meson.build and cl/meson.build have the lists of the files.

A name that is private to a source may be private to another one as well, or be a library's: `static int run(...)`. So
each gets the name of its source: run__op_sort_cpu. Constants of enums, which macros put together from parts, get it
only where two sources have them. Macros of a source end with it."""
import argparse
import collections
import importlib.util
import itertools
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = [ROOT / "src", ROOT, ROOT / "cl"]  # as `internal` in meson.build

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
      |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
      |(?P<name>[A-Za-z_]\w*)
      |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      |(?P<mark>->|\.\.\.|.)""", re.VERBOSE | re.DOTALL)
INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>).*')
OPENS, CLOSES = "([{", ")]}"


class Wrong(Exception):
    pass


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def sources():
    names = re.findall(r"'([\w/]+\.c)'", (ROOT / "src/meson.build").read_text(encoding="utf-8"))
    return [name for name in dict.fromkeys(names) if (ROOT / "src" / name).exists()]


def kernels():
    found = re.search(r"kernel_sources = \[(.*?)\]", (ROOT / "cl/meson.build").read_text(encoding="utf-8"), re.DOTALL)
    return re.findall(r"'([\w/.]+)'", found.group(1))


# ---- the names of a source -------------------------------------------------------------------------------------------

Token = collections.namedtuple("Token", "kind text")


def tokens_of(text):
    return [Token(match.lastgroup, match.group()) for match in TOKEN.finditer(text)]


def without_directives(text):
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.MULTILINE)


def declarations(text):
    """The declarations at file scope, each a list of words and marks; a bracket is ("(", its contents)."""
    declaration, depth, body = [], 0, []
    for kind, word in tokens_of(without_directives(text)):
        if kind == "skip":
            continue
        if word in OPENS:
            if depth == 0:
                declaration.append(word)
                body = []
            depth += 1
        elif word in CLOSES:
            depth -= 1
            if depth == 0:
                declaration[-1] = (declaration[-1], body)
                if word == "}" and any(part[0] == "(" for part in declaration if isinstance(part, tuple)) and \
                        "=" not in declaration and declaration[0] != "typedef":
                    yield declaration
                    declaration = []
        elif depth:
            body.append(word)
        elif word in ("static", "typedef"):  # what stands before is the call of a macro without a semicolon
            declaration = [word]
        elif word == ";":
            if declaration:
                yield declaration
            declaration = []
        else:
            declaration.append(word)


def parts_of(words, separator=","):
    part, depth = [], 0
    for word in words:
        depth += (word in OPENS) - (word in CLOSES) if isinstance(word, str) else 0
        if word == separator and depth == 0:
            yield part
            part = []
        else:
            part.append(word)
    yield part


def is_word(part):
    return isinstance(part, str) and re.match(r"[A-Za-z_]\w*$", part) is not None


def declared_names(declaration):
    """What a declaration at file scope names: tags, constants of enums, functions, variables, types."""
    for before, part, after in zip(declaration, declaration[1:], declaration[2:]):
        is_body = isinstance(after, tuple) and after[0] == "{"
        if before in ("struct", "union", "enum") and is_word(part) and is_body:
            yield part
    for at, part in enumerate(declaration):
        if isinstance(part, tuple) and part[0] == "{" and "enum" in declaration[max(0, at - 2):at]:
            yield from (constant[0] for constant in parts_of(part[1]) if constant)
    if declaration[0] not in ("static", "typedef"):
        return
    for declarator in parts_of(declaration):
        head = list(parts_of(declarator, "="))[0]
        pointers = [part[1] for part in head if isinstance(part, tuple) and part[0] == "(" and part[1][:1] == ["*"]]
        words = [part for part in head if is_word(part)]
        if pointers:  # (*const name)(...)
            name = itertools.takewhile(lambda word: word not in OPENS, pointers[0])
            yield [word for word in name if is_word(word)][-1]
        elif words:
            yield words[-1]


def private_names(text):
    """The names that only this source knows: a struct's tag belongs to it if the struct is defined here."""
    found = set()
    for declaration in declarations(text):
        names = set(declared_names(declaration))
        has_body = any(isinstance(part, tuple) and part[0] == "{" for part in declaration)
        if declaration[0] in ("static", "typedef") or has_body and declaration[0] in ("struct", "union", "enum"):
            found |= names
    return {name for name in found if not name.lower().startswith("weft_")}


def inside_struct(tokens):
    """For each token whether it stands directly in a struct's or union's braces, or in (*name) there."""
    stack, flags, last = [], [], []
    for i, (kind, word) in enumerate(tokens):
        flags.append(bool(stack) and stack[-1])
        if kind == "skip":
            continue
        if word in OPENS:
            is_struct = word == "{" and any(before in ("struct", "union") for before in last[-2:])
            is_pointer = word == "(" and tokens[i + 1].text == "*"
            stack.append(is_struct or is_pointer and bool(stack) and stack[-1])
        elif word in CLOSES and stack:
            stack.pop()
        last = (last + [word])[-2:]
    return flags


def pasted(tokens, solid, pasting):
    """The tokens in calls of macros that make names or texts of their arguments."""
    found, depth = set(), 0
    for k, i in enumerate(solid):
        word = tokens[i].text
        starts = depth == 0 and k and word == "(" and tokens[solid[k - 1]].text in pasting
        if depth or starts:
            found.add(i)
            depth += (word == "(") - (word == ")")
    return found


def renamed(text, names, pasting=()):
    """`text` with other names for these; members of structs and arguments of `pasting` macros keep theirs."""
    tokens = tokens_of(text)
    solid = [i for i, token in enumerate(tokens) if token.kind != "skip"]
    members, out = inside_struct(tokens), [token.text for token in tokens]
    kept = pasted(tokens, solid, pasting)
    for k, i in enumerate(solid):
        word = tokens[i].text
        if tokens[i].kind != "name" or word not in names or i in kept:
            continue
        before = tokens[solid[k - 1]].text if k else ""
        if before == "#":  # a directive
            continue
        after = tokens[solid[k + 1]] if k + 1 < len(solid) else Token("mark", "")
        is_type = after.kind == "name" or after.text == "*" or before in ("struct", "union", "enum")
        is_member = before in (".", "->") or members[i] and not is_type
        in_offsetof = before == "," and any(tokens[j].text == "offsetof" for j in solid[max(0, k - 5):k])
        if not is_member and not in_offsetof:
            out[i] = names[word]
    return "".join(out)


# ---- the files -------------------------------------------------------------------------------------------------------

def banner(name):
    return f"/* ==== {name} {'=' * (109 - len(name))} */\n"


def without_licence(text):
    return re.sub(r"\A(//|/\*) SPDX-License-Identifier: MIT( \*/)?\n", "", text)


class Output:
    """A file that grows; each header with a guard comes once, and the system's headers are collected."""

    def __init__(self, folders, opencl=None, done=()):
        self.folders, self.opencl, self.done, self.system = folders, opencl, set(done), {}

    def find(self, name, beside):
        for folder in [self.opencl] if self.opencl and name.startswith("CL/") else [beside, *self.folders]:
            if (folder / name).is_file():
                return (folder / name).resolve()
        return None

    def expand(self, text, beside, hoists):
        """`text` with the headers of these folders in place of their #include lines. `hoists`: the system's headers
        are collected in self.system instead of staying here, except below an #if."""
        out, depth = [], 0
        for line in text.split("\n"):
            directive = re.match(r"[ \t]*#[ \t]*(if|ifdef|ifndef|endif)\b(.*)", line)
            if directive:
                is_guard = directive.group(1) == "ifndef" and re.search(r"_(H|HPP)$", directive.group(2).strip())
                depth += -1 if directive.group(1) == "endif" else 0 if is_guard else 1
            include = INCLUDE.fullmatch(line)
            if not include:
                out.append(line)
                continue
            name = include.group(1) or include.group(2)
            path = self.find(name, beside)
            if path:
                out.append(self.header(path, hoists).rstrip("\n"))
            elif hoists and depth <= 0:
                self.system[name] = None
            else:
                out.append(line)
        return "\n".join(out)

    def header(self, path, hoists):
        if path in self.done:
            return ""
        text = path.read_text(encoding="utf-8")
        is_guarded = re.search(r"^#ifndef \w+\s*\n#define \w+\s*$", text, re.MULTILINE)
        if is_guarded and re.search(r"^[ \t]*#[ \t]*endif.*\s*\Z", text, re.MULTILINE):  # not cl/math/integer.clh
            self.done.add(path)
        elif "#pragma once" in text:
            raise Wrong(f"{path}: a guard by #ifndef is expected")
        name = path.relative_to(ROOT) if ROOT in path.parents else f"{path.parent.name}/{path.name}"
        return banner(str(name)) + self.expand(without_licence(text), path.parent, hoists)


def public_header(version):
    output = Output([ROOT / "include"])
    body = output.header(ROOT / "include/weft/weft.h", hoists=False)
    return head("weft.h", version, "The public headers, once each.") + body, output.done


def licence():
    return (ROOT / "LICENSE").read_text(encoding="utf-8").strip()


def head(name, version, what):
    text = f"""{name} of Weft {version}, the one-file form: arrays and kernels on the GPU for C, on OpenCL. {what}

  cc program.c weft.c -ldl -lpthread -lm

A program includes "weft.h". weft.c is C11 for gcc and clang on Linux; it needs no other file, loads OpenCL's loader
(libOpenCL.so.1) at run time, and has Weft's kernels inside. Made by packaging/onefile.py; change Weft's sources
instead of this file. docs/onefile.md in Weft's sources describes it.

SPDX-License-Identifier: MIT
"""
    return f"/* {text}\n{licence()} */\n\n"


def opencl_headers(compiler):
    """OpenCL's headers, with their licences, as the compiler finds them."""
    made = subprocess.run([*compiler, "-E", "-x", "c", "-"], input="#include <CL/cl.h>\n", text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    found = re.search(r'^# \d+ "([^"]*)/CL/cl\.h"', made.stdout, re.MULTILINE)
    if made.returncode or not found:
        raise Wrong(f"{shlex.join(compiler)} finds no <CL/cl.h>; install OpenCL's headers (Debian, Ubuntu: "
                    f"apt install opencl-headers)\n{made.stderr}")
    folder = Path(found.group(1)).resolve()
    output = Output([], folder)
    targets = ("#define CL_TARGET_OPENCL_VERSION 300\n#define CL_USE_DEPRECATED_OPENCL_1_2_APIS\n")
    text = targets + output.header(folder / "CL/cl.h", hoists=False)
    return folder, text + "\n", output.done


def interface(compiler):
    headers = module(ROOT / "src/face/headers.py")
    command = [*compiler, f"-I{ROOT / 'include'}"]
    return headers.function_bodies(headers.read(command), headers.macros(command))


def embedded():
    pairs = [f"{name}={ROOT / 'cl' / name}" for name in kernels()]
    return module(ROOT / "cl/embed.py").table("weft__embedded_sources", pairs, array=literals)


def literals(symbol, data):
    """The kernel as one string: gcc and clang take any length, and people can read it."""
    escaped = data.decode("ascii").replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    escaped = escaped.replace("??", "?\\?")  # no trigraphs
    lines = "\n".join(f'  "{line}\\n"' for line in escaped.removesuffix("\n").split("\n"))
    return f"static const char {symbol}[] =\n{lines};\n"


def pasting_macros(text):
    return {name for name, body in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(((?:[^\n\\]|\\.|\\\n)*)", text,
                                              re.MULTILINE) if "#" in body}


def split_includes(text):
    """The text in pieces: an #include line of its own is a piece that is not renamed. Lines of LOOPS are pieces too."""
    return re.split(r"^([ \t]*#[ \t]*include[^\n]*\n|#define \w*LOOPS \"[^\n]*\n)", text, flags=re.MULTILINE)


def with_templates(text, loops=()):
    """`text` with the headers of src/ that have no guard in place: loops that a source includes several times, which
    are a part of it and use its names. `loops`: the headers that LOOPS of base/each_width.h and the like name."""
    out, loops = [], dict(loops)
    for piece in split_includes(text):
        defined, by_name = re.match(r'#define (\w*LOOPS) "([^"]+)"', piece), re.match(r"#include (\w*LOOPS)\n", piece)
        if defined:
            loops[defined.group(1)] = defined.group(2)
        include = INCLUDE.fullmatch(piece.rstrip("\n"))
        name = loops[by_name.group(1)] if by_name else include.group(1) if include else None
        path = ROOT / "src" / name if name else None
        template = path.read_text(encoding="utf-8") if path and path.is_file() else "#ifndef WEFT_"
        if re.search(r"^#ifndef WEFT_", template, re.MULTILINE):
            out.append(piece)
        else:
            out.append(banner(f"src/{name}") + with_templates(without_licence(template), loops))
    return "".join(out)


def source_text(name, text, names, output):
    """A source of src/: its private names changed, headers in place, macros undone."""
    suffix = "__" + name[:-2].replace("/", "_")
    changes = {word: word + suffix for word in names}
    text = with_templates(without_licence(text))
    pieces = split_includes(text)
    pieces = [piece if INCLUDE.match(piece) else renamed(piece, changes, pasting_macros(text)) for piece in pieces]
    body = output.expand("".join(pieces), (ROOT / "src" / name).parent, hoists=True)
    macros = dict.fromkeys(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE))
    undone = "".join(f"#undef {macro}\n" for macro in macros if not macro.startswith("_"))
    begin, end = OWN_OPTIONS if re.search(r"^#pragma GCC optimize", text, re.MULTILINE) else ("", "")
    return banner(f"src/{name}") + begin + body + undone + end


def library(version, compiler, public):
    folder, opencl, opencl_done = opencl_headers(compiler)
    texts = {name: (ROOT / "src" / name).read_text(encoding="utf-8") for name in sources()}
    private = {name: private_names(text) for name, text in texts.items()}
    owners = collections.Counter(itertools.chain.from_iterable(private.values()))
    output = Output([*FOLDERS, ROOT / "include"], folder, public | opencl_done)
    changed = {name: {word for word in words if owners[word] > 1 or not word.isupper()}
               for name, words in private.items()}
    bodies = [source_text(name, text, changed[name], output) for name, text in texts.items()]
    for name, text in (("the kernels", embedded()), ("the functions behind the macros", interface(compiler))):
        bodies.append(banner(name) + output.expand(without_licence(text), ROOT / "src", hoists=True))
    system = "".join(f"#include <{name}>\n" for name in sorted(output.system))
    return (head("weft.c", version, "The library.") + SETTINGS + system + '\n#include "weft.h"\n\n' + PRAGMAS +
            opencl + "\n".join(bodies))


SETTINGS = """#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define WEFT_DLOPEN_OPENCL
"""

FOR_GCC = "#if defined(__GNUC__) && !defined(__clang__)\n"
# around a source that sets options of GCC
OWN_OPTIONS = (FOR_GCC + "#pragma GCC push_options\n#endif\n", FOR_GCC + "#pragma GCC pop_options\n#endif\n")

PRAGMAS = """/* The host's sums round as Weft's kernels do: no a * b + c in one step, also for newer processors. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
/* GCC's guesses, which differ with its options: it looks through calls across the sources. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
#pragma GCC diagnostic ignored "-Woverlength-strings" /* the kernels */

"""


def write(path, text):
    """Unchanged files keep their times."""
    text = re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"), help="the compiler that finds OpenCL's headers")
    options = parser.parse_args()
    version = module(ROOT / "cl/embed.py").version_of(ROOT / "include/weft/version.h")
    compiler = shlex.split(options.cc)
    options.output.mkdir(parents=True, exist_ok=True)
    try:
        header, public = public_header(version)
        write(options.output / "weft.h", header)
        write(options.output / "weft.c", library(version, compiler, public))
    except Wrong as wrong:
        sys.exit(f"onefile.py: {wrong}")
    cxx = (ROOT / "include/weft/weft.hpp").read_text(encoding="utf-8")
    write(options.output / "weft.hpp", cxx.replace("#include <weft/weft.h>", '#include "weft.h"'))


if __name__ == "__main__":
    main()
