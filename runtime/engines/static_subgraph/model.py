"""What a statically compiled graph says of itself: whether it is one, its inputs, its memory, its weights.

The steps of lowering take these fields; if each read attributes itself, two of them could disagree about how many
outputs lie where.

Source: spec/lowering.md 2.1 (3), 4.9.
"""

from dataclasses import dataclass

from runtime.engines.weight_plan import WeightPlan
from runtime.graph.compute_graph import ComputeGraph, ComputeNode
from runtime.values import WeightSpan

UNKNOWN_FLAG_ATTR = "_graph_unknown_flag"
"""False on a graph whose shapes are all known: GE compiles it as a whole, unless it has no task."""

_WITHOUT_TASK = frozenset({"Data", "RefData", "AippData", "Const", "Constant", "Variable", "FileConstant", "NetOutput"})

_SESSION_SCOPE = 1 << 32
_HBM, _P2P = 2, 0x11

_MEMORIES: tuple[tuple[str, int], ...] = (
    ("memory_size", _HBM),
    ("p2p_memory_size", _P2P),
    ("session_scope_memory_size", _HBM | _SESSION_SCOPE),
)
"""Attributes of the memory a model works in, in bytes, and GE's type of each (``RT_MEMORY_HBM`` and its masks)."""

_PARTS_ATTR = "sub_memory_infos"
"""(type, bytes) of each part, where the model's own memory is cut into parts."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A block of memory that a model works in: GE's type, and bytes."""

    kind: int
    size: int


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """An output: who makes it inside the model, and where GE put it in the model's memory, None when it is not said."""

    producer: ComputeNode
    index: int
    offset: int | None


def is_static_model(graph: ComputeGraph) -> bool:
    """Whether a graph runs as one compiled model: its shapes are known, and it has an operator with a task."""
    known = graph.attrs.get(UNKNOWN_FLAG_ATTR) is False
    return known and any(node.type not in _WITHOUT_TASK for node in graph.nodes)


def model_inputs(graph: ComputeGraph) -> list[ComputeNode]:
    """The inputs of the model, in the order its kernel takes them."""
    return sorted(graph.of_type(["Data"]), key=_position)


def model_outputs(net_output: ComputeNode) -> list[ModelOutput]:
    """The outputs of the model, in the order its kernel gives them."""
    said = net_output.op.attrs.get("input_i")
    offsets = said if isinstance(said, tuple) else ()
    outputs = []
    for position, source in enumerate(net_output.inputs):
        if source is not None:
            offset = offsets[position] if position < len(offsets) else None
            outputs.append(ModelOutput(*source, offset if isinstance(offset, int) else None))
    return outputs


def workspaces(graph: ComputeGraph) -> list[Workspace]:
    """The blocks of memory that the model wants for a step."""
    found: list[Workspace] = []
    for attribute, kind in _MEMORIES:
        parts = graph.attrs.get(_PARTS_ATTR) if kind == _HBM else None
        sizes = parts if isinstance(parts, tuple) else (graph.attrs.get(attribute, 0),)
        found.extend(Workspace(kind, size) for size in sizes if isinstance(size, int) and size > 0)
    return found


def model_weights(plan: WeightPlan, graph: ComputeGraph) -> WeightSpan:
    """The part of the weight memory that holds the constants of the model."""
    spans = [plan.spans[node] for node in graph.nodes if node in plan.spans]
    if not spans:
        return WeightSpan(0, 0)
    start = min(span.offset for span in spans)
    return WeightSpan(start, max(span.offset + span.size for span in spans) - start)


def _position(node: ComputeNode) -> int:
    attrs = node.op.attrs
    position = attrs.get("_parent_node_index", attrs.get("index", 0))
    return position if isinstance(position, int) else 0
