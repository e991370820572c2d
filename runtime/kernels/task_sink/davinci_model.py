"""DavinciModel: a planned model on a device, from Load to Unload.

It owns the memory of the model: weights and the memory it works in, its own or the caller's. One task runs the whole
model; the host does nothing while the device works it off, as with ``rtModelExecute``.
"""

from collections.abc import Sequence
from typing import Final

from runtime.device.tasks import Task
from runtime.kernels.machine import Machine
from runtime.kernels.status import Status
from runtime.kernels.task_sink.places import Frame
from runtime.kernels.task_sink.plan import SinkPlan

_MALLOC: Final = ("davinci_model.cc", 0, "InitFeatureMapAndP2PMem")
_GIVEN: Final = ("davinci_model.cc", 0, "InitWeightMem")


class DavinciModel:
    """A static model. ``work`` and ``weight`` are (address, bytes) of memory that the caller keeps for it."""

    def __init__(
        self, machine: Machine, plan: SinkPlan, work: tuple[int, int] = (0, 0), weight: tuple[int, int] = (0, 0)
    ) -> None:
        self.plan = plan
        self._machine = machine
        self._given = {"work": work, "weight": weight}
        self._areas: dict[str, int] = {}

    @property
    def is_loaded(self) -> bool:
        """Whether the model has memory."""
        return bool(self._areas)

    def load(self) -> int:
        """Take memory and copy the weights. Gives FAILED, with a record, when there is too little; nothing is kept."""
        sizes = {"work": max(self.plan.work_bytes, 1), "weight": max(len(self.plan.weights), 1)}
        for area, size in sizes.items():
            address = self._memory(area, size)
            if address is None:
                self.unload()
                return Status.FAILED
            self._areas[area] = address
        if self.plan.weights:
            self._machine.device.hbm.write(self._areas["weight"], bytes(self.plan.weights))
        return Status.SUCCESS

    def _memory(self, area: str, size: int) -> int | None:
        address, given = self._given[area]
        if not address:
            found = self._machine.device.malloc(size)
            if found is None:
                text = f"[Alloc][Mem] the device has no {size} bytes for the {area} memory of model {self.plan.name}"
                self._machine.journal.error(_MALLOC, text, Status.FAILED)
            return found
        if given < size:
            text = f"[Check][Param] the {area} memory of model {self.plan.name} has {given} bytes, it needs {size}"
            self._machine.journal.error(_GIVEN, text, Status.FAILED)
            return None
        return address

    def execute(self, stream: int, inputs: Sequence[int], outputs: Sequence[int]) -> int:
        """Put one run on a stream; inputs and outputs are device addresses. It does not wait for the device."""
        frame = Frame(tuple(inputs), tuple(outputs), self._areas["weight"], self._areas["work"], self.plan.redirected)
        device = self._machine.device

        def run() -> None:
            for step in self.plan.steps:
                step.run(device, frame)

        cost = sum(device.kernel_ns(step.moved_bytes) for step in self.plan.steps)
        device.launch(device.stream(stream), Task(self.plan.name, run, cost))
        return Status.SUCCESS

    def unload(self) -> None:
        """Give back the memory that was the model's own."""
        for area, address in self._areas.items():
            if not self._given[area][0]:
                self._machine.device.free(address)
        self._areas.clear()
