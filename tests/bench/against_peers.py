#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`weft bench wide` beside the peers in one run on one machine: PyTorch and CuPy on a GPU, NumPy and SciPy on a CPU.
With --shapes: `weft bench shapes`; then the rows over twice the fastest peer's time, and those whose time grows by more
than the sizes do, are listed.

  against_peers.py [--device SEL] [--size LIST] [--only TEXT] ... WEFT     WEFT: the weft command
  against_peers.py --read FILE [--read FILE] ...                          reports what --json wrote before

Every call makes a new result, and is measured as by `weft bench wide`: the median of 5 runs of 10 ms of calls with a
wait at the end. --turns 2 measures both sides twice, in turns, and takes the smaller time. --again 3 then does the same
three more times with the rows that are close: a ratio from 0.8 to 1.25. The ratio of a row is the time of the fastest
peer over Weft's. --json is written after every turn. Exits with 77 where no peer is installed, and with 1 if a row of
Weft failed.
"""
import argparse
import datetime
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import peer_operands
import peer_report
import peer_rows
import peer_shapes

CLOSE = 0.8, 1.25  # as far below 1 as above it: measuring such rows again favours neither side
RUNS, RUN_S, LONGEST_RUN, LONG_S = 5, 0.01, 1000, 0.1  # as in src/cli/bench/bench_wide.c


def measure_us(call, wait, compiles):
    """The time of a call; compiles: the first one may build kernels."""
    start = time.perf_counter()
    call()
    wait()
    one_s = time.perf_counter() - start
    if compiles or one_s < LONG_S:
        start = time.perf_counter()
        call()
        wait()
        one_s = time.perf_counter() - start
    if one_s > LONG_S:
        return 1e6 * one_s
    loops = max(1, min(LONGEST_RUN, int(RUN_S / one_s)))
    runs = []
    for _ in range(RUNS):
        start = time.perf_counter()
        for _ in range(loops):
            call()
        wait()
        runs.append(1e6 * (time.perf_counter() - start) / loops)
    return statistics.median(runs)


def modules(prefix, names):
    """SciPy's modules, or CuPy's forms of them, as far as they are installed."""
    import importlib
    found = {}
    for name in names:
        try:
            found[name] = importlib.import_module(f"{prefix}.{name}")
        except ImportError:
            pass
    return found


SCIPY = ("special", "ndimage", "linalg", "fft", "signal", "sparse", "stats", "integrate")


class Peer:
    """A library. `names` has what the texts of the tables mean; operands join it when a call needs them."""

    is_torch, compiles = False, True

    def __init__(self):
        self.texts = peer_operands.calls(peer_rows.ROWS + peer_shapes.ROWS, self.is_torch)
        self.derived = peer_operands.calls(peer_operands.DERIVED, self.is_torch)
        self.names, self.made = {}, set()

    def need(self, text, host):
        for name in peer_operands.names_in(text):
            if name in self.made:
                continue
            if name in self.derived:
                self.need(self.derived[name], host)
                self.names[name] = eval(self.derived[name], self.names)
            elif name in host.texts:
                self.names[name] = self.take(host.get(name))
            else:
                continue
            self.made.add(name)

    def measure(self, name, host):
        self.names |= host.figures
        self.need(self.texts[name], host)
        call = eval(f"lambda: {self.texts[name]}", self.names)
        return measure_us(call, self.wait, self.compiles)

    def forget(self):
        """Gives the operands back."""
        for name in self.made:
            del self.names[name]
        self.made.clear()


class Numpy(Peer):
    name, compiles = "numpy", False

    def __init__(self):
        super().__init__()
        import numpy as np
        self.version = np.__version__
        self.names |= {"np": np, "rng": np.random.default_rng(1), "fused": lambda a, b: np.exp(a) * b + a,
                       "gelu": lambda v: 0.5 * v * (1 + np.tanh(0.7978845608 * (v + 0.044715 * v * v * v)))}
        self.names |= modules("scipy", SCIPY)
        if "special" in self.names:
            import scipy
            self.version += f" with SciPy {scipy.__version__}"

    def take(self, array):
        return array

    def wait(self):
        pass


class CupyNumbers:
    """cupy.random.default_rng(), and the functions of cupy.random that it lacks."""

    def __init__(self, cupy):
        self.rng, self.module = cupy.random.default_rng(1), cupy.random

    def __getattr__(self, name):
        return getattr(self.rng, name, None) or getattr(self.module, name)


class Cupy(Peer):
    name = "cupy"

    def __init__(self):
        super().__init__()
        import cupy
        self.cupy, self.version = cupy, cupy.__version__
        self.wait = cupy.cuda.Device().synchronize
        self.names |= {
            "np": cupy, "rng": CupyNumbers(cupy), "fused": cupy.fuse(lambda a, b: cupy.exp(a) * b + a),
            "gelu": cupy.fuse(lambda v: 0.5 * v * (1 + cupy.tanh(0.7978845608 * (v + 0.044715 * v * v * v))))}
        self.names |= modules("cupyx.scipy", SCIPY)

    def take(self, array):
        return self.cupy.asarray(array)

    def forget(self):
        super().forget()
        self.cupy.get_default_memory_pool().free_all_blocks()


class Torch(Peer):
    name, is_torch = "torch", True

    def __init__(self):
        super().__init__()
        import torch
        self.torch, self.version = torch, torch.__version__
        if not torch.cuda.is_available():
            raise ImportError("PyTorch has no device")
        torch.set_default_device("cuda")
        torch.manual_seed(1)
        torch.backends.cuda.matmul.allow_tf32 = False
        self.wait = torch.cuda.synchronize
        self.names |= {"t": torch, "F": torch.nn.functional, "tf32": self.tf32}

    def tf32(self, a, b):
        self.torch.backends.cuda.matmul.allow_tf32 = True
        try:
            return a @ b
        finally:
            self.torch.backends.cuda.matmul.allow_tf32 = False

    def take(self, array):
        return self.torch.from_numpy(array).cuda()

    def forget(self):
        super().forget()
        self.torch.cuda.empty_cache()


class Host:
    """The operands of a size as NumPy's arrays, made when the first call needs them."""

    def __init__(self, n):
        import numpy as np
        bits = n.bit_length() - 1
        s = 1 << bits // 2
        self.figures = {"n": n, "s": s, "rows": n // s, "q": 1 << bits // 3, "side": min(s, 1024), "less": min(s, 256)}
        self.texts = peer_operands.calls(peer_operands.OPERANDS, False)
        self.names = {"np": np, "rng": np.random.default_rng(1), **self.figures}

    def get(self, name):
        if name not in self.names:
            for other in peer_operands.names_in(self.texts[name]):
                if other in self.texts:
                    self.get(other)
            self.names[name] = eval(self.texts[name], self.names)
        return self.names[name]


def peers_of(device):
    found = []
    for kind in (Numpy,) if device == "cpu" else (Torch, Cupy):
        try:
            found.append(kind())
        except Exception as error:  # not installed, or without a device
            print(f"without {kind.name}: {error}")
    if not found:
        print("skipped: no peer is installed")
        sys.exit(77)
    return found


def weft(options, only, *words):
    """What `weft bench wide` or `weft bench shapes` prints as JSON, and its exit status."""
    command = [options.program, "bench", options.bench, "--json", *words]
    if only:
        command += ["--only", only]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        sys.exit(f"weft bench {options.bench} failed with status {done.returncode}")
    return json.loads(done.stdout), done.returncode


def wanted_rows(options):
    rows = [row["what"] for row in weft(options, options.only, "--list")[0]]
    table = {"wide": peer_rows, "shapes": peer_shapes}[options.bench]
    known = {line[0] for line in peer_operands.lines(table.ROWS)}
    if missing := [name for name in rows if name not in known]:
        sys.exit(f"tests/bench/{table.__name__}.py has no line for {', '.join(missing)}")
    return rows


def measure_peer(peer, rows, n, host, end, report):
    """Adds the times of a peer to the rows of a size."""
    for name in rows:
        if name not in peer.texts:
            continue
        if time.monotonic() > end:
            report["late"] += 1
            continue
        entry = report["rows"].setdefault(f"{name} {n}", {"what": name, "n": n, "us": None, "peers": {}})
        try:
            us = peer.measure(name, host)
            entry["peers"][peer.name] = min(us, entry["peers"].get(peer.name, us))
        except Exception as error:  # a peer without this call, or without the memory for it
            report["missing"][f"{peer.name}, {name}, {n}"] = (str(error) or repr(error)).splitlines()[0][:120]
    peer.forget()


def measure_weft(options, only, n, report):
    answer, status = weft(options, only, "--device", options.device, "--size", str(n))
    report |= {"device": answer["device"], "driver": answer["driver"]}
    for row in answer[options.bench]:
        entry = report["rows"].setdefault(f"{row['what']} {n}", {"what": row["what"], "n": n, "us": None, "peers": {}})
        if row["us"] is None:
            report["missing"][f"weft, {row['what']}, {n}"] = row["note"]
            continue
        entry["us"] = min(row["us"], entry["us"] or row["us"])
        entry |= {"floor_us": row["floor_us"], "first_us": entry.get("first_us", row["first_us"])}
    return status


def turn(options, peers, rows, only, n, host, report):
    """Measures rows of a size on both sides, of which `only` is the text for --only, and writes all figures so far."""
    for peer in peers:
        measure_peer(peer, rows, n, host, time.monotonic() + options.seconds, report)
    status = measure_weft(options, only, n, report)
    if options.json:
        write_json(report | {"rows": list(report["rows"].values())}, options.json)
    return status


def close_rows(report, n):
    rows = peer_report.compared(report | {"rows": report["rows"].values()}, n)
    return [row["what"] for row in rows if CLOSE[0] <= peer_report.ratio(row) <= CLOSE[1]]


def measure(options):
    peers, rows, status = peers_of(options.device), wanted_rows(options), 0
    now = datetime.datetime.now(datetime.timezone.utc)
    report = {"date": now.strftime("%Y-%m-%d"), "peers": {peer.name: peer.version for peer in peers}, "rows": {},
              "missing": {}, "late": 0}
    for n in options.size:
        host = Host(n)
        for _ in range(options.turns):
            status |= turn(options, peers, rows, options.only, n, host, report)
        close = close_rows(report, n) if options.again else []
        for _ in range(options.again if close else 0):
            status |= turn(options, peers, close, ",".join(f"={name}" for name in close), n, host, report)
    report["rows"] = list(report["rows"].values())
    return report, status


def write_json(report, path):
    """Writes beside the file first, so that a run that is cut off leaves a whole one."""
    beside = Path(f"{path}.new")
    beside.write_text(json.dumps(report, indent=1), encoding="utf-8")
    beside.replace(path)


def joined(files):
    """Reports of several runs, on one machine, as one. Of a row of several runs the smaller times count."""
    report, rows = None, {}
    for file in files:
        other = json.loads(Path(file).read_text(encoding="utf-8"))
        report = report or {**other, "missing": {}, "late": 0}
        report["missing"] |= other["missing"]
        report["late"] += other["late"]
        for row in other["rows"]:
            entry = rows.setdefault((row["what"], row["n"]), row)
            entry["us"] = min(filter(None, (entry["us"], row["us"])), default=None)
            for name, us in row["peers"].items():
                entry["peers"][name] = min(us, entry["peers"].get(name, us))
    return {**report, "rows": list(rows.values())}


def size_of(text):
    base, _, power = text.partition("^")
    return int(base) ** int(power or 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="WEFT", nargs="?")
    parser.add_argument("--device", default="cpu", help="a value of WEFT_DEVICE; cpu: the peer is NumPy")
    parser.add_argument("--shapes", dest="bench", action="store_const", const="shapes", default="wide",
                        help="measures `weft bench shapes`; the default of --size is 2^16,2^18")
    parser.add_argument("--size", type=lambda text: [size_of(part) for part in text.split(",")])
    parser.add_argument("--only", default="", help="as of `weft bench wide`")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--again", type=int, default=0, metavar="N", help="more turns for the rows that are close")
    parser.add_argument("--seconds", type=float, default=1e9,
                        help="of each peer, size and turn; later rows are left out")
    parser.add_argument("--read", action="append", help="measures nothing: reports this file of --json")
    parser.add_argument("--json", help="writes all figures to a file")
    parser.add_argument("--svg", help="draws the ratios to a file")
    parser.add_argument("--document", help="writes the summary into this file of Markdown, between its two marks")
    options = parser.parse_args()
    if bool(options.program) == bool(options.read):
        parser.error("expected WEFT or --read")
    options.size = options.size or {"wide": [1 << 14, 1 << 20], "shapes": [1 << 16, 1 << 18]}[options.bench]
    report, status = (joined(options.read), 0) if options.read else measure(options)
    print(peer_report.table(report))
    if options.bench == "shapes":
        print("\n".join(peer_report.beyond_bars(report)))
    if options.json and options.read:
        write_json(report, options.json)
    if options.svg:
        Path(options.svg).write_text(peer_report.picture(report), encoding="utf-8")
    if options.document:
        peer_report.write_document(report, options.document, options.svg)
    sys.exit(1 if status else 0)


if __name__ == "__main__":
    main()
