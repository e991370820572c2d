"""getrace's own log lines, for ``--debug``: structlog, spelled like a record of plog.

A person who reads plogs all day reads these without learning anything new. This is about the tool itself; lines of a
simulated run are events, and the plog writer spells those.
"""

import os
import threading
from collections.abc import Callable, MutableMapping
from datetime import UTC, datetime
from typing import Any

import structlog
from structlog.typing import FilteringBoundLogger, WrappedLogger

from getrace.clock import plog_time

Write = Callable[[str], object]
_MODULE = "GETRACE"
_PROCESS = "getrace"


class PlogLine:
    """A processor that renders a log event as one plog record with the values behind the text."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now

    def __call__(self, _logger: WrappedLogger, method: str, event: MutableMapping[str, Any]) -> str:
        """Give the line, without a newline."""
        text = event.pop("event")
        values = "".join(f" {key}={value}" for key, value in sorted(event.items()))
        origin = f"{_MODULE}({os.getpid()},{_PROCESS})"
        return f"[{method.upper()}] {origin}:{plog_time(self._now())} {threading.get_native_id()} {text}{values}"


class _Lines:
    """The end of the chain: a logger that hands each line on."""

    def __init__(self, write: Write) -> None:
        self._write = write

    def msg(self, line: str) -> None:
        self._write(f"{line}\n")

    debug = info = warning = error = critical = msg


def start_logging(write: Write, now: Callable[[], int] | None = None) -> FilteringBoundLogger:
    """Give a logger whose lines go to ``write``; ``now`` gives wall time in nanoseconds since the epoch."""
    logger: FilteringBoundLogger = structlog.wrap_logger(
        _Lines(write),
        processors=[PlogLine(now or _wall_time)],
        wrapper_class=structlog.make_filtering_bound_logger(0),
        cache_logger_on_first_use=False,
    )
    return logger


def _wall_time() -> int:
    """Give the local wall time as plog prints it: without a zone."""
    local = datetime.now(UTC).astimezone().replace(tzinfo=UTC)
    return int(local.timestamp()) * 1_000_000_000 + local.microsecond * 1_000
