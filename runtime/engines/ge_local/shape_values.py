"""Operators whose values are shapes: Shape, ShapeN, Size, Rank, GatherShapes, the shape data of dynamic batches.

Their results lie on the host, in memory that nobody frees one by one. A converter that asked for their elements on
the device would copy there what came from the host.

Source: spec/lowering.md 4.11.
"""

from collections.abc import Sequence

from getrace.errors import ModelError
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import infer_storage_shapes, known_shape
from runtime.engines.memory import at
from runtime.graph.compute_graph import ComputeNode
from runtime.graph.value_holder import ValueHolder
from runtime.values import Placement

_BATCH_DATA_ATTR = "_dynamic_batch_unknown_data_index"
_BATCH_DIMS_ATTR = "_dynamic_batch_unknown_dim_index"


def convert_shape(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower Shape or ShapeN: one output for each input, holding its dimensions."""
    shapes = infer_storage_shapes(lowered.context, node, lowered.shapes)
    addresses = lowered.context.holders.many("BuildShapeTensorData", len(shapes), *lowered.shapes)
    return LowerResult(shapes, _on_host(addresses))


def convert_size(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower Size: the number of elements of the input."""
    return _value_of_shapes("GetShapeSizeKernel", node, lowered)


def convert_gather_shapes(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower GatherShapes: the dimensions that its attribute ``axes`` lists as (input, dimension)."""
    return _value_of_shapes("GatherShapesKernel", node, lowered)


def convert_rank(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower Rank: the number of dimensions of the input. Unlike its kin it is waited for."""
    result = _value_of_shapes("RankKernel", node, lowered)
    result.order_holders = list(result.addresses)
    return result


def convert_multi_batch_shape(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower the node that tells a dynamic-batch model which of its sizes the caller chose.

    It lists the unknown dimensions of some model inputs, by Data index. Raises ModelError when one of them has not been
    lowered before.
    """
    data = [_data_node(node, index) for index in _ints(node, _BATCH_DATA_ATTR)]
    shape = known_shape(lowered.context, node.op.outputs[0])
    dims = lowered.context.holders.const(tuple(_ints(each, _BATCH_DIMS_ATTR) for each in data))
    shapes = [lowered.walk.result_of(each).shapes[0] for each in data]
    address = lowered.context.holders.single("GetCurDynamicShape", shape, dims, *shapes)
    return LowerResult([shape], _on_host([address]))


def _value_of_shapes(kernel: str, node: ComputeNode, lowered: LowerInput) -> LowerResult:
    shape = known_shape(lowered.context, node.op.outputs[0])
    address = lowered.context.holders.single(kernel, *lowered.shapes)
    return LowerResult([shape], _on_host([address]))


def _on_host(addresses: Sequence[ValueHolder]) -> list[ValueHolder]:
    return [at(address, Placement.HOST) for address in addresses]


def _data_node(node: ComputeNode, index: int) -> ComputeNode:
    for data in node.graph.of_type(["Data"]):
        if data.op.attrs.get("index") == index:
            return data
    raise ModelError(f"node {node.name} names input {index} in '{_BATCH_DATA_ATTR}', the model has none")


def _ints(node: ComputeNode, attribute: str) -> tuple[int, ...]:
    value = node.op.attrs.get(attribute)
    if not isinstance(value, tuple):
        raise ModelError(f"node {node.name} has no list '{attribute}'", "it stands on models of dynamic batch sizes")
    return tuple(number for number in value if isinstance(number, int))
