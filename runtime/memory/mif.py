"""Who knows that whom has finished with a block: GE's ``Mif`` (spec/execution.md 5.7, MultiStreamMemBlock).

One word per observer; bit s means that the observer believes stream s to be at work on the block. Recycling is decided
by the observer's own word only. A global count instead would hand memory out while another stream still reads it,
because the host's order of calls says nothing about the order on the device.
"""

from typing import Final

MAX_STREAMS: Final = 64
"""Bits of a word. GE shifts beyond it without a check; here more streams are refused when allocators are made."""


class Mif:
    """The matrix of one block for ``streams`` logical streams."""

    __slots__ = ("_words",)

    def __init__(self, streams: int) -> None:
        self._words = [0] * streams

    def word(self, observer: int) -> int:
        """What an observer believes, as bits."""
        return self._words[observer]

    def set_all(self, stream: int) -> None:
        """``SetAll``: every observer learns at once that a stream uses the block."""
        bit = 1 << stream
        self._words = [word | bit for word in self._words]

    def clear(self, observer: int, stream: int) -> None:
        """``Clear``: an observer learns that a stream has finished."""
        self._words[observer] &= ~(1 << stream)

    def merge_cleared(self, source: int, target: int) -> None:
        """``MergeClearedFrom``: ``target`` learns who has finished, as ``source`` knows it now."""
        self._words[target] &= self._words[source]

    def is_clear(self, observer: int) -> bool:
        """Whether nobody is at work any more, as an observer sees it."""
        return self._words[observer] == 0

    def reset(self) -> None:
        """Forget everything: a new life of the block begins."""
        self._words = [0] * len(self._words)
