"""OpTiling: the tiling of another operator, as values of the model.

The other operator is lowered elsewhere; only its tiling is done here, with the inputs of this node.

Source: spec/lowering.md 4.11, 12.11.
"""

from getrace.errors import ModelError
from runtime.engines.aicore.compile_result import read_compile_result
from runtime.engines.aicore.launch_arg import alloc_launch_arg
from runtime.engines.aicore.out_shapes import output_shapes
from runtime.engines.aicore.tiling import tile
from runtime.engines.contract import LowerInput, LowerResult
from runtime.engines.memory import at
from runtime.graph.compute_graph import ComputeNode
from runtime.values import Placement

NODE_ATTR = "tiling_node"


def convert_op_tiling(node: ComputeNode, lowered: LowerInput) -> LowerResult:
    """Lower the tiling of the operator an attribute names. Raises ModelError when the model has no such operator."""
    context, holders = lowered.context, lowered.context.holders
    name = node.op.attrs.get(NODE_ATTR)
    tiled_for = next((other for other in node.graph.root.all_nodes() if other.name == name), None)
    if tiled_for is None:
        raise ModelError(f"node {node.name} tiles for {name!r}, which is not in the model", f"set '{NODE_ATTR}'")
    compiled = read_compile_result(tiled_for)
    counts = len(lowered.shapes), len(tiled_for.op.outputs)
    rt_arg = alloc_launch_arg(context, *counts, compiled.max_tiling_data)
    tiled = tile(tiled_for, lowered, compiled, output_shapes(tiled_for, lowered), rt_arg)
    outputs = [tiled.outputs[key] for key in sorted(tiled.outputs)]
    count = len(node.op.outputs)
    shapes = holders.many("BuildOpTilingOutputShape", count, *outputs)
    stream_id = holders.const(context.stream_id)
    addresses = holders.many("BuildOpTilingUnmanagedTensorData", count, *outputs, stream_id)
    return LowerResult(shapes, [at(address, Placement.HOST, context.stream_id) for address in addresses])
