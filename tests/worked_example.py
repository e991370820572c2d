"""The worked example (spec/lowering.md 10) in its four forms: the model and options of each, and GE's case of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotEdge, SnapshotGraph
from runtime.engines.options import LoweringOptions
from runtime.graph.builder import GraphBuilder
from runtime.graph.compute_graph import ALL_KERNEL, KERNEL, ComputeGraph
from runtime.graph.execute_graph import ExecuteGraph
from runtime.graph.to_snapshot import snapshot_of
from runtime.lowering.pipeline import lower_model


@dataclass(frozen=True, slots=True)
class Form:
    """One form; ``case`` is the case of GE's tests that has this graph, "" where none has."""

    data: tuple[str, str]
    op: tuple[str, str]
    case: str = ""
    tasks: tuple[str, ...] = (ALL_KERNEL,)
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)
    options: LoweringOptions = field(default_factory=LoweringOptions)

    def model(self) -> ComputeGraph:
        """Build the compute graph."""
        builder = GraphBuilder("g1")
        x1, x2 = (builder.data(name, (-1,)) for name in self.data)
        op = builder.op(self.op[0], x1, x2, name=self.op[1], attrs=self.attrs)
        op.node.op.tasks = self.tasks
        return builder.output(op).build()

    def stages(self) -> list[GraphSnapshot]:
        """Lower it and give the picture of every stage of the whole execute graph, in order."""
        seen: list[GraphSnapshot] = []

        def see(stage: str, graph: ComputeGraph | ExecuteGraph) -> None:
            if isinstance(graph, ExecuteGraph) and graph.name == "ROOT":
                seen.append(snapshot_of(graph, stage))

        lower_model(self.model(), self.options, see=see)
        return seen

    def lowered(self) -> ExecuteGraph:
        """Lower it completely."""
        return lower_model(self.model(), self.options).root


_DFX = LoweringOptions(args_exception_dump=True)
_BY_FLAG: Mapping[str, AttrValue] = {
    "workspace_bytes": (2,) * 16,
    "tvm_metadata": "FakeMeta",
    "op_kernelname": "FakeKernelName",
}

"""Of form D. Its second task would clean memory, which GE leaves out: the size of its arguments is not known."""

FORMS = {
    "A": Form(
        ("data1", "data2"),
        ("Add", "add1"),
        "GraphExecutorWithKernelUnitTest.SingleNodeAiCore_ExecuteSuccess",
        attrs={"workspace_bytes": (16,)},
        options=_DFX,
    ),
    "B": Form(
        ("data1", "data2"),
        ("FakeAicoreNodeWithDeterministc", "fake_node1"),
        "Runtime2GetTensorKernelSystemTest.DeterministicSystemTest",
        options=replace(_DFX, deterministic=1),
    ),
    "C": Form(("x1", "x2"), ("AddExample", "AddExample")),
    "D": Form(
        ("data1", "data2"),
        ("Add", "add1"),
        "GraphExecutorWithCopyFlowLaunchKernelUnitTest.SingleNodeAiCore_CopyFlowLaunch_NoFlowLaunch",
        tasks=(KERNEL, KERNEL),
        attrs=_BY_FLAG,
        options=_DFX,
    ),
}


COMPARED = ("ComputeNodeIndex", "index", "ReleaseResourceIndex", "GuarderNodeType", "is_string")


class Node(NamedTuple):
    """What must agree of a node."""

    name: str
    type: str
    inputs: int
    outputs: int
    attrs: tuple[tuple[str, AttrValue], ...]
    subgraphs: tuple[str, ...]


Structure = dict[str, tuple[list[Node], tuple[SnapshotEdge, ...]]]


def structure(snapshot: GraphSnapshot) -> Structure:
    """All that must agree: nodes in the order of the list with GE's names, and every edge with its indices."""
    return {name: (_nodes_of(graph), graph.edges) for name, graph in snapshot.graphs.items()}


def _nodes_of(graph: SnapshotGraph) -> list[Node]:
    return [
        Node(
            node.name,
            node.type,
            node.inputs,
            node.outputs,
            tuple((key, node.attrs[key]) for key in COMPARED if key in node.attrs and node.type != "Const"),
            node.subgraphs,
        )
        for node in graph.nodes
    ]


def part(snapshot: GraphSnapshot, name: str) -> SnapshotGraph:
    """Give the graph that Init, Main or DeInit owns."""
    graph = snapshot.owned(name)
    assert graph is not None
    return graph


def spelled(graph: SnapshotGraph) -> list[str]:
    """A node as ``<type> <input>...``: inputs as ``<position>.<output>``, control edges as ``<-<position>``."""
    texts = [[node.type] for node in graph.nodes]
    for edge in graph.edges:
        texts[edge.target].append(f"<-{edge.source}" if edge.is_control else f"{edge.source}.{edge.source_output}")
    return [" ".join(text) for text in texts]
