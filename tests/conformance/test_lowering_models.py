"""Single-stream models of GE's own tests, lowered from the compute graph GE dumped to the graph GE dumped."""

from pathlib import Path

import pytest

from getrace.dumps.ge_proto import read_ge_proto
from getrace.dumps.snapshot import GraphSnapshot
from runtime.engines.options import LoweringOptions
from runtime.frontend.from_snapshot import compute_graph_of
from runtime.graph.to_snapshot import snapshot_of_execute_graph
from runtime.lowering.graph_converter import lower

CASES = [
    "TruthSingleStream.chain4_sequential",
    "TruthSingleStream.chain16_big_shapes",
    "TruthSingleStream.random30_seed3",
    "GraphExecutorWithKernelUnitTest.StringNodeAiCore_LoadUnloadSuccess",
    "ZeroCopyST.ZeroCopy_Enabled_WhenOuptutGiven",
    "TrustOutputTensorST.TrustOutputTensor_InferShape_WhenNodeHasMultipleOutputs",
]


def structure(snapshot: GraphSnapshot) -> dict[str, object]:
    return {
        name: (
            [(n.name, n.type, n.inputs, n.outputs, n.subgraphs, n.attrs.get("ComputeNodeIndex")) for n in graph.nodes],
            graph.edges,
        )
        for name, graph in snapshot.graphs.items()
    }


@pytest.mark.real
@pytest.mark.parametrize("case", CASES)
def test_a_dumped_model_lowers_to_the_dumped_graph_name_for_name(cases: Path, case: str) -> None:
    folder = cases / "truth" / "dumps" / case
    before = read_ge_proto(next(folder.glob("*_ComputeGraphBeforeLowering.txt.gz")))
    after = read_ge_proto(min(folder.glob("*_ExeGraphBeforeOptimize.txt.gz")))
    model = compute_graph_of(before)
    options = LoweringOptions(args_exception_dump=True, all_tensor_not_empty=True)
    assert structure(snapshot_of_execute_graph(lower(model, options), after.stage)) == structure(after)
