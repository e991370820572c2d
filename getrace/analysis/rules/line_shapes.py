"""Which wordings may fit a line, found without trying them all.

Lines of a log are few texts with other numbers in them. So the digits and small hexadecimal letters of a line are left
out, and for what remains - its shape - the wordings whose fixed part may be in it are looked up once and remembered. A
fixed part without those characters is still in the shape of every line that holds it, so nothing is missed; the line
itself is then asked for the few wordings of which all fixed parts may be there.
"""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from getrace.analysis.rules.pattern import LONGEST

SHAPES = 20_000
"""Shapes of one module that are remembered; a log whose lines are all different forgets them now and then."""
_LEFT_OUT = b"0123456789abcdef"

Wording = TypeVar("Wording")


class LineShapes(Generic[Wording]):
    """Remembers which wordings may fit lines; ``wordings`` gives (fixed parts, wording) of those for a module."""

    def __init__(self, wordings: Callable[[str], Iterable[tuple[Iterable[str], Wording]]]) -> None:
        self._wordings = wordings
        self._parts: dict[str, list[tuple[tuple[bytes, ...], Wording]]] = {}
        self._known: dict[str, dict[bytes, tuple[Wording, ...]]] = {}

    def may_fit(self, line: str, module: str = "") -> tuple[Wording, ...]:
        """Give the wordings for a module that may fit a line; no other one does."""
        shape = _shape(line)
        known = self._known.get(module)
        found = None if known is None else known.get(shape)
        return self._learn(module, shape) if found is None else found

    def _learn(self, module: str, shape: bytes) -> tuple[Wording, ...]:
        known = self._known.setdefault(module, {})
        if len(known) >= SHAPES:
            known.clear()
        if module not in self._parts:
            self._parts[module] = [(_shapes(parts), wording) for parts, wording in self._wordings(module)]
        fits = (wording for parts, wording in self._parts[module] if all(part in shape for part in parts))
        known[shape] = tuple(fits)
        return known[shape]


def _shapes(parts: Iterable[str]) -> tuple[bytes, ...]:
    """Give the shapes of fixed parts, the longest first: it is in the fewest lines."""
    return tuple(sorted(map(_shape, parts), key=len, reverse=True))


def _shape(text: str) -> bytes:
    return text[:LONGEST].encode("utf-8", "surrogatepass").translate(None, _LEFT_OUT)
