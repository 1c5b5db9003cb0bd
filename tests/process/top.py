#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `weft top`, with a fake management library (fake_nvml.c) and programs that publish themselves
(top_program.c).

    tests/process/top.py WEFT PROGRAM FAKE_NVML OLD_FAKE_NVML

Exits with 77 without a device; under WEFT_TEST_STRICT=1 that is a failure."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

import sample

WEFT, PROGRAM, NVML, OLD_NVML = ([os.path.abspath(path) for path in sys.argv[1:5]] if len(sys.argv) == 5
                                 else sys.exit(__doc__))
TESTS = []
FOLDER = None  # XDG_RUNTIME_DIR of the running test
BUS_ID = "0000:3c:00.0"  # for devices whose driver reports none; see main
PYTHON, NAMELESS = 2000004711, 2000004712  # PIDs without a process; the library knows the first one's name


def test(function):
    TESTS.append(function)
    return function


def environment(**more):
    return {**os.environ, "XDG_RUNTIME_DIR": FOLDER, "WEFT_PCI_BUS_ID": BUS_ID, "WEFT_NVML": "off", **more}


def run(*words, status=0, **env):
    done = subprocess.run([WEFT, "top", *words], capture_output=True, text=True, timeout=60, env=environment(**env))
    said = done.stdout + done.stderr
    assert done.returncode == status, f"weft top {' '.join(words)}: status {done.returncode}\n{said}"
    return done


def look(**env):
    """One JSON document about the device under test."""
    return json.loads(run("--json", "--device", DEVICE, **env).stdout)


