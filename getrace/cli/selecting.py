"""The selection options: which records of a log a verb is asked about, from words of the command line and back.

All verbs that read logs have the same ones, declared with their paths; so an option means the same records everywhere.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from getrace.clock import iso_time, parse_time
from getrace.errors import UsageError

if TYPE_CHECKING:
    from getrace.store.selection import Selection
    from getrace.store.store import Source

_TIME_EXAMPLE = "2026-03-05-10:11:12.130 as the log writes it, or 2026-03-05T10:11:12"
_HINTS = {
    "--since": f"for example --since {_TIME_EXAMPLE}",
    "--until": f"for example --until {_TIME_EXAMPLE}",
    "--pid": "for example --pid 370, or --pid 370,371",
    "--stream": "for example --stream 0, or --stream 0,2",
    "--op": "for example --op MatMul_12, or --op 'MatMul*'",
    "--iteration": "for example --iteration 3, or --iteration 3,4; they count from 1",
    "--max-events": "for example --max-events 10000",
}


def add_selection(parser: ArgumentParser) -> None:
    """Declare which records are wanted."""
    group = parser.add_argument_group(
        "selection", "only some records of the logs; several values: 1,2 or the option again"
    )
    group.add_argument("--since", metavar="TIME", type=_time("--since"), help="from this time of the log on")
    group.add_argument("--until", metavar="TIME", type=_time("--until"), help="up to this time of the log")
    group.add_argument("--pid", metavar="N", action="extend", type=_numbers("--pid", None), help="of these processes")
    group.add_argument(
        "--stream",
        metavar="N",
        action="extend",
        type=_numbers("--stream", 0),
        help="of kernels on these logical streams, or RT streams where the log names only those",
    )
    group.add_argument("--op", metavar="NAME", action="append", type=_name, help="of these operators; * and ? match")
    group.add_argument(
        "--iteration",
        metavar="N",
        action="extend",
        type=_numbers("--iteration", 1),
        help="of these runs of the main graph, counted from 1",
    )
    group.add_argument("--max-events", metavar="N", type=_count, help="the first N records of what is left")


def selection_of(options: Namespace) -> "Selection | None":
    """Give what is selected, None when nothing is. Raises UsageError when it can hold no record."""
    parts = {name: getattr(options, name, None) for name in ("since", "until", "pid", "stream", "op", "iteration")}
    most = getattr(options, "max_events", None)
    if most is None and all(value is None for value in parts.values()):
        return None
    since, until = parts["since"], parts["until"]
    if since is not None and until is not None and since > until:
        text = f"--since {iso_time(since)} is later than --until {iso_time(until)}"
        raise UsageError(text, "the first record wanted comes before the last one")
    from getrace.store.selection import Selection  # noqa: PLC0415 - brings numpy, which --version must not

    return Selection(
        since_ns=since,
        until_ns=until,
        pids=tuple(parts["pid"] or ()),
        ops=tuple(parts["op"] or ()),
        streams=tuple(parts["stream"] or ()),
        iterations=tuple(parts["iteration"] or ()),
        max_events=most,
    )


def selection_json(selection: "Selection", sources: "Sequence[Source]") -> dict[str, Any]:
    """Describe a selection, and how much it kept and left out; after ``max_events`` nothing more was looked at."""
    return {
        "since_ns": selection.since_ns,
        "until_ns": selection.until_ns,
        "pid": list(selection.pids),
        "stream": list(selection.streams),
        "op": list(selection.ops),
        "iteration": list(selection.iterations),
        "max_events": selection.max_events,
        "kept": sum(source.records for source in sources),
        "left_out": sum(source.left_out for source in sources),
    }


def selection_text(sources: "Sequence[Source]") -> str:
    """Say how much a selection kept, and that the answer is of nothing else."""
    kept, left = sum(source.records for source in sources), sum(source.left_out for source in sources)
    if any(source.truncated for source in sources):
        return f"the answer is about {kept:,} selected records only: reading stopped there"
    return f"the answer is about {kept:,} selected records only: {left:,} were left out"


def _time(option: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            return parse_time(text)
        except ValueError:
            raise UsageError(f"{option} {text!r} is no time", _HINTS[option]) from None

    return read


def _numbers(option: str, least: int | None) -> Callable[[str], list[int]]:
    def read(text: str) -> list[int]:
        return [_number(option, part, least) for part in text.split(",")]

    return read


def _count(text: str) -> int:
    return _number("--max-events", text, 1)


def _number(option: str, text: str, least: int | None) -> int:
    try:
        value = int(text)
    except ValueError:
        raise UsageError(f"{option} {text!r} is no whole number", _HINTS[option]) from None
    if not -(2**63) < value < 2**63 or (least is not None and value < least):
        raise UsageError(f"{option} {text} is out of range", _HINTS[option])
    return value


def _name(text: str) -> str:
    if not text:
        raise UsageError("--op '' is no name of an operator", _HINTS["--op"])
    return text
