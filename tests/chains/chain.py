# SPDX-License-Identifier: MIT
"""Makes chains of calls with NumPy's results. The calls are the judge's cases (tests/judge/primitives, ufuncs), on
views of earlier results, which they also overwrite. Results that are exact only within a bound are compared, but not
reused."""

import inspect
import struct
import threading

import numpy as np

from calls import CALLS, LARGEST, view_steps
from generate import Maker
from layouts import PERIOD
from primitives import SUBJECTS
from primitives.base import ALL, EXACT, Calls, is_wide, told, ulps_in
from record import OK, File, Host, HostResult, Storage, View, Weak, text_bytes
from values import dtype_of

INDEX = 105  # weft_status: a call that fails with it may have written
STREAMS = 4
VIEWS = {"view", "view_as", "ravel", "split", "array_split", "split_at", "moveaxis", "swapaxes", "rot90", "diagonal",
         "meshgrid"}


class Array:
    """A new result, or a view of an array: used in place of a Storage by later calls."""

    def __init__(self, values):
        self.values = values


class Live:
    """The known state of an array of the chain. A view shares its base's root."""

    def __init__(self, storage, root=None):
        self.storage, self.root = storage, root or self
        self.version, self.tolerance, self.is_exact, self.is_known, self.is_dropped = 0, EXACT, True, True, False


class Step:
    """One letter of a chain: c with everything about a call, l, or d. `reads`, `writes`: the roots' storages."""

    def __init__(self, letter, stream=0, reads=(), writes=(), **more):
        self.letter, self.stream, self.reads, self.writes = letter, stream, set(reads), set(writes)
        self.__dict__.update(more)


def is_kind(x, kind):
    """Whether elements are of a kind of values_of, so that expected results are as exact as for that kind."""
    if kind == "mixed" or x.dtype.kind == "b" or x.size == 0:
        return True
    if x.dtype.kind in "iu":
        return kind in ("near", "few", "weird") or bool(
            np.all((x >= (0 if x.dtype.kind == "u" else -1000000)) & (x <= 1000000))
        )
    with np.errstate(all="ignore"):
        size = abs(x).astype(np.float64)
        if kind == "near":
            return bool(np.all((size > 0.9) & (size < 1.1)))
        fine = (size == 0) | ((size > 2.0**-24) & (size < (64 if x.dtype.char == "e" else 2.0**14)))
    return bool(np.all(fine | ~np.isfinite(size) if kind in ("few", "weird") and x.dtype.kind == "f" else fine))


