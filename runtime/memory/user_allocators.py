"""The caller's allocators: which stream each of them serves, and what sessions share (seed 000 6.2, execution.md 5.6).

An allocator has no locks and no streams: memory that it takes back it gives out again at once. So it serves one stream,
and another one only after the first has been synchronised. GE leaves this rule to the caller and computes wrong numbers
when it is broken; here the run that breaks it is refused.
"""

from collections.abc import Callable

from runtime.memory.l2 import Level1
from runtime.memory.large_pages import FixedBaseExpandableAllocator
from runtime.values import Placement


class UserAllocators:
    """What one process was given. ``is_settled`` says whether the host has waited for all work of a stream."""

    def __init__(self, is_settled: Callable[[int], bool]) -> None:
        self.by_stream: dict[int, Level1] = {}
        self.fixed_base: dict[tuple[int, Placement], FixedBaseExpandableAllocator] = {}
        self._is_settled = is_settled
        self._serves: dict[int, int] = {}

    def refuse(self, allocator: Level1, stream: int) -> str:
        """Let an allocator serve a stream and give "", or say why it may not."""
        served = self._serves.get(allocator.handle, stream)
        if served != stream and not self._is_settled(served):
            return (
                f"the external allocator 0x{allocator.handle:x} serves stream 0x{served:x}, "
                f"which was not synchronised before stream 0x{stream:x} uses it"
            )
        self._serves[allocator.handle] = stream
        return ""
