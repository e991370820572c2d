"""The envelope of a plog line: prefix and body layout, in both directions.

A record is ``[LEVEL] MODULE(pid,process):time body`` (spec/kerneltrace.md 1.1); what stands in the body in front of the
message is a habit of each module (1.3). Layouts are templates like the messages, so an envelope that was read is
written back to the letter. Prefixes of the field are wider than what GE writes: grep and container prefixes, lost
brackets and glued blanks are read (``outer``, ``tidy``), and only tidy records are written back.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from getrace.clock import NS_PER_SECOND, parse_plog_second, plog_second
from getrace.events import Level
from getrace.plog.template import Template


class Prefix(NamedTuple):
    """The prefix of a record. ``digits`` is 6 (milliseconds and microseconds) or 3; ``outer`` what stands in front."""

    level: Level
    module: str
    pid: int
    process: str
    time_ns: int
    digits: int
    tidy: bool
    outer: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record with its body in parts; ``text`` is the message, the rest is None or "" where the layout has none."""

    prefix: Prefix
    layout: str
    text: str
    file: str = ""
    src_line: int = 0
    tid: int | None = None
    func: str = ""
    allocator: str | None = None
    code: int | None = None
    reason: str = ""
    tags: str = ""


# Body layouts in the order they are tried, with the modules that have them ("" = any module).
LAYOUTS: dict[str, tuple[str, str]] = {
    "ge-error": (
        "GE",
        ("[{file:path}:{src_line:u}]{tid:u} {func:func}: ErrorNo: {code:u}({reason:reason}){tags:tags}{text:text}"),
    ),
    "allocator-error": (
        "GE",
        (
            "[{file:path}:{src_line:u}]{tid:u} [{allocator:allocator}] {func:func}: "
            "ErrorNo: {code:u}({reason:reason}){text:text}"
        ),
    ),
    "allocator": ("GE", "[{file:path}:{src_line:u}]{tid:u} [{allocator:allocator}] {func:func}:{text:text}"),
    "status": ("", "[status:{tags:name}] [{file:path}:{src_line:u}]{tid:u} {func:func}:{text:text}"),
    "runtime": ("RUNTIME ASCENDCL", "[{file:path}:{src_line:u}] {tid:u} {func:func}: {text:text}"),
    "plain": ("", "[{file:path}:{src_line:u}]{tid:u} {func:func}:{tags:tags}{text:text}"),
    "no-colon": ("", "[{file:path}:{src_line:u}]{tid:u} {func:name} {text:text}"),
    "no-function": ("GE", "[{file:path}:{src_line:u}]{tid:u} {text:text}"),
    "func-tid": ("", "[{file:path}:{src_line:u}][{func:type}][tid:{tid:u}]{text:text}"),
    "tag-func-tid-label": ("", "[{file:path}:{src_line:u}][{tags:type}][{func:type}][tid:{tid:u}]{text:text}"),
    "spaced-func-tid": ("", "[{file:path}:{src_line:u}][{tags:type}] [{func:type}] [tid:{tid:u}]{text:text}"),
    "tag-tid-func": ("", "[{file:path}:{src_line:u}][{tags:type}]{tid:u} {func:func}:{text:text}"),
    "tag-func-tid": ("", "[{file:path}:{src_line:u}][{tags:type}][{func:type}][{tid:u}]{text:text}"),
    "pid-tid": ("HCCL", "[{file:path}:{src_line:u}][{pid:u}][{tid:u}]{text:text}"),
    "tid-bracket": ("HCCL", "[{file:path}:{src_line:u}] [{tid:u}]{text:text}"),
    "driver": ("DRV", "[ascend][curpid: {pid:u}, {tid:u}]{text:text}"),
    "profiling": ("", "[{file:path}:{src_line:u}] >>> (tid:{tid:u}){text:text}"),
    "tag-tid": ("", "[{file:path}:{src_line:u}][{tags:type}][Tid:{tid:u}]{text:text}"),
    "place": ("", "[{file:path}:{src_line:u}]{text:text}"),
}

NO_TIME = -(2**63)
"""The time of a record that has none: what the store's columns call "none"."""

_PREFIX = re.compile(
    # bounded, so that a line of many colons is tried in a handful of ways; possessive groups fail in Python 3.11.2
    r"(?P<outer>(?:[^\s:]{1,300}:\d{1,10}:|\d{1,10}:|\([^()]{1,80}\) |\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] ){0,4})"
    r"(?P<open>\[?)(?P<level>[A-Z]{4,9}|-?\d{1,4})\](?P<gap> ?)(?P<module>[A-Z][A-Z0-9_]{0,15}|\d{1,5})"
    r"\((?P<pid>-?\d{1,10})(?P<thread>:\d{1,20})?,(?P<process>[^\n]{0,300}?)\):"
    r"(?:(?P<second>\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d)\.(?P<ms>\d{3})(?:\.(?P<us>\d{3}))?"
    r"|YYYY[-\u2011]MM[-\u2011]DD[-\u2011]HH:MM:SS\.fff\.uuu)(?P<sep> ?)",  # the guides print a placeholder
    re.ASCII,
)
_LEVELS = {level.name: level for level in Level} | {"WARN": Level.WARNING}


@cache
def _layout(name: str) -> Template:
    return Template(LAYOUTS[name][1])


@cache
def _layouts_of(module: str) -> tuple[str, ...]:
    return tuple(name for name, (modules, _) in LAYOUTS.items() if not modules or module in modules.split())


@cache
def _second(text: str) -> int | None:
    try:
        return parse_plog_second(text)
    except ValueError:
        return None


def _time(found: re.Match[str]) -> int | None:
    """Give the time of a prefix, NO_TIME for a placeholder, None for an impossible date."""
    if found["second"] is None:
        return NO_TIME
    seconds = _second(found["second"])
    if seconds is None:
        return None
    return seconds * NS_PER_SECOND + int(found["ms"]) * 1_000_000 + int(found["us"] or 0) * 1000


def read_prefix(line: str) -> tuple[Prefix, str] | None:
    """Read the prefix of a line: the prefix and the body, or None when the line does not begin a record."""
    found = _PREFIX.match(line)
    if found is None:
        return None
    time_ns = _time(found)
    if time_ns is None:
        return None
    level = _LEVELS.get(found["level"], Level.UNKNOWN)
    whole = all(found[part] for part in ("second", "open", "gap", "sep"))
    tidy = whole and not found["outer"] and not found["thread"] and found["level"] == level.name
    prefix = Prefix(
        level=level,
        module=found["module"],
        pid=int(found["pid"]),
        process=found["process"],
        time_ns=time_ns,
        digits=6 if found["us"] else 3,
        tidy=tidy and str(int(found["pid"])) == found["pid"],
        outer=found["outer"],
    )
    return prefix, line[found.end() :]


def read_body(prefix: Prefix, body: str) -> Record:
    """Split a body by the first layout of its module that fits; a body without a layout is all text."""
    for name in _layouts_of(prefix.module):
        values = _layout(name).match(body)
        if values is not None:
            values.pop("pid", None)
            return Record(prefix, name, **values)
    return Record(prefix, "", body)


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


def spell_body(record: Record, text: str) -> str:
    """Write a body with another message text in the record's layout."""
    if not record.layout:
        return text
    return _layout(record.layout).spell(
        {
            "file": record.file,
            "src_line": record.src_line,
            "tid": record.tid,
            "func": record.func,
            "allocator": record.allocator,
            "code": record.code,
            "reason": record.reason,
            "tags": record.tags,
            "pid": record.prefix.pid,
            "text": text,
        }
    )
