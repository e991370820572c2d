"""Why a graph is dynamic, from the lines of its log alone: a dump says more, but is rarely there.

The kernels that GE puts around an operator betray its class (spec/lowering.md 4.1, 4.5): a range that is inferred,
shapes that are read back after the launch. That shapes change from step to step is seen in the steps themselves.
"""

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from getrace.analysis.confidence import Confidence
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
        yield GraphKind(name, word.id.partition(".")[2], Seen(place=word.place), word.confidence)


def kernel_reasons(store: Store) -> Iterator[Reason]:
    """Give the operators whose kernels show that their output shapes depend on values, in the order of the log.

    Where there is none, the first operator whose shape is inferred at each step is the only reason that is seen.
    """
    names = {number: split_kernel_name(store.names.text(number)) for number in range(len(store.names))}
    classed = {number for number, name in names.items() if name.node and name.type in _CLASSES}
    wanted = classed or {number for number, name in names.items() if name.node and name.type in _INFER}
    types = operator_types(store)
    found: dict[str, Reason] = {}
    for row, number in _first_rows(store, wanted):
        shape_class, why = _CLASSES.get(names[number].type, (None, "its output shape is inferred at each step"))
        node = names[number].node.removesuffix(_FAKE_COPY)
        known = found.get(node)
        if known is None and len(found) == (MOST if classed else 1):
            break
        if known is None or (shape_class or 0) > (known.shape_class or 0):
            first = known.first if known else not found
            found[node] = _reason(store, row, node, types.get(node, ""), why, shape_class, first=first)
    yield from found.values()


def _first_rows(store: Store, numbers: Collection[int]) -> list[tuple[int, int]]:
    """Give (row, NAME) of the first record of each kernel, in row order."""
    kernel = store.column("kernel")
    rows = np.flatnonzero(np.isin(kernel, list(numbers)))
    found, at = np.unique(kernel[rows], return_index=True)
    return sorted(zip(rows[at].tolist(), found.tolist(), strict=True))


def _reason(
    store: Store, row: int, node: str, op_type: str, why: str, shape_class: int | None, *, first: bool
) -> Reason:
    sure = Confidence.MEDIUM if shape_class is None else Confidence.HIGH
    told = why if shape_class is None else f"{why} (class {shape_class})"
    seen = Seen(place=place(store, row))
    return Reason("operator", node, told, sure, seen, type=op_type, shape_class=shape_class, first=first)


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
        ranked = f", {_listed(dims)}" if len(shape) == len(base) else " with another number of dimensions"
        why = f"its shape changes between steps: {list(base)}, in iteration {run.run.iteration} {list(shape)}{ranked}"
        seen = Seen(place=place(store, run.run.start))
        yield Reason("value", name, why, Confidence.HIGH, seen, dims=tuple(sorted(dims)), shape=shape)


def _listed(dims: set[int]) -> str:
    return f"dimension{'s' if len(dims) > 1 else ''} {', '.join(map(str, sorted(dims)))}"
