#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the public headers with the C preprocessor and writes what is made from them.

  headers.py --json OUT -- CC ARGS...       functions, structs, enums and handles, for generators of bindings
  headers.py --functions OUT -- CC ARGS...  the C functions behind the macros of the same names
  headers.py --symbols OUT --node NAME -- CC ARGS...
                                            the exported functions, as a version script for the linker

CC ARGS... is the compiler with the options that find <weft/weft.h>. With --header weft/dist.h only what that header
and its parts, weft/dist_*.h, declare is read and written, for the library that they belong to; --opaque mpi.h:MPI_Comm
reads it without MPI's header.
"""
import argparse
import json
import re
import subprocess
import tempfile
from pathlib import Path

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\d[\w.]*|\.\.\.|<<|>>|[^\s\w]')
CLOSES = {"(": ")", "{": "}", "[": "]"}


header = "weft/weft.h"  # --header: the header to read, with all that it includes if it is this one


def preprocessed(compiler, *arguments, text=None):
    """What the compiler makes of the public headers."""
    text = text or f"#include <{header}>\n"
    command = [*compiler, "-E", *arguments, "-x", "c", "-"]
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def public_lines(compiler):
    """The preprocessed lines that come from Weft's own headers."""
    ours = False
    for line in preprocessed(compiler).splitlines():
        if marker := re.match(r'# \d+ "([^"]*)"', line):
            path = Path(marker.group(1))
            is_part = path.stem.split("_")[0] == Path(header).stem
            ours = path.parent.name == "weft" and (header == "weft/weft.h" or is_part)
        elif ours and not line.lstrip().startswith("#"):  # pragmas
            yield line


def matching(tokens, start):
    """The index of the bracket that closes the one at `start`."""
    close, depth = CLOSES[tokens[start]], 0
    for i in range(start, len(tokens)):
        depth += (tokens[i] == tokens[start]) - (tokens[i] == close)
        if depth == 0:
            return i
    raise ValueError("a bracket without an end")


def without_attributes(tokens):
    out, i = [], 0
    while i < len(tokens):
        if tokens[i] == "__attribute__":
            i = matching(tokens, i + 1) + 1
        else:
            if tokens[i] not in ("extern", "inline"):
                out.append(tokens[i])
            i += 1
    return out


def declarations(tokens):
    """Lists of tokens, a declaration each. Definitions of functions are left out."""
    declaration, i = [], 0
    while i < len(tokens):
        if tokens[i] == ";":
            yield declaration
            declaration = []
        elif tokens[i] in CLOSES:
            end = matching(tokens, i)
            is_body = tokens[i] == "{" and ")" in declaration
            declaration = [] if is_body else declaration + tokens[i : end + 1]
            i = end
        elif tokens[i] != "_Pragma":
            declaration.append(tokens[i])
        i += 1


def split(tokens, separator=","):
    parts, i = [[]], 0
    while i < len(tokens):
        if tokens[i] in CLOSES:
            end = matching(tokens, i)
            parts[-1] += tokens[i : end + 1]
            i = end
        elif tokens[i] == separator:
            parts.append([])
        else:
            parts[-1].append(tokens[i])
        i += 1
    return [part for part in parts if part]


def type_text(tokens):
    return " ".join(tokens).replace("* *", "**").replace("( ", "(").replace(" )", ")").replace(" (*)", " (*)")


def variable(tokens):
    """{name, type} of a parameter or member: `const char *const *names`, `int axis[8]`, `void (*done)(void *user)`."""
    if "(" in tokens and tokens[tokens.index("(") + 1] == "*":
        at = tokens.index("(") + 2
        return {"name": tokens[at], "type": type_text(tokens[:at] + tokens[at + 1 :])}
    length = ""
    if tokens[-1] == "]":
        start = len(tokens) - 1 - tokens[::-1].index("[")
        length, tokens = "".join(tokens[start:]), tokens[:start]
    if re.match(r"[A-Za-z_]", tokens[-1]) and len(tokens) > 1 and tokens[-1] not in ("int", "char", "void"):
        return {"name": tokens[-1], "type": type_text(tokens[:-1]) + length}
    return {"name": "", "type": type_text(tokens) + length}


def members(tokens):
    found = []
    for part in split(tokens, ";"):
        if part[0] in ("union", "struct") and "{" in part:
            start = part.index("{")
            end = matching(part, start)
            found.append({"name": part[end + 1] if end + 1 < len(part) else "",
                          part[0]: members(part[start + 1 : end])})
            continue
        first, *others = split(part)
        found.append(variable(first))
        base = first[: next(i for i, token in enumerate(first) if i and
                            (token == "*" or i == len(first) - 1 or first[i + 1] == "["))]
        found += [variable(base + other) for other in others]
    return found


def enumerators(tokens, known):
    values, following = {}, 0
    for part in split(tokens):
        if "=" in part:
            # constants of the headers
            following = eval(" ".join(re.sub(r"(?<=\d)[uUlL]+$", "", token) for token in part[2:]), {}, known)
        values[part[0]] = known[part[0]] = following
        following += 1
    return values


