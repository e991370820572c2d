"""What a caller hands to Load and Execute, and the checks on it (spec/execution.md 1.1, 1.5 to 1.7).

A check gives GE's error record or None. Kept apart from the executor, they can be read and tested as the list they are.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

from runtime.executors.refusals import (
    ARRAY_IS_NULL,
    INPUTS_NUM,
    MIXED_ALLOCATORS,
    OUTPUTS_NUM,
    STREAM_UNKNOWN,
    TENSOR_IS_NULL,
    Refusal,
)
from runtime.executors.rt_session import RtSession
from runtime.memory.l2 import Level1
from runtime.values import Placement, Tensor


class ExecuteArgIndex(IntEnum):
    """``ExecuteArgIndex``: the four inputs behind the user's, as the ``Data`` nodes of a graph number them."""

    NOTIFIES = -4
    RT_EVENTS = -3
    EXTERNAL_ALLOCATOR = -2
    STREAM = -1


APPENDED_INPUTS = len(ExecuteArgIndex)
"""``ExecuteArgIndex::kNum``."""


def calc_arg_index(total: int, which: ExecuteArgIndex) -> int:
    """``CalcArgIndex``: the place of an appended input among ``total`` inputs."""
    return total - APPENDED_INPUTS + (-which - 1)


class ResourceAllocator(Protocol):
    """Gives ``count`` handles, or None when the device has not as many."""

    def acquire(self, count: int) -> list[int] | None:
        """Give a vector that holds at least ``count`` handles."""


@dataclass(slots=True)
class ModelExecuteArg:
    """``ModelExecuteArg``: the stream to run on (0 is the default stream), and what the caller brings along."""

    stream: int = 0
    external_allocator: Mapping[Placement, Level1] | None = None
    external_stream_allocator: ResourceAllocator | None = None
    external_event_allocator: ResourceAllocator | None = None
    external_notify_allocator: ResourceAllocator | None = None


@dataclass(slots=True)
class ModelLoadArg:
    """``ModelLoadArg``: the session, and weights that the caller keeps on the device (address and bytes)."""

    rt_session: RtSession | None = None
    outer_weight_mem: tuple[int, int] = field(default=(0, 0))


def check_inputs_num(tensors: int, expected: int, appended: int = APPENDED_INPUTS) -> Refusal | None:
    """``CheckModelInputsNum``."""
    total = tensors + appended
    if total == expected:
        return None
    return INPUTS_NUM.about(expected=expected, total=total, tensors=tensors, appended=appended)


def check_outputs_num(given: int, expected: int) -> Refusal | None:
    """``CheckModelOutputsNum``."""
    return None if given == expected else OUTPUTS_NUM.about(given=given, expected=expected)


def check_tensors(tensors: Sequence[Tensor | None] | None, count: int, what: str) -> Refusal | None:
    """``CheckTensors``: ``what`` is ``inputs`` or ``outputs``; with a count of 0 nothing is looked at."""
    if count == 0:
        return None
    if tensors is None:
        return ARRAY_IS_NULL.about(what=what)
    for index, tensor in enumerate(tensors):
        if tensor is None:
            return TENSOR_IS_NULL.about(what=what, index=index)
    return None


def check_stream(arg: ModelExecuteArg, known: Container[int]) -> Refusal | None:
    """Refuse a handle that is no stream of the device: once, and for all kernels that would use it.

    GE asks nobody and fails in the first kernel that touches the stream.
    """
    return None if arg.stream in known else STREAM_UNKNOWN.about(stream=f"0x{arg.stream:x}")


def check_allocators(arg: ModelExecuteArg) -> Refusal | None:
    """Refuse a mixture of own and external allocators of streams, events and notifies."""
    given = (arg.external_stream_allocator, arg.external_event_allocator, arg.external_notify_allocator)
    return MIXED_ALLOCATORS.about() if any(given) and not all(given) else None
