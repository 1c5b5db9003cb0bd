#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `weft bench wide`, of `weft bench shapes` and of their comparison with the peers.

    tests/process/bench_wide.py WEFT WEFT_JSON
    tests/process/bench_wide.py --rows WEFT WEFT_JSON    only: every function over arrays has a row or a reason

WEFT_DEVICE selects the device, as for weft itself. Exits with 77 without a device; under WEFT_TEST_STRICT=1 that is a
failure.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path
from unittest import mock

BENCH = Path(__file__).resolve().parents[1] / "bench"
sys.path.insert(0, str(BENCH))
import against_peers  # noqa: E402
import peer_operands  # noqa: E402
import peer_report  # noqa: E402
import peer_rows  # noqa: E402
import peer_shapes  # noqa: E402

ONLY_ROWS = "--rows" in sys.argv
WORDS = [word for word in sys.argv[1:] if word != "--rows"]
if len(WORDS) != 2:
    sys.exit(__doc__)
WEFT, WEFT_JSON = os.path.abspath(WORDS[0]), WORDS[1]
SVG = "{http://www.w3.org/2000/svg}"

# Functions of arrays that have no row, by reason.
WITHOUT_ROW = {
    "a view or a property: no element is computed": """
        weft_array_set_tag weft_array_describe weft_csr_get weft_view weft_slice weft_pick
        weft_diagonal weft_split weft_array_split weft_split_at weft_sliding_window weft_transpose weft_moveaxis
        weft_swapaxes weft_flip weft_rot90 weft_squeeze weft_expand weft_atleast_1d weft_atleast_2d weft_atleast_3d
        weft_reshape weft_ravel weft_broadcast weft_view_as weft_view_real weft_view_imag weft_broadcast_arrays
        weft_meshgrid weft_scope_keep weft_csr_parts""",
    "moves bytes between the device and the host or another context, which `weft bench memory` measures": """
        weft_from_host weft_to_host weft_write_async weft_read_async weft_write_strided weft_read_strided
        weft_wrap_host weft_map weft_unmap""",
    "shares memory with another library": """
        weft_cuda_pointer weft_cuda_share weft_from_cuda weft_to_cuda weft_peer_array weft_cuda_export weft_cuda_import
        weft_to_dlpack weft_from_dlpack weft_to_dlpack_unversioned weft_from_dlpack_unversioned weft_array_interface
        weft_array_adopt""",
    "reads or writes a file, or makes text": """
        weft_npy_load weft_npy_save weft_npz_save weft_npz_save_compressed weft_npz_load weft_npz_read weft_npz_write
        weft_array_to_text weft_array_repr weft_array_print weft_einsum_path""",
    "an image for users' kernels, not an array": """
        weft_image_from_array weft_image_write weft_image_read""",
    "part of a recording, which `weft bench launch` measures": """
        weft_recording_name weft_recording_array""",
}
WORDS_OF_ARRAYS = re.compile(r"\bweft_(array|csr|operand)\b")


def functions_of_arrays():
    """The functions that return a status and take an array, a sparse matrix or a list of operands."""
    with open(WEFT_JSON, encoding="utf-8") as file:
        listed = json.load(file)["functions"]
    return {function["name"] for function in listed if function["returns"] == "weft_status"
            and any(WORDS_OF_ARRAYS.search(parameter["type"]) for parameter in function["parameters"])}


def uncovered(functions, calls, reasons):
    """What is wrong with the rows: functions without row and reason, and reasons that are not needed."""
    called = {name for call in calls for name in re.findall(r"\bweft_\w+(?=\()", call)}
    named = {name for names in reasons.values() for name in names.split()}
    return [*(f"{name} has no row in src/cli/bench/bench_wide_*.c and no reason in tests/process/bench_wide.py"
              for name in sorted(functions - called - named)),
            *(f"tests/process/bench_wide.py has a reason for {name}, which has a row"
              for name in sorted(named & called)),
            *(f"tests/process/bench_wide.py has a reason for {name}, which is no function of arrays"
              for name in sorted(named - functions))]


