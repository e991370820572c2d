"""DavinciModel: a planned model on a device, from Load to Unload.

It owns the memory of the model: weights and the memory it works in, its own or the caller's. One task runs the whole
model; the host does nothing while the device works it off, as with ``rtModelExecute``.
"""

from collections.abc import Sequence
from typing import Final

from runtime.device.tasks import Task
from runtime.kernels.machine import Machine
from runtime.kernels.status import Status
from runtime.kernels.task_sink.places import Area, Frame
from runtime.kernels.task_sink.plan import SinkPlan

WORK: Final = "work"
WEIGHT: Final = "weight"
"""The two kinds of memory of a model."""

_MALLOC: Final = ("davinci_model.cc", 0, "InitFeatureMapAndP2PMem")
_GIVEN: Final = ("davinci_model.cc", 0, "InitWeightMem")


class DavinciModel:
    """A static model. ``work`` and ``weight`` are (address, bytes) of memory that the caller keeps for it."""

    def __init__(
        self, machine: Machine, plan: SinkPlan, work: tuple[int, int] = (0, 0), weight: tuple[int, int] = (0, 0)
    ) -> None:
        self.plan = plan
        self._machine = machine
        self._given = {WORK: work, WEIGHT: weight}
        self._needed = {WORK: max(plan.work_bytes, 1), WEIGHT: max(len(plan.weights), 1)}
        self._areas: dict[str, int] = {}

    @property
    def is_loaded(self) -> bool:
        """Whether the model has its weights."""
        return WEIGHT in self._areas

    @property
    def weight_region(self) -> tuple[int, int]:
        """Address and bytes of the weights; address 0 when the model is not loaded."""
        return self._areas.get(WEIGHT, 0), len(self.plan.weights)

    def load(self, *, late_work: bool = False) -> int:
        """Take memory and copy the weights. Gives FAILED, with a record, when there is too little; nothing is kept.

        With ``late_work`` the memory to work in is bound before each run, or taken for the first one.
        """
        if not self._take(WEIGHT) or not (late_work or self._take(WORK)):
            self.unload()
            return Status.FAILED
        if self.plan.weights:
            self._machine.device.hbm.write(self._areas[WEIGHT], bytes(self.plan.weights))
        return Status.SUCCESS

    def bind_work(self, address: int, size: int) -> bool:
        """Work in memory of the caller's from now on. False, and nothing changes, when it is too small."""
        if size < self._needed[WORK]:
            return False
        self._give_back(WORK)
        self._given[WORK] = (address, size)
        self._areas[WORK] = address
        return True

    def _take(self, area: str) -> bool:
        address, given = self._given[area]
        size = self._needed[area]
        if address and given < size:
            text = f"[Check][Param] the {area} memory of model {self.plan.name} has {given} bytes, it needs {size}"
            self._machine.journal.error(_GIVEN, text, Status.FAILED)
            return False
        found = address or self._machine.device.malloc(size)
        if found is None:
            text = f"[Alloc][Mem] the device has no {size} bytes for the {area} memory of model {self.plan.name}"
            self._machine.journal.error(_MALLOC, text, Status.FAILED)
            return False
        self._areas[area] = found
        return True

    def execute(self, stream: int, inputs: Sequence[int], outputs: Sequence[int]) -> int:
        """Put one run on a stream; inputs and outputs are device addresses. It does not wait for the device."""
        if WORK not in self._areas and not self._take(WORK):
            return Status.FAILED
        frame = Frame(tuple(inputs), tuple(outputs), self._areas[WEIGHT], self._areas[WORK], self.plan.redirected)
        device = self._machine.device

        def run() -> None:
            for step in self.plan.steps:
                step.run(device, frame)

        cost = sum(device.kernel_ns(step.moved_bytes) for step in self.plan.steps)
        device.launch(device.stream(stream), Task(self.plan.name, run, cost))
        return Status.SUCCESS

    def constant_address(self, output: int) -> int:
        """Give the address of an output that is a weight; 0 for one that the model computes."""
        where = self.plan.results[output].where
        return self._areas[WEIGHT] + where.at if where.area is Area.WEIGHT else 0

    def unload(self) -> None:
        """Give back the memory that was the model's own."""
        for area in list(self._areas):
            self._give_back(area)

    def _give_back(self, area: str) -> None:
        address = self._areas.pop(area, 0)
        if address and not self._given[area][0]:
            self._machine.device.free(address)
