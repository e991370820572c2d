"""Whether a model runs here: its operators on the device, as their definitions say, and its kernels at all.

GE's engine asks the operator store before it takes a node. Asked later, a wrong model would fail half way through.
"""

from getrace.errors import ModelError
from runtime.device.profiles import DeviceProfile
from runtime.graph.builder import AI_CORE
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.catalogue import catalogue
from runtime.kernels.registry import KernelRegistry
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


def check_kernels(name: str, root: ExecuteGraph, kernels: KernelRegistry) -> None:
    """Raise ModelError for a lowered model with kernels of GE that do not run here; it says which and why.

    A type that GE does not know is left to the executor, which refuses it in GE's words.
    """
    running = {kernel.type for kernel in kernels}
    wanted = {node.type for node in root.all_nodes()} - running
    missing = [entry for entry in catalogue() if entry.type in wanted]
    if missing:
        types = ", ".join(entry.type for entry in missing)
        raise ModelError(
            f"this version lowers and draws {name} but cannot run it: no kernel {types} ({missing[0].reason})",
            "getrace lower and getrace graph show it; getrace kernels says what runs",
        )
