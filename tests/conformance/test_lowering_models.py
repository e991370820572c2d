"""Single-stream models of GE's own tests, lowered from the compute graph GE dumped to the graph GE dumped.

The dump of a compute graph leaves out the static workspaces of operators; the table says which cases have them.
"""

from pathlib import Path

import pytest

from getrace.dumps.ge_proto import read_ge_proto
from getrace.dumps.snapshot import AttrValue, GraphSnapshot, SnapshotGraph, SnapshotNode
from runtime.engines.options import LoweringOptions
from runtime.graph.compute_graph import ALL_KERNEL, ComputeGraph, OpDesc, TensorDesc
from runtime.graph.to_snapshot import snapshot_of_execute_graph
from runtime.lowering.graph_converter import lower
from runtime.values import DType, Format, Shape, StorageFormat

CASES = [
    ("TruthSingleStream.chain4_sequential", True),
    ("TruthSingleStream.chain16_big_shapes", True),
    ("TruthSingleStream.random30_seed3", True),
    ("GraphExecutorWithKernelUnitTest.StringNodeAiCore_LoadUnloadSuccess", False),
    ("ZeroCopyST.ZeroCopy_Enabled_WhenOuptutGiven", True),
    ("TrustOutputTensorST.TrustOutputTensor_InferShape_WhenNodeHasMultipleOutputs", True),
]


def ints(value: AttrValue) -> tuple[int, ...]:
    return tuple(item for item in value if isinstance(item, int)) if isinstance(value, tuple) else ()


def desc_of(node: SnapshotNode, side: str, index: int) -> TensorDesc:
    def field(name: str, default: AttrValue) -> AttrValue:
        return node.attrs.get(f"{side}_desc_{name}:{index}", default)

    rows = field("shape_range", ())
    ranges = [ints(row) for row in rows] if isinstance(rows, tuple) else []
    return TensorDesc(
        Shape(ints(field("origin_shape", ()))),
        DType.of(str(field("dtype", "DT_FLOAT"))),
        StorageFormat(Format.of(str(field("origin_format", "ND"))), Format.of(str(field("layout", "ND")))),
        storage_shape=Shape(ints(field("shape", ()))),
        shape_range=tuple((row[0], row[1]) for row in ranges),
    )


def compute_graph_of(graph: SnapshotGraph, workspaces: tuple[int, ...]) -> ComputeGraph:
    model = ComputeGraph(graph.name)
    for node in graph.nodes:
        engine = str(node.attrs.get("_ge_attr_op_kernel_lib_name", ""))
        on_core = engine == "AIcoreEngine"
        model.add(
            OpDesc(
                node.name,
                node.type,
                tuple(desc_of(node, "input", index) for index in range(node.inputs)),
                tuple(desc_of(node, "output", index) for index in range(node.outputs)),
                engine,
                ALL_KERNEL if on_core else "",
                dict(node.attrs) | ({"workspace_bytes": workspaces} if on_core else {}),
            )
        )
    for edge in graph.edges:
        source, target = model.nodes[edge.source], model.nodes[edge.target]
        if edge.is_control:
            model.order(source, target)
        else:
            model.connect(source, edge.source_output, target, edge.target_input)
    return model


def structure(snapshot: GraphSnapshot) -> dict[str, object]:
    return {
        name: (
            [(n.name, n.type, n.inputs, n.outputs, n.subgraphs, n.attrs.get("ComputeNodeIndex")) for n in graph.nodes],
            graph.edges,
        )
        for name, graph in snapshot.graphs.items()
    }


@pytest.mark.real
@pytest.mark.parametrize(("case", "has_workspace"), CASES)
def test_a_dumped_model_lowers_to_the_dumped_graph_name_for_name(cases: Path, case: str, has_workspace: bool) -> None:
    folder = cases / "truth" / "dumps" / case
    before = read_ge_proto(next(folder.glob("*_ComputeGraphBeforeLowering.txt.gz")))
    after = read_ge_proto(min(folder.glob("*_ExeGraphBeforeOptimize.txt.gz")))
    model = compute_graph_of(before.graphs[before.root], (16,) if has_workspace else ())
    options = LoweringOptions(args_exception_dump=True, all_tensor_not_empty=True)
    assert structure(snapshot_of_execute_graph(lower(model, options), after.stage)) == structure(after)
