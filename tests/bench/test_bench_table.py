"""The event table over a million rows against a thousand: it makes only what is in sight, so both mount alike."""

import asyncio
import time

import numpy as np
import pytest
from textual.app import App, ComposeResult

from getrace.events import KIND_NUMBER, Event
from getrace.events.memory import MemAlloc
from getrace.store.store import Store
from views.tui.widgets.event_table import EventTable

pytestmark = pytest.mark.bench

ROUNDS = 7


class Filled(Store):
    """Equal allocations, without a log behind them."""

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.columns.extend(
            rows,
            {
                "time": np.arange(rows) * 1000,
                "level": 1,
                "module": self.names.id("GE"),
                "kind": KIND_NUMBER[MemAlloc.kind],
                "kernel": self.names.id("AllocMemHbm_add1_62"),
                "line": np.arange(1, rows + 1),
            },
        )

    def event(self, row: int) -> Event:
        return MemAlloc(block=1, addr=row, size=512)

    def text(self, row: int) -> str:
        return f"row {row}"


class TableApp(App[None]):
    CSS = "EventTable { display: block; height: 1fr; }"

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store

    def compose(self) -> ComposeResult:
        table = EventTable(self._store)
        table.set_reactive(EventTable.total, self._store.rows)
        yield table


async def _mount(store: Store) -> float:
    started = time.perf_counter()
    async with TableApp(store).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        return time.perf_counter() - started


def test_a_million_rows_mount_in_at_most_three_times_the_time_of_a_thousand() -> None:
    small, large = Filled(1_000), Filled(1_000_000)
    times = [(asyncio.run(_mount(small)), asyncio.run(_mount(large))) for _ in range(ROUNDS)]
    few, many = min(pair[0] for pair in times), min(pair[1] for pair in times)
    print(f"mount of 1,000 rows {few:.3f} s, of 1,000,000 rows {many:.3f} s, ratio {many / few:.2f}")
    assert many <= 3 * few
