"""GraphBuilder: writes a ComputeGraph in a few lines, as a sample or a test wants it.

It adds no meaning of its own: everything it does can be said with ``ComputeGraph.add`` and ``connect``. If samples
built graphs by hand instead, each would show the edges and hide the model.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.graph.compute_graph import ComputeGraph, ComputeNode, OpDesc, TensorDesc, nd_desc
from runtime.graph.usual_tasks import usual_tasks
from runtime.values import UNKNOWN_RANK, DType, Shape

AI_CORE = "AIcoreEngine"
GE_LOCAL = "DNN_VM_GE_LOCAL_OP_STORE"

COMPILED: Mapping[str, AttrValue] = {"op_para_size": 2048, "compile_info_json": "{}"}
"""What an operator compiler leaves on an AI Core operator; stands in for one where the model says nothing."""


@dataclass(frozen=True, slots=True)
class Output:
    """One output of a node: what the builder passes around."""

    node: ComputeNode
    index: int = 0

    @property
    def desc(self) -> TensorDesc:
        """What is known of the tensor. Raises ModelError when the node has no such output."""
        outputs = self.node.op.outputs
        if not 0 <= self.index < len(outputs):
            raise ModelError(f"node '{self.node.name}' has no output {self.index}", f"it has {len(outputs)}")
        return outputs[self.index]


Body = Callable[["GraphBuilder", Sequence[Output]], Sequence[Output]]
"""Writes a graph that a node owns: gets a builder and the node's inputs, gives the graph's outputs."""


class GraphBuilder:
    """Collects nodes; ``build`` closes the graph.

    >>> graph = GraphBuilder("add")
    >>> x = graph.data("x", (-1,))
    >>> graph.output(graph.op("Add", x, x)).build().nodes
    [ComputeNode('x', 'Data'), ComputeNode('Add', 'Add'), ComputeNode('NetOutput', 'NetOutput')]
    """

    def __init__(self, name: str) -> None:
        self._graph = ComputeGraph(name)
        self._data_count = 0
        self._outputs: list[Output] = []

    def data(self, name: str, dims: Sequence[int], dtype: DType = DType.FLOAT) -> Output:
        """Add the next model input; -1 is a dimension that the caller chooses at run time."""
        desc = nd_desc(dims, dtype)
        op = OpDesc(name, "Data", (desc,), (desc,), GE_LOCAL, attrs={"index": self._data_count})
        self._data_count += 1
        return Output(self._graph.add(op))

    def const(self, name: str, dims: Sequence[int], value: bytes, dtype: DType = DType.FLOAT) -> Output:
        """Add a constant; ``value`` holds its elements in memory order, little endian.

        Raises ModelError when the bytes do not fill the shape, and for elements without a fixed size (strings).
        """
        desc = nd_desc(dims, dtype)
        if not dtype.has_size:
            text = f"constant '{name}' has the type {dtype.ge_name}, whose elements have no fixed size"
            raise ModelError(text, "feed it as an input of the model, or write it as numbers")
        wanted = desc.shape.elements * dtype.size
        if len(value) != wanted:
            raise ModelError(f"constant '{name}' has {len(value)} bytes, its shape needs {wanted}")
        return Output(self._graph.add(OpDesc(name, "Const", (), (desc,), GE_LOCAL, attrs={"value": value})))

    def op(
        self,
        type_name: str,
        *inputs: Output,
        name: str = "",
        outputs: Sequence[TensorDesc] = (),
        attrs: Mapping[str, AttrValue] | None = None,
        engine: str = AI_CORE,
        stream: int = 0,
    ) -> Output:
        """Add an operator and give its first output; the node takes its type as name unless one is given.

        Without ``outputs`` it has one, described as its first input: right for elementwise operators. Raises ModelError
        when there is no input to take the description from. ``stream`` is the logic stream of the operator; a model
        on several streams needs ``stream_assign.assign_events`` when it is built. The tasks are those that the compiler
        of ``engine`` usually leaves.
        """
        if not outputs and not inputs:
            raise ModelError(f"operator '{name or type_name}' has neither inputs nor described outputs")
        described = tuple(outputs) or (replace(inputs[0].desc, name=""),)
        settings = {**(COMPILED if engine == AI_CORE else {}), **(attrs or {})}
        op = OpDesc(
            name or type_name,
            type_name,
            tuple(value.desc for value in inputs),
            described,
            engine,
            usual_tasks(engine, settings),
            settings,
            stream,
        )
        return Output(self._add(op, inputs))

    def if_(
        self, condition: Output, inputs: Sequence[Output], then: Body, else_: Body, name: str = "If"
    ) -> tuple[Output, ...]:
        """Add an If: ``then`` runs when the condition is true. Gives the outputs, described as the branches agree.

        A branch gets a builder and ``inputs`` as it sees them, and gives its outputs. Raises ModelError when the
        branches do not give outputs of the same number and types.
        """
        return self._choice("If", [condition, *inputs], {f"{name}_then": then, f"{name}_else": else_}, name)

    def case(self, index: Output, inputs: Sequence[Output], *branches: Body, name: str = "Case") -> tuple[Output, ...]:
        """Add a Case: branch ``index`` runs, the last one when there is no such branch. Otherwise as ``if_``.

        Raises ModelError when there is no branch at all, too.
        """
        if not branches:
            raise ModelError(f"node '{name}' is a Case without branches", "give it at least one")
        named = {f"{name}_branch_{number}": branch for number, branch in enumerate(branches)}
        return self._choice("Case", [index, *inputs], named, name)

    def while_(self, inputs: Sequence[Output], condition: Body, body: Body, name: str = "While") -> tuple[Output, ...]:
        """Add a While: values go round as ``body`` gives them, as long as ``condition`` gives true."""
        descs = tuple(replace(value.desc, name="") for value in inputs)
        node = self._add(OpDesc(name, "While", tuple(value.desc for value in inputs), descs, GE_LOCAL), inputs)
        self._below(node, f"{name}_cond", condition, first=0)
        self._below(node, f"{name}_body", body, first=0)
        return tuple(Output(node, index) for index in range(len(inputs)))

    def _choice(
        self, type_name: str, inputs: Sequence[Output], branches: Mapping[str, Body], name: str
    ) -> tuple[Output, ...]:
        # Outputs are described by the branches, which hang under the node: it is made without outputs first.
        op = OpDesc(name, type_name, tuple(value.desc for value in inputs), (), GE_LOCAL)
        node = self._add(op, inputs)
        given = [self._below(node, graph, branch, first=1) for graph, branch in branches.items()]
        if len({tuple(desc.dtype for desc in descs) for descs in given}) != 1:
            raise ModelError(
                f"the branches of node '{name}' do not give the same outputs",
                "all branches give as many outputs, of the same types",
            )
        op.outputs = tuple(_agreed(descs) for descs in zip(*given, strict=True))
        return tuple(Output(node, index) for index in range(len(op.outputs)))

    def _below(self, owner: ComputeNode, name: str, body: Body, first: int) -> tuple[TensorDesc, ...]:
        """Write a graph of a node; it reads the node's inputs from ``first`` on. Gives what its outputs are."""
        inner = GraphBuilder(name)
        inputs = []
        for index, desc in enumerate(owner.op.inputs[first:]):
            seen = inner.data(f"data_{index}", desc.shape, desc.dtype)
            seen.node.op.inputs = seen.node.op.outputs = (replace(desc, name=""),)
            seen.node.op.attrs["_parent_node_index"] = first + index
            inputs.append(seen)
        results = tuple(body(inner, inputs))
        graph = inner.output(*results).build()
        _make_names_unique(graph, self._graph)
        self._graph.add_subgraph(owner, graph)
        return tuple(value.desc for value in results)

    def _add(self, op: OpDesc, inputs: Sequence[Output]) -> ComputeNode:
        node = self._graph.add(op)
        for slot, source in enumerate(inputs):
            self._graph.connect(source.node, source.index, node, slot)
        return node

    def output(self, *values: Output) -> "GraphBuilder":
        """Name the next model outputs; gives the builder back, so that ``build`` can follow."""
        self._outputs.extend(values)
        return self

    def build(self) -> ComputeGraph:
        """Add the NetOutput and give the graph. Raises ModelError when no output was named."""
        if not self._outputs:
            raise ModelError(f"graph '{self._graph.name}' has no output", "call output(...) before build()")
        descs = tuple(value.desc for value in self._outputs)
        node = self._graph.add(OpDesc("NetOutput", "NetOutput", descs, descs, GE_LOCAL))
        for slot, value in enumerate(self._outputs):
            self._graph.connect(value.node, value.index, node, slot)
        return self._graph


def _make_names_unique(graph: ComputeGraph, owner: ComputeGraph) -> None:
    """Rename what is taken in ``owner``, of a graph and those below it: one body may be written under two nodes."""
    taken = {other.name for other in owner.all_graphs()}
    for each in graph.all_graphs():
        if each.name in taken:
            longer = f"{owner.name if each is graph else graph.name}_{each.name}"
            numbered = (f"{longer}_{number}" for number in count(2))
            each.name = next(name for name in chain([longer], numbered) if name not in taken)
        taken.add(each.name)


def _agreed(descs: Sequence[TensorDesc]) -> TensorDesc:
    """What is known of an output whichever branch gives it."""
    shapes = [desc.shape for desc in descs]
    first = replace(descs[0], name="")
    if len(set(shapes)) == 1:
        return first
    if len({len(shape) for shape in shapes}) > 1:
        return TensorDesc(Shape((UNKNOWN_RANK,)), first.dtype, first.format)
    return nd_desc((dims[0] if len(set(dims)) == 1 else -1 for dims in zip(*shapes, strict=True)), first.dtype)
