"""Where the device itself says that a stream stands: better evidence than what the host had learned."""

from collections.abc import Iterable
from dataclasses import dataclass

from getrace.analysis.hangs.lines import Said
from getrace.analysis.hangs.model import WaitKind
from getrace.analysis.hangs.wordings import Sort

_KINDS = {
    Sort.EVENT_TIMEOUT: WaitKind.EVENT,
    Sort.NOTIFY_TIMEOUT: WaitKind.NOTIFY,
    Sort.HARDWARE_TIMEOUT: WaitKind.NOTIFY,
}
"""The scheduler's wheel watches waits, of which its type 5 is that of an event; result 0x91 is a notify's time-out."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A stream that stands at a task, as the device says. ``pid`` is the host's process, -1 when it is not said."""

    pid: int
    rt_stream: int
    task: int
    kind: WaitKind
    said: Said
    limit_s: float | None = None
    waited_s: float | None = None


def stated(said: Iterable[Said]) -> dict[tuple[int, int], Stated]:
    """Give the last statement of each stream, by process and RT stream."""
    found: dict[tuple[int, int], Stated] = {}
    for each in said:
        stream, task = each.fact("stream"), each.fact("task")
        if each.sort not in _KINDS or stream is None or task is None:
            continue
        pid = each.fact("pid")
        own = each.pid if pid is None else pid
        limit, waited = each.fact("limit"), each.fact("waited")
        found[own, stream] = Stated(own, stream, task, _KINDS[each.sort], each, limit, waited)
    return found
