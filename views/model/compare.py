"""Two runs beside each other: aligned by operator and occurrence, and where they first part.

Times mean nothing between two runs, so nothing is aligned by them: a kernel of one run is that kernel of the other
which has the same type and operator and comes as the same one of these. Ids in names are left out, as each lowering
counts anew. What differs is told by what the log says of the two: shapes, bytes, tiling, blocks, stream.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from getrace.analysis.block_columns import narrow
from getrace.analysis.blocks import ALLOCS, blocks
from getrace.analysis.kernels import Executions, executions
from getrace.analysis.memory import Usage, usage
from getrace.analysis.runs import GraphRun, Stage, graph_runs, run_of_rows
from getrace.events import Event, launch, shapes, tiling
from getrace.ids import split_kernel_name
from getrace.store.columns import none_of
from getrace.store.store import Store
from views.model.processes import process_text, processes
from views.model.words import short

Ints = npt.NDArray[np.int64]

KERNEL_LIMIT = 20_000
"""Kernels of a run that are compared, the first ones."""
FACT_LIMIT = 20_000
"""Records of a run whose facts are read: each is a line to be read again."""

SHAPES = (shapes.ShapesIn, shapes.ShapesOut, shapes.ExtShapes, shapes.ExtShapesOut)
_TILINGS = (tiling.Tiling, tiling.GuideTiling)
_LAUNCHES = (launch.Launch,)
FACTS = ("shapes in", "shapes out", "bytes", "tiling", "blocks", "stream")

Key = tuple[str, str, int]
"""Kernel type, operator, and which one of these it is, from 0."""


class Party(NamedTuple):
    """A store with what its runs are made of: executions, which run a row belongs to, and the use of memory."""

    store: Store
    title: str
    runs: tuple[GraphRun, ...]
    owner: Ints
    executions: Executions
    memory: Usage


class Side(NamedTuple):
    """One run: the number of its party, and of the run there."""

    party: int
    run: int


class Kernel(NamedTuple):
    """One execution of a kernel in a run: its row, and what the log says of it by ``FACTS``."""

    row: int
    facts: dict[str, str]


class Pairing(NamedTuple):
    """A kernel in both runs, or in one; ``moved`` says that its place in the order is another one."""

    key: Key
    left: Kernel | None
    right: Kernel | None
    moved: bool = False

    @property
    def changed(self) -> tuple[str, ...]:
        """The facts that differ."""
        if self.left is None or self.right is None:
            return ()
        left, right = self.left.facts, self.right.facts
        return tuple(fact for fact in FACTS if left.get(fact) != right.get(fact))

    @property
    def same(self) -> bool:
        """Whether the two agree in all that the log says."""
        return self.left is not None and self.right is not None and not self.moved and not self.changed


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two runs aligned. ``parted`` are the indices of the pairs that differ.

    ``common`` kernels stand in the same order from the start on; ``unread`` records and ``beyond`` kernels had no room
    to be looked at.
    """

    left: Side
    right: Side
    pairs: tuple[Pairing, ...]
    parted: tuple[int, ...]
    common: int
    unread: int
    beyond: int

    @property
    def first(self) -> int:
        """The index of the first pair that differs, -1 when none does."""
        return self.parted[0] if self.parted else -1


def party_of(store: Store, title: str) -> Party:
    """Read what a comparison needs of a store: passes over whole columns."""
    runs = graph_runs(store)
    used = usage(store, blocks(store))
    used = Usage(used.times, narrow(used.bytes), narrow(used.rows))
    found = executions(store)
    ran = Executions(*map(narrow, (found.name, found.first, found.last, found.duration)))
    del found  # rows of a large log have more than a gigabyte on the way here
    return Party(store, title, tuple(runs), narrow(run_of_rows(store, runs)), ran, used)


def sides_of(parties: Sequence[Party]) -> list[Side]:
    """Give every run that can be compared, party by party."""
    return [Side(at, run) for at, party in enumerate(parties) for run in range(len(party.runs))]


def usual_pair(parties: Sequence[Party]) -> tuple[Side, Side] | None:
    """Choose what to begin with: the first Main of each of two logs, else the last two Mains of one.

    Without two Mains two runs of another stage; None where no two runs can be compared.
    """
    for stage in (Stage.MAIN, Stage.INIT, Stage.DEINIT):
        own = [[Side(at, n) for n, run in enumerate(p.runs) if run.stage is stage] for at, p in enumerate(parties)]
        if len(own) > 1 and own[0] and own[1]:
            return own[0][0], own[1][0]
        if own and len(own[0]) > 1:
            return own[0][-2], own[0][-1]
    return None


def side_text(parties: Sequence[Party], side: Side) -> str:
    """Name a run: its log where there are several, its process where there are several, its stage and number."""
    party = parties[side.party]
    run = party.runs[side.run]
    stage = run.stage.value.capitalize() if run.stage is not Stage.DEINIT else "DeInit"
    name = f"{stage} #{run.iteration}" if run.stage is Stage.MAIN else stage
    log = f"{party.title} " if len(parties) > 1 else ""
    return log + process_text(run.pid, many=len(processes(party.store)) > 1) + name


