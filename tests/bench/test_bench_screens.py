"""All eight screens over ten million rows: the first paint, how long keys take to their paint, and the memory held.

The columns lie in files that are mapped, as those of a cached log do. The times are printed against what issue 9 asks
for; what is held to on any machine is the ratio to forty thousand rows, and the memory.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from key_to_paint import PaintedApp, Wait, key_to_paint
from tiled_store import TiledStore
from view_screens import settle

from views.tui.settings import Settings

pytestmark = pytest.mark.bench

FEW, MANY = 40_000, 10_000_000
SIZE = (140, 50)
ROUNDS = 5
MEMORY = 400 << 20
FIRST_PAINT = 0.7
"""Seconds, issue 9."""
EVENTS, ELSEWHERE = 60, 100
"""Milliseconds from a key to its paint, of which 95 of 100 keys need no more: issue 9."""

KEYS = {
    1: "j j pagedown k G g right_square_bracket left_square_bracket",
    2: "j pagedown G pageup g e e E k o v v v v r j r f o p ~ o p 1 enter j pagedown g x",
    3: "full_stop full_stop comma w w d a s s j k right_square_bracket",
    4: "j j k right_square_bracket left_square_bracket c tab tab tab j pagedown g tab tab",
    5: "j j k tab tab j pagedown g shift+tab shift+tab right_square_bracket left_square_bracket",
    6: "j j k right_square_bracket right_square_bracket e E h tab j k shift+tab",
    7: "right_square_bracket left_square_bracket e E",
    8: "d j pagedown G g d tab shift+tab right_square_bracket left_square_bracket",
}
"""By screen: the keys of a round, each of which changes something; a round ends where the next can begin."""
ACROSS = "2 3 4 5 6 7 8 1"
SEARCH = "slash p a r t enter n N"


class Measured(NamedTuple):
    """Seconds to the first paint of rows, and what keys waited."""

    first: float
    waits: list[Wait]

    def p95(self, which: int) -> float:
        """The time that 95 of 100 keys do not exceed, in milliseconds; ``which`` is a place in ``Wait``."""
        return float(np.percentile([wait[which] for wait in self.waits], 95)) * 1e3


def private_bytes() -> int:
    """Give the bytes that this process alone holds; it needs Linux's /proc."""
    with Path("/proc/self/smaps_rollup").open() as status:
        return sum(int(line.split()[1]) << 10 for line in status if line.startswith("Private_Dirty"))


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[TiledStore, TiledStore]:
    """Forty thousand rows, and ten million."""
    few, many = (TiledStore(tmp_path_factory.mktemp("columns"), rows) for rows in (FEW, MANY))
    return few, many


async def _measure(store: TiledStore, screen: int, keys: Sequence[str]) -> Measured:
    started = time.perf_counter()
    app = PaintedApp(store, Settings("bench", screen=screen))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        waits = [await key_to_paint(pilot, key, settle=True) for _ in range(ROUNDS) for key in keys]
    return Measured(app.rows_at - started, waits)


@pytest.mark.parametrize("screen", KEYS)
def test_ten_million_rows_answer_like_forty_thousand(screen: int, stores: tuple[TiledStore, TiledStore]) -> None:
    keys = KEYS[screen].split()
    few, many = (asyncio.run(_measure(store, screen, keys)) for store in stores)
    limit = EVENTS if screen == 2 else ELSEWHERE
    slowest = max(zip(many.waits, keys * ROUNDS, strict=True))
    print(
        f"\nscreen {screen}, {FEW:,} and {MANY:,} rows: first paint {few.first:.2f} and {many.first:.2f} s, "
        f"key to paint p95 {few.p95(0):.0f} and {many.p95(0):.0f} ms (limit {limit}), with all that follows "
        f"{few.p95(1):.0f} and {many.p95(1):.0f} ms, work {few.p95(2):.0f} and {many.p95(2):.0f} ms, "
        f"slowest {slowest[1]} {slowest[0].first * 1e3:.0f} ms"
    )
    assert many.p95(2) <= 4 * few.p95(2)


async def _tour(store: TiledStore) -> tuple[int, list[Wait], list[Wait]]:
    """Visit every screen, and again when all are read; then search. Give the memory, and what keys waited."""
    app = PaintedApp(store, Settings("bench", screen=1))
    async with app.run_test(size=SIZE) as pilot:
        for key in ACROSS.split():
            await settle(pilot)
            await key_to_paint(pilot, key)
        await settle(pilot)
        held = private_bytes()
        across = [await key_to_paint(pilot, key, settle=True) for _ in range(ROUNDS) for key in ACROSS.split()]
        await key_to_paint(pilot, "2", settle=True)
        search = [await key_to_paint(pilot, key, settle=True) for _ in range(ROUNDS) for key in SEARCH.split()]
    return held, across, search


def test_all_screens_hold_less_than_400_megabytes(stores: tuple[TiledStore, TiledStore]) -> None:
    before = private_bytes()
    held, across, search = asyncio.run(_tour(stores[1]))
    across_p95, search_p95 = (Measured(0, waits).p95(0) for waits in (across, search))
    print(
        f"\nall screens, {MANY:,} rows: from screen to screen p95 {across_p95:.0f} ms, search p95 {search_p95:.0f} ms, "
        f"private memory {held >> 20} MiB, of it {before >> 20} before"
    )
    assert held - before <= MEMORY
