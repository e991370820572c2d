"""How far the clocks of host and device stand apart, from pairs of records of which one must be the older.

Theory of operation. A device stamps its records by its own clock. Where a record of the device must be older than one
of the host (a fault, and the host's report of it), the device's clock is ahead by at least what it says to be later;
where it must be younger (a process that the host asked for), by at most that. Several pairs give an interval; one kind
alone gives a bound. It is an inference, told with the records it is made from, and no time of a record is ever changed.

Sources of the pairs: the logs of two public runs whose host and device parts are both known; the device reports a fault
to the host (``ringbuffer.c``, ``trace_proc_tohost_pid``) and an AICPU process its start (``tsd_event_client.cpp``).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from getrace.store.clock_offset import ClockOffset, Proof
from getrace.store.columns import none_of
from getrace.store.store import Store

_MOST_ROWS = 20_000
"""Records of one module that are searched for pairs; starts and faults are few."""

Key = tuple[str, ...]


class _Side(NamedTuple):
    """Records of one module, and what they must say; the groups of the expression are the key of the pair.

    With ``of_process`` the record's own process is the first part of the key.
    """

    module: str
    says: re.Pattern[str]
    of_process: bool


class _Pair(NamedTuple):
    """Two kinds of records that belong together, and which of them comes first."""

    what: str
    device: _Side
    host: _Side
    device_first: bool


_PAIRS = (
    _Pair(
        "a fault and its report",
        _Side("TSCH", re.compile(r"(?=.*[ ,]pid=(\d+)).*stream_id=(\d+), task_id=(\d+)"), of_process=False),
        _Side("RUNTIME", re.compile(r"Task run failed, .*stream_id=(\d+), task_id=(\d+)"), of_process=True),
        device_first=True,
    ),
    _Pair(
        "the answer of a started AICPU process",
        _Side("TDT", re.compile(r"TsdStartupResponseProc to dev\[\d+\].*hostpid\[(\d+)\]"), of_process=False),
        _Side("TDT", re.compile(r"start hccp and computer process success"), of_process=True),
        device_first=True,
    ),
    _Pair(
        "the start of an AICPU process",
        _Side("CCECPU", re.compile(r"Start para\..*hostPid=(\d+)"), of_process=False),
        _Side("TDT", re.compile(r"wait sub process start respond"), of_process=True),
        device_first=False,
    ),
)


class _Found(NamedTuple):
    source: int
    time: int
    row: int


class _Bound(NamedTuple):
    """How much later the device's record is by its own clock than the host's, and the two records."""

    ns: int
    what: str
    device: int
    host: int


def clock_offsets(store: Store) -> dict[int, ClockOffset]:
    """Estimate by how much the clock of each source is ahead of the host's: source number -> offset."""
    if len(store.sources) < 2:
        return {}
    lows: dict[int, list[_Bound]] = {}
    highs: dict[int, list[_Bound]] = {}
    for pair in _PAIRS:
        for device, host in _pairs(store, pair):
            bounds = lows if pair.device_first else highs
            bounds.setdefault(device.source, []).append(
                _Bound(device.time - host.time, pair.what, device.row, host.row)
            )
    return {source: _offset(store, lows.get(source, []), highs.get(source, [])) for source in sorted({*lows, *highs})}


def _offset(store: Store, lows: list[_Bound], highs: list[_Bound]) -> ClockOffset:
    low, high = max(lows, default=None), min(highs, default=None)
    proofs = tuple(_proof(store, bound) for bound in (low, high) if bound is not None)
    return ClockOffset(
        None if low is None else low.ns,
        None if high is None else high.ns,
        len(lows) + len(highs),
        proofs[0].reference,
        proofs,
    )


def _proof(store: Store, bound: _Bound) -> Proof:
    line, source = store.column("line"), store.column("source")
    reference = store.sources[int(source[bound.host])].path
    return Proof(bound.what, int(line[bound.device]), reference, int(line[bound.host]))


def _pairs(store: Store, pair: _Pair) -> Iterator[tuple[_Found, _Found]]:
    """Give what belongs together: the first of each key with the first, the second with the second."""
    device = _records(store, pair.device)
    if not device:
        return
    host = _records(store, pair.host)
    for key, found in device.items():
        for ours, theirs in zip(found, host.get(key, ()), strict=False):
            if ours.source != theirs.source:
                yield ours, theirs


def _records(store: Store, side: _Side) -> dict[Key, list[_Found]]:
    module = store.names.find(side.module)
    if module is None:
        return {}
    time, pid, source = store.column("time"), store.column("pid"), store.column("source")
    timed = (store.column("module") == module) & (time != none_of("time"))
    found: dict[Key, list[_Found]] = {}
    for row in np.flatnonzero(timed)[:_MOST_ROWS].tolist():
        said = side.says.search(store.text(row))
        if said is not None:
            own = (str(int(pid[row])),) if side.of_process else ()
            found.setdefault((*own, *said.groups()), []).append(_Found(int(source[row]), int(time[row]), row))
    return found