class Chains(Calls):
    """Makes chains. Each function of the judge's subjects is a coroutine: it runs until it has made one call, and draws
    its arrays from the chain. A call is dropped if its arrays were written meanwhile or belong to another chain."""

    def __init__(self, seed):
        super().__init__(File(f"chains of NumPy {np.__version__}, seed {seed}", b"WEFTCH1\n"), seed)
        self.rng = np.random.default_rng([seed, 11])
        self.steps, self.live, self.focus = [], {}, ALL
        self.maker = Maker(None, seed)
        # the expressions are the chains' own: they have other variables than the judge's
        self.parts = [Part(self, f) for subject in SUBJECTS for f in vars(subject).values()
                      if is_part(subject, f) and f.__name__ != "inside"]
        self.turns = [part.go_on for part in self.parts] + [lambda f=f: f(self, self.rng) for f in CALLS]

    # ---- calls of the subjects ----

    def each(self, *lists):
        for _ in range(2):
            drawn = []
            for one in lists:
                is_letters = isinstance(one, str) or all(isinstance(x, str) and len(x) == 1 for x in one)
                some = (
                    [x for x in (one if isinstance(one, str) else ALL) if x in self.focus] if is_letters else list(one)
                )
                some = some if some and self.rng.random() < 0.9 else list(one)
                drawn.append(some[int(self.rng.integers(len(some)))])
            yield drawn[0] if len(drawn) == 1 else tuple(drawn)

    def group(self, *salt):
        return np.random.default_rng(self.rng.integers(1 << 62))

    def of(self, x, layout=None, rng=None):
        view = super().of(np.array(x))  # keeps its values while arrays change
        view.version = 0
        return view

    def array(self, rng, shape, dtype, kind="finite", layout=None, count=PERIOD):
        layout = layout or self.layout(rng, len(shape))
        found = self.fitting(
            rng, shape, np.dtype(dtype), layout, lambda view, live: live.is_exact and is_kind(view.array(), kind)
        )
        if found and rng.random() < 0.9:
            return found
        view = super().array(rng, shape, dtype, kind, layout, count)
        s = view.storage
        view.storage = Storage(s.pool, s.count + int(rng.choice([0, 0, 7, 100, 1000, 5000])), s.start)
        view.version = 0
        return view

    def fitting(self, rng, shape, dtype, layout, is_good):
        """A view of an array of the chain with this layout."""
        like = layout.view(rng, np.zeros(1, dtype), tuple(shape), 0)
        needed = like.storage.count
        fit = [
            one
            for one in self.live.values()
            if not one.is_dropped
            and one.is_known
            and one.storage.values.dtype == dtype
            and one.storage.values.size >= needed
            and one.storage.values.flags.c_contiguous
            and one.storage.values.flags.writeable
        ]
        for k in rng.permutation(len(fit))[:4]:
            offset = int(rng.integers(fit[k].storage.values.size - needed + 1)) if rng.random() < 0.6 else 0
            (letter, (axis, _, _, step)), *rest = like.steps
            flat = [("r", (fit[k].storage.values.size,))] if fit[k].storage.values.ndim != 1 else []
            view = View(fit[k].storage, flat + [(letter, (axis, offset, offset + needed, step))] + rest)
            view.version = fit[k].root.version
            if is_good(view, fit[k]):
                return view
        return None

    def place(self, rng, answer, how):
        found = None
        place = super().place(rng, answer, how)
        if isinstance(place, View):
            layout = self.layout(rng, answer.ndim, True)
            found = self.fitting(rng, answer.shape, place.storage.values.dtype, layout, lambda view, live: True)
            place.version = 0
        return found or place

    def call(
        self, name, operands, params, answers, tolerances=None, results=None, rng=None, how="new", label="", wide=False
    ):
        answers = [np.asarray(a) for a in (answers if isinstance(answers, (tuple, list)) else [answers])]
        given = [r for r in results or [] if r is not None]
        if not all(self.is_fresh(o, True) for o in operands) or not all(self.is_fresh(r, False) for r in given):
            return
        if sum(a.size for a in answers) > LARGEST or len(params) > 12:
            return
        tolerances = list(tolerances) if isinstance(tolerances, list) else [tolerances or EXACT] * len(answers)
        results = list(results or [self.place(rng, a, how) for a in answers])
        roots = [self.root_of(r) for r in results if isinstance(r, View)]
        if len(set(roots)) < len(roots):
            return
        is_view = name in VIEWS and all(a.size == 0 or np.shares_memory(a, operands[0].array()) for a in answers[:1])
        answers = [a if is_view else a.copy() for a in answers]
        wide |= is_wide(
            [o.dtype if isinstance(o, Weak) else o.array().dtype for o in operands] + [a.dtype for a in answers]
        )
        wide |= is_wide([r.dtype if isinstance(r, HostResult) else r.array().dtype for r in results if r is not None])
        stored, final, made, writes = [], [], [], []
        reads = {self.root_of(o) for o in list(operands) + results if isinstance(o, (View, Host))}
        label = told(operands, results[0].array().dtype if isinstance(results[0], View) else None, label)
        for place, answer, (ulps, any_zero, absolute) in zip(results, answers, tolerances):
            target = (
                place.array().dtype
                if isinstance(place, View)
                else place.dtype if isinstance(place, HostResult) else answer.dtype
            )
            tolerance = (ulps_in(target, answer.dtype, ulps, absolute), any_zero, absolute)
            final.append(tolerance)
            made.append(None)
            if isinstance(place, View):
                self.write(place, answer, tolerance)
                writes.append(self.root_of(place))
                stored.append((target, answer.shape, None))
            elif isinstance(place, HostResult):
                with np.errstate(all="ignore"):
                    stored.append((target, place.shape, answer.astype(target)))
            else:
                made[-1] = Array(answer)
                root = (
                    self.live_of(operands[len(made) - 1 if name == "meshgrid" else 0].storage).root if is_view else None
                )
                self.live[made[-1]] = one = Live(made[-1], root)
                self.bound(one.root, answer, tolerance if root is None else EXACT)
                stored.append((target, answer.shape, None, one.root.storage))
        for o in operands:
            if isinstance(o, (View, Host)):
                self.live_of(o.storage)
        self.steps.append(
            Step(
                "c",
                self.stream(),
                reads,
                writes,
                name=name,
                label=label,
                status=OK,
                wide=wide,
                params=params,
                tolerances=final,
                results=results,
                operands=operands,
                answers=stored,
                made=made,
            )
        )
        self.made_one()

    def refuse(self, name, operands, params, status, results=None, label="", count=1):
        given = [r for r in results or [] if r is not None]
        if not all(self.is_fresh(o, True) for o in operands) or not all(self.is_fresh(r, False) for r in given):
            return
        results = results or [None] * count
        for place in given:
            if isinstance(place, View):
                self.live_of(place.storage).root.is_known = status != INDEX
        places = [p for p in list(operands) + given if isinstance(p, (View, Host))]
        for p in places:
            self.live_of(p.storage)
        self.steps.append(
            Step(
                "c",
                self.stream(),
                {self.root_of(p) for p in places},
                [self.root_of(p) for p in given],
                name=name,
                label=told(operands, None, f"refused {label}"),
                status=status,
                wide=False,
                params=params,
                tolerances=[EXACT] * len(results),
                results=results,
                operands=operands,
                answers=[],
                made=[],
            )
        )
        self.made_one()

    # ---- arrays ----

    def live_of(self, storage):
        if storage not in self.live:
            self.live[storage] = Live(storage)
        return self.live[storage]

    def root_of(self, place):
        return self.live[place.storage].root.storage if place.storage in self.live else place.storage

    def is_fresh(self, place, is_read):
        if not isinstance(place, (View, Host)):
            return True
        one = self.live.get(place.storage)
        if one is None:
            return isinstance(place.storage, Storage) and not hasattr(place.storage, "is_written")
        if isinstance(place, Host) or one.is_dropped or not one.root.is_known or one.root.version != place.version:
            return False
        return one.root.is_exact or not is_read

    def write(self, place, answer, tolerance):
        one = self.live_of(place.storage)
        view = place.of(one.storage.values)
        assert np.shares_memory(view, one.storage.values) or view.size == 0, "a result that is no view"
        with np.errstate(all="ignore"):
            view[...] = answer
        one.root.version += 1
        one.root.storage.is_written = one.storage.is_written = True
        if view.size == one.root.storage.values.size:
            one.root.is_exact, one.root.tolerance = True, EXACT
        self.bound(one.root, view, tolerance)

    @staticmethod
    def bound(root, values, tolerance):
        """Allows errors in the elements of this array."""
        ulps, any_zero, absolute = tolerance
        if ulps or absolute or (any_zero and values.dtype.kind in "fc" and not np.all(values)):
            root.is_exact = False
            root.tolerance = (max(root.tolerance[0], ulps), True, max(root.tolerance[2], absolute))
        elif any_zero and values.dtype.kind == "c":  # the zeros of its parts
            root.is_exact, root.tolerance = False, (root.tolerance[0], True, root.tolerance[2])

    def some(self, rng, letters=ALL, is_exact=True):
        """Any view of any array of the chain, or None."""
        fit = [
            one
            for one in self.live.values()
            if not one.is_dropped
            and one.root.is_known
            and (one.root.is_exact or not is_exact)
            and one.storage.values.dtype in [dtype_of(x) for x in letters]
        ]
        if not fit:
            return None
        one = fit[int(rng.integers(len(fit)))]
        place = View(one.storage, view_steps(rng, one.storage.values))
        place.version = one.root.version
        return place

    def letter(self, rng, letters=ALL):
        some = [x for x in letters if x in self.focus] if rng.random() < 0.9 else letters
        return str(rng.choice(list(some or letters)))

    # ---- the chain ----

    def stream(self):
        return int(self.rng.integers(STREAMS)) if self.rng.random() < 0.6 else 0

    def look(self, storage):
        one = self.live[storage]
        if one.is_known and one.root.is_known:
            self.steps.append(
                Step(
                    "l",
                    self.stream(),
                    [one.root.storage],
                    storage=storage,
                    how=int(self.rng.integers(5)),
                    tolerance=one.root.tolerance,
                    values=np.array(storage.values),
                )
            )

    def made_one(self):
        part = Part.now
        if part:
            part.hand_over()

    def make(self, number):
        """Makes one chain and adds it to the file."""
        self.steps, self.live = [], {}
        if number % 10 == 0:  # few dtypes, which ten chains share, so that kernels are reused
            self.focus = "".join(map(str, self.rng.choice(list(ALL), int(self.rng.integers(2, 5)), replace=False)))
        calls = int(self.rng.integers(5, 21))
        while calls > 0:
            before = len(self.steps)
            self.turns[int(self.rng.integers(len(self.turns)))]()
            calls -= len(self.steps) > before
            there = [s for s, one in self.live.items() if not one.is_dropped]
            if there and self.rng.random() < 0.12:
                self.look(there[int(self.rng.integers(len(there)))])
            if len(there) > 3 and self.rng.random() < 0.12:
                gone = there[int(self.rng.integers(len(there)))]
                self.live[gone].is_dropped = True
                self.steps.append(Step("d", storage=gone))
        for storage, one in self.live.items():
            if not one.is_dropped:
                self.look(storage)
        self.file.cases.append(encode(self.file, f"chain {number}", self.steps))
        return self.steps

    def close(self):
        for part in self.parts:
            part.close()


