"""Lives of blocks read from the text of a log, GE's or of a simulated run, in the short form of kerneltrace.md 10.8.

Where threads run kernels side by side no order of lines is right, but what happens to one block is.
"""

import re
from collections.abc import Iterable

from truth_memory_lines import MemoryLine

_ADDRESS = r"address (?P<addr>0x\w+)"
_EVENT = rf"(?P<at>\d+), event id (?P<to>\d+), {_ADDRESS}"
_ALLOC = re.compile(
    rf"\[KernelTrace\]\[(?P<by>.+)\]\[MEM\]Alloc memory at stream (?P<at>\d+), block \S+, {_ADDRESS}, size"
)
_WORDS = [
    (re.compile(pattern), word)
    for pattern, word in (
        (rf"Free memory at stream (?P<at>\d+), {_ADDRESS}", "F@{at}"),
        (rf"Local-recycle memory at stream (?P<at>\d+), {_ADDRESS}", "L@{at}"),
        (rf"Borrow-recycle memory at stream (?P<at>\d+), {_ADDRESS}", "B@{at}"),
        (rf"\]Recycle memory at stream (?P<at>\d+), {_ADDRESS}", "R@{at}"),
        (rf"Memory wandering from stream (?P<at>\d+) to (?P<to>\d+), {_ADDRESS}", "W {at}>{to}"),
        (rf"Send memory recycling event from stream {_EVENT}", "S@{at}e{to}"),
        (rf"Wait memory recycling event at stream {_EVENT}", "V@{at}e{to}"),
        (rf"Send memory migration event from stream {_EVENT}", "s@{at}e{to}"),
        (rf"Wait memory migration event at stream {_EVENT}", "v@{at}e{to}"),
    )
]


def lives_by_run(lines: Iterable[MemoryLine]) -> list[list[tuple[str, str]]]:
    """Give for each traced run the lives that begin in it: the allocating kernel, and what happened to the block."""
    runs: list[list[list[str]]] = []
    alive: dict[str, list[str]] = {}
    for line in lines:
        if "Start model tracing" in line.text:
            runs.append([])
        elif alloc := _ALLOC.match(line.text):
            alive[alloc["addr"]] = [alloc["by"], f"A@{alloc['at']}"]
            runs[-1].append(alive[alloc["addr"]])
        elif "[MEM]" in line.text:
            _continue(alive, line.text)
    return [[(life[0], " ".join(life[1:])) for life in run] for run in runs]


def _continue(alive: dict[str, list[str]], text: str) -> None:
    for pattern, word in _WORDS:
        found = pattern.search(text)
        if found is not None and found["addr"] in alive:
            alive[found["addr"]].append(word.format(**found.groupdict()))
            return
