"""What the sources of an answer are called in its text.

A path pushes everything else out of an 80-column line; so it is told once, and a place is its line.
Where several logs are read, a line number alone says nothing, so each has the shortest name that no other one has.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from getrace.analysis.places import Place

_LISTED = 4


class SourceNames:
    """Names for ``paths``, the sources of a store."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = list(dict.fromkeys(paths))
        self._names = _shortest(self._paths) if len(self._paths) > 1 else {}

    def heading(self) -> list[tuple[str, str]]:
        """Give the row of a card that says which logs were read."""
        if len(self._paths) == 1:
            return [("log", self._paths[0])]
        listed = ", ".join(self._names[path] for path in self._paths[:_LISTED])
        more = ", …" if len(self._paths) > _LISTED else ""
        return [("logs", f"{len(self._paths)}: {listed}{more}")] if self._paths else []

    def at(self, file: str, line: int) -> str:
        """Spell a place: ``:12`` in the only log, ``a.log:12`` where there are several; a live event has no line."""
        name = self._names.get(file, "" if line and file in self._paths else file)
        return f"{name}:{line}" if line else name

    def lines(self, places: Iterable[Place], limit: int) -> str:
        """Spell the lines of ``limit`` places at most, by log where there are several: ``3, 9 of a.log; 7 of b``."""
        known = list(places)
        told = [
            ", ".join(str(spot.line) for spot in group) + (f" of {self._names[file]}" if file in self._names else "")
            for file, group in groupby(known[:limit], lambda spot: spot.file)
        ]
        return "; ".join(told) + (" …" if len(known) > limit else "")


def _shortest(paths: Sequence[str]) -> dict[str, str]:
    counts = Counter(tail for path in paths for tail in _tails(path))
    return {path: next((tail for tail in _tails(path) if counts[tail] == 1), path) for path in paths}


def _tails(path: str) -> Iterator[str]:
    """Give the ends of a path, the shortest first: ``c``, ``b/c``, ``a/b/c``."""
    parts = path.replace("\\", "/").split("/")
    return ("/".join(parts[-count:]) for count in range(1, len(parts) + 1))