def encode(file, label, steps):
    """The chain's bytes. Storages are numbered here, so that a subset of the steps, with the steps they need, makes a
    chain too."""
    out, kept = [], {}
    for step in steps:
        if step.letter == "c":
            head = file.primitive(step.name, step.label, 0, step.status, step.wide, step.params, step.tolerances)
            before = dict(kept)
            for storage in file.storages(step.results, step.operands) + [m for m in step.made if m]:
                kept.setdefault(storage, len(kept))
            answers = [(*a[:3], kept[a[3]]) if len(a) > 3 else a for a in step.answers]
            out.append(
                b"c"
                + bytes([step.stream])
                + head
                + file.places(step.status, step.results, step.operands, answers, before)
            )
        elif step.letter == "l":
            ulps, any_zero, absolute = step.tolerance
            out.append(
                b"l"
                + struct.pack("<BIBfBd", step.stream, kept[step.storage], step.how, ulps, any_zero, absolute)
                + file.elements(step.values.dtype, step.values.shape, step.values)
            )
        else:
            out.append(b"d" + struct.pack("<I", kept[step.storage]))
    return b"\4" + text_bytes(label) + struct.pack("<I", len(out)) + b"".join(out)


def needed_for(steps, target):
    """Step `target` and the steps that affect what it reads."""
    wanted, kept = all_of(steps[target]), [steps[target]]
    for step in reversed(steps[:target]):
        if step.letter == "c" and wanted & (step.writes | {m for m in step.made if m}):
            wanted |= all_of(step)
            kept.append(step)
    made = set().union(*(all_of(step) | set(step.made) for step in kept if step.letter == "c"))
    if steps[target].letter == "l" and steps[target].storage not in made:
        return steps[: target + 1]  # an omitted call has copied it to the device
    return kept[::-1]


