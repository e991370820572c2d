"""GraphBuilder: writes a ComputeGraph in a few lines, as a sample or a test wants it.

It adds no meaning of its own: everything it does can be said with ``ComputeGraph.add`` and ``connect``. If samples
built graphs by hand instead, each would show the edges and hide the model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from getrace.dumps.snapshot import AttrValue
from getrace.errors import ModelError
from runtime.graph.compute_graph import ALL_KERNEL, ComputeGraph, ComputeNode, OpDesc, TensorDesc, nd_desc
from runtime.values import DType

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
        """What is known of the tensor."""
        return self.node.op.outputs[self.index]


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

        Raises ModelError when the bytes do not fill the shape.
        """
        desc = nd_desc(dims, dtype)
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
    ) -> Output:
        """Add an operator and give its first output; the node takes its type as name unless one is given.

        Without ``outputs`` it has one, described as its first input: right for elementwise operators. Raises ModelError
        when there is no input to take the description from.
        """
        if not outputs and not inputs:
            raise ModelError(f"operator '{name or type_name}' has neither inputs nor described outputs")
        described = tuple(outputs) or (replace(inputs[0].desc, name=""),)
        on_core = engine == AI_CORE
        op = OpDesc(
            name or type_name,
            type_name,
            tuple(value.desc for value in inputs),
            described,
            engine,
            (ALL_KERNEL,) if on_core else (),
            {**(COMPILED if on_core else {}), **(attrs or {})},
        )
        node = self._graph.add(op)
        for slot, source in enumerate(inputs):
            self._graph.connect(source.node, source.index, node, slot)
        return Output(node)

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
