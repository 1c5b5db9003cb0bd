#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the command's completion in bash, zsh and fish, each in the real shell, and of its man pages.

    tests/process/shells.py WEFT FOLDER

WEFT is the executable; FOLDER has what the build made from its tables: weft (bash), _weft (zsh), weft.fish, and man1
where there is scdoc. Commands and options are read from `weft help`. No device is needed. Missing shells and programs
are skipped with a message; exits with 77 if nothing could be tested.
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

if len(sys.argv) != 3:
    sys.exit(__doc__)
WEFT, FOLDER = (os.path.abspath(path) for path in sys.argv[1:])
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def run(words, **options):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=60,
                          **options)
    assert done.returncode == 0, f"{words[:2]}: status {done.returncode}: {done.stderr}"
    return done.stdout


def weft_help(*words):
    return run([WEFT, "help", *words])


COMMANDS = re.findall(r"^  (\w+) ", weft_help(), re.M)
OPTIONS = {name: set(re.findall(r"^  (--[a-z-]+)", weft_help(name), re.M)) for name in COMMANDS}
DEMOS = {"threadIdx", "blockIdx", "blockDim", "gridDim", "grid", "empty"}
BENCHES = {"launch", "memory", "ufunc", "primitives", "matmul", "wide", "shapes", "cold", "ways", "mpi"}
DEVICES = {"cpu", "gpu", "0", "1"}

# A line as typed, and the words that are offered; the shells run in a folder with the files of FILES.
FILES = ["figure one.svg", "first.txt", "other.txt"]
LINES = [
    ("weft ", set(COMMANDS)),
    ("weft be", {"bench"}),
    ("weft --device gpu be", {"bench"}),
    ("weft --v", {"--version"}),
    ("weft help be", {"bench"}),
    ("weft demo ", DEMOS),
    ("weft demo block", {"blockIdx", "blockDim"}),
    ("weft demo --json gr", {"grid", "gridDim"}),
    ("weft demo grid ", set()),
    ("weft demo grid 2 4 --sv", {"--svg"}),
    ("weft demo grid 2 4 --svg o", {"other.txt"}),
    ("weft bench ", BENCHES),
    ("weft bench --size 100 m", {"memory", "matmul", "mpi"}),
    ("weft bench --size ", set()),
    ("weft bench memory --device ", DEVICES),
    ("weft top --interval ", set()),
    *((f"weft {name} --", OPTIONS[name]) for name in COMMANDS),
]


def check(shell, offered):
    """Compares what a shell offered for each of LINES."""
    wrong = []
    for (line, expected), words in zip(LINES, offered):
        if words != expected:
            wrong.append(f"`{line}`: missing {sorted(expected - words)}, not expected {sorted(words - expected)}")
    assert len(offered) == len(LINES), f"{shell} completed {len(offered)} of {len(LINES)} lines"
    assert not wrong, f"{shell}: " + "; ".join(wrong)


def in_folder(work):
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            open(os.path.join(folder, name), "w").close()
        return work(folder)


# ---- the shells ----


def bash_offers(lines):
    """What bash's completion function offers; `=` is a word of its own, as readline has it."""
    script = [f"source '{FOLDER}/weft'", "compopt() { :; }"]
    for line in lines:
        words = re.findall(r"=|[^\s=]+", line) + ([""] if line[-1] in " =" and line[-1] != "=" else [])
        quoted = " ".join(f"'{word}'" for word in words)
        script.append(f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _weft weft '{words[-1]}' ''; "
                      "printf '%s\\n' \"${COMPREPLY[@]}\" '<end>'")
    text = in_folder(lambda folder: run(["bash", "--norc", "-c", "\n".join(script)], cwd=folder))
    return [set(part.split("\n")) - {""} for part in text.split("<end>\n")[:-1]]


@test
def bash():
    if not shutil.which("bash"):
        return "there is no bash"
    check("bash", bash_offers([line for line, _ in LINES]))
    lines = {"weft demo grid 2 4 --svg=o": {"other.txt"}, "weft demo grid 2 4 --svg=fig": {"figure one.svg"},
             "weft bench --device=": DEVICES, "weft bench --device=c": {"cpu"}, "weft --device=cpu be": {"bench"},
             "weft demo -- --": set(), "weft devices ": OPTIONS["devices"]}
    for line, offered in zip(lines, bash_offers(lines)):
        assert offered == lines[line], f"`{line}`: {offered}"