def all_of(step):
    """The storages that a step uses, and their roots."""
    if step.letter != "c":
        return step.reads | {step.storage}
    return step.reads | step.writes | set(File.storages(step.results, step.operands))


# ---- coroutines ----


class Closing(Exception):
    pass


def is_part(subject, f):
    return (
        inspect.isfunction(f)
        and f.__module__ == subject.__name__
        and list(inspect.signature(f).parameters) == ["c"]
        and f.__name__ != "make"
    )


class Part:
    """One function of a subject, repeated in a thread that runs only while the chain waits for its next call."""

    now = None

    def __init__(self, chains, function):
        self.chains, self.function = chains, function
        self.mine, self.theirs = threading.Semaphore(0), threading.Semaphore(0)
        self.thread, self.error, self.is_closing, self.is_late = None, None, False, False

    def run(self):
        self.mine.acquire()
        while not self.is_closing and not self.error:
            self.is_late = False
            try:
                self.function(self.chains)
            except Closing:
                break
            except Exception as error:
                # if late, its arrays were written after it drew them, so no expected result exists
                if not self.is_late:
                    self.error = error
        self.theirs.release()

    def go_on(self):
        if self.thread is None:
            self.thread = threading.Thread(target=self.run, daemon=True)
            self.thread.start()
        Part.now = self
        self.mine.release()
        self.theirs.acquire()
        Part.now = None
        if self.error:
            raise self.error

    def hand_over(self):
        self.is_late = True
        self.theirs.release()
        self.mine.acquire()
        if self.is_closing:
            raise Closing

    def close(self):
        self.is_closing = True
        if self.thread:
            self.mine.release()
            self.thread.join()
