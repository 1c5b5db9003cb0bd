#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rewrites calls of Weft from the form before 0.2 to the present one, in place: C and C++ sources, and Markdown.

  update_calls.py FILE...          rewrites the files and says how many calls were changed
  update_calls.py --check FILE...  only lists what it would change, and exits 1 if there is something
  update_calls.py --only NAME,...  rewrites only these functions

CHANGELOG.md has the table of the changed calls. Arguments that are not plain (flags in a variable, say) are left as
they are and listed: the compiler refuses those, too.
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


def axis(text):
    """An axis as it is written now."""
    if text in ("WEFT_EVERY_AXIS", "WEFT__EVERY_AXIS"):
        return "WEFT_ALL_AXES"
    if match := re.fullmatch(r"WEFT_AXIS\(([^()]*)\)", text):
        return match.group(1)
    if match := re.fullmatch(r"weft_keepdims\((.*)\)", text):
        return f"weft_keepdims({axis(match.group(1))})"
    return text


def front(a, has_axis):
    """The arguments before the last one; the last of them an axis."""
    return a[:-2] + [axis(a[-2])] if has_axis else a[:-1]


def last_axis(new_name=None):
    """The last argument is an axis; the call may be renamed."""
    return lambda name, a: (new_name or name, a[:-1] + [axis(a[-1])])


def last_flags(has_axis, **known):
    """The last argument was flags."""
    return lambda name, a: (name, front(a, has_axis) + flags(a[-1], **known))


def last_option(option, *defaults, new_name=None):
    """The last argument is an option now."""
    return lambda name, a: (new_name or name, a[:-1] + options((option, a[-1], defaults)))


def last_literal(kind, has_axis=False):
    """The last argument was the address of a struct of options, or NULL."""
    return lambda name, a: (name, front(a, has_axis) + literal(a[-1], kind))


def index_options(text):
    """Options of `mode | WEFT_DETERMINISTIC`."""
    parts = [part.strip() for part in text.split("|")]
    modes = [part for part in parts if part not in ("0", "WEFT_INDEX_ERROR", "WEFT_DETERMINISTIC")]
    if len(modes) > 1 or any(not re.fullmatch(r"WEFT_INDEX_(CLIP|WRAP)", mode) for mode in modes):
        raise Unknown(f"mode `{text}`")
    return [f".mode = {mode}" for mode in modes] + [".deterministic = true"] * ("WEFT_DETERMINISTIC" in parts)


def index(has_axis):
    return lambda name, a: (name, front(a, has_axis) + index_options(a[-1]))


def transpose(name, a):
    if a[2] == "WEFT_SHAPE_0D":
        return name, a[:2] + ["WEFT_ALL_AXES"]
    match = re.fullmatch(r"WEFT_SHAPE\((.*)\)", a[2], re.S)
    return name, a[:2] + [f"WEFT_AXES({match.group(1)})"] if match else a  # the compiler finds a shape in a variable


def with_option(at, option, *defaults):
    """The axis before argument `at`, which becomes an option."""

    def rule(name, a):
        if a[at].endswith("params"):
            raise Unknown(f"`{a[at]}` is a struct of options, as C++17 has them")
        return name, a[: at - 1] + [axis(a[at - 1])] + options((option, a[at], defaults))

    return rule


def norm(name, a):
    if len(a) < 4:
        return name, a[:2] + [axis(text) for text in a[2:]]
    if a[3] in ("0", "0.0"):
        return "weft_count_nonzero", a[:2] + [axis(a[2])]
    return with_option(3, "order", "2", "2.0")(name, a)


def reduce(name, a):
    if len(a) < 5 or re.match(r"WEFT_(VAR|NAMED|REDUCTION)\b", a[4]):
        return name, a
    if a[3] in ("NULL", "nullptr") or a[3].startswith("WEFT_REDUCTION("):
        return name, a[:3] + [axis(a[4])] + a[5:] + [part for part in a[3:4] if part.startswith("WEFT_")]
    raise Unknown(f"`{a[3]}`")


def unique_all(name, a):
    none = ("NULL", "nullptr")
    return "weft_unique", [a[0], a[4]] + options(("index", a[1], none), ("inverse", a[2], none), ("counts", a[3], none))


def compress(name, a):
    return name, a + ["WEFT_ALL_AXES"]


