"""What GE reaches through process-wide singletons: the device, the process's allocators, the operators, the binaries.

A kernel gets it with its context. As module globals they would join two simulations in one program into one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition

from runtime.device.device import Device
from runtime.kernels.status import Status
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.journal import Journal
from runtime.memory.process import ProcessMemory
from runtime.ops.op_def import OpDef
from runtime.ops.registry import OpRegistry

_SYNCHRONIZE = ("utils.cc", 50, "DoRtStreamSyncWithTimeout")


@dataclass(frozen=True, slots=True)
class BinaryHandle:
    """A kernel binary on the device: its pointer and the operator whose code it is."""

    handle: int
    op: OpDef


@dataclass(slots=True)
class Machine:
    """One process on one device. ``exceptions`` counts the launches that keep their arguments for an exception dump.

    ``tf_sessions`` and ``custom_libraries`` are what the AI CPU was told to keep; ``aicpu_events`` counts events made.
    ``host_functions`` are what a ConditionCalc may call, by name: functions that take the kernel's context.
    ``turn`` is held by the thread that runs kernels: clock, journal, allocators and device belong to whoever has it.
    """

    device: Device
    journal: Journal
    memory: ProcessMemory
    ops: OpRegistry
    caching: list[CachingMemAllocator] = field(default_factory=list)
    binaries: dict[str, BinaryHandle] = field(default_factory=dict)
    host_functions: dict[str, Callable[..., int]] = field(default_factory=dict)
    tf_sessions: set[int] = field(default_factory=set)
    custom_libraries: set[str] = field(default_factory=set)
    aicpu_events: int = 0
    exceptions: int = 0
    turn: Condition = field(default_factory=Condition)

    def synchronize(self, stream: int) -> int:
        """``DoRtStreamSyncWithTimeout``: wait for a stream. A fault of the device is said and gives PARAM_INVALID."""
        if self.device.synchronize(stream) == 0:
            return Status.SUCCESS
        self.journal.error(_SYNCHRONIZE, "Assert ((rt_ret) == 0) failed", Status.FAILED)
        return Status.PARAM_INVALID
