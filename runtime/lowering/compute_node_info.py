"""What a loaded graph keeps of the model's operators: each description once, in a table that kernels point into.

It owns which operators share a description. A kernel that kept the number its operator had while it was lowered would
point past the end of the table of a model whose branches name their operators alike.

Source: spec/lowering.md 9.5 (``ComputeNodeInfo``).
"""

from collections.abc import Hashable

from runtime.graph.compute_graph import ComputeNode, TensorDesc
from runtime.graph.execute_graph import ExecuteGraph

_NUMBER = "ComputeNodeIndex"
_IR_ATTRIBUTES = "_ir_attr_names"

_ENDS = frozenset({"Data", "NetOutput", "Const", "Constant"})
"""Operators without attributes or shapes of their own in the table: what they hold is found elsewhere."""


def share_descriptions(root: ExecuteGraph) -> None:
    """Number the operators of a lowered graph by what is said of them, first come first; kernels follow.

    ``root.compute_nodes`` keeps the first operator of each description.
    """
    numbers: dict[Hashable, int] = {}
    kept: list[ComputeNode] = []
    moved: list[int] = []
    for node in root.compute_nodes:
        said = _said(node)
        if said not in numbers:
            numbers[said] = len(kept)
            kept.append(node)
        moved.append(numbers[said])
    root.compute_nodes = kept
    for kernel in root.all_nodes():
        number = kernel.attrs.get(_NUMBER)
        if isinstance(number, int):
            kernel.attrs[_NUMBER] = moved[number]


def _said(node: ComputeNode) -> Hashable:
    """Everything kernels may read of an operator. GE leaves shapes out; two operators that differ stay two here."""
    plain = node.type in _ENDS
    inputs = tuple(_desc(desc, plain=plain) for desc in node.op.inputs)
    outputs = tuple(_desc(desc, plain=plain) for desc in node.op.outputs)
    named = node.op.attrs.get(_IR_ATTRIBUTES)
    names = named if isinstance(named, tuple) else sorted(name for name in node.op.attrs if name != "index")
    attributes = () if plain else tuple((name, node.op.attrs.get(str(name))) for name in names)
    return node.name, node.type, inputs, outputs, attributes


def _desc(desc: TensorDesc, *, plain: bool) -> Hashable:
    return (desc.dtype, desc.format) if plain else (desc.dtype, desc.format, tuple(desc.shape))
