"""The graph an operator was fused from, as its attribute carries it: GE's ``GraphDef``, read field by field.

It owns the form of that attribute. What is not needed to infer shapes is left unread.

Source: spec/lowering.md 4.1 (2, UB fused node); formats.md 2 (GraphDef, OpDef).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.graph.compute_graph import ComputeNode, OpDesc, TensorDesc
from runtime.values import DType, Format, Shape, StorageFormat

FUSED_GRAPH_ATTR = "_original_fusion_graph"
_PARENT_INDEX = "_parent_node_index"

Source = tuple[str, int]
"""An operator of the fused graph by name, and one of its outputs."""


@dataclass(frozen=True, slots=True)
class FusedOp:
    """An operator of the fused graph.

    ``parents`` are inputs or outputs of the fused node: one for a Data or a ``_RetVal``, one per input for a NetOutput;
    -1 where the graph does not say.
    """

    op: OpDesc
    inputs: tuple[Source, ...]
    parents: tuple[int, ...]


def read_fused_graph(node: ComputeNode) -> list[FusedOp]:
    """Give the operators a node was fused from, producers first. Raises ModelError when the attribute is no graph."""
    ops = [_read_op(value) for name, value in _fields(_graph_of(node)) if name == "op"]
    if not ops:
        raise ModelError(f"attribute '{FUSED_GRAPH_ATTR}' of node {node.name} is no graph")
    done: set[str] = set()
    ordered: list[FusedOp] = []
    waiting = ops
    while waiting:
        ready = [op for op in waiting if all(source in done for source, _ in op.inputs)]
        if not ready:
            stuck = ", ".join(op.op.name for op in waiting[:3])
            raise ModelError(f"the operators {stuck} that node {node.name} was fused from wait for each other")
        ordered += ready
        done.update(op.op.name for op in ready)
        waiting = [op for op in waiting if op.op.name not in done]
    return ordered


def _graph_of(node: ComputeNode) -> AttrValue:
    """The graph itself: a dump wraps it into the field of its kind."""
    value = node.op.attrs[FUSED_GRAPH_ATTR]
    return next((graph for name, graph in _fields(value) if name == "g"), value)


def _fields(message: AttrValue) -> Iterator[tuple[str, AttrValue]]:
    """Walk the fields of a message, which are pairs of name and value."""
    if isinstance(message, tuple):
        for field in message:
            if isinstance(field, tuple) and len(field) == 2 and isinstance(field[0], str):
                yield field[0], field[1]


def _read_op(message: AttrValue) -> FusedOp:
    fields = list(_fields(message))
    texts = {name: value for name, value in fields if isinstance(value, str)}
    inputs = [value for name, value in fields if name == "input" and isinstance(value, str) and value]
    inputs_of = [value for name, value in fields if name == "input_desc"]
    outputs_of = [value for name, value in fields if name == "output_desc"]
    op = OpDesc(
        texts.get("name", ""),
        _original_type(message, texts.get("type", "")),
        tuple(map(_read_desc, inputs_of)),
        tuple(map(_read_desc, outputs_of)),
    )
    parents = map(_parent, inputs_of) if op.type == "NetOutput" else (_parent(message),)
    return FusedOp(op, tuple(_source(text) for text in inputs if not text.endswith(":-1")), tuple(parents))


def _source(text: str) -> Source:
    name, _, output = text.rpartition(":")
    return name, int(output)


def _original_type(message: AttrValue, type_name: str) -> str:
    """The type a framework gave an operator: GE keeps those it has none for under one of its own."""
    original = _attr(message, "original_type", "s") if type_name == "FrameworkOp" else None
    return original if isinstance(original, str) else type_name


def _parent(message: AttrValue) -> int:
    index = _attr(message, _PARENT_INDEX, "i")
    return index if isinstance(index, int) else -1


def _attr(message: AttrValue, key: str, kind: str) -> AttrValue | None:
    """The value of an attribute, by the field its kind lies in; None when there is none."""
    for name, attr in _fields(message):
        named = dict(_fields(attr)) if name == "attr" else {}
        if named.get("key") == key:
            return dict(_fields(named["value"])).get(kind)
    return None


def _read_desc(message: AttrValue) -> TensorDesc:
    fields = dict(_fields(message))
    dims = [dim for name, dim in _fields(fields.get("shape", ())) if name == "dim" and isinstance(dim, int)]
    layout = Format.of(str(fields.get("layout", "ND")))
    return TensorDesc(Shape(dims), DType.of(str(fields.get("dtype", "DT_FLOAT"))), StorageFormat(layout, layout))
