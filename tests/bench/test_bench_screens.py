"""Screens over ten million rows against ten thousand: both open and answer keys alike, and memory stays small.

The columns lie in files that are mapped, as those of a cached log do. Wall times are printed; what is held to is the
ratio of the two, for the machine is the same for both.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from key_to_paint import key_to_paint
from view_screens import settle

from getrace.events import KIND_NUMBER, Event
from getrace.events.markers import KernelEnd, ModelEnd, ModelStart
from getrace.events.text import LogLine
from getrace.store.columns import COLUMNS, Column, none_of
from getrace.store.store import Source, Store
from views.tui.app import GetraceApp
from views.tui.settings import Settings

pytestmark = pytest.mark.bench

FEW, MANY = 10_000, 10_000_000
KERNELS = 2_000
SIZE = (140, 50)
KEYS = ("j", "pagedown", "G", "pageup", "g", "e", "e", "E", "k")
TIMELINE_KEYS = ("full_stop", "full_stop", "w", "w", "d", "a", "comma", "s")


def private_bytes() -> int:
    """Give the bytes that this process alone holds; it needs Linux's /proc."""
    with Path("/proc/self/smaps_rollup").open() as status:
        return sum(int(line.split()[1]) << 10 for line in status if line.startswith("Private_Dirty"))


class Mapped(Store):
    """Rows of a whole application: one in ten is a kernel's, one in fifty a warning, one in a thousand an
    error; two threads, a run of the model each thousand kernels."""

    def __init__(self, folder: Path, rows: int) -> None:
        super().__init__()
        self._rows = rows
        self.sources = [Source("mapped.log", size=190 * rows, lines=rows, records=rows)]
        names = [self.names.id(f"InferShape_op{number}_{number}") for number in range(KERNELS)]
        made = self._made(rows, np.array(names, np.int32))
        self._arrays: dict[str, Column] = {}
        for name, values in made.items():
            np.save(folder / f"{name}{rows}.npy", values.astype(COLUMNS[name]))
            self._arrays[name] = np.load(folder / f"{name}{rows}.npy", mmap_mode="r")
        module = self.names.id("GE")
        for name, value in {"pid": 370, "module": module, "source": 0, "lines": 1, "length": 190, "flags": 0}.items():
            self._arrays[name] = np.broadcast_to(np.array(value, COLUMNS[name]), rows)

    @staticmethod
    def _made(rows: int, names: "np.ndarray") -> dict[str, "np.ndarray"]:
        number = np.arange(rows)
        kernel = np.full(rows, none_of("kernel"))
        kernel[::10] = names[(number[::10] // 10) % len(names)]
        kind = np.full(rows, KIND_NUMBER[LogLine.kind])
        kind[::10] = KIND_NUMBER[KernelEnd.kind]
        for at, marker in ((1, ModelStart), (9_995, ModelEnd)):
            kind[at::10_000] = KIND_NUMBER[marker.kind]
        level = np.ones(rows)
        level[7::50], level[999::1_000] = 2, 3
        return {
            "time": 1_700_000_000_000_000_000 + number * 3_000,
            "kind": kind,
            "kernel": kernel,
            "level": level,
            "line": number + 1,
            "tid": 1 + number // 5_000_000,
        }

    def at(self, name: str, rows: Column) -> Column:
        return self.column(name)[rows]

    def told(self, name: str) -> Column:
        return np.flatnonzero(self.column(name) != none_of(name))

    @property
    def rows(self) -> int:
        return self._rows

    def column(self, name: str) -> Column:
        array = self._arrays.get(name)
        return np.broadcast_to(np.array(none_of(name), COLUMNS[name]), self._rows) if array is None else array

    def event(self, row: int) -> Event:
        return KernelEnd() if row % 10 == 0 else LogLine("GE", "a.cc", 1, "Run", f"row {row}")

    def text(self, row: int) -> str:
        return f"row {row}"


class Measured(NamedTuple):
    """Seconds to the first paint, and for each key the seconds to its paint, of them those of the screen's thread."""

    first: float
    waits: list[float]
    worked: list[float]


async def _measure(store: Store, screen: int, keys: Sequence[str]) -> Measured:
    started = time.perf_counter()
    app = GetraceApp(store, Settings("bench", screen=screen))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        first = time.perf_counter() - started
        await settle(pilot)
        waits, worked = [], []
        for key in [*keys] * 4:
            busy = time.thread_time()
            waits.append(await key_to_paint(pilot, key))
            worked.append(time.thread_time() - busy)
    return Measured(first, waits, worked)


@pytest.mark.parametrize(("screen", "keys"), [(2, KEYS), (3, TIMELINE_KEYS)])
def test_ten_million_rows_answer_like_ten_thousand(screen: int, keys: Sequence[str], tmp_path: Path) -> None:
    small, large = Mapped(tmp_path, FEW), Mapped(tmp_path, MANY)
    before = private_bytes()
    few = asyncio.run(_measure(small, screen, keys))
    many = asyncio.run(_measure(large, screen, keys))
    used = private_bytes() - before
    p95 = [float(np.percentile(one, 95)) * 1e3 for one in (few.waits, many.waits, few.worked, many.worked)]
    print(
        f"screen {screen}, {FEW:,} and {MANY:,} rows: first paint {few.first:.2f} and {many.first:.2f} s, "
        f"key to paint p95 {p95[0]:.0f} and {p95[1]:.0f} ms, of it work {p95[2]:.0f} and {p95[3]:.0f} ms, "
        f"private memory +{used >> 20} MiB"
    )
    assert p95[3] <= 4 * p95[2]
    assert used <= 400 << 20
