# SPDX-License-Identifier: MIT
"""Public headers as Doxygen reads them: one group per header, the documented face without the macros behind it.

In a staged header
  - the opening comment is the group's description, and so are the comments `/* ---- title ---- text */`;
  - `/* ---- title ---- */` without text begins a group of members;
  - a `///` comment also documents the declarations in the next lines, up to an empty line;
  - comments of members and enumerators are documentation. A member without a comment has a name that says it all;
  - names weft__... and WEFT__... are left out, C++'s branches of conditionals too;
  - a function with options lists them.
"""
import re

CONVENTIONS = re.compile(r"^Results, operands, axes, options, errors, ownership and threads: docs/conventions\.md$")
SPECIAL = re.compile(r"([\\@#<>&%*\[\]]|(?<!\w)_)")
EMPTY = "@htmlonly @endhtmlonly"
LINKED_PAGES = "guide conventions ufuncs accuracy porting interop drivers memory performance".split()


def group_of(header):
    return "h_" + re.sub(r"\W", "_", header.removesuffix(".h"))


def code_span(span):
    """Doxygen takes `x' for quoted text, so code with an apostrophe is written in HTML."""
    if "'" not in span:
        return span
    text = span.strip("`").strip().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "<code>" + re.sub(r"([\\@#%*_$\[\]|]|--)", r"\\\1", text) + "</code>"


def escaped(text, headers):
    """Plain text of a comment as Doxygen's: no character is a command, names of headers and pages are links."""
    def link(match):
        name = match.group(1)
        return f'@ref {group_of(name)} "weft/{name}"' if name in headers else match.group(0)

    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        part = SPECIAL.sub(r"\\\1", parts[i])
        part = re.sub(r"\bweft/(\w+\.h(?:pp)?)\b", link, part)
        parts[i] = re.sub(rf"\bdocs/({'|'.join(LINKED_PAGES)})\.md\b", r'@ref \1 "docs/\1.md"', part)
    parts[1::2] = [code_span(span) for span in parts[1::2]]
    return "".join(parts)


def code_lines(lines):
    """An example: words behind the code become a comment."""
    rows = [re.match(r"(.*?(?:;|\)|\}))(?: {3,}(\S.*))?$", line) or re.match("(.*)()", line) for line in lines]
    width = max((len(row.group(1)) for row in rows if row.group(2)), default=0)
    return [f"{row.group(1):{width}}  // {row.group(2)}" if row.group(2) else row.group(1) for row in rows]


def paragraphs(lines, headers):
    """A comment's lines, [(line, number)], as Doxygen's: indented lines are code, aligned ones stay as they are."""
    out, i = [], 0
    while i < len(lines):
        block = []
        while i < len(lines) and lines[i][0].strip():
            block.append(lines[i])
            i += 1
        if any(re.search(r"\S {3,}\S", line) for line, _ in block) and not block[0][0].startswith("   "):
            out += table(block, headers)
        elif block:
            at = 0
            while at < len(block):
                end = at
                is_code = block[at][0].startswith("   ")
                while end < len(block) and block[end][0].startswith("   ") == is_code:
                    end += 1
                out += paragraph(block[at:end], is_code, headers)
                at = end
        out += lines[i : i + 1]
        i += 1
    return out


def table(block, headers):
    """Lines in two columns as a list of terms. A term goes on in the next line after a comma."""
    column = next(match.end() - 1 for line, _ in block if (match := re.search(r"\S {3,}\S", line)))
    rows = []
    for line, number in block:
        key, value = line[:column].strip(), escaped(line[column:].strip(), headers)
        if not rows or key and not rows[-1][0].endswith(","):
            rows.append([key, value, number])
        else:
            rows[-1][0] = f"{rows[-1][0]} {key}".strip()
            rows[-1][1] += " " + value
    staged = [("<dt>" + SPECIAL.sub(r"\\\1", key) + f"</dt><dd>{value}</dd>", n) for key, value, n in rows]
    return [("<dl>", block[0][1]), *staged, ("</dl>", block[0][1])]


def paragraph(block, is_code, headers):
    number = block[0][1]
    texts = [line for line, _ in block]
    if is_code:
        indent = min(len(line) - len(line.lstrip()) for line in texts)
        texts = [line[indent:] for line in texts]
        is_c = any(re.search(r";( {3,}|$)", line) for line in texts)
        texts = code_lines(texts) if is_c else texts
        return [("@code{.c}" if is_c else "@code{.txt}", number), *[(t, n) for t, (_, n) in zip(texts, block)],
                ("@endcode", number)]
    joined = escaped("\n".join(texts), headers).split("\n")
    return list(zip(joined, [n for _, n in block]))


