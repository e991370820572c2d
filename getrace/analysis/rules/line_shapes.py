"""Which wordings may fit a line, found without trying them all.

Lines of a log are few texts with other numbers in them. So the digits and small hexadecimal letters of a line are left
out, and for what remains - its shape - the wordings whose fixed part may be in it are looked up once and remembered. A
fixed part without those characters is still in the shape of every line that holds it, so nothing is missed; the line
itself is then asked for the few that are left.
"""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from getrace.analysis.rules.pattern import LONGEST

SHAPES = 20_000
"""Shapes of one module that are remembered; a log whose lines are all different forgets them now and then."""
_LEFT_OUT = b"0123456789abcdef"

Wording = TypeVar("Wording")


class LineShapes(Generic[Wording]):
    """Remembers which wordings may fit lines; ``wordings`` gives (fixed part, wording) of those for a module."""

    def __init__(self, wordings: Callable[[str], Iterable[tuple[str, Wording]]]) -> None:
        self._wordings = wordings
        self._parts: dict[str, list[tuple[bytes, Wording]]] = {}
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
            self._parts[module] = [(_shape(part), wording) for part, wording in self._wordings(module)]
        known[shape] = tuple(wording for part, wording in self._parts[module] if part in shape)
        return known[shape]


def _shape(text: str) -> bytes:
    return text[:LONGEST].encode("utf-8", "surrogatepass").translate(None, _LEFT_OUT)