def compress_into(name, a):
    return "weft_compress", [a[0], a[2], a[3], "WEFT_ALL_AXES", f".count = {a[1]}"]


def select_into(name, a):
    return "weft_select", [a[0]] + a[2:] + [f"WEFT_SELECTION(.count = {a[1]})"]


def partition(name, a):
    return name, [a[0]] + a[2:] + options(("count", a[1], ("NULL", "nullptr")))


def histogram_options(edges, weights=None, low=None, high=None):
    wanted = [] if low is None else [f".range = WEFT_RANGE({low}, {high})"]
    wanted += [f".weights = {weights}"] if weights else []
    return wanted + options(("edges", edges, ("NULL", "nullptr")))


def histogram(name, a):
    return name, [a[0], a[2], a[3]] + histogram_options(a[1], low=a[4], high=a[5])


def histogram_auto(name, a):
    return "weft_histogram", [a[0], a[2], a[3]] + histogram_options(a[1])


def histogram_weighted(name, a):
    return "weft_histogram", [a[0], a[2], a[4]] + histogram_options(a[1], a[3], a[5], a[6])


def histogram_edges(name, a):
    return "weft_histogram", a


def bincount_weighted(name, a):
    return "weft_bincount", a[:2] + options(("minlength", a[3], ("0",))) + [f".weights = {a[2]}"]


REDUCTIONS = ("sum prod min max argmin argmax any all count_nonzero mean ptp nansum nanprod nanmin nanmax nanargmin "
              "nanargmax nanmean")


def kernel_from(member):
    """weft_kernel_from_source and weft_kernel_from_file."""
    return lambda name, a: ("weft_kernel_create", a[:2] + [f".{member} = {a[2]}"] +
                            options(("name", a[3], ("NULL", "nullptr"))))


def wrap_host_lent(name, a):
    return "weft_wrap_host", a[:5] + [f".give_back = {a[5]}"] + options(("user", a[6], ("NULL", "nullptr")))


def roll(name, a):
    if name == "weft_roll_axes" and axis(a[3]) == "WEFT_ALL_AXES":
        raise Unknown("every axis by itself is WEFT_AXES(0, 1, ...) now; WEFT_ALL_AXES rolls the elements as one axis")
    return "weft_roll", a[:3] + [axis(a[3])]


def pad(name, a):
    if name == "weft_pad_constant":
        return "weft_pad", a[:4] + [f".value = WEFT_SCALAR({a[4]})"]
    return name, a[:4] + options(("mode", a[4], ("WEFT_PAD_ZERO", "WEFT_PAD_CONSTANT")))


def eye(name, a):
    if a[4] == "0" and a[3] != "0":
        raise Unknown("no columns")
    return name, a[:4] + options(("columns", a[4], ("0", a[3])), ("k", a[5], ("0",)))


def diff(name, a):
    if a[2] == "0":
        raise Unknown("no difference: weft_copy")
    return name, a[:2] + [axis(a[3])] + options(("n", a[2], ("1",)))


def bits(name, a):
    little = [".little = true"] * name.endswith("_little")
    name = name.removesuffix("_little")
    if name == "weft_packbits":
        return name, a[:2] + [axis(a[2])] + little
    if a[2] == "0":
        raise Unknown("no bits")
    return name, a[:2] + [axis(a[3])] + options(("count", a[2], ("WEFT_END",))) + little


def slice_(name, a):
    return name, a[:2] + [axis(a[2])] + a[3:5] + options(("step", a[5], ("1", "0")))


def rot90(name, a):
    return name, a[:3] + [f"WEFT_AXES({a[3]}, {a[4]})"]


def diagonal(name, a):
    return name, a[:2] + [f"WEFT_AXES({a[3]}, {a[4]})"] + options(("k", a[2], ("0",)))


