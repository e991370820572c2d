"""PlacedResult: the outputs of a lowered node, at the place and in the form a consumer wants them.

It owns the copies between host and device and makes each once. A copy made by the consumer would be made once per
consumer, and the order behind the producer's kernels would be lost.

Source: spec/lowering.md 5.2 (PlacedLoweringResult::GetOutputResult).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerResult
from runtime.engines.copies import Copy, Moved, move
from runtime.engines.tensors import build_raw_tensor, build_tensor
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement


class Form(Enum):
    """How a consumer wants an output.

    ``PLAIN``: shape and address. ``ELEMENTS``: a tensor the host can read instead of the shape, and the address
    (data dependent). ``RAW``: a tensor around the address instead of the shape (aclnn, custom operators).
    """

    PLAIN = 0
    ELEMENTS = 1
    RAW = 2


@dataclass(frozen=True, slots=True)
class Target:
    """Where a consumer wants an output: a placement, None for wherever it is, and the logic stream it runs on."""

    placement: Placement | None = None
    stream_id: int = 0


class PlacedResult:
    """Caches the outputs of a node by output, place and form; the stream of the first asker decides (GE's cache)."""

    def __init__(self, node: ComputeNode, result: LowerResult) -> None:
        self._node = node
        self.result = result
        self._cache: dict[tuple[int, Placement, Form], Moved] = {}

    def get(self, context: LoweringContext, output: int, target: Target, form: Form = Form.PLAIN) -> Moved:
        """Give an output at a place in a form.

        The kernels of a copy belong to the producer, those of a raw tensor to the operator that asks. Raises ModelError
        when no copy leads there.
        """
        here = self.result.addresses[output].placement
        wanted = here if target.placement is None else target.placement
        key = (output, wanted, form)
        if key not in self._cache:
            self._cache[key] = self._make(context, output, Target(wanted, target.stream_id), form)
        return self._cache[key]

    def _make(self, context: LoweringContext, output: int, target: Target, form: Form) -> Moved:
        if form is Form.PLAIN:
            return self._placed(context, output, target)
        plain = self.get(context, output, target)
        desc = self._node.op.outputs[output]
        if form is Form.RAW:
            return Moved(build_raw_tensor(context, desc, plain.shape, plain.address), plain.address, plain.orders)
        host = self.get(context, output, Target(Placement.HOST, target.stream_id))
        with context.holders.working_on(self._node):
            tensor = build_tensor(context, desc, host.shape, host.address)
        return Moved(tensor, plain.address, _joined(plain.orders, host.orders))

    def _placed(self, context: LoweringContext, output: int, target: Target) -> Moved:
        assert target.placement is not None
        tensor = Moved(self.result.shapes[output], self.result.addresses[output], tuple(self.result.order_holders))
        copy = Copy(self._node, output, tensor, self.result.weight, target.placement, target.stream_id)
        with context.holders.working_on(self._node):
            return move(context, copy)


def _joined(*groups: Iterable[ValueHolder]) -> tuple[ValueHolder, ...]:
    return tuple({holder: None for group in groups for holder in group})
