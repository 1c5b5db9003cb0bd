#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes include/weft/ufuncs.h, docs/ufuncs.md and src/map/host_ufuncs.h from the table of ufuncs,
src/expr/ufunc_table.h.

  ufuncs.py            writes them
  ufuncs.py --check    prints which of them are out of date, and exits 1 if any is
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDENED = "integers in f64, without fp64 in f32"


def dtypes():
    """The table of dtypes, src/dtype/dtype.h, in the order of promotion: name, letter and kind."""
    text = (ROOT / "src/dtype/dtype.h").read_text(encoding="utf-8")
    return re.findall(r"""^  X\(\w+, \.name = "(\w+)".* \.letter = '(.)', \.kind = '(\w)'""", text, flags=re.MULTILINE)


def rows():
    """The table as dictionaries, one for each ufunc, with its section."""
    text = (ROOT / "src/expr/ufunc_table.h").read_text(encoding="utf-8")
    section = ""
    for line in text.splitlines():
        if match := re.match(r"#define WEFT__UFUNCS_(\w+)\(X\)", line):
            section = match.group(1).capitalize()
        elif match := re.match(r"  X\((\w+), (\w+), (.*)\)(?: \\)?$", line):
            rest = match.group(3)
            strings = re.findall(r'"([^"]*)"', rest)
            numpy, signature, types, b, n, f, s, c, s_include, c_include, doc = strings
            flags = re.search(r'", ((?:WEFT__OP_\w+(?: \| )?)+|0), "', rest).group(1)
            results, operands = signature.split(":")
            yield {"id": match.group(1), "name": match.group(2), "numpy": numpy, "results": results,
                   "operands": operands, "types": types, "flags": flags, "doc": doc, "section": section,
                   "bools": b, "integers": n, "floats": f, "special": s, "special_from": s_include, "complex": c}


def header(table):
    lines = [
        "// SPDX-License-" "Identifier: MIT",
        "/// The built-in functions over whole arrays. "
        "weft/ufunc.h has the rules for all of them, docs/ufuncs.md their dtypes,",
        "/// docs/accuracy.md their accuracy. "
        "src/expr/ufuncs.py writes this file from src/expr/ufunc_table.h: change the table.",
        "///",
        "///     rc = weft_multiply(&y, x, 2.0f);",
        "///     rc = weft_sincos(&s, &c, x);",
        "///",
        "/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md",
        "#ifndef WEFT_UFUNCS_H",
        "#define WEFT_UFUNCS_H",
        "",
        "#include <weft/ufunc.h>",
        "",
        "enum {",
        "  WEFT_UFUNC_NONE = 0,",
    ]
    lines += [f"  WEFT_UFUNC_{row['id']}," for row in table]
    lines += ["  WEFT_UFUNC_COUNT, /* valid values are 1 to WEFT_UFUNC_COUNT - 1 */", "};", "", "WEFT_BEGIN_DECLS", "",
              "// clang-format off"]
    section, macros = None, []
    for row in table:
        if row["section"] != section:
            section = row["section"]
            lines += ["", f"/* ---- {section.lower()} ---- */", ""]
        outs = ["out"] if len(row["results"]) == 1 else ["out", "out2"]
        operands = list("abcd")[: len(row["operands"])]
        names = ", ".join(outs + operands)
        parameters = ", ".join([f"weft_array **{name}" for name in outs] +
                               [f"const weft_array *{name}" for name in operands])
        lines.append(f"/// {row['doc']}.")
        if "OP_SPECIAL" in row["flags"]:
            lines.append(f"/// {WIDENED.capitalize()}.")
        lines.append("WEFT_API WEFT_NODISCARD weft_status")
        lines.append(f"weft_{row['name']}({parameters});")
        converted = ", ".join([f"WEFT__RESULT({name})" for name in outs] +
                              [f"WEFT__OPERAND({name})" for name in operands])
        macros.append(f"#define weft_{row['name']}({names}) \\")
        macros.append(f"  weft__ufunc_apply_at(WEFT_UFUNC_{row['id']}, {len(outs + operands)}, \\")
        macros.append(f"    WEFT__LIST({converted}), WEFT_SITE)")
    lines += ["", "WEFT_END_DECLS", "", "/* ---- behind the functions ---- */", "", *macros, "", "// clang-format on",
              "", "#endif", ""]
    return "\n".join(lines)


def types(row, known):
    names = [name for name, letter, _ in known if letter in row["types"]]
    for short, kinds in (("integers", "iu"), ("floats", "f"), ("complex", "c")):
        wanted = [name for name, _, kind in known if kind in kinds]
        if all(n in names for n in wanted):
            at = names.index(wanted[0])
            names[at : at + len(wanted)] = [short]
    return ", ".join(names)


