"""Tasks of engines that have no operator: a function that says which bytes go where.

Source: spec/lowering.md 4.7; the numbers of these tasks in RUNTIME's lines are in no source we have.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from runtime.device.device import Device
from runtime.device.tasks import Finish, TaskKind

Written = Sequence[tuple[int, bytes]]

STARS: Final = TaskKind(64, "STARS_COMMON", "vector", "rtStarsTaskLaunch")
DVPP: Final = TaskKind(64, "STARS_COMMON", "dvpp", "rtStarsTaskLaunch")
CMO: Final = TaskKind(65, "CMO", "copy", "rtCmoTaskLaunch")
FLOAT_STATUS: Final = TaskKind(66, "FLOAT_STATUS", "scheduler", "rtNpuGetFloatStatus")
FFTS_PLUS: Final = TaskKind(68, "FFTS_PLUS", "aicore", "rtFftsPlusTaskLaunchWithFlag")
COLLECTIVE: Final = TaskKind(67, "HCCL", "hccl", "HcclExecutor")


@dataclass(frozen=True, slots=True)
class MemoryWork:
    """``compute`` runs when the device comes to the task and gives (address, bytes); ``written`` is where they go."""

    device: Device
    compute: Callable[[], Written]
    written: tuple[tuple[int, int], ...] = ()

    def run(self) -> None:
        """Compute and write."""
        self.begin()()

    def begin(self) -> Finish:
        """Compute now, write later."""
        found = self.compute()

        def finish() -> None:
            for address, content in found:
                if content:
                    self.device.hbm.write(address, content)

        return finish
