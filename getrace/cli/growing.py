"""A screen on logs that are still being read: because they grow, or because they are large.

A large log is on the screen at once and read behind it; what failed first is asked when all is there, in a thread of
its own, as the screen polls and has to be drawn.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from getrace.analysis.failure import diagnose
from getrace.cli.layout import failed_at
from getrace.errors import GetraceError

if TYPE_CHECKING:
    from getrace.ingest.follow import FollowStore
    from getrace.store.store import Store

LARGE = 256 << 20
"""Bytes of a log from which on the screen does not wait for it."""
_MOST_ROWS = 20_000_000
"""Rows up to which the first failure is asked for by itself: of more it takes longer than somebody waits."""


def verdict_of(store: "Store") -> str:
    """Give one sentence on what failed first, "" when nothing did."""
    failure = diagnose(store).failure
    return "" if failure is None else failed_at(failure)


class WhenRead:
    """Asked by the screen's thread whether a log is read to its end: then ``finish`` runs once, beside the screen."""

    def __init__(self, store: "FollowStore", finish: Callable[[], object] = int) -> None:
        self._store = store
        self._finish = finish
        self._verdict: str | None = None
        self._thread: threading.Thread | None = None

    def verdict(self) -> str | None:
        """Give one sentence when the log is read and judged, else None."""
        if self._thread is None and not self._store.behind:
            self._thread = threading.Thread(target=self._judge, name="getrace-judge", daemon=True)
            self._thread.start()
        return self._verdict

    def _judge(self) -> None:
        rows = self._store.rows
        said = f"all {rows:,} records are read"
        try:
            if rows <= _MOST_ROWS:
                said = verdict_of(self._store) or said
            self._finish()
        except Exception as error:  # noqa: BLE001 - a thread has nobody above it: the screen stays, and says so
            said = error.message if isinstance(error, GetraceError) else f"{said}; the verdict failed, use diagnose"
        self._verdict = said
