"""The register of kernels: one record per kernel type, entered from explicit lists (spec/lowering.md 11).

GE fills its registry while libraries load; here a family's list is entered once and a second entry is refused, so what
a run can do is what this file says.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from getrace.errors import InternalError, ModelError
from getrace.events import Event
from runtime.kernels.context import KernelContext

RunFunc = Callable[[KernelContext], int]
OutputsCreator = Callable[[KernelContext], int]
TracePrinter = Callable[[KernelContext], Iterable[Event | str]]
Filler = Callable[[KernelContext], Mapping[str, Any]]

MEMORY: Final = "memory"
LAUNCH: Final = "launch"
"""Critical sections ``kKernelUseMemory`` and ``kKernelLaunch``: kernels of one section never run at the same time."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel type. ``outputs_creator`` runs once when an executor is built; ``trace_printer`` after each run.

    A trace printer of a user's own may give texts; they travel as notes. The three fillers are GE's for its
    profiler, data dump and exception dump. No subscriber here is one of these, so no kernel of this package fills them
    and nobody calls them; they hold a user's own filler for a subscriber of the user's.
    """

    type: str
    run: RunFunc
    outputs_creator: OutputsCreator | None = None
    trace_printer: TracePrinter | None = None
    profiling_info_filler: Filler | None = None
    data_dump_info_filler: Filler | None = None
    exception_dump_info_filler: Filler | None = None
    critical_section: str = ""


class KernelRegistry:
    """Kernels by type."""

    def __init__(self, *families: Iterable[Kernel]) -> None:
        self._kernels: dict[str, Kernel] = {}
        for family in families:
            for kernel in family:
                self.add(kernel)

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self._kernels.values())

    def add(self, kernel: Kernel) -> None:
        """Enter a kernel. Raises InternalError when the type has one."""
        if kernel.type in self._kernels:
            raise InternalError(f"kernel {kernel.type} is registered twice")
        self._kernels[kernel.type] = kernel

    def find(self, kernel_type: str, node: str) -> Kernel:
        """Give the kernel of a type. Raises ModelError with GE's text when there is none."""
        found = self._kernels.get(kernel_type)
        if found is None:
            raise ModelError(
                f"Failed to find exec node [{node}] kernel funcs",
                f"no kernel of type {kernel_type} is registered",
            )
        return found
