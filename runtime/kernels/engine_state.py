"""What the smaller engines keep between kernels: GE and the device hold it in singletons of their own.

It belongs to the machine, as they belong to a process; kernels that kept it themselves would share it between models.
"""

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any, Final

from runtime.memory.tensor_data import GertTensorData
from runtime.values import DType, Shape

FLAGS: Final = 8
"""Overflow flags of a device, 32 bits each (spec/lowering.md 4.7)."""


@dataclass(frozen=True, slots=True)
class Item:
    """One tensor of a sequence or in a list: what it is, and one more owner of its bytes."""

    shape: Shape
    dtype: DType
    data: GertTensorData

    def free(self) -> None:
        """Let go of the bytes."""
        self.data.free()


@dataclass(slots=True)
class Container:
    """The sequences of one container by handle."""

    sequences: dict[int, list[Item]] = field(default_factory=dict)
    made: int = 0

    def put(self, items: list[Item]) -> int:
        """Keep a new sequence and give its handle."""
        self.made += 1
        self.sequences[self.made] = items
        return self.made

    def clear(self) -> None:
        """Forget all sequences and let go of what they hold."""
        for items in self.sequences.values():
            for item in items:
                item.free()
        self.sequences.clear()


@dataclass(frozen=True, slots=True)
class Message:
    """A tensor on its way to another rank."""

    shape: Shape
    content: bytes


@dataclass(slots=True)
class EngineState:
    """``overflow`` and ``debug_overflow`` are the device's flags; ``prefetched`` what was asked into the cache.

    ``sessions`` are containers of sequences by session and number; ``tensor_lists`` the items that a list on the AI CPU
    points to; ``mail`` messages by group, rank and tag.
    """

    overflow: list[int] = field(default_factory=lambda: [0] * FLAGS)
    debug_overflow: list[int] = field(default_factory=lambda: [0] * FLAGS)
    prefetched: list[tuple[int, int]] = field(default_factory=list)
    sessions: dict[int, defaultdict[int, Container]] = field(default_factory=dict)
    tensor_lists: list[Item] = field(default_factory=list)
    mail: defaultdict[tuple[str, int, int], deque[Message]] = field(default_factory=lambda: defaultdict(deque))
    communicators: int = 0
    custom: dict[str, Any] = field(default_factory=dict)

    def clear_lists(self) -> None:
        """End a step: the lists on the AI CPU are gone, and nothing keeps their tensors any more."""
        for item in self.tensor_lists:
            item.free()
        self.tensor_lists.clear()
