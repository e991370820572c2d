"""What GE reaches through process-wide singletons: the device, the process's allocators, the operators, the binaries.

A kernel gets it with its context. As module globals they would join two simulations in one program into one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Condition

from getrace.events.device import RuntimeEvent
from runtime.device.device import Device
from runtime.device.errors import END_OF_SEQUENCE, SYNC_TIMEOUT
from runtime.device.reporting import Listener
from runtime.kernels.engine_state import EngineState
from runtime.kernels.status import Status
from runtime.memory.caching import CachingMemAllocator
from runtime.memory.journal import Journal
from runtime.memory.process import ProcessMemory
from runtime.memory.user_allocators import UserAllocators
from runtime.memory.variables import VariablePool
from runtime.ops.op_def import OpDef
from runtime.ops.registry import OpRegistry

_SYNCHRONIZE = ("utils.cc", 50, "DoRtStreamSyncWithTimeout")
_TIMED_OUT = ("utils.cc", 41, "DoRtStreamSyncWithTimeout")
_MILLISECOND = 1_000_000
_STATUS = {0: Status.SUCCESS, END_OF_SEQUENCE: Status.END_OF_SEQUENCE, SYNC_TIMEOUT: Status.FAILED}


@dataclass(frozen=True, slots=True)
class BinaryHandle:
    """A kernel binary on the device: its pointer and the operator whose code it is."""

    handle: int
    op: OpDef


@dataclass(slots=True)
class Machine:
    """One process on one device. ``exceptions`` counts the launches that keep their arguments for an exception dump.

    ``tf_sessions`` and ``custom_libraries`` are what the AI CPU was told to keep; ``aicpu_events`` counts events made,
    ``static_models`` models that kernels made. ``user`` are the caller's allocators, ``variables`` those of each
    session. ``host_functions`` are what a ConditionCalc may call, by name: functions that take the kernel's context.
    ``engines`` is what the smaller engines keep. ``turn`` is held by the thread that runs kernels: clock, journal,
    allocators and device belong to whoever has it.
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
    static_models: int = 0
    exceptions: int = 0
    engines: EngineState = field(default_factory=EngineState)
    turn: Condition = field(default_factory=Condition)
    variables: VariablePool = field(init=False)
    executions: int = 0
    user: UserAllocators = field(init=False)

    def __post_init__(self) -> None:
        """Make what a process has once, and let the journal hear what RUNTIME says of the device."""
        self.variables = VariablePool(self.device)
        self.user = UserAllocators(self.device.is_settled)
        admits = partial(self.journal.bus.admits, RuntimeEvent.speaker)
        self.device.reporter.listener = Listener(self.journal.hear, admits)

    def execution_id(self) -> int:
        """``AllocateExecutionId``: the number of the next model that is built to be tuned."""
        self.executions += 1
        return self.executions

    def synchronize(self, stream: int) -> int:
        """``DoRtStreamSyncWithTimeout``: wait for a stream (spec/execution.md 0.4).

        The end of a sequence is handed on; a wait in vain is said and gives FAILED, any other fault PARAM_INVALID.
        """
        code = self.wait(stream)
        return _STATUS.get(code, Status.PARAM_INVALID)

    def wait(self, stream: int) -> int:
        """Wait for a stream and give the device's own code; GE's words for a fault are said."""
        code = self.device.synchronize(stream)
        if code == SYNC_TIMEOUT:
            waited = self.device.profile["sync_timeout_ns"] // _MILLISECOND
            what = "[Invoke][aclrtSynchronizeStreamWithTimeout] failed, stream synchronize timeout"
            self.journal.error(_TIMED_OUT, f"{what}:{waited}, ret:{code}.", code)
        elif code not in _STATUS:
            self.journal.error(_SYNCHRONIZE, "Assert ((rt_ret) == 0) failed", Status.FAILED)
        return code
