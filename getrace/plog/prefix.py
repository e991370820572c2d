"""The prefix of a record: ``[LEVEL] MODULE(pid,process):time``, in both directions, and what may stand around it.

Prefixes of the field are wider than what GE writes (spec/kerneltrace.md 1.1): other programs put their own in front
when they collect logs, brackets and blanks get lost, and processes that write one file glue records together. What may
stand in front is a table of shapes; only tidy prefixes, without any of this, are written back.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from getrace.clock import NS_PER_SECOND, parse_plog_second, plog_second
from getrace.events import Level

NO_TIME = -(2**63)
"""The time of a record that has none: what the store's columns call "none"."""


class Prefix(NamedTuple):
    """The prefix of a record.

    ``digits`` is 6 (milliseconds and microseconds), 3 or 0 (whole seconds); ``outer`` is what stands in front.
    """

    level: Level
    module: str
    pid: int
    process: str
    time_ns: int
    digits: int
    tidy: bool
    outer: str


_CLOCK = r"\d\d:\d\d:\d\d"

OUTER: dict[str, str] = {
    "container": rf"\d{{4}}-\d\d-\d\dT{_CLOCK}(?:[.,]\d{{1,9}})?(?:Z|[+-]\d\d:?\d\d) (?:std(?:out|err) [FP] )?",
    "grep -n": r"[^\s:]{1,300}:\d{1,10}:",
    "line number": r"\d{1,10}:",
    "grep": r"[^\s:\[\]]{1,300}:(?=\[)",
    "worker": r"\([^()]{1,80}\) ",
    "time": rf"\[\d{{4}}-\d\d-\d\d {_CLOCK}\] ",
    "service": r"[A-Za-z0-9_.-]{1,80} {0,20}\| ",
    "journal": rf"[A-Z][a-z]{{2}} [ \d]\d {_CLOCK} [A-Za-z0-9_.-]{{1,80}} [^\s:\[]{{1,80}}(?:\[\d{{1,10}}\])?: ",
}
"""What other programs put in front of a record, by name; up to four of them stand one behind the other.

docker, kubectl and container runtimes; grep over several files with line numbers, over one, over several without; vLLM
and ray; a launcher that stamps its output; docker compose; the journal of systemd.
"""

_HEAD = (
    r"(?P<open>\[?)(?P<level>[A-Z]{4,9}|-?\d{1,4})\](?P<gap> ?)(?P<module>[A-Z][A-Z0-9_]{0,15}|\d{1,5})"
    r"\((?P<pid>-?\d{1,10})(?P<thread>:\d{1,20})?,(?P<process>[^\n]{0,300}?)\):(?P<late> ?)"
)
_TIME = (
    rf"(?:(?P<second>\d{{4}}-\d\d-\d\d[- ]{_CLOCK})(?:\.(?P<ms>\d{{3}})(?:\.(?P<us>\d{{3}}))?)?"
    r"|YYYY[-\u2011]MM[-\u2011]DD[-\u2011]HH:MM:SS\.fff\.uuu)(?P<sep> ?)"  # the guides print a placeholder
)
# bounded, so that a line of many colons is tried in a handful of ways; possessive groups fail in Python 3.11.2
_OUTER = re.compile(rf"(?:{'|'.join(OUTER.values())}){{0,4}}", re.ASCII)
_PREFIX = re.compile(rf"(?P<outer>{_OUTER.pattern}){_HEAD}{_TIME}", re.ASCII)
_LEVELS = {level.name: level for level in Level} | {"WARN": Level.WARNING}

# A record that begins behind the text of another: only where its whole prefix is there, right behind what is not blank.
_GLUED = re.compile(
    rb"(?<=\S)\[(?:DEBUG|INFO|WARNING|ERROR|EVENT|TRACE)\] ?[A-Z][A-Z0-9_]{0,15}\(-?\d{1,10},[^\n()]{0,60}\):"
    rb"\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}"
)