def peak_of(party: Party, run: GraphRun) -> int:
    """Give the highest use of memory while a run went on."""
    rows = party.memory.rows
    inside = slice(int(np.searchsorted(rows, run.start)), int(np.searchsorted(rows, run.last, "right")))
    return int(party.memory.bytes[inside].max(initial=0))


def compare(parties: Sequence[Party], left: Side, right: Side) -> Comparison:
    """Align two runs."""
    (first, *cut_left), (second, *cut_right) = (_kernels(parties[s.party], s.run) for s in (left, right))
    common = _common(list(first), list(second))
    shared = [key for key in first if key in second]
    moved = _moved(shared, [key for key in second if key in first])
    pairs = [Pairing(key, first[key], second.get(key), key in moved) for key in first]
    pairs = _with_right_only(pairs, second, first)
    part = tuple(at for at, pair in enumerate(pairs) if not pair.same)
    return Comparison(left, right, tuple(pairs), part, common, *map(sum, zip(cut_left, cut_right, strict=True)))


def _kernels(party: Party, run: int) -> tuple[dict[Key, Kernel], int, int]:
    """Give the kernels of a run in order, with their facts; how many records were not read, and how many kernels."""
    every = party.executions
    mine = np.flatnonzero(party.owner[every.first] == run)
    own = mine[:KERNEL_LIMIT]
    runs = Executions(every.name[own], every.first[own], every.last[own], every.duration[own])
    names = {number: split_kernel_name(party.store.names.text(number)) for number in np.unique(runs.name).tolist()}
    counts: dict[tuple[str, str], int] = {}
    made: dict[Key, Kernel] = {}
    for number, first in zip(runs.name.tolist(), runs.first.tolist(), strict=True):
        kind, node, _ = names[number]
        which = counts[kind, node] = counts.get((kind, node), -1) + 1
        made[kind, node, which] = Kernel(first, {})
    return made, _read_facts(party, run, runs, list(made.values())), len(mine) - len(own)


def _read_facts(party: Party, run: int, runs: Executions, kernels: list[Kernel]) -> int:
    if not kernels:
        return 0
    store = party.store
    rows = store.rows_of(*SHAPES, *_TILINGS, *_LAUNCHES, *ALLOCS)
    rows = rows[(rows >= party.runs[run].start) & (rows <= int(runs.last.max()))]
    rows = rows[party.owner[rows] == run]
    read = rows[:FACT_LIMIT]
    for row, number in zip(read.tolist(), runs.of_rows(store, read).tolist(), strict=True):
        if number >= 0:
            _note(kernels[number].facts, store.event(row), store, row)
    return len(rows) - len(read)


def _note(facts: dict[str, str], event: Event, store: Store, row: int) -> None:
    if isinstance(event, SHAPES):
        words = short(event)
        fact = next((name for name in FACTS[:2] if words.startswith(name)), FACTS[0])
        facts[fact] = words.removeprefix(f"{fact} ")
    elif isinstance(event, _TILINGS):
        facts["tiling"] = str(event.key)
    elif isinstance(event, _LAUNCHES):
        facts["blocks"] = str(event.block_dim)
    else:
        size, stream = (store.value(name, row) for name in ("size", "stream"))
        facts["bytes"] = str(int(facts.get("bytes", "0")) + max(size, 0))
        if stream != none_of("stream"):
            facts["stream"] = str(stream)


def _common(left: list[Key], right: list[Key]) -> int:
    return next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _moved(left: list[Key], right: list[Key]) -> set[Key]:
    """Give the keys whose order differs: all that a longest common rising run of places leaves out."""
    place = {key: at for at, key in enumerate(right)}
    kept = _rising([place[key] for key in left])
    return {key for at, key in enumerate(left) if at not in kept}


def _rising(values: list[int]) -> set[int]:
    """Give the indices of a longest rising subsequence."""
    ends: list[int] = []
    lengths: list[int] = []
    before: list[int] = []
    for at, value in enumerate(values):
        place = bisect_left(lengths, value)
        before.append(ends[place - 1] if place else -1)
        if place == len(ends):
            ends.append(at)
            lengths.append(value)
        else:
            ends[place], lengths[place] = at, value
    kept, at = set(), ends[-1] if ends else -1
    while at >= 0:
        kept.add(at)
        at = before[at]
    return kept


def _with_right_only(pairs: list[Pairing], second: dict[Key, Kernel], first: dict[Key, Kernel]) -> list[Pairing]:
    """Put what only the right run has behind the kernel that it follows there."""
    after: dict[Key | None, list[Pairing]] = {}
    before: Key | None = None
    for key, kernel in second.items():
        if key in first:
            before = key
        else:
            after.setdefault(before, []).append(Pairing(key, None, kernel))
    made = after.get(None, [])
    for pair in pairs:
        made.append(pair)
        made += after.get(pair.key, [])
    return made
