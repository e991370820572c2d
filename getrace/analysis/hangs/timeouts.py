"""The time-outs that a log prints, and how far apart the ranks gave up against them.

HCCL's guide: ranks that gave up within one time-out of each other were all waiting; one that gave up later than that
had come too late. Without the time-out in the log nobody can tell the two apart.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from getrace.analysis.hangs.lines import Said
from getrace.analysis.hangs.model import Limit, Spread
from getrace.analysis.hangs.wordings import Sort
from getrace.clock import NS_PER_SECOND

EXEC = "HCCL_EXEC_TIMEOUT"
CONNECT = "HCCL_CONNECT_TIMEOUT"
STREAM_SYNC = "stream synchronise"
EVENT_WAIT = "event wait"

_NAMES = {"ExecTimeOut": EXEC}
# unit of the number: seconds in one, how it is given
_UNITS = {"s": (1.0, "set"), "ms": (0.001, "set"), "min": (60.0, "set"), "quoted": (1.0, "quoted")}
# a word of the line that says which time-out it tells of, where the wording names none
_BY_WORD = (
    ("socket", CONNECT),
    ("connect timeout interval", CONNECT),
    ("stuck notify", EXEC),
    ("wait_sqe", EVENT_WAIT),
    ("stream synchronize timeout", STREAM_SYNC),
)


@dataclass(frozen=True, slots=True)
class GaveUp:
    """A rank's moment of giving up, and when its operation began; None: its lines do not say."""

    rank: str
    time_ns: int | None
    since_ns: int | None = None


def limits(said: Iterable[Said]) -> tuple[Limit, ...]:
    """Give each time-out once for each value that the log gives it; what was set comes before what is only quoted."""
    found: dict[tuple[str, float, str], Limit] = {}
    for each in said:
        limit = _limit(each) if each.sort is Sort.LIMIT else None
        if limit is not None:
            found.setdefault((limit.name, limit.seconds, limit.given), limit)
    return tuple(sorted(found.values(), key=lambda limit: limit.given == "quoted"))


def _limit(said: Said) -> Limit | None:
    unit = next((unit for unit in _UNITS if unit in said.facts), None)
    name = said.facts.get("name") or next((name for word, name in _BY_WORD if word in said.text), None)
    # -1 and 0 mean that a wait never runs out.
    if unit is None or name is None or int(said.facts[unit]) <= 0:
        return None
    factor, given = _UNITS[unit]
    if "(default)" in said.text or said.facts.get("given") == "default":
        given = "default"
    return Limit(_NAMES.get(name, name), int(said.facts[unit]) * factor, given, said.place())


def spread_of(moments: Sequence[GaveUp], known: Sequence[Limit], name: str) -> Spread:
    """Compare how far apart ranks gave up with the time-out of a name."""
    times = [moment.time_ns for moment in moments if moment.time_ns is not None]
    own = tuple(limit for limit in known if limit.name == name)
    if len(times) < 2:
        only = times[0] if times else None
        return Spread(only, only, None, "cannot tell: the log has the moment of fewer than two ranks", own)
    first, last = min(times), max(times)
    apart = f"{_seconds(first, last)} apart{_arrivals(moments)}"
    values = {limit.seconds for limit in own if limit.given != "quoted"} or {limit.seconds for limit in own}
    if not values:
        return Spread(first, last, None, f"{apart}; cannot tell more: the log does not print {name}", own)
    if len(values) > 1:
        said = ", ".join(f"{value:g} s" for value in sorted(values))
        return Spread(first, last, None, f"{apart}; cannot tell more: {name} has several values: {said}", own)
    limit = values.pop()
    inside = last - first <= limit * NS_PER_SECOND
    words = "within" if inside else "more than"
    return Spread(first, last, inside, f"{apart}, {words} {name} of {limit:g} s", own, int(limit * NS_PER_SECOND))


def _arrivals(moments: Sequence[GaveUp]) -> str:
    """Say how far apart the ranks began, where every one of them says when."""
    began = [moment.since_ns for moment in moments if moment.since_ns is not None]
    return f" (begun {_seconds(min(began), max(began))} apart)" if len(began) == len(moments) else ""


def _seconds(first: int, last: int) -> str:
    return f"{(last - first) / NS_PER_SECOND:.3f} s"
