"""A store of millions of rows without a log behind it: the story's Main, and one kernel's ends between its lines."""

import numpy as np
from view_story import ORIGIN, run_story

from getrace.events import KIND_NUMBER, Event
from getrace.events.markers import KernelEnd
from getrace.store.store import Source, Store

COPIED = ("kind", "level", "stream", "rt_stream", "task", "event_id", "handle", "addr", "size", "asked", "block")
FILLER = "Tiling_add1_61"


class HugeStore(Store):
    """The rows of ``run_story``, ``spread`` rows apart; all others are ends of a tiling, 1 us after each other."""

    def __init__(self, spread: int) -> None:
        super().__init__()
        self.story = run_story()
        self.spread = spread
        self.sources.append(Source("huge.log"))
        rows = self.story.rows * spread
        told = np.arange(self.story.rows) * spread
        spoken = [self.story.kernel(row) for row in range(self.story.rows)]
        filler = self.names.id(FILLER)
        self.columns.extend(
            rows,
            {
                "time": 1_700_000_000_000_000_000 + np.arange(rows) * 1000,
                "level": 1,
                "module": self.names.id("GE"),
                "pid": ORIGIN.pid,
                "tid": ORIGIN.tid,
                "kind": KIND_NUMBER[KernelEnd.kind],
                "kernel": filler,
                "line": np.arange(1, rows + 1),
            },
        )
        for name in COPIED:
            self.columns.put(name, told, self.story.column(name))
        none = int(self.story.column("kernel").min())
        self.columns.put("kernel", told, np.array([none if text is None else self.names.id(text) for text in spoken]))

    def event(self, row: int) -> Event:
        place, rest = divmod(row, self.spread)
        return KernelEnd() if rest else self.story.event(place)

    def text(self, row: int) -> str:
        place, rest = divmod(row, self.spread)
        return f"row {row}" if rest else self.story.text(place)
