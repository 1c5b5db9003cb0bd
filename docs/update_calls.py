#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rewrites calls of Weft from the form before 0.2 to the present one, in place: C and C++ sources, and Markdown.

  update_calls.py FILE...          rewrites the files and says how many calls were changed
  update_calls.py --check FILE...  only lists what it would change, and exits 1 if there is something
  update_calls.py --only NAME,...  rewrites only these functions

CHANGELOG.md has the table of the changed calls. Arguments that are not plain (flags in a variable, say) are left as they are and listed:
the compiler refuses those, too.
"""
import argparse
import re
import sys
from pathlib import Path

WORD = re.compile(r"[A-Za-z_]\w*")
SKIP = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/|//[^\n]*', re.S)
CLOSES = {"(": ")", "[": "]", "{": "}"}


class Unknown(Exception):
    """The arguments are not of a form that can be rewritten."""


def closing(text, start):
    """The place of the bracket that closes the one at `start`."""
    depth, i = 0, start
    while i < len(text):
        if match := SKIP.match(text, i):
            i = match.end()
            continue
        depth += (text[i] in CLOSES) - (text[i] in CLOSES.values())
        if depth == 0:
            return i
        i += 1
    raise Unknown("a bracket without an end")


def arguments(text):
    """The arguments in `text`, without the space around them."""
    parts, begin, i = [], 0, 0
    while i < len(text):
        if match := SKIP.match(text, i):
            i = match.end()
        elif text[i] in CLOSES:
            i = closing(text, i) + 1
        elif text[i] == ",":
            parts.append(text[begin:i].strip())
            begin = i = i + 1
        else:
            i += 1
    return parts + [text[begin:].strip()]


# ---- what the rules are made of ----


def options(*pairs):
    """`.name = value` of those whose value is not the default."""
    return [f".{name} = {value}" for name, value, default in pairs if value not in default]


def flags(text, **known):
    """Options of flags that are or-ed: flags("WEFT_DESCENDING | A", WEFT_DESCENDING="descending", A="a")."""
    if text in ("0", "0u"):
        return []
    names = [part.strip() for part in text.split("|")]
    if any(name not in known for name in names):
        raise Unknown(f"flags `{text}`")
    return [f".{known[name]} = true" for name in names if known[name]]


def literal(text, kind):
    """The members of &(kind){...}; none of NULL."""
    if text in ("NULL", "nullptr"):
        return []
    match = re.fullmatch(r"&\(\s*(?:const\s+)?" + kind + r"\s*\)\s*\{(.*)\}", text, re.S)
    if not match:
        raise Unknown(f"`{text}`")
    return [part for part in arguments(match.group(1)) if part and part != "0"]


# ---- the rules: from a call's arguments to the new call ----


def sort(name, a):
    return name, a[:3] + flags(a[3], WEFT_DESCENDING="descending")


def sort_by_key(name, a):
    return name, a[:4] + flags(a[4], WEFT_DESCENDING="descending")


def topk(name, a):
    return name, a[:5] + flags(a[5], WEFT_SMALLEST="smallest")


def kernel_from(member):
    """weft_kernel_from_source and weft_kernel_from_file."""
    return lambda name, a: ("weft_kernel_create", a[:2] + [f".{member} = {a[2]}"] + options(("name", a[3], ("NULL", "nullptr"))))


def last_literal(kind):
    """The last argument was the address of a struct of options, or NULL."""
    return lambda name, a: (name, a[:-1] + literal(a[-1], kind))


def last_format(new_name):
    """The last argument was a weft_report_format."""
    return lambda name, a: (new_name, a[:-1] + options(("format", a[-1], ("WEFT_REPORT_TABLE",))))


def wrap_host_lent(name, a):
    return "weft_wrap_host", a[:5] + [f".give_back = {a[5]}"] + options(("user", a[6], ("NULL", "nullptr")))


# The number of arguments in the old form, and the rule.
RULES = {
    "weft_sort": (4, sort),
    "weft_argsort": (4, sort),
    "weft_sort_by_key": (5, sort_by_key),
    "weft_topk": (6, topk),
    "weft_context_create": (2, last_literal("weft_context_params")),
    "weft_context_adopt": (4, last_literal("weft_context_params")),
    "weft_kernel_create": (3, last_literal("weft_kernel_params")),
    "weft_kernel_from_source": (4, kernel_from("source")),
    "weft_kernel_from_file": (4, kernel_from("file")),
    "weft_ufunc_create": (2, last_literal("weft_ufunc_params")),
    "weft_to_dlpack": (3, last_literal("weft_dlpack_params")),
    "weft_to_dlpack_unversioned": (3, last_literal("weft_dlpack_params")),
    "weft_timeit": (5, last_literal("weft_timeit_params")),
    "weft_introspect": (6, last_literal("weft_thread_window")),
    "weft_profile_start": (2, last_literal("weft_profile_params")),
    "weft_array_to_text": (3, last_literal("weft_print_params")),
    "weft_wrap_host_lent": (7, wrap_host_lent),
    "weft_memory_report": (3, last_format("weft_memory_report")),
    "weft_profile_report": (3, last_format("weft_profile_report")),
    "weft_memory_difference": (4, last_format("weft_snapshot_compare")),
}
WORDS = {  # names that are only renamed
    "weft_device_get_info": "weft_device_get",
    "weft_kernel_get_info": "weft_kernel_get",
    "weft_memory_get_stats": "weft_memory_get",
    "weft_context_device": "weft_context_get_device",
    "weft_profile_read": "weft_profile_get",
    "weft_profile_events": "weft_profile_get_events",
    "weft_timer_read": "weft_timer_get",
    "weft_monitor_read": "weft_monitor_get",
    "weft_monitor_programs": "weft_monitor_get_programs",
    "weft_memory_snapshot": "weft_snapshot_create",
    "weft_memory_changes": "weft_snapshot_get_changes",
    "weft_select_device": "weft_device_use",
    "weft_selected_device": "weft_device_used",
}


def rewrite(text, rules, words, report):
    out, i, changed = [], 0, 0
    while i < len(text):
        match = WORD.match(text, i)
        if not match:
            out.append(text[i])
            i += 1
            continue
        name, i = match.group(), match.end()
        start = re.compile(r"\s*\(").match(text, i)
        if name in rules and start and not "".join(out[-200:]).rstrip(" ").endswith("#define"):
            try:
                end = closing(text, start.end() - 1)
                inner, count = rewrite(text[start.end() : end], rules, words, report)
                changed += count
                given = arguments(inner)
                wanted, rule = rules[name]
                if len(given) == wanted:
                    new, new_arguments = rule(name, given)
                    out.append(f"{new}({', '.join(new_arguments)})")
                    changed += 1
                else:
                    out.append(text[match.start() : start.end()] + inner + ")")
                i = end + 1
                continue
            except Unknown as why:
                report(text, match.start(), f"{name}: {why}")
        new = words.get(name, name)
        changed += new != name
        out.append(new)
    return "".join(out), changed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("files", nargs="+", type=Path)
    given = parser.parse_args()
    only = set(filter(None, given.only.split(",")))
    rules = {name: rule for name, rule in RULES.items() if not only or name in only}
    words = {name: new for name, new in WORDS.items() if not only or name in only}
    total = 0
    for path in given.files:
        text = path.read_text(encoding="utf-8")
        report = lambda whole, at, why, path=path: print(f"{path}: left as it is: {why}", file=sys.stderr)  # noqa: E731
        new, changed = rewrite(text, rules, words, report)
        total += changed
        if changed and not given.check:
            path.write_text(new, encoding="utf-8")
        if changed:
            print(f"{path}: {changed}")
    return 1 if given.check and total else 0


sys.exit(main())
