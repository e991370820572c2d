"""A store of any size that says something on every screen: ten thousand rows of a model, laid end to end.

The columns lie in files that are mapped, as those of a cached log do; what a record says is read from the rows that
are repeated. Times and lines go on, addresses and kernels come again, as they do when a model runs again and again.
"""

from pathlib import Path

import numpy as np
from view_graphs import graph
from view_story import ORIGIN, Story

from getrace.dumps.snapshot import GraphSnapshot, SnapshotGraph, SnapshotNode
from getrace.events import Event, Level
from getrace.events.launch import Launch, LaunchAddresses, TaskIds
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.memory import BirthRecycle, MemAlloc, MemFree
from getrace.events.shapes import ShapesIn, ShapesOut
from getrace.events.streams import EventSent, EventWaited, StreamSplit
from getrace.events.tiling import Tiling
from getrace.store.columns import COLUMNS, EVENT_COLUMNS, Column, none_of
from getrace.store.forms import Form, Sparse
from getrace.store.live import LiveStore
from getrace.store.store import Source, Store

PERIOD = 10_000
OPERATORS = 400
_PAGE = 64 << 10
_BASE = 0x12C041200000
_SHAPE = (("ND", "float32", (2, 75)),)
_STEP_NS = 3_000
_START_NS = 1_700_000_000_000_000_000
_FIXED = {"source": 0, "lines": 1, "length": 190}
_TYPES = ("InferShape", "Tiling", "AllocMemHbm", "LaunchKernelWithHandle", "SendEvents", "FreeMemory")


def _operator(story: Story, number: int) -> None:
    """Say what one operator says; every fourth hands on to the other stream, and its memory lives on until the next."""
    node, stream = f"op{number}", number // 4 % 2
    addr, before = _BASE + number * _PAGE, _BASE + (number - 1) * _PAGE
    names = {kind: f"{kind}_{node}_{10 * number + place}" for place, kind in enumerate(_TYPES)}
    launch = names["LaunchKernelWithHandle"]
    story.say(ShapesIn(original=_SHAPE, storage=_SHAPE), names["InferShape"])
    story.say(ShapesOut(original=_SHAPE, storage=_SHAPE), names["InferShape"])
    story.say(KernelEnd(), names["InferShape"])
    story.say(Tiling(size=16, data=bytes(16), key=3, block_dim=8), names["Tiling"])
    story.say(KernelEnd(), names["Tiling"])
    alloc = MemAlloc(block=addr ^ 0xAAAB << 32, addr=addr, size=_PAGE, stream=stream, asked=8224, index=0)
    story.say(alloc, names["AllocMemHbm"])
    story.say(KernelEnd(), names["AllocMemHbm"])
    story.say(Launch(binary=0xF0, block_dim=8, args=addr - 16, handle=0xAA00 + 8 * stream), launch)
    story.say(TaskIds(rt_stream=5 + stream, task=number, flip=0, flip_task=number), launch)
    story.say(LaunchAddresses(addresses=(before, addr), sizes=(8224, 8224)), launch)
    story.say(KernelEnd(), launch)
    if number % 4 == 3:
        story.say(EventSent(event_id=number, handle=0xE0, stream=stream), names["SendEvents"])
        story.say(EventWaited(event_id=number, handle=0xE0, stream=1 - stream), names["SendEvents"])
    if number:
        story.say(MemFree(addr=before, stream=stream), names["FreeMemory"])
        story.say(BirthRecycle(stream=stream, addr=before), names["FreeMemory"])
        story.say(KernelEnd(), names["FreeMemory"])


def _period() -> LiveStore:
    """One run of a model of 400 operators on two streams among the lines of its neighbours, ``PERIOD`` rows."""
    story = Story()
    for handle, stream in ((0xAA00, 0), (0xAA08, 1)):
        story.say(StreamSplit(handle=handle, stream=stream, rt_stream=5 + stream), "SplitRtStreams_2")
    story.say(ModelStart())
    for number in range(OPERATORS):
        _operator(story, number)
        for place in range(9):
            level = Level.WARNING if place == 7 and number % 2 else Level.INFO
            story.line(f"Execute:step {number}, part {place}", level)
    last = _BASE + (OPERATORS - 1) * _PAGE
    story.say(MemFree(addr=last, stream=1), "FreeMemory_last_9")
    story.say(BirthRecycle(stream=1, addr=last), "FreeMemory_last_9")
    story.say(ModelEnd())
    rest = PERIOD - story.store.poll()
    for number in range(rest):
        level = Level.ERROR if number % 200 == 100 else Level.INFO
        story.say(KernelEnd(), "IdentityShape_op1_9", tid=ORIGIN.tid + 1) if number % 2 else story.line("idle", level)
    story.store.poll()
    return story.store


def _graphs() -> list[GraphSnapshot]:
    """The execute graph of those operators after two passes: a chain of operators, each a chain of six nodes."""
    names = [f"{kind}_op{number}_{10 * number + at}" for number in range(OPERATORS) for at, kind in enumerate(_TYPES)]
    data = [(at, at + 1) for at in range(len(names) - 1)]
    far = [(at, at + 9) for at in range(0, len(names) - 9, 3)]
    empty: dict[str, SnapshotGraph] = {name: graph(name, [], []) for name in ("init", "deinit")}
    owners = [
        SnapshotNode(at, kind, kind, subgraphs=(kind.lower(),)) for at, kind in enumerate(("Init", "Main", "DeInit"))
    ]
    root = SnapshotGraph("root", tuple(owners), ())
    return [
        GraphSnapshot(stage, "root", {"root": root, "main": graph("main", names, data, edges), **empty})
        for stage, edges in (("AfterLowering", []), ("AfterPasses", far))
    ]


class TiledStore(Store):
    """``rows`` rows that repeat those of ``_period``; the files of the columns are written into ``folder``."""

    def __init__(self, folder: Path, rows: int) -> None:
        super().__init__()
        self.period = _period()
        self.names = self.period.names
        self.graphs += _graphs()
        self.sources = [Source("tiled.log", size=190 * rows, lines=rows, records=rows)]
        self.columns.adopt({name: self._form(folder, name, rows) for name in COLUMNS}, rows)

    def _form(self, folder: Path, name: str, rows: int) -> Form:
        """Give a column as a cache keeps it: one number, the rows that say something, or a file of all rows."""
        own = self.period.column(name)
        if name in _FIXED:
            return _FIXED[name]
        if name in {"time", "line"}:
            number = np.arange(rows)
            return _kept(folder / name, _START_NS + number * _STEP_NS if name == "time" else number + 1, name)
        if (own == own[0]).all():
            return int(own[0])
        told = np.flatnonzero(own != none_of(name))
        if name not in EVENT_COLUMNS or 4 * len(told) > len(own):
            return _kept(folder / name, np.resize(own, rows), name)
        starts = np.arange(0, rows, PERIOD)
        all_told = (starts[:, None] + told).ravel()
        values = np.tile(own[told], len(starts))
        return Sparse(_kept(folder / f"{name}-rows", all_told), _kept(folder / name, values, name))

    def event(self, row: int) -> Event:
        """Give the event of the row that is repeated."""
        return self.period.event(row % PERIOD)

    def text(self, row: int) -> str:
        """Give the line of the row that is repeated."""
        return self.period.text(row % PERIOD)


def _kept(path: Path, values: Column, name: str = "") -> Column:
    """Write an array into a file and map it."""
    file = path.with_name(f"{path.name}-{len(values)}.npy")
    np.save(file, values.astype(COLUMNS.get(name, "i8"), copy=False))
    mapped: Column = np.load(file, mmap_mode="r")
    return mapped
