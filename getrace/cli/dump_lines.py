"""The line of a node in the text of a dump: a snapshot has no lines, and evidence without one cannot be looked up.

A dump is read once, when the first of its nodes is asked for, and only as far as ``LIMIT`` bytes.
"""

from collections.abc import Iterable
from pathlib import Path

LIMIT = 64 << 20


class DumpLines:
    """Finds lines for nodes; ``wanted`` are pairs of a dump's path and a node's name."""

    def __init__(self, wanted: Iterable[tuple[str, str]]) -> None:
        self._wanted: dict[str, set[str]] = {}
        for file, node in wanted:
            if file and node:
                self._wanted.setdefault(file, set()).add(node)
        self._lines: dict[str, dict[str, int]] = {}

    def line(self, file: str, node: str) -> int:
        """Give the line from 1 on which a node's name stands, 0 when it was not found."""
        if file not in self._lines:
            self._lines[file] = _find(file, self._wanted.get(file, set()))
        return self._lines[file].get(node, 0)


def _find(file: str, names: set[str]) -> dict[str, int]:
    """Find the names in a text dump; the one that stands least deep is the node, others are attributes."""
    wanted = {f'name: "{name}"'.encode(): name for name in names}
    found: dict[str, tuple[int, int]] = {}
    try:
        with Path(file).open("rb") as raw:
            text = raw.read(LIMIT)
    except OSError:  # a member of an archive, or a file that went: the answer is then without a line
        return {}
    for number, line in enumerate(text.split(b"\n"), 1):
        name = wanted.get(line.strip())
        depth = len(line) - len(line.lstrip())
        if name is not None and (name not in found or depth < found[name][0]):
            found[name] = (depth, number)
    return {name: number for name, (_, number) in found.items()}