@test
def fish():
    if not shutil.which("fish"):
        return "there is no fish"
    script = [f"source '{FOLDER}/weft.fish'"] + [f"complete -C '{line}'; echo '<end>'" for line, _ in LINES]
    with tempfile.TemporaryDirectory() as home:
        text = in_folder(lambda folder: run(["fish", "--no-config", "-c", "\n".join(script)], cwd=folder,
                                            env={**os.environ, "HOME": home, "XDG_DATA_HOME": home}))
    # fish 4 also offers words that contain what is typed
    check("fish", [{word for word in (offer.split("\t")[0] for offer in part.splitlines())
                    if word and word.startswith(line.split(" ")[-1])}
                   for (line, _), part in zip(LINES, text.split("<end>\n")[:-1])])


ZSH = r"""
unset zle_bracketed_paste; PS1=; unsetopt beep; setopt no_list_beep
fpath=('@FOLDER@' $fpath)
autoload -U compinit; compinit -D -u
zstyle ':completion:*' completer _complete
compadd() {
  local -a offered
  if [[ " ${(j: :)@[1,${@[(i)(-|--)]}]} " != *" -"[OAD]" "* ]]; then
    builtin compadd -A offered "$@"
    (( $#offered )) && print -rl -- "<"$^offered">"
  fi
  builtin compadd "$@"
}
at_end() { print -r -- "<""end>"; BUFFER=; compstate[insert]=; compstate[list]= }
offer() { comppostfuncs=(at_end); _main_complete; }
zle -C offer complete-word offer
bindkey '^I' offer
stty -echo
cd '@HERE@'; print -r -- "<""ready>"
"""


def read_until(descriptor, mark, seconds=30):
    text, end = "", time.monotonic() + seconds
    while mark not in text:
        assert time.monotonic() < end, f"zsh gave no {mark}: {text[-2000:]!r}"
        if select.select([descriptor], [], [], 1)[0]:
            text += os.read(descriptor, 1 << 16).decode(errors="replace")
    return text


@test
def zsh():
    if not shutil.which("zsh"):
        return "there is no zsh"

    def work(folder):
        setup = os.path.join(folder, ".setup")
        with open(setup, "w") as file:
            file.write(ZSH.replace("@FOLDER@", FOLDER).replace("@HERE@", folder))
        try:
            child, terminal = pty.fork()
        except OSError as error:
            return f"no terminal can be had here: {error}"
        if child == 0:
            os.environ["TERM"] = "dumb"
            os.execvp("zsh", ["zsh", "-f", "-i"])
        try:
            os.write(terminal, f". '{setup}'\n".encode())
            read_until(terminal, "<ready>")
            offered = []
            for line, _ in LINES:
                os.write(terminal, f"\025{line}\t".encode())  # Ctrl-U, the line, Tab
                text = read_until(terminal, "<end>")
                offered.append(set(re.findall(r"<([^<>\r\n]+)>", text)) - {"end", "ready"})
            return check("zsh", offered)
        finally:
            os.close(terminal)
            os.waitpid(child, 0)

    return in_folder(work)


# ---- the man pages ----


@test
def man_pages():
    folder = os.path.join(FOLDER, "man1")
    if not os.path.isdir(folder):
        return "the build has no man pages: there is no scdoc"
    pages = {name: open(os.path.join(folder, name), encoding="utf-8").read() for name in sorted(os.listdir(folder))}
    expected = {"weft.1"} | {f"weft-{name}.1" for name in COMMANDS}
    assert set(pages) == expected, f"pages {sorted(pages)}, expected {sorted(expected)}"
    for name in COMMANDS:
        page = pages[f"weft-{name}.1"].replace("\\-", "-")
        for option in OPTIONS[name]:
            assert re.search(rf"^\\fB{option}\\fR", page, re.M), f"weft-{name}(1) does not describe {option}"
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"]:
            assert re.search(rf"^\.SH {section}$", page, re.M), f"weft-{name}(1) has no section {section}"
        assert re.search(rf"^\\fB{name}\\fR", pages["weft.1"], re.M), f"weft(1) does not name {name}"
    for name in pages:
        path = os.path.join(folder, name)
        for words in [["mandoc", "-T", "lint", "-W", "warning"], ["groff", "-man", "-Tutf8", "-ww", "-z"]]:
            if not shutil.which(words[0]):
                continue
            done = subprocess.run([*words, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  universal_newlines=True, timeout=60)
            assert not done.stdout.strip(), f"{name}: {done.stdout}"
    return None


def main():
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
    return 1 if failed else 0 if passed else 77


if __name__ == "__main__":
    sys.exit(main())
