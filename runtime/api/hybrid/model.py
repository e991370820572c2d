"""HybridModel: a model whose shapes are known only at run time, as a session hands it to its executor.

It owns the facts that the rooms of this folder ask for. Read from the attributes in several places, a model could be
one thing to its loader and another to its executor.

Source: spec/execution.md 3.6 (IsNeedHybridLoad), 3.7 (Init).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from runtime.engines.ge_local.data import INPUT_TYPES
from runtime.graph.compute_graph import ComputeGraph
from runtime.values import Tensor

SESSION_ATTR: Final = "session_id"
UNKNOWN_FLAG_ATTR: Final = "_graph_unknown_flag"
PARTITIONED_ATTR: Final = "_dynamic_shape_partitioned"
HOST_INPUT_ATTR: Final = "_host_tensor_as_model_input"
DYNAMIC_BATCH_ATTR: Final = "_enable_dynamic_batch"
GUARD_ATTR: Final = "_guard_check_so_data"
STAGE_ATTR: Final = "_stage_level"

BATCH_COPY: Final = "INPUT_BATCH_CPY"
"""Environment variable."""

Guard = Callable[[Sequence[Tensor]], str]
"""What ``GuardCheckFunc`` of a guard library does: "" when the inputs fit, else the reason why they do not."""


@dataclass(frozen=True, slots=True)
class HybridModel:
    """A model and how to run it. ``weight_dir`` is the folder of its files of constants.

    ``iterations`` is how often one call runs the model (``npu iterations per loop``); ``device_inputs`` promises that
    inputs are on the device (``ge.inputPlacement`` is ``DeviceHbm``); ``guard`` stands for the compiled guard.
    """

    graph: ComputeGraph
    model_id: int = 0
    iterations: int = 1
    device_inputs: bool = False
    weight_dir: str = ""
    guard: Guard | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.graph.name

    @property
    def batch_copy(self) -> bool:
        """Whether host inputs go to the device in one copy."""
        return self.environment.get(BATCH_COPY) == "1"

    @property
    def session_id(self) -> int:
        """The session its variables belong to: an attribute of the model, 0 without one."""
        number = self.graph.attrs.get(SESSION_ATTR, 0)
        return int(number) if isinstance(number, int) else 0

    @property
    def input_count(self) -> int:
        """How many inputs a caller gives: the last one of a model in several batches is made by the runtime."""
        count = len(self.graph.of_type(INPUT_TYPES))
        return count - 1 if self.graph.attrs.get(DYNAMIC_BATCH_ATTR) else count

    @property
    def host_inputs(self) -> frozenset[int]:
        """Inputs that stay on the host, by index."""
        nodes = self.graph.of_type(INPUT_TYPES)
        return frozenset(int(str(node.op.attrs["index"])) for node in nodes if node.op.attrs.get(HOST_INPUT_ATTR))


def is_need_hybrid_load(graph: ComputeGraph, *, host_exec: bool = False) -> bool:
    """``IsNeedHybridLoad``: unknown shapes, a graph cut by known and unknown shapes, or execution on the host.

    A model that nobody marked has unknown shapes when one of its tensors has.
    """
    if host_exec or graph.attrs.get(PARTITIONED_ATTR):
        return True
    said = graph.attrs.get(UNKNOWN_FLAG_ATTR)
    if said is not None:
        return bool(said)
    return any(not desc.shape.is_known for node in graph.nodes for desc in node.op.outputs)
