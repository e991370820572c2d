"""Blocks a stream has finished with while others have not: what its events have to tell (spec/execution.md 5.7).

``GetClearLocalRecycleBlocks``: an entry is read once per destination. A list that forgot whom it told would tell the
same stream twice and the others never.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from runtime.memory.multi_block import MultiStreamMemBlock


@dataclass(frozen=True, slots=True)
class VersionBlock:
    """``VersionBlock``: one life of a block as an event of the stream ``source`` carries it."""

    version: int
    block: MultiStreamMemBlock
    source: int

    @property
    def is_stale(self) -> bool:
        """Whether that life is over."""
        return self.version != self.block.version

    def reach(self, target: int) -> None:
        """The event arrived at ``target``. May recycle the block, with the line of that."""
        self.block.learn(self.source, target)


@dataclass(slots=True)
class _Entry:
    version: int
    block: MultiStreamMemBlock
    sent: int = 0

    @property
    def is_stale(self) -> bool:
        return self.version != self.block.version


class LocalRecycleList:
    """The list of one stream among ``streams``. ``on_drop`` hears of lives that ended before everybody knew."""

    def __init__(self, stream: int, streams: int, on_drop: Callable[[MultiStreamMemBlock], None]) -> None:
        self._stream = stream
        self._others = ((1 << streams) - 1) & ~(1 << stream)
        self._on_drop = on_drop
        self._entries: list[_Entry] = []

    def __len__(self) -> int:
        return len(self._entries)

    def push(self, block: MultiStreamMemBlock) -> None:
        """A block is finished with here, and nobody has been told."""
        self._entries.append(_Entry(block.version, block))

    def told(self, target: int) -> Iterator[VersionBlock]:
        """Give the lives that ``target`` was not told of, and count it as told."""
        bit = 1 << target
        self._drop_old()
        news = [entry for entry in self._entries if not entry.sent & bit]
        for entry in news:
            entry.sent |= bit
            yield VersionBlock(entry.version, entry.block, self._stream)

    def told_to_all(self) -> Iterator[MultiStreamMemBlock]:
        """Give every block whose life is not over, and count everybody as told."""
        self._drop_old()
        entries, self._entries = self._entries, []
        for entry in entries:
            if not entry.is_stale:
                yield entry.block

    def _drop_old(self) -> None:
        kept: list[_Entry] = []
        for entry in self._entries:
            if entry.is_stale:
                self._on_drop(entry.block)
            elif entry.sent != self._others:
                kept.append(entry)
        self._entries = kept
