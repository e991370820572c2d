"""Whether the operators of a model run on a device: type, data types and SoC, as their definitions say.

GE's engine asks the operator store before it takes a node. Asked later, a wrong model would fail half way through.
"""

from getrace.errors import ModelError
from runtime.device.profiles import DeviceProfile
from runtime.graph.builder import AI_CORE
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.ops.registry import OpRegistry


def check_support(graph: ComputeGraph, ops: OpRegistry, profile: DeviceProfile) -> None:
    """Raise ModelError for the first AI Core operator that is unknown or not made for the device or its inputs."""
    for node in graph.nodes:
        if node.op.engine == AI_CORE:
            _check_node(node, ops, profile)


def _check_node(node: ComputeNode, ops: OpRegistry, profile: DeviceProfile) -> None:
    op = ops.find(node.type)
    if profile.soc not in op.aicore:
        text = f"operator {node.type} of node {node.name} is not made for {profile.soc}"
        raise ModelError(text, f"it is made for: {', '.join(sorted(op.aicore))}")
    dtypes = [desc.dtype for desc in node.op.inputs]
    if not op.supports(profile.soc, dtypes):
        have = ", ".join(dtype.ge_name for dtype in dtypes)
        columns = zip(*(io.dtypes for io in op.inputs), strict=True)
        known = " or ".join("(" + ", ".join(dtype.ge_name for dtype in column) + ")" for column in columns)
        raise ModelError(f"operator {node.type} of node {node.name} does not take ({have})", f"it takes {known}")