def read(compiler, internal=False):
    """Everything that the headers declare; with `internal` also the functions weft__NAME."""
    tokens = without_attributes(TOKEN.findall("\n".join(public_lines(compiler))))
    while '"C"' in tokens:
        tokens.remove('"C"')
    found = {"functions": [], "structs": [], "enums": [], "handles": [], "types": []}
    known = {}
    for words in declarations(tokens):
        kind = words[1] if words[0] == "typedef" else words[0]
        if kind == "enum" and "{" in words:
            start = words.index("{")
            name = words[-1] if words[0] == "typedef" else ""
            found["enums"].append({"name": name,
                                   "values": enumerators(words[start + 1 : matching(words, start)], known)})
        elif kind == "struct" and "{" in words:
            start = words.index("{")
            found["structs"].append({"name": words[-1], "members": members(words[start + 1 : matching(words, start)])})
        elif words[0] == "typedef" and kind == "struct":
            found["handles"].append(words[-1])
        elif words[0] == "typedef":
            found["types"].append(type_text(words[1:]))
        elif "(" in words and words[0] != "static":
            start = words.index("(")
            parameters = [variable(part) for part in split(words[start + 1 : matching(words, start)])]
            if parameters == [{"name": "", "type": "void"}]:
                parameters = []
            function = {"name": words[start - 1], "returns": type_text(words[: start - 1]), "parameters": parameters}
            if internal or not function["name"].startswith("weft__"):
                found["functions"].append(function)
    return found


def types_used(variables):
    for variable_ in variables:
        yield from types_used(variable_.get("union") or variable_.get("struct") or [])
        yield variable_.get("type", "")


def check(found):
    """Each of Weft's types that a function or a struct uses is in the list."""
    known = ({enum["name"] for enum in found["enums"]} | {struct["name"] for struct in found["structs"]} |
             set(found["handles"]))
    known |= {word for type_ in found["types"] for word in re.findall(r"weft_\w+", type_)}
    for described in [*found["functions"], *found["structs"]]:
        for type_ in [described.get("returns", ""),
                      *types_used(described.get("parameters") or described.get("members") or [])]:
            if unknown := set(re.findall(r"weft_\w+", type_)) - known:
                raise SystemExit(f"headers.py: {described['name']}: {unknown.pop()} is declared nowhere")


def macros(compiler):
    """The function-like macros of the headers: {name: (parameters)}."""
    found = re.findall(r"#define (weft_\w+)\(([^)]*)\)", preprocessed(compiler, "-dM"))
    return {name: parameters.split(",") for name, parameters in found}


def declared(variable_):
    type_, name = variable_["type"], variable_["name"]
    if "(*)" in type_:
        return type_.replace("(*)", f"(*{name})")
    base, _, length = type_.partition("[")
    return f"{base}{'' if base.endswith('*') else ' '}{name}" + (f"[{length}" if length else "")


def function_bodies(found, shadowed):
    """Each calls the macro of its name: that converts the arguments and passes them on, with no place in a source."""
    lines = [
        "// SPDX-License-Identifier: MIT",
        "// Written by src/face/headers.py from the public headers.",
        f"#include <{header}>",
        "",
        "#undef WEFT_SITE",
        "#define WEFT_SITE NULL",
        "#undef WEFT__OPTIONS /* the options come as a pointer */",
        "#define WEFT__OPTIONS(type, ...) WEFT__OPTIONS_(__VA_ARGS__)",
        "#define WEFT__OPTIONS_(first, options) (options)",
    ]
    for function in found["functions"]:
        name, parameters = function["name"], function["parameters"]
        if name not in shadowed:
            continue
        names = ", ".join(parameter["name"] for parameter in parameters)
        last = parameters[-1]["type"] if parameters else ""
        is_list = shadowed[name][-1] == "..." and last.endswith("*") and not last.endswith("_params *")
        if is_list:  # the function takes the list that the macro makes
            make = {"weft_array **": "WEFT__RESULT({})", "const weft_array *": "WEFT__OPERAND({})"}
            names = ", ".join(make.get(p["type"], "{}").format(p["name"]) for p in parameters)
        call = f"weft__{name[5:]}_at({names}, NULL)" if is_list else f"{name}({names})"
        step = call if function["returns"] == "void" else f"return {call}"
        lines += ["", f"{function['returns']} ({name})({', '.join(map(declared, parameters)) or 'void'}) {{",
                  f"  {step};", "}"]
    return "\n".join(lines) + "\n"


def version_script(found, node):
    """Exports the functions that the headers declare as NODE, and hides everything else."""
    names = sorted(function["name"] for function in found["functions"])
    lines = ["/* SPDX-License-Identifier: MIT */", "/* Written by src/face/headers.py from the public headers. */",
             f"{node} {{", "global:", *(f"  {name};" for name in names), "local:", "  *;", "};"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--functions", type=Path)
    parser.add_argument("--symbols", type=Path)
    parser.add_argument("--node", help="the name of the version of --symbols")
    parser.add_argument("--header", default=header, help="the header to read")
    parser.add_argument("--opaque", metavar="FILE:TYPE", help="a header that is not read, and the type it declares")
    parser.add_argument("--depfile", type=Path, help="write the headers that were read, for the build")
    parser.add_argument("compiler", nargs="+")
    options = parser.parse_args()
    globals()["header"] = options.header
    with tempfile.TemporaryDirectory() as folder:
        compiler = options.compiler
        if options.opaque:
            file, type_ = options.opaque.split(":")
            Path(folder, file).write_text(f"typedef struct opaque *{type_};\n", encoding="utf-8")
            compiler = [*compiler, "-isystem", folder]
        write(options, compiler, is_main=options.header == parser.get_default("header"))


def write(options, compiler, is_main):
    found = read(compiler, internal=bool(options.symbols))
    if is_main:
        check(found)
    if options.depfile:
        target = str(options.json or options.functions or options.symbols)
        options.depfile.write_text(preprocessed(compiler, "-MM", "-MT", target), encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if options.functions:
        options.functions.write_text(function_bodies(found, macros(compiler)), encoding="utf-8")
    if options.symbols:
        options.symbols.write_text(version_script(found, options.node), encoding="utf-8")


if __name__ == "__main__":
    main()
