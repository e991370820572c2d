"""Kernels that only note that they ran, for execute graphs of which the order of kernels is all that matters."""

from collections.abc import Callable, Iterable, Iterator

from getrace.bus import Bus
from getrace.events import Level, Origin
from runtime.device.device import Device
from runtime.device.profiles import find_profile
from runtime.kernels.context import KernelContext
from runtime.kernels.control import KERNELS as CONTROL
from runtime.kernels.machine import Machine
from runtime.kernels.registry import LAUNCH, MEMORY, Kernel, KernelRegistry
from runtime.lowering.passes.kernel_kinds import LAUNCH_SECTION, MEMORY_SECTION
from runtime.memory.journal import Journal
from runtime.memory.process import ProcessMemory
from runtime.ops.builtin import builtin_ops

DECIDES = frozenset({"GenIndexForIf", "GenIndexForCase", "GenCondForWhile"})
"""Kernels that choose; here they do as told, one decision after the other."""


def bare_machine(*listeners: Callable[..., None], level: Level = Level.ERROR) -> Machine:
    """A machine of the smallest profile, whose bus has some listeners."""
    device = Device(find_profile("tiny"), seed=0, start_ns=0)
    bus = Bus(now=device.clock.stamp, levels={"GE": level})
    for listener in listeners:
        bus.subscribe(listener)
    journal = Journal(bus, Origin(1, "test", 1))
    return Machine(device, journal, ProcessMemory(device, journal), builtin_ops())


class Standins(KernelRegistry):
    """The real kernels of control flow; every other type notes its thread and its name.

    ``inside`` is called in the middle of each kernel; what it returns is the kernel's status.
    """

    def __init__(self, decisions: Iterable[int] = (), inside: Callable[[KernelContext], int] = lambda _: 0) -> None:
        super().__init__()
        self.ran: list[tuple[int, str]] = []
        self._decisions: Iterator[int] = iter(decisions)
        self._inside = inside
        self._real = {kernel.type: kernel for kernel in CONTROL if kernel.type not in DECIDES}

    def find(self, kernel_type: str, node: str) -> Kernel:
        """Give a kernel for any type."""
        real = self._real.get(kernel_type)

        def run(context: KernelContext) -> int:
            self.ran.append((context.journal.origin.tid, node))
            if kernel_type in DECIDES:
                context.set(0, next(self._decisions))
            if status := self._inside(context):
                return status
            return 0 if real is None else real.run(context)

        return Kernel(kernel_type, run, critical_section=section_of(kernel_type))

    def take(self) -> list[tuple[int, str]]:
        """Give what ran since the last time."""
        taken, self.ran = self.ran, []
        return taken


def section_of(kernel_type: str) -> str:
    """The critical section that GE registers a type under."""
    if kernel_type in MEMORY_SECTION:
        return MEMORY
    return LAUNCH if kernel_type in LAUNCH_SECTION else ""