class Header:
    """One header, read line by line; `out` is the staged text as [(line, number in the header)]."""

    def __init__(self, name, text, headers, options):
        self.name, self.headers, self.options = name, headers, options
        self.lines = list(zip(text.split("\n"), range(1, text.count("\n") + 2)))
        self.at = 0
        self.out, self.details = [], []
        self.comment, self.fresh = [], False
        self.in_section = False
        self.behind = False
        self.conditions = []

    def put(self, text, number):
        self.out.append((text, number))

    def stage(self):
        self.at = 1
        opening = self.take_comment()
        self.put(f"/** @defgroup {group_of(self.name)} weft/{self.name}", 1)
        opening = [(line, n) for line, n in opening if not CONVENTIONS.match(line)]
        first = self.out
        first += [("@brief " + line if i == 0 else line, n)
                  for i, (line, n) in enumerate(paragraphs(opening, self.headers))]
        self.put("", 1)
        self.put(f'`#include <weft/{self.name}>`. Rules of all calls: @ref conventions.', 1)
        place = len(self.out)
        self.put("*/", 1)
        self.put("/** @{ */", 1)
        while self.at < len(self.lines):
            self.step()
        if self.in_section:
            self.put("/** @} */", self.lines[-1][1])
        self.put("/** @} */", self.lines[-1][1])
        self.out[place:place] = self.details
        return self.out

    def stage_cxx(self):
        """A header of C++: as it is, with its opening as the group's."""
        self.at = 1
        opening = [row for row in self.take_comment() if not CONVENTIONS.match(row[0])]
        rest, shared = self.lines[self.at :], ""
        self.put(f"/** @defgroup {group_of(self.name)} weft/{self.name}", 1)
        self.out += [("@brief " + line if i == 0 else line, n)
                     for i, (line, n) in enumerate(paragraphs(opening, self.headers))]
        self.put("*/", 1)
        for line, number in rest:
            comment = re.match(r"( *)/// (.*)", line)
            if comment:
                shared = escaped(comment.group(2), self.headers)
                line = f"{comment.group(1)}/// {shared}"
            elif not line.startswith("using"):
                shared = ""
            elif shared and not self.out[-1][0].startswith("///"):  # as in C: the lines below share a comment
                self.put(f"/// {shared}", number)
            self.put(line, number)
            if line == "namespace weft {":
                self.put("/** @{ */", number)
            elif line.startswith("}  // namespace weft"):
                self.out.insert(-1, ("/** @} */", number))
        return self.out

    def take_comment(self):
        """The `///` lines from here on, without their slashes."""
        found = []
        while self.lines[self.at][0].startswith("///"):
            line, number = self.lines[self.at]
            found.append((line[4:], number))
            self.at += 1
        return found

    def step(self):
        line, number = self.lines[self.at]
        if line.startswith("#if") or line.startswith("#el") or line.startswith("#endif"):
            self.conditional(line)
            self.at += 1
        elif not all(self.conditions):
            self.at += 1
        elif line.startswith("///"):
            self.comment, self.fresh = self.take_comment(), True
        elif line.startswith("/*"):
            self.plain_comment()
        elif line.startswith("#define"):
            self.define()
        elif not line.strip():
            self.comment, self.fresh = [], False
            self.at += 1
        elif line.startswith(("#", "//")) or re.match(r"WEFT_\w+(\(.*\))?$", line):
            self.at += 1
        else:
            self.declaration()

    def conditional(self, line):
        """Keeps the branches of a C compiler such as GCC; of other alternatives the first."""
        if line.startswith("#if"):
            is_cxx = "__cplusplus" in line and not re.match(r"#ifndef|#if !defined\(__cplusplus", line)
            self.conditions.append(not is_cxx and "__clang__" not in line.replace("#ifndef __clang__", ""))
            if "__GNUC__" in line:
                self.conditions[-1] = True
        elif line.startswith("#endif"):
            if self.conditions:
                self.conditions.pop()
        else:
            self.conditions[-1] = not self.conditions[-1] and line.startswith("#else")

    def plain_comment(self):
        block = []
        while True:
            block.append(self.lines[self.at])
            self.at += 1
            if "*/" in block[-1][0]:
                break
        match = re.match(r"/\* ---- (.*?) ----(.*)", block[0][0])
        if not match:
            return
        title = match.group(1)
        if title == "behind the functions":
            self.behind = True
            return
        title = title[0].upper() + title[1:]
        number = block[0][1]
        if match.group(2).strip() == "*/":
            if self.in_section:
                self.put("/** @} */", number)
            self.put(f"/** @name {title} */", number)
            self.put("/** @{ */", number)
            self.in_section = True
            return
        text = [(line.removesuffix("*/").rstrip().removeprefix("   "), n) for line, n in block[1:]]
        self.details += [("", number), (f"### {title}", number), ("", number), *paragraphs(text, self.headers)]

    def documented(self, number, more=()):
        """The comment of the declaration that follows."""
        if not self.comment:
            return
        self.put("/**", self.comment[0][1])
        self.out += paragraphs(self.comment, self.headers)
        for line in more:
            self.put(line, number)
        self.put("*/", number)
        self.fresh = False

    def define(self):
        line, number = self.lines[self.at]
        while self.lines[self.at][0].endswith("\\"):
            self.at += 1
        self.at += 1
        match = re.match(r"#define ((?:WEFT|weft)_(?!_)\w*\w)(\([^)]*\))?\s*(.*?)\s*(?:/\* (.*) \*/)?$", line)
        if not match or match.group(1).endswith(("_H", "_")) or (self.behind and not self.fresh):
            return
        name, parameters, value, trailing = match.groups()
        if trailing:
            self.comment, self.fresh = [(trailing, number)], True
        self.documented(number)
        value = value if not parameters and not value.endswith("\\") and "__" not in value else ""
        self.put(f"#define {name}{parameters or ''} {value}".rstrip(), number)
        self.put("", number)
        if trailing:
            self.comment = []

    def declaration(self):
        """Up to the semicolon, or to the brace that ends a function's body."""
        block, depth = [], 0
        while True:
            line, number = self.lines[self.at]
            block.append((line, number))
            code = re.sub(r"/\*.*?\*/", "", line)
            depth += code.count("{") - code.count("}")
            self.at += 1
            if depth == 0 and (code.rstrip().endswith((";", "}"))):
                break
        text = "\n".join(line for line, _ in block)
        if text.startswith(("typedef", "enum")) and "{" in text:
            self.type(block)
        elif not re.match(r"struct \w+;$", text):
            self.function(text, block[0][1])

    def type(self, block):
        """A struct or enum; an enumeration's comments between its values are added to its own."""
        is_enum = "enum" in block[0][0]
        bands = []
        body, in_comment, is_above = [], False, False
        for line, number in block:
            if is_enum and re.match(r"  /\* .*\*/$", line):
                bands.append("- " + escaped(line.strip()[3:-3], self.headers))
                continue
            if in_comment or "/*" in line:
                in_comment = "*/" not in line
                before, found, after = line.partition("/*") if "/*" in line else ("", "", line)
                is_above = not before.strip() if found else is_above
                opener = "" if not found else "/**" if is_above else "/**<"
                end = "" if in_comment else "*/"
                line = before + opener + escaped(after.removesuffix("*/"), self.headers) + end
            elif re.match(r" .*\w\]?[,;]$", line):
                line += "" if is_above else f" /**< {EMPTY} */"
                is_above = False
            body.append((line, number))
        more = ["", *bands] if bands else []
        self.documented(block[0][1], more)
        self.out += body

    def function(self, text, number):
        name = re.match(r"(?:[\w\s*]|\(\*)*?\b(\w+)\)?(?:\(|;)", text)
        if not name or "__" in name.group(1) or self.behind:
            return
        text = re.sub(r"\)\s*\{.*", ");", text, flags=re.DOTALL)
        text = re.sub(r"\b(WEFT_API|WEFT_NODISCARD|WEFT_PRINTF\(\d, \d\)|static inline)\s+", "", text)
        more = []
        params = re.search(r"const (weft_\w+_params) \*", text)
        if params and self.options.get(params.group(1)):
            more = ["", "@par Call", f"`{self.call(text)}`", "", "@par Options"]
            for option, what in self.options[params.group(1)]:
                what = escaped(what, self.headers)
                more.append(f"- `.{option}`" + (f": {what}" if what else ""))
            more += ["", f"They are the members of {params.group(1)}."]
        self.documented(number, more)
        self.put(text.replace("\n", " "), number)

    def call(self, text):
        """A call as a program writes it, with the options' names: weft_sort(&out, x, axis, .descending = ...)."""
        name, parameters = re.search(r"(\w+)\((.*)\);", text, re.DOTALL).groups()
        words = []
        for parameter in re.split(r",\s*", parameters):
            last = re.search(r"(\w+)$", parameter).group(1)
            if options := re.search(r"const (weft_\w+_params) \*", parameter):
                names = [option for option, _ in self.options[options.group(1)]]
                words += [f".{option} = ..." for option in names[:2]] + (["..."] if len(names) > 2 else [])
            else:
                words.append("&" + last if "**" in parameter else last)
        return f"{name}({', '.join(words)})"


def options_of(texts):
    """The options in all headers: name of the struct -> [(member, its comment)]."""
    found = {}
    for text in texts:
        for name, body in re.findall(r"^typedef struct (weft_\w+_params) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
            found[name] = []
            above = ""
            for declared, comment in re.findall(r"^  ([^/\n]*?)\s*(?:/\* (.*?) \*/)?$", body, re.MULTILINE | re.DOTALL):
                comment = re.sub(r"\s+", " ", comment)
                if not declared:
                    above = comment
                    continue
                names = re.findall(r"(\w+)(?:\[\w*\])?(?=[,;])", declared)
                found[name] += [(member, comment or above) for member in names if member != "site"]
                above = ""
    return found
