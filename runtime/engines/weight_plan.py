"""WeightPlan: where each constant of a model lies in its weight memory.

Pure arithmetic over the compute graph, done once per lowering; if each constant counted the ones before it, a model
with many of them would take quadratic time.

Source: spec/lowering.md 2.1 (4), ``graph_flatten_offset``.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from runtime.graph.compute_graph import ComputeGraph, ComputeNode, TensorDesc
from runtime.values import WeightSpan

FLATTEN_OFFSET_ATTR = "graph_flatten_offset"
"""(offset, bytes): where GE put a constant, when a model says it."""

_ALIGNMENT = 512
"""Bytes between the starts of two weights are a multiple of this, where a model does not say where they lie."""


@dataclass(frozen=True, slots=True)
class WeightPlan:
    """Place in bytes of each Const, in this graph and those below it, and the bytes all of them take."""

    spans: Mapping[ComputeNode, WeightSpan]
    total: int


def weight_size(desc: TensorDesc) -> int:
    """Bytes that a constant takes in the weight memory. Raises ModelError for an unknown shape or element size."""
    size = (desc.storage.elements * desc.dtype.bits + 7) // 8
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def plan_weights(graph: ComputeGraph) -> WeightPlan:
    """Lay the constants one behind the other, in node order, or where the model says."""
    spans: dict[ComputeNode, WeightSpan] = {}
    end = 0
    for node in graph.all_nodes():
        if node.type == "Const":
            spans[node] = _span(node, end)
            end = max(end, spans[node].offset + spans[node].size)
    return WeightPlan(spans, end)


def _span(node: ComputeNode, end: int) -> WeightSpan:
    said = node.op.attrs.get(FLATTEN_OFFSET_ATTR)
    if isinstance(said, tuple):
        offset, size = (number for number in said if isinstance(number, int))
        return WeightSpan(offset, size)
    return WeightSpan(end, weight_size(node.op.outputs[0]))
