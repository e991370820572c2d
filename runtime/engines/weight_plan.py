"""WeightPlan: where each constant of a model lies in its weight memory.

Pure arithmetic over the compute graph, done once per lowering; if each constant counted the ones before it, a model
with many of them would take quadratic time.

Source: spec/lowering.md 2.1 (4), ``graph_flatten_offset``.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from runtime.graph.compute_graph import ComputeGraph, TensorDesc

_ALIGNMENT = 512
"""Bytes between the starts of two weights are a multiple of this."""


@dataclass(frozen=True, slots=True)
class WeightPlan:
    """Offset in bytes of each Const by node name, and the bytes all of them take."""

    offsets: Mapping[str, int]
    total: int


def weight_size(desc: TensorDesc) -> int:
    """Bytes that a constant takes in the weight memory. Raises ModelError for an unknown shape or element size."""
    size = (desc.storage.elements * desc.dtype.bits + 7) // 8
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def plan_weights(graph: ComputeGraph) -> WeightPlan:
    """Lay the constants of a graph one behind the other, in node order."""
    offsets: dict[str, int] = {}
    end = 0
    for node in graph.of_type(["Const"]):
        offsets[node.name] = end
        end += weight_size(node.op.outputs[0])
    return WeightPlan(offsets, end)