@cache
def _second(text: str) -> int | None:
    try:
        return parse_plog_second(f"{text[:10]}-{text[11:]}")
    except ValueError:
        return None


def _time(found: re.Match[str]) -> int | None:
    """Give the time of a prefix, NO_TIME for a placeholder, None for an impossible date."""
    if found["second"] is None:
        return NO_TIME
    seconds = _second(found["second"])
    if seconds is None:
        return None
    return seconds * NS_PER_SECOND + int(found["ms"] or 0) * 1_000_000 + int(found["us"] or 0) * 1000


def read_prefix(line: str) -> tuple[Prefix, str] | None:
    """Read the prefix of a line: the prefix and the body, or None when the line does not begin a record."""
    found = _PREFIX.match(line)
    if found is None:
        return None
    time_ns = _time(found)
    if time_ns is None:
        return None
    level = _LEVELS.get(found["level"], Level.UNKNOWN)
    prefix = Prefix(
        level=level,
        module=found["module"],
        pid=int(found["pid"]),
        process=found["process"],
        time_ns=time_ns,
        digits=6 if found["us"] else 3 if found["ms"] else 0,
        tidy=_is_tidy(found) and found["level"] == level.name and str(int(found["pid"])) == found["pid"],
        outer=found["outer"],
    )
    return prefix, line[found.end() :]


def is_outer(text: str) -> bool:
    """Say whether a text, followed by a bracket, is nothing but what other programs put in front of a record."""
    found = _OUTER.match(text + "[")
    return found is not None and found.end() == len(text)


def shape_of(line: str) -> tuple[str, ...] | None:
    """Name what is unusual about a line's prefix, () for what GE writes; None when the line begins no record."""
    found = _PREFIX.match(line)
    if found is None or _time(found) is None:
        return None
    return (*_outer_names(found["outer"]), *_departures(found))


def _outer_names(outer: str) -> Iterator[str]:
    """Name the shapes in front of a record, in their order."""
    while outer:
        name, found = next(
            (name, found) for name, pattern in OUTER.items() if (found := re.match(pattern, outer + "[", re.ASCII))
        )
        yield name
        outer = outer[found.end() :]


def _is_tidy(found: re.Match[str]) -> bool:
    """Say whether a prefix is spelled as GE spells it."""
    whole = all(found[part] for part in ("open", "gap", "ms", "sep"))
    return whole and not (found["outer"] or found["thread"] or found["late"]) and found["second"][10] == "-"


def _departures(found: re.Match[str]) -> tuple[str, ...]:
    """Name what differs from the prefix that GE writes, besides what stands in front."""
    second = found["second"] or ""
    return tuple(
        name
        for name, differs in (
            ("no opening bracket", not found["open"]),
            ("no blank before the module", not found["gap"]),
            ("thread in the head", found["thread"]),
            ("blank before the time", found["late"]),
            ("time is a placeholder", not second),
            ("blank in the time", second[10:11] == " "),
            ("whole seconds", second and not found["ms"]),
            ("no blank behind the time", not found["sep"]),
        )
        if differs
    )


def glued_at(line: bytes, start: int) -> list[int]:
    """Find the places behind ``start`` at which another record begins within a line."""
    return [found.start() for found in _GLUED.finditer(line, start)] if b"):" in line[start:] else []


def spell_prefix(prefix: Prefix) -> str:
    """Write a tidy prefix, up to and with the blank behind the time."""
    seconds, rest = divmod(prefix.time_ns, NS_PER_SECOND)
    micros = rest // 1000
    fraction = f"{micros // 1000:03d}.{micros % 1000:03d}" if prefix.digits == 6 else f"{micros // 1000:03d}"
    head = f"[{prefix.level.name}] {prefix.module}({prefix.pid},{prefix.process}):"
    return f"{head}{_spell_second(seconds)}.{fraction} "


@cache
def _spell_second(seconds: int) -> str:
    return plog_second(seconds)
