#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reports of processes at exit: leaks, and the file of the memory timeline.

    tests/process/ledger.py DRIVER

DRIVER is made from ledger_driver.c beside this file; WEFT_DEVICE in the environment selects the device. Exits with 77
without a device; under WEFT_TEST_STRICT=1 that is a failure.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

DRIVER = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
SANITIZED = "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ
SOURCE = "ledger_driver.c"
LEAKED = 23  # the exit status under WEFT_LEAKS=error


def run(*words, leaks=None, status=0):
    environment = {k: v for k, v in os.environ.items() if k != "WEFT_LEAKS"}
    if SANITIZED:
        # the leaks are deliberate
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    if leaks is not None:
        environment["WEFT_LEAKS"] = leaks
    done = subprocess.run([DRIVER, *words], capture_output=True, text=True, timeout=200, env=environment)
    if "WEFT_ERROR_NO_DEVICE" in done.stderr:
        print(done.stderr)
        sys.exit(1 if os.environ.get("WEFT_TEST_STRICT") == "1" and os.environ.get("WEFT_TEST_ANY") != "1" else 77)
    assert done.returncode == status, f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}"
    lines = done.stdout.splitlines()
    assert lines.pop() == "the last handler", done.stdout
    return lines, [line for line in done.stderr.splitlines() if line.startswith("weft: ")]


def said(text, line, what):
    """Whether a report states that `what` was made at that line of the driver."""
    return re.search(rf"(?:^|[ ,]){re.escape(what)}(?: \([^)]*\))? made at \S*{SOURCE}:{line}(?![0-9])",
                     text) is not None


def at_close():
    for leaks, speaks in [(None, False), ("", False), ("0", False), ("1", True), ("error", True)]:
        out, err = run("close", leaks=leaks, status=LEAKED if leaks == "error" else 0)
        assert out[-1] == "WEFT_ERROR_LEAK", out  # always: the variable only affects stderr
        line, what = out[0].split(" ", 1)
        assert len(err) == speaks, (leaks, err)
        assert not speaks or (err[0].startswith("weft: leaked: ") and said(err[0], line, what)), err


def at_exit():
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "mapped.npy")
        for leaks in [None, "1"]:
            _, err = run("exit", file, leaks=leaks)
            assert err == [], (leaks, err)
        out, err = run("exit", file, leaks="error", status=LEAKED)
    assert len(err) == 4, err  # three contexts and the objects in no context; the child reports none of them
    rest = err.pop()
    assert rest.startswith("weft: leaked: without a context: "), rest
    for text in err:
        assert text.startswith("weft: leaked: a context on ") and " was never closed, and in it: " in text, text
    held, own, default = sorted(err, key=lambda text: ("tagged" in text, len(text)))
    rows = [row.split(" ", 1) for row in out]
    for told, planted in [(own, rows[:5]), (default, rows[5:7]), (held, rows[7:8]), (rest, rows[8:])]:
        assert told.count(" made at ") == len(planted), (told, planted)
        for line, what in planted:
            assert said(told, line, what), (line, what, told)
    assert len(rows) == 12, rows
    assert ' tagged "numbers"' in default, default


def nothing():
    for leaks in [None, "error"]:
        with tempfile.TemporaryDirectory() as folder:
            out, err = run("clean", os.path.join(folder, "mapped.npy"), leaks=leaks)
        assert (out, err) == ([], []), (leaks, out, err)


def read_timeline(file):
    with open(file, encoding="utf-8") as stream:
        trace = json.load(stream)
    events = [event for event in trace["traceEvents"] if event["ph"] != "M"]
    assert all(before["ts"] <= after["ts"] for before, after in zip(events, events[1:])), "events out of order"
    assert any(event["name"] == "process_name" for event in trace["traceEvents"])
    return trace, events


def check_lives(events):
    """Each life begins once and ends at most once, later. Returns the lives begun, and the bytes of those that did not
    end."""
    begun, alive = {}, {}
    for event in events:
        if event["ph"] == "b":
            assert event["id"] not in begun, event
            begun[event["id"]] = alive[event["id"]] = event
            assert (event["args"]["bytes"] > 0 and SOURCE in event["args"]["site"] and
                    event["args"]["site"] == event["name"]), event
        elif event["ph"] == "e":
            assert alive.pop(event["id"])["name"] == event["name"], event
        else:
            assert event["ph"] == "C", event
    return begun, sum(event["args"]["bytes"] for event in alive.values())


def last_figure(events, name):
    return [event["args"]["bytes"] for event in events if event["ph"] == "C" and event["name"] == name][-1]


def timeline():
    count = 5000
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "memory.json")
        out, _ = run("timeline", file, str(count), "0")
        active, managed, _ = map(int, out[0].split())
        trace, events = read_timeline(file)
        assert os.listdir(folder) == ["memory.json"]  # no temporary file is left
    begun, alive = check_lives(events)
    assert trace["otherData"]["dropped"] == 0
    assert len(begun) == count + 1, len(begun)  # and the objects alive at the start
    assert {event["args"].get("tag") for event in begun.values()} == {None, "odd"}
    assert last_figure(events, "active memory") == active, (last_figure(events, "active memory"), active)
    assert last_figure(events, "managed memory") == managed
    # the pool's size classes are larger than the requests
    assert alive <= active <= 2 * alive + 64 * 1024, (alive, active)
    figures = [event["args"]["bytes"] for event in events if event["name"] == "active memory"]
    assert max(figures) > active and len(set(figures)) > 20, "the graph is flat"


def limited():
    count, limit = (100_000 if SANITIZED else 1_000_000), 20_000
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "memory.json")
        out, _ = run("timeline", file, str(count), str(limit))
        active, _, most_kb = map(int, out[0].split())
        trace, events = read_timeline(file)
    begun, _ = check_lives(events)
    assert limit // 2 < len(events) <= 2 * limit + 2, len(events)  # a counter is two events
    assert trace["otherData"]["dropped"] > count, trace["otherData"]
    assert last_figure(events, "active memory") == active  # includes dropped events
    # every life that began has ended, except at most half of the 64 arrays kept
    ended = sum(event["ph"] == "e" for event in events)
    assert len(begun) - 64 <= ended <= len(begun), (len(begun), ended)
    print(f"{count} allocations with {limit} events: {most_kb // 1024} MiB at most")
    assert SANITIZED or most_kb < 1_000_000, most_kb


for check in [at_close, at_exit, nothing, timeline, limited]:
    check()
    print(f"{check.__name__}: fine")