# The number of arguments in the old form (None: some), and the rule.
RULES = {
    **{f"weft_{name}": (3, last_axis()) for name in ("cumsum", "cumprod", "cummax", "cummin")},
    "weft_scan": (4, last_literal("weft_scan_params", has_axis=True)),
    **{f"weft_{name}": (3, last_axis()) for name in REDUCTIONS.split()},
    **{f"weft_{name}": (4, with_option(3, "ddof", "0", "0.0")) for name in ("var", "std", "nanvar", "nanstd")},
    "weft_norm": (None, norm),
    "weft_reduce": (None, reduce),
    "weft_compress": (3, compress),
    "weft_compress_axis": (4, last_axis("weft_compress")),
    "weft_compress_into": (4, compress_into),
    "weft_select_into": (None, select_into),
    "weft_partition": (4, partition),
    "weft_histogram": (6, histogram),
    "weft_histogram_auto": (4, histogram_auto),
    "weft_histogram_weighted": (7, histogram_weighted),
    "weft_histogram_edges": (3, histogram_edges),
    "weft_bincount": (3, last_option("minlength", "0")),
    "weft_bincount_weighted": (4, bincount_weighted),
    "weft_searchsorted": (4, last_option("side", "WEFT_LEFT")),
    "weft_is_sorted": (3, last_flags(False, WEFT_SORTED_DESCENDING="descending", WEFT_SORTED_STRICT="strict")),
    "weft_unique_all": (5, unique_all),
    "weft_isin": (4, last_option("invert", "false", "0")),
    "weft_sort": (4, last_flags(True, WEFT_DESCENDING="descending")),
    "weft_argsort": (4, last_flags(True, WEFT_DESCENDING="descending")),
    "weft_sort_by_key": (5, last_flags(False, WEFT_DESCENDING="descending")),
    "weft_topk": (6, last_flags(True, WEFT_SMALLEST="smallest")),
    "weft_take": (5, index(True)),
    "weft_take_along_axis": (5, index(True)),
    "weft_take_many": (5, index(False)),
    "weft_put": (4, index(False)),
    "weft_put_many": (5, index(False)),
    "weft_put_along_axis": (5, index(True)),
    "weft_scatter": (5, index(True)),
    "weft_scatter_add": (5, index(True)),
    "weft_scatter_min": (5, index(True)),
    "weft_scatter_max": (5, index(True)),
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
    "weft_memory_report": (3, last_option("format", "WEFT_REPORT_TABLE", new_name="weft_memory_report")),
    "weft_profile_report": (3, last_option("format", "WEFT_REPORT_TABLE", new_name="weft_profile_report")),
    "weft_memory_difference": (4, last_option("format", "WEFT_REPORT_TABLE", new_name="weft_snapshot_compare")),
    "weft_rng_create": (2, last_literal("weft_rng_params")),
    "weft_choice": (5, last_literal("weft_choice_params")),
    "weft_concatenate": (4, last_axis()),
    "weft_stack": (4, last_axis()),
    "weft_repeat": (4, last_axis("weft_repeat")),
    "weft_repeat_each": (4, last_axis("weft_repeat")),
    "weft_roll": (4, roll),
    "weft_roll_axes": (4, roll),
    "weft_pad": (5, pad),
    "weft_pad_constant": (5, pad),
    "weft_tril": (3, last_option("k", "0")),
    "weft_triu": (3, last_option("k", "0")),
    "weft_diag": (3, last_option("k", "0")),
    "weft_eye": (6, eye),
    "weft_diff": (4, diff),
    "weft_packbits": (3, bits),
    "weft_packbits_little": (3, bits),
    "weft_unpackbits": (4, bits),
    "weft_unpackbits_little": (4, bits),
    "weft_slice": (6, slice_),
    "weft_index": (4, lambda name, a: ("weft_pick", front(a, True) + a[3:])),
    "weft_transpose": (3, transpose),
    "weft_squeeze": (3, last_axis()),
    "weft_expand": (3, last_axis()),
    "weft_flip": (3, last_axis()),
    "weft_rot90": (5, rot90),
    "weft_diagonal": (5, diagonal),
    "weft_split": (4, last_axis()),
    "weft_array_split": (4, last_axis()),
    "weft_split_at": (5, last_axis()),
    "weft_meshgrid": (4, last_option("indexing", "WEFT_INDEXING_XY", "0")),
}
WORDS = {  # names that are only renamed
    "WEFT_PAD_ZERO": "WEFT_PAD_CONSTANT",
    "weft_rng_save": "weft_rng_get_state",
    "weft_rng_restore": "weft_rng_set_state",
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
                is_new = any(part.startswith(".") for part in given)
                new, new_arguments = (name, given) if is_new or wanted not in (None, len(given)) else rule(name, given)
                if (new, new_arguments) != (name, given):
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
