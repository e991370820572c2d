"""PlacedResult: the outputs of a lowered node, at the place a consumer wants them.

It owns the copies between host and device and makes each once. A copy made by the consumer would be made once per
consumer, and the order behind the producer's kernels would be lost.

Source: spec/lowering.md 5.2. In this version consumers ask for device memory or take what there is.
"""

from collections.abc import Callable
from dataclasses import dataclass

from getrace.errors import ModelError
from runtime.engines.allocators import l2_allocator
from runtime.engines.context import LoweringContext
from runtime.engines.contract import LowerResult
from runtime.engines.weights import weight_on_device
from runtime.graph.compute_graph import ComputeNode, TensorDesc
from runtime.graph.value_holder import ValueHolder
from runtime.values import DType, Placement


@dataclass(frozen=True, slots=True)
class PlacedTensor:
    """One output at one place."""

    shape: ValueHolder
    address: ValueHolder
    order_holders: tuple[ValueHolder, ...]


Move = Callable[[LoweringContext, TensorDesc, PlacedTensor], PlacedTensor]


class PlacedResult:
    """Caches the outputs of a node by output and place."""

    def __init__(self, node: ComputeNode, result: LowerResult) -> None:
        self._node = node
        self.result = result
        self._cache: dict[tuple[int, Placement], PlacedTensor] = {}

    def get(self, context: LoweringContext, output: int, wanted: Placement | None) -> PlacedTensor:
        """Give an output at a place, None for wherever it is.

        The kernels of a copy belong to the producer. Raises ModelError when no copy leads there.
        """
        address = self.result.addresses[output]
        plain = PlacedTensor(self.result.shapes[output], address, tuple(self.result.order_holders))
        if wanted is None or address.placement == wanted:
            return plain
        if (output, wanted) not in self._cache:
            with context.holders.working_on(self._node):
                self._cache[output, wanted] = self._move(wanted)(context, self._node.op.outputs[output], plain)
        return self._cache[output, wanted]

    def _move(self, wanted: Placement) -> Move:
        here = self.result.addresses[0].placement
        kind = "weight" if self.result.weight else here.ge_name
        move = _MOVES.get((kind, wanted))
        if move is None:
            raise ModelError(
                f"node {self._node.name} gives its result in {here.ge_name}, a consumer wants {wanted.ge_name}",
                "this version moves unknown inputs and constants to device memory only",
            )
        return move


def _unknown_to_device(context: LoweringContext, desc: TensorDesc, tensor: PlacedTensor) -> PlacedTensor:
    """Copy only if the caller's tensor turns out to be on the host; the decision is made at run time."""
    allocator = l2_allocator(context)
    dtype = context.holders.const(desc.dtype)
    size = _size_of_unknown(context, desc, tensor, dtype)
    address = context.holders.single(
        "MakeSureTensorAtDevice", context.stream, allocator, tensor.address, size, tensor.shape, dtype
    )
    address.placement = Placement.DEVICE_HBM
    context.holders.guarder("FreeMemory", address)
    return PlacedTensor(tensor.shape, address, tensor.order_holders)


def _size_of_unknown(
    context: LoweringContext, desc: TensorDesc, tensor: PlacedTensor, dtype: ValueHolder
) -> ValueHolder:
    """Bytes to copy; those of strings are known only after a look at the tensor itself."""
    if desc.dtype is DType.STRING:
        return context.holders.single("CalcStringTensorSize", dtype, tensor.shape, tensor.address, context.stream)
    return context.holders.single("CalcTensorSizeFromStorage", dtype, tensor.shape)


def _weight_to_device(context: LoweringContext, desc: TensorDesc, tensor: PlacedTensor) -> PlacedTensor:
    return PlacedTensor(tensor.shape, weight_on_device(context, desc, tensor.address), tensor.order_holders)


_MOVES: dict[tuple[str, Placement], Move] = {
    (Placement.END.ge_name, Placement.DEVICE_HBM): _unknown_to_device,
    ("weight", Placement.DEVICE_HBM): _weight_to_device,
}
