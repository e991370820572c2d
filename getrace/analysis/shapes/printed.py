"""Why a graph is dynamic, from the lines of its log alone: a dump says more, but is rarely there.

The kernels that GE puts around an operator betray its class (spec/lowering.md 4.1, 4.5): a range that is inferred,
shapes that are read back after the launch. That shapes change from step to step is seen in the steps themselves.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from getrace.analysis.failure.model import Confidence
from getrace.analysis.places import place
from getrace.analysis.shapes.facts import GraphKind, Reason, Seen, Shape
from getrace.analysis.shapes.steps import Run, operator_types
from getrace.analysis.shapes.words import Word
from getrace.ids import split_kernel_name
from getrace.store.store import Store

MOST = 50
"""Operators of a class that are told."""

# Kernel type: (class of its operator, what the kernel shows).
_CLASSES: dict[str, tuple[int, str]] = {
    "GetOutputShapeFromHbmBuffer": (4, "its output shapes are read back after it ran"),
    "GetHostSummary": (4, "its output shapes are read back after it ran"),
    "SetOutputShape": (3, "its output shapes are read back after it ran; a range is inferred before"),
    "GetExtOutputShapes": (3, "its output shapes are read back after it ran; a range is inferred before"),
    "InferShapeRange": (3, "only a range of its output shapes is inferred before it runs"),
    "CompatibleInferShapeRange": (3, "only a range of its output shapes is inferred before it runs"),
}
_INFER = frozenset({"InferShape", "InferShapeByRule", "CompatibleInferShape"})
_FAKE_COPY = "_FakeMemCpy"


def told_kinds(words: Sequence[Word]) -> Iterator[GraphKind]:
    """Give the graphs that lines call static or dynamic, each once for a process; the last line of a graph counts."""
    last = {(word.pid, word.values["graph"]): word for word in words if word.topic == "kind"}
    for (_, graph), word in last.items():
        name = graph if not graph.isdigit() else f"graph id {graph}"
        yield GraphKind(name, word.id.partition(".")[2], Seen(place=word.place), Confidence.HIGH)


def kernel_reasons(store: Store) -> Iterator[Reason]:
    """Give the operators whose kernels show that their output shapes depend on values, then the first inferred one."""
    by_node: dict[str, tuple[int, str, int]] = {}
    inferred: list[int] = []
    for number in range(len(store.names)):
        name = split_kernel_name(store.names.text(number))
        if name.node and name.type in _CLASSES:
            shape_class, why = _CLASSES[name.type]
            node = name.node.removesuffix(_FAKE_COPY)
            if node not in by_node or by_node[node][0] < shape_class or name.type.startswith(("Set", "Get")):
                by_node[node] = (shape_class, why, number)
        elif name.node and name.type in _INFER:
            inferred.append(number)
    types = operator_types(store)
    reasons = [
        _reason(store, number, node, types.get(node, ""), f"{why} (class {shape_class})", shape_class)
        for node, (shape_class, why, number) in list(by_node.items())[:MOST]
    ]
    reasons.sort(key=lambda reason: reason.seen.place.row if reason.seen.place else 0)
    yield from (replace(reason, first=at == 0) for at, reason in enumerate(reasons))
    if not by_node and inferred:
        node = split_kernel_name(store.names.text(inferred[0])).node
        yield _reason(store, inferred[0], node, types.get(node, ""), "its output shape is inferred at each step", None)


def _reason(store: Store, number: int, node: str, op_type: str, why: str, shape_class: int | None) -> Reason:
    row = int(np.argmax(store.column("kernel") == number))
    sure = Confidence.HIGH if shape_class is not None else Confidence.MEDIUM
    return Reason("operator", node, why, sure, Seen(place=place(store, row)), type=op_type, shape_class=shape_class)


def changing_inputs(store: Store, runs: Sequence[Run]) -> Iterator[Reason]:
    """Give the model inputs whose shape changed between steps, with the dimensions that did."""
    first: dict[tuple[int, str], Shape] = {}
    moved: dict[tuple[int, str], tuple[set[int], Run, Shape]] = {}
    for run in runs:
        for name, shape in run.input_shapes.items():
            key = (run.model, name)
            base = first.setdefault(key, shape)
            if shape != base:
                dims = {at for at, pair in enumerate(zip(shape, base, strict=False)) if pair[0] != pair[1]}
                known = moved.setdefault(key, (set(), run, shape))
                known[0].update(dims)
    for (_, name), (dims, run, shape) in moved.items():
        base = first[run.model, name]
        ranked = f", dimensions {_listed(dims)}" if len(shape) == len(base) else " with another number of dimensions"
        why = f"its shape changes between steps: {list(base)}, in iteration {run.run.iteration} {list(shape)}{ranked}"
        seen = Seen(place=place(store, run.run.start))
        yield Reason("value", name, why, Confidence.HIGH, seen, dims=tuple(sorted(dims)), shape=shape)


def _listed(dims: set[int]) -> str:
    return ", ".join(map(str, sorted(dims)))