def reference(table):
    lines = [
        "<!-- SPDX-License-" "Identifier: MIT -->",
        "# The built-in ufuncs",
        "",
        "`src/expr/ufuncs.py` writes this page from `src/expr/ufunc_table.h`. "
        "The rules for all functions are in `weft/ufunc.h`, measured accuracy is",
        "in [accuracy.md](accuracy.md). *dtypes* are the dtypes in which a function is computed, "
        "in the order they are tried; operands of other",
        "dtypes are cast to the first one that holds them all. *floats* are " +
        ", ".join(name for name, _, kind in dtypes() if kind == "f") + ".",
        "Expressions accept NumPy's names too.",
    ]
    section = None
    known = dtypes()
    for row in table:
        if row["section"] != section:
            section = row["section"]
            lines += ["", f"## {section}", "", "| call | computes | dtypes | result | NumPy |", "|---|---|---|---|---|"]
        outs = ["&out"] if len(row["results"]) == 1 else ["&out", "&out2"]
        call = f"`weft_{row['name']}({', '.join(outs + list('abcd')[: len(row['operands'])])})`"
        kinds = {"T": "the dtype", "R": "its real part's dtype" if "F" in row["types"] else "the dtype", "?": "bool",
                 "i": "i32", "B": "u8"}
        result = ", ".join(kinds[r] for r in row["results"])
        numpy = {"": row["name"], "-": ""}.get(row["numpy"], row["numpy"])
        doc = row["doc"].replace("|", "\\|")
        if "OP_SPECIAL" in row["flags"]:
            doc += f"; {WIDENED}"
        lines.append(f"| {call} | {doc} | {types(row, known)} | {result} | {numpy} |")
    return "\n".join(lines) + "\n"


# What a text may have to mean the same in C, with the same bits: operators, which IEEE 754 and integers define, and
# functions whose results are exact, or which are made of such operators (cl/math/float.clh, cl/math/integer.clh).
SAME_IN_C = re.compile(
    r"(?:[abcTU()+\-*/<>=!&|^~?:, 01]|INFINITY|"
    r"\b(?:fabs|floor|ceil|trunc|sqrt|rsqrt|copysign|isnan|isinf|isfinite|signbit|min|max|"
    r"weft_(?:abs|sign|reciprocal|left_shift|right_shift|maximum|minimum|fmax|fmin|clip|rint|heaviside|deg2rad|"
    r"rad2deg|spacing|mad)_\$)(?=\())+")

# Functions of cl/math/ for CPUs, made of operators and fused multiplications, that compilers make vector code of.
FUSED = {"math/exp.clh", "math/log.clh", "math/root.clh", "math/atan.clh", "math/hyperbolic.clh", "math/trig.clh",
         "math/pow.clh"}
NOT_FUSED = {"ANGLE", "SINC"}
FUSED_TOO = {"FMA"}
LDEXP = ("  X(LDEXP, D, 2, T, int32_t, T, OWN_FAST(weft_ldexp_int, D)(a, b, &rare), "  # of exponents of 32 bits
         "OWN(weft_ldexp, D)(a, b))")
COMPARISON = r"[ab()=!<> 0]*[ab)] [=!<>]=? [ab(0][ab()=!<> 0]*"  # of vectors, as of numbers
COMPLEX = r"weft_c(?:add|sub|neg|square)_\$\((?:a|a, b)\)"
PRODUCT = "weft_cmul_$(a, b)"
CONJ = "  X(CONJ, D, 1, T, T, T, CONJ(a, D))"  # a c64 may be one integer
MODULUS = "  X(ABS, D, 1, T, T, R, MATH(weft_cabs, D)(a))"


def fused_on_host(table):
    made = {"COMPLEX": [], "PRODUCT": [], "CONJ": [CONJ], "FUSED": [], "FAST": [LDEXP], "POWER": []}
    for row in table:
        start = f"  X({row['id']}, D, {len(row['operands'])}, T, T, T, "
        text = re.sub(r"(weft_\w+)_\$", r"MATH(\1, D)", row["special"])
        if row["complex"] == PRODUCT or re.fullmatch(COMPLEX, row["complex"]):
            kind = "PRODUCT" if row["complex"] == PRODUCT else "COMPLEX"
            made[kind].append(start + re.sub(r"(weft_\w+)_\$", r"MATH(\1, D)", row["complex"]) + ")")
        if row["id"] in FUSED_TOO:
            made["FUSED"].append(f"{start}{row['floats']})")
        elif (row["special_from"] not in FUSED or row["id"] in NOT_FUSED or row["results"] != "T" or
              row["operands"] not in ("T", "TT")):
            continue
        elif "OP_FAST" in row["flags"]:
            fast = re.sub(r"MATH\((\w+), D\)\((.*)\)", r"MATH_FAST(\1, D)(\2, &rare)", text)
            if row["id"] == "POW":
                made["POWER"].append(f"{start}{fast.replace('weft_pow', 'weft_powr')}, {fast}, {text})")
            else:
                made["FAST"].append(f"{start}{fast}, {text})")
        else:
            made["FUSED"].append(f"{start}{text})")
    return made


