"""Memory lines of a log, GE's or of a simulated run, and the comparison of two logs up to the numbers in them.

A memory line is whatever the allocators of all levels and the kernels of memory, streams and events say. Pointers,
addresses and handles are renumbered: two logs are the same when one mapping, one to one, turns each line of the first
into the line of the second.
"""

import gzip
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

_RECORD = re.compile(
    r"\[(?P<level>[A-Z]+)\] GE\([^)]*\):\S+ \[(?P<file>[\w.]+):\d+\]\d+ (?P<text>.*)\Z",
)
_FUNCTION = re.compile(r"(?P<spoken>\[\w+_\d+\] )?[~\w]+(?:\(\))?: ?(?P<body>.*)\Z")
_FILES = frozenset(
    {
        "aclrt_malloc_helper.cc",
        "caching_mem_allocator.cc",
        "device_allocator.cc",
        "event.cc",
        "ffts_mem_allocator.cc",
        "l2_mem_pool.cc",
        "l2_mem_pool.h",
        "memory_kernel.cc",
        "model_outputs.cc",
        "multi_stream_l2_allocator.cc",
        "rts_caching_mem_allocator.cc",
        "rts_caching_mem_allocator.h",
        "scalable_allocator.cc",
        "single_stream_l2_allocator.cc",
        "stream.cc",
    }
)
_MARKER = re.compile(r"\[KernelTrace\] (?:Start|End) model tracing\.")
_NUMBER = re.compile(r"0x[0-9a-f]+")
_OF_THE_STUB = re.compile(r"(?<=rts stream_id: )-?\d+|(?<=rt_ret:)-?\d+|(?<=ret: )-?\d+")
"""Numbers that the stub device of GE's tests makes up: one for all streams, -1 for every error."""
_DRIVER_FREE = re.compile(r"RtMemAllocator::free device_id:\d+ ,size:(?P<size>\d+)")
_OWN = re.compile(r"mem_addr:(0x[0-9a-f]+)")
_ADDRESS = re.compile(r"(?<=address )0x[0-9a-f]+|(?<=by the user )0x[0-9a-f]+")
_KERNEL = re.compile(r"\[KernelTrace\]\[(?P<name>[^\]]+)\]")


class MemoryLine(NamedTuple):
    """One line: its level, and its text with the name of the allocator that speaks in front."""

    level: str
    text: str

    @property
    def kernel(self) -> str:
        """The kernel that says it, or ""."""
        found = _KERNEL.match(self.text)
        return found["name"] if found else ""


def lines_of_ge(log: Path) -> Iterator[str]:
    """Read a log of the reference cases, line by line."""
    with gzip.open(log, "rt", encoding="utf-8", errors="replace") as lines:
        yield from (line.rstrip("\n") for line in lines)


def memory_lines(lines: Iterable[str]) -> Iterator[MemoryLine]:
    """Keep the memory lines of a log, and the lines that begin and end a run."""
    for line in lines:
        record = _RECORD.match(line)
        if record is None:
            continue
        if record["file"] not in _FILES and not _MARKER.search(record["text"]):
            continue
        body = _FUNCTION.match(record["text"])
        assert body is not None, line
        yield MemoryLine(record["level"], (body["spoken"] or "") + body["body"])


def without_foreign(lines: Iterable[MemoryLine]) -> list[MemoryLine]:
    """Write ``foreign`` for addresses that no allocator gave: where a caller's tensors lie is the caller's affair."""
    kept = list(lines)
    own = {address for line in kept for address in _OWN.findall(line.text)}
    return [
        line._replace(text=_ADDRESS.sub(lambda found: found[0] if found[0] in own else "foreign", line.text))
        for line in kept
    ]


class Renumbering:
    """A mapping of numbers, one to one; what the driver took back may be given again and counts as new."""

    def __init__(self) -> None:
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def fits(self, ours: str, theirs: str) -> bool:
        """Say whether a line fits a line; what the first of them says anew is remembered."""
        ours, theirs = _OF_THE_STUB.sub("#", ours), _OF_THE_STUB.sub("#", theirs)
        if _NUMBER.sub("#", ours).rstrip() != _NUMBER.sub("#", theirs).rstrip():
            return False
        pairs = [*zip(_NUMBER.findall(ours), _NUMBER.findall(theirs), strict=True)]
        if "MallocMemory" in ours or "DeviceAllocator::Alloc device_id:0" in ours:
            self._forget(pairs)
        elif "InitL2Allocator" in ours:
            self._forget(pairs[:1])  # made anew with each executor, where an earlier one of the process may have been
        known = all(
            self._there.setdefault(one, other) == other and self._back.setdefault(other, one) == one
            for one, other in pairs
        )
        freed = _DRIVER_FREE.search(ours)
        if freed is not None:
            size = int(freed["size"])
            self._forget(
                (one, other)
                for one, other in self._there.items()
                if _inside(one, pairs[0][0], size) or _inside(other, pairs[0][1], size)
            )
        return known

    def _forget(self, pairs: Iterable[tuple[str, str]]) -> None:
        for one, other in list(pairs):
            self._back.pop(self._there.pop(one, ""), None)
            self._there.pop(self._back.pop(other, ""), None)


def _inside(number: str, base: str, size: int) -> bool:
    return number.startswith("0x") and 0 <= int(number, 16) - int(base, 16) < size


def first_difference(ours: list[MemoryLine], theirs: list[MemoryLine]) -> str:
    """Give a sentence about the first line that differs under every renumbering, or "" when the logs are the same."""
    renumbering = Renumbering()
    for at, (mine, its) in enumerate(zip(ours, theirs, strict=False)):
        if mine.level != its.level or not renumbering.fits(mine.text, its.text):
            return f"line {at}: {mine.level} {mine.text!r} instead of {its.level} {its.text!r}"
    if len(ours) != len(theirs):
        more = (ours if len(ours) > len(theirs) else theirs)[min(len(ours), len(theirs))]
        return f"{len(ours)} lines instead of {len(theirs)}, the first without a partner is {more.text!r}"
    return ""
