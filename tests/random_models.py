"""Random models for property tests: operators of several engines, nested If and While, all from one seed.

Every tensor is of one of a few kinds, so that whatever is chosen fits; the first dimension is known at run time only.
Values stay small: sums and products are followed by something that bounds them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from getrace.dumps.snapshot import AttrValue
from runtime.graph.builder import AI_CORE, COMPILED, GE_LOCAL
from runtime.graph.compute_graph import ALL_KERNEL, ComputeGraph, ComputeNode, OpDesc, TensorDesc, nd_desc
from runtime.graph.stream_assign import assign_events
from runtime.values import DType

Array = npt.NDArray[Any]

AICPU_TF: Final = "aicpu_tf_kernel"
AICPU_CC: Final = "aicpu_ascend_kernel"
HOST_CPU: Final = "DNN_VM_HOST_CPU_OP_STORE"
LATE_ENGINES: Final = (AICPU_TF, AICPU_CC)
"""Engines whose operators may tell their shapes after they ran, in these models."""

TASKS: Final = {AI_CORE: (ALL_KERNEL,), AICPU_TF: ("KERNEL_EX",), AICPU_CC: ("KERNEL",), HOST_CPU: ("KERNEL",)}

MATRIX, VECTOR, SCALAR = (-1, 3), (-1,), ()
_UNARY: Final = ("Relu", "Neg", "Abs", "Sigmoid", "Tanh")
_BINARY: Final = ("Add", "Sub", "Maximum", "Minimum")
_LOOPS_AT_MOST: Final = 4


@dataclass(frozen=True, slots=True)
class Value:
    """One output of a node."""

    node: ComputeNode
    index: int = 0

    @property
    def desc(self) -> TensorDesc:
        """What the model says of it."""
        return self.node.op.outputs[self.index]


@dataclass(frozen=True, slots=True)
class RandomModel:
    """A model and what to feed it."""

    seed: int
    graph: ComputeGraph
    inputs: tuple[Array, ...]


@dataclass(slots=True)
class Scope:
    """A graph under construction and its tensors by kind; ``budget`` counts the operators it may still get."""

    graph: ComputeGraph
    budget: int
    values: dict[tuple[int, ...], list[Value]] = field(default_factory=dict)

    def keep(self, value: Value) -> Value:
        """Let later operators read a tensor of floats."""
        if value.desc.dtype is DType.FLOAT:
            self.values.setdefault(tuple(value.desc.shape), []).append(value)
        return value


class Author:
    """Writes one model. ``engines`` are those to choose from; ``flow`` allows If and While up to ``depth``.

    With ``empty`` the unknown dimension may be 0, which GE guards with branches of its own.
    """

    def __init__(self, seed: int, engines: Sequence[str], *, flow: bool, empty: bool, depth: int = 2) -> None:
        self.random = Random(seed)
        self.engines = tuple(engines)
        self.flow = flow
        self.least = 0 if empty else 1
        self.depth = depth
        self._count = 0

    def name(self, stem: str) -> str:
        """Give a name that no other node or graph of the model has."""
        self._count += 1
        return f"{stem}_{self._count}"

    def desc(self, dims: Sequence[int], dtype: DType = DType.FLOAT) -> TensorDesc:
        """Describe a tensor of a kind."""
        return nd_desc(dims, dtype, [(dim, dim) if dim >= 0 else (self.least, -1) for dim in dims])

    def pick(self, scope: Scope, kind: tuple[int, ...]) -> Value:
        """Choose a tensor of a kind, the youngest most likely: chains are more telling than stars."""
        found = scope.values[kind]
        return found[-1] if self.random.random() < 0.5 else self.random.choice(found)

    def op(
        self,
        scope: Scope,
        type_name: str,
        inputs: Sequence[Value],
        dims: Sequence[int],
        dtype: DType = DType.FLOAT,
        *,
        engine: str = "",
        tasks: int = 1,
        keep: bool = True,
        **attrs: AttrValue,
    ) -> Value:
        """Add an operator with one output, on a random engine unless one is given; ``keep`` lets others read it."""
        engine = engine or self.random.choice(self.engines)
        scope.budget -= 1
        compiled = COMPILED if engine == AI_CORE else {}
        node = scope.graph.add(
            OpDesc(
                self.name(type_name.lower()),
                type_name,
                tuple(value.desc for value in inputs),
                (self.desc(dims, dtype),),
                engine,
                TASKS.get(engine, ()) * tasks,
                {**compiled, **attrs},
            )
        )
        _connect(scope.graph, node, inputs)
        return scope.keep(Value(node)) if keep else Value(node)


def _connect(graph: ComputeGraph, node: ComputeNode, inputs: Sequence[Value]) -> None:
    for slot, value in enumerate(inputs):
        graph.connect(value.node, value.index, node, slot)


def random_model(
    seed: int, operators: int, engines: Sequence[str] = (AI_CORE,), *, flow: bool = False, empty: bool = False
) -> RandomModel:
    """Write a model of about ``operators`` operators and choose its inputs."""
    author = Author(seed, engines, flow=flow, empty=empty)
    scope = Scope(ComputeGraph(f"random_{seed}"), operators)
    kinds = [(MATRIX, DType.FLOAT), (MATRIX, DType.FLOAT), (VECTOR, DType.FLOAT), (SCALAR, DType.FLOAT)]
    for index, (dims, dtype) in enumerate(kinds):
        desc = author.desc(dims, dtype)
        node = scope.graph.add(OpDesc(f"x{index}", "Data", (desc,), (desc,), GE_LOCAL, attrs={"index": index}))
        scope.keep(Value(node))
    fill(author, scope, author.depth)
    finish(author, scope, _results(author, scope))
    rows = author.random.randint(author.least, 5)
    values = np.random.default_rng(seed)
    shapes = [tuple(rows if dim < 0 else dim for dim in dims) for dims, _ in kinds]
    inputs = tuple(values.uniform(-2, 2, shape).astype(np.float32) for shape in shapes)
    return RandomModel(seed, scope.graph, inputs)


def spread(graph: ComputeGraph, streams: int, seed: int) -> None:
    """Put each operator that has a task on a random stream, and number the events between them."""
    random = Random(seed)
    for node in graph.nodes:
        if node.op.engine != GE_LOCAL:
            node.op.stream_id = random.randrange(streams)
    assign_events(graph)


def _results(author: Author, scope: Scope) -> list[Value]:
    """Give the tensors that nobody reads, and one at least."""
    unread = [
        value
        for values in scope.values.values()
        for value in values
        if not value.node.consumers and value.node.type != "Data"
    ]
    return unread or [author.op(scope, "Relu", [author.pick(scope, MATRIX)], MATRIX)]


def finish(author: Author, scope: Scope, results: Sequence[Value]) -> None:
    """Add the NetOutput."""
    descs = tuple(value.desc for value in results)
    node = scope.graph.add(OpDesc(author.name("NetOutput"), "NetOutput", descs, descs, GE_LOCAL))
    _connect(scope.graph, node, results)


def fill(author: Author, scope: Scope, depth: int) -> None:
    """Add operators until the budget is spent."""
    simple = [add_unary, add_binary, add_choice, add_sum, add_spread, add_size]
    if set(author.engines) & set(LATE_ENGINES):
        simple += [add_positions, add_unique]
    rare = [add_if, add_case, add_loop] if author.flow and depth > 0 else []
    while scope.budget > 0:
        writer = author.random.choice(simple)
        if rare and scope.budget > 6 and author.random.random() < 0.15:
            author.random.choice(rare)(author, scope, depth)
        else:
            writer(author, scope)


def add_unary(author: Author, scope: Scope) -> None:
    """One tensor in, one of the same kind out."""
    kind = author.random.choice([MATRIX, VECTOR, SCALAR])
    author.op(scope, author.random.choice(_UNARY), [author.pick(scope, kind)], kind)


def add_binary(author: Author, scope: Scope) -> None:
    """Two tensors of a kind in, one out."""
    kind = author.random.choice([MATRIX, MATRIX, VECTOR, SCALAR])
    pair = [author.pick(scope, kind), author.pick(scope, kind)]
    author.op(scope, author.random.choice(_BINARY), pair, kind)


def add_choice(author: Author, scope: Scope) -> None:
    """Choose element by element, by a comparison."""
    x, y = author.pick(scope, MATRIX), author.pick(scope, MATRIX)
    less = author.op(scope, "Less", [x, y], MATRIX, DType.BOOL)
    author.op(scope, "SelectV2", [less, x, y], MATRIX)


def add_sum(author: Author, scope: Scope) -> None:
    """Sum along the last axis and bound the sum."""
    total = author.op(scope, "ReduceSumD", [author.pick(scope, MATRIX)], VECTOR, axes=(1,), keep_dims=False)
    author.op(scope, "Tanh", [total], VECTOR)


def add_spread(author: Author, scope: Scope) -> None:
    """Give a vector a second dimension, which costs no kernel on the device, and add it to a matrix."""
    column = author.op(scope, "Unsqueeze", [author.pick(scope, VECTOR)], (-1, 1), engine=GE_LOCAL, axes=(1,))
    author.op(scope, "Maximum", [author.pick(scope, MATRIX), column], MATRIX)


def add_size(author: Author, scope: Scope) -> None:
    """A fact about a shape, which the host computes, comes back as a number."""
    fact = author.random.choice(["Size", "Rank"])
    number = author.op(scope, fact, [author.pick(scope, MATRIX)], SCALAR, DType.INT32, engine=GE_LOCAL)
    author.op(scope, "Cast", [number], SCALAR)


def add_positions(author: Author, scope: Scope) -> None:
    """An operator of the third class: how many positions there are is known after it ran. Their sum is kept."""
    engine = author.random.choice([name for name in author.engines if name in LATE_ENGINES])
    matrix = author.pick(scope, MATRIX)
    found = author.op(scope, "NonZero", [matrix], (-1, 2), DType.INT64, engine=engine, _unknown_shape_type=3)
    numbers = author.op(scope, "Cast", [found], (-1, 2), keep=False)
    total = author.op(scope, "ReduceSumD", [numbers], SCALAR, axes=(0, 1), keep_dims=False)
    author.op(scope, "Tanh", [total], SCALAR)


def add_unique(author: Author, scope: Scope) -> None:
    """An operator of the fourth class, which makes its own outputs; it takes two tasks. The sum is kept."""
    engine = author.random.choice([name for name in author.engines if name in LATE_ENGINES])
    vector = author.pick(scope, VECTOR)
    found = author.op(scope, "Unique", [vector], (-1,), engine=engine, tasks=2, keep=False, _unknown_shape_type=4)
    total = author.op(scope, "ReduceSumD", [found], SCALAR, axes=(0,), keep_dims=False)
    author.op(scope, "Tanh", [total], SCALAR)


def add_if(author: Author, scope: Scope, depth: int) -> None:
    """An If by a comparison of numbers."""
    holds = author.op(scope, "Less", [author.pick(scope, SCALAR), author.pick(scope, SCALAR)], SCALAR, DType.BOOL)
    _add_branches(author, scope, depth, "If", holds, ["then", "else"])


def add_case(author: Author, scope: Scope, depth: int) -> None:
    """A Case by a number cut off to a whole one, which may be out of range."""
    index = author.op(scope, "Cast", [author.pick(scope, SCALAR)], SCALAR, DType.INT32)
    _add_branches(author, scope, depth, "Case", index, ["zero", "one", "other"])


def _add_branches(
    author: Author, scope: Scope, depth: int, type_name: str, choice: Value, names: Sequence[str]
) -> None:
    """Each branch reads a matrix, a vector and a number, and gives a matrix and a number."""
    inputs = [choice, author.pick(scope, MATRIX), author.pick(scope, VECTOR), author.pick(scope, SCALAR)]
    node = _owner(author, scope, type_name, inputs, [MATRIX, SCALAR])
    share = scope.budget // (len(names) + 1)
    for name in names:
        inner = _inner(author, node, name, inputs, first=1, budget=share)
        fill(author, inner, depth - 1)
        results = [author.op(inner, "Tanh", [author.pick(inner, kind)], kind) for kind in (MATRIX, SCALAR)]
        finish(author, inner, results)
        scope.budget -= share


def add_loop(author: Author, scope: Scope, depth: int) -> None:
    """A While that counts to a few; its body changes a matrix and a vector."""
    start = author.op(scope, "Abs", [author.pick(scope, SCALAR)], SCALAR)
    inputs = [start, author.pick(scope, MATRIX), author.pick(scope, VECTOR)]
    node = _owner(author, scope, "While", inputs, [SCALAR, MATRIX, VECTOR])
    cond = _inner(author, node, "cond", inputs, first=0, budget=1)
    holds = author.op(cond, "LessThan_5", [author.pick(cond, SCALAR)], SCALAR, DType.BOOL)
    finish(author, cond, [holds])
    share = scope.budget // 3
    body = _inner(author, node, "body", inputs, first=0, budget=share)
    counter = body.values[SCALAR][0]
    fill(author, body, depth - 1)
    counted = author.op(body, "Add_1", [counter], SCALAR)
    finish(
        author,
        body,
        [counted, *(author.op(body, "Tanh", [author.pick(body, kind)], kind) for kind in (MATRIX, VECTOR))],
    )
    scope.budget -= share


def _owner(
    author: Author, scope: Scope, type_name: str, inputs: Sequence[Value], kinds: Sequence[tuple[int, ...]]
) -> ComputeNode:
    descs = tuple(author.desc(kind) for kind in kinds)
    node = scope.graph.add(
        OpDesc(author.name(type_name.lower()), type_name, tuple(value.desc for value in inputs), descs, GE_LOCAL)
    )
    _connect(scope.graph, node, inputs)
    scope.budget -= 1
    for index in range(len(kinds)):
        scope.keep(Value(node, index))
    return node


def _inner(author: Author, owner: ComputeNode, name: str, inputs: Sequence[Value], *, first: int, budget: int) -> Scope:
    """Start a graph of an owner: it reads the owner's inputs from ``first`` on."""
    graph = owner.graph.add_subgraph(owner, ComputeGraph(author.name(name)))
    scope = Scope(graph, budget)
    for index, value in enumerate(inputs[first:]):
        desc = value.desc
        attrs: dict[str, AttrValue] = {"index": index, "_parent_node_index": first + index}
        scope.keep(Value(graph.add(OpDesc(author.name("data"), "Data", (desc,), (desc,), GE_LOCAL, attrs=attrs))))
    return scope