class Program:
    """A Weft program that publishes itself."""

    def __init__(self, **env):
        self.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment(WEFT_TOP="1", **env))
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "done\n", "the program did not start"

    def tell(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        assert word in ("exit", "die") or self.process.stdout.readline() == "done\n", word

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


def files():
    folder = os.path.join(FOLDER, "weft")
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def eventually(condition, what):
    """Waits until the condition holds: published data is up to half a second old."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"never: {what}")


def publish(pid, context=0, idle_s=0, **fields):
    """Writes the file that a program would publish."""
    with open(f"/proc/{pid}/stat") as stream:
        stat = stream.read().rsplit(")", 1)[1].split()
    content = {"format": 1, "pid": pid, "pid_namespace": os.stat("/proc/self/ns/pid").st_ino,
               "start_ticks": int(stat[19]), "parent": int(stat[1]), "name": "python3", "context": context,
               "device": NAME, "device_index": INDEX, "pci_bus_id": BUS_ID,
               "started_ns": time.time_ns(), "active_ns": time.time_ns() - idle_s * 10**9, "active_bytes": 29 << 20,
               "held_bytes": 0, "peak_active_bytes": 29 << 20, "launches": 7, "sites": []}
    os.makedirs(os.path.join(FOLDER, "weft"), mode=0o700, exist_ok=True)
    with open(os.path.join(FOLDER, "weft", f"{pid}-{context}.json"), "w") as stream:
        json.dump({**content, **fields}, stream)


class Sleeper:
    """An idle process; `orphan`: its parent has ended."""

    def __init__(self, orphan=False):
        words = [sys.executable, "-c", "import time; time.sleep(100)"]
        if orphan:
            # its session's leader starts it and ends, as when a terminal is closed
            script = f"import subprocess; print(subprocess.Popen({words!r}, stdout=subprocess.DEVNULL).pid, flush=True)"
            starter = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True,
                                     start_new_session=True)
            self.pid, self.process = int(starter.stdout), None
        else:
            self.process = subprocess.Popen(words)
            self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        if self.process:
            self.process.wait()


# ---- devices and processes ----

@test
def the_articles_table():
    """Values, alignment, and the process's line."""
    lines = run("--once", "--device", DEVICE, WEFT_NVML=NVML,
                WEFT_TEST_NVML_PROCESSES=f"{PYTHON}:{29 << 20}").stdout.split("\n")
    assert re.match(r"\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$", lines[0]), lines[0]
    assert "Driver Version: 455.45.01" in lines[2] and "OpenCL Version: " in lines[2], lines[2]
    assert all(len(line) == 79 for line in lines[1:] if line.startswith(("|", "+"))), lines
    assert lines[6] == "|" + "=" * 31 + "+" + "=" * 22 + "+" + "=" * 22 + "|", lines[6]
    assert re.match(r"\| +\d+  " + re.escape(NAME[:25]) + r" *\| " + re.escape(BUS_ID) + r" +\| +5 \|$",
                    lines[7]), lines[7]
    assert lines[8] == "| N/A   47C    P0    77W / 700W |    31MiB /   2002MiB |      0%   E. Process |", lines[8]
    assert any(re.match(rf"\| +\d+ +{PYTHON} +C +python3 +29MiB \|$", line) for line in lines), lines
    assert any("None found" in line for line in lines), lines
    idle = run("--once", "--device", DEVICE, WEFT_NVML=NVML).stdout
    assert "|  No running processes found" in idle, idle


@test
def figures_as_json():
    for library in (NVML, OLD_NVML):
        many = ",".join(f"{2000100000 + i}:{i}" for i in range(200))
        processes = f"{PYTHON}:{29 << 20},{PYTHON}:{3 << 20}G,{NAMELESS}:-,0:77G,{many}"
        device, = look(WEFT_NVML=library, WEFT_TEST_NVML_PROCESSES=processes)["devices"]
        expected = {"source": "NVML", "driver": "455.45.01", "pci_bus_id": BUS_ID, "fan_percent": None,
                    "temperature_c": 47, "performance_state": 0, "power_w": 76.543, "power_cap_w": 700.0,
                    "memory_used_bytes": 31 << 20, "memory_total_bytes": 2002 << 20, "utilisation_percent": 0,
                    "ecc": True, "ecc_errors": 5, "compute_mode": "exclusive"}
        assert {key: device[key] for key in expected} == expected, device
        processes = device["processes"]
        assert len(processes) == 203, len(processes)
        one = processes[0]
        assert (one["pid"], one["name"], one["memory_bytes"], one["compute"],
                one["graphics"]) == (PYTHON, "python3", 29 << 20, True, True), one
        hidden, = [p for p in processes if p["pid"] is None]
        assert (hidden["name"], hidden["memory_bytes"], hidden["graphics"]) == (None, 77, True), hidden
        last = processes[-1]
        assert (last["pid"], last["name"], last["memory_bytes"]) == (NAMELESS, None, None), last


@test
def the_unknown_is_called_so():
    table = run("--once", "--device", DEVICE, WEFT_NVML=NVML, WEFT_TEST_NVML_PROCESSES=f"{NAMELESS}:-,0:1048576").stdout
    assert (re.search(rf"\| +\d+ +{NAMELESS} +C +unknown +unknown \|", table) and
            re.search(r" unknown +C +unknown +1MiB \|", table)), table
    bare = run("--once", "--device", DEVICE, WEFT_NVML=NVML, WEFT_TEST_NVML="bare").stdout
    assert ("| N/A   N/A   N/A    N/A /  N/A |      N/A / " in bare and
            "unknown: the system does not report" in bare), bare
    assert not re.search(r"\b0(MiB|W|C|%)", bare), bare
    device, = look(WEFT_NVML=NVML, WEFT_TEST_NVML="bare")["devices"]
    unknown = ["fan_percent", "temperature_c", "performance_state", "power_w", "power_cap_w", "memory_used_bytes",
               "utilisation_percent", "ecc", "ecc_errors", "compute_mode", "processes"]
    assert all(device[key] is None for key in unknown), device


@test
def without_nvml():
    for env in ({"WEFT_NVML": "off"}, {"WEFT_NVML": os.path.join(FOLDER, "no such")},
                {"WEFT_NVML": NVML, "WEFT_TEST_NVML": "none"}):
        device, = look(**env)["devices"]
        assert device["source"] == ("/proc" if device["type"] == "cpu" else None), device
        if device["type"] == "cpu":
            assert 0 < device["memory_used_bytes"] < device["memory_total_bytes"], device
            assert device["utilisation_percent"] is None or 0 <= device["utilisation_percent"] <= 100, device


@test
def who_uses_the_processors():
    if TYPE != "cpu":
        return None
    with Program() as program:
        device, = look()["devices"]
        found, = [p for p in device["processes"] if p["pid"] == program.pid]
        assert found["name"] == os.path.basename(PROGRAM) and found["driver"] and found["memory_bytes"] > 5 << 20, found
        assert not found["compute"], found
    assert program.pid not in [p["pid"] for p in look()["devices"][0]["processes"]]


# ---- Weft programs ----


@test
def programs_publish_themselves():
    with Program() as first, Program() as second:
        programs = look()["programs"]
        assert [p["pid"] for p in programs] == sorted([first.pid, second.pid]), programs

        def of(pid):
            return next(p for p in look()["programs"] if p["pid"] == pid)

        p = eventually(lambda: of(first.pid) if of(first.pid)["active_bytes"] else None, "the arrays")
        assert p["active_bytes"] == 5 << 20 and p["peak_active_bytes"] == 5 << 20 and p["launches"] >= 2, p
        assert (p["device"] == NAME and p["number"] == INDEX and p["name"] == os.path.basename(PROGRAM) and
                not p["orphan"]), p
        assert [(os.path.basename(s["site"]).split(":")[0], s["size_bytes"], s["storages"]) for s in p["sites"]] == [
            ("top_program.c", 4 << 20, 1), ("top_program.c", 1 << 20, 1)], p
        assert p["kernel_programs"] >= 1 and p["kernel_bytes"] > 1000, p  # at least the library's own
        second.tell("free")
        first.tell("work")
        q = eventually(lambda: of(second.pid) if of(second.pid)["held_bytes"] else None, "what was released")
        assert (q["active_bytes"], q["held_bytes"], q["peak_active_bytes"]) == (4 << 20, 1 << 20, 5 << 20), q
        eventually(lambda: of(first.pid)["launches"] == p["launches"] + 10, "the launches")
        table = run("--once").stdout
        assert re.search(rf" {first.pid}   {os.path.basename(PROGRAM)[:12]}\S* +5MiB +0MiB +5MiB "
                         rf"+{p['launches'] + 10} \|", table), table
        assert re.search(r"top_program\.c:\d+ +4\.0 MiB in 1 storage \|", table), table
        assert re.search(r"kernels' texts, on the host +\d+\.\d KiB in \d+ programs? \|", table), table
        assert oct(os.stat(os.path.join(FOLDER, "weft")).st_mode & 0o777) == "0o700"
    assert files() == [], files()


@test
def an_idle_one_is_written_no_more():
    with Program() as program:
        eventually(lambda: files() == [f"{program.pid}-0.json"], "the file")
        time.sleep(1.5)
        path = os.path.join(FOLDER, "weft", files()[0])
        before = os.stat(path).st_mtime_ns
        time.sleep(1.2)
        assert os.stat(path).st_mtime_ns == before
        assert look()["programs"][0]["idle_ns"] > 10**9


@test
def nothing_is_published_unasked():
    for value in ("", "0"):
        process = subprocess.run([PROGRAM], input="", stdout=subprocess.DEVNULL, text=True,
                                 env=environment(WEFT_TOP=value), check=True)
        assert process.returncode == 0 and not os.path.exists(os.path.join(FOLDER, "weft"))


@test
def files_go_with_their_programs():
    with Program() as program:
        eventually(lambda: len(files()) == 1, "the file")
        program.tell("exit")
        program.process.wait(timeout=30)
        assert files() == [], "exit() leaves the file"
        program.process.stdin = open(os.devnull, "w")
    with Program() as program:
        eventually(lambda: len(files()) == 1, "the file")
        program.tell("die")
        program.process.wait(timeout=30)
        assert len(files()) == 1
        assert look()["programs"] == [] and files() == [], "a dead program's file is removed by who looks"
        program.process.stdin = open(os.devnull, "w")


@test
def files_that_are_not_to_be_trusted():
    with Sleeper() as alive:
        folder = os.path.join(FOLDER, "weft")
        publish(alive.pid)
        publish(alive.pid, context=1, start_ticks=1)  # another process had this PID
        publish(alive.pid, context=2, pid_namespace=1)  # in a container
        publish(alive.pid, context=3, format=2)
        publish(alive.pid, context=4, active_bytes=-1)
        publish(alive.pid, context=5, sites=[{"site": "x" * 300 + ":7", "storages": 1, "size_bytes": 2,
                                              "more": [{}]}] * 9, later={"a": [1, "b"]})
        for name, text in {f"{alive.pid}-6.json": "{", "2000000000-0.json": "{",
                           ".weft-2000000000-00112233445566ff.tmp": "x", "notes.txt": "x",
                           f"{alive.pid}-7.json": "[" * 100000, f".weft-{alive.pid}-00112233445566ff.tmp": "x",
                           f"{alive.pid}-9.json": ""}.items():
            with open(os.path.join(folder, name), "w") as stream:
                stream.write(text)
        os.symlink(os.path.join(folder, f"{alive.pid}-0.json"), os.path.join(folder, f"{alive.pid}-10.json"))
        os.mkfifo(os.path.join(folder, f"{alive.pid}-11.json"))
        programs = look()["programs"]
        assert [p["context"] for p in programs] == [0, 5], programs
        assert len(programs[1]["sites"]) == 5 and programs[1]["sites"][0]["site"] == "x" * 125 + ":7", programs[1]
        gone = {f"{alive.pid}-1.json", "2000000000-0.json", ".weft-2000000000-00112233445566ff.tmp"}
        kept = ({"notes.txt", f".weft-{alive.pid}-00112233445566ff.tmp"} |
                {f"{alive.pid}-{i}.json" for i in (0, 2, 3, 4, 5, 6, 7, 9, 10, 11)})
        assert set(files()) == kept and not gone & kept, files()


@test
def folders_that_are_not_to_be_trusted():
    folder = os.path.join(FOLDER, "weft")
    with Sleeper() as alive, tempfile.TemporaryDirectory() as elsewhere:
        publish(alive.pid)
        os.chmod(folder, 0o755)
        assert alive.pid not in [p["pid"] for p in look()["programs"]], "others may look into it"
        os.chmod(folder, 0o700)
        assert alive.pid in [p["pid"] for p in look()["programs"]]
        moved = os.path.join(elsewhere, "weft")
        os.rename(folder, moved)
        os.symlink(moved, folder)
        assert alive.pid not in [p["pid"] for p in look()["programs"]], "it is a link"
        with Program() as program:  # publishes, in /tmp, and is found there
            assert program.pid in [p["pid"] for p in look()["programs"]]
            assert os.listdir(moved) == [f"{alive.pid}-0.json"]
        os.unlink(folder)


# ---- who to end ----


@test
def who_is_done_is_named():
    with Sleeper() as done, Sleeper() as working, Sleeper() as empty:
        publish(done.pid, idle_s=600)
        publish(working.pid, idle_s=600)
        publish(working.pid, context=1, idle_s=1)
        publish(empty.pid, idle_s=600, active_bytes=0)
        out = run("--once", "--device", DEVICE).stdout
        line = f"process {done.pid} (python3) holds 29.0 MiB and has done nothing for 10 min: `kill {done.pid}` ends it"
        assert out.rstrip("\n").split("\n")[-1] == line and out.count("kill") == 1, out
        advice, = look()["advice"]
        assert (advice["pid"], advice["memory_bytes"], advice["text"],
                advice["orphan"]) == (done.pid, 29 << 20, line, False), advice
        assert done.process.poll() is None, "it is not ended"
        busy, = look(WEFT_NVML=NVML, WEFT_TEST_NVML_BUSY="90",
                     WEFT_TEST_NVML_PROCESSES=f"{done.pid}:{40 << 20}")["advice"]
        assert (busy["device_is_busy"] and busy["memory_bytes"] == 40 << 20 and
                "perhaps with its work" in busy["text"]), busy


@test
def who_was_left_behind_is_named():
    with Sleeper(orphan=True) as left, Sleeper() as child:
        processes = f"{left.pid}:{29 << 20},{child.pid}:{29 << 20}"
        advice = look(WEFT_NVML=NVML, WEFT_TEST_NVML_PROCESSES=processes)["advice"]
        with open(f"/proc/{left.pid}/stat") as stream:
            adopted_by_first = stream.read().rsplit(")", 1)[1].split()[1] == "1"
        if adopted_by_first:  # another process may adopt orphans
            assert ([a["pid"] for a in advice] == [left.pid] and
                    f"`kill {left.pid}` ends it" in advice[0]["text"]), advice
            assert "if its task is done" in advice[0]["text"], advice
        publish(child.pid, idle_s=20, parent=2000000000)
        advice = [a for a in look()["advice"] if a["pid"] == child.pid]
        assert len(advice) == 1 and "the process that started it has ended" in advice[0]["text"], advice
        publish(child.pid, idle_s=2, parent=2000000000)
        assert [a for a in look()["advice"] if a["pid"] == child.pid] == [], "it still works"


# ---- the command ----


@test
def repeated():
    lines = run("--json", "--count", "3", "--interval", "0.1", "--device", DEVICE).stdout.splitlines()
    assert len(lines) == 3 and all(json.loads(line)["devices"] for line in lines), lines
    assert run("--count", "2^1", "--interval=0.1").stdout.count("Processes:") == 2
    assert run().stdout.count("Processes:") == 1, "once where nobody looks"


@test
def wrong_options():
    for words, says in {("--interval", "0"): "--interval 0: expected seconds", ("--interval", "x"): "expected seconds",
                        ("--interval", "nan"): "expected seconds", ("--count", "0"): "expected a whole number from 1",
                        ("--count", "2x"): "expected a whole number from 1",
                        ("--count", "2^63"): "expected a whole number from 1",
                        ("--once", "--count", "2"): "do not go together",
                        ("--onec",): "did you mean --once", ("3",): "one word too many",
                        }.items():
        assert says in run(*words, status=2).stderr, words
    assert "no device matches" in run("--device", "no such device", status=1).stderr
    assert "--interval S" in run("--help").stdout


@test
def failed_writes():
    with open("/dev/full", "w") as full:
        done = subprocess.run([WEFT, "top", "--once"], stdout=full, stderr=subprocess.PIPE, text=True,
                              env=environment(), timeout=60)
    assert done.returncode == 1 and "No space left" in done.stderr, done
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([WEFT, "top", "--count", "1000", "--interval", "0.1"], stdout=writer, env=environment(),
                          timeout=60)
    os.close(writer)
    assert done.returncode == 1, done


class Terminal:
    """weft top on its own terminal."""

    def __init__(self, columns, rows=60):
        self.pid, self.main = pty.fork()
        if self.pid == 0:
            import fcntl
            import struct
            import termios
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(WEFT, [WEFT, "top", "--interval", "0.2", "--device", DEVICE], environment(TERM="xterm"))
        self.text = ""

    def read_until(self, enough):
        end = time.monotonic() + 30
        while not enough(self.text) and time.monotonic() < end:
            if not select.select([self.main], [], [], 1)[0]:
                continue
            try:
                self.text += os.read(self.main, 1 << 16).decode(errors="replace")
            except OSError:  # the other end is closed
                break
        assert enough(self.text), repr(self.text[-2000:])

    def canonical(self):
        import termios
        return bool(termios.tcgetattr(self.main)[3] & termios.ICANON)

    def ends(self):
        self.read_until(lambda text: text.endswith("\033[?25h"))
        # check the status first: once the last process with the terminal open is gone, its state is lost
        assert self.canonical(), "the terminal is as before"
        _, status = os.waitpid(self.pid, 0)
        os.close(self.main)
        assert status == 0, status


@test
def on_a_terminal():
    for columns, end in ((80, b"q"), (150, b"\x03"), (40, None)):
        terminal = Terminal(columns)
        terminal.read_until(lambda text: text.count("\033[H") >= 4 and text.endswith("\033[J"))
        assert terminal.text.startswith("\033[?25l") and not terminal.canonical()
        rule = max(len(line) for line in re.findall(r"\+-+\+", terminal.text))
        assert rule == {80: 80, 150: 120, 40: 79}[columns], rule
        if end:
            os.write(terminal.main, end)
        else:
            os.kill(terminal.pid, signal.SIGTERM)
        terminal.ends()
    terminal = Terminal(80, rows=10)
    terminal.read_until(lambda text: text.count("\033[H") >= 3)
    screens = terminal.text.split("\033[H")
    assert screens[2].count("\n") == 9, screens[2]
    os.write(terminal.main, b"q")
    terminal.ends()


def main():
    global FOLDER, DEVICE, NAME, INDEX, TYPE, BUS_ID
    listed = subprocess.run([WEFT, "devices", "--json"], capture_output=True, text=True, timeout=60)
    if listed.returncode != 0:
        print(f"SKIP: no device, or none that matches WEFT_DEVICE={os.environ.get('WEFT_DEVICE', '')}: "
              f"{listed.stderr.strip()}")
        any_will_do = os.environ.get("WEFT_TEST_ANY") == "1"
        return 1 if os.environ.get("WEFT_TEST_STRICT") == "1" and not any_will_do else 77
    used, = [d for d in json.loads(listed.stdout)["devices"] if d["used"]]
    DEVICE, NAME, INDEX, TYPE = str(used["number"]), used["name"], used["number"], used["type"]
    FOLDER = "/nowhere"
    BUS_ID = look()["devices"][0]["pci_bus_id"]
    failed = 0
    tests = sample.of(TESTS)
    for function in tests:
        name = function.__name__.replace("_", " ")
        with tempfile.TemporaryDirectory() as folder:
            FOLDER = folder
            start = time.monotonic()
            try:
                function()
                print(f"ok: {name} ({time.monotonic() - start:.1f} s)", flush=True)
            except (AssertionError, ValueError, KeyError, OSError, subprocess.SubprocessError) as problem:
                failed += 1
                print(f"FAILED: {name}: {type(problem).__name__}: {problem}", flush=True)
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
