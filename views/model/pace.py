"""How far a log is read, and how fast: what one wants to know of a log that takes minutes."""

from collections import deque

from views.model.words import byte_text

LOOKS = 40
"""Looks back over which the pace is told: some seconds, as a screen polls."""
_LEAST_SECONDS = 0.5


class Pace:
    """Told the bytes that are not read yet, again and again; ``total`` are all of them."""

    def __init__(self, total: int) -> None:
        self._total = max(total, 1)
        self._looks: deque[tuple[float, int]] = deque(maxlen=LOOKS)

    def words(self, behind: int, now: float) -> str:
        """Say how far it is; ``now`` is in seconds of any clock that never goes back."""
        self._total = max(self._total, behind)
        done = self._total - behind
        self._looks.append((now, done))
        if not behind:
            return "READ, looks for the first failure"
        begun, before = self._looks[0]
        seconds = now - begun
        said = f"READING {done * 100 // self._total}%"
        if seconds < _LEAST_SECONDS or done <= before:
            return said
        pace = (done - before) / seconds
        return f"{said}  {_left(behind / pace)}  {byte_text(int(pace))}/s"


def _left(seconds: float) -> str:
    return f"{seconds / 60:.0f} min left" if seconds >= 100 else f"{max(seconds, 1):.0f} s left"