def bench(*words, status=0, message="", kind="wide", **environment):
    done = subprocess.run([WEFT, "bench", kind, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=300, env={**os.environ, **environment})
    assert done.returncode == status and message in done.stderr, f"expected {status} and {message!r}: {done}"
    return done.stdout


def check_rows():
    rows = json.loads(bench("--list", "--json"))
    wrong = uncovered(functions_of_arrays(), [row["call"] for row in rows], WITHOUT_ROW)
    assert not wrong, "\n".join(wrong)
    planted = uncovered({"weft_sum", "weft_new"}, ["weft_sum(&y, x)"], {"why": "weft_sum weft_gone"})
    assert [text.split(" has ")[0] for text in planted] == ["weft_new", *["tests/process/bench_wide.py"] * 2], planted
    names, peers = [row["what"] for row in rows], [line[0] for line in peer_operands.lines(peer_rows.ROWS)]
    assert names == peers, f"tests/bench/peer_rows.py differs: {sorted(set(names) ^ set(peers)) or 'another order'}"
    shapes = [row["what"] for row in json.loads(bench("--list", "--json", kind="shapes"))]
    peers = [line[0] for line in peer_operands.lines(peer_shapes.ROWS)]
    assert shapes == peers, f"tests/bench/peer_shapes.py differs: {sorted(set(shapes) ^ set(peers)) or 'another order'}"
    for each in names, shapes:
        assert len(set(each)) == len(each), "a name twice"


def check_texts():
    """The peers' texts are expressions of known names; PyTorch and CuPy need not be installed for this."""
    known = set("np t F rng special ndimage linalg fft signal sparse stats integrate fused gelu tf32 n s rows q side "
                "less bool".split())
    operands = {line[0] for table in (peer_operands.OPERANDS, peer_operands.DERIVED)
                for line in peer_operands.lines(table)}
    for table in (peer_operands.OPERANDS, peer_operands.DERIVED, peer_rows.ROWS, peer_shapes.ROWS):
        for column in (False, True):
            for name, text in peer_operands.calls(table, column).items():
                code = compile(text, name, "eval")
                unknown = set(code.co_names) & set(peer_operands.names_in(text)) - known - operands
                assert not unknown, f"{name}: {unknown} in {text}"


def check_measured(folder):
    plot = os.path.join(folder, "plot.svg")
    words = ["--size", "4096,2^13", "--only", "sum_axis,matmul_many_256,sort_1000,add_turned"]
    answer = json.loads(bench(*words, "--json", "--svg", plot))
    rows = {(row["what"], row["n"]): row for row in answer["wide"]}
    assert len(rows) == 14 and {n for _, n in rows} == {4096, 8192}, rows.keys()
    for (name, n), row in rows.items():
        if name == "matmul_many_256":
            assert row["us"] is None and "too small" in row["note"], row
        else:
            assert row["us"] > 0 and row["floor_us"] > 0 and row["first_us"] > 0 and row["note"] == "", row
    texts = [e.text for e in xml.parse(plot).getroot().iter(SVG + "text")]
    assert "weft bench wide" in texts and "sum_axis_1" in texts, texts
    shapes = json.loads(bench("--size", "4096,2^14", "--only", "=sum_narrow,=sort_equal", "--json", kind="shapes"))
    assert [(row["what"], row["n"]) for row in shapes["shapes"] if row["us"] > 0] == [
        ("sum_narrow", 4096), ("sort_equal", 4096), ("sum_narrow", 1 << 14), ("sort_equal", 1 << 14)], shapes
    text = bench("--size", "4096", "--only", "sort_1000")
    assert re.search(r"^WHAT +N +US +FLOOR US +FIRST US +LEFT OUT$", text, re.M) and "sort_1000  4096" in text, text
    bench("--only", "sum,sumn_axis_0", status=2,
          message="'sumn_axis_0', which no row's name contains: did you mean sum_axis_0?")
    bench("--only", "nothing at all", status=2,
          message="'nothing at all', which no row's name contains; --list prints them")
    listed = json.loads(bench("--list", "--json", "--only", "=sum,=add,,cumsum_axis"))
    assert [row["what"] for row in listed] == ["add", "sum", "cumsum_axis_0", "cumsum_axis_1"], listed
    bench("--only", "=sum,=sum_axis", status=2, message="'=sum_axis', which is no row's name: did you mean sum_axis_")
    bench("--only", "=", status=2, message="'=', which is no row's name")
    for size in ["4095", "2^14,", "many", "2^34"]:
        bench("--size", size, status=2, message=f"--size is '{size}'; expected numbers from 4096")


def check_memory():
    """Rows whose arrays have no room are left out, and the table says so."""
    words = ["--size", "2^20", "--only", "sum_1000,fft_rows_of_256", "--json"]
    rows = {row["what"]: row for row in json.loads(bench(*words, WEFT_MEMORY_LIMIT="6M"))["wide"]}
    assert rows["sum_1000"]["us"] > 0 and rows["sum_1000"]["floor_us"] is None, rows
    assert rows["fft_rows_of_256"]["us"] is None and "memory limit" in rows["fft_rows_of_256"]["note"], rows


def check_peers(folder):
    """The comparison, if NumPy is installed: a table, JSON, a picture, a section; and reports read back."""
    paths = {name: os.path.join(folder, name) for name in ("peers.json", "peers.svg", "document.md")}
    script = [sys.executable, "-W", "ignore", str(BENCH / "against_peers.py")]
    marks = "<!-- wide cpu: by tests/bench/against_peers.py -->\nold\n<!-- end of wide cpu -->\n"
    Path(paths["document.md"]).write_text(f"before\n{marks}after\n", encoding="utf-8")
    words = ["--device", "cpu", "--size", "4096", "--only", "add_u8,cumsum_axis,maxmag", "--json", paths["peers.json"],
             "--svg", paths["peers.svg"], "--document", paths["document.md"]]
    done = subprocess.run([*script, *words, WEFT], stdout=subprocess.PIPE, text=True, timeout=300)
    if done.returncode == 77:
        return "without peers"
    assert done.returncode == 0, done
    report = json.loads(Path(paths["peers.json"]).read_text(encoding="utf-8"))
    rows = {row["what"]: row for row in report["rows"]}
    assert set(rows) == {"add_u8", "cumsum_axis_0", "cumsum_axis_1", "maxmag"} and not report["missing"], report
    assert rows["maxmag"]["us"] > 0 and not rows["maxmag"]["peers"] and rows["add_u8"]["peers"]["numpy"] > 0, rows
    for part in ["2^12: geometric mean", "of 3 rows", "1 without a peer"]:
        assert part in done.stdout, f"no {part!r} in {done.stdout}"
    tree = xml.parse(paths["peers.svg"]).getroot()
    bars = [e for e in tree.iter(SVG + "rect") if e.get("class") in ("more", "fewer")]
    assert len(bars) == 3, len(bars)
    document = Path(paths["document.md"]).read_text(encoding="utf-8")
    assert "old" not in document and "| 2^12 | 3 |" in document and document.endswith("after\n"), document
    again = subprocess.run([*script, "--read", paths["peers.json"]], stdout=subprocess.PIPE, text=True, timeout=60)
    assert again.stdout == done.stdout, again
    return "with peers"


class Times:
    """A peer whose times are known."""

    name, version, texts, forget = "known", "1", ("add", "exp"), lambda self: None

    def __init__(self):
        self.us = {"add": [9.0, 8.0, 7.5, 7.0], "exp": [30.0, 40.0]}

    def measure(self, name, _):
        return self.us[name].pop(0)


def check_again(folder):
    """After the turns only the close rows are measured, on both sides; every turn leaves its figures in the file."""
    path, peer, asked = Path(folder) / "again.json", Times(), []
    us = {"add": [10.0, 10.0, 8.0, 9.0], "exp": [10.0, 10.0]}

    def weft(_, only, *words):
        if "--list" in words:
            return [{"what": name} for name in us], 0
        asked.append((only, path.exists()))
        rows = [{"what": name, "us": us[name].pop(0), "floor_us": 1.0, "first_us": 1.0}
                for name in us if name in only or not only]
        return {"device": "D", "driver": "1", "wide": rows}, 0

    options = argparse.Namespace(device="cpu", bench="wide", size=[4096], turns=2, again=2, seconds=1e9, only="",
                                 json=str(path))
    with mock.patch.multiple(against_peers, weft=weft, peers_of=lambda _: [peer], Host=lambda _: None):
        report, status = against_peers.measure(options)
    assert asked == [("", False), ("", True), ("=add", True), ("=add", True)] and status == 0, asked
    figures = {row["what"]: (row["us"], row["peers"]["known"]) for row in report["rows"]}
    assert figures == {"add": (8.0, 7.0), "exp": (10.0, 30.0)}, figures
    assert json.loads(path.read_text(encoding="utf-8")) == report and len(list(path.parent.iterdir())) == 1


def check_figures():
    """Ratios and means by hand."""
    rows = [{"what": "slow", "n": 4096, "us": 4.0, "peers": {"numpy": 2.0, "other": 3.0}},
            {"what": "fast", "n": 4096, "us": 1.0, "peers": {"other": 8.0}},
            {"what": "alone", "n": 4096, "us": 1.0, "peers": {}}]
    report = {"device": "D", "driver": "1", "date": "", "peers": {"numpy": "2", "other": "1"}, "rows": rows,
              "missing": {}, "late": 0}
    figures = peer_report.summary(report, 4096)
    figures["mean"] = round(figures["mean"], 9)
    assert figures == {"rows": 2, "mean": 2.0, "under_1": 1, "behind": 1, "alone": 1}, figures
    assert peer_report.beyond_bars(report) == ["no row is beyond a bar"]
    rows[0]["us"] = 4.1
    grown = report | {"rows": rows + [{"what": "fast", "n": 16384, "us": 8.1, "peers": {"numpy": 8.0}}]}
    assert peer_report.beyond_bars(grown) == ["over 2 times the fastest peer: slow 2^12: 4.1 us, numpy 2.0",
                                              "grows faster than n: fast: 1.0 us at 2^12, 8.1 at 2^14"]
    rows[0]["us"] = 4.0
    larger = [{"what": "slow", "n": 8192, "us": 8.0, "floor_us": 1.5, "peers": {"numpy": 2.0}},
              {"what": "fast", "n": 8192, "us": 4.0, "peers": {"numpy": 3.0}}]
    section = peer_report.section(report | {"rows": rows + larger}, None, {"slow": "it waits"})
    assert "| slow | 0.50 (4) | 0.25 (8; 1.5) | it waits |\n| fast | - | 0.75 (4) | not examined |" in section, section


def main():
    check_rows()
    check_texts()
    check_figures()
    with tempfile.TemporaryDirectory() as folder:
        check_again(folder)
    if ONLY_ROWS:
        return 0
    probe = subprocess.run([WEFT, "devices"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if probe.returncode != 0:
        print(f"SKIP: no device, or none that matches WEFT_DEVICE={os.environ.get('WEFT_DEVICE', '')}")
        strict = os.environ.get("WEFT_TEST_STRICT") == "1" and os.environ.get("WEFT_TEST_ANY") != "1"
        return 1 if strict else 77
    with tempfile.TemporaryDirectory() as folder:
        check_measured(folder)
        check_memory()
        print("ok: rows, figures and plot,", check_peers(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
