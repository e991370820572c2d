"""Which wait belongs to which send, and which are left over.

An RT event is recorded again in each step under the same number, so a wait belongs to the last send before it
(the runtime binds them when the wait is submitted), and one send serves each waiting stream once. A wait that finds
only a send it has had already waits for nothing: the runtime lets it pass.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from getrace.analysis.runs import GraphRun, graph_runs
from getrace.analysis.stream_ids import UNKNOWN
from getrace.events.streams import EventSent, EventWaited
from getrace.store.columns import none_of
from getrace.store.store import Store


class Signal(NamedTuple):
    """A send or a wait: its row, and what it names."""

    row: int
    sends: bool
    pid: int
    tid: int
    event_id: int
    handle: int
    stream: int

    @property
    def key(self) -> tuple[int, int, int]:
        """The event of the process: its pointer, or its number where a line has no pointer."""
        return (self.pid, self.handle, 0) if self.handle != UNKNOWN else (self.pid, UNKNOWN, self.event_id)


class Pair(NamedTuple):
    """A send and the wait that it lets go on."""

    send: Signal
    wait: Signal


_FIELDS = len(Signal._fields)
_PART = 4_096


class Pairs(Sequence[Pair]):
    """Pairs in the order of their waits, kept as numbers: as objects, those of a large log take 100 MB."""

    __hash__ = None  # type: ignore[assignment]  # two that hold the same pairs are equal, as two tuples are

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._numbers = np.array([[*pair.send, *pair.wait] for pair in pairs], np.int64).reshape(-1, 2, _FIELDS)

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """The row of the send and that of the wait of each pair: two columns."""
        return self._numbers[:, :, 0]

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Pair, ...]: ...
    def __getitem__(self, index: int | slice) -> Pair | tuple[Pair, ...]:
        if isinstance(index, slice):
            return tuple(map(_pair, self._numbers[index].tolist()))
        return _pair(self._numbers[index].tolist())

    def __iter__(self) -> Iterator[Pair]:
        for start in range(0, len(self), _PART):
            yield from self[start : start + _PART]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(Pair.__eq__, self, other))


def _pair(numbers: list[list[int]]) -> Pair:
    send, wait = (Signal(row, bool(sends), *rest) for row, sends, *rest in numbers)
    return Pair(send, wait)


class Unmatched(NamedTuple):
    """A send that nobody waited for, or a wait for nothing; ``why`` is what the log shows of the reason."""

    signal: Signal
    why: str


class Pairing(NamedTuple):
    """All pairs in the order of their waits, and what is left over in row order."""

    pairs: Pairs
    unmatched: tuple[Unmatched, ...]


NEVER_WAITED = "no stream waits for it"
ABORTED = "its run was broken off"
LOG_ENDS = "the log ends before its run does"
NEVER_SENT = "nothing was sent before it"
STALE = "the last send was waited for already"


def signals(store: Store) -> list[Signal]:
    """Give every send and wait, in row order."""
    rows = store.rows_of(EventSent, EventWaited)
    sent = np.isin(rows, store.rows_of(EventSent))
    said = (store.at(name, rows).tolist() for name in ("pid", "tid", "event_id", "handle", "stream"))
    return [Signal(*values) for values in zip(rows.tolist(), sent.tolist(), *said, strict=True)]


def pairing(store: Store) -> Pairing:
    """Pair the sends and waits of a store."""
    return pair_up(signals(store), graph_runs(store))


def pair_up(found: list[Signal], runs: list[GraphRun]) -> Pairing:
    """Pair sends and waits that stand in row order; ``runs``, by their first rows, tell why a send is left over."""
    pairs: list[Pair] = []
    left: list[Signal] = []
    stale: dict[int, str] = {}
    last: dict[tuple[int, int, int], Signal] = {}
    waiters: dict[tuple[int, int, int], set[int]] = {}
    for signal in found:
        send = last.get(signal.key)
        if signal.sends:
            left += [send] if send is not None and not waiters[signal.key] else []
            last[signal.key], waiters[signal.key] = signal, set()
        elif send is None or signal.stream in waiters[signal.key]:
            left.append(signal)
            stale[signal.row] = NEVER_SENT if send is None else STALE
        else:
            waiters[signal.key].add(signal.stream)
            pairs.append(Pair(send, signal))
    left += [send for key, send in last.items() if not waiters[key]]
    ends = _Ends(runs)
    told = (Unmatched(signal, stale.get(signal.row) or ends.why(signal)) for signal in left)
    return Pairing(Pairs(pairs), tuple(sorted(told, key=lambda one: one.signal.row)))


class _Ends:
    """Tells why a send has no wait: by the end of the run that it stands in."""

    def __init__(self, runs: list[GraphRun]) -> None:
        self._of: dict[int, list[GraphRun]] = {}
        for run in runs:
            self._of.setdefault(run.pid, []).append(run)

    def why(self, send: Signal) -> str:
        runs = self._of.get(send.pid, [])
        place = bisect_right(runs, send.row, key=lambda run: run.start) - 1
        if place < 0 or runs[place].complete:
            return NEVER_WAITED
        return ABORTED if runs[place].aborted else LOG_ENDS


def duration_of(store: Store, pair: Pair) -> int | None:
    """Give the nanoseconds between the two lines of a pair on the host; None where one has no time.

    It is no waiting time of the device: both lines are printed when the host submits.
    """
    send, wait = (int(store.column("time")[row]) for row in (pair.send.row, pair.wait.row))
    return None if none_of("time") in (send, wait) else wait - send
