"""GE's v1 side of the API: a static model loaded as a whole and run by one task (``GeExecutor``, ``DavinciModel``).

ACL and sessions send models of known shapes here; if each had a runner of its own, one model would have two results.

Source: seeds 002 ``2.1`` (static shape: v1 TaskSink), spec/execution.md 3.4, 3.6.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from getrace.errors import InputError
from runtime.api.ge_process import GeProcess
from runtime.api.support import check_support
from runtime.graph.compute_graph import ComputeGraph
from runtime.kernels.status import Status
from runtime.kernels.task_sink.davinci_model import DavinciModel
from runtime.kernels.task_sink.plan import SinkPlan, plan_model
from runtime.lowering.model_check import check_model, net_output_of
from runtime.lowering.model_desc import ModelDesc, describe_model
from runtime.lowering.stream_plan import StreamPlan
from runtime.values import StorageShape, Tensor

_PLAN: Final = ("davinci_model.cc", 0, "Init")
_SIZE: Final = ("davinci_model.cc", 0, "CheckInputAndModelSize")

NO_MEMORY: Final = (0, 0)
"""Address and bytes of memory that the caller does not bring."""


@dataclass(slots=True)
class StaticModel:
    """A loaded static model with the description that callers see."""

    process: GeProcess
    desc: ModelDesc
    davinci: DavinciModel

    @property
    def work_bytes(self) -> int:
        """Bytes that the model works in (``aclmdlQuerySize``)."""
        return self.davinci.plan.work_bytes

    @property
    def weight_bytes(self) -> int:
        """Bytes of its weights (``aclmdlQuerySize``)."""
        return len(self.davinci.plan.weights)

    def execute(self, stream: int, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> int:
        """Put a run on a stream; all tensors lie on the device. Outputs get the shapes of the model."""
        plan = self.davinci.plan
        if status := self._check("Input", inputs, plan) or self._check("Output", outputs, plan):
            return status
        addresses = [
            [0 if tensor.data is None else tensor.data.addr for tensor in given] for given in (inputs, outputs)
        ]
        for tensor, wanted in zip(outputs, plan.outputs, strict=True):
            tensor.shape, tensor.dtype = StorageShape(wanted.shape, wanted.shape), wanted.dtype
        return self.davinci.execute(stream, *addresses)

    def _check(self, what: str, given: Sequence[Tensor], plan: SinkPlan) -> int:
        wanted = plan.inputs if what == "Input" else plan.outputs
        if len(given) != len(wanted):
            text = f"[Check][Param] {what} num {len(given)} is not the model's, which is {len(wanted)}"
            return self.process.refuse(_SIZE, text, Status.PARAM_INVALID)
        for index, (tensor, want) in enumerate(zip(given, wanted, strict=True)):
            size = 0 if tensor.data is None else tensor.data.size
            if size < want.size:
                text = f"[Check][Size]{what} {index} has {size} bytes, the model requires {want.size}"
                return self.process.refuse(_SIZE, text, Status.PARAM_INVALID)
        return Status.SUCCESS

    def unload(self) -> int:
        """Wait for the device and give the memory of the model back."""
        self.davinci.unload()
        return Status.SUCCESS


def load_static_model(
    process: GeProcess,
    graph: ComputeGraph,
    order: Sequence[str] = (),
    *,
    work: tuple[int, int] = NO_MEMORY,
    weight: tuple[int, int] = NO_MEMORY,
) -> tuple[StaticModel | None, int]:
    """Plan a model of known shapes and load it. ``order`` names its nodes in the order of their tasks.

    Gives None and FAILED for a model that cannot be planned, or without memory; the log says why.
    """
    try:
        with process.refusing(_PLAN):
            check_model(graph)
            check_support(graph, process.machine.ops, process.device.profile)
            plan = plan_model(graph, process.machine.ops, order)
    except InputError:
        return None, Status.FAILED
    davinci = DavinciModel(process.machine, plan, work, weight)
    if status := davinci.load():
        return None, status
    return StaticModel(process, describe_model(graph, net_output_of(graph), StreamPlan()), davinci), Status.SUCCESS
