"""A model for inputs of other types: ``--input x1=7:int32`` asks for them, and each operator says what it then gives.

A compiled model has its types for good; a model that is lowered for this one run may take any types that its operators
are defined for. The graph that the author built stays as it is.
"""

import copy
from collections.abc import Mapping
from dataclasses import replace

from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.ops.registry import OpRegistry
from runtime.values import DType


def with_input_types(graph: ComputeGraph, types: Mapping[str, DType], ops: OpRegistry) -> ComputeGraph:
    """Give the graph with other types for some inputs, carried through its operators; names it has not are ignored."""
    asked = {name: dtype for name, dtype in types.items() if _type_of(graph, name) not in (None, dtype)}
    if not asked:
        return graph
    changed = copy.deepcopy(graph)
    for node in changed.nodes:
        if node.type == "Data" and node.name in asked:
            _set_outputs(node, asked[node.name])
        elif any(source is not None for source in node.inputs):
            _carry(node, ops)
    return changed


def _type_of(graph: ComputeGraph, name: str) -> DType | None:
    return next((node.op.outputs[0].dtype for node in graph.of_type(["Data"]) if node.name == name), None)


def _set_outputs(node: ComputeNode, *types: DType) -> None:
    each = types * len(node.op.outputs) if len(types) == 1 else types
    node.op.outputs = tuple(replace(desc, dtype=dtype) for desc, dtype in zip(node.op.outputs, each, strict=True))


def _carry(node: ComputeNode, ops: OpRegistry) -> None:
    """Take the types of a node's producers, and give its outputs those that its definition pairs with them."""
    node.op.inputs = tuple(
        desc if source is None else replace(desc, dtype=source[0].op.outputs[source[1]].dtype)
        for desc, source in zip(node.op.inputs, node.inputs, strict=True)
    )
    op = ops.get(node.type)
    have = tuple(desc.dtype for desc in node.op.inputs)
    columns = list(zip(*(io.dtypes for io in op.inputs), strict=False)) if op is not None else []
    if op is not None and have in columns and len(op.outputs) == len(node.op.outputs):
        _set_outputs(node, *(io.dtypes[columns.index(have)] for io in op.outputs))
    elif op is None and len(node.op.outputs) == len(have):
        _set_outputs(node, *have)
