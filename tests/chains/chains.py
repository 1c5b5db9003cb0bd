#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Chains of 5 to 20 random calls on a few arrays, against NumPy 2: all calls of tests/judge, through views of every
kind, in place, with results that overlap operands, on several streams.

  chains.py DRIVER                          runs the recorded chains of tests/data; needs only the standard library
  chains.py DRIVER --fresh [--seed N]       runs new chains from a random seed, which is printed; 77 without NumPy 2
  chains.py DRIVER --seconds S [--seed N]   runs such batches for S seconds, each seed with every entry of VARIANTS
  chains.py --record                        writes the recorded chains
Options: [--batch N] chains per batch, [--fail N] one OpenCL call in N fails, [--variant NAME] this variant alone,
[--not NAME,...] all other variants, [--only N] one chain of the batch, [--replay]
calls are recorded and repeated by a replay: each, or many at once, [--keep FOLDER] keeps the files of failing
chains there. After a failure, the command that repeats it is printed; the failing chain is run alone, then reduced to
the steps it needs. WEFT_TEST_DEVICE selects the device."""

import argparse
import lzma
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(os.path.dirname(HERE), "data", "chain_cases.bin.xz")
SEED, BATCH, RECORDED_BATCH = 1, 60, 10
TRIES = 4  # per smaller chain: some failures are intermittent
VARIANTS = {  # name: environment
    "plain": {},
    "pool": {"WEFT_POOL": "off"},
    "checks": {"WEFT_CHECKS": "1"},
    "chunk": {"WEFT_CHUNK": "4K"},
    "two": {"POCL_DEVICES": "pthread pthread"},
    "limit": {"WEFT_MEMORY_LIMIT": "200K"},
    "sync": {"WEFT_SYNC": "1"},
    "staged": {"WEFT_QUIRKS": "stages_slowly"},
    "gpu": {"WEFT_QUIRKS": "gpu_kernels"},
    "lookback": {"WEFT_QUIRKS": "gpu_kernels,no_device_scope"},
    "gpu_checks": {"WEFT_QUIRKS": "gpu_kernels", "WEFT_CHECKS": "1"},
}


def makers():
    sys.path[:0] = [os.path.join(os.path.dirname(HERE), "judge"), HERE]
    import judge
    import warnings

    judge.want_numpy()
    warnings.simplefilter("ignore")
    import chain

    return chain


def make(seed, count):
    """(file, steps of each chain)"""
    chains = makers().Chains(seed)
    steps = [chains.make(number) for number in range(count)]
    chains.close()
    return chains.file, steps


def drive(args, path, variant, seed, loud=True, data=None):
    more = ["--loud"] if loud else []
    more += ["--replay"] if args.replay else []
    more += ["--fail", str(args.fail), "--seed", str(seed)] if args.fail else []
    done = subprocess.run(
        [*args.driver, path, "--streams", "4", "--all", *more],
        input=data,
        env={**os.environ, **VARIANTS[variant]},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.returncode, done.stdout.decode(errors="replace")


def quiet(text):
    """Removes the output that --loud adds."""
    return "".join(line for line in text.splitlines(True) if not re.match(r"(chain \d+$|  \d+: )", line))


def look_closer(args, file, steps, status, text, seed, variant):
    """Reports the first chain that failed, alone and with fewer steps."""
    chain = makers()
    found = re.search(r"FAIL .*?chain (\d+) step (\d+)", text)
    last = re.findall(r"^chain (\d+)$", text, re.M)
    number = int(found.group(1)) if found else int(last[-1]) if last else None
    print(quiet(text)[-6000:])
    print(
        "FAIL with status %d; again with: --seed %d --batch %d --variant %s%s%s"
        % (
            status,
            seed,
            args.batch,
            variant,
            " --fail %d" % args.fail if args.fail else "",
            "" if number is None else " --only %d" % number,
        )
        + (" --replay" if args.replay else "")
    )
    if number is None:
        return
    where = os.path.join(args.keep or tempfile.gettempdir(), "chain_%d_%d_%s.bin" % (seed, number, variant))
    at = int(found.group(2)) if found else len(steps[number]) - 1
    tries = [("alone", steps[number]), ("up to step %d" % at, steps[number][: at + 1])]
    if found:
        tries.append(("with what step %d needs" % at, chain.needed_for(steps[number], at)))
    for what, some in tries:
        file.cases = [chain.encode(file, "chain %d" % number, some)]
        file.write(where + ".try")
        for turn in range(TRIES):
            again, said = drive(args, where + ".try", variant, seed + turn)
            if again:
                break
        print("%s: %d steps, status %d" % (what, len(some), again))
        if again:
            os.replace(where + ".try", where)
            print(said[-3000:])
    print("the smallest is %s" % where if os.path.exists(where) else "alone it does not fail")


def run_one(args, seed, variant):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "chains.bin")
        file, steps = make(seed, args.batch)
        if args.only is not None:
            file.cases = [file.cases[args.only]]
        file.write(path)
        status, text = drive(args, path, variant, seed)
        if status not in (0, 77):
            look_closer(args, file, steps, status, text, seed, variant)
    return status, text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver", nargs="*")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--fail", type=int, default=0)
    parser.add_argument("--variant", choices=sorted(VARIANTS))
    parser.add_argument("--not", dest="without", default="", help="variants that --seconds leaves out, with commas")
    parser.add_argument("--only", type=int)
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--keep")
    args = parser.parse_args()
    args.batch = args.batch or (BATCH if args.seconds else RECORDED_BATCH)
    if args.record:
        print("%d bytes" % make(SEED if args.seed is None else args.seed, args.batch)[0].write(RECORDED))
        return 0
    seed = random.SystemRandom().randrange(1 << 31) if args.seed is None else args.seed
    if not args.fresh and not args.seconds and args.seed is None:
        with lzma.open(RECORDED) as recorded:
            status, text = drive(args, "-", args.variant or "plain", SEED, False, recorded.read())
        print(text)
        return status
    if not args.seconds:
        print("seed %d" % seed)
        status, text = run_one(args, seed, args.variant or "plain")
        print(quiet(text)[-6000:] if status in (0, 77) else "")
        return status
    names = [args.variant] if args.variant else [n for n in VARIANTS if n not in args.without.split(",")]
    end, failures, batches = time.monotonic() + args.seconds, 0, 0
    while time.monotonic() < end:
        now, variant = seed + batches // len(names), names[batches % len(names)]
        status, text = run_one(args, now, variant)
        if status == 77:
            return status
        failures += status != 0
        print(
            "%s seed %d %s: %s"
            % (
                time.strftime("%H:%M:%S"),
                now,
                variant,
                "; ".join(
                    [line for line in text.splitlines() if line.startswith("late: ")]
                    + quiet(text).splitlines()[-2 if args.fail else -1 :]
                ),
            )
        )
        sys.stdout.flush()
        batches += 1
    print("%d batches of %d chains, %d failed" % (batches, args.batch, failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