# Loops that take vectors of 64 bytes: sign of 10^5 floats takes 8.6 us so, in vectors of 32 bytes 14.7.
COMPUTED = ("SIGN", "SPACING")


def on_host(table):
    lines = [
        "// SPDX-License-" "Identifier: MIT",
        "/// The functions whose text means the same in C as in OpenCL C: map/host_loops.c makes loops of them.",
        "/// src/expr/ufuncs.py writes this file from src/expr/ufunc_table.h: change the table.",
        "///",
        "/// X(function, dtype, operands, A, T, type of the result, text): A is the type of a, T of b and c;",
        "/// integers are computed in U, which does not overflow. "
        "OWN(name, D) and MATH(name, D) are functions of cl/math/",
        "/// for D. ..._FUSED need fused multiplications. ..._FAST, which may too, have two texts, of which the second",
        "/// is for arguments that the first one, which vectorizes, finds rare. ..._COMPARISONS are for all but bools,",
        "/// and mean the same of vectors. ..._TESTS and ..._COMPUTED compute more than they move, and are for floats.",
        "#ifndef WEFT_MAP_HOST_UFUNCS_H",
        "#define WEFT_MAP_HOST_UFUNCS_H",
        "",
        "// clang-format off",
    ]
    compared, tests, computed = {}, [], []  # in the table's order
    for kind, letters, parameters in (("bools", "?", "X, D, T"), ("integers", "bBhHiIqQ", "X, D, T, U"),
                                      ("floats", "fd", "X, D, T")):
        made = []
        for row in table:
            text = row[kind].replace("$T", "T").replace("$U", "U")
            same = SAME_IN_C.fullmatch(text)
            same = same and text not in ("0", "1", "a")  # copies and constants
            if (all(letter in row["types"] for letter in letters) and row["results"] in ("T", "?", "R") and
                    row["operands"] in ("T", "TT", "TTT", "?TT") and same):
                text = re.sub(r"(weft_\w+)_\$", r"OWN(\1, D)", text)
                if re.fullmatch(r"is\w+\(a\)", text):
                    text += " != 0"  # C's isinf may be -1
                result = "uint8_t" if row["results"] == "?" else "T"
                first = "uint8_t" if row["operands"][0] == "?" else "T"
                line = f"  X({row['id']}, D, {len(row['operands'])}, {first}, T, {result}, {text})"
                if row["integers"] == row["floats"] and kind != "bools" and re.fullmatch(COMPARISON, text):
                    compared[line] = True
                elif kind == "floats" and row["results"] == "?" and row["operands"] == "T":
                    tests.append(line)
                elif kind == "floats" and row["id"] in COMPUTED:
                    computed.append(line)
                else:
                    made.append(line)
        lines += [f"#define WEFT__HOST_UFUNCS_{kind.upper()}({parameters}) \\", " \\\n".join(made), ""]
    for kind, made in {"COMPARISONS": compared, "TESTS": tests, "COMPUTED": computed, **fused_on_host(table)}.items():
        lines += [f"#define WEFT__HOST_UFUNCS_{kind}(X, D, T) \\", " \\\n".join(made), ""]
    lines += ["#define WEFT__HOST_UFUNCS_MODULUS(X, D, T, R) \\", MODULUS, ""]
    return "\n".join(lines + ["// clang-format on", "", "#endif", ""])


def main():
    table = list(rows())
    stale = []
    for path, text in (("include/weft/ufuncs.h", header(table)), ("docs/ufuncs.md", reference(table)),
                       ("src/map/host_ufuncs.h", on_host(table))):
        file = ROOT / path
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        if sys.argv[1:] == ["--check"]:
            stale.append(path)
        else:
            file.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{path}: out of date with src/expr/ufunc_table.h; run src/expr/ufuncs.py")
    sys.exit(bool(stale))


if __name__ == "__main__":
    main()
