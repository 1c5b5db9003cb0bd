#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the command's progress line, on a pseudo-terminal.

    tests/process/progress.py WEFT DYING_DRIVER

WEFT is the executable, DYING_DRIVER the library made from dying_driver.c beside this file: it waits, which costs
nothing, and ends the process that lists the devices. WEFT_DEVICE selects the device, as for weft itself. Exits with 77
without a device or a pseudo-terminal; under WEFT_TEST_STRICT=1 a missing device is a failure.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

if len(sys.argv) != 3:
    sys.exit(__doc__)
WEFT, DYING_DRIVER = (os.path.abspath(path) for path in sys.argv[1:])
ERASE = "\r\033[K"
DEMO = ["demo", "threadIdx", "2^24", "64"]  # takes long on any device; its output goes elsewhere
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Terminal:
    """weft on a terminal of its own, as its session's foreground; standard output goes to /dev/null, or there too."""

    def __init__(self, *words, columns=100, shows_output=False, **environment):
        env = {name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "TERM")}
        self.text, self.status = "", None
        self.child, self.fd = pty.fork()
        if self.child == 0:
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):  # nohup and shells' background jobs ignore
                signal.signal(number, signal.SIG_DFL)  # them, and programs inherit that
            fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            if not shows_output:
                os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
            os.execve(WEFT, [WEFT, *words], {**env, "TERM": "xterm", **environment})

    def read(self, until=None, seconds=60):
        """Reads until the pattern appears, or until the end."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (until and re.search(until, self.text)):
            if not select.select([self.fd], [], [], 0.05)[0]:
                continue
            try:
                more = os.read(self.fd, 1 << 16)
            except OSError:
                more = b""
            if not more:
                break
            self.text += more.decode()
        return self.text

    def close(self):
        self.read(seconds=60)
        os.close(self.fd)
        self.status = os.waitpid(self.child, 0)[1]
        return self.text


def waiting(milliseconds, work):
    """Calls work with an environment in which listing the devices takes that long."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "bad.icd"), "w") as file:
            file.write(DYING_DRIVER + "\n")
        return work({"OCL_ICD_VENDORS": folder, "WEFT_TEST_DRIVER_MS": str(milliseconds)})


@test
def share_rate_and_time_left():
    terminal = Terminal(*DEMO, columns=90)
    terminal.read(r"blocks/s, [^\r]* left\033")
    os.write(terminal.fd, b"\x03")  # Ctrl-C
    text = terminal.close()
    assert os.WIFSIGNALED(terminal.status) and os.WTERMSIG(terminal.status) == signal.SIGINT, terminal.status
    line = re.search(r"\rdemo threadIdx \[\033\[32m#*\033\[0m\.*\] +\d+%, \d+/16777216 blocks, \d+(\.\d)? blocks/s, "
                     r"[\d:]+ (s|min|h) left\033\[K", text)
    assert line, text[-500:]
    # without what the terminal itself shows of Ctrl-C
    lines = [re.sub(r"\033\[[0-9]*[mK]|\^C", "", part) for part in text.split("\r")]
    assert max(map(len, lines)) < 90, f"a line of {max(map(len, lines))} characters on a terminal of 90: {lines}"
    assert re.sub(r"\^C", "", text).endswith(ERASE), f"the line was not erased: {text[-200:]!r}"


@test
def the_line_returns_below_output():
    """Kernels that are built take over a second; each function prints a line when it is done."""
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal("verify", "--only", "add,multiply,divide,sqrt,floor", shows_output=True, NO_COLOR="1",
                            POCL_CACHE_DIR=folder, CUDA_CACHE_DISABLE="1", WEFT_CACHE="0")
        text = terminal.close()
        assert os.WEXITSTATUS(terminal.status) == 0, text
        returned = r"computed [^\r\n]*\r\n\rverify \[#*\.*\] +\d+%, [1-4]/5 functions"
        assert re.search(returned, text), text
        assert all(line.startswith(("device", "computed")) for line in
                   (part.rsplit("\033[K", 1)[-1] for part in text.split("\r\n")) if line), text


@test
def a_line_without_a_share_and_its_end():
    def work(environment):
        terminal = Terminal("devices", **environment, NO_COLOR="1")
        text = terminal.close()
        if os.WEXITSTATUS(terminal.status) == 0:
            return "this OpenCL loader ignores OCL_ICD_VENDORS"
        assert "\rlooking for devices 1 s\033[K" in text, text
        assert "\033[3" not in text, f"coloured in spite of NO_COLOR: {text!r}"
        before, after = text.rsplit(ERASE, 1)
        assert "weft devices: the OpenCL driver" in after and "weft devices:" not in before, text
        return None

    return waiting(1500, work)


@test
def signals_leave_the_terminal_clean():
    def work(environment):
        terminals = {number: Terminal("devices", **environment)
                     for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)}
        for number, terminal in terminals.items():
            terminal.read("looking for devices", seconds=5)
            if "looking" not in terminal.text:
                terminal.close()
                return "this OpenCL loader ignores OCL_ICD_VENDORS"
            os.kill(terminal.child, number)
            text = terminal.close()
            assert os.WIFSIGNALED(terminal.status) and os.WTERMSIG(terminal.status) == number, terminal.status
            assert text.endswith(ERASE), f"{number}: the line was not erased: {text[-200:]!r}"
        return None

    return waiting(2500, work)


@test
def nothing_elsewhere():
    def work(environment):
        terminals = {f"TERM={name}": Terminal("devices", **{**environment, "TERM": name}) for name in ("dumb", "")}
        terminals["15 columns"] = Terminal("devices", columns=15, **environment)
        done = subprocess.run([WEFT, "devices"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              env={**os.environ, **environment, "TERM": "xterm"})
        assert b"\r" not in done.stderr and b"looking" not in done.stderr + done.stdout, done
        for where, terminal in terminals.items():
            text = terminal.close()
            assert "\r" not in text.replace("\r\n", "\n") and "looking" not in text, f"{where}: {text!r}"
        return None

    return waiting(1300, work)


def main():
    probe = subprocess.run([WEFT, "devices"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if probe.returncode != 0:
        print(f"SKIP: no device, or none that matches WEFT_DEVICE={os.environ.get('WEFT_DEVICE', '')}")
        another = os.environ.get("WEFT_TEST_ANY") == "1"
        return 1 if os.environ.get("WEFT_TEST_STRICT") == "1" and not another else 77
    try:
        for descriptor in pty.openpty():
            os.close(descriptor)
    except OSError as error:
        print(f"SKIP: no terminal can be had here: {error}")
        return 77
    passed = failed = 0
    for function in TESTS:
        name = function.__name__.replace("_", " ")
        try:
            skip = function()
            passed += skip is None
            print(f"SKIP: {name}: {skip}" if skip else f"ok: {name}", flush=True)
        except (AssertionError, OSError, subprocess.SubprocessError) as problem:
            failed += 1
            print(f"FAILED: {name}: {type(problem).__name__}: {problem}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
