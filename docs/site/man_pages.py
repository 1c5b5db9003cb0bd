# SPDX-License-Identifier: MIT
"""Man pages for installation, from Doxygen's: weft_NAME(3) for each function and macro, weft_HEADER.h(3) for each
header with its structs and enums, and links to it from their names. Doxygen's other pages (members, classes, the
Markdown files) are left out."""
import re

# Newer versions of Doxygen write no date.
TITLE = re.compile(r'^\.TH "\w+" 3 (?:"[^"]*" )??"Version ([^"]*)" "[^"]*".*$', re.MULTILINE)
PUBLIC = re.compile(r"^(weft_|WEFT_)\w+$")
DETAILS = re.compile(r'^\.SH "(Functions|Macros) in detail"\n', re.MULTILINE)


def plain(text):
    return re.sub(r"\\f[BICPR]|\\&", "", text)


def heading(name, version):
    return f'.TH "{name}" 3 "" "Weft {version}" "Weft"\n.ad l\n.nh\n'


def tidied(text):
    """Without what mandoc calls superfluous: blanks at ends of lines, empty lines, paragraphs that begin nothing."""
    text = re.sub(r"^\.ti -1c\n\.RI (.*)$", r".PP\n\1", text, flags=re.MULTILINE)
    text = re.sub(r'^(?:\.RI )?"(.*?) *"$', lambda m: re.sub(r"^(?=[.'])", r"\\&", m.group(1)), text,
                  flags=re.MULTILINE)
    text = re.sub(r"^(?=')", r"\\&", text.replace("\\fC", "\\fB"), flags=re.MULTILINE)
    text = re.sub(r"^\.in [+-]1c\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    parts = re.split(r"(^\.nf\n.*?^\.fi\n)", text, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [re.sub(r"\n{2,}", "\n", part) for part in parts[::2]]
    parts[1::2] = [re.sub(r"\n+\.fi\n", "\n.fi\n", part) for part in parts[1::2]]
    text = "".join(parts)
    text = re.sub(r"^\.br\n(?=\.PP|\.S[HS])|(?<=\.SS \"\"\n)\.br\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"(^\.PP\n)+", ".PP\n", text, flags=re.MULTILINE)
    text = re.sub(r"^(\.S[HS] .*\n)\.PP\n", r"\1", text, flags=re.MULTILINE)
    text = re.sub(r"^\.PP\n(?=\.S[HS] |\.RE|\.IP|\Z)", "", text, flags=re.MULTILINE)
    return re.sub(r"(^\.RE\n)\.PP\n(?=\.S[HS] |\Z)", r"\1", text, flags=re.MULTILINE)


def member_pages(section, header, version):
    """{name: page} of the functions or macros in a section of a header's page."""
    pages = {}
    for block in re.split(r"^\.SS ", section, flags=re.MULTILINE)[1:]:
        title, _, body = block.partition("\n")
        title = plain(title).strip('"')
        name = re.search(r"(\w+)(?= ?\(|$| )", re.sub(r"^#define ", "", title) if title.startswith("#")
                         else re.sub(r"^[^(]*?(\w+) ?\(.*", r"\1", title)).group(1)
        prototype = re.sub(r"\* (?=\w)", "*", title.replace(" (", "(", 1))
        end = "" if title.startswith("#") else ";"
        first = re.search(r"^(?![.\n])(.+)", body, re.MULTILINE)
        brief = re.split(r"(?<=[^.\d])\.(?: |$)", plain(first.group(1)))[0].rstrip(".") if first else header
        pages[name] = (f'{heading(name, version)}.SH NAME\n{name} \\- {brief}\n.SH SYNOPSIS\n.nf\n'
                       f'#include <weft/{header}>\n.fi\n.PP\n{prototype}{end}\n.SH DESCRIPTION\n{body}'
                       f'.SH "SEE ALSO"\n.BR weft_{header} (3)\n')
    return pages


def finish(folder, out):
    """Writes the pages made from Doxygen's in `folder` to `out`."""
    made = {}
    for path in sorted(folder.glob("h_*.3")):
        text = path.read_text(encoding="utf-8")
        if text.startswith(".so"):
            continue
        version = TITLE.search(text).group(1)
        header = plain(re.search(r"^\w+ \\- weft/(.*)$", text, re.MULTILINE).group(1))
        page_name = header if header.startswith("weft.h") else f"weft_{header}"
        kept, members = "", {}
        for part in re.split(r"^(?=\.SH )", text, flags=re.MULTILINE):
            if DETAILS.match(part) and header.endswith(".h"):
                members.update(member_pages(part, header, version))
            elif not part.startswith((".TH", ".SH NAME")):
                kept += part
        kept = kept.replace('.SH "Detailed Description"', ".SH DESCRIPTION")
        first = re.search(r"^(?![.\n])(.+)", kept, re.MULTILINE).group(1)
        brief = re.split(r"(?<=[^.\d])\.(?: |$)", plain(first))[0].rstrip(". ")
        made[page_name] = heading(page_name, version) + f".SH NAME\nweft/{header} \\- {brief}\n" + kept
        made.update(members)
        for link in folder.glob("*.3"):
            target = link.read_text(encoding="utf-8")
            if target.strip() == f".so man3/{path.name}" and PUBLIC.match(link.stem):
                made.setdefault(link.stem, f".so man3/{page_name}.3\n")
    out.mkdir()
    for name, text in made.items():
        text = text if text.startswith(".so") else tidied(text)
        (out / f"{name}.3").write_text(text, encoding="utf-8")
