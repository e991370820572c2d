"""Whether a model runs here: its operators on the device, as their definitions say, and its kernels at all.

GE's engine asks the operator store before it takes a node. Asked later, a wrong model would fail half way through; and
somebody who brings a model of his own wants to know all that is missing, not the first of it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from getrace.errors import ModelError
from runtime.device.profiles import DeviceProfile
from runtime.graph.builder import AI_CORE
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.graph.execute_graph import ExecuteGraph
from runtime.kernels.catalogue import catalogue
from runtime.kernels.registry import KernelRegistry
from runtime.ops.op_def import DYNAMIC, OpDef
from runtime.ops.registry import OpRegistry

_COMPUTING: Final = frozenset({AI_CORE, "VectorEngine", "aicpu_tf_kernel", "aicpu_ascend_kernel"})
"""Engines whose operators are computed by functions of the operators' register."""

_SHOWN_TYPES: Final = 20
_SHOWN_NODES: Final = 3


OTHER_CHIP: Final = "Model soc version is not support in this device."
"""What GE says of a model that was compiled for another chip."""


def runs_on(made_for: str, profile: DeviceProfile) -> bool:
    """Whether a compiled model may run on a device (``aclrtCheckArchCompatibility``); one that does not say, may."""
    return made_for.lower().startswith(profile.soc) if made_for else True


def check_support(graph: ComputeGraph, ops: OpRegistry, profile: DeviceProfile) -> None:
    """Check the operators of all graphs of a model.

    Raises ModelError that lists every type without an implementation; then for a node whose value is a fact about
    shapes and has another size than the model says; then for the first AI Core operator of the root that is not made
    for the device or its inputs.
    """
    missing = unimplemented(graph, ops)
    if missing:
        text = "; ".join(f"{name} ({_nodes(nodes)})" for name, nodes in list(missing.items())[:_SHOWN_TYPES])
        more = f"; and {len(missing) - _SHOWN_TYPES} more types" if len(missing) > _SHOWN_TYPES else ""
        count = "one operator type" if len(missing) == 1 else f"{len(missing)} operator types"
        raise ModelError(
            f"the simulated device has no implementation of {count} of {graph.name}: {text}{more}",
            "look at it with `getrace lower` or `getrace graph`, or add rows to runtime/ops/library",
        )
    for node in graph.all_nodes():
        if node.type in _ELEMENTS and node.op.outputs:
            _check_value(node)
    for node in graph.nodes:
        if node.op.engine == AI_CORE:
            _check_node(node, ops, profile)


def _check_value(node: ComputeNode) -> None:
    """Refuse a wrong size: GE reads as many bytes as the model says, whatever lies behind the value."""
    said, count = node.op.outputs[0].shape, _ELEMENTS[node.type](node)
    if said.is_known and said.elements != count:
        makes = "one element" if count == 1 else f"{count} elements"
        text = f"node {node.name} ({node.type}) makes {makes}, but the model says its output has the shape {said}"
        raise ModelError(text, "real GE reads the memory behind the value; give the output its own shape")


def _pairs(node: ComputeNode) -> int:
    axes = node.op.attrs.get("axes")
    return len(axes) if isinstance(axes, tuple) else 0


_ELEMENTS: Final[Mapping[str, Callable[[ComputeNode], int]]] = {
    "GatherShapes": _pairs,
    "Rank": lambda _node: 1,
    "Size": lambda _node: 1,
}
"""How many elements the values have whose shape is taken from the model unseen (spec/lowering.md 4.11)."""


def unimplemented(graph: ComputeGraph, ops: OpRegistry) -> dict[str, list[str]]:
    """Give the types that nothing here can compute, with the names of their nodes; of all graphs of a model."""
    found: dict[str, list[str]] = {}
    for node in graph.all_nodes():
        if node.op.engine in _COMPUTING and ops.get(node.type) is None:
            found.setdefault(node.type, []).append(node.name)
    return dict(sorted(found.items()))


def _nodes(names: Iterable[str]) -> str:
    shown, *more = list(names)
    more_shown = more[: _SHOWN_NODES - 1]
    rest = len(more) - len(more_shown)
    return ", ".join((shown, *more_shown)) + (f" and {rest} more" if rest else "")


def _check_node(node: ComputeNode, ops: OpRegistry, profile: DeviceProfile) -> None:
    op = ops.find(node.type)
    if profile.soc not in op.aicore:
        text = f"operator {node.type} of node {node.name} is not made for {profile.soc}"
        raise ModelError(text, f"it is made for: {', '.join(sorted(op.aicore))}")
    dtypes = [desc.dtype for desc, source in zip(node.op.inputs, node.inputs, strict=True) if source is not None]
    if not op.supports(profile.soc, dtypes):
        have = ", ".join(dtype.ge_name for dtype in dtypes)
        raise ModelError(f"operator {node.type} of node {node.name} does not take ({have})", f"it takes {_taken(op)}")


def _taken(op: OpDef) -> str:
    if op.any_mixture:
        least = sum(io.param != DYNAMIC for io in op.inputs)
        return f"{least} inputs of: {', '.join(dtype.ge_name for dtype in op.inputs[0].dtypes)}"
    columns = zip(*(io.dtypes for io in op.inputs), strict=True)
    return " or ".join("(" + ", ".join(dtype.ge_name for dtype in column) + ")" for column in columns)


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
