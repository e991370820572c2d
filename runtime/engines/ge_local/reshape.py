"""Reshape and its kin: another shape on the same bytes.

No memory is allocated and no kernel runs on the device: the output's address is the input's holder itself, so that
whoever reads it keeps the input's memory alive.

Source: spec/lowering.md 4.11.
"""

from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.infer_shape import infer_storage_shapes
from runtime.graph.compute_graph import ComputeNode


def convert_reshape(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower an operator whose output lies where its first input does."""
    return LowerResult(infer_storage_shapes(lowered.context, node, lowered.shapes), lowered.addresses[:1])
