"""Kernels of which the n-th one that runs fails, whatever it is."""

from dataclasses import dataclass, field, replace

from runtime.kernels.context import KernelContext
from runtime.kernels.families import builtin_kernels
from runtime.kernels.registry import Kernel, KernelRegistry


@dataclass(slots=True)
class FailAt:
    """Counts the kernels that run while it is armed and lets the n-th, from 0, give ``status`` in place of working.

    Where several threads run, ``name`` says which one fails. ``ran`` are the names of all that ran while it was armed,
    the failing one included.
    """

    status: int
    number: int | None = None
    name: str | None = None
    armed: bool = False
    ran: list[str] = field(default_factory=list)

    def kernels(self) -> KernelRegistry:
        """The built-in kernels under this watch."""
        return KernelRegistry(self._watched(kernel) for kernel in builtin_kernels())

    def _watched(self, kernel: Kernel) -> Kernel:
        def run(context: KernelContext) -> int:
            if not self.armed:
                return kernel.run(context)
            self.ran.append(context.name)
            strikes = context.name == self.name or len(self.ran) - 1 == self.number
            return self.status if strikes else kernel.run(context)

        return replace(kernel, run=run)
